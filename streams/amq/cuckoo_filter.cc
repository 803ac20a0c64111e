#include "winnow/amq/cuckoo_filter.h"

#include <algorithm>
#include <cmath>

#include "streams/amq/large_memory.h"
#include "streams/amq/mix.h"
#include "streams/amq/packed_slots.h"
#include "streams/amq/plan.h"
#include "streams/amq/serialized.h"
#include "streams/amq/shapes.h"

namespace winnow::amq {
namespace {

constexpr unsigned kSlots = 4;
constexpr size_t kBytesBehind = 7;  // padding that PackedBytes() adds
constexpr double kPlannedLoad = 0.95;
// Additional buckets for filters with few keys, some of which may have to share a bucket.
constexpr uint64_t kSpareBuckets = 6;
constexpr unsigned kMinBits = 5;
constexpr unsigned kMaxBits = 32;

using internal::Lanes;

// Maximum width of fingerprints that are processed four at once, as SIMD-within-a-register lanes: a
// bucket begins in bit 0 or 4 of a byte, so that 8 bytes contain all of it.
constexpr unsigned kMaxLaneBits = 16;

// A bucket of fingerprints of up to kMaxLaneBits bits.
struct Bucket {
  uint64_t at;      // offset of its first byte
  unsigned shift;   // position of its first bit in that byte
  uint64_t values;  // the bucket's bits, and bits behind them

  Bucket(const unsigned char* bytes, uint64_t bucket, unsigned bits) noexcept {
    const uint64_t bit = bucket * (kSlots * bits);
    at = bit / 8;
    shift = bit % 8;
    values = internal::BucketAt(bytes + at) >> shift;
  }

  // Returns a mask with the highest bit of the first lane with this value, and possibly of higher
  // lanes; 0 if no lane has the value (Mycroft's zero test).
  uint64_t Find(uint64_t value, uint64_t lanes, unsigned bits) const noexcept {
    return internal::ZeroLanes(values ^ value * lanes, lanes) & lanes << (bits - 1);
  }

