#include "tools/winnow/cli/flag_check.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cmath>

#include "src/text/flag_words.h"
#include "tools/winnow/cli/byte_count.h"
#include "tools/winnow/cli/flags.h"

namespace winnow::tools {
namespace {

using Form = FlagValue::Form;

constexpr inspect::EndedFlag kEndedFlags[] = {
    {"advise", "cache",
     "the alarm in a database's LOG says which cache has room for its filters "
     "(docs/filters-and-caches.md)"},
    {"advise", "seconds",
     "--sample says how many keys range filters are built for, as for all other filters"},
    {"advise", "use",
     "the LOG of a database has the table of its filters; give more bits per key to the policies "
     "with the most false positives (docs/filter-use.md)"},
};

bool IsWithin(const FlagValue& value, absl::string_view text) {
  if (value.form == Form::kBytes) return value.range.Has(ParseByteCount(text).value_or(0));
  const std::vector<absl::string_view> numbers = value.form == Form::kWholeList
                                                     ? absl::StrSplit(text, ',', absl::SkipEmpty())
                                                     : std::vector<absl::string_view>{text};
  return std::all_of(numbers.begin(), numbers.end(), [&](absl::string_view word) {
    double number = 0;
    return absl::SimpleAtod(word, &number) && value.range.Has(number);
  });
}

// Returns a whole number such as "1e6" or "1.0" in plain digits, which Abseil can parse; other
// values unchanged.
std::string AsAbseilReads(Form form, absl::string_view value) {
  constexpr double kMaxDigits = 1e18;
  double number = 0;
  const bool to_write = form == Form::kWhole &&
                        value.find_first_of("eE.") != absl::string_view::npos &&
                        absl::SimpleAtod(value, &number) && std::fabs(number) <= kMaxDigits &&
                        std::trunc(number) == number;
  return to_write ? absl::StrFormat("%.0f", number) : std::string(value);
}

std::string CheckNumber(const Flag& flag, absl::string_view text) {
  const FlagValue& value = flag.value;
  absl::CommandLineFlag& abseil = flag.abseil();
  std::string error;
  const bool is_read = abseil.ParseFrom(AsAbseilReads(value.form, text), &error);
  // The range is checked on the number that Abseil has parsed, as it accepts hexadecimal digits.
  const bool is_whole = is_read && value.form == Form::kWhole;
  if (is_read && IsWithin(value, is_whole ? abseil.CurrentValue() : std::string(text))) return "";
  if (value.form != Form::kBytes) return inspect::OutOfRange(flag.name, text, value.range);
  return absl::StrCat(inspect::OutOfRange(flag.name, text, value.range, "number of bytes"),
                      ", as 64KB or 1.5GiB");
}

std::string NoSuchFlag(const Verb* verb, absl::string_view argument, absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Flag* flag : FlagsOf(verb == nullptr ? "" : verb->name)) names.push_back(flag->name);
  const std::string meant = inspect::DidYouMean(name, names, "--");
  return absl::StrCat("there is no flag ", argument,
                      verb == nullptr ? "" : absl::StrCat(" for ", verb->name), meant,
                      meant.empty() ? "; after -- arguments may begin with -"
                                    : " After -- arguments may begin with -");
}

bool IsFlag(absl::string_view argument) {
  return absl::StartsWith(argument, "-") && argument != "-";
}

absl::string_view WithoutDashes(absl::string_view argument) {
  while (absl::ConsumePrefix(&argument, "-")) {
  }
  return argument;
}

std::string CheckFlag(const Verb* verb, absl::string_view argument) {
  absl::string_view name = WithoutDashes(argument);
  const size_t equals = name.find('=');
  const absl::string_view value =
      equals == absl::string_view::npos ? "true" : name.substr(equals + 1);
  name = name.substr(0, equals);
  const Flag* const flag = verb == nullptr ? nullptr : FindFlag(verb->name, name);
  if (flag == nullptr) {
    const std::string ended =
        inspect::WhyEnded(kEndedFlags, verb == nullptr ? "" : verb->name, name);
    return ended.empty() ? NoSuchFlag(verb, argument, name) : ended;
  }
  const bool has_value = equals != absl::string_view::npos && !value.empty();
  if (!has_value && flag->value.form != Form::kNone) {
    return absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE");
  }
  if (flag->value.is_number()) return CheckNumber(*flag, value);
  std::string error;
  if (flag->abseil().ParseFrom(value, &error)) return "";
  // Abseil's message begins with its name of the flag; the flag type's own message follows "'; ".
  const size_t own = error.find("'; ");
  return absl::StrCat("the flag --", name, " can't be '", value, "'",
                      flag->value.form == Form::kTime ? ": it is a time, as 10m or 1h30m"
                      : own == std::string::npos      ? ""
                                                      : absl::StrCat(": ", error.substr(own + 3)));
}

}  // namespace

bool IsSet(const Verb& verb, absl::string_view name) {
  const Flag* const flag = FindFlag(verb.name, name);
  return flag != nullptr && flag->abseil().CurrentValue() != flag->abseil().DefaultValue();
}

std::vector<std::string> ForAbseil(const Verb& verb, std::vector<std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != end; ++argument) {
    const absl::string_view text = WithoutDashes(*argument);
    const size_t equals = std::min(text.find('='), text.size());
    const Flag* const flag =
        IsFlag(*argument) ? FindFlag(verb.name, text.substr(0, equals)) : nullptr;
    if (flag != nullptr) {
      const absl::string_view value = text.substr(std::min(equals + 1, text.size()));
      *argument = absl::StrCat("--", flag->in_abseil, text.substr(equals, 1),
                               AsAbseilReads(flag->value.form, value));
    }
  }
  return arguments;
}

std::string CheckFlags(const Verb* verb, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      break;
    }
    const std::string problem = IsFlag(argument) ? CheckFlag(verb, argument) : "";
    if (!problem.empty()) {
      return problem;
    }
  }
  return std::string();
}

}  // namespace winnow::tools
