#include "src/preload/add_policy.h"

#include <rocksdb/comparator.h>
#include <rocksdb/table.h>

#include <map>
#include <memory>

#include "src/preload/inner_calls.h"
#include "src/preload/interposed_policy.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/ranges/range_extractor.h"

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

// Adds policies to the column families of one database. Families that share a table factory
// continue to share one.
class PolicyAdder {
 public:
  // `database` is its name in messages, and must outlive this object.
  explicit PolicyAdder(const std::string& database) : database_(database) {}

  // `families` are those that have these options.
  void AddTo(const Names& families, ColumnFamilyOptions* options) {
    if (!ReasonNotToAdd(*options).empty()) {
      return;
    }
    std::shared_ptr<TableFactory>& replacement = replacements_[options->table_factory.get()];
    if (replacement == nullptr) {
      BlockBasedTableOptions table = *BlockBasedOptions(options->table_factory.get());
      table.filter_policy = NewAddedPolicy();
      replacement.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    }
    options->table_factory = replacement;
    added_.insert(added_.end(), families.begin(), families.end());
  }

  // Reports the families that got a policy.
  void Say() const {
    if (!IsLogging()) return;
    plugin::SayFamiliesOnStderr(
        database_, added_,
        std::string("has no filter policy and gets one") +
            (RequestedPolicy().only_reads ? " that reads filters and builds none" : ""));
  }

 private:
  const std::string& database_;
  Names added_;
  std::map<const TableFactory*, std::shared_ptr<TableFactory>> replacements_;
};

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

Options WithPolicy(const Options& options, const std::string& database) {
  Options changed = options;
  PolicyAdder adder(database);
  adder.AddTo({ROCKSDB_NAMESPACE::kDefaultColumnFamilyName}, &changed);
  adder.Say();
  return changed;
}

std::vector<ColumnFamilyDescriptor> WithPolicy(const std::vector<ColumnFamilyDescriptor>& families,
                                               const std::string& database) {
  std::vector<ColumnFamilyDescriptor> changed = families;
  PolicyAdder adder(database);
  for (ColumnFamilyDescriptor& family : changed) {
    adder.AddTo({family.name}, &family.options);
  }
  adder.Say();
  return changed;
}

ColumnFamilyOptions WithPolicy(const ColumnFamilyOptions& options, const Names& families,
                               const std::string& database) {
  ColumnFamilyOptions changed = options;
  PolicyAdder adder(database);
  adder.AddTo(families, &changed);
  adder.Say();
  return changed;
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
