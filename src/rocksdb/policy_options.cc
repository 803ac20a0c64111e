#include "src/rocksdb/policy_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <locale>
#include <sstream>
#include <system_error>

#include "src/rocksdb/parse_number.h"
#include "src/rocksdb/stderr_line.h"
#include "winnow/options.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Status;

// The power of two of RocksDB's suffix for a power of 1024, which is taken from the end of *text.
unsigned TakeSuffix(std::string_view* text) {
  if (!text->empty()) {
    constexpr std::string_view kSuffixes = "kKmMgGtT";
    const size_t suffix = kSuffixes.find(text->back());
    if (suffix != std::string_view::npos) {
      text->remove_suffix(1);
      return 10 * static_cast<unsigned>(suffix / 2 + 1);
    }
  }
  return 0;
}

// A whole number, and a suffix.
bool ParseCount(std::string_view text, uint64_t* count) {
  const unsigned shift = TakeSuffix(&text);
  uint64_t number = 0;
  if (!ParseNumber(text, &number) || number > std::numeric_limits<uint64_t>::max() >> shift) {
    return false;
  }
  *count = number << shift;
  return true;
}

// The number nearest to what the text says, whatever its size: 0 for what is too small for a
// double, the largest for what is too large. False if it says no number.
bool ParseAnyNumber(std::string_view text, double* number) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *number);
  if (result.ptr != end) {
    return false;
  }
  if (result.ec == std::errc::result_out_of_range) {
    // Which of the two it is, that does not say; a stream does.
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    in >> *number;
    return true;
  }
  return result.ec == std::errc() && !std::isnan(*number);
}

// The number of the type that is nearest to the one given.
template <typename Number>
Number NearestWhole(double number) {
  using Limits = std::numeric_limits<Number>;
  // The greatest may be rounded up to a double that the type doesn't have.
  if (number >= static_cast<double>(Limits::max())) {
    return Limits::max();
  }
  return number <= static_cast<double>(Limits::min()) ? Limits::min()
                                                      : static_cast<Number>(std::round(number));
}

// The shortest text that gives the same number again.
std::string NumberText(double number) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  return std::string(buffer, result.ptr);
}

constexpr std::string_view kAuto = "auto";

// In the order of Build.
constexpr std::string_view kBuilds[] = {"winnow", "bloomfilter", "ribbonfilter"};
constexpr char kExpectedBuild[] = "winnow, bloomfilter or ribbonfilter";

bool ParseBuild(std::string_view text, Build* build) {
  const auto* const found = std::find(std::begin(kBuilds), std::end(kBuilds), text);
  if (found == std::end(kBuilds)) {
    return false;
  }
  *build = static_cast<Build>(found - std::begin(kBuilds));
  return true;
}

std::string BuildText(const PolicyOptions& options) {
  return std::string(kBuilds[static_cast<size_t>(options.build)]);
}

// In the order of LevelPlan.
constexpr LevelPlan kPlans[] = {LevelPlan::kUniform, LevelPlan::kByLevel, LevelPlan::kAuto};

bool ParsePlan(std::string_view text, LevelPlan* plan) {
  const auto* const found = std::find_if(std::begin(kPlans), std::end(kPlans), [&](LevelPlan one) {
    return winnow::ToString(one) == text;
  });
  if (found == std::end(kPlans)) {
    return false;
  }
  *plan = *found;
  return true;
}

std::string PlanText(const PolicyOptions& options) {
  return std::string(winnow::ToString(options.level_plan));
}

std::string SizeRatioText(const PolicyOptions& options) {
  return options.level_size_ratio == kSizeRatioOfFamilies ? std::string(kAuto)
                                                          : NumberText(options.level_size_ratio);
}

std::string AbsentShareText(const PolicyOptions& options) {
  return NumberText(options.absent_share);
}

