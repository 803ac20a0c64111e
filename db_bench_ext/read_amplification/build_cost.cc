#include "db_bench_ext/read_amplification/build_cost.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "db_bench_ext/read_amplification/key_table.h"
#include "db_bench_ext/read_amplification/status.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kKeysOfALevel = 200'000;  // at least, unless that takes more than
constexpr int kMostFilters = 100;

double ThreadNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

rocksdb::FilterBuildingContext ContextOf(const rocksdb::BlockBasedTableOptions& table, int level,
                                         int num_levels, bool deepest, rocksdb::Logger* logger) {
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = rocksdb::kCompactionStyleLevel;
  context.num_levels = num_levels;
  context.info_log = logger;
  context.column_family_name = "default";
  context.level_at_creation = level;
  context.is_bottommost = deepest;
  context.reason = level == 0 ? rocksdb::TableFileCreationReason::kFlush
                              : rocksdb::TableFileCreationReason::kCompaction;
  return context;
}

// Nanoseconds for a key in filters of `n` keys each, which are taken from `keys` in turn.
absl::StatusOr<double> CostOfLevel(const Policy& policy,
                                   const rocksdb::FilterBuildingContext& context,
                                   const KeySet& keys, size_t n, uint64_t* built) {
  double total = 0;
  uint64_t done = 0;
  uint64_t at = 0;
  std::string room;
  for (int filter = 0; filter < kMostFilters && done < kKeysOfALevel; ++filter) {
    // Computed before the clock runs: what it costs to make a key is not the filter's.
    KeyTable of_filter;
    for (size_t i = 0; i < n; ++i) of_filter.Add(keys.Get((at + i) % keys.size(), &room));
    const double begin = ThreadNanoseconds();
    const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
        policy.object->GetBuilderWithContext(context));
    if (builder == nullptr) {
      return absl::InternalError(
          absl::StrCat("the policy '", policy.asked, "' gives no builder for level ",
                       context.level_at_creation, ", though files there have filters"));
    }
    for (size_t i = 0; i < n; ++i) {
      const std::string_view key = of_filter[i];
      builder->AddKey({key.data(), key.size()});
    }
    std::unique_ptr<const char[]> buffer;
    rocksdb::Status status;
    builder->Finish(&buffer, &status);
    if (!status.ok()) return FromRocksDB(status, "build a filter of " + policy.asked);
    total += ThreadNanoseconds() - begin;
    done += n;
    at = (at + n) % keys.size();
  }
  *built += done;
  return total / static_cast<double>(done);
}

}  // namespace

absl::StatusOr<std::optional<inspect::BuildCost>> MeasureBuildCost(
    const Policy& policy, const std::vector<inspect::LevelShape>& tree, int num_levels,
    const KeySet& keys, rocksdb::Logger* logger) {
  if (policy.object == nullptr) return std::nullopt;
  const rocksdb::BlockBasedTableOptions table;
  inspect::BuildCost cost;
  double nanoseconds = 0;
  uint64_t weight = 0;
  // From the deepest level up, as a policy that learns the depth of the tree has to meet it.
  for (auto shape = tree.rbegin(); shape != tree.rend(); ++shape) {
    if (shape->files == 0 || shape->keys == 0 || shape->filter_bytes == 0) continue;
    const size_t n = std::max<size_t>(1, shape->keys / shape->files);
    const rocksdb::FilterBuildingContext context =
        ContextOf(table, shape->level, num_levels, shape == tree.rbegin(), logger);
    absl::StatusOr<double> of_level = CostOfLevel(policy, context, keys, n, &cost.keys);
    if (!of_level.ok()) return of_level.status();
    nanoseconds += *of_level * static_cast<double>(shape->keys);
    weight += shape->keys;
  }
  if (weight == 0) return std::nullopt;
  cost.ns_per_key = nanoseconds / static_cast<double>(weight);
  return cost;
}

}  // namespace winnow::bench
