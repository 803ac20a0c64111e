// One file's filter, taken apart for the arrays of a SegmentTable.

#ifndef WINNOW_SRC_CORE_SEGMENT_H_
#define WINNOW_SRC_CORE_SEGMENT_H_

#include <cstdint>
#include <string_view>

#include "src/simd/kernels.h"
#include "winnow/filter.h"

namespace winnow::core {

// How the arrays answer for a filter.
enum class SegmentKind : uint8_t {
  kAlways,  // can't be used: may contain everything
  kNever,   // has no keys
  kBloom,
  kRibbon,  // begins with a bumped layer
  kOther,   // its view answers, as that of a small Ribbon
};

struct Segment {
  FilterView view;
  uint64_t size_bytes = 0;
  SegmentKind kind = SegmentKind::kAlways;
  // Bloom
  uint8_t probes = 0;
  uint32_t num_blocks = 0;
  const unsigned char* blocks = nullptr;
  // Ribbon. The second layer has no words if it is of another type.
  simd::RibbonLayer first;
  simd::RibbonLayer second;
};

// The bytes must outlive the segment. view: of this block.
Segment TakeApart(std::string_view block, const FilterView& view) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_SEGMENT_H_
