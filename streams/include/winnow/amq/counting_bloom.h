// A Bloom filter that keys can be removed from, at four times the bits.

#ifndef WINNOW_AMQ_COUNTING_BLOOM_H_
#define WINNOW_AMQ_COUNTING_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

// Counters of 4 bits in the place of StandardBloom's bits (Fan, Cao, Almeida, Broder, "Summary
// Cache", 2000). A counter that has reached 15 stays there, whatever is removed: it may have
// counted more. Such stuck counters make the rate higher, never a key denied; their share is
// reported.
//
// A key may be added several times, and must then be removed as often. Removing a key that was not
// added is the caller's error: where the filter can see it, it refuses; where the key looks as if
// it were there, other keys are denied from then on.
//
// Lookups are safe from any number of threads while none adds or removes. A filter that was moved
// from can only be destroyed or assigned to.
class WINNOW_EXPORT CountingBloom {
 public:
  // See CheckPlan. The capacity is that of keys in the filter at one time.
  explicit CountingBloom(const Plan& plan);

  // False if the filter would have said "may contain" before. The key is counted all the same.
  bool Add(KeyHash hash) noexcept;

  // False, without a change, if the filter does not contain the key.
  bool Remove(KeyHash hash) noexcept;

  // False only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // The least of the key's counters, 0 to 15: how often the key is in the filter, or more; 15 also
  // stands for more than 15.
  unsigned EstimateCount(KeyHash hash) const noexcept;

  // Bytes of the counters, which are two to a byte.
  size_t size_bytes() const noexcept { return pairs_.size(); }
  uint64_t num_counters() const noexcept { return uint64_t{2} * pairs_.size(); }
  unsigned probes() const noexcept { return probes_; }

  // Additions less removals.
  uint64_t num_keys() const noexcept { return keys_; }

  // The share of counters that are not 0, and of those that are stuck at 15, 0 to 1.
  double fill_ratio() const noexcept;
  double saturated_share() const noexcept;

  // The share of absent keys that the filter would say "may contain" to as it is now:
  // fill_ratio()^k, and n / 2^64 for equal hashes.
  // Without the share of near keys, which counts at low rates (winnow/amq/standard_bloom.h).
  double expected_fpr() const noexcept;
  // The same with `capacity` keys, as planned: at most the plan's rate.
  double planned_fpr() const noexcept { return planned_fpr_; }

  // The filter in bytes, the same on every machine (streams/amq/FORMAT.md): as a string, or written
  // to the serialized_size() bytes from this address on. Nothing may change the filter meanwhile.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // The filter of such bytes. Nothing if they are damaged, cut off or not those of a filter of this
  // kind: *reason is then a sentence that says what was expected, what was found and what to do.
  // Allocates hardly more than there are bytes, whatever they say; throws std::bad_alloc.
  static std::optional<CountingBloom> Deserialize(std::string_view bytes, std::string* reason);

 private:
  CountingBloom() = default;
  WINNOW_HIDDEN void SetPlanned(uint64_t capacity) noexcept;

  std::vector<uint8_t> pairs_;
  uint64_t used_ = 0;       // counters that are not 0
  uint64_t saturated_ = 0;  // counters that are stuck
  uint64_t keys_ = 0;
  unsigned probes_ = 1;
  uint64_t capacity_ = 0;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_COUNTING_BLOOM_H_
