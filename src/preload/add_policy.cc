#include "src/preload/add_policy.h"

#include <rocksdb/comparator.h>
#include <rocksdb/table.h>

#include <map>
#include <memory>

#include "src/preload/interposed_policy.h"
#include "src/preload/report.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::TableFactory;

constexpr const char kHasPolicy[] = "has a filter policy";

// Null unless it is RocksDB's own block-based factory: replacing one that wraps it would take away
// what the wrapper does.
const BlockBasedTableOptions* BlockBasedOptions(const TableFactory* factory) {
  if (factory == nullptr ||
      factory->Name() != std::string_view(TableFactory::kBlockBasedTableName())) {
    return nullptr;
  }
  return factory->GetOptions<BlockBasedTableOptions>();
}

// The families of one database. Those that share a table factory go on sharing one.
class PolicyAdder {
 public:
  explicit PolicyAdder(const std::string& database) : database_(database) {}

  void AddTo(const std::string& family, ColumnFamilyOptions* options) {
    const std::string reason = ReasonToLeave(*options);
    if (reason.empty()) {
      std::shared_ptr<TableFactory>& replacement = replacements_[options->table_factory.get()];
      if (replacement == nullptr) {
        BlockBasedTableOptions table = *BlockBasedOptions(options->table_factory.get());
        table.filter_policy = NewAddedPolicy();
        replacement.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
      }
      options->table_factory = replacement;
      Say(family, "has no filter policy and gets one");
    } else if (reason != kHasPolicy) {
      Say(family, "gets no filter policy: it " + reason);
    }
  }

 private:
  void Say(const std::string& family, const std::string& what) {
    if (IsLogging()) {
      SayOnce("column family " + family + " of " + database_ + " " + what);
    }
  }

  const std::string& database_;
  std::map<const TableFactory*, std::shared_ptr<TableFactory>> replacements_;
};

}  // namespace

std::string ReasonToLeave(const ColumnFamilyOptions& options) {
  const BlockBasedTableOptions* const table = BlockBasedOptions(options.table_factory.get());
  if (table == nullptr) {
    return "has tables of another format than the block-based one";
  }
  if (table->filter_policy != nullptr) {
    return kHasPolicy;
  }
  if (options.comparator == nullptr ||
      options.comparator->CanKeysWithDifferentByteContentsBeEqual()) {
    return "has a comparator by which keys of different bytes may be equal";
  }
  if (options.prefix_extractor != nullptr) {
    return "has a prefix extractor, with which a filter would change what iterators see";
  }
  return {};
}

Options WithPolicy(const Options& options, const std::string& database) {
  RequestedPolicy();
  Options changed = options;
  PolicyAdder(database).AddTo(ROCKSDB_NAMESPACE::kDefaultColumnFamilyName, &changed);
  return changed;
}

std::vector<ColumnFamilyDescriptor> WithPolicy(const std::vector<ColumnFamilyDescriptor>& families,
                                               const std::string& database) {
  RequestedPolicy();
  std::vector<ColumnFamilyDescriptor> changed = families;
  PolicyAdder adder(database);
  for (ColumnFamilyDescriptor& family : changed) {
    adder.AddTo(family.name, &family.options);
  }
  return changed;
}

}  // namespace winnow::preload
