#include "src/core/options.h"

#include <cmath>

#include "src/core/struct_size.h"

namespace winnow {
namespace core {
namespace {

template <typename Value>
Value NearestValue(const NumberOption<Value>& option, Value value, Value usual) noexcept {
  if (option.unknown && !(value >= option.least)) return *option.unknown;
  return value == value ? option.Nearest(value) : usual;
}

template <typename Value, size_t kCount>
Value NearestValue(const NamedOption<Value, kCount>& option, Value value, Value usual) noexcept {
  return NameOf(option, value).empty() ? usual : value;
}

std::string_view OrUnknown(std::string_view name) noexcept {
  return name.empty() ? "unknown" : name;
}

}  // namespace

FilterOptions NearestValid(FilterOptions options) noexcept {
  ForEachFilterOption([&](const auto& option, auto member) {
    options.*member = NearestValue(option, options.*member, FilterOptions().*member);
  });
  options.levels_below = std::round(2 * options.levels_below) / 2;
  if (options.level_plan == LevelPlan::kUniform) options.absent_share = 1;
  return options;
}

}  // namespace core

std::string_view ToString(FilterKind kind) noexcept {
  if (kind == FilterKind::kEmpty) return "empty";  // no option has this value
  return core::OrUnknown(core::NameOf(kKindOption, std::optional(kind)));
}

std::string_view ToString(LevelPlan plan) noexcept {
  return core::OrUnknown(core::NameOf(kLevelPlanOption, plan));
}

std::string core::CheckForBuilder(LevelPlan plan) {
  if (plan != LevelPlan::kLearned) return {};
  return "level_plan=learned needs a RocksDB policy, which sees lookups: give level_plan=auto";
}

std::string core::CheckShareOfPlan(double absent_share, LevelPlan level_plan) {
  if (absent_share == 1 || level_plan != LevelPlan::kUniform) return {};
  return "absent_share has no effect with level_plan=uniform: give level_plan=auto or "
         "learned, or for uniform set both, level_plan=uniform;absent_share=1";
}

std::string CheckOptions(const FilterOptions* asked, size_t size) {
  std::string problem = core::CheckStructSize("FilterOptions", size, sizeof *asked);
  const FilterOptions options = core::OfCaller(asked, size);
  ForEachFilterOption([&](const auto& option, auto member) {
    if (problem.empty()) problem = core::CheckOption(option, options.*member);
    if (problem.empty()) problem = core::CheckForBuilder(options.*member);
  });
  return problem.empty() ? core::CheckShareOfPlan(options.absent_share, options.level_plan)
                         : problem;
}

bool NeedsFilter(const FilterOptions* asked, size_t size) noexcept {
  const FilterOptions options = core::OfCaller(asked, size);
  return options.level_plan == LevelPlan::kUniform || options.absent_share > 0 ||
         options.levels_below != 0;
}

}  // namespace winnow
