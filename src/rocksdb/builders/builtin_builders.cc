#include "src/rocksdb/builders/builtin_builders.h"

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>

#include "src/base/c_locale.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/trees/context.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Status;
using PolicyPointer = std::shared_ptr<const FilterPolicy>;

// Names of the two policies that RocksDB's Ribbon policy chooses from. The Ribbon policy itself
// can't be used: the registry makes it by NewRibbonFilterPolicy, which the interposer may replace.
constexpr char kBelowLevelName[] = "rocksdb.internal.FastLocalBloomFilter:";
constexpr char kRibbonName[] = "rocksdb.internal.Standard128RibbonFilter:";
constexpr char kBloomName[] = "bloomfilter:";

std::string NameFor(const PolicyOptions& options, bool is_below_level) {
  const std::string bits = PolicyOptionText("bits_per_key", options);
  if (options.build == Build::kBloomFilter) {
    return kBloomName + bits;
  }
  return (is_below_level ? kBelowLevelName : kRibbonName) + bits;
}

Status Make(const std::string& name, PolicyPointer* policy) {
  const base::CLocale c;  // RocksDB parses the bits per key by the locale
  // Uses the registry, as the interposer may replace CreateFromString.
  Status status = ObjectRegistry::NewInstance()->NewSharedObject(name, policy);
  if (status.IsNotSupported()) {
    // RocksDB fills its registry when it is first asked for a policy. The program never asks for a
    // policy of this name, so the interposer does not replace it.
    PolicyPointer ignored;
    FilterPolicy::CreateFromString(ROCKSDB_NAMESPACE::ConfigOptions(),
                                   std::string(kRibbonName) + "10", &ignored)
        .PermitUncheckedError();
    status = ObjectRegistry::NewInstance()->NewSharedObject(name, policy);
  }
  return status;
}

bool MayHaveEmptyPartitions(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  return table.partition_filters && !table.whole_key_filtering &&
         table.index_type == ROCKSDB_NAMESPACE::BlockBasedTableOptions::kTwoLevelIndexSearch &&
         rocksdb_abi::CutsFiltersWithIndex(table);
}

bool MakesNoneOfNoKeys(const FilterPolicy& policy, const FilterBuildingContext& context) {
  // A trial builder must not affect the rounding of the filters that follow
  // (optimize_filters_for_memory).
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table = context.table_options;
  table.optimize_filters_for_memory = false;
  FilterBuildingContext tried(table);
  tried.compaction_style = context.compaction_style;
  tried.level_at_creation = context.level_at_creation;
  tried.reason = context.reason;
  const std::unique_ptr<FilterBitsBuilder> builder(policy.GetBuilderWithContext(tried));
  std::unique_ptr<const char[]> bytes;
  return builder != nullptr && builder->Finish(&bytes).empty();
}

bool IsBelowLevel(const PolicyOptions& options, const FilterBuildingContext& context) {
  return ContextToOptions(options, context).kind == FilterKind::kBloom;
}

}  // namespace

void WarnOfEmptyPartitions(const FilterPolicy& policy, const std::string& name,
                           const FilterBuildingContext& context) noexcept {
  try {
    if (context.info_log != nullptr && MayHaveEmptyPartitions(context.table_options) &&
        MakesNoneOfNoKeys(policy, context)) {
      WarnOfFamiliesInLog(
          context.info_log, {context.column_family_name},
          "has partition_filters and whole_key_filtering=false, where RocksDB's filter policy " +
              name +
              " makes partitions of no bytes for keys outside the prefix extractor's domain: at "
              "these, RocksDB's MultiGet aborts, or, built without assertions, finds no keys; " +
              (rocksdb_abi::kCanCutFiltersAlone
                   ? "decouple_partitioned_filters=true and build=winnow make none"
                   : "build=winnow makes none"));
    }
  } catch (...) {
    // A missing line in the LOG is better than a failed flush.
  }
}

Status CheckBuild(const PolicyOptions& options) {
  if (options.build == Build::kWinnow) {
    return Status::OK();
  }
  for (const bool is_below_level : {false, true}) {
    const std::string name = NameFor(options, is_below_level);
    PolicyPointer policy;
    if (const Status status = Make(name, &policy); !status.ok() || policy == nullptr) {
      return Status::NotSupported("build=" + PolicyOptionText("build", options) +
                                      " needs RocksDB's policy " + name +
                                      ", which this RocksDB can't make; Winnow's own filters "
                                      "are built with build=winnow",
                                  status.ToString());
    }
  }
  return Status::OK();
}

FilterBitsBuilder* BuiltinBuilders::NewBuilder(
    const PolicyOptions& options, const FilterBuildingContext& context) const noexcept {
  FilterBitsBuilder* builder = nullptr;
  try {
    const std::string name = NameFor(options, IsBelowLevel(options, context));
    if (const FilterPolicy* const policy = Find(name)) {
      WarnOfEmptyPartitions(*policy, BuiltinPolicyId(options), context);
      builder = policy->GetBuilderWithContext(context);
    }
  } catch (...) {
  }
  if (builder == nullptr) {
    CountUnbuiltFilter();
  }
  return builder;
}

const FilterPolicy* BuiltinBuilders::Find(const std::string& name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  PolicyPointer& kept = policies_[name];
  if (kept == nullptr && !Make(name, &kept).ok()) {
    return nullptr;
  }
  return kept.get();
}

}  // namespace winnow::plugin
