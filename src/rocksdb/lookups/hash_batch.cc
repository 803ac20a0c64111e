#include "src/rocksdb/lookups/hash_batch.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/core/hash_inline.h"
#include "src/rocksdb/lookups/key_bytes.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Slice;

uint64_t Rotate(uint64_t word, int bits) noexcept { return word << bits | word >> (64 - bits); }

// Returns a tag that distinguishes keys which differ in the first, middle or last 16 bytes; most
// keys have no other bytes. Far cheaper than the hash.
uint16_t TagOf(const char* key, size_t size) noexcept {
  uint64_t mixed = 0;
  if (size >= 8) {
    mixed = LoadWord<uint64_t>(key) ^ Rotate(LoadWord<uint64_t>(key + size - 8), 29);
    if (size > 16) {
      mixed ^=
          Rotate(LoadWord<uint64_t>(key + 8), 11) ^ Rotate(LoadWord<uint64_t>(key + size - 16), 41);
    }
    if (size > 32) {
      const char* const middle = key + size / 2;
      mixed ^= Rotate(LoadWord<uint64_t>(middle - 8), 19) ^ Rotate(LoadWord<uint64_t>(middle), 51);
    }
  } else {
    for (size_t i = 0; i < size; ++i) {
      mixed = mixed << 8 | static_cast<unsigned char>(key[i]);
    }
  }
  return static_cast<uint16_t>(mixed * 0x9e3779b97f4a7c15u >> 48);
}

// Returns a bit mask: bit i is set if tags[i] is `tag`.
uint64_t SlotsWith(uint16_t tag, const uint16_t* tags) noexcept {
  uint64_t slots = 0;
#if defined(__x86_64__)
  const __m128i wanted = _mm_set1_epi16(static_cast<int16_t>(tag));
  for (size_t i = 0; i < HashBatch::kKeys; i += 16) {
    const auto* at = reinterpret_cast<const __m128i*>(tags + i);
    const __m128i same = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_load_si128(at), wanted),
                                         _mm_cmpeq_epi16(_mm_load_si128(at + 1), wanted));
    slots |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(same))) << i;
  }
#else
  for (size_t i = 0; i < HashBatch::kKeys; ++i) {
    slots |= static_cast<uint64_t>(tags[i] == tag) << i;
  }
#endif
  return slots;
}

}  // namespace

HashBatch::~HashBatch() { delete[] bytes_; }

// Compares a kept key with a key of the same length.
WINNOW_KEY_INLINE bool HashBatch::IsSame(const char* kept, const Slice& key) noexcept {
  const size_t size = key.size();
  if (size > kMaxShortBytes) {
    return IsKeptLong(kept, key.data(), size);
  }
  return size != 0 && IsKeptShort(kept, key.data(), size);
}

inline bool HashBatch::IsAt(uint32_t slot, const Slice& key) const noexcept {
  return lengths_[slot] == key.size() && IsSame(bytes_ + slot * slot_bytes_, key);
}

// Returns the number of leading keys that are kept, in this order, in consecutive slots from `slot`
// on.
inline size_t HashBatch::CountInRow(uint32_t slot, const Slice* const* keys,
                                    size_t n) const noexcept {
  const size_t most = std::min<size_t>(n, kKeys - slot);
  const char* kept = bytes_ + slot * slot_bytes_;
  for (size_t i = 0; i < most; ++i, kept += slot_bytes_) {
    const Slice& key = *keys[i];
    if (lengths_[slot + i] != key.size() || !IsSame(kept, key)) {
      return i;
    }
  }
  return most;
}

inline uint32_t HashBatch::Find(const Slice& key) const noexcept {
  uint64_t slots = SlotsWith(TagOf(key.data(), key.size()), tags_);
  // Makes at most four tries: all keys may have equal tags.
  for (int tries = 0; slots != 0 && tries < 4; ++tries) {
    const auto slot = static_cast<uint32_t>(__builtin_ctzll(slots));
    if (IsAt(slot, key)) {
      return slot;
    }
    slots &= slots - 1;
  }
  return kNowhere;
}

__attribute__((noinline)) bool HashBatch::MakeRoom(size_t size) noexcept {
  size_t slot_bytes = 64;
  if (size > slot_bytes) {
    size_t room = 128;
    while (room < size) {
      room *= 2;
    }
    // An odd number of cache lines, so that slots spread over all sets of the cache.
    slot_bytes = room + 64;
  }
  char* const bytes = new (std::nothrow) char[slot_bytes * kKeys];
  if (bytes == nullptr) {
    return false;
  }
  delete[] bytes_;
  bytes_ = bytes;
  slot_bytes_ = slot_bytes;
  std::fill_n(lengths_, kKeys, kNoKey);
  return true;
}

inline void HashBatch::Keep(const Slice& key, KeyHash hash) noexcept {
  const size_t size = key.size();
  // A slot may have room for a little more than the longest key that is kept.
  if (size == 0 || size > kMaxSharedBytes || (size > slot_bytes_ && !MakeRoom(size))) {
    return;
  }
  const uint32_t slot = next_;
  next_ = (slot + 1) % kKeys;
  char* const kept = bytes_ + slot * slot_bytes_;
  if (size <= kMaxShortBytes) {
    KeepShort(kept, key.data(), size);
  } else {
    std::memcpy(kept, key.data(), size);
  }
  lengths_[slot] = static_cast<uint16_t>(size);
  tags_[slot] = TagOf(key.data(), size);
  hashes_[slot] = hash;
}

__attribute__((flatten)) size_t HashBatch::Hash(const Slice* const* keys, size_t n,
                                                KeyHash* hashes) noexcept {
  if (n == 0) {
    return 0;
  }
  const auto compute = [this, keys, hashes](size_t i) {
    hashes[i] = {core::HashKeyInline(keys[i]->data(), keys[i]->size())};
    Keep(*keys[i], hashes[i]);
  };
  // Keys of a batch are kept in their order. Most calls continue there: with the keys of the call
  // before, or with the keys after them.
  uint32_t slot = begin_;
  if (!IsAt(slot, *keys[0])) {
    slot = IsAt(end_, *keys[0]) ? end_ : Find(*keys[0]);
  }
  // Searching for each key of a new batch would cost as much as hashing it.
  if (slot == kNowhere && Find(*keys[n - 1]) == kNowhere && Find(*keys[n / 2]) == kNowhere) {
    begin_ = next_;
    for (size_t i = 0; i < n; ++i) {
      compute(i);
    }
    end_ = next_;
    return n;
  }
  size_t computed = 0;
  uint32_t guess = slot == kNowhere ? begin_ : slot;
  begin_ = guess;
  for (size_t i = 0; i < n;) {
    const size_t in_row = CountInRow(guess, keys + i, n - i);
    std::copy_n(hashes_ + guess, in_row, hashes + i);
    guess = (guess + static_cast<uint32_t>(in_row)) % kKeys;
    i += in_row;
    if (i == n) {
      break;
    }
    if (const uint32_t found = Find(*keys[i]); found != kNowhere) {
      guess = found;
      continue;
    }
    compute(i++);
    ++computed;
  }
  end_ = guess;
  return computed;
}

}  // namespace winnow::plugin
