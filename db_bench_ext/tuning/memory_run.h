// Trees that grow a hundredfold while their filters are to fit into a memory that stays the same.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_
#define WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
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

struct Growth {
  // From the first look on, at which the filters took nearly all they may: shares of the memory.
  double most = 0;
  double mean = 0;
  double least = 0;
  std::vector<GrowthLook> looks;  // at sizes that grow by the same factor
};

// Grows the tree, which is open, to ten times the keys for which the memory is meant, and looks
// from a tenth of these on.
absl::StatusOr<Growth> Grow(const LevelScenario& scenario, uint64_t keys, double memory,
                            LevelTree* tree,
                            const std::function<void(uint64_t done, uint64_t of)>& progress);

// What the rivals, of which there are two or more, would read falsely at the sizes and with the
// memory of these looks, on a geometric average over them, between the two that took more and less
// there; and what the looks say themselves. Looks where no two rivals are around it are left out.
struct GrowthComparison {
  double false_reads = 0;
  double rivals = 0;
  size_t looks = 0;
};
GrowthComparison Compare(const std::vector<GrowthLook>& looks,
                         const std::vector<std::vector<GrowthLook>>& rivals);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_MEMORY_RUN_H_
