// Forecast of what a run will take: time, memory, disk; and whether the machine has it.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_FORECAST_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_FORECAST_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/trees/tree_forecast.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

struct RunSize {
  uint64_t keys = 0;
  uint64_t key_bytes = 0;      // of all of them
  uint64_t lookups = 0;        // to count, of all workloads, by policy
  uint64_t timed_lookups = 0;  // of all workloads and rounds, by policy
  std::vector<std::string> policies;
  uint64_t trees_at_once = 1;
  uint64_t key_memory = 0;  // bytes that the keys take; computed ones take none
  double timed_seconds =
      0;  // of all workloads and rounds, by policy, where rounds last by the clock
  uint64_t trees_of_policy = 1;  // 2 with a sweep of caches
  uint64_t sweep_lookups = 0;    // of all points of it, by policy
  uint64_t largest_cache = 0;    // of it
};

// Needs of the whole run, in bytes and seconds. Memory and disk are bounds from above within
// reason; time is by constants that were measured once (run_forecast.cc), good to a factor of about
// two.
struct RunNeeds {
  uint64_t key_memory = 0;   // keys in memory
  uint64_t tree_memory = 0;  // of one tree: write buffer, block cache, filters and indexes
  uint64_t memory = 0;
  uint64_t tree_disk = 0;  // of one tree
  uint64_t disk = 0;       // at the worst moment; all trees are there at the end
  // Times of as many processors as trees are grown at a time, which do nothing else.
  double tree_seconds = 0;  // to grow one tree
  double seconds = 0;       // all
};

RunNeeds ForecastRun(const TreeOptions& scaled, const TreeForecast& tree, const RunSize& size);

// Room that the machine has, as far as it is known.
struct Room {
  std::optional<uint64_t> memory;
  std::optional<uint64_t> disk;
  std::string folder;  // the disk is that of this folder
};

// An error, which says what is missing and what to do, if the needs are above what there is.
absl::Status CheckRoom(const RunNeeds& needs, const Room& room);

// The text of --plan. `notes` are the sentences to know, without "Note:".
std::string PlanText(const TreeOptions& scaled, const TreeForecast& tree, const RunSize& size,
                     const RunNeeds& needs, const Room& room,
                     const std::vector<std::string>& notes);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_FORECAST_H_