struct Option {
  const char* name;
  const char* expected;
  bool (*parse)(std::string_view text, PolicyOptions* options);
  void (*set_nearest)(double number, PolicyOptions* options);  // null: of a name
  std::string (*text)(const PolicyOptions& options);
};

// In the order of ToString.
constexpr Option kOptions[] = {
    {"bits_per_key", "a number from 1 to 32",
     [](std::string_view text, PolicyOptions* options) {
       return ParseAnyNumber(text, &options->bits_per_key);
     },
     [](double number, PolicyOptions* options) {
       options->bits_per_key = std::clamp(number, 1.0, 32.0);
     },
     [](const PolicyOptions& options) { return NumberText(options.bits_per_key); }},
    {"ribbon_min_keys", "auto or a whole number from 0 to 18446744073709551615",
     [](std::string_view text, PolicyOptions* options) {
       if (text == kAuto) {
         options->ribbon_min_keys = kRibbonWhereItSaves;
         return true;
       }
       // That number stands for "auto", which nobody means who writes it.
       return ParseCount(text, &options->ribbon_min_keys) &&
              options->ribbon_min_keys != kRibbonWhereItSaves;
     },
     [](double number, PolicyOptions* options) {
       options->ribbon_min_keys = NearestWhole<uint64_t>(number);
     },
     [](const PolicyOptions& options) {
       return options.ribbon_min_keys == kRibbonWhereItSaves
                  ? std::string(kAuto)
                  : std::to_string(options.ribbon_min_keys);
     }},
    {"bloom_before_level", "a whole number from -1 to 2147483647",
     [](std::string_view text, PolicyOptions* options) {
       return ParseNumber(text, &options->bloom_before_level);
     },
     [](double number, PolicyOptions* options) {
       options->bloom_before_level = std::max(NearestWhole<int>(number), -1);
     },
     [](const PolicyOptions& options) { return std::to_string(options.bloom_before_level); }},
    {"build", kExpectedBuild,
     [](std::string_view text, PolicyOptions* options) {
       return ParseBuild(text, &options->build);
     },
     nullptr, BuildText},
    {"level_plan", "uniform, by_level or auto",
     [](std::string_view text, PolicyOptions* options) {
       return ParsePlan(text, &options->level_plan);
     },
     nullptr, PlanText},
    {"level_size_ratio", "auto or a number from 2 to 100",
     [](std::string_view text, PolicyOptions* options) {
       if (text == kAuto) {
         options->level_size_ratio = kSizeRatioOfFamilies;
         return true;
       }
       // 0 stands for "auto".
       return ParseAnyNumber(text, &options->level_size_ratio) &&
              options->level_size_ratio != kSizeRatioOfFamilies;
     },
     [](double number, PolicyOptions* options) {
       options->level_size_ratio = std::clamp(number, 2.0, 100.0);
     },
     SizeRatioText},
    {"absent_share", "a number from 0 to 1",
     [](std::string_view text, PolicyOptions* options) {
       return ParseAnyNumber(text, &options->absent_share);
     },
     [](double number, PolicyOptions* options) {
       options->absent_share = std::clamp(number, 0.0, 1.0);
     },
     AbsentShareText},
};

const Option* Find(std::string_view name) {
  for (const Option& option : kOptions) {
    if (name == option.name) {
      return &option;
    }
  }
  return nullptr;
}

// What is not there unless it was asked for is not told, and where there is no plan nothing of it.
bool IsTold(const Option& option, const PolicyOptions& options) {
  if (option.text == BuildText) {
    return options.build != Build::kWinnow;
  }
  const bool is_of_plan =
      option.text == PlanText || option.text == SizeRatioText || option.text == AbsentShareText;
  return !is_of_plan || options.level_plan != LevelPlan::kUniform;
}

