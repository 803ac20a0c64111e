#include "tools/winnow/cli/flag_check.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "src/dedup/state_layout.h"
#include "src/policy_trial/policy_check.h"
#include "tools/winnow/cli/byte_count.h"
#include "winnow/amq/plan.h"

namespace winnow::tools {
namespace {

// How a flag's number is written, which Abseil does not know of all.
enum class Form { kNumber, kWhole, kBytes, kList };

struct RangeRow {
  absl::string_view flag;  // by Abseil's name
  Form form;
  double least;
  double most;
};

constexpr double kMostKeys = static_cast<double>(amq::kMostKeys);
constexpr double kMostBytes = 1e15;

constexpr RangeRow kRanges[] = {
    {"absent_share", Form::kNumber, 0, 1},
    {"budget", Form::kBytes, 1, kMostBytes},
    {"dedup_capacity", Form::kWhole, 1, kMostKeys},
    {"dedup_inflight", Form::kWhole, 1, dedup::kMostUnkept},
    {"dedup_rate", Form::kNumber, amq::kLowestRate, amq::kHighestRate},
    {"dedup_window", Form::kWhole, 0, kMostKeys},
    {"draws", Form::kWhole, 1, 1e7},
    {"jobs", Form::kWhole, 0, 1024},
    {"level", Form::kList, 0, std::numeric_limits<int>::max()},
    {"limit", Form::kWhole, 0, 1e15},
    {"memory", Form::kBytes, 1, kMostBytes},
    {"page", Form::kBytes, 64, 1 << 20},
    {"pages_capacity", Form::kWhole, 0, kMostKeys},
    {"pages_page_size", Form::kBytes, 64, 1 << 20},
    {"pages_rate", Form::kNumber, amq::kLowestRate, amq::kHighestRate},
    {"policy_keys", Form::kWhole, 1, 1e7},  // of a filter for each level
    {"policy_level", Form::kWhole, 0, inspect::kLastTrialLevel},
    {"rate", Form::kNumber, amq::kLowestRate, amq::kHighestRate},
    {"sample", Form::kWhole, 0, 1e15},
    {"samples", Form::kWhole, 0, 1e8},  // 40 bytes each
    {"seconds", Form::kNumber, 0, 1e6},
    {"size_keys", Form::kWhole, 1, kMostKeys},
};

// That of its type where it has no row.
std::optional<RangeRow> RowOf(const absl::CommandLineFlag& flag) {
  for (const RangeRow& row : kRanges) {
    if (row.flag == flag.Name()) return row;
  }
  if (flag.IsOfType<int>()) {
    return RangeRow{flag.Name(), Form::kWhole, std::numeric_limits<int>::min(),
                    std::numeric_limits<int>::max()};
  }
  if (flag.IsOfType<uint64_t>() || flag.IsOfType<std::optional<uint64_t>>()) {
    return RangeRow{flag.Name(), Form::kWhole, 0, 1e18};
  }
  constexpr double kAny = std::numeric_limits<double>::max();
  return flag.IsOfType<double>() ? std::optional(RangeRow{flag.Name(), Form::kNumber, -kAny, kAny})
                                 : std::nullopt;
}

inspect::NumberRange NumbersOf(const RangeRow& row) {
  return {row.least, row.most, row.form != Form::kNumber};
}

bool IsWithin(const RangeRow& row, absl::string_view text) {
  if (row.form == Form::kBytes) return NumbersOf(row).Has(ParseByteCount(text).value_or(0));
  const std::vector<absl::string_view> numbers = row.form == Form::kList
                                                     ? absl::StrSplit(text, ',', absl::SkipEmpty())
                                                     : std::vector<absl::string_view>{text};
  return std::all_of(numbers.begin(), numbers.end(), [&](absl::string_view word) {
    double number = 0;
    return absl::SimpleAtod(word, &number) && NumbersOf(row).Has(number);
  });
}

// A whole number as "1e6" or "1.0" in digits, which Abseil reads; the rest as it is.
std::string AsAbseilReads(const RangeRow& row, const absl::CommandLineFlag& flag,
                          absl::string_view value) {
  constexpr double kMostDigits = 1e18;
  double number = 0;
  const bool to_write = row.form == Form::kWhole && !flag.IsOfType<std::string>() &&
                        value.find_first_of("eE.") != absl::string_view::npos &&
                        absl::SimpleAtod(value, &number) && std::fabs(number) <= kMostDigits &&
                        std::trunc(number) == number;
  return to_write ? absl::StrFormat("%.0f", number) : std::string(value);
}

std::string CheckNumber(const RangeRow& row, absl::string_view name, absl::string_view value,
                        absl::CommandLineFlag* flag) {
  std::string error;
  // As Abseil has read it: whole numbers may be written in hexadecimal digits.
  const bool parsed = flag->ParseFrom(AsAbseilReads(row, *flag, value), &error);
  const bool is_read = parsed && row.form == Form::kWhole && !flag->IsOfType<std::string>();
  if (parsed && IsWithin(row, is_read ? flag->CurrentValue() : std::string(value))) return "";
  if (row.form != Form::kBytes) return inspect::OutOfRange(name, value, NumbersOf(row));
  return absl::StrCat(inspect::OutOfRange(name, value, NumbersOf(row), "number of bytes"),
                      ", as 64KB or 1.5GiB");
}

std::string NoSuchFlag(const Verb* verb, absl::string_view argument, absl::string_view name) {
  const std::string meant =
      verb == nullptr ? std::string() : inspect::DidYouMean(name, verb->flags, "--");
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
  absl::CommandLineFlag* flag = verb == nullptr ? nullptr : FindFlag(*verb, name);
  if (flag == nullptr) {
    return NoSuchFlag(verb, argument, name);
  }
  const bool has_value = equals != absl::string_view::npos && !value.empty();
  if (!has_value && !flag->IsOfType<bool>()) {
    return absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE");
  }
  if (const std::optional<RangeRow> row = RowOf(*flag)) return CheckNumber(*row, name, value, flag);
  std::string error;
  if (flag->ParseFrom(value, &error)) return "";
  // What the flag's own type says of it; before that, Abseil names the flag by its own name.
  const size_t own = error.find("'; ");
  return absl::StrCat("the flag --", name, " can't be '", value, "'",
                      flag->IsOfType<absl::Duration>() ? ": it is a time, as 10m or 1h30m"
                      : own == std::string::npos       ? ""
                                                       : absl::StrCat(": ", error.substr(own + 3)));
}

}  // namespace

absl::CommandLineFlag* FindFlag(const Verb& verb, absl::string_view name) {
  if (std::find(verb.flags.begin(), verb.flags.end(), name) == verb.flags.end()) {
    return nullptr;
  }
  absl::CommandLineFlag* const own = absl::FindCommandLineFlag(absl::StrCat(verb.name, "_", name));
  return own != nullptr ? own : absl::FindCommandLineFlag(name);
}

bool IsSet(const Verb& verb, absl::string_view name) {
  const absl::CommandLineFlag* const flag = FindFlag(verb, name);
  return flag != nullptr && flag->CurrentValue() != flag->DefaultValue();
}

std::optional<inspect::NumberRange> RangeOf(const absl::CommandLineFlag& flag) {
  const std::optional<RangeRow> row = RowOf(flag);
  return row ? std::optional(NumbersOf(*row)) : std::nullopt;
}

std::vector<std::string> ForAbseil(const Verb& verb, std::vector<std::string> arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != end; ++argument) {
    const absl::string_view flag = WithoutDashes(*argument);
    const size_t equals = std::min(flag.find('='), flag.size());
    const absl::CommandLineFlag* const found =
        IsFlag(*argument) ? FindFlag(verb, flag.substr(0, equals)) : nullptr;
    if (found != nullptr) {
      const std::optional<RangeRow> row = RowOf(*found);
      const absl::string_view value = flag.substr(std::min(equals + 1, flag.size()));
      *argument = absl::StrCat("--", found->Name(), flag.substr(equals, 1),
                               row ? AsAbseilReads(*row, *found, value) : std::string(value));
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
