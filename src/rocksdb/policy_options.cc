#include "src/rocksdb/policy_options.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <system_error>
#include <type_traits>

#include "src/core/options.h"
#include "src/rocksdb/messages/size_text.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/parse_number.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Status;

// Removes RocksDB's suffix for a power of 1024, or the unit of a size, from the end of *text.
// Returns the exponent of its power of two.
unsigned TakeSuffix(std::string_view unit, std::string_view* text) {
  constexpr std::string_view kSuffixes = "kKmMgGtT";
  constexpr std::string_view kOfUnits = "iB";
  std::string_view rest = *text;
  if (unit == kBytes && rest.size() > kOfUnits.size() &&
      rest.substr(rest.size() - kOfUnits.size()) == kOfUnits) {
    rest.remove_suffix(kOfUnits.size());
  }
  const size_t suffix = rest.empty() ? std::string_view::npos : kSuffixes.find(rest.back());
  if (suffix == std::string_view::npos) return 0;
  rest.remove_suffix(1);
  *text = rest;
  return 10 * static_cast<unsigned>(suffix / 2 + 1);
}

// Parses the whole text as the nearest double: 0 if it is too small for a double, the largest
// double if it is too large. Returns false if the text is not a number.
bool ParseAnyNumber(std::string_view text, double* number) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *number);
  if (result.ptr != end) {
    return false;
  }
  if (result.ec == std::errc::result_out_of_range) {
    // from_chars does not tell overflow from underflow; a stream does.
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    in >> *number;
    return true;
  }
  return result.ec == std::errc() && !std::isnan(*number);
}

// Returns the nearest value of the integer type.
template <typename Number>
Number NearestWhole(double number) {
  using Limits = std::numeric_limits<Number>;
  // The type's maximum may round up, as a double, to a value that the type does not have.
  if (number >= static_cast<double>(Limits::max())) {
    return Limits::max();
  }
  return number <= static_cast<double>(Limits::min()) ? Limits::min()
                                                      : static_cast<Number>(std::round(number));
}

// ---- Values of options as text: a number, a count with a suffix, a name

constexpr std::string_view kAuto = "auto";

bool ParseValue(std::string_view, std::string_view text, double* number) {
  return ParseAnyNumber(text, number);
}

bool ParseValue(std::string_view, std::string_view text, int* number) {
  return ParseNumber(text, number);
}

bool ParseValue(std::string_view unit, std::string_view text, uint64_t* count) {
  const unsigned shift = TakeSuffix(unit, &text);
  uint64_t number = 0;
  if (!ParseNumber(text, &number) || number > std::numeric_limits<uint64_t>::max() >> shift) {
    return false;
  }
  *count = number << shift;
  return true;
}

template <typename Value>
bool Parse(const NumberOption<Value>& option, std::string_view text, Value* value) {
  if (option.automatic && text == kAuto) {
    *value = *option.automatic;
    return true;
  }
  // The number that stands for "auto" is not accepted as a number.
  return ParseValue(option.unit, text, value) && *value != option.automatic;
}

template <typename Value, size_t kCount>
bool Parse(const NamedOption<Value, kCount>& option, std::string_view text, Value* value) {
  return core::SetByName(option, text, value);
}

// Returns the shortest text that parses as this number.
std::string NumberText(double number) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

template <typename Value>
std::string NumberText(Value number) {
  return std::to_string(number);
}

template <typename Value>
std::string TextOf(const NumberOption<Value>& option, Value value) {
  if (value == option.automatic) return std::string(kAuto);
  if constexpr (std::is_same_v<Value, uint64_t>) {
    if (option.unit == kBytes) return ExactSizeText(value);
  }
  return NumberText(value);
}

template <typename Value, size_t kCount>
std::string TextOf(const NamedOption<Value, kCount>& option, Value value) {
  return std::string(core::NameOf(option, value));
}

// Returns, for example, "auto or a whole number from 0 to 100".
template <typename Value>
std::string Expected(const NumberOption<Value>& option) {
  if (option.unit == kBytes) {
    return "a whole number of bytes, or of KiB, MiB, GiB or TiB, as 256MiB, below 2^64 bytes; 0: "
           "off";
  }
  return std::string(option.automatic ? "auto or " : "") +
         (std::is_integral_v<Value> ? "a whole number from " : "a number from ") +
         NumberText(option.least) + " to " + NumberText(option.most);
}

