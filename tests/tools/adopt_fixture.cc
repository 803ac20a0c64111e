// Object files for archives that `winnow adopt` refuses, with just the parts of RocksDB that it
// looks for. Compiler definitions select the parts.

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <memory>
#include <string>

#include "third_party/rocksdb_abi/versions.h"

#if defined(FIXTURE_ADOPTED)
#define NewBloomFilterPolicy StockNewBloomFilterPolicy
#define NewRibbonFilterPolicy StockNewRibbonFilterPolicy
#endif

namespace ROCKSDB_NAMESPACE {

#if defined(FIXTURE_POLICIES)
const FilterPolicy* NewBloomFilterPolicy(double, bool) { return nullptr; }
winnow::rocksdb_abi::RibbonPolicy* NewRibbonFilterPolicy(double, int) { return nullptr; }
Status FilterPolicy::CreateFromString(const ConfigOptions&, const std::string&,
                                      std::shared_ptr<const FilterPolicy>*) {
  return Status::NotSupported();
}
#endif

#if defined(FIXTURE_CALLER)
TableFactory* NewBlockBasedTableFactory(const BlockBasedTableOptions&) { return nullptr; }
#endif

#if defined(FIXTURE_VERSION)
std::string GetRocksVersionAsString(bool) { return FIXTURE_VERSION; }
#endif

}  // namespace ROCKSDB_NAMESPACE

#if defined(FIXTURE_IN_TREE)
extern "C" int winnow_register_in_tree() { return 0; }
#endif

// This symbol shows whether RocksDB has type information.
#if defined(FIXTURE_TYPES)
extern const int type_of_filter_policy __asm__("_ZTIN7rocksdb12FilterPolicyE");
const int type_of_filter_policy = 1;
#endif
