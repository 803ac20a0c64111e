// Fingerprints and buckets of a CuckooFilter. A header, so that lookups are inlined, and not a part
// of the API. It is nevertheless a part of the library's ABI, since programs keep the code that
// they were compiled with.

#ifndef WINNOW_AMQ_INTERNAL_CUCKOO_BUCKETS_H_
#define WINNOW_AMQ_INTERNAL_CUCKOO_BUCKETS_H_

#include <cstdint>
#include <cstring>

#include "winnow/amq/internal/hash_mix.h"
#include "winnow/hash.h"

namespace winnow::amq::internal {

// Odd random multiplier.
inline constexpr uint64_t kCuckooFactor = 0xd6e8feb86659fd93u;

// A key's fingerprint and its two possible buckets.
struct CuckooPlace {
  uint64_t fingerprint;
  uint64_t first;
  uint64_t second;
};

// Returns the other possible bucket of a fingerprint that may be in `bucket`.
[[gnu::always_inline]] inline uint64_t OtherBucket(uint64_t bucket, uint64_t fingerprint,
                                                   uint64_t buckets) noexcept {
  uint64_t mixed = fingerprint * kGolden;
  mixed = (mixed ^ mixed >> 32) * kCuckooFactor;
  const uint64_t sum = Reduce(mixed, buckets);
  const uint64_t other = sum - bucket;
  return sum < bucket ? other + buckets : other;
}

// Returns a key's fingerprint and buckets. `most` is the highest fingerprint, 2^bits - 1.
[[gnu::always_inline]] inline CuckooPlace CuckooPlaceOf(KeyHash hash, uint64_t buckets,
                                                        uint64_t most) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash.value) * kCuckooFactor;
  const auto high = static_cast<uint32_t>(product >> 64);
  CuckooPlace place;
  place.fingerprint = 1 + (high * most >> 32);
  place.first = Reduce(static_cast<uint64_t>(product), buckets);
  place.second = OtherBucket(place.first, place.fingerprint, buckets);
  return place;
}

// Loads a bucket of four fingerprints of up to 16 bits that begins with this byte, as lanes of an
// integer, together with the bits behind them.
[[gnu::always_inline]] inline uint64_t BucketAt(const unsigned char* bytes) noexcept {
  uint64_t values;
  std::memcpy(&values, bytes, sizeof(values));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  values = __builtin_bswap64(values);
#endif
  return values;
}

// Returns an integer with 1 in each of four lanes.
constexpr uint64_t Lanes(unsigned bits) noexcept {
  return uint64_t{1} | uint64_t{1} << bits | uint64_t{1} << 2 * bits | uint64_t{1} << 3 * bits;
}

// Mycroft's zero test on the XOR of lanes with a value: sets the highest bit of the first lane that
// is 0, possibly of higher lanes, and other bits of lanes. Sets no lane's highest bit if no lane is
// 0.
[[gnu::always_inline]] inline uint64_t ZeroLanes(uint64_t differences, uint64_t lanes) noexcept {
  return (differences - lanes) & ~differences;
}

// Tests whether one of two buckets has a fingerprint of 12 bits; a bucket has 6 bytes.
//
// The test subtracts 1 from the XOR of each lane with the fingerprint: a zero lane borrows from the
// bit above it, which is then the bit that the lane's own 1 had changed. There is such a 1 above
// the last lane too.
struct Cuckoo12 {
  static constexpr unsigned kBits = 12;
  static constexpr uint64_t kLanes = Lanes(kBits);
  static constexpr uint64_t kAbove = kLanes << kBits;

  // Members instead of constants: compilers would replace a multiplication by these constants with
  // several instructions.
  uint64_t most = (uint64_t{1} << kBits) - 1;
  uint64_t lanes = kLanes;

  // Both buckets are read before the first comparison, since a branch between them would be
  // mispredicted often.
  [[gnu::always_inline]] inline bool EitherHolds(const unsigned char* bytes,
                                                 const CuckooPlace& place) const noexcept {
    const uint64_t wanted = place.fingerprint * lanes;
    const uint64_t first = BucketAt(bytes + place.first * (kBits / 2)) ^ wanted;
    const uint64_t second = BucketAt(bytes + place.second * (kBits / 2)) ^ wanted;
    constexpr uint64_t kOnes = kLanes | kAbove;
    return ((first ^ (first - kOnes)) & (second ^ (second - kOnes)) & kAbove) != kAbove;
  }
};

}  // namespace winnow::amq::internal

#endif  // WINNOW_AMQ_INTERNAL_CUCKOO_BUCKETS_H_