template <typename Value, size_t kCount>
std::string Expected(const NamedOption<Value, kCount>& option) {
  return core::NamesOf(option);
}

// Sets *value to the nearest valid value; leaves it unchanged if the text is not a number.
template <typename Value>
void SetNearest(const NumberOption<Value>& option, std::string_view text, Value, Value* value) {
  const unsigned shift = TakeSuffix(option.unit, &text);
  double number = 0;
  if (!ParseAnyNumber(text, &number)) {
    return;
  }
  number = std::ldexp(number, static_cast<int>(shift));
  if constexpr (std::is_integral_v<Value>) {
    *value = option.Nearest(NearestWhole<Value>(number));
  } else {
    *value = option.Nearest(number);
  }
}

// Sets the option's value for unknown names, unless another value than the default was set before.
template <typename Value, size_t kCount>
void SetNearest(const NamedOption<Value, kCount>& option, std::string_view text, Value usual,
                Value* value) {
  if (!Parse(option, text, value) && *value == usual) {
    *value = option.if_unknown;
  }
}

// ---- Table of options

// Calls use(option, member) for the option of this name. Returns false if there is none.
template <typename Use>
bool WithOption(std::string_view name, const Use& use) {
  bool is_known = false;
  ForEachPolicyOption([&](const auto& option, auto member) {
    if (name == option.name) {
      is_known = true;
      use(option, member);
    }
  });
  return is_known;
}

bool IsDefault(std::string_view name, const PolicyOptions& options) {
  return PolicyOptionText(name, options) == PolicyOptionText(name, PolicyOptions());
}

bool IsSaved(std::string_view name, const PolicyOptions& options) {
  for (const char* always : {kBitsPerKeyOption.name, kRibbonMinKeysOption.name,
                             kBloomBeforeLevelOption.name, kLevelPlanOption.name}) {
    if (name == always) return true;
  }
  return !IsDefault(name, options);
}

// Returns text such as "bits_per_key=10;build=bloomfilter" with the wanted options.
template <typename IsWanted>
std::string TextOfOptions(const PolicyOptions& options, const IsWanted& is_wanted) {
  std::string text;
  for (const std::string& name : PolicyOptionNameList()) {
    if (is_wanted(name)) {
      text += (text.empty() ? "" : ";") + name + "=" + PolicyOptionText(name, options);
    }
  }
  return text;
}

Status ToStatus(const std::string& problem) {
  return problem.empty() ? Status::OK() : Status::InvalidArgument(problem);
}

// Checks each option by itself, as text sets one option at a time.
Status CheckEachOption(const PolicyOptions& options) {
  std::string problem;
  ForEachPolicyOption([&](const auto& option, auto member) {
    if (problem.empty()) {
      problem = core::CheckOption(option, options.*member);
    }
  });
  return ToStatus(problem);
}

}  // namespace

Status CheckTogether(const PolicyOptions& options) {
  if (options.range_bits > 0 && options.range_bits < 1) {
    return Status::InvalidArgument("range_bits is " + NumberText(options.range_bits) +
                                   ", but must be 0, for no range filters, or from 1 to 32");
  }
  return ToStatus(core::CheckShareOfPlan(options.absent_share, options.level_plan));
}

Status CheckPolicyOptions(const PolicyOptions& options) {
  const Status status = CheckEachOption(options);
  return status.ok() ? CheckTogether(options) : status;
}

Status ParsePolicyId(std::string_view id, PolicyOptions* options) {
  const size_t colon = id.find(':');
  const std::string_view name = id.substr(0, colon);
  if (name != "winnow" && name != "winnow.Filter") {
    return Status::InvalidArgument("a Winnow policy is called winnow or winnow.Filter, not " +
                                   Quoted(name));
  }
  if (colon == std::string_view::npos) {
    return Status::OK();
  }
  return ParsePolicyOption(kBitsPerKeyOption.name, id.substr(colon + 1), options);
}

