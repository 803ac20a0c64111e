// Forecast of a run's time, memory and disk space, and whether the machine has enough.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_FORECAST_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_FORECAST_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>

#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

struct RunSize {
  uint64_t keys = 0;
  uint64_t key_bytes = 0;      // total
  uint64_t lookups = 0;        // counted lookups of all workloads, per policy
  uint64_t timed_lookups = 0;  // lookups of all workloads and rounds, per policy
  uint64_t policies = 1;
  uint64_t key_memory = 0;  // memory of the keys in bytes; none for computed keys
  double timed_seconds =
      0;  // timed seconds of all workloads and rounds, per policy, if rounds have a fixed duration
};

// Needs of the whole run, in bytes and seconds. Memory and disk are reasonable upper bounds. The
// time is that of otherwise idle processors; it follows from constants that were measured once
// (run_forecast.cc), and is accurate to a factor of about two.
struct RunNeeds {
  uint64_t key_memory = 0;  // keys in memory
  uint64_t memory = 0;
  uint64_t tree_disk = 0;  // disk space per tree
  uint64_t disk = 0;       // maximum; all trees exist at the end
  double seconds = 0;
};

// `scaled` must be from ScaleTree().
RunNeeds ForecastRun(const TreeOptions& scaled, const RunSize& size);

// Free memory and disk space of the machine, as far as known.
struct Room {
  std::optional<uint64_t> memory;
  std::optional<uint64_t> disk;
  std::string folder;  // folder on that disk
};

// Returns an error with the shortage and possible remedies if the needs exceed the room.
absl::Status CheckRoom(const RunNeeds& needs, const Room& room);

// Returns one sentence on the needs and the room.
std::string NeedsText(const RunNeeds& needs, const Room& room);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_RUN_FORECAST_H_
