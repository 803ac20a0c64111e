// Format of a range filter: the front, which describes the keys, and then the arrays of an
// EliasFanoShape, a retrieval, or trees. FORMAT.md is normative.

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
// Bounds of range_bits, with which low bits can be read by one load of eight bytes.
inline constexpr unsigned kLeastRangeBits = 1;
inline constexpr unsigned kMostRangeBits = 32;

// Fields of the front, other than the last key and the digits, for keys of one length.
struct RangeHeader {
  RangeFilterKind kind = RangeFilterKind::kPositions;
  uint16_t key_length = 0;
  uint16_t digits = 0;
  uint16_t hashed_bytes = 0;
  uint16_t digits_bytes = 0;
  uint16_t range_bits = 0;   // unit 1/1024; informational
  EliasFanoShape shape;      // has only the count for a retrieval
  RetrievalShape retrieval;  // set for a retrieval only
};
uint16_t PackRangeBits(double range_bits) noexcept;
double UnpackRangeBits(uint16_t packed) noexcept;

// Returns the shape of n stored positions: numbers below n * 2^range_bits, exact for an integer
// range_bits.
EliasFanoShape StoredShapeOf(uint64_t n, double range_bits) noexcept;

size_t RangeFrontBytes(size_t key_length, size_t digits_bytes) noexcept;
// Returns the size of a filter of kPositions.
size_t RangeFilterBytes(const RangeHeader& header) noexcept;

// Returns the placing of positions, where most_position is the greatest one.
RangePlacing PlacingOf(const EliasFanoShape& shape, bool has_hashed,
                       uint64_t most_position) noexcept;

// Writes the front. The arrays of bytes_behind bytes must follow it already.
void WriteRangeFront(const RangeHeader& header, std::string_view last_key, std::string_view digits,
                     size_t bytes_behind, unsigned char* bytes) noexcept;

// Fields of the front for sized trees.
struct RangeTreesHeader {
  uint16_t range_bits = 0;  // unit 1/1024; informational
  uint64_t count = 0;       // number of keys
  uint64_t blocks = 0;
  uint64_t separators_bytes = 0;
  RangeTreeShape shape;
};

// Writes the front of trees. The bytes_behind bytes that follow it must be there already.
void WriteRangeTreesFront(const RangeTreesHeader& header, std::string_view last_key,
                          size_t bytes_behind, unsigned char* bytes) noexcept;

// Returns the trees of a validated range filter.
RangeTrees RangeTreesOf(std::string_view bytes) noexcept;

// Returns the last key of a validated range filter.
std::string_view LastKeyOf(std::string_view bytes) noexcept;

// Returns the bytes of a range filter, of this size, by its last key.
std::string_view BytesOf(const unsigned char* last_key, size_t size) noexcept;

// A validated range filter, which lookups read without further checks. For trees, the header has
// only the fields of all kinds, `digits` has only the last key, and there is no placing; for a
// retrieval, there is no placing.
struct ParsedRange {
  RangeHeader header;
  RangeDigits digits;
  RangePlacing placing;
  const unsigned char* arrays = nullptr;
  size_t arrays_size = 0;
  uint32_t arrays_checksum = 0;
};

// Validates all but the checksum of the arrays. Sets *parsed only if it returns kNone.
Fault ParseRange(std::string_view bytes, ParsedRange* parsed) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_FORMAT_H_