Status ParsePolicyOption(std::string_view name, std::string_view text, PolicyOptions* options) {
  Status status;
  const bool is_known = WithOption(name, [&](const auto& option, auto member) {
    PolicyOptions changed = *options;
    if (Parse(option, text, &(changed.*member)) && CheckEachOption(changed).ok()) {
      *options = changed;
    } else {
      status = Status::InvalidArgument(std::string(name) + " is " + Quoted(text) +
                                       ", but must be " + Expected(option));
    }
  });
  return is_known ? status
                  : Status::NotFound("Winnow's policy has no option " + Quoted(name) + ", only " +
                                     PolicyOptionNames());
}

Status ParseRangeBits(std::string_view text, double* bits) {
  PolicyOptions options;
  Status status = ParsePolicyOption(kRangeBitsOption.name, text, &options);
  if (status.ok()) status = CheckTogether(options);
  if (status.ok()) *bits = options.range_bits;
  return status;
}

void SetNearestPolicyId(std::string_view id, PolicyOptions* options) {
  const size_t colon = id.find(':');
  if (colon != std::string_view::npos) {
    SetNearestPolicyOption(kBitsPerKeyOption.name, id.substr(colon + 1), options);
  }
}

void SetNearestPolicyOption(std::string_view name, std::string_view text, PolicyOptions* options) {
  WithOption(name, [&](const auto& option, auto member) {
    SetNearest(option, text, PolicyOptions().*member, &(options->*member));
  });
}

std::string ToString(const PolicyOptions& options) {
  return TextOfOptions(options, [&](std::string_view name) { return IsSaved(name, options); });
}

std::string ShortText(const PolicyOptions& options) {
  return TextOfOptions(options, [&](std::string_view name) {
    return name == kBitsPerKeyOption.name || !IsDefault(name, options);
  });
}

std::string WithoutEffect(const PolicyOptions& options) {
  const auto given = [&options](std::string_view name) {
    return std::string(name) + "=" + PolicyOptionText(name, options);
  };
  std::string text;
  if (options.level_plan == LevelPlan::kLearned || options.level_plan == LevelPlan::kByLevel) {
    text = given(kLevelPlanOption.name) + " means auto, which learns from lookups";
  }
  if (options.range_kind == RangeKind::kBoth) {
    text += (text.empty() ? "" : "; ") + given(kRangeKindOption.name) +
            " means auto, which takes the kind that denies more of the scans";
  }
  std::string idle;
  if (options.absent_share > 0 && options.absent_share < 1) {
    idle = given(kAbsentShareOption.name);
  }
  if (options.level_size_ratio != kSizeRatioOfFamilies) {
    idle += (idle.empty() ? "" : " and ") + given(kLevelSizeRatioOption.name);
  }
  if (idle.empty()) return text;
  return text + (text.empty() ? "" : "; ") + idle +
         " without effect: filters follow the live files and the answers that they give";
}

const std::vector<std::string>& PolicyOptionNameList() {
  // Never destroyed: policies may outlive static objects.
  static const auto& names = *[] {
    auto* made = new std::vector<std::string>;
    ForEachPolicyOption([&](const auto& option, auto) { made->emplace_back(option.name); });
    return made;
  }();
  return names;
}

std::string PolicyOptionText(std::string_view name, const PolicyOptions& options) {
  std::string text;
  WithOption(name,
             [&](const auto& option, auto member) { text = TextOf(option, options.*member); });
  return text;
}

std::string SavedOptionText(std::string_view name, const PolicyOptions& options) {
  return IsSaved(name, options) ? PolicyOptionText(name, options) : std::string();
}

const std::string& PolicyOptionNames() {
  static const std::string& names = *[] {
    auto* made = new std::string;
    for (const std::string& name : PolicyOptionNameList()) {
      const bool is_last = name == PolicyOptionNameList().back();
      *made += made->empty() ? "" : is_last ? " and " : ", ";
      *made += name;
    }
    return made;
  }();
  return names;
}

std::string BuiltinPolicyId(const PolicyOptions& options) {
  std::string id = PolicyOptionText("build", options) + ":" + NumberText(options.bits_per_key);
  if (options.build == Build::kRibbonFilter) {
    id += ":" + std::to_string(options.bloom_before_level);
  }
  return id;
}

}  // namespace winnow::plugin
