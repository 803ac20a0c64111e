// The digits of a range filter: the places at which its keys differ, and the bytes that were seen
// there. By them keys of one length are numbers, in the order of the keys.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/core/ranges/range_words.h"

namespace winnow::core {

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
// if one more digit of this radix needs more than 64 bits.
bool CountDigit(unsigned radix, uint64_t* most) noexcept;

// A key as numbers: bytes of which only a hash is stored, and the position behind them.
struct RangeNumber {
  uint8_t hashed[kMaxRangeKeyBytes];
  uint64_t position;
};

// The first digits of a bound, each a byte of the digit's only interval, behind bytes that all keys
// have.
struct RangeProgress {
  const unsigned char* at = nullptr;  // the next digit
  unsigned read = 0;                  // digits
  size_t compared = 0;                // bytes of the bound
  uint64_t position = 0;
  uint64_t most = 0;  // that so many digits can count
};

// Digits of the keys, in the bytes of a range filter that were checked.
struct RangeDigits {
  const unsigned char* last_key = nullptr;
  const unsigned char* digits = nullptr;
  uint16_t key_length = 0;
  uint16_t count = 0;          // of digits
  uint16_t hashed = 0;         // the key's first bytes, of which only a hash is stored
  uint8_t number_radix = 0;    // of NumberOf; 0: the digits are not that alike, 1: 256
  uint64_t most_position = 0;  // that the digits can count
  uint64_t number_least = 0;   // the number of position 0
  uint64_t last_position = 0;  // of the last key, where there is a number_radix

  std::string_view LastKey() const noexcept {
    return {reinterpret_cast<const char*>(last_key), key_length};
  }

  // Sets number_radix and what NumberOf needs besides: for digits that are the key's last bytes,
  // with no bytes hashed before them, and have the same interval but for the first one, which may
  // have a part of it. All values of at most 8 bytes, or at most 16 values of at most 16 bytes,
  // such as decimal text.
  void FindNumber() noexcept;

  // Sets the position of the first bytes of a bound, as many as keys have, read as a number at
  // once. False where there is no number_radix, or the bytes are none that keys may have.
  bool NumberOf(std::string_view bound, uint64_t* position) const noexcept;

  // Reads digits of both bounds at once, of which `begin` is less, as far as this is as easy for
  // both. False if it finds that more than `far` positions behind the same hashed bytes are between
  // them; then it need not read further.
  bool ReadBoth(std::string_view begin, std::string_view end, uint64_t far, RangeProgress* of_begin,
                RangeProgress* of_end) const noexcept;

  // The least number whose key is not less than `bound`, whose digits were read so far. False if
  // there is none.
  bool LowerBound(std::string_view bound, RangeProgress progress,
                  RangeNumber* number) const noexcept;

  // The number before this one, or the first with the next greater hashed bytes. False if there is
  // none.
  bool Decrement(RangeNumber* number) const noexcept;
  bool NextHashed(RangeNumber* number) const noexcept;

  // Below 0 if a's hashed bytes are less than b's, 0 if they are equal.
  int CompareHashed(const RangeNumber& a, const RangeNumber& b) const noexcept;

  uint64_t HashOf(const RangeNumber& number) const noexcept;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_
