#include "src/preload/family_options.h"

#include <rocksdb/comparator.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/table.h>

#include <string_view>

#include "src/preload/family_notes.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::TableFactory;

constexpr char kPrefixExtractor[] =
    "a prefix extractor, with which a filter would hide rows from scans with neither "
    "auto_prefix_mode nor total_order_seek";

// Returns null unless this is RocksDB's own block-based factory: replacing a wrapper of it would
// remove the wrapper's functions.
const BlockBasedTableOptions* BlockBasedOptions(const TableFactory* factory) {
  if (factory == nullptr ||
      factory->Name() != std::string_view(TableFactory::kBlockBasedTableName())) {
    return nullptr;
  }
  return factory->GetOptions<BlockBasedTableOptions>();
}

// Returns whether SetOptions reaches the interposer; false only if the RocksDB in use is known to
// bypass it. If there is no hook at all, there is nothing to see.
bool SeesSetOptions() {
  static const bool sees =
      StockFunction(Hook::kOpen) == nullptr || IsReplaced(Hook::kSetOptions).value_or(false);
  return sees;
}

// Returns whether the memtable is known to need no prefix extractor.
bool IsWithoutPrefixes(const ROCKSDB_NAMESPACE::MemTableRepFactory* memtable) {
  return memtable == nullptr || memtable->Name() == std::string_view("SkipListFactory") ||
         memtable->Name() == std::string_view("VectorRepFactory");
}

}  // namespace

std::string ReasonToLeave(const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = BlockBasedOptions(options.table_factory.get());
  if (table == nullptr) {
    return "has tables of another format than the block-based one";
  }
  if (table->filter_policy != nullptr) {
    return "has a filter policy";
  }
  if (options.comparator == nullptr ||
      options.comparator->CanKeysWithDifferentByteContentsBeEqual()) {
    return "has a comparator by which keys of different bytes may be equal";
  }
  // The extractor winnow.range does not change what iterators return.
  if (options.prefix_extractor != nullptr &&
      !plugin::IsRangeExtractor(options.prefix_extractor.get())) {
    return std::string("has ") + kPrefixExtractor;
  }
  return {};
}

std::string ReasonNotToAdd(const ColumnFamilyOptions& options) {
  const std::string reason = ReasonToLeave(options);
  return reason.empty() && !SeesSetOptions()
             ? std::string(
                   "is of a RocksDB that does not let the interposer see SetOptions, by "
                   "which it may get ") +
                   kPrefixExtractor
             : reason;
}

bool HasBlockBasedTables(const ColumnFamilyOptions& options) {
  return BlockBasedOptions(options.table_factory.get()) != nullptr;
}

std::string ReasonForNoRanges(const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = BlockBasedOptions(options.table_factory.get());
  if (table == nullptr) return "has tables of another format than the block-based one";
  if (table->filter_policy == nullptr) return "has no filter policy";
  const FilterPolicy* const interposed = InterposedBehind(*table->filter_policy);
  if (interposed == nullptr || !plugin::EngineOf(interposed)->BuildsOurs()) {
    return "has a filter policy that WINNOW_POLICY does not replace";
  }
  if (options.comparator == nullptr ||
      plugin::OrderOf(options.comparator->Name()) != plugin::KeyOrder::kBytewise) {
    return "has a comparator that does not order keys by their bytes";
  }
  if (plugin::IsRangeExtractor(options.prefix_extractor.get())) return {};
  if (options.prefix_extractor != nullptr) {
    return "has a prefix extractor, and can have one alone";
  }
  if (!table->whole_key_filtering) return "has whole_key_filtering=false";
  if (options.memtable_prefix_bloom_size_ratio > 0) {
    return "has memtable_prefix_bloom_size_ratio, by which its memtables would have a filter of "
           "no use";
  }
  if (!IsWithoutPrefixes(options.memtable_factory.get())) {
    return "has the memtable " + plugin::Quoted(options.memtable_factory->Name()) +
           ", which may go by prefixes";
  }
  return {};
}

FamilyChanges::FamilyChanges(const std::string& database)
    : database_(database),
      adds_policies_(IsInterposing() && IsAdding()),
      adds_ranges_(RequestedRangeBits() > 0) {}

void FamilyChanges::Make(const Names& families, ColumnFamilyOptions* options) {
  if (adds_policies_) AddPolicy(families, options);
  if (adds_ranges_) AddRanges(families, options);
}

void FamilyChanges::AddPolicy(const Names& families, ColumnFamilyOptions* options) {
  if (!ReasonNotToAdd(*options).empty()) return;
  std::shared_ptr<TableFactory>& replacement = replacements_[options->table_factory.get()];
  if (replacement == nullptr) {
    BlockBasedTableOptions table = *BlockBasedOptions(options->table_factory.get());
    table.filter_policy = NewAddedPolicy();
    replacement.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }
  options->table_factory = replacement;
  added_.insert(added_.end(), families.begin(), families.end());
}

void FamilyChanges::AddRanges(const Names& families, ColumnFamilyOptions* options) {
  const std::string reason = ReasonForNoRanges(*options);
  if (reason.empty() && options->prefix_extractor == nullptr) {
    options->prefix_extractor = NewRangeExtractor();
  }
  Names& said =
      ranges_[reason.empty() ? "gets range filters, of range_bits=" +
                                   plugin::PolicyOptionText("range_bits", RequestedPolicy().options)
                             : "gets no range filters by WINNOW_RANGE_BITS: it " + reason];
  said.insert(said.end(), families.begin(), families.end());
}

void FamilyChanges::Say() const {
  if (!IsLogging()) return;
  plugin::SayFamiliesOnStderr(
      database_, added_,
      std::string("has no filter policy and gets one") +
          (RequestedPolicy().only_reads ? " that reads filters and builds none" : ""));
  if (Opening::IsOpen()) return;
  for (const auto& [what, names] : ranges_) plugin::SayFamiliesOnStderr(database_, names, what);
}

void BeforeSetOptions(DB& database, ColumnFamilyHandle* family,
                      const rocksdb_abi::OptionTexts& options) {
  const auto extractor = options.find("prefix_extractor");
  ColumnFamilyDescriptor descriptor;
  if (extractor == options.end() || extractor->second == "nullptr" ||
      plugin::IsRangeExtractorText(extractor->second) || family == nullptr ||
      !family->GetDescriptor(&descriptor).ok()) {
    return;
  }
  const BlockBasedTableOptions* const table =
      BlockBasedOptions(descriptor.options.table_factory.get());
  if (table == nullptr || !StopIfAdded(table->filter_policy.get())) {
    return;
  }
  const std::string line =
      std::string("gets no more filters of WINNOW_ADD and uses none: SetOptions gives it ") +
      kPrefixExtractor;
  plugin::WarnOfFamiliesInLog(database.GetDBOptions().info_log.get(), {descriptor.name}, line);
  if (IsLogging()) plugin::SayFamiliesOnStderr(database.GetName(), {descriptor.name}, line);
}

}  // namespace winnow::preload
