// False-positive rates that a policy's filters may state, by its options. With level_plan=uniform,
// each filter, of any kind and size, states the rate of bits_per_key. With level_plan=auto and with
// filter_memory, filters may state any rate.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

struct RateRange {
  double least;
  double most;
  double usual;  // rate of bits_per_key
};

// Rates for all options that a policy and its predecessors have had in this process (SetOptions may
// replace a policy). So a worker's file with former options is no error, as the worker may have
// started with these. Thread-safe.
class StatedRates {
 public:
  // Maximum number of ranges. With more, filters may state any rate.
  static constexpr size_t kMostRanges = 64;

  StatedRates() { ranges_.reserve(kMostRanges); }

  // Adds the rates of these options. Options with which RocksDB builds its own filters add nothing.
  void Add(const PolicyOptions& options) noexcept;

  // Returns the range of the options that were added last if the rate is in none of the ranges,
  // within a tenth. Returns nullopt if it is in one, or if there are none.
  std::optional<RateRange> AskedInsteadOf(double rate) const noexcept;

 private:
  mutable std::mutex mutex_;
  std::vector<RateRange> ranges_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_
