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

// Adjacent digits that are read as one number: those behind the first have all 256 values, or the
// same interval of at most 16, such as decimal text, which then includes the first one's values.
struct RangeRun {
  uint8_t last = 0;       // place of the last digit
  uint8_t digits = 0;     // 1 to 8
  uint8_t first = 0;      // least value of the first digit
  uint8_t more = 0;       // its greatest value less the least
  uint8_t gap_begin = 0;  // the gap between its intervals, if it has two
  uint8_t gap = 0;        // size of the gap; 0: none
  uint8_t zero = 0;       // least value of the others
  uint8_t radix = 0;      // of the others; 0 for 256
};

// Digits of the keys, in the validated bytes of a range filter.
struct RangeDigits {
  static constexpr unsigned kMostRuns = 2;

  const unsigned char* last_key = nullptr;  // followed by the digits
  uint16_t key_length = 0;
  uint16_t count = 0;          // number of digits
  uint16_t hashed = 0;         // number of the key's first bytes that are stored only as a hash
  uint8_t num_runs = 0;        // number of runs that have all digits; 0: not usable
  bool is_number = false;      // number_base is set
  uint64_t most_position = 0;  // greatest position of the digits
  uint64_t last_position = 0;  // position of the last key, if there are runs and no hashed bytes
  RangeRun runs[kMostRuns] = {};
  uint64_t second_span = 0;   // number of values of the second run
  uint64_t least_number = 0;  // number of position 0, as ReadRuns reads it
  // The word of position 0, if the last word has all but the hashed bytes, and ends with the
  // digits, which have all numbers from a least to a greatest one.
  uint64_t number_base = 0;

  const unsigned char* Digits() const noexcept { return last_key + key_length; }
  std::vector<RangeDigit> All() const;  // may throw std::bad_alloc
  std::string_view LastKey() const noexcept {
    return {reinterpret_cast<const char*>(last_key), key_length};
  }

  // Sets the runs, if the digits are at most kMostRuns, and what belongs to them.
  void FindRuns() noexcept;

  // Sets *position to that of a key, and *hash to the hash of its hashed bytes. Returns false if
  // none of the keys can be equal to this one.
  __attribute__((always_inline)) bool PositionOf(std::string_view key, uint64_t* hash,
                                                 uint64_t* position) const noexcept {
    if (key.size() != key_length) return false;
    return PositionOf(reinterpret_cast<const unsigned char*>(key.data()), hash, position);
  }

  // Sets *position to that of the key that a bound's first bytes are. Returns false if it is not
  // known to be a key before the last one, or if there are hashed bytes.
  bool PositionOfBound(std::string_view bound, uint64_t* position) const noexcept {
    uint64_t hash;
    return bound.size() >= key_length && last_position != 0 &&
           PositionOf(reinterpret_cast<const unsigned char*>(bound.data()), &hash, position) &&
           *position < last_position;
  }

  // Sets *number to the smallest number whose key is not less than `bound`. Returns false if there
  // is none.
  bool LowerBound(std::string_view bound, RangeNumber* number) const noexcept;

  // Decrement sets *number to the previous number, NextHashed to the first one with the next
  // greater hashed bytes. Return false if there is none.
  bool Decrement(RangeNumber* number) const noexcept;
  bool NextHashed(RangeNumber* number) const noexcept;

  // Returns a negative number if a's hashed bytes are less than b's, 0 if they are equal.
  int CompareHashed(const RangeNumber& a, const RangeNumber& b) const noexcept;

  // Returns the hash of the hashed bytes, which are the first ones of `bytes`.
  uint64_t HashOf(const unsigned char* bytes) const noexcept;

 private:
  // PositionOf for keys of this length.
  __attribute__((always_inline)) bool PositionOf(const unsigned char* key, uint64_t* hash,
                                                 uint64_t* position) const noexcept {
    if (__builtin_expect(is_number, 1)) {
      *position = RangeWord(key, key_length, 0) - number_base;
    } else {
      uint64_t number;
      if (num_runs == 0 ? !ReadDigits(key, &number) : !ReadRuns(key, &number)) return false;
      *position = number - least_number;
    }
    *hash = hashed == 0 ? 0 : HashOf(key);
    return *position <= most_position;
  }
  // Set *number to that of all digits. Return false if no key can have these bytes.
  bool ReadRuns(const unsigned char* key, uint64_t* number) const noexcept;
  bool ReadDigits(const unsigned char* key, uint64_t* number) const noexcept;
  bool HasCommonBytes(const unsigned char* key, size_t begin, size_t end) const noexcept;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_DIGITS_H_
