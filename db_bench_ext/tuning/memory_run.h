// Trees that grow a hundredfold while their filters have a constant memory budget.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_
#define WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/listener.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/level_scenarios.h"
#include "db_bench_ext/tuning/level_tree.h"

namespace winnow::bench {

// Observation of a growing tree.
struct GrowthLook {
  double keys = 0;
  double filter_bytes = 0;
  double false_reads = 0;  // expected per lookup
};

// Limits compactions to a number of input files per flushed file, so that writes outpace them
// equally on all machines. Call Release() before the database is closed.
class CompactionPace final : public rocksdb::EventListener {
 public:
  explicit CompactionPace(double files_a_flush) : files_a_flush_(files_a_flush) {}

  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;

  // Waits until no compaction runs except those that must wait.
  void Rest(rocksdb::DB* db);
  void Release();

 private:
  const double files_a_flush_;
  std::mutex mutex_;
  std::condition_variable changed_;
  double may_take_ = 0;
  uint64_t waiting_ = 0;
  bool is_released_ = false;
};

struct Growth {
  // Shares of the memory, from the first observation on at which the filters took nearly all of it.
  double most = 0;
  // Maximum while level 0 had at most a tenth of the keys, maximum number of its files without
  // filters then, and share of such observations.
  double most_with_small_level_0 = 0;
  size_t without_filters = 0;
  double looks_with_small_level_0 = 0;
  // Maximum number of files without filters on all levels, at any time.
  size_t all_without_filters = 0;
  double mean = 0;
  double least = 0;
  std::vector<GrowthLook> looks;  // observations at geometrically growing sizes
};

// Grows the open tree to ten times the keys for which the memory is planned, and observes it from a
// tenth of these on. `pace` must be a listener of the tree's database; if null, the tree is idle at
// each observation.
absl::StatusOr<Growth> Grow(const LevelScenario& scenario, uint64_t keys, double memory,
                            CompactionPace* pace, LevelTree* tree,
                            const std::function<void(uint64_t done, uint64_t of)>& progress);

// False reads of the observations, and of at least two rivals at equal sizes and memory:
// interpolated between the two rivals with more and less memory, as a geometric mean over the
// observations. Observations without two such rivals are omitted.
struct GrowthComparison {
  double false_reads = 0;
  double rivals = 0;
  size_t looks = 0;
};
GrowthComparison Compare(const std::vector<GrowthLook>& looks,
                         const std::vector<std::vector<GrowthLook>>& rivals);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_
