#include "db_bench_ext/tuning/paired_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "db_bench_ext/tuning/tree_cost.h"

namespace winnow::bench {
namespace {

double BestToUniform(const std::vector<FilterFile>& files) {
  std::map<std::pair<size_t, uint64_t>, double> runs;
  double keys = 0;
  for (const FilterFile& file : files) {
    runs[{file.level, file.level == 0 ? file.newest : 0}] += static_cast<double>(file.keys);
    keys += static_cast<double>(file.keys);
  }
  double entropy = 0;
  for (const auto& [run, of_run] : runs) {
    if (of_run > 0) entropy -= of_run / keys * std::log(of_run / keys);
  }
  return std::exp(entropy) / static_cast<double>(runs.size());
}

double BitsOf(const TreeCost& cost) {
  return 8 * static_cast<double>(cost.filter_bytes) / static_cast<double>(cost.keys);
}

// Sums of false reads over all observations, at the first policy's memory.
struct Sums {
  double by_keys = 0;
  double by_range = 0;
  double uniform = 0;
  double best = 0;
};

}  // namespace

absl::StatusOr<std::vector<PairedCost>> RunPaired(
    const LevelScenario& scenario, const PairedSettings& settings, const PairedPolicies& policies,
    LevelTree* tree, const std::function<void(uint64_t done, uint64_t of)>& progress) {
  std::vector<PairedCost> costs(settings.policies);
  std::vector<Sums> sums(settings.policies);
  FilterReader reader;
  uint64_t looks = 0;
  uint64_t seen = 0;
  const auto look = [&]() -> absl::Status {
    progress(looks++, settings.looks + 1);
    absl::StatusOr<std::vector<FilterFile>> read = reader.Read(*tree);
    if (!read.ok()) return read.status();
    const std::vector<FilterFile> files = WithFilters(*std::move(read));
    if (files.empty()) return absl::OkStatus();
    ++seen;
    const std::vector<AskedKey> by_keys = LookupsByKeys(files);
    const std::vector<AskedKey> by_range = EvenLookups(files);
    const double best = BestToUniform(files);
    double first_bits = 0;
    for (size_t i = 0; i < costs.size(); ++i) {
      const std::vector<FilterFile> own = policies.WithFiltersOf(i, files);
      const TreeCost cost = CostOf(own, by_keys, settings.bits_per_key);
      if (i == 0) first_bits = BitsOf(cost);
      const double equal = std::exp2(BitsOf(cost) - first_bits);
      sums[i].by_keys += equal * cost.false_reads;
      sums[i].by_range += equal * CostOf(own, by_range, settings.bits_per_key).false_reads;
      sums[i].uniform += equal * cost.uniform_false_reads;
      sums[i].best += equal * best * cost.uniform_false_reads;
      costs[i].last = cost;
      costs[i].mean_memory += cost.MemoryToUniform();
      costs[i].most_memory = std::max(costs[i].most_memory, cost.MemoryToUniform());
    }
    return absl::OkStatus();
  };
  tree->Watch(std::max<uint64_t>(1, settings.keys / settings.looks), look);
  absl::Status status = scenario.grow(tree, settings.keys);
  if (status.ok()) status = look();
  if (status.ok() && seen == 0) status = absl::InternalError("the tree has no filters");
  if (!status.ok()) return status;
  for (size_t i = 0; i < costs.size(); ++i) {
    costs[i].mean_memory /= static_cast<double>(seen);
    costs[i].to_first = sums[i].by_keys / sums[0].by_keys;
    costs[i].to_first_by_range = sums[i].by_range / sums[0].by_range;
    costs[i].to_uniform = sums[i].by_keys / sums[i].uniform;
    costs[i].to_best = sums[i].by_keys / sums[i].best;
  }
  return costs;
}

}  // namespace winnow::bench
