// The bytes of a range filter: the front, which says what the keys are, and then the arrays of an
// EliasFanoShape, or trees. FORMAT.md is the normative description.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_FORMAT_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/ranges/range_digits.h"
#include "src/core/ranges/range_elias_fano.h"
#include "src/core/ranges/range_hash.h"
#include "src/core/ranges/range_retrieval.h"
#include "src/core/ranges/range_trees.h"
#include "winnow/fault.h"
#include "winnow/range_filter.h"

namespace winnow::core {

inline constexpr uint8_t kRangeVersion = 1;
inline constexpr uint64_t kMaxRangeKeys = (uint64_t{1} << 31) - 1;
// Bounds of range_bits. With these, low bits are read with one load of eight bytes.
inline constexpr unsigned kLeastRangeBits = 1;
inline constexpr unsigned kMostRangeBits = 32;

// Fields of the front beside the last key and the digits, for keys of one length.
struct RangeHeader {
  RangeFilterKind kind = RangeFilterKind::kPositions;
  uint16_t key_length = 0;
  uint16_t digits = 0;
  uint16_t hashed_bytes = 0;
  uint16_t digits_bytes = 0;
  uint16_t range_bits = 0;   // in 1/1024. For information
  EliasFanoShape shape;      // of a retrieval only the count
  RetrievalShape retrieval;  // of none but that
};
uint16_t PackRangeBits(double range_bits) noexcept;
double UnpackRangeBits(uint16_t packed) noexcept;

size_t RangeFrontBytes(size_t key_length, size_t digits_bytes) noexcept;
// The size of a filter of positions.
size_t RangeFilterBytes(const RangeHeader& header) noexcept;

// Where positions go, by the greatest one that the digits can count.
RangePlacing PlacingOf(const EliasFanoShape& shape, bool has_hashed,
                       uint64_t most_position) noexcept;

// Writes the front. The arrays behind it, so many bytes, must be there.
void WriteRangeFront(const RangeHeader& header, std::string_view last_key, std::string_view digits,
                     size_t bytes_behind, unsigned char* bytes) noexcept;

// The same for trees.
struct RangeTreesHeader {
  uint16_t range_bits = 0;  // in 1/1024. For information
  uint64_t count = 0;       // of keys
  uint64_t blocks = 0;
  uint64_t separators_bytes = 0;
  RangeTreeShape shape;
};

// Returns the shape of the trees of a filter with so many range_bits.
RangeTreeShape RangeTreeShapeOf(double range_bits) noexcept;

// Writes the front of trees. What is behind it, so many bytes, must be there.
void WriteRangeTreesFront(const RangeTreesHeader& header, std::string_view last_key,
                          size_t bytes_behind, unsigned char* bytes) noexcept;

// Those of a range filter that was checked.
RangeTrees RangeTreesOf(std::string_view bytes) noexcept;

// The last key of a range filter that was checked.
std::string_view LastKeyOf(std::string_view bytes) noexcept;

// A range filter, checked: questions read it without further checks. Of trees the header has only
// what all kinds have, and neither digits nor placing; of a retrieval there is no placing.
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

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_FORMAT_H_