  // XORs `difference` into the first lane of `found`.
  void Change(unsigned char* bytes, uint64_t found, unsigned bits,
              uint64_t difference) const noexcept {
    const unsigned lane = static_cast<unsigned>(__builtin_ctzll(found)) - (bits - 1);
    const uint64_t old = formulas::LoadLittle64(bytes + at);
    formulas::StoreLittle64(bytes + at, old ^ difference << (lane + shift));
  }
};

// A node of the search: a bucket that is reached by moving a fingerprint out of another bucket.
struct Step {
  uint64_t bucket;
  int from;       // index of the step of that bucket; -1 for the key's own buckets
  unsigned slot;  // slot of the moved fingerprint in that bucket
};

bool WasOnTheWay(const Step* steps, int step, uint64_t bucket) noexcept {
  for (; step >= 0; step = steps[step].from) {
    if (steps[step].bucket == bucket) return true;
  }
  return false;
}

}  // namespace

double CuckooRate(double load, unsigned bits) noexcept {
  const double one_slot = 1 / static_cast<double>(LowBits(bits));
  return -std::expm1(2 * kSlots * load * std::log1p(-one_slot));
}

CuckooShape ShapeOfCuckoo(const Plan& plan) noexcept {
  CuckooShape shape;
  const double slots = static_cast<double>(plan.capacity) / kPlannedLoad;
  shape.buckets = static_cast<uint64_t>(std::ceil(slots / kSlots)) + kSpareBuckets;
  shape.bits = kMinBits;
  const double rate = OwnRate(plan);
  while (shape.bits < kMaxBits && CuckooRate(kPlannedLoad, shape.bits) > rate) ++shape.bits;
  return shape;
}

CuckooFilter::CuckooFilter(const Plan& plan) {
  const Plan valid = NearestValid(plan);
  const CuckooShape shape = ShapeOfCuckoo(valid);
  buckets_ = shape.buckets;
  bits_ = shape.bits;
  const size_t size = PackedBytes(buckets_ * kSlots, bits_);
  bytes_.reserve(size);
  AskForHugePages(bytes_.data(), size);
  bytes_.resize(size);
  SetPlanned(valid.capacity);
}

void CuckooFilter::SetPlanned(uint64_t capacity) noexcept {
  capacity_ = capacity;
  const double load = static_cast<double>(capacity) / (static_cast<double>(buckets_) * kSlots);
  planned_fpr_ = std::min(1.0, CuckooRate(std::min(load, 1.0), bits_) + EqualHashRate(capacity));
}

inline uint64_t CuckooFilter::OtherBucket(uint64_t bucket, uint64_t fingerprint) const noexcept {
  return internal::OtherBucket(bucket, fingerprint, buckets_);
}

inline bool CuckooFilter::Has(uint64_t bucket, uint64_t fingerprint) const noexcept {
  const unsigned char* bytes = bytes_.data();
  bool found = false;
  for (unsigned i = 0; i < kSlots; ++i) {
    found |= GetSlot(bytes, bucket * kSlots + i, bits_) == fingerprint;
  }
  return found;
}

// Replaces `value` by `by` in the first slot of the bucket that has it. Returns false if no slot
// has it.
inline bool CuckooFilter::Replace(uint64_t bucket, uint64_t value, uint64_t by) noexcept {
  unsigned char* bytes = bytes_.data();
  if (bits_ <= kMaxLaneBits) {
    const Bucket at(bytes, bucket, bits_);
    const uint64_t found = at.Find(value, Lanes(bits_), bits_);
    if (found == 0) return false;
    at.Change(bytes, found, bits_, value ^ by);
    return true;
  }
  for (uint64_t slot = bucket * kSlots; slot < (bucket + 1) * kSlots; ++slot) {
    if (GetSlot(bytes, slot, bits_) != value) continue;
    SetSlot(bytes, slot, bits_, by);
    return true;
  }
  return false;
}

bool CuckooFilter::Insert(KeyHash hash) noexcept {
  const Place place = PlaceOf(hash);
  if (!Replace(place.first, 0, place.fingerprint) && !Replace(place.second, 0, place.fingerprint) &&
      !Search(place)) {
    return false;
  }
  ++keys_;
  return true;
}

// Searches breadth-first for a free slot, and moves nothing before it is found: a refused key
// leaves no trace, and the fewest fingerprints move. Requires that the key's own buckets are full.
bool CuckooFilter::Search(const Place& place) noexcept {
  unsigned char* bytes = bytes_.data();
  Step steps[kMostBuckets];
  int count = 0;
  steps[count++] = {place.first, -1, 0};
  if (place.second != place.first) steps[count++] = {place.second, -1, 0};
  for (int at = 0; at < count; ++at) {
    const uint64_t bucket = steps[at].bucket;
    uint64_t fingerprints[kSlots];
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      fingerprints[slot] = GetSlot(bytes, bucket * kSlots + slot, bits_);
    }
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (fingerprints[slot] == 0) {
        uint64_t free = bucket * kSlots + slot;
        for (int step = at; steps[step].from >= 0; step = steps[step].from) {
          const uint64_t moved = steps[steps[step].from].bucket * kSlots + steps[step].slot;
          SetSlot(bytes, free, bits_, GetSlot(bytes, moved, bits_));
          free = moved;
        }
        SetSlot(bytes, free, bits_, place.fingerprint);
        return true;
      }
    }
    for (unsigned slot = 0; slot < kSlots && count < static_cast<int>(kMostBuckets); ++slot) {
      const uint64_t other = OtherBucket(bucket, fingerprints[slot]);
      if (WasOnTheWay(steps, at, other)) continue;
      __builtin_prefetch(bytes + other * (kSlots * bits_) / 8, 1);
      steps[count++] = {other, at, slot};
    }
  }
  return false;
}

bool CuckooFilter::Remove(KeyHash hash) noexcept {
  const Place place = PlaceOf(hash);
  // The second bucket is prefetched, because reading it may have to wait for the first one.
  __builtin_prefetch(bytes_.data() + place.second * (kSlots * bits_) / 8, 1);
  if (!Replace(place.first, place.fingerprint, 0) && !Replace(place.second, place.fingerprint, 0)) {
    return false;
  }
  --keys_;
  return true;
}

[[gnu::always_inline]] inline bool CuckooFilter::Holds(const Place& place) const noexcept {
  if (bits_ <= kMaxLaneBits) {
    const uint64_t lanes = Lanes(bits_);
    const Bucket first(bytes_.data(), place.first, bits_);
    const Bucket second(bytes_.data(), place.second, bits_);
    return (first.Find(place.fingerprint, lanes, bits_) |
            second.Find(place.fingerprint, lanes, bits_)) != 0;
  }
  return Has(place.first, place.fingerprint) || Has(place.second, place.fingerprint);
}

bool CuckooFilter::MayContainOther(KeyHash hash) const noexcept { return Holds(PlaceOf(hash)); }

void CuckooFilter::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  if (bits_ == internal::Cuckoo12::kBits && bytes_.size() <= kBytesInCaches) {
    for (size_t i = 0; i < n; ++i) results[i] = MayContain(hashes[i]);
    return;
  }
  // Prefetch distance, in keys.
  constexpr size_t kAhead = 16;
  Place places[kAhead];
  const unsigned bucket_bits = kSlots * bits_;
  const auto bring = [&](size_t i) {
    Place& place = places[i % kAhead];
    place = PlaceOf(hashes[i]);
    __builtin_prefetch(bytes_.data() + place.first * bucket_bits / 8);
    __builtin_prefetch(bytes_.data() + place.second * bucket_bits / 8);
  };
  for (size_t i = 0; i < std::min(n, kAhead); ++i) bring(i);
  for (size_t i = 0; i < n; ++i) {
    results[i] = Holds(places[i % kAhead]);
    if (i + kAhead < n) bring(i + kAhead);
  }
}

