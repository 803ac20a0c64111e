#include "src/inspect/policy_trial.h"

#include <rocksdb/table.h>

#include <cstring>
#include <memory>
#include <string>

#include "src/inspect/quiet_logger.h"
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

constexpr int kLevels = 7;  // of a database with RocksDB's default options
constexpr uint64_t kKeyCounts[] = {100, 1'000, 10'000, 100'000, 1'000'000};

// Adds the keys 0, 1, 2 … as eight bytes each.
void AddKeys(uint64_t keys, FilterBitsBuilder* builder) {
  for (uint64_t key = 0; key < keys; ++key) {
    char bytes[sizeof(key)];
    std::memcpy(bytes, &key, sizeof(key));
    builder->AddKey(Slice(bytes, sizeof(bytes)));
  }
}

PolicyTrial Try(const FilterPolicy& policy, TableFileCreationReason reason, int level,
                uint64_t keys) {
  PolicyTrial trial;
  trial.situation = reason == TableFileCreationReason::kFlush        ? "flush"
                    : reason == TableFileCreationReason::kCompaction ? "compaction"
                                                                     : "ingested file";
  trial.level = level;
  trial.keys = keys;
  const BlockBasedTableOptions table;
  QuietLogger logger;
  FilterBuildingContext context(table);
  context.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  context.num_levels = kLevels;
  context.info_log = &logger;
  context.column_family_name = "default";
  context.level_at_creation = level;
  context.is_bottommost = level == kLevels - 1;
  context.reason = reason;
  const std::unique_ptr<FilterBitsBuilder> builder(policy.GetBuilderWithContext(context));
  if (builder == nullptr) {
    return trial;
  }
  AddKeys(keys, builder.get());
  std::unique_ptr<const char[]> buffer;
  const Slice block = builder->Finish(&buffer);
  trial.filter = ClassifyBlock({block.data(), block.size()}, keys);
  return trial;
}

}  // namespace

std::vector<PolicyTrial> TryKeyCounts(const FilterPolicy& policy) {
  std::vector<PolicyTrial> trials;
  for (const uint64_t keys : kKeyCounts) {
    trials.push_back(Try(policy, TableFileCreationReason::kCompaction, kLevels - 1, keys));
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

std::vector<PolicyTrial> TryLevels(const FilterPolicy& policy, uint64_t keys) {
  std::vector<PolicyTrial> trials;
  trials.push_back(Try(policy, TableFileCreationReason::kFlush, 0, keys));
  for (int level = 0; level < kLevels; ++level) {
    trials.push_back(Try(policy, TableFileCreationReason::kCompaction, level, keys));
  }
  trials.push_back(Try(policy, TableFileCreationReason::kMisc, -1, keys));
  return trials;
}

}  // namespace winnow::inspect
