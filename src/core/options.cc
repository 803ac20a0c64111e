#include "winnow/options.h"

#include <cmath>
#include <sstream>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow {
namespace {

template <typename Value, typename Low, typename High>
std::string OutOfRange(const char* name, Value value, Low low, High high) {
  std::ostringstream text;
  text << name << " is " << value << ", but must be from " << low << " to " << high;
  return text.str();
}

}  // namespace

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
  switch (plan) {
    case LevelPlan::kUniform:
      return "uniform";
    case LevelPlan::kByLevel:
      return "by_level";
    case LevelPlan::kAuto:
      return "auto";
  }
  return "unknown";
}

std::string CheckOptions(const FilterOptions& options) {
  // Written so that a NaN is out of range.
  if (!(options.bits_per_key >= core::kMinBitsPerKey &&
        options.bits_per_key <= core::kMaxBitsPerKey)) {
    return OutOfRange("bits_per_key", options.bits_per_key, core::kMinBitsPerKey,
                      core::kMaxBitsPerKey);
  }
  if (options.kind && *options.kind != FilterKind::kBloom && *options.kind != FilterKind::kRibbon) {
    return "kind is " + std::string(ToString(*options.kind)) +
           ", but must be bloom or ribbon, or not be set";
  }
  if (options.level < core::kMinLevel || options.level > core::kMaxLevel) {
    return OutOfRange("level", options.level, core::kMinLevel, core::kMaxLevel);
  }
  if (options.bloom_before_level < core::kMinLevel) {
    return "bloom_before_level is " + std::to_string(options.bloom_before_level) +
           ", but must be at least " + std::to_string(core::kMinLevel);
  }
  if (options.level_plan > LevelPlan::kAuto) {
    return "level_plan is " + std::to_string(static_cast<unsigned>(options.level_plan)) +
           ", but must be that of uniform, by_level or auto";
  }
  if (!(options.level_size_ratio >= core::kMinSizeRatio &&
        options.level_size_ratio <= core::kMaxSizeRatio)) {
    return OutOfRange("level_size_ratio", options.level_size_ratio, core::kMinSizeRatio,
                      core::kMaxSizeRatio);
  }
  if (!(options.absent_share >= 0 && options.absent_share <= 1)) {
    return OutOfRange("absent_share", options.absent_share, 0, 1);
  }
  if (options.absent_share != 1 && options.level_plan == LevelPlan::kUniform) {
    return "absent_share has no effect with level_plan=uniform: give level_plan=by_level or auto, "
           "or leave absent_share at 1";
  }
  if (std::isnan(options.levels_below)) return "levels_below is not a number";
  return {};
}

bool NeedsFilter(const FilterOptions& options) noexcept {
  return options.level_plan == LevelPlan::kUniform || options.absent_share > 0 ||
         options.levels_below != 0;
}

}  // namespace winnow
