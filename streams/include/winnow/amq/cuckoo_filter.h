// A filter that keys can be removed from, in about a fingerprint's bits a key; it refuses more keys
// than fit.

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

// Buckets of 4 fingerprints (Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically
// Better Than Bloom", 2014), any number of them. A key's fingerprint f, 1 to 2^bits - 1, lies in
// one of two buckets, i and j, with i + j = H(f) modulo the number of buckets, so that each follows
// from the other and f. A lookup compares 8 slots: at load a the rate is
//   1 - (1 - 1 / (2^bits - 1))^(8 a),
// and there are as many bits, 5 to 32, as the plan's rate wants at load 0.95. That is the load at
// which the plan's capacity fills very many buckets: ceil(capacity / 3.8), and six, as some of few
// keys have to share a bucket. The lowest rate is 1.8e-9.
//
// Lookups are safe from any number of threads while none inserts or removes. A filter that was
// moved from can only be destroyed or assigned to.
class WINNOW_EXPORT CuckooFilter {
 public:
  // See CheckPlan. Lower rates than 32 bits give count as theirs.
  explicit CuckooFilter(const Plan& plan);

  // False if there is no place for the key: the filter is then as it was, byte for byte, and does
  // not contain the key for it. That happens beyond the plan's capacity, and with more than 8
  // copies of one key (or of keys with one fingerprint in the same buckets; 4 if both are the same
  // bucket). Within the plan about one filter in 100,000 refuses a key, of 10 to 100 keys, and
  // fewer of more keys; one in 10,000 with fingerprints of 5 bits (cuckoo_filter_test). Takes up to
  // kMostBuckets reads of buckets.
  [[nodiscard]] bool Insert(KeyHash hash) noexcept;
  static constexpr unsigned kMostBuckets = 1024;

  // Removes one copy of the key. False, without a change, if the filter does not contain the key.
  // Removing a key that was not inserted is the caller's error: if it looks as if it were there,
  // another key is denied from then on.
  bool Remove(KeyHash hash) noexcept;

  // False only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // The same for n hashes in turn: faster, as the misses overlap in filters larger than the caches.
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Bytes of the slots.
  size_t size_bytes() const noexcept { return bytes_.size(); }
  uint64_t num_buckets() const noexcept { return buckets_; }
  unsigned fingerprint_bits() const noexcept { return bits_; }

  // Insertions less removals.
  uint64_t num_keys() const noexcept { return keys_; }

  // The load: the share of slots that are taken, 0 to 1.
  double fill_ratio() const noexcept;

  // The share of absent keys that the filter would say "may contain" to as it is now: the
  // share of pairs of a bucket and a fingerprint that meet a taken slot, and n / 2^64 for equal
  // hashes. Reads all buckets.
  double expected_fpr() const noexcept;
  // The same with `capacity` keys, as planned.
  double planned_fpr() const noexcept { return planned_fpr_; }

  // The slots, in the order of buckets, each of fingerprint_bits() bits from the lowest bit of the
  // first byte on; 0 where a slot is free. Valid until the filter is changed or destroyed.
  std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  // The filter in bytes, the same on every machine (streams/amq/FORMAT.md): as a string, or written
  // to the serialized_size() bytes from this address on. Nothing may change the filter meanwhile.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // The filter of such bytes. Nothing if they are damaged, cut off or not those of a filter of this
  // kind: *reason is then a sentence that says what was expected, what was found and what to do.
  // Allocates hardly more than there are bytes, whatever they say; throws std::bad_alloc.
  static std::optional<CuckooFilter> Deserialize(std::string_view bytes, std::string* reason);

 private:
  CuckooFilter() = default;
  WINNOW_HIDDEN void SetPlanned(uint64_t capacity) noexcept;

  using Place = internal::CuckooPlace;

  Place PlaceOf(KeyHash hash) const noexcept {
    return internal::CuckooPlaceOf(hash, buckets_, (uint64_t{1} << bits_) - 1);
  }
  // Where fingerprints have not 12 bits. Pure: loops over lookups keep the members in registers.
  [[gnu::pure]] bool MayContainOther(KeyHash hash) const noexcept;
  WINNOW_HIDDEN uint64_t OtherBucket(uint64_t bucket, uint64_t fingerprint) const noexcept;
  WINNOW_HIDDEN bool Has(uint64_t bucket, uint64_t fingerprint) const noexcept;
  WINNOW_HIDDEN bool Holds(const Place& place) const noexcept;
  WINNOW_HIDDEN bool Replace(uint64_t bucket, uint64_t value, uint64_t by) noexcept;
  // Makes room for the fingerprint and puts it there.
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
  // Read ahead of the branch: what is read behind one would be read for every key of a loop.
  const internal::Cuckoo12 twelve = twelve_;
  const uint64_t buckets = buckets_;
  const unsigned char* bytes = bytes_.data();
  if (__builtin_expect(bits_ != internal::Cuckoo12::kBits, 0)) return MayContainOther(hash);
  return twelve.EitherHolds(bytes, internal::CuckooPlaceOf(hash, buckets, twelve.most));
}

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_CUCKOO_FILTER_H_
