#include "src/policy_trial/policy_trial.h"

#include <absl/algorithm/container.h>
#include <absl/strings/numbers.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "src/sst/quiet_logger.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/hash.h"
#include "winnow/options.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::TableFileCreationReason;

constexpr int kLevels = kLastTrialLevel + 1;
constexpr double kDefaultSizeRatio = 10;  // max_bytes_for_level_multiplier
constexpr uint64_t kKeyCounts[] = {100, 1'000, 10'000, 100'000, 1'000'000};

// Adds the keys 0, 1, 2 ... as eight bytes each.
void AddKeys(uint64_t keys, FilterBitsBuilder* builder) {
  for (uint64_t key = 0; key < keys; ++key) {
    char bytes[sizeof(key)];
    std::memcpy(bytes, &key, sizeof(key));
    builder->AddKey(Slice(bytes, sizeof(bytes)));
  }
}

std::string NameOf(TableFileCreationReason reason) {
  return reason == TableFileCreationReason::kFlush        ? "flush"
         : reason == TableFileCreationReason::kCompaction ? "compaction"
                                                          : "ingested file";
}

// A database that the policy builds filters for. A policy may learn from each one separately.
class TrialDatabase {
 public:
  TrialDatabase(const FilterPolicy& policy, bool last_level_has_filters)
      : policy_(policy), last_level_has_filters_(last_level_has_filters) {}

  PolicyTrial Build(TableFileCreationReason reason, int level, uint64_t keys) {
    PolicyTrial trial;
    trial.situation = NameOf(reason);
    trial.level = level;
    trial.keys = keys;
    const std::unique_ptr<FilterBitsBuilder> builder = NewBuilder(reason, level);
    if (builder != nullptr) {
      AddKeys(keys, builder.get());
      std::unique_ptr<const char[]> buffer;
      const Slice block = builder->Finish(&buffer);
      trial.filter = ClassifyBlock({block.data(), block.size()}, keys);
    }
    return trial;
  }

  // Fills the tree: merges keys into all levels, from the smallest to the greatest key of any
  // trial.
  void Fill() {
    // Shows the policy the first and the last level that have files, before any filter depends on
    // them.
    NewBuilder(TableFileCreationReason::kCompaction, 1);
    NewBuilder(TableFileCreationReason::kCompaction, kLastTrialLevel);
    for (int level = kLastTrialLevel; level > 0; --level) {
      const std::unique_ptr<FilterBitsBuilder> builder =
          NewBuilder(TableFileCreationReason::kCompaction, level);
      if (builder != nullptr) {
        // Duplicates count once, so that later files are most of the tree, and have rates by level.
        const std::string least(sizeof(uint64_t), '\0');
        for (uint64_t i = 0; i < kKeysToSeeTwo; ++i) builder->AddKey(least);
        builder->AddKey(std::string(sizeof(uint64_t), '\xff'));
        std::unique_ptr<const char[]> buffer;
        builder->Finish(&buffer);
      }
    }
  }

 private:
  // Winnow's policy looks at one key in 64.
  static constexpr uint64_t kKeysToSeeTwo = 64;

  std::unique_ptr<FilterBitsBuilder> NewBuilder(TableFileCreationReason reason, int level) {
    if (level == kLastTrialLevel && !last_level_has_filters_) return nullptr;
    // The trial's files are in no tree: bits go by level, as where filters are in the block cache.
    BlockBasedTableOptions table;
    table.cache_index_and_filter_blocks = true;
    FilterBuildingContext context(table);
    context.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
    context.num_levels = kLevels;
    context.info_log = &logger_;
    context.column_family_name = "default";
    context.level_at_creation = level;
    context.is_bottommost = level == kLastTrialLevel;
    context.reason = reason;
    return std::unique_ptr<FilterBitsBuilder>(policy_.GetBuilderWithContext(context));
  }

  const FilterPolicy& policy_;
  const bool last_level_has_filters_;
  QuietLogger logger_;  // distinguishes databases
};

double SizeRatioOf(const FilterPolicy& policy) {
  std::string text;
  double ratio = 0;
  const bool has_one =
      policy.GetOption(ROCKSDB_NAMESPACE::ConfigOptions(), "level_size_ratio", &text).ok();
  return has_one && absl::SimpleAtod(text, &ratio) ? ratio : kDefaultSizeRatio;
}

}  // namespace

std::vector<PolicyTrial> TryKeyCounts(const FilterPolicy& policy, bool last_level_has_filters) {
  TrialDatabase database(policy, last_level_has_filters);
  std::vector<PolicyTrial> trials;
  for (const uint64_t keys : kKeyCounts) {
    trials.push_back(database.Build(TableFileCreationReason::kCompaction, kLastTrialLevel, keys));
  }
  return trials;
}

bool ReadsWinnow(const FilterPolicy& policy) {
  FilterBuilder builder{FilterOptions()};
  for (int key = 0; key < 1000; ++key) {
    builder.Add(HashKey("present" + std::to_string(key)));
  }
  const FilterBlock block = builder.Finish();
  const std::unique_ptr<FilterBitsReader> reader(
      policy.GetFilterBitsReader(Slice(block.data.get(), block.size)));
  constexpr int kAbsent = 100;
  int denied = 0;
  for (int key = 0; reader != nullptr && key < kAbsent; ++key) {
    denied += reader->MayMatch("absent" + std::to_string(key)) ? 0 : 1;
  }
  return denied > kAbsent / 2;
}

std::vector<PolicyTrial> TryLevels(const FilterPolicy& policy, uint64_t keys,
                                   bool last_level_has_filters) {
  TrialDatabase database(policy, last_level_has_filters);
  database.Fill();
  std::vector<PolicyTrial> trials;
  trials.push_back(database.Build(TableFileCreationReason::kFlush, 0, keys));
  for (int level = 0; level <= kLastTrialLevel; ++level) {
    trials.push_back(database.Build(TableFileCreationReason::kCompaction, level, keys));
  }
  trials.push_back(database.Build(TableFileCreationReason::kMisc, -1, keys));
  return trials;
}

bool BuildsNothing(const FilterPolicy& policy) {
  return absl::c_none_of(TryLevels(policy, 1),
                         [](const PolicyTrial& trial) { return trial.filter.has_value(); });
}

PolicyTrial TryFile(const FilterPolicy& policy, const TrialFile& file,
                    bool last_level_has_filters) {
  TrialDatabase database(policy, last_level_has_filters);
  database.Fill();
  return database.Build(
      file.level == 0 ? TableFileCreationReason::kFlush : TableFileCreationReason::kCompaction,
      file.level, file.keys);
}

PolicyTree SumOfTree(const FilterPolicy& policy, const std::vector<PolicyTrial>& by_level) {
  PolicyTree tree;
  tree.size_ratio = SizeRatioOf(policy);
  double keys = 0;
  for (const PolicyTrial& trial : by_level) {
    if (trial.situation != NameOf(TableFileCreationReason::kCompaction) || trial.level == 0) {
      continue;
    }
    const double keys_of_level = std::pow(tree.size_ratio, trial.level);
    keys += keys_of_level;
    tree.bits_per_key += trial.filter ? keys_of_level * trial.filter->bits_per_key : 0;
    tree.false_reads += trial.filter ? trial.filter->expected_fpr.value_or(1) : 1;
  }
  tree.bits_per_key /= keys;
  return tree;
}

}  // namespace winnow::inspect
