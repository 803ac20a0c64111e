#include "db_bench_ext/read_amplification/trees/tree_forecast.h"

#include <algorithm>
#include <cmath>

#include "db_bench_ext/read_amplification/trees/compaction_plan.h"
#include "db_bench_ext/read_amplification/trees/level_targets.h"
#include "db_bench_ext/read_amplification/trees/planned_growth.h"
#include "db_bench_ext/read_amplification/trees/tree_scale.h"

namespace winnow::bench {
namespace {

// Maximum number of simulated steps; more flushes are combined, so that the forecast is fast for
// all trees.
constexpr uint64_t kMaxSteps = 100'000;

// Planned growth simulated in numbers of keys, which are assumed to be evenly spread over the files
// of a level.
class Simulation {
 public:
  Simulation(const LevelTargets& targets, uint64_t keys_per_file, int num_levels)
      : targets_(targets),
        keys_per_file_(keys_per_file),
        keys_(static_cast<size_t>(std::max(2, num_levels))) {}

  void Flush(uint64_t keys, uint64_t files) {
    keys_[0] += keys;
    level0_files_ += files;
  }

  void Merge(uint64_t level0_trigger) {
    while (MergeOnce(level0_trigger)) {
    }
  }

  std::vector<inspect::LevelShape> Tree() const {
    std::vector<inspect::LevelShape> tree;
    for (size_t level = 0; level < keys_.size(); ++level) {
      if (keys_[level] == 0) continue;
      const uint64_t files = level == 0 ? level0_files_ : DivideUp(keys_[level], keys_per_file_);
      tree.push_back({static_cast<int>(level), files, keys_[level], 0});
    }
    return tree;
  }

  uint64_t merged_keys() const { return merged_keys_; }

 private:
  // Compacts as many files of one level as exceed its target; returns false if every level is
  // within its target.
  bool MergeOnce(uint64_t level0_trigger) {
    const LevelSizes sizes = SizesOfLevels(targets_, keys_);
    if (level0_files_ > 0 && level0_files_ >= level0_trigger) {
      merged_keys_ += keys_[0] + keys_[sizes.base_level];
      keys_[sizes.base_level] += keys_[0];
      keys_[0] = level0_files_ = 0;
      return true;
    }
    for (size_t level = 1; level + 1 < keys_.size(); ++level) {
      if (keys_[level] <= sizes.most_keys[level]) continue;
      const uint64_t files = DivideUp(keys_[level] - sizes.most_keys[level], keys_per_file_);
      MoveDown(level, std::min(keys_[level], files * keys_per_file_), files);
      return true;
    }
    return false;
  }

  // A file is merged with the files that it overlaps, on average including half a file at either
  // end.
  void MoveDown(size_t level, uint64_t moved, uint64_t files) {
    const double share = static_cast<double>(moved) / static_cast<double>(keys_[level]);
    const double overlapped =
        share * static_cast<double>(keys_[level + 1]) + static_cast<double>(files * keys_per_file_);
    merged_keys_ += moved + std::min(static_cast<uint64_t>(overlapped), files * keys_[level + 1]);
    keys_[level] -= moved;
    keys_[level + 1] += moved;
  }

  const LevelTargets targets_;
  const uint64_t keys_per_file_;
  std::vector<uint64_t> keys_;  // one entry per level
  uint64_t level0_files_ = 0;
  uint64_t merged_keys_ = 0;
};

TreeForecast ForecastPlan(const TreeOptions& scaled, uint64_t keys, uint64_t mean) {
  const uint64_t keys_per_flush = KeysPerFlush(scaled, mean);
  const uint64_t flushes = DivideUp(keys, keys_per_flush);
  const bool planned = scaled.growth == GrowthKind::kPlanned;
  const uint64_t trigger = scaled.level0_file_num_compaction_trigger;
  Simulation simulation(TargetsOf(scaled, mean), KeysPerFile(scaled, mean), scaled.num_levels);
  // The last flushes are simulated one by one, since they may stay on level 0.
  const uint64_t last_ones = scaled.level0_files + 1;
  const uint64_t step = DivideUp(flushes, kMaxSteps);
  for (uint64_t flush = 0; flush < flushes;) {
    const uint64_t left = flushes - flush;
    const uint64_t taken = left > last_ones ? std::min(step, left - last_ones) : 1;
    flush += taken;
    const uint64_t written = std::min(keys, flush * keys_per_flush);
    simulation.Flush(written - (flush - taken) * keys_per_flush, taken);
    simulation.Merge(planned ? Level0Trigger(flush, flushes, trigger, scaled.level0_files)
                             : trigger);
  }
  return {planned ? ForecastBasis::kPlan : ForecastBasis::kSamePlan, simulation.Tree(),
          simulation.merged_keys()};
}

}  // namespace

TreeForecast ForecastTree(const TreeOptions& scaled, uint64_t keys, uint64_t key_bytes) {
  if (keys == 0) return {};
  const uint64_t mean = MeanBytes(keys, key_bytes, scaled.value_size);
  if (scaled.growth == GrowthKind::kRocksDB) {
    const uint64_t flushes = DivideUp(keys, KeysPerFlush(scaled, mean));
    if (scaled.disable_auto_compactions ||
        scaled.compaction_style == rocksdb::kCompactionStyleFIFO) {
      return {ForecastBasis::kNoMerges, {{0, flushes, keys, 0}}, 0};
    }
    if (scaled.compaction_style == rocksdb::kCompactionStyleUniversal) {
      // Runs of similar sizes are merged: a key is rewritten about once for each doubling.
      const double merges = std::log2(static_cast<double>(flushes) + 1);
      return {ForecastBasis::kBound,
              {{scaled.num_levels - 1, DivideUp(keys, KeysPerFile(scaled, mean)), keys, 0}},
              static_cast<uint64_t>(merges * static_cast<double>(keys))};
    }
  }
  return ForecastPlan(scaled, keys, mean);
}

}  // namespace winnow::bench
