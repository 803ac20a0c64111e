// Construction of the tables for a product with a matrix of 8 x 8 bits from its rows, by lookups in
// 16 bytes: entry x of a nibble's table is the sum of the rows that the bits of x select.

#ifndef WINNOW_SRC_SIMD_RIBBON_SUM_TABLES_H_
#define WINNOW_SRC_SIMD_RIBBON_SUM_TABLES_H_

#include <cstdint>

namespace winnow::simd {
namespace {

// Shuffle indices. Row j is byte 7 - j, twice. First, the upper eight bytes become sums of adjacent
// rows, by adding the bytes at `neighbours`. Then an entry is the sum of two bytes, for its low two
// bits and for its high two bits; the first 16 entries are the table of rows 0 to 3, the others
// that of rows 4 to 7.
struct SumTables {
  alignas(32) uint8_t neighbours[32] = {};
  alignas(32) uint8_t low_bits[32] = {};
  alignas(32) uint8_t high_bits[32] = {};

  constexpr SumTables() {
    for (unsigned i = 0; i < 32; ++i) {
      neighbours[i] = i % 16 < 8 ? kNone : static_cast<uint8_t>((i % 8) ^ 1);
      const unsigned first_row = i / 16 * 4;
      low_bits[i] = Place(first_row, i & 3);
      high_bits[i] = Place(first_row + 2, i >> 2 & 3);
    }
  }

 private:
  static constexpr uint8_t kNone = 0x80;  // index that gives 0

  // Returns the index of the sum of those rows, `row` and the next one, that the two bits select.
  static constexpr uint8_t Place(unsigned row, unsigned bits) {
    constexpr uint8_t kBoth = 8;
    const auto at = static_cast<uint8_t>(7 - row);
    return bits == 0   ? kNone
           : bits == 1 ? at
           : bits == 2 ? static_cast<uint8_t>(at - 1)
                       : static_cast<uint8_t>(at + kBoth);
  }
};
constexpr SumTables kSumTables;

}  // namespace
}  // namespace winnow::simd

#endif  // WINNOW_SRC_SIMD_RIBBON_SUM_TABLES_H_
