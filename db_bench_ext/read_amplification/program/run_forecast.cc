#include "db_bench_ext/read_amplification/program/run_forecast.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "db_bench_ext/read_amplification/trees/tree_scale.h"
#include "src/text/text_table.h"

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

const char* BasisText(ForecastBasis basis) {
  switch (basis) {
    case ForecastBasis::kPlan:
      return "The tree, for every policy the same; fewer files where the data compress:";
    case ForecastBasis::kSamePlan:
      return "About this tree, as RocksDB's own leveled compaction has more rules than this "
             "forecast, and trees differ by policy:";
    case ForecastBasis::kNoMerges:
      return "The tree, where nothing is merged; about so many files, as RocksDB's write buffer "
             "has other bytes in it than keys and values:";
    case ForecastBasis::kBound:
      break;
  }
  return "Universal compaction decides the shape as it goes; after a full merge it would be:";
}

std::string TreeText(const TreeForecast& tree, uint64_t mean_bytes) {
  using inspect::Align;
  inspect::TextTable table({{"level", Align::kLeft},
                            {"files", Align::kRight},
                            {"keys", Align::kRight},
                            {"keys and values", Align::kRight}});
  table.Underline();
  for (const inspect::LevelShape& level : tree.tree) {
    table.AddRow({absl::StrCat(level.level), absl::StrCat(level.files), absl::StrCat(level.keys),
                  NeededBytes(level.keys * mean_bytes)});
  }
  return table.ToString();
}

std::string Of(const std::optional<uint64_t>& bytes) {
  return bytes ? absl::StrCat(" (free: ", NeededBytes(*bytes), ")") : " (free: not known)";
}

}  // namespace

RunNeeds ForecastRun(const TreeOptions& scaled, const TreeForecast& tree, const RunSize& size) {
  const uint64_t mean = MeanBytes(size.keys, size.key_bytes, scaled.value_size);
  const uint64_t policies = std::max<size_t>(1, size.policies.size());
  const uint64_t at_once = std::clamp<uint64_t>(size.trees_at_once, 1, policies);

  RunNeeds needs;
  needs.key_memory = size.key_memory;
  const uint64_t blocks = size.keys * mean / std::max<uint64_t>(1, scaled.block_size) + 1;
  needs.tree_memory = 2 * scaled.write_buffer_size + scaled.cache_size +
                      static_cast<uint64_t>(kFilterBytesPerKey * static_cast<double>(size.keys)) +
                      kIndexBytesPerBlock * blocks;
  needs.memory = kProgram + needs.key_memory + at_once * needs.tree_memory;

  needs.tree_disk = size.keys * (mean + kFileBytesPerKey);
  needs.disk = policies * needs.tree_disk + at_once * MergeRoom(scaled, needs.tree_disk);

  const double keys = static_cast<double>(size.keys);
  const double merged = static_cast<double>(tree.merged_keys);
  needs.tree_seconds = keys * kWriteSeconds + merged * kMergeSeconds +
                       (keys + merged) * static_cast<double>(mean) * kByteSeconds;
  const double count = kLookupSeconds * static_cast<double>(size.lookups);
  const double rounds = static_cast<double>((policies + at_once - 1) / at_once);
  needs.seconds =
      rounds * (needs.tree_seconds + count) +
      static_cast<double>(policies) *
          (kLookupSeconds * static_cast<double>(size.timed_lookups) + size.timed_seconds);
  return needs;
}

absl::Status CheckRoom(const RunNeeds& needs, const Room& room) {
  if (room.memory && needs.memory > *room.memory) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the run needs about ", NeededBytes(needs.memory), " of memory (",
        NeededBytes(needs.key_memory), " for keys), but ", NeededBytes(*room.memory),
        " are free: give fewer --num, or grow fewer trees with --trees_at_once; --plan "
        "says what a run needs"));
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

std::string PlanText(const TreeOptions& scaled, const TreeForecast& tree, const RunSize& size,
                     const RunNeeds& needs, const Room& room,
                     const std::vector<std::string>& notes) {
  const uint64_t mean = MeanBytes(size.keys, size.key_bytes, scaled.value_size);
  std::string text = absl::StrFormat(
      "%d keys, %d bytes each with its value; flushes of %d bytes, files of %d, the first merged "
      "level of %d, each next one %g times as large%s.\n",
      size.keys, mean, scaled.write_buffer_size, scaled.target_file_size_base,
      scaled.max_bytes_for_level_base, scaled.max_bytes_for_level_multiplier,
      scaled.level_compaction_dynamic_level_bytes ? ", dynamic" : "");
  absl::StrAppend(&text, "\n", BasisText(tree.basis), "\n\n", TreeText(tree, mean), "\n");
  absl::StrAppendFormat(&text, "A key is merged %.1f times on average.\n\n",
                        static_cast<double>(tree.merged_keys) /
                            static_cast<double>(std::max<uint64_t>(1, size.keys)));
  for (const std::string& policy : size.policies) {
    absl::StrAppend(&text, policy, ": about ", Time(needs.tree_seconds), " to grow, ",
                    NeededBytes(needs.tree_disk), " of disk, ", NeededBytes(needs.tree_memory),
                    " of memory while it is open\n");
  }
  absl::StrAppend(
      &text, "\nAll, ", size.trees_at_once, " trees at a time:\n  time   about ",
      Time(needs.seconds), size.trees_at_once == 1 ? " of a processor" : " of as many processors",
      " with nothing else to do,\n         by constants measured on another machine, "
      "good to a factor of two\n  memory ",
      NeededBytes(needs.memory), ", of which keys ", NeededBytes(needs.key_memory), Of(room.memory),
      "\n  disk   ", NeededBytes(needs.disk), " in ", room.folder, Of(room.disk), "\n");
  for (const std::string& note : notes) absl::StrAppend(&text, "\nNote: ", note, "\n");
  return text;
}

}  // namespace winnow::bench
