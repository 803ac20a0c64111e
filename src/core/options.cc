#include "winnow/options.h"

#include <sstream>

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
  return {};
}

}  // namespace winnow
