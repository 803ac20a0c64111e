// The keys of a range filter that is being built: of each, the bytes at the places where keys are
// known to differ. Which these are shows only as keys come, so a key that differs from the first
// one at a new place begins a *section* of its own, in which that place is kept too.

#ifndef WINNOW_SRC_CORE_RANGE_KEYS_H_
#define WINNOW_SRC_CORE_RANGE_KEYS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/hash_blocks.h"
#include "src/core/hash_chunks.h"
#include "src/core/range_digits.h"
#include "src/core/range_hash.h"

namespace winnow::core {

// What the keys turned out to be.
struct RangeKeysFormat {
  std::vector<RangeDigit> digits;
  unsigned hashed = 0;         // of the digits, the first ones
  uint64_t most_position = 0;  // that the others can count
};

class RangeKeys {
 public:
  // False: these keys can't have a range filter. Throws std::bad_alloc.
  bool Add(std::string_view key);

  uint64_t size() const noexcept { return size_; }
  size_t key_length() const noexcept { return last_.size(); }
  size_t num_places() const noexcept { return places_.size(); }
  const std::string& last() const noexcept { return last_; }

  RangeKeysFormat Format() const;

  // Calls visit(uint64_t place) for each key, in their order, with where its position goes. What
  // the keys took is given to the pool meanwhile.
  template <typename Visit>
  void Drain(const RangeKeysFormat& format, const RangePlacing& placing, HashChunkPool* pool,
             Visit visit);

 private:
  // Bytes that are kept of a key, at most. Those before them are only hashed.
  static constexpr unsigned kMaxKept = 16;

  using Seen = std::array<uint8_t, 256>;

  // Keys that are kept alike.
  struct Section {
    uint64_t keys = 0;
    std::vector<uint8_t> places;  // where keys differ, ascending
    unsigned hashed = 0;          // the first of them, of which only a hash is kept

    unsigned kept() const noexcept { return static_cast<unsigned>(places.size()) - hashed; }
    unsigned words() const noexcept { return (hashed != 0 ? 1u : 0u) + (kept() + 7) / 8; }
  };

  void AddFirst(std::string_view key);
  size_t FirstNewPlace(std::string_view key, size_t from) const noexcept;
  void BeginSection(std::string_view key, size_t from);
  void Keep(std::string_view key, size_t changed);

  std::string first_;
  std::string last_;
  std::string varies_;             // of each byte of a key: 0 where keys differ, else 0xff
  std::vector<uint8_t> places_;    // where keys differ, ascending
  std::vector<Seen> seen_;         // at these places
  std::vector<Section> sections_;  // without the first key
  HashBlocks words_;
  uint64_t hash_ = 0;  // of the last key's bytes at the first places
  uint64_t size_ = 0;
};

// How what is kept of a section's keys becomes positions.
class RangeDecoder {
 public:
  RangeDecoder(const RangeKeysFormat& format, const RangePlacing& placing,
               std::string_view first_key);

  // From now on words are those of keys that are kept like this: the places, of which only a hash
  // is kept of the first.
  void Begin(const std::vector<uint8_t>& places, unsigned hashed);

  uint64_t PlaceOf(const uint64_t* words) const noexcept {
    uint64_t hash = hash_;
    uint64_t position = position_;
    if (has_hash_) hash ^= *words++;
    for (unsigned i = 0; i < hashed_.size(); ++i) hash ^= (*hashed_[i])[ByteOf(words, i)];
    for (unsigned i = 0; i < counted_.size(); ++i) {
      position += (*counted_[i])[ByteOf(words, static_cast<unsigned>(hashed_.size()) + i)];
    }
    return placing_.Place(hash, position);
  }

 private:
  // By the byte at a place: its hash, or what it adds to the position.
  using Table = std::array<uint64_t, 256>;

  static uint8_t ByteOf(const uint64_t* words, unsigned i) noexcept {
    return static_cast<uint8_t>(words[i / 8] >> 8 * (i % 8));
  }

  const RangeKeysFormat& format_;
  RangePlacing placing_;
  std::string_view first_key_;
  std::vector<Table> tables_;         // of the digits
  std::vector<const Table*> hashed_;  // of the bytes that are kept, in their order
  std::vector<const Table*> counted_;
  bool has_hash_ = false;
  uint64_t hash_ = 0;  // of all bytes that are not kept
  uint64_t position_ = 0;
};

template <typename Visit>
void RangeKeys::Drain(const RangeKeysFormat& format, const RangePlacing& placing,
                      HashChunkPool* pool, Visit visit) {
  RangeDecoder decoder(format, placing, first_);
  decoder.Begin({}, 0);
  std::array<uint64_t, 1 + kMaxKept / 8> key{};
  visit(decoder.PlaceOf(key.data()));
  auto section = sections_.cbegin();
  uint64_t left = 0;
  unsigned words = 0;
  unsigned in_key = 0;
  pool->Drain(&words_, [&](const uint64_t* piece, size_t n) {
    for (const uint64_t* const end = piece + n; piece != end; ++piece) {
      if (left == 0) {
        decoder.Begin(section->places, section->hashed);
        left = section->keys;
        words = section->words();
        ++section;
      }
      key[in_key++] = *piece;
      if (in_key != words) continue;
      visit(decoder.PlaceOf(key.data()));
      in_key = 0;
      --left;
    }
  });
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGE_KEYS_H_
