// Keys of a range filter under construction: of each key, at most two words in which keys are known
// to differ, and a hash of the words before these. These words become known as keys are added, so a
// key that differs from the first one in another word begins a new *section*, in which this word is
// kept too.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_KEYS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_KEYS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/hash_blocks.h"
#include "src/core/hash_chunks.h"
#include "src/core/ranges/range_hash.h"
#include "src/core/ranges/range_positions.h"
#include "src/core/ranges/range_words.h"

namespace winnow::core {

class RangeKeys {
 public:
  // Adds a key. Returns false if these keys can't have a range filter. Throws std::bad_alloc.
  bool Add(std::string_view key);

  uint64_t size() const noexcept { return size_; }
  size_t key_length() const noexcept { return key_length_; }
  // Returns the maximum number of places at which keys differ.
  size_t MostDigits() const noexcept;
  // Returns the number of bytes in which keys differ.
  unsigned differing_bytes() const noexcept { return differing_bytes_; }
  // Returns whether some words in which keys differ are kept only as a hash.
  bool has_hashed() const noexcept { return !sections_.empty() && sections_.back().hashed != 0; }
  // Returns whether bytes in which all keys are equal lie between those in which they differ.
  bool has_gaps() const noexcept;
  std::string LastKey() const;

  RangeKeysFormat Format() const;

  // Calls visit(std::string_view key) for all keys. Returns false, without a call, if keys before
  // the last one have words that are kept only as a hash.
  template <typename Visit>
  bool ForEachKey(Visit visit) const;

  // Calls visit(uint64_t* positions, const uint64_t* hashes, size_t n) for batches of keys, in
  // order, with their positions and the hashes of the bytes before these. `visit` may overwrite the
  // positions.
  template <typename Visit>
  void ForEachPosition(const RangeKeysFormat& format, Visit visit) const;

  // Like ForEachPosition, and gives the memory of visited keys to the pool.
  template <typename Visit>
  void DrainPositions(const RangeKeysFormat& format, HashChunkPool* pool, Visit visit);

 private:
  // Calls `visit` as ForEachPosition does, for the words that source(visit_words) produces.
  template <typename Source, typename Visit>
  void ReadPositions(const RangeKeysFormat& format, Source source, Visit visit) const;
  bool AddFirst(std::string_view key);
  bool NoteDiffering();
  void BeginSection();
  std::string KeyOf(const std::vector<uint64_t>& words) const;
  uint64_t HashOf(uint32_t words) const noexcept;

  size_t key_length_ = 0;
  unsigned num_words_ = 0;
  uint64_t size_ = 0;
  unsigned first_hashed_ = 0;    // index of a word, whose predecessors are kept only as a hash
  uint64_t hash_ = 0;            // hash of the last key's hashed words
  std::vector<uint64_t> first_;  // words of the first key
  std::vector<uint64_t> last_;
  std::vector<uint64_t> equal_;  // per word: ones in the bytes in which no keys differ
  unsigned differing_bytes_ = 0;
  std::vector<RangeSection> sections_;  // without the first key
  HashBlocks words_;
};

template <typename Visit>
bool RangeKeys::ForEachKey(Visit visit) const {
  if (size_ == 0) return true;
  if (has_hashed() && (sections_.back().keys != 1 ||
                       (sections_.size() > 1 && (sections_.end() - 2)->hashed != 0))) {
    return false;
  }
  std::vector<uint64_t> key = first_;
  visit(std::string_view(KeyOf(key)));
  auto section = sections_.cbegin();
  uint64_t left = section == sections_.cend() ? 0 : section->keys;
  unsigned word = 0;
  words_.ForEach([&](const uint64_t* words, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      while (left == 0) left = (++section)->keys;
      if (section->hashed != 0) return;
      key[section->kept[word++]] = words[i];
      if (word != section->num_kept) continue;
      word = 0;
      --left;
      visit(std::string_view(KeyOf(key)));
    }
  });
  if (has_hashed()) visit(std::string_view(LastKey()));
  return true;
}

template <typename Source, typename Visit>
void RangeKeys::ReadPositions(const RangeKeysFormat& format, Source source, Visit visit) const {
  RangePositions reader(format, key_length_, first_);
  std::array<uint64_t, RangePositions::kBatch> positions;
  std::array<uint64_t, RangePositions::kBatch> hashes;
  std::array<uint64_t, 1 + RangeSection::kMostKept> key{};
  const auto decode = [&](const uint64_t* words, size_t n) {
    reader.Read(words, n, positions.data(), hashes.data());
    visit(positions.data(), hashes.data(), n);
  };
  reader.Begin(RangeSection());
  decode(key.data(), 1);
  auto section = sections_.cbegin();
  uint64_t left = 0;
  size_t words = 0;
  size_t in_key = 0;  // words of a key that continues in the next piece
  source([&](const uint64_t* piece, size_t n) {
    while (n != 0) {
      if (left == 0) {
        reader.Begin(*section);
        left = section->keys;
        words = section->words();
        ++section;
      }
      size_t taken = 1;
      if (in_key != 0 || n < words) {
        key[in_key++] = *piece;
        if (in_key == words) {
          decode(key.data(), 1);
          in_key = 0;
          --left;
        }
      } else {
        const auto keys =
            static_cast<size_t>(std::min<uint64_t>({left, n / words, RangePositions::kBatch}));
        decode(piece, keys);
        left -= keys;
        taken = keys * words;
      }
      piece += taken;
      n -= taken;
    }
  });
}

template <typename Visit>
void RangeKeys::ForEachPosition(const RangeKeysFormat& format, Visit visit) const {
  ReadPositions(
      format, [this](auto visit_words) { words_.ForEach(visit_words); }, visit);
}

template <typename Visit>
void RangeKeys::DrainPositions(const RangeKeysFormat& format, HashChunkPool* pool, Visit visit) {
  ReadPositions(
      format, [&](auto visit_words) { pool->Drain(&words_, visit_words); }, visit);
}

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_KEYS_H_
