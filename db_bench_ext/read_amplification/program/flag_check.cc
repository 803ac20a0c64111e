#include "db_bench_ext/read_amplification/program/flag_check.h"

#include <absl/flags/reflection.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "src/text/flag_words.h"

namespace winnow::bench {
namespace {

using inspect::NumberRange;

bool IsWhole(const absl::CommandLineFlag& flag) {
  return flag.IsOfType<int32_t>() || flag.IsOfType<int64_t>();
}

// That of the type, where it has no other; unset for a flag that is no number.
std::optional<NumberRange> RangeOf(const absl::CommandLineFlag& flag,
                                   const std::vector<FlagRange>& ranges) {
  for (const FlagRange& range : ranges) {
    if (flag.Name() == range.flag) return NumberRange{range.least, range.most, IsWhole(flag)};
  }
  constexpr double kMax = static_cast<double>(std::numeric_limits<int64_t>::max());
  return IsWhole(flag) ? std::optional(NumberRange{-kMax, kMax, true}) : std::nullopt;
}

absl::Status CheckValue(const absl::CommandLineFlag& flag, const NumberRange& range,
                        absl::string_view written) {
  double number = 0;
  if (absl::SimpleAtod(flag.CurrentValue(), &number) && range.Has(number)) return absl::OkStatus();
  return absl::InvalidArgumentError(inspect::OutOfRange(flag.Name(), written, range));
}

absl::Status NoSuchFlag(absl::string_view name) {
  const auto all = absl::GetAllFlags();
  std::vector<absl::string_view> names;
  for (const auto& [other, flag] : all) {
    if (absl::StrContains(flag->Filename(), "db_bench_ext/")) names.push_back(other);
  }
  std::sort(names.begin(), names.end());  // of two that are as near, always the same
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no flag --", name, inspect::DidYouMean(name, names, "--"), " (see --help)"));
}

// A flag on a command line.
struct NamedFlag {
  absl::string_view name;                 // as it is written
  absl::CommandLineFlag* flag = nullptr;  // null: there is none
  std::optional<absl::string_view> value;
};

// As Abseil takes words: --name=value, --name value, --name and --noname of a switch. The next word
// is a value even if it looks like a flag.
std::vector<NamedFlag> NamedFlags(const std::vector<std::string>& words) {
  std::vector<NamedFlag> flags;
  for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    absl::string_view word = words[i];
    if (!absl::ConsumePrefix(&word, "-") || word.empty()) continue;
    absl::ConsumePrefix(&word, "-");
    const size_t equals = word.find('=');
    absl::string_view name = word.substr(0, equals);
    NamedFlag named = {name, absl::FindCommandLineFlag(name), std::nullopt};
    if (named.flag == nullptr && absl::ConsumePrefix(&name, "no")) {
      absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
      if (flag != nullptr && flag->IsOfType<bool>()) named.flag = flag;
    }
    if (equals != absl::string_view::npos) {
      named.value = word.substr(equals + 1);
    } else if (named.flag != nullptr && !named.flag->IsOfType<bool>() && i + 1 < words.size()) {
      named.value = words[++i];
    }
    flags.push_back(named);
  }
  return flags;
}

absl::Status CheckFlag(const NamedFlag& named, const std::vector<FlagRange>& ranges) {
  const auto& [name, flag, value] = named;
  if (flag == nullptr) return NoSuchFlag(name);
  if (flag->IsOfType<bool>()) return absl::OkStatus();
  if (!value) {
    return absl::InvalidArgumentError(
        absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE"));
  }
  const std::optional<NumberRange> range = RangeOf(*flag, ranges);
  if (!range) return absl::OkStatus();
  std::string error;
  return flag->ParseFrom(*value, &error)
             ? CheckValue(*flag, *range, *value)
             : absl::InvalidArgumentError(inspect::OutOfRange(name, *value, *range));
}

}  // namespace

absl::Status CheckFlagWords(const std::vector<std::string>& words,
                            const std::vector<FlagRange>& ranges) {
  for (const NamedFlag& named : NamedFlags(words)) {
    if (absl::Status status = CheckFlag(named, ranges); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckFlagValues(const std::vector<FlagRange>& ranges) {
  for (const FlagRange& range : ranges) {
    const absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(range.flag);
    absl::Status status = CheckValue(*flag, *RangeOf(*flag, ranges), flag->CurrentValue());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

GivenFlags FindGivenFlags(const std::vector<std::string>& words) {
  GivenFlags given;
  for (const NamedFlag& named : NamedFlags(words)) {
    if (named.flag != nullptr) given.emplace(named.flag->Name());
  }
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (flag->CurrentValue() != flag->DefaultValue()) given.emplace(name);
  }
  return given;
}

}  // namespace winnow::bench
