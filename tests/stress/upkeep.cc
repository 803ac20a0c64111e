#include "tests/stress/upkeep.h"

#include <rocksdb/metadata.h>

#include <iterator>
#include <string>
#include <vector>

#include "tests/stress/blame/difference.h"
#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::CompactRangeOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Returns whether a compaction failed because of a conflict with others.
bool IsInTheWay(const Status& status) {
  return status.IsInvalidArgument() || status.IsAborted() || status.IsIncomplete() ||
         status.IsBusy();
}

void CompactSomeRange(DB* db, ColumnFamilyHandle* family, Random* random) {
  const std::string begin(1, static_cast<char>('A' + random->Below(8)));
  const std::string end(1, static_cast<char>('A' + random->Below(8)));
  const Slice begin_slice = begin;
  const Slice end_slice = end;
  const bool is_range = begin < end;
  CompactRangeOptions options;
  options.exclusive_manual_compaction = random->Below(2) == 0;
  if (random->Below(3) == 0) {
    options.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  }
  Require(db->CompactRange(options, family, is_range ? &begin_slice : nullptr,
                           is_range ? &end_slice : nullptr),
          "CompactRange");
}

void CompactSomeFiles(DB* db, ColumnFamilyHandle* family, Random* random) {
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  std::vector<std::string> files;
  const auto& level = metadata.levels[random->Below(metadata.levels.size())];
  for (const auto& file : level.files) {
    if (random->Below(2) == 0) files.push_back(file.name);
  }
  if (files.empty()) return;
  const int to = static_cast<int>(metadata.levels.size()) - 1;
  const Status status = db->CompactFiles(ROCKSDB_NAMESPACE::CompactionOptions(), family, files, to);
  if (!IsInTheWay(status)) Require(status, "CompactFiles");
}

constexpr const char* kPolicies[] = {
    "{filter_policy={bits_per_key=12}}",
    "{filter_policy={bits_per_key=5;ribbon_min_keys=0}}",
    "{filter_policy={bits_per_key=10;bloom_before_level=-1}}",
    "{filter_policy={ribbon_min_keys=1000}}",
    "{filter_policy={build=bloomfilter}}",
    "{filter_policy={build=winnow;ribbon_min_keys=auto}}",
    "{filter_policy={range_bits=12}}",
    "{filter_policy={range_bits=0}}",
    "{filter_policy={range_kind=both}}",
    "{filter_policy={range_kind=single}}",
    "{filter_policy={range_kind=trees}}",
    "{filter_policy={range_kind=auto}}",
    "{filter_policy={level_plan=auto}}",
    "{filter_policy={level_plan=learned}}",
    "{filter_policy={filter_memory=4KiB}}",
    "{filter_policy={filter_memory=0}}",
    "{filter_policy={level_plan=by_level;absent_share=0.3}}",
    "{filter_policy={level_plan=uniform;absent_share=1}}",
#if WINNOW_ROCKSDB_AT_LEAST(9, 8)
    // Replaces the whole policy object.
    "{filter_policy={id=winnow:14}}",
    "{filter_policy=winnow:9}",
    "{filter_policy=bloomfilter:10}",
#endif
};

constexpr const char* kBackToLearned = "{filter_policy={level_plan=learned;build=winnow}}";
constexpr const char* kPlans[] = {
    "{filter_policy={level_plan=uniform;absent_share=1}}",
    "{filter_policy={level_plan=by_level}}",
    "{filter_policy={level_plan=auto}}",
    "{filter_policy={level_plan=learned}}",
    "{filter_policy={level_plan=learned;build=winnow}}",
    "{filter_policy={level_plan=learned;bits_per_key=4}}",
    "{filter_policy={level_plan=learned;bits_per_key=16}}",
    "{filter_policy={bits_per_key=10}}",
    "{filter_policy={level_plan=auto;absent_share=0.2}}",
    "{filter_policy={build=bloomfilter}}",
    "{filter_policy={build=winnow}}",
};

void ChangePolicy(const Database& database, size_t family, const std::string& change,
                  Counts* counts) {
  const FamilySettings& settings = database.settings().families[family];
  if (!settings.IsWinnow() || settings.is_watched) return;
  const Status status =
      database.db().SetOptions(database.family(family), {{"block_based_table_factory", change}});
  // RocksDB returns this error if the options changed again before they were persisted.
  const bool changed_meanwhile =
      status.ToString().find("Unable to persist options") != std::string::npos;
#if WINNOW_ROCKSDB_AT_LEAST(9, 8)
  // A built-in policy does not accept Winnow's options.
  if (status.IsInvalidArgument()) return;
#endif
  if (!changed_meanwhile) Require(status, "SetOptions of a policy: " + change);
  counts->Add(Count::kPolicyChanges);
}

}  // namespace

void SomeUpkeep(const Database& database, Random* random, Counts* counts) {
  const size_t i = random->Below(kAllFamilies);
  ColumnFamilyHandle* const family = database.family(i);
  const uint64_t kind = random->Below(20);
  if (kind < 12) {
    FlushOptions options;
    options.wait = random->Below(2) == 0;
    options.allow_write_stall = true;  // otherwise waits for writes that are stopped
    counts->Add(Count::kFlushes);
    Require(database.db().Flush(options, family), "Flush");
  } else if (kind < 14) {
    counts->Add(Count::kCompactions);
    CompactSomeRange(&database.db(), family, random);
  } else if (kind < 16) {
    counts->Add(Count::kCompactions);
    CompactSomeFiles(&database.db(), family, random);
  } else {
    ChangePolicy(database, i, kPolicies[random->Below(std::size(kPolicies))], counts);
  }
}

// Changes mostly back to a plan that learns: any other plan drops the samples, and a column family
// needs 256 samples again before it has learned rates.
void ChangeSomePlan(const Database& database, Random* random, Counts* counts) {
  const char* const change =
      random->Below(4) == 0 ? kPlans[random->Below(std::size(kPlans))] : kBackToLearned;
  ChangePolicy(database, random->Below(kFamilies), change, counts);
}

void ChangeSomeExtractor(Database* database, Random* random, Counts* counts) {
  using Kind = Extractor::Kind;
  static constexpr Extractor kExtractors[] = {
      {Kind::kNone, 0},   {Kind::kFixed, 5},  {Kind::kFixed, 1},  {Kind::kFixed, 7},
      {Kind::kCapped, 5}, {Kind::kFixed, 10}, {Kind::kRanges, 0}, {Kind::kRanges, 0}};
  const Gate::Alone alone(&database->gate);
  if (database->ChangeExtractor(random->Below(kAllFamilies),
                                kExtractors[random->Below(std::size(kExtractors))])) {
    counts->Add(Count::kExtractorChanges);
  }
}

}  // namespace winnow::stress
