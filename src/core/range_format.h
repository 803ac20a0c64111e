// The bytes of a range filter: the front, which says what the keys are, and then the arrays of an
// EliasFanoShape. FORMAT.md is the normative description.

#ifndef WINNOW_SRC_CORE_RANGE_FORMAT_H_
#define WINNOW_SRC_CORE_RANGE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/range_digits.h"
#include "src/core/range_elias_fano.h"
#include "src/core/range_hash.h"
#include "winnow/fault.h"
#include "winnow/range_filter.h"

namespace winnow::core {

inline constexpr uint8_t kRangeVersion = 129;  // from 128 on: not frozen
inline constexpr uint8_t kRangeNote = 1;       // the parameter of its note in a filter block
inline constexpr uint64_t kMaxRangeKeys = (uint64_t{1} << 31) - 1;
// What range_bits may be. So low bits are read with one load of eight bytes.
inline constexpr unsigned kLeastRangeBits = 1;
inline constexpr unsigned kMostRangeBits = 32;

// What the front says beside the last key and the digits.
struct RangeHeader {
  RangeFilterKind kind = RangeFilterKind::kPositions;
  uint16_t key_length = 0;
  uint16_t digits = 0;
  uint16_t hashed_bytes = 0;
  uint16_t digits_bytes = 0;
  uint16_t range_bits = 0;  // in 1/1024. For information
  EliasFanoShape shape;
};
uint16_t PackRangeBits(double range_bits) noexcept;
double UnpackRangeBits(uint16_t packed) noexcept;

size_t RangeFrontBytes(size_t key_length, size_t digits_bytes) noexcept;
size_t RangeFilterBytes(const RangeHeader& header) noexcept;

// Where positions go, by the greatest one that the digits can count.
RangePlacing PlacingOf(const EliasFanoShape& shape, bool has_hashed,
                       uint64_t most_position) noexcept;

// Writes the front. The arrays behind it must be there.
void WriteRangeFront(const RangeHeader& header, std::string_view last_key, std::string_view digits,
                     unsigned char* bytes) noexcept;

// A range filter, checked: questions read it without further checks.
struct ParsedRange {
  RangeHeader header;
  RangeDigits digits;
  RangePlacing placing;
  const unsigned char* arrays = nullptr;
  size_t arrays_size = 0;
  uint32_t arrays_checksum = 0;
};

// Checks all but the checksum of the arrays. *parsed is set only for kNone.
Fault ParseRange(std::string_view bytes, ParsedRange* parsed) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGE_FORMAT_H_