// What FilterOptions says of the policy's.
FilterOptions ToFilterOptions(const PolicyOptions& options) {
  FilterOptions filter;
  filter.bits_per_key = options.bits_per_key;
  filter.ribbon_min_keys = options.ribbon_min_keys;
  filter.bloom_before_level = options.bloom_before_level;
  filter.level_plan = options.level_plan;
  if (options.level_size_ratio != kSizeRatioOfFamilies) {
    filter.level_size_ratio = options.level_size_ratio;
  }
  filter.absent_share = options.absent_share;
  return filter;
}

Status ToStatus(const std::string& problem) {
  return problem.empty() ? Status::OK() : Status::InvalidArgument(problem);
}

// Each option for itself: a text sets one after the other.
Status CheckEachOption(const PolicyOptions& options) {
  FilterOptions filter = ToFilterOptions(options);
  if (filter.level_plan == LevelPlan::kUniform) filter.level_plan = LevelPlan::kAuto;
  std::string problem = CheckOptions(filter);
  if (static_cast<size_t>(options.build) >= std::size(kBuilds)) {
    problem = "build is " + std::to_string(static_cast<unsigned>(options.build)) +
              ", but must be that of " + kExpectedBuild;
  }
  return ToStatus(problem);
}

Status ParseInto(const Option& option, std::string_view text, PolicyOptions* options) {
  PolicyOptions changed = *options;
  if (!option.parse(text, &changed) || !CheckEachOption(changed).ok()) {
    return Status::InvalidArgument(std::string(option.name) + " is " + Quoted(text) +
                                   ", but must be " + option.expected);
  }
  *options = changed;
  return Status::OK();
}

}  // namespace

Status CheckTogether(const PolicyOptions& options) {
  return ToStatus(CheckOptions(ToFilterOptions(options)));
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
  return ParsePolicyOption("bits_per_key", id.substr(colon + 1), options);
}

Status ParsePolicyOption(std::string_view name, std::string_view text, PolicyOptions* options) {
  if (const Option* const option = Find(name)) {
    return ParseInto(*option, text, options);
  }
  return Status::NotFound("Winnow's policy has no option " + Quoted(name) + ", only " +
                          PolicyOptionNames());
}

void SetNearestPolicyId(std::string_view id, PolicyOptions* options) {
  const size_t colon = id.find(':');
  if (colon != std::string_view::npos) {
    SetNearestPolicyOption("bits_per_key", id.substr(colon + 1), options);
  }
}

void SetNearestPolicyOption(std::string_view name, std::string_view text, PolicyOptions* options) {
  const Option* const option = Find(name);
  if (option != nullptr && option->set_nearest == nullptr) {
    const bool is_known = option->parse(text, options);
    if (!is_known && option->text == BuildText && options->build == Build::kWinnow) {
      options->build = Build::kBloomFilter;
    }
    return;
  }
  const unsigned shift = TakeSuffix(&text);
  double number = 0;
  if (option != nullptr && ParseAnyNumber(text, &number)) {
    option->set_nearest(std::ldexp(number, static_cast<int>(shift)), options);
  }
}

std::string ToString(const PolicyOptions& options) {
  std::string text;
  for (const Option& option : kOptions) {
    if (!IsTold(option, options)) {
      continue;
    }
    text += text.empty() ? "" : ";";
    text += option.name;
    text += "=";
    text += option.text(options);
  }
  return text;
}

const std::vector<std::string>& PolicyOptionNameList() {
  // Never destroyed: policies may outlive static objects.
  static const auto& names = *[] {
    auto* made = new std::vector<std::string>;
    for (const Option& option : kOptions) {
      made->emplace_back(option.name);
    }
    return made;
  }();
  return names;
}

std::string PolicyOptionText(std::string_view name, const PolicyOptions& options) {
  const Option* const option = Find(name);
  return option == nullptr ? std::string() : option->text(options);
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
  std::string id = BuildText(options) + ":" + NumberText(options.bits_per_key);
  if (options.build == Build::kRibbonFilter) {
    id += ":" + std::to_string(options.bloom_before_level);
  }
  return id;
}

}  // namespace winnow::plugin
