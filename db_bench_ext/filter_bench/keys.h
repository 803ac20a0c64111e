// Keys for measurements, generated from numbers on the fly: a list of keys would displace
// everything else from the caches.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_KEYS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace winnow::bench {

// Scatters numbers over 64 bits; a bijection.
inline uint64_t Scatter(uint64_t number) noexcept {
  number *= 0x9e3779b97f4a7c15u;
  number ^= number >> 32;
  number *= 0xd6e8feb86659fd93u;
  return number ^ number >> 32;
}

// Returns the high half of the product: maps a scattered number to a number below `range`.
inline uint64_t ReduceTo(uint64_t scattered, uint64_t range) noexcept {
  __extension__ using Product = unsigned __int128;
  return static_cast<uint64_t>(Product{scattered} * range >> 64);
}

// Filter f contains the keys of the numbers NumberOf(f, 0) to NumberOf(f, num_keys - 1).
inline uint64_t NumberOf(uint64_t filter, uint64_t index) noexcept { return filter << 32 | index; }

enum class Presence { kHalf, kNone };

// Returns the name for row names.
inline const char* NameOf(Presence presence) noexcept {
  return presence == Presence::kHalf ? "half" : "absent";
}

// Generator of indices for lookups in filters of num_keys keys; indices below num_keys are present.
// Either a random half is present, unpredictably and without a branch, or none.
class LookupIndices {
 public:
  LookupIndices(uint64_t num_keys, Presence presence) noexcept
      : num_keys_(num_keys), presence_(presence) {}

  uint64_t Next() noexcept {
    // The key's hash makes consecutive numbers as good as random ones.
    if (presence_ == Presence::kNone) return num_keys_ + (++count_ & UINT32_MAX >> 1);
    return NextBelow(2 * num_keys_);
  }

  // Returns a random number below `range`.
  uint64_t NextBelow(uint64_t range) noexcept { return ReduceTo(Scatter(++count_), range); }

 private:
  uint64_t num_keys_;
  Presence presence_;
  uint64_t count_ = 0;
};

// A few keys that are written first and read later: reading bytes in one load soon after writing
// them in two stores stalls the processor, which does not happen in users' lookups.
class KeyGroup {
 public:
  static constexpr size_t kKeys = 32;  // batch limit of RocksDB's MultiGet
  static constexpr size_t kUsualLength = 24;

  // `length` is at least 8, in bytes. All keys have equal first bytes, and their number at the end.
  explicit KeyGroup(size_t length = kUsualLength)
      : length_(std::max(length, sizeof(uint64_t))), bytes_(kKeys * length_, 'k') {}

  void Set(size_t i, uint64_t number) noexcept {
    std::memcpy(bytes_.data() + (i + 1) * length_ - sizeof(number), &number, sizeof(number));
  }

  const char* Get(size_t i) const noexcept { return bytes_.data() + i * length_; }
  size_t length() const noexcept { return length_; }

 private:
  size_t length_;
  std::vector<char> bytes_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_KEYS_H_
