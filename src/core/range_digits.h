// The digits of a range filter: the places at which its keys differ, and the bytes that were seen
// there. By them keys of one length are numbers, in the order of the keys.

#ifndef WINNOW_SRC_CORE_RANGE_DIGITS_H_
#define WINNOW_SRC_CORE_RANGE_DIGITS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::core {

inline constexpr size_t kMaxRangeKeyBytes = 256;

// The bytes that a place may have: a few intervals, ascending and apart from each other.
struct RangeDigit {
  static constexpr unsigned kMaxIntervals = 4;

  uint8_t place = 0;
  uint8_t intervals = 0;
  uint8_t first[kMaxIntervals] = {};
  uint8_t last[kMaxIntervals] = {};

  // Number of bytes, 2 to 256 in a valid digit.
  unsigned Radix() const noexcept;
  // The bytes below this one; *is_in: whether it is one itself.
  unsigned Rank(unsigned byte, bool* is_in) const noexcept;
  // The byte with this rank, which is below the radix.
  unsigned ByteOf(unsigned rank) const noexcept;
};

// The digit of a place at which so many bytes were seen. seen[b] is 1 for a byte that was, else 0.
// Bytes within a gap that is not worth an interval count as seen.
RangeDigit DigitOf(unsigned place, const uint8_t seen[256]) noexcept;

void AppendDigit(const RangeDigit& digit, std::string* bytes);

// Reads a digit at *at, and moves that behind it. False if there is no valid digit before `end`.
bool ReadDigit(const unsigned char** at, const unsigned char* end, RangeDigit* digit) noexcept;

// The most positions that digits can count: `most` is the greatest position of those so far. False
// if a digit of this radix before them needs more than 64 bits.
bool CountDigit(unsigned radix, uint64_t* most) noexcept;

// A number by its digits, and the greatest that each of them may be.
struct RangeNumber {
  uint8_t digits[kMaxRangeKeyBytes];
  uint8_t most[kMaxRangeKeyBytes];
};

// What is known of the keys, in the bytes of a range filter that were checked.
struct RangeDigits {
  const unsigned char* last_key = nullptr;
  const unsigned char* begin = nullptr;  // of the digits
  const unsigned char* end = nullptr;
  uint16_t key_length = 0;
  uint16_t count = 0;   // of digits
  uint16_t hashed = 0;  // the first of them, of which only a hash is stored

  std::string_view LastKey() const noexcept {
    return {reinterpret_cast<const char*>(last_key), key_length};
  }

  // The least number whose key is not less than `bound`. False if there is none.
  bool LowerBound(std::string_view bound, RangeNumber* number) const noexcept;

  // The number before this one. False if there is none.
  bool Decrement(RangeNumber* number) const noexcept;

  // The first of those with the next greater hashed digits. False if there is none.
  bool NextHashed(RangeNumber* number) const noexcept;

  // Below 0 if a is less than b, 0 if they are equal.
  int Compare(const RangeNumber& a, const RangeNumber& b) const noexcept;
  int CompareHashed(const RangeNumber& a, const RangeNumber& b) const noexcept;

  // The hash of the first digits' bytes, and the position by the others.
  uint64_t HashOf(const RangeNumber& number) const noexcept;
  uint64_t PositionOf(const RangeNumber& number) const noexcept;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGE_DIGITS_H_
