// A Bloom filter for sets of unknown size: it grows as keys are added, and its rate stays below the
// one asked for.

#ifndef WINNOW_AMQ_SCALABLE_BLOOM_H_
#define WINNOW_AMQ_SCALABLE_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/amq/blocked_bloom.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

struct ScalableOptions {
  // The share of absent keys for which the filter says "may contain", however many keys are added:
  // kLowestRate to kHighestRate. But for absent keys with the hash of one of n others, of which
  // there are n / 2^64: they count into the rate of each filter, and pass it where its keys are too
  // many for the half of it.
  double rate = 0.01;

  // Keys of the first filter, about: 1 to kMostKeys.
  uint64_t first_capacity = 1000;

  // Keys of a filter to those of the one before it, 1.5 to 8.
  double growth = 2;

  // The rate of a filter to that of the one before it, 0.5 to 0.95. 10^6 keys at 1 % take 1.84
  // times a well-sized standard filter's bits at 0.8, and 2.56 times at 0.5 (scalable_bloom_test).
  double tightening = 0.8;
};

// Empty if every option is in its range, else a sentence that names the option, the value and the
// range. The constructor takes the nearest valid value.
WINNOW_EXPORT std::string CheckOptions(const ScalableOptions& options);

// Filters of growing size (Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom Filters", 2007),
// BlockedBloom each. The i-th takes keys as long as its fill ratio is at most 1/2 and its rate, by
// the bits that are set, below p_i = rate (1 - tightening) tightening^i; then the next key begins a
// new one. The sum of all p_i is the rate. A key sets at least ceil(log2(1/p_i)) bits; blocks of
// uneven fill want one more in places, and 40 at most.
//
// Lookups are safe from any number of threads while none adds. A filter that was moved from can
// only be destroyed or assigned to.
class WINNOW_EXPORT ScalableBloom {
 public:
  explicit ScalableBloom(const ScalableOptions& options);

  // False if the filter would have said "may contain" before. A few additions read all blocks of
  // the newest filter. Allocates when a new filter begins, and throws std::bad_alloc where there is
  // no memory: the key is then not in the filter, which is as it was.
  bool Add(KeyHash hash);

  // False only if no key with this hash was added. Asks the newest filter first.
  bool MayContain(KeyHash hash) const noexcept;

  // Forgets all keys and frees all filters but the first.
  void Clear() noexcept;

  // Bytes of the bits of all filters.
  size_t size_bytes() const noexcept;
  // In the order in which they were made; never empty.
  const std::vector<BlockedBloom>& filters() const noexcept { return filters_; }

  // How many additions changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // The share of all bits that are set, and of those of the newest filter, 0 to 1.
  double fill_ratio() const noexcept;
  double newest_fill_ratio() const noexcept { return filters_.back().fill_ratio(); }

  // The share of absent keys that the filter would say "may contain" to as it is now. Reads all
  // blocks.
  double expected_fpr() const noexcept;
  // The rate of the options.
  double planned_fpr() const noexcept { return options_.rate; }

  // The filter in bytes, the same on every machine (streams/amq/FORMAT.md): as a string, or written
  // to the serialized_size() bytes from this address on. Nothing may change the filter meanwhile.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // The filter of such bytes. Nothing if they are damaged, cut off or not those of a filter of this
  // kind: *reason is then a sentence that says what was expected, what was found and what to do.
  // Allocates hardly more than there are bytes, whatever they say; throws std::bad_alloc.
  static std::optional<ScalableBloom> Deserialize(std::string_view bytes, std::string* reason);

 private:
  ScalableBloom() = default;

  WINNOW_HIDDEN void BeginFilter();
  WINNOW_HIDDEN bool HasRoomFor(KeyHash hash);

  ScalableOptions options_;
  std::vector<BlockedBloom> filters_;
  std::vector<double> look_fills_;  // beyond which the filter of the same index may be full
  uint64_t added_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_SCALABLE_BLOOM_H_
