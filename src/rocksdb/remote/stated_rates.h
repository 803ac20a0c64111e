// The false-positive rates that a policy's filters may state by its options. With
// level_plan=uniform each filter, of any kind and size, states the rate that bits_per_key means.
// With level_plan=auto small files have lower rates, and large ones up to kMostPlanned times that
// rate. With level_plan=learned and with filter_memory filters state any rate.

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
  double usual;  // that of bits_per_key
};

// For all policies that share what they know of files, as SetOptions may replace one by another:
// the rates by all options that they have had in this process. So a worker's file by former options
// is no fault, as the worker may have begun by these. Safe from any thread.
class StatedRates {
 public:
  // With more, filters may state any rate.
  static constexpr size_t kMostRanges = 64;
  // A file with a share s of a tree's keys has the rate s * 2^H with level_plan=auto, relative to
  // that of bits_per_key; H is the entropy of the shares in bits. That is 5.7 for half of the keys
  // beside 32 equal files.
  static constexpr double kMostPlanned = 8;

  StatedRates() { ranges_.reserve(kMostRanges); }

  // Options by which RocksDB builds its own filters add nothing.
  void Add(const PolicyOptions& options) noexcept;

  // The range of the options that were added last if the rate is in none of the ranges, within a
  // tenth. Unset if it is in one, or if there are none.
  std::optional<RateRange> AskedInsteadOf(double rate) const noexcept;

 private:
  mutable std::mutex mutex_;
  std::vector<RateRange> ranges_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_STATED_RATES_H_
