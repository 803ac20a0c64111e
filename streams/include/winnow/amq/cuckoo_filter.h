// Cuckoo filter: supports removals at about one fingerprint per key; insertions fail when the
// filter is full.

#ifndef WINNOW_AMQ_CUCKOO_FILTER_H_
#define WINNOW_AMQ_CUCKOO_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/amq/internal/cuckoo_buckets.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// Any number of buckets of 4 fingerprints (Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter:
// Practically Better Than Bloom", 2014). A key's fingerprint f, 1 to 2^bits - 1, lies in one of two
// buckets, i and j, with i + j = H(f) modulo the number of buckets, so that each bucket follows
// from the other one and f. A lookup compares 8 slots: at load a, the false-positive rate is
//   1 - (1 - 1 / (2^bits - 1))^(8 a).
// Fingerprints have as many bits, 5 to 32, as the plan's rate needs at load 0.95. The plan's
// capacity fills a large filter to this load: it has ceil(capacity / 3.8) buckets plus six, since
// some of few keys have to share a bucket. The lowest rate is 1.8e-9.
//
// Lookups are thread-safe while no thread inserts or removes keys. A moved-from filter can only be
// destroyed or assigned to.
class WINNOW_EXPORT CuckooFilter {
 public:
  // Creates an empty filter; see CheckPlan(). Rates below that of 32-bit fingerprints count as that
  // rate.
  explicit CuckooFilter(const Plan& plan);

  // Inserts a key. Returns false if there is no slot for the key: the filter is then unchanged,
  // byte for byte. That happens beyond the plan's capacity, and with more than 8 copies of one key
  // (or of keys with one fingerprint in the same buckets; 4 if both buckets are equal). Within the
  // plan, about one filter in 100,000 refuses a key if it has 10 to 100 keys, and fewer with more
  // keys; one in 10,000 with 5-bit fingerprints (cuckoo_filter_test). Reads at most kMostBuckets
  // buckets.
  [[nodiscard]] bool Insert(KeyHash hash) noexcept;
  static constexpr unsigned kMostBuckets = 1024;

  // Removes one copy of the key. Returns false, without a change, if the filter does not contain
  // the key. Removing a key that was not inserted is a caller's error: if the key is a false
  // positive, another key becomes a false negative.
  bool Remove(KeyHash hash) noexcept;

  // Returns false only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // Looks up n hashes. Faster than single lookups in filters larger than the caches, as the cache
  // misses overlap.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Size of the slots in bytes.
  size_t size_bytes() const noexcept { return bytes_.size(); }
  uint64_t num_buckets() const noexcept { return buckets_; }
  unsigned fingerprint_bits() const noexcept { return bits_; }

  // Number of insertions minus removals.
  uint64_t num_keys() const noexcept { return keys_; }

  // Load: the share of taken slots, 0 to 1.
  double fill_ratio() const noexcept;

  // Expected false-positive rate of the current content: the share of pairs of a bucket and a
  // fingerprint that match a taken slot, plus n / 2^64 for equal hashes. Reads all buckets.
  double expected_fpr() const noexcept;
  // Expected false-positive rate with `capacity` keys, as planned.
  double planned_fpr() const noexcept { return planned_fpr_; }

  // Returns the slots in the order of buckets, each of fingerprint_bits() bits, from the lowest bit
  // of the first byte on; 0 is a free slot. Valid until the filter is changed or destroyed.
  std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  // Return or write the serialized filter, identical on all machines (streams/amq/FORMAT.md). The
  // pointer version writes serialized_size() bytes. The filter must not change during the call.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // Reads a serialized filter. Returns nullopt if the bytes are damaged, truncated or not of a
  // filter of this kind; *reason is then an error message with the expected value, the found value
  // and what to do. Allocates hardly more than the size of `bytes`, whatever they contain; throws
  // std::bad_alloc.
  static std::optional<CuckooFilter> Deserialize(std::string_view bytes, std::string* reason);

 private:
  CuckooFilter() = default;
  WINNOW_HIDDEN void SetPlanned(uint64_t capacity) noexcept;

  using Place = internal::CuckooPlace;

  Place PlaceOf(KeyHash hash) const noexcept {
    return internal::CuckooPlaceOf(hash, buckets_, (uint64_t{1} << bits_) - 1);
  }
  // Lookup for fingerprints of other widths than 12 bits. Pure: loops over lookups keep the members
  // in registers.
  [[gnu::pure]] bool MayContainOther(KeyHash hash) const noexcept;
  WINNOW_HIDDEN uint64_t OtherBucket(uint64_t bucket, uint64_t fingerprint) const noexcept;
  WINNOW_HIDDEN bool Has(uint64_t bucket, uint64_t fingerprint) const noexcept;
  WINNOW_HIDDEN bool Holds(const Place& place) const noexcept;
  WINNOW_HIDDEN bool Replace(uint64_t bucket, uint64_t value, uint64_t by) noexcept;
  // Frees a slot by moving fingerprints, and stores the fingerprint there. Returns false if that is
  // impossible.
  WINNOW_HIDDEN bool Search(const Place& place) noexcept;

  std::vector<unsigned char> bytes_;
  uint64_t buckets_ = 1;
  unsigned bits_ = 5;
  uint64_t keys_ = 0;
  uint64_t capacity_ = 0;
  double planned_fpr_ = 0;
  internal::Cuckoo12 twelve_;
};

inline bool CuckooFilter::MayContain(KeyHash hash) const noexcept {
  // Loads the members ahead of the branch: loads behind it would be repeated for every key of a
  // loop.
  const internal::Cuckoo12 twelve = twelve_;
  const uint64_t buckets = buckets_;
  const unsigned char* bytes = bytes_.data();
  if (__builtin_expect(bits_ != internal::Cuckoo12::kBits, 0)) return MayContainOther(hash);
  return twelve.EitherHolds(bytes, internal::CuckooPlaceOf(hash, buckets, twelve.most));
}

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_CUCKOO_FILTER_H_
