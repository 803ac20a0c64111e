#include "src/inspect/tree_levels.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "src/inspect/quiet_logger.h"
#include "src/inspect/read_only_env.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Status;

DBOptions ReadOnlyOptions(ROCKSDB_NAMESPACE::Env* env) {
  DBOptions options;
  options.env = env;
  options.info_log = std::make_shared<QuietLogger>();
  // Damaged and missing table files must not keep us from the tree.
  rocksdb_abi::LeaveFileSizesUnchecked(&options);
  options.skip_stats_update_on_db_open = true;
  options.max_open_files = 20;  // the least that RocksDB takes; more would be opened ahead
  options.create_if_missing = false;
  return options;
}

// A comparator by its name. Null: not one that this program has. A stand-in would not do, since
// RocksDB compares keys while it puts the tree together and ends the program when their order is
// wrong.
const Comparator* FindComparator(const std::string& name) {
  if (name.empty()) {
    return ROCKSDB_NAMESPACE::BytewiseComparator();
  }
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  const Comparator* comparator = nullptr;
  return Comparator::CreateFromString(config, name, &comparator).ok() ? comparator : nullptr;
}

// The comparators' names that the latest OPTIONS file has, for families without files. Empty where
// it can't be read.
std::map<std::string, std::string> SavedComparators(const std::string& database,
                                                    ROCKSDB_NAMESPACE::Env* env) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.env = env;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  std::map<std::string, std::string> names;
  if (ROCKSDB_NAMESPACE::LoadLatestOptions(config, database, &options, &families).ok()) {
    for (const ColumnFamilyDescriptor& family : families) {
      names[family.name] = family.options.comparator->Name();
    }
  }
  return names;
}

std::string DescribeFamilies(const std::vector<std::string>& names,
                             const std::map<std::string, std::string>& comparators,
                             std::vector<ColumnFamilyDescriptor>* families) {
  for (const std::string& name : names) {
    const auto found = comparators.find(name);
    const std::string comparator_name = found == comparators.end() ? "" : found->second;
    const Comparator* comparator = FindComparator(comparator_name);
    if (comparator == nullptr) {
      return absl::StrCat("column family ", name, " is ordered by the comparator ", comparator_name,
                          ", which this program does not have");
    }
    ColumnFamilyOptions options;
    options.comparator = comparator;
    families->emplace_back(name, options);
  }
  return std::string();
}

Status ListFiles(const std::string& database, const DBOptions& options,
                 const std::vector<ColumnFamilyDescriptor>& families,
                 std::vector<LiveFileMetaData>* files) {
  rocksdb_abi::OpenedDB opened{};
  std::vector<ColumnFamilyHandle*> handles;
  Status status = DB::OpenForReadOnly(options, database, families, &handles, &opened);
  if (!status.ok()) {
    return status;
  }
  const std::unique_ptr<DB> db = rocksdb_abi::Own(std::move(opened));
  db->GetLiveFilesMetaData(files);
  for (ColumnFamilyHandle* handle : handles) {
    status = db->DestroyColumnFamilyHandle(handle);
  }
  return status;
}

}  // namespace

TreeLevels ReadTreeLevels(const std::string& database,
                          const std::map<std::string, std::string>& comparators) {
  TreeLevels tree;
  std::unique_ptr<ROCKSDB_NAMESPACE::Env> env;
  Status status = NewReadOnlyEnv(&env);
  std::vector<std::string> names;
  if (status.ok()) {
    status = DB::ListColumnFamilies(ReadOnlyOptions(env.get()), database, &names);
  }
  std::vector<LiveFileMetaData> files;
  if (status.ok()) {
    std::vector<ColumnFamilyDescriptor> families;
    std::map<std::string, std::string> known = comparators;
    known.merge(SavedComparators(database, env.get()));
    tree.problem = DescribeFamilies(names, known, &families);
    if (!tree.problem.empty()) {
      return tree;
    }
    status = ListFiles(database, ReadOnlyOptions(env.get()), families, &files);
  }
  if (!status.ok()) {
    tree.problem = absl::StrCat("RocksDB can't open it as a database: ", status.ToString());
  }
  for (const LiveFileMetaData& file : files) {
    const std::filesystem::path path = std::filesystem::path(file.db_path) / file.name.substr(1);
    tree.files[path.lexically_normal().string()] = {file.level, file.column_family_name};
  }
  return tree;
}

}  // namespace winnow::inspect
