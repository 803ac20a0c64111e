// Memory for building a filter, measured in a child process, so that other allocations are not
// included.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_MEMORY_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_MEMORY_H_

#include <absl/status/statusor.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::bench {

struct FilterToBuild {
  std::string policy;  // argument of MakePolicy()
  uint64_t keys = 0;   // generated keys of 16 bytes
  int level = 0;
  int num_levels = 7;
  bool bottommost = false;
};

// Returns the peak resident memory while the filter is built and finished, minus that before, in
// bytes; includes the filter. Accurate to a few hundred kilobytes, since the kernel counts pages
// per processor. Runs this program as a child process, whose main() must begin with
// BuildMemoryProcess(). Returns an error if the child fails or /proc/self/status lacks the figures.
absl::StatusOr<uint64_t> PeakBuildMemory(const FilterToBuild& filter);

// Runs the child process and returns its exit status if the command line is that of such a process,
// else returns nullopt.
std::optional<int> BuildMemoryProcess(const std::vector<std::string>& words);

// Returns the context that RocksDB passes to a policy for a file of leveled compaction. `table` and
// `logger`, which may be null, must outlive the context.
rocksdb::FilterBuildingContext BuildingContext(const rocksdb::BlockBasedTableOptions& table,
                                               int level, int num_levels, bool bottommost,
                                               rocksdb::Logger* logger);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_MEMORY_H_
