// Digits of a range filter: the bytes at which its keys differ, with the values seen there. They
// map keys of one length to numbers in key order.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/ranges/range_words.h"

namespace winnow::core {

// Values that a byte of a key may have: a few disjoint intervals, ascending.
struct RangeDigit {
  static constexpr unsigned kMaxIntervals = 4;

  uint8_t place = 0;
  uint8_t intervals = 0;
  uint8_t first[kMaxIntervals] = {};
  uint8_t last[kMaxIntervals] = {};

  // Number of bytes, 2 to 256 in a valid digit.
  unsigned Radix() const noexcept;
  // Returns the number of values below this byte, and sets *is_in if the byte is a value itself.
  unsigned Rank(unsigned byte, bool* is_in) const noexcept;
  // Returns the value with this rank, which must be less than the radix.
  unsigned ByteOf(unsigned rank) const noexcept;
};

// Returns the digit of a place from the bytes seen there; seen[b] is 1 for a seen byte, else 0.
// Bytes in a gap that is not worth an interval count as seen.
RangeDigit DigitOf(unsigned place, const uint8_t seen[256]) noexcept;

void AppendDigit(const RangeDigit& digit, std::string* bytes);

// Reads a digit at *at, and advances *at behind it. Returns false if there is no valid digit before
// `end`.
bool ReadDigit(const unsigned char** at, const unsigned char* end, RangeDigit* digit) noexcept;

// Adds a digit of this radix to *most, the greatest position of the digits so far. Returns false if
// more than 64 bits would be needed.
bool CountDigit(unsigned radix, uint64_t* most) noexcept;

// Number of keys from which on their digits tell several fields from one number.
inline constexpr uint64_t kTellingKeys = 64;

// Returns whether keys with these digits seem to have several fields, as an index, a user and a
// time, rather than one number: their places are not adjacent, or a digit behind the first has few
// of the values that others have, as the first one of the numbers below 100,000. Values that wrap
// around are of a number.
bool AreOfSeveralFields(const std::vector<RangeDigit>& digits) noexcept;

// A key as numbers: the bytes that are stored only as a hash, and the position from the others.
struct RangeNumber {
  uint8_t hashed[kMaxRangeKeyBytes];
  uint64_t position;
};

// Result of reading the first digits of a bound, if each byte is in the digit's only interval and
// the bytes in between equal those of all keys.
struct RangeProgress {
  const unsigned char* at = nullptr;  // the next digit
  unsigned read = 0;                  // digits
  size_t compared = 0;                // bytes of the bound compared so far
  uint64_t position = 0;
  uint64_t most = 0;  // maximum position of the digits read so far
};

// Adjacent digits that are a big-endian number: each has one interval, and all but the first have
// all 256 values.
struct RangeRun {
  uint8_t end = 0;    // the place behind the last digit
  uint8_t bytes = 0;  // number of digits, 1 to 8
};

// Digits of the keys, in the validated bytes of a range filter.
struct RangeDigits {
  static constexpr unsigned kMostRuns = 2;
  static constexpr uint8_t kBinary = 1;  // stands for the radix 256, which exceeds a byte

  const unsigned char* last_key = nullptr;  // followed by the digits
  uint16_t key_length = 0;
  uint16_t count = 0;        // number of digits
  uint16_t hashed = 0;       // number of the key's first bytes that are stored only as a hash
  uint8_t number_radix = 0;  // radix for NumberOf; 0: not usable, kBinary: 256
  uint8_t num_runs = 0;      // number of runs that have all digits; 0: not usable
  RangeRun runs[kMostRuns] = {};
  uint64_t most_position = 0;  // greatest position of the digits
  uint64_t number_least = 0;   // number of position 0
  uint64_t last_position = 0;  // position of the last key, if number_radix is not 0

  const unsigned char* Digits() const noexcept { return last_key + key_length; }
  std::vector<RangeDigit> All() const;  // may throw std::bad_alloc
  std::string_view LastKey() const noexcept {
    return {reinterpret_cast<const char*>(last_key), key_length};
  }

  // Sets number_radix and the other values for NumberOf, for digits that are the key's last bytes,
  // without hashed bytes before, and have the same interval, except that the first one may have a
  // part of the interval: all values of at most 8 bytes, or at most 16 values of at most 16 bytes,
  // such as decimal text.
  void FindNumber() noexcept;

  // Sets the runs, if the digits are at most kMostRuns runs, as of a user's number and a time.
  void FindRuns() noexcept;

  // Sets *position to that of a bound's first bytes, as many as keys have, by reading these as one
  // number. Returns false if number_radix is 0 or no key can have these bytes.
  bool NumberOf(std::string_view bound, uint64_t* position) const noexcept;

  // Sets *position to that of a key, and *hash to the hash of its hashed bytes. Returns false if
  // none of the keys can be equal to this one.
  bool PositionOf(std::string_view key, uint64_t* hash, uint64_t* position) const noexcept {
    if (key.size() != key_length) return false;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(key.data());
    if (number_radix == kBinary && count == key_length) {
      *hash = 0;
      *position = RangeWord(bytes, key_length, 0) - number_least;
      return *position <= most_position;
    }
    return num_runs != 0 ? PositionOfRuns(bytes, hash, position)
                         : PositionOfDigits(bytes, hash, position);
  }

  // Reads digits of both bounds together, as long as that is easy for both. `begin` must be less
  // than `end`. Returns false if more than `far` positions with the same hashed bytes are between
  // the bounds; reading further is then unnecessary.
  bool ReadBoth(std::string_view begin, std::string_view end, uint64_t far, RangeProgress* of_begin,
                RangeProgress* of_end) const noexcept;

  // Sets *number to the smallest number whose key is not less than `bound`, whose first digits
  // `progress` describes. Returns false if there is none.
  bool LowerBound(std::string_view bound, RangeProgress progress,
                  RangeNumber* number) const noexcept;

  // Decrement sets *number to the previous number, NextHashed to the first one with the next
  // greater hashed bytes. Return false if there is none.
  bool Decrement(RangeNumber* number) const noexcept;
  bool NextHashed(RangeNumber* number) const noexcept;

  // Returns a negative number if a's hashed bytes are less than b's, 0 if they are equal.
  int CompareHashed(const RangeNumber& a, const RangeNumber& b) const noexcept;

  // PositionOf for keys of this length.
  bool PositionOfRuns(const unsigned char* key, uint64_t* hash, uint64_t* position) const noexcept;
  bool PositionOfDigits(const unsigned char* key, uint64_t* hash,
                        uint64_t* position) const noexcept;

  // Returns the hash of a key's hashed bytes.
  uint64_t HashOf(const unsigned char* key) const noexcept;
  uint64_t HashOf(const RangeNumber& number) const noexcept { return HashOf(number.hashed); }
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_
