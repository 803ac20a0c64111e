// One file's filter, prepared for the arrays of a SegmentTable.

#ifndef WINNOW_SRC_CORE_SEGMENT_H_
#define WINNOW_SRC_CORE_SEGMENT_H_

#include <cstdint>
#include <string_view>

#include "src/simd/kernels.h"
#include "winnow/filter.h"

namespace winnow::core {

// Kinds of segments, by the way they are looked up.
enum class SegmentKind : uint8_t {
  kAlways,  // unusable: may contain everything
  kNever,   // has no keys
  kBloom,
  kRibbon,  // begins with a bumped layer
  kOther,   // looked up through its view, such as a small Ribbon
};

struct Segment {
  FilterView view;
  uint64_t size_bytes = 0;
  SegmentKind kind = SegmentKind::kAlways;
  // Bloom
  uint8_t probes = 0;
  uint32_t num_blocks = 0;
  const unsigned char* blocks = nullptr;
  // Ribbon. `second` has null words if the second layer is of another type.
  simd::RibbonLayer first;
  simd::RibbonLayer second;
};

// Prepares `view`, the view of `block`. The bytes must outlive the segment.
Segment TakeApart(std::string_view block, const FilterView& view) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_SEGMENT_H_
