// How much memory building a filter takes, measured in a process of its own: what else happens in
// this one would be counted too.

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
  std::string policy;  // as MakePolicy takes it
  uint64_t keys = 0;   // generated ones of 16 bytes
  int level = 0;
  int num_levels = 7;
  bool bottommost = false;
};

// The most bytes that were resident while the filter was built and finished, above those before;
// the filter itself is among them. Good to a few hundred kilobytes, as the
// kernel counts pages by processor. Runs this very program, whose main()
// has to begin with BuildMemoryProcess. An error where that process fails or /proc/self/status does
// not tell.
absl::StatusOr<uint64_t> PeakBuildMemory(const FilterToBuild& filter);

// If the words of the command line are those of such a process: does its work, and gives the exit
// status.
std::optional<int> BuildMemoryProcess(const std::vector<std::string>& words);

// Returns what RocksDB tells a policy of the file that it is to build a filter for. A file of
// leveled compaction. `table` and `logger`, which may be null, outlive the context.
rocksdb::FilterBuildingContext BuildingContext(const rocksdb::BlockBasedTableOptions& table,
                                               int level, int num_levels, bool bottommost,
                                               rocksdb::Logger* logger);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_BUILD_MEMORY_H_
