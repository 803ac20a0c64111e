// Counting Bloom filter: supports removals, at four times the bits.

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

// A filter with 4-bit counters instead of StandardBloom's bits (Fan, Cao, Almeida, Broder, "Summary
// Cache", 2000). A counter that has reached 15 is saturated: removals leave it unchanged, as its
// true count may be higher. Saturated counters raise the false-positive rate, but never cause false
// negatives; their share is reported.
//
// A key may be added several times, and must then be removed as many times. Removing a key that was
// not added is a caller's error: the filter refuses if it can detect this; if the key is a false
// positive, other keys become false negatives.
//
// Lookups are thread-safe while no thread adds or removes keys. A moved-from filter can only be
// destroyed or assigned to.
class WINNOW_EXPORT CountingBloom {
 public:
  // Creates an empty filter; see CheckPlan(). The capacity is the maximum number of keys in the
  // filter at one time.
  explicit CountingBloom(const Plan& plan);

  // Adds a key. Returns false if the filter already contained it or a false positive; the key is
  // counted in any case.
  bool Add(KeyHash hash) noexcept;

  // Removes a key. Returns false, without a change, if the filter does not contain the key.
  bool Remove(KeyHash hash) noexcept;

  // Returns false only if no key with this hash is in the filter.
  bool MayContain(KeyHash hash) const noexcept;

  // Returns the minimum of the key's counters, 0 to 15: an upper bound of how often the key is in
  // the filter, except that 15 also stands for more than 15.
  unsigned EstimateCount(KeyHash hash) const noexcept;

  // Size of the counters in bytes, two counters per byte.
  size_t size_bytes() const noexcept { return pairs_.size(); }
  uint64_t num_counters() const noexcept { return uint64_t{2} * pairs_.size(); }
  unsigned probes() const noexcept { return probes_; }

  // Number of additions minus removals.
  uint64_t num_keys() const noexcept { return keys_; }

  // Shares of nonzero counters, and of counters that are saturated at 15, 0 to 1.
  double fill_ratio() const noexcept;
  double saturated_share() const noexcept;

  // Expected false-positive rate of the current content: fill_ratio()^k plus n / 2^64 for equal
  // hashes. Does not include the effect of similar keys, which matters at low rates
  // (winnow/amq/standard_bloom.h).
  double expected_fpr() const noexcept;
  // Expected false-positive rate with `capacity` keys: at most the plan's rate.
  double planned_fpr() const noexcept { return planned_fpr_; }

  // Return or write the serialized filter, identical on all machines (streams/amq/FORMAT.md). The
  // pointer version writes serialized_size() bytes. The filter must not change during the call.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // Reads a serialized filter. Returns nullopt if the bytes are damaged, truncated or not of a
  // filter of this kind; *reason is then an error message with the expected value, the found value
  // and what to do. Allocates hardly more than the size of `bytes`, whatever they contain; throws
  // std::bad_alloc.
  static std::optional<CountingBloom> Deserialize(std::string_view bytes, std::string* reason);

 private:
  CountingBloom() = default;
  WINNOW_HIDDEN void SetPlanned(uint64_t capacity) noexcept;

  std::vector<uint8_t> pairs_;
  uint64_t used_ = 0;       // nonzero counters
  uint64_t saturated_ = 0;  // counters saturated at 15
  uint64_t keys_ = 0;
  unsigned probes_ = 1;
  uint64_t capacity_ = 0;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_COUNTING_BLOOM_H_
