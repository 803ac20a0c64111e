// Trees that grow a hundredfold while their filters are to fit into a memory that stays the same.

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

// A growing tree when it has so many keys.
struct GrowthLook {
  double keys = 0;
  double filter_bytes = 0;
  double false_reads = 0;  // expected of a lookup
};

// Lets compactions take in so many files for each one that is flushed, and no more, so that writes
// outrun them by the same on any machine. Release it before its database is closed.
class CompactionPace final : public rocksdb::EventListener {
 public:
  explicit CompactionPace(double files_a_flush) : files_a_flush_(files_a_flush) {}

  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;

  // Until no compaction runs but such as may not begin yet.
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
  // From the first look on, at which the filters took nearly all they may: shares of the memory.
  double most = 0;
  // While level 0 had at most a tenth of the keys, and the most files of it without filters then,
  // in the share of the looks that this is.
  double most_with_small_level_0 = 0;
  size_t without_filters = 0;
  double looks_with_small_level_0 = 0;
  // And the most files without filters of all levels, at any time.
  size_t all_without_filters = 0;
  double mean = 0;
  double least = 0;
  std::vector<GrowthLook> looks;  // at sizes that grow by the same factor
};

// Grows the tree, which is open, to ten times the keys for which the memory is meant, and looks
// from a tenth of these on. `pace`, of which the tree's database is told: null: the tree rests
// before each look.
absl::StatusOr<Growth> Grow(const LevelScenario& scenario, uint64_t keys, double memory,
                            CompactionPace* pace, LevelTree* tree,
                            const std::function<void(uint64_t done, uint64_t of)>& progress);

// False reads of the rivals, of which there are two or more, at the sizes and with the memory of
// these looks, on a geometric average over them, between the two that took more and less there; and
// those of the looks themselves. Looks where no two rivals are around it are left out.
struct GrowthComparison {
  double false_reads = 0;
  double rivals = 0;
  size_t looks = 0;
};
GrowthComparison Compare(const std::vector<GrowthLook>& looks,
                         const std::vector<std::vector<GrowthLook>>& rivals);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_
