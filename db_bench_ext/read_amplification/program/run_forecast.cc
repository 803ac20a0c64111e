#include "db_bench_ext/read_amplification/program/run_forecast.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>

#include "db_bench_ext/read_amplification/trees/tree_scale.h"

namespace winnow::bench {
namespace {

// Measured on a loaded two-processor cloud machine of 2026 with RocksDB 7.8.3, LZ4 and winnow:10:
// runs with values of 100 and 1000 bytes, once with all flushes left on level 0 (for the writes)
// and once with compactions (for the merges); lookups alternate between absent and present keys.
constexpr double kWriteSeconds = 3.6e-6;   // per key in a flushed file
constexpr double kMergeSeconds = 0.73e-6;  // per key of a merge
constexpr double kByteSeconds = 2.0e-9;    // per byte of either, in addition
constexpr double kLookupSeconds = 6e-6;

// File overhead per key: sequence number, lengths, index, and a filter of up to 20 bits.
constexpr uint64_t kFileBytesPerKey = 16;
// Memory of an open tree: a filter of up to 20 bits per key, and an index entry per block.
constexpr double kFilterBytesPerKey = 2.5;
constexpr uint64_t kIndexBytesPerBlock = 64;
constexpr uint64_t kProgram = 64 << 20;

std::string NeededBytes(uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= uint64_t{10} << 30) return absl::StrFormat("%.0f GiB", value / (1 << 30));
  if (bytes >= uint64_t{1} << 30) return absl::StrFormat("%.1f GiB", value / (1 << 30));
  return absl::StrFormat("%.0f MiB", value / (1 << 20));
}

std::string Time(double seconds) {
  if (seconds < 90) return absl::StrFormat("%.0f s", std::max(1.0, seconds));
  if (seconds < 5400) return absl::StrFormat("%.0f min", seconds / 60);
  return absl::StrFormat("%.1f h", seconds / 3600);
}

uint64_t MergeRoom(const TreeOptions& scaled, uint64_t tree_disk) {
  if (scaled.growth == GrowthKind::kPlanned) {
    // Input and output files of a merge: at most level 0 and the level below it.
    return std::min(tree_disk,
                    2 * (scaled.level0_file_num_compaction_trigger * scaled.write_buffer_size +
                         2 * scaled.max_bytes_for_level_base));
  }
  if (scaled.compaction_style == rocksdb::kCompactionStyleUniversal) return tree_disk;
  return tree_disk / 4;
}

// Returns how often a key is merged while the tree grows. For leveled compaction it is a curve
// through the results of planned growth with 4 to 12,000 flushes and size ratios from 2 to 20.
double MergesPerKey(const TreeOptions& scaled, uint64_t flushes) {
  const double doublings = std::log2(static_cast<double>(flushes) + 1);
  if (scaled.growth == GrowthKind::kRocksDB) {
    if (scaled.disable_auto_compactions ||
        scaled.compaction_style == rocksdb::kCompactionStyleFIFO) {
      return 0;
    }
    if (scaled.compaction_style == rocksdb::kCompactionStyleUniversal) return doublings;
  }
  return doublings * doublings / 5;
}

std::string Of(const std::optional<uint64_t>& bytes) {
  return bytes ? absl::StrCat(" (free: ", NeededBytes(*bytes), ")") : " (free: not known)";
}

}  // namespace

RunNeeds ForecastRun(const TreeOptions& scaled, const RunSize& size) {
  const uint64_t mean = MeanBytes(size.keys, size.key_bytes, scaled.value_size);
  RunNeeds needs;
  needs.key_memory = size.key_memory;
  const uint64_t blocks = size.keys * mean / std::max<uint64_t>(1, scaled.block_size) + 1;
  const uint64_t tree_memory =
      2 * scaled.write_buffer_size + scaled.cache_size +
      static_cast<uint64_t>(kFilterBytesPerKey * static_cast<double>(size.keys)) +
      kIndexBytesPerBlock * blocks;
  needs.memory = kProgram + needs.key_memory + tree_memory;

  needs.tree_disk = size.keys * (mean + kFileBytesPerKey);
  needs.disk = size.policies * needs.tree_disk + MergeRoom(scaled, needs.tree_disk);

  const double keys = static_cast<double>(size.keys);
  const double merged =
      keys * MergesPerKey(scaled, DivideUp(size.keys, KeysPerFlush(scaled, mean)));
  const double grow = keys * kWriteSeconds + merged * kMergeSeconds +
                      (keys + merged) * static_cast<double>(mean) * kByteSeconds;
  const double count = kLookupSeconds * static_cast<double>(size.lookups);
  needs.seconds = static_cast<double>(size.policies) *
                  (grow + count + kLookupSeconds * static_cast<double>(size.timed_lookups) +
                   size.timed_seconds);
  return needs;
}

absl::Status CheckRoom(const RunNeeds& needs, const Room& room) {
  if (room.memory && needs.memory > *room.memory) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the run needs about ", NeededBytes(needs.memory), " of memory (",
                     NeededBytes(needs.key_memory), " for keys), but ", NeededBytes(*room.memory),
                     " are free: give fewer --num; --plan says what a run needs"));
  }
  if (room.disk && needs.disk > *room.disk) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the run needs about ", NeededBytes(needs.disk), " of disk in ", room.folder,
                     " (", NeededBytes(needs.tree_disk), " a tree), but ", NeededBytes(*room.disk),
                     " are free: give fewer --num or --policies, a smaller --value_size, or "
                     "another --db; --plan "
                     "says what a run needs"));
  }
  return absl::OkStatus();
}

std::string NeedsText(const RunNeeds& needs, const Room& room) {
  return absl::StrCat("the run takes about ", Time(needs.seconds), ", ", NeededBytes(needs.memory),
                      " of memory", Of(room.memory), " and ", NeededBytes(needs.disk),
                      " of disk in ", room.folder, Of(room.disk));
}

}  // namespace winnow::bench
