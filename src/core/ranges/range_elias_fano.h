// Elias-Fano code of sorted numbers (Elias 1974, Fano 1971), which is close to the minimum size:
// the low bits of each number, and the number of values in each bucket in unary, where a bucket is
// the numbers with equal high bits. FORMAT.md describes the bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_ELIAS_FANO_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_ELIAS_FANO_H_

#include <cstddef>
#include <cstdint>

namespace winnow::core {

// Shape of `count` numbers below `bound`. count is 1 to 2^31 - 1; bound is count to 2^63.
struct EliasFanoShape {
  uint64_t count = 1;
  uint64_t bound = 1;

  unsigned LowBits() const noexcept;       // maximum 62
  uint64_t Buckets() const noexcept;       // count to 2 * count
  uint64_t LowBytes() const noexcept;      // size of the low bits
  uint64_t HighWords() const noexcept;     // 64-bit words: a one per number, a zero per bucket
  uint64_t CountEntries() const noexcept;  // 4-byte counts of the ones before each run of 8 words
  uint64_t Bytes() const noexcept;
};

class EliasFanoWriter {
 public:
  // Writes into shape.Bytes() zero bytes.
  EliasFanoWriter(const EliasFanoShape& shape, unsigned char* bytes) noexcept;

  // Adds the next numbers, in ascending order.
  void Add(const uint64_t* numbers, size_t n) noexcept;

  // Completes the code after the last number.
  void Finish() noexcept;

 private:
  void AddLows(const uint64_t* numbers, size_t n) noexcept;

  EliasFanoShape shape_;
  unsigned low_bits_;
  unsigned char* lows_;
  unsigned char* highs_;
  uint64_t added_ = 0;
  uint64_t pending_ = 0;  // low bits not yet written
  unsigned pending_bits_ = 0;
  uint64_t high_ = 0;  // word of the high bits not yet written
  uint64_t high_index_ = 0;
};

// Reader of the code. Reads nothing outside its bytes, even if these are damaged.
class EliasFanoReader {
 public:
  EliasFanoReader() noexcept = default;
  EliasFanoReader(const EliasFanoShape& shape, const unsigned char* bytes) noexcept;

  // Returns whether there is a number from `least` to `most`, which must be less than the bound.
  // Returns true if the bytes are inconsistent.
  bool AnyWithin(uint64_t least, uint64_t most) const noexcept;

  // AnyWithin(number, number), faster.
  bool Has(uint64_t number) const noexcept;

 private:
  uint64_t Low(uint64_t index) const noexcept;
  uint64_t Word(uint64_t index) const noexcept;
  uint64_t ZerosBefore(uint64_t run) const noexcept;
  uint64_t RunOf(uint64_t bucket) const noexcept;
  uint64_t BeginOf(uint64_t bucket) const noexcept;
  uint64_t FirstLow(uint64_t begin, uint64_t end, uint64_t low) const noexcept;

  const unsigned char* lows_ = nullptr;
  const unsigned char* highs_ = nullptr;
  uint64_t count_ = 0;
  uint64_t words_ = 0;
  uint32_t share_ = 0;  // numbers per bucket, in units of 1/2^31
  uint8_t low_bits_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_ELIAS_FANO_H_
