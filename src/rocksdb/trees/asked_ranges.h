// Sample of the ranges of scans in a tree, and the kind of range filter that denies more of them.

#ifndef WINNOW_SRC_ROCKSDB_TREES_ASKED_RANGES_H_
#define WINNOW_SRC_ROCKSDB_TREES_ASKED_RANGES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/ranges/table_range_builder.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Sample of scanned ranges, only in memory, as it contains keys. With at least kLeast ranges,
// filters of both kinds are measured on it, and later files get the kind that won, until as many
// new ranges as the sample has were noted. Thread-safe.
class AskedRanges {
 public:
  static constexpr size_t kMost = 128;
  static constexpr size_t kMostBytes = 64;  // maximum length of a bound, which is truncated
  static constexpr uint64_t kLeast = 32;

  // Samples a scan of [begin, end). Best-effort: if another thread holds the lock, nothing is
  // recorded.
  void Note(std::string_view begin, std::string_view end) noexcept;

  // Returns the plan for a file's range filters. If `kind` does not depend on scans, drops the
  // sample, and takes none from here on. May throw std::bad_alloc.
  core::TableRangePlan PlanFor(RangeKind kind, double range_bits);

  // Records the measurements of a file that was built by a plan with ranges. Returns a sentence for
  // the LOG if another kind is chosen from now on, else an empty string. May throw std::bad_alloc.
  std::string Measured(const core::DeniedRanges& denied);

  // Returns the kind of new files; kByKeys until one was chosen.
  core::RangeKinds decided() const noexcept;
  // Sets the kind that the database's own process chose, in a worker.
  void SetDecided(core::RangeKinds kinds) noexcept;

 private:
  // A kind is chosen after this many denied ranges, if one kind denies half as many again as the
  // other, or after this many files; both kinds of each are built until then.
  static constexpr uint64_t kEnough = 16;
  static constexpr unsigned kMostFiles = 4;

  mutable std::mutex mutex_;
  std::vector<core::AskedRange> ranges_;
  uint64_t noted_ = 0;
  uint64_t random_ = 0x9e3779b97f4a7c15;
  core::RangeKinds decided_ = core::RangeKinds::kByKeys;
  uint64_t measure_from_ = kLeast;  // value of noted_ at which measuring starts
  std::atomic<bool> is_wanted_{true};
  // Sums since the kind was chosen.
  unsigned files_ = 0;
  uint64_t denied_by_positions_ = 0;
  uint64_t denied_by_trees_ = 0;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_ASKED_RANGES_H_
