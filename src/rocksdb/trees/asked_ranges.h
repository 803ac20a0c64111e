// The ranges that scans of a tree asked for, and the kind of range filters that denies more of
// them.

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

// A sample of asked ranges, in memory alone, as it has keys. After kLeast of them a file's filters
// of both kinds are measured by it, and files behind it have the kind that won, until as many
// ranges as the sample has were sampled anew. Safe from any number of threads.
class AskedRanges {
 public:
  static constexpr size_t kMost = 128;
  static constexpr size_t kMostBytes = 64;  // of an end, which is cut there
  static constexpr uint64_t kLeast = 32;

  // A scan asked for [begin, end). Never waits: where another thread is here, nothing is noted.
  void Note(std::string_view begin, std::string_view end) noexcept;

  // Returns the plan by which a file's range filters are built. With a kind that goes by no scans,
  // drops the sample, and takes none from here on. May throw std::bad_alloc.
  core::TableRangePlan PlanFor(RangeKind kind, double range_bits);

  // A file was built by a plan with ranges to measure by. Returns a sentence for the LOG if another
  // kind is taken from now on; else it is empty. May throw std::bad_alloc.
  std::string Measured(RangeKind kind, const core::DeniedRanges& denied);

  // The kind that files have by default; by the keys until it was decided.
  core::RangeKinds decided() const noexcept;
  // A database's own process decided so, and tells it to a worker.
  void SetDecided(core::RangeKinds kinds) noexcept;

 private:
  // A kind is decided on by so many denied ranges, or by those of so many files: both kinds of each
  // are built meanwhile.
  static constexpr uint64_t kEnough = 16;
  static constexpr unsigned kMostFiles = 4;

  mutable std::mutex mutex_;
  std::vector<core::AskedRange> ranges_;
  uint64_t noted_ = 0;
  uint64_t random_ = 0x9e3779b97f4a7c15;
  core::RangeKinds decided_ = core::RangeKinds::kByKeys;
  uint64_t measure_from_ = kLeast;  // noted_ from which on files are measured
  std::atomic<bool> is_wanted_{true};
  // Since the kind was decided on.
  unsigned files_ = 0;
  uint64_t denied_by_positions_ = 0;
  uint64_t denied_by_trees_ = 0;
  // For kBoth, of all files, the latest counting most.
  double by_positions_ = 0;
  double by_trees_ = 0;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_ASKED_RANGES_H_
