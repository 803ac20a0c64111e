#include "db_bench_ext/tuning/heat_run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace winnow::bench {
namespace {

// Number of writes after which lookups follow.
constexpr uint64_t kBatch = 100;

// Sample sizes of keys by which a tree is judged.
constexpr size_t kSampleAtALook = 4'000;
constexpr size_t kSampleAtRest = 20'000;

absl::Status LookUp(LevelTree* tree, const AskedKey& key) {
  absl::StatusOr<bool> found = tree->Has(key.number);
  if (!found.ok()) return found.status();
  if (*found == key.present) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("key ", key.number, *found ? " was" : " was not",
                                          " found, and was", key.present ? "" : " not",
                                          " written: the database or its filters are wrong"));
}

HeatLook LookAt(const TreeCost& cost, uint64_t written) {
  return {written, cost.MemoryToUniform(), cost.false_reads, cost.uniform_false_reads};
}

void SumLooksUp(HeatResult* result) {
  result->most_memory = result->cost.MemoryToUniform();
  for (const HeatLook& look : result->looks) {
    const auto looks = static_cast<double>(result->looks.size());
    result->most_memory = std::max(result->most_memory, look.memory);
    result->grown_false_reads += look.false_reads / looks;
    result->grown_uniform_false_reads += look.uniform_false_reads / looks;
  }
}

// Differences of statistics since construction.
class Counted {
 public:
  explicit Counted(const rocksdb::Statistics& statistics)
      : statistics_(statistics), false_reads_(FalseReads()), blocks_(Blocks()) {}

  void Into(uint64_t lookups, HeatResult* result) const {
    const auto n = static_cast<double>(lookups);
    result->counted_false_reads = static_cast<double>(FalseReads() - false_reads_) / n;
    result->counted_blocks = static_cast<double>(Blocks() - blocks_) / n;
  }

 private:
  uint64_t FalseReads() const {
    return statistics_.getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE) -
           statistics_.getTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  }
  uint64_t Blocks() const { return statistics_.getTickerCount(rocksdb::BLOCK_CACHE_DATA_MISS); }

  const rocksdb::Statistics& statistics_;
  const uint64_t false_reads_;
  const uint64_t blocks_;
};

absl::Status LookUpAtRest(const HeatSettings& settings, const rocksdb::Statistics& statistics,
                          LevelTree* tree, HeatWorkload* work, HeatResult* result) {
  if (settings.lookups_at_rest == 0) return absl::OkStatus();
  const Counted counted(statistics);
  for (uint64_t i = 0; i < settings.lookups_at_rest; ++i) {
    if (absl::Status status = LookUp(tree, work->NextLookup()); !status.ok()) return status;
  }
  counted.Into(settings.lookups_at_rest, result);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HeatResult> RunHeat(
    const HeatScenario& scenario, const HeatSettings& settings,
    const rocksdb::Statistics& statistics, LevelTree* tree,
    const std::function<void(uint64_t done, uint64_t of)>& progress) {
  HeatWorkload work(scenario, settings.keys, settings.seed);
  FilterReader reader(scenario.found_share > 0);
  HeatResult result;
  const auto look = [&]() -> absl::Status {
    absl::StatusOr<std::vector<FilterFile>> files = reader.Read(*tree);
    if (!files.ok() || files->empty()) return files.status();
    const std::vector<AskedKey> sample = work.SampleLookups(kSampleAtALook, work.written());
    result.looks.push_back(LookAt(CostOf(*files, sample, settings.bits_per_key), work.written()));
    return absl::OkStatus();
  };
  tree->Watch(std::max<uint64_t>(1, work.writes() / settings.looks), look);
  const double lookups_a_write = scenario.while_it_grows ? settings.lookups_a_write : 0;
  uint64_t lookups = 0;
  absl::Status status;
  while (status.ok() && work.written() < work.writes()) {
    status = tree->Put(work.NextWrite());
    if (work.written() % kBatch != 0) continue;
    const auto due = static_cast<uint64_t>(lookups_a_write * static_cast<double>(work.written()));
    for (; status.ok() && lookups < due; ++lookups) status = LookUp(tree, work.NextLookup());
    progress(work.written(), work.writes());
  }
  progress(work.writes(), work.writes());
  if (status.ok()) status = tree->FlushAndWaitForCompactions();
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<FilterFile>> files = reader.Read(*tree);
  if (!files.ok()) return files.status();
  if (files->empty()) return absl::InternalError("the tree has no files");
  result.cost = CostOf(*files, work.SampleLookups(kSampleAtRest, 0), settings.bits_per_key);
  SumLooksUp(&result);
  status = LookUpAtRest(settings, statistics, tree, &work, &result);
  if (!status.ok()) return status;
  return result;
}

}  // namespace winnow::bench
