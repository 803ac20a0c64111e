// Conversion of the kept words of keys to positions, and placing of positions.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_POSITIONS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_POSITIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/core/ranges/range_digits.h"
#include "src/core/ranges/range_hash.h"
#include "src/core/ranges/range_words.h"

namespace winnow::core {

// Format of a range filter's keys, known after the last key.
struct RangeKeysFormat {
  std::vector<RangeDigit> digits;
  unsigned hashed_bytes = 0;
  unsigned counted_words = 0;  // number of counted words, behind the hashed bytes
  uint64_t most_position = 0;
};

// Keys with the same words kept: of each key a hash, if words are hashed, and then the kept words,
// from the key's beginning on.
struct RangeSection {
  static constexpr unsigned kMostKept = 2;

  uint64_t keys = 0;
  uint32_t hashed = 0;  // bit set of the words that are kept only as a hash
  uint8_t num_kept = 0;
  std::array<uint8_t, kMostKept> kept{};  // numbers of words, descending

  unsigned words() const noexcept { return num_kept + (hashed != 0 ? 1u : 0u); }
};

// Part of a position that a word contributes: a sum over its bytes.
class RangeWordPosition {
 public:
  // Takes the digits of this word, the last of which has the weight *weight. Sets *weight to that
  // of the preceding digit.
  RangeWordPosition(const RangeDigit* begin, const RangeDigit* end, size_t key_length,
                    uint64_t* weight);

  uint64_t Of(uint64_t word) const noexcept {
    uint64_t position = 0;
    AddTo(&position, &word, 1, 1);
    return position;
  }

  // Adds the parts of n words, `stride` apart, to n positions.
  void AddTo(uint64_t* positions, const uint64_t* words, size_t n, size_t stride) const noexcept;

 private:
  // Digits that are adjacent bytes with all values.
  struct Number {
    uint64_t mask = 0;
    uint8_t shift = 0;
    uint64_t least = 0;
    uint64_t weight = 0;

    uint64_t Of(uint64_t word) const noexcept {
      return (((word & mask) >> shift) - least) * weight;
    }
  };
  bool is_number_ = false;
  Number number_;
  // Otherwise, eight tables, of which each digit has one: the summand by the byte at its place.
  using Table = std::array<uint64_t, 256>;
  std::array<uint8_t, kRangeWordBytes> shifts_{};
  std::vector<Table> tables_;
};

class RangePositions {
 public:
  RangePositions(const RangeKeysFormat& format, size_t key_length,
                 const std::vector<uint64_t>& first_key);

  // Begins a section: the following words are those of its keys.
  void Begin(const RangeSection& section);

  // Sets the positions of n keys, at most kBatch, and the hashes of the bytes before these.
  static constexpr size_t kBatch = 256;
  void Read(const uint64_t* words, size_t n, uint64_t* positions, uint64_t* hashes) const noexcept;

 private:
  // A kept word and its conversion; null: the word is hashed.
  struct Kept {
    unsigned index;
    const RangeWordPosition* position;
  };

  const unsigned counted_words_;
  const std::vector<uint64_t>& first_key_;
  std::vector<RangeWordPosition> positions_;  // conversions of the words that the digits count
  bool has_hash_ = false;
  unsigned num_kept_ = 0;
  std::array<Kept, RangeSection::kMostKept> kept_{};
  uint64_t hash_ = 0;  // hash of all words that are not kept
  uint64_t position_ = 0;
};

// Replaces n positions by their places. `hashes` are those of the bytes before the positions.
void PlacePositions(const RangePlacing& placing, const uint64_t* hashes, size_t n,
                    uint64_t* positions) noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_POSITIONS_H_