double CuckooFilter::fill_ratio() const noexcept {
  return static_cast<double>(keys_) / (static_cast<double>(buckets_) * kSlots);
}

// A lookup is a random bucket and a random fingerprint. It matches a stored fingerprint in either
// of the fingerprint's two buckets; copies of a fingerprint in both buckets count once.
double CuckooFilter::expected_fpr() const noexcept {
  uint64_t met = 0;
  for (uint64_t bucket = 0; bucket < buckets_; ++bucket) {
    uint64_t slots[kSlots];
    for (unsigned i = 0; i < kSlots; ++i) {
      slots[i] = GetSlot(bytes_.data(), bucket * kSlots + i, bits_);
      if (slots[i] == 0 || std::find(slots, slots + i, slots[i]) != slots + i) continue;
      met += Has(OtherBucket(bucket, slots[i]), slots[i]) ? 1 : 2;
    }
  }
  const double queries = static_cast<double>(buckets_) * static_cast<double>(LowBits(bits_));
  return std::min(1.0, static_cast<double>(met) / queries + EqualHashRate(keys_));
}

size_t CuckooFilter::serialized_size() const noexcept {
  return kHeaderBytes + bytes_.size() - kBytesBehind;
}

std::string CuckooFilter::Serialize() const {
  std::string bytes(serialized_size(), 0);
  Serialize(bytes.data());
  return bytes;
}

void CuckooFilter::Serialize(char* bytes) const noexcept {
  auto* to = reinterpret_cast<unsigned char*>(bytes);
  const size_t size = bytes_.size() - kBytesBehind;
  std::copy_n(bytes_.begin(), size, to + kHeaderBytes);
  Header header;
  header.kind = Serialized::kCuckooFilter;
  header.a = static_cast<uint8_t>(bits_);
  header.payload = size;
  header.count = buckets_;
  header.keys = keys_;
  header.x = capacity_;
  WriteHeader(header, to);
}

std::optional<CuckooFilter> CuckooFilter::Deserialize(std::string_view bytes, std::string* reason) {
  constexpr auto kKind = Serialized::kCuckooFilter;
  // The limit guarantees that the number of bits fits in 64 bits.
  constexpr uint64_t kMaxBucketsOfBytes = uint64_t{1} << 50;
  Header header;
  *reason = ReadHeader(bytes, kKind, &header);
  if (!reason->empty()) return std::nullopt;
  if (header.a < kMinBits || header.a > kMaxBits) {
    *reason = OutOfRange(kKind, "bits of a fingerprint", uint64_t{header.a}, kMinBits, kMaxBits);
  } else if (header.count < 1 || header.count > kMaxBucketsOfBytes) {
    *reason = OutOfRange(kKind, "buckets", header.count, 1, kMaxBucketsOfBytes);
  } else if (const uint64_t size = PackedBytes(header.count * kSlots, header.a) - kBytesBehind;
             header.payload != size) {
    *reason = Contradiction(kKind, "the number of bytes of the buckets", header.payload, size);
  } else if (header.x > kMostKeys) {
    *reason = OutOfRange(kKind, "planned keys", header.x, 0, kMostKeys);
  } else if (header.b != 0 || header.y != 0) {
    *reason =
        Contradiction(kKind, "the numbers that this kind does not use", header.b | header.y, 0);
  }
  if (!reason->empty()) return std::nullopt;

  CuckooFilter filter;
  filter.bytes_.reserve(header.payload + kBytesBehind);
  filter.bytes_.assign(bytes.begin() + kHeaderBytes, bytes.end());
  filter.bytes_.resize(header.payload + kBytesBehind);
  filter.buckets_ = header.count;
  filter.bits_ = header.a;
  filter.SetPlanned(header.x);
  for (uint64_t slot = 0; slot < filter.buckets_ * kSlots; ++slot) {
    filter.keys_ += GetSlot(filter.bytes_.data(), slot, filter.bits_) != 0;
  }
  if (filter.keys_ != header.keys) {
    *reason = Contradiction(kKind, "the number of keys", header.keys, filter.keys_);
    return std::nullopt;
  }
  const unsigned used = static_cast<unsigned>(filter.buckets_ * kSlots * filter.bits_ % 8);
  if (used != 0 && filter.bytes_[header.payload - 1] >> used != 0) {
    *reason = Contradiction(kKind, "the bits behind the last slot",
                            uint64_t{filter.bytes_[header.payload - 1]} >> used, 0);
    return std::nullopt;
  }
  return filter;
}

}  // namespace winnow::amq
