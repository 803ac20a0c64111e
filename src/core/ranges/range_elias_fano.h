// Sorted numbers in a little more than the least memory, by Elias (1974) and Fano (1971): the low
// bits of each number as they are, and for the others how many numbers each bucket has, a bucket
// being the numbers that are equal but for the low bits. FORMAT.md has the bytes.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_ELIAS_FANO_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_ELIAS_FANO_H_

#include <cstddef>
#include <cstdint>

namespace winnow::core {

// How `count` numbers below `bound` are stored; count is 1 to 2^31 - 1, and the bound from that on
// to 2^63.
struct EliasFanoShape {
  uint64_t count = 1;
  uint64_t bound = 1;

  unsigned LowBits() const noexcept;    // at most 62
  uint64_t Buckets() const noexcept;    // count to 2 * count
  uint64_t LowBytes() const noexcept;   // of the low bits
  uint64_t HighWords() const noexcept;  // of 64 bits: a one for each number, a zero for each bucket
  uint64_t CountEntries() const noexcept;  // of 4 bytes: the ones before each run of 8 words
  uint64_t Bytes() const noexcept;
};

class EliasFanoWriter {
 public:
  // Writes into so many bytes of zero as the shape has.
  EliasFanoWriter(const EliasFanoShape& shape, unsigned char* bytes) noexcept;

  // The next numbers, each not less than the one before.
  void Add(const uint64_t* numbers, size_t n) noexcept;

  // After the last one.
  void Finish() noexcept;

 private:
  void AddLows(const uint64_t* numbers, size_t n) noexcept;

  EliasFanoShape shape_;
  unsigned low_bits_;
  unsigned char* lows_;
  unsigned char* highs_;
  uint64_t added_ = 0;
  uint64_t pending_ = 0;  // low bits that are not written yet
  unsigned pending_bits_ = 0;
  uint64_t high_ = 0;  // a word of the highs that is not written yet
  uint64_t high_index_ = 0;
};

// Reads nothing outside its bytes, whatever they are.
class EliasFanoReader {
 public:
  EliasFanoReader() noexcept = default;
  EliasFanoReader(const EliasFanoShape& shape, const unsigned char* bytes) noexcept;

  // Returns whether there is a number from `least` to `most`, which are below the bound. True, too,
  // where the bytes contradict each other.
  bool AnyWithin(uint64_t least, uint64_t most) const noexcept;

  const unsigned char* bytes() const noexcept { return lows_; }

 private:
  uint64_t Low(uint64_t index) const noexcept;
  uint64_t Word(uint64_t index) const noexcept;
  uint64_t ZerosBefore(uint64_t run) const noexcept;
  uint64_t RunOf(uint64_t bucket) const noexcept;
  uint64_t BeginOf(uint64_t bucket) const noexcept;
  uint64_t FirstLow(uint64_t begin, uint64_t end, uint64_t low) const noexcept;

  const unsigned char* lows_ = nullptr;
  const unsigned char* highs_ = nullptr;
  const unsigned char* counts_ = nullptr;
  uint64_t count_ = 0;
  uint64_t buckets_ = 0;
  uint64_t words_ = 0;
  uint32_t share_ = 0;  // numbers for each bucket, in 1/2^31
  uint8_t low_bits_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_ELIAS_FANO_H_
