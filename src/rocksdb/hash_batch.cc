#include "src/rocksdb/hash_batch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "src/core/hash_inline.h"
#include "src/rocksdb/key_bytes.h"
#include "src/rocksdb/shared_hash.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Slice;

// Two words at a place and their share of the tag.
uint64_t Mix(const char* bytes) noexcept {
  return LoadWord<uint64_t>(bytes) * 0x9e3779b97f4a7c15u +
         LoadWord<uint64_t>(bytes + 8) * 0xd6e8feb86659fd93u;
}

// Tells keys apart that differ in the first, middle or last 16 bytes, which all bytes of most keys
// are among. Far cheaper than the hash.
uint16_t TagOf(const char* key, size_t size) noexcept {
  uint64_t mixed = size;
  if (size >= 16) {
    mixed += Mix(key);
    mixed += Mix(key + size - 16) << 1 | mixed >> 63;
    if (size > 32) {
      mixed += Mix(key + size / 2 - 8) << 2;
    }
  } else if (size >= 8) {
    mixed += LoadWord<uint64_t>(key) * 0x9e3779b97f4a7c15u +
             LoadWord<uint64_t>(key + size - 8) * 0xd6e8feb86659fd93u;
  } else {
    for (size_t i = 0; i < size; ++i) {
      mixed = (mixed + static_cast<unsigned char>(key[i])) * 0x9e3779b97f4a7c15u;
    }
  }
  return static_cast<uint16_t>((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u >> 48);
}

// Bit i: tags[i] is this one.
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

HashBatch::~HashBatch() { std::free(bytes_); }

inline bool HashBatch::IsAt(uint32_t slot, const char* key, size_t size) const noexcept {
  if (lengths_[slot] != size) {
    return false;
  }
  const char* const kept = bytes_ + slot * slot_bytes_;
  return size <= kMostShortBytes ? IsKeptShort(kept, key, size) : IsKeptLong(kept, key, size);
}

inline uint32_t HashBatch::Find(const char* key, size_t size) const noexcept {
  uint64_t slots = SlotsWith(TagOf(key, size), tags_);
  // Keys whose tags are all the same must not be compared with each other for ever.
  for (int tries = 0; slots != 0 && tries < 4; ++tries) {
    const auto slot = static_cast<uint32_t>(__builtin_ctzll(slots));
    if (IsAt(slot, key, size)) {
      return slot;
    }
    slots &= slots - 1;
  }
  return kNowhere;
}

__attribute__((noinline)) bool HashBatch::MakeRoom(size_t size) noexcept {
  if (size > kMostSharedBytes) {
    return false;
  }
  size_t slot_bytes = 64;
  if (size > slot_bytes) {
    size_t room = 128;
    while (room < size) {
      room *= 2;
    }
    // An odd number of cache lines, so that the slots lie in all sets of the cache.
    slot_bytes = room + 64;
  }
  char* const bytes = static_cast<char*>(std::malloc(slot_bytes * kKeys));
  if (bytes == nullptr) {
    return false;
  }
  std::free(bytes_);
  bytes_ = bytes;
  slot_bytes_ = slot_bytes;
  std::fill_n(lengths_, kKeys, uint16_t{0});
  return true;
}

inline uint32_t HashBatch::Keep(const char* key, size_t size, KeyHash hash) noexcept {
  if (size > slot_bytes_ && !MakeRoom(size)) {
    return kNowhere;
  }
  const uint32_t slot = next_;
  next_ = (slot + 1) % kKeys;
  char* const kept = bytes_ + slot * slot_bytes_;
  if (size <= kMostShortBytes) {
    KeepShort(kept, key, size);
  } else {
    std::memcpy(kept, key, size);
  }
  lengths_[slot] = static_cast<uint16_t>(size);
  tags_[slot] = TagOf(key, size);
  hashes_[slot] = hash;
  return slot;
}

__attribute__((flatten)) size_t HashBatch::Hash(const Slice* const* keys, size_t n,
                                                KeyHash* hashes) noexcept {
  size_t computed = 0;
  uint32_t last = kNowhere;  // where the key before was found
  for (size_t i = 0; i < n; ++i) {
    const char* const key = keys[i]->data();
    const size_t size = keys[i]->size();
    if (size == 0) {
      hashes[i] = {core::HashKeyInline(key, 0)};
      ++computed;
      continue;
    }
    uint32_t slot = (last + 1) % kKeys;
    if (last == kNowhere || !IsAt(slot, key, size)) {
      slot = Find(key, size);
    }
    last = slot;
    if (slot != kNowhere) {
      hashes[i] = hashes_[slot];
      continue;
    }
    hashes[i] = {core::HashKeyInline(key, size)};
    ++computed;
    Keep(key, size, hashes[i]);
  }
  return computed;
}

}  // namespace winnow::plugin
