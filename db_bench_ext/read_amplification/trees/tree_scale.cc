#include "db_bench_ext/read_amplification/trees/tree_scale.h"

#include <absl/strings/str_format.h>

#include <algorithm>

namespace winnow::bench {
namespace {

uint64_t ScaledFlush(uint64_t keys, uint64_t mean_bytes) {
  constexpr uint64_t kFlushes = 200;
  constexpr uint64_t kMinFlushes = 50;
  const uint64_t largest = std::max<uint64_t>(1, kLargestFlush / mean_bytes);
  const uint64_t wanted =
      std::max(DivideUp(keys, kFlushes), std::min(kSmallFileKeys, DivideUp(keys, kMinFlushes)));
  return std::clamp<uint64_t>(wanted, 1, largest);
}

// Returns the size of a block cache for this share of the keys and values, at least 64 KiB:
// RocksDB's cache could hold hardly any block below that.
uint64_t CacheOfShare(double share, uint64_t data_bytes) {
  constexpr uint64_t kSmallest = 64 << 10;
  return std::max(kSmallest, static_cast<uint64_t>(share * static_cast<double>(data_bytes)));
}

}  // namespace

uint64_t MeanBytes(uint64_t keys, uint64_t key_bytes, size_t value_size) {
  return std::max<uint64_t>(1, key_bytes / std::max<uint64_t>(1, keys) + value_size);
}

TreeOptions ScaleTree(const TreeOptions& options, uint64_t keys, uint64_t key_bytes) {
  TreeOptions scaled = options;
  const uint64_t mean = MeanBytes(keys, key_bytes, options.value_size);
  if (scaled.write_buffer_size == 0) scaled.write_buffer_size = mean * ScaledFlush(keys, mean);
  if (scaled.target_file_size_base == 0) scaled.target_file_size_base = scaled.write_buffer_size;
  if (scaled.max_bytes_for_level_base == 0) {
    scaled.max_bytes_for_level_base =
        options.level0_file_num_compaction_trigger * scaled.write_buffer_size;
  }
  if (scaled.cache_share > 0) {
    scaled.cache_size = CacheOfShare(scaled.cache_share, key_bytes + keys * options.value_size);
  }
  return scaled;
}

uint64_t KeysPerFlush(const TreeOptions& scaled, uint64_t mean_bytes) {
  return std::max<uint64_t>(1, scaled.write_buffer_size / mean_bytes);
}

uint64_t KeysPerFile(const TreeOptions& scaled, uint64_t mean_bytes) {
  return std::max<uint64_t>(1, scaled.target_file_size_base / mean_bytes);
}

LevelTargets TargetsOf(const TreeOptions& scaled, uint64_t mean_bytes) {
  LevelTargets targets;
  targets.base_keys = std::max<uint64_t>(1, scaled.max_bytes_for_level_base / mean_bytes);
  targets.multiplier = scaled.max_bytes_for_level_multiplier;
  targets.dynamic = scaled.level_compaction_dynamic_level_bytes;
  return targets;
}

std::string SmallFilesWarning(const std::vector<inspect::LevelShape>& tree, uint64_t mean_bytes) {
  uint64_t keys = 0, in_small_files = 0, small_files = 0;
  for (const inspect::LevelShape& level : tree) {
    keys += level.keys;
    // The last file of a level is smaller, which puts the mean slightly below the files' size.
    if (10 * level.keys >= 9 * kSmallFileKeys * level.files) continue;
    in_small_files += level.keys;
    small_files += level.files;
  }
  if (2 * in_small_files <= keys) return "";
  return absl::StrFormat(
      "%.0f %% of the keys lie in files of fewer than %d keys (%d files with %d on average): the "
      "figures are those of small files, and a database in use has larger ones. Give more keys "
      "(--num), or larger files (--write_buffer_size=%d --target_file_size_base=%d or more), which "
      "leaves fewer levels.",
      100.0 * static_cast<double>(in_small_files) / static_cast<double>(keys), kSmallFileKeys,
      small_files, in_small_files / small_files, kSmallFileKeys * mean_bytes,
      kSmallFileKeys * mean_bytes);
}

}  // namespace winnow::bench
