#include "src/core/options.h"

namespace winnow {

std::string_view ToString(FilterKind kind) noexcept {
  switch (kind) {
    case FilterKind::kEmpty:
      return "empty";
    case FilterKind::kBloom:
      return "bloom";
    case FilterKind::kRibbon:
      return "ribbon";
  }
  return "unknown";
}

std::string_view ToString(LevelPlan plan) noexcept {
  const std::string_view name = core::NameOf(kLevelPlanOption, plan);
  return name.empty() ? "unknown" : name;
}

std::string core::CheckShareOfPlan(double absent_share, LevelPlan level_plan) {
  if (absent_share == 1 || level_plan != LevelPlan::kUniform) return {};
  return "absent_share has no effect with level_plan=uniform: give level_plan=by_level or auto, "
         "or leave absent_share at 1";
}

std::string CheckOptions(const FilterOptions& options) {
  std::string problem;
  ForEachFilterOption([&](const auto& option, auto member) {
    if (problem.empty()) problem = core::CheckOption(option, options.*member);
  });
  return problem.empty() ? core::CheckShareOfPlan(options.absent_share, options.level_plan)
                         : problem;
}

bool NeedsFilter(const FilterOptions& options) noexcept {
  return options.level_plan == LevelPlan::kUniform || options.absent_share > 0 ||
         options.levels_below != 0;
}

}  // namespace winnow
