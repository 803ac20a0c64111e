// Scalable Bloom filter: grows as keys are added, and keeps its rate below the requested one.

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
  // False-positive rate for any number of keys: kLowestRate to kHighestRate. Absent keys with the
  // hash of one of n keys, n / 2^64 of all, count into the rate of each filter, and exceed it if
  // the filter's keys are too many for half of it.
  double rate = 0.01;

  // Approximate number of keys in the first filter, 1 to kMostKeys.
  uint64_t first_capacity = 1000;

  // Ratio of a filter's keys to those of the preceding filter, 1.5 to 8.
  double growth = 2;

  // Ratio of a filter's rate to that of the preceding filter, 0.5 to 0.95. 10^6 keys at 1 % take
  // 1.84 times the bits of a standard filter of the right size at 0.8, and 2.56 times at 0.5
  // (scalable_bloom_test).
  double tightening = 0.8;
};

// Returns an empty string if every option is in range, else an error message that names the option,
// the value and the range. The constructor uses the nearest valid value.
WINNOW_EXPORT std::string CheckOptions(const ScalableOptions& options);

// BlockedBloom filters of growing size (Almeida, Baquero, Preguica, Hutchison, "Scalable Bloom
// Filters", 2007). The i-th filter takes keys as long as its fill ratio is at most 1/2 and its
// rate, by its set bits, is below p_i = rate (1 - tightening) tightening^i; the next key then
// begins a new filter. The sum of all p_i is the rate. A key sets at least ceil(log2(1/p_i)) bits,
// sometimes one more because blocks are unevenly filled, and at most 40.
//
// Lookups are thread-safe while no thread adds keys. A moved-from filter can only be destroyed or
// assigned to.
class WINNOW_EXPORT ScalableBloom {
 public:
  explicit ScalableBloom(const ScalableOptions& options);

  // Adds a key. Returns false if the filter already contained it or a false positive. A few
  // additions read all blocks of the newest filter. Allocates when a new filter begins, and throws
  // std::bad_alloc if out of memory: the key is then not in the filter, which is unchanged.
  bool Add(KeyHash hash);

  // Returns false only if no key with this hash was added. Checks the newest filter first.
  bool MayContain(KeyHash hash) const noexcept;

  // Removes all keys and frees all filters except the first.
  void Clear() noexcept;

  // Size of the bits of all filters in bytes.
  size_t size_bytes() const noexcept;
  // Filters in order of creation; never empty.
  const std::vector<BlockedBloom>& filters() const noexcept { return filters_; }

  // Number of additions that changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // Share of set bits, 0 to 1, of all filters and of the newest filter.
  double fill_ratio() const noexcept;
  double newest_fill_ratio() const noexcept { return filters_.back().fill_ratio(); }

  // Expected false-positive rate of the current content. Reads all blocks.
  double expected_fpr() const noexcept;
  // Rate of the options.
  double planned_fpr() const noexcept { return options_.rate; }

  // Return or write the serialized filter, identical on all machines (streams/amq/FORMAT.md). The
  // pointer version writes serialized_size() bytes. The filter must not change during the call.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // Reads a serialized filter. Returns nullopt if the bytes are damaged, truncated or not of a
  // filter of this kind; *reason is then an error message with the expected value, the found value
  // and what to do. Allocates hardly more than the size of `bytes`, whatever they contain; throws
  // std::bad_alloc.
  static std::optional<ScalableBloom> Deserialize(std::string_view bytes, std::string* reason);

 private:
  ScalableBloom() = default;

  WINNOW_HIDDEN void BeginFilter();
  WINNOW_HIDDEN bool HasRoomFor(KeyHash hash);

  ScalableOptions options_;
  std::vector<BlockedBloom> filters_;
  std::vector<double> look_fills_;  // fill from which on the filter of this index may be full
  uint64_t added_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_SCALABLE_BLOOM_H_
