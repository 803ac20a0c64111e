#include "db_bench_ext/read_amplification/trees/build_cost.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <string>

#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "src/base/thread_time.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kKeysOfALevel = 200'000;  // minimum per level, limited by kMaxFilters
constexpr int kMaxFilters = 100;

// Returns the nanoseconds per key for filters of `n` keys each, taken from `keys` in turn.
absl::StatusOr<double> CostOfLevel(const Policy& policy,
                                   const rocksdb::FilterBuildingContext& context,
                                   const KeySet& keys, size_t n, uint64_t* built) {
  double total = 0;
  uint64_t done = 0;
  uint64_t at = 0;
  std::string room;
  for (int filter = 0; filter < kMaxFilters && done < kKeysOfALevel; ++filter) {
    // The keys are generated before the measurement begins.
    KeyTable of_filter;
    for (size_t i = 0; i < n; ++i) of_filter.Add(keys.Get((at + i) % keys.size(), &room));
    const uint64_t begin = ThreadNanoseconds();
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
    total += static_cast<double>(ThreadNanoseconds() - begin);
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
  // Proceeds from the deepest level up, so that a policy that learns the depth of the tree sees it
  // first.
  for (auto shape = tree.rbegin(); shape != tree.rend(); ++shape) {
    if (shape->files == 0 || shape->keys == 0 || shape->filter_bytes == 0) continue;
    const size_t n = std::max<size_t>(1, shape->keys / shape->files);
    rocksdb::FilterBuildingContext context(table);
    context.compaction_style = rocksdb::kCompactionStyleLevel;
    context.num_levels = num_levels;
    context.info_log = logger;
    context.column_family_name = "default";
    context.level_at_creation = shape->level;
    context.is_bottommost = shape == tree.rbegin();
    context.reason = shape->level == 0 ? rocksdb::TableFileCreationReason::kFlush
                                       : rocksdb::TableFileCreationReason::kCompaction;
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
