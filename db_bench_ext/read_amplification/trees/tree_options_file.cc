#include "db_bench_ext/read_amplification/trees/tree_options_file.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>

#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/policy_trial/policy_check.h"

namespace winnow::bench {
namespace {

using Descriptors = std::vector<rocksdb::ColumnFamilyDescriptor>;

constexpr char kDefaultFamily[] = "default";

rocksdb::Status Load(const std::string& path, bool ignore_unsupported, rocksdb::DBOptions* database,
                     Descriptors* families) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = ignore_unsupported;
  config.env = rocksdb::Env::Default();
  families->clear();
  return rocksdb::LoadOptionsFromFile(config, path, database, families);
}

std::string PolicyNote(const std::string& path) {
  const inspect::OptionsFileReport report = inspect::CheckOptionsFile(path, false);
  for (const inspect::FamilyPolicy& family : report.families) {
    if (family.name != kDefaultFamily || family.no_filter_asked_for) continue;
    return absl::StrCat("The filter policy in ", path, ", '", family.verdict.asked,
                        "', is replaced by those of --policies.");
  }
  return "";
}

// Clears paths: folders of a database in use must not be written to.
void DropPaths(LoadedOptions* loaded) {
  rocksdb::Options& database = loaded->options.database;
  if (!database.db_paths.empty() || !database.cf_paths.empty() || !database.wal_dir.empty() ||
      !database.db_log_dir.empty()) {
    loaded->notes.push_back(absl::StrCat("The folders that ", loaded->path,
                                         " names (db_paths, cf_paths, wal_dir, db_log_dir) are "
                                         "not used: all is in the folder of --db."));
  }
  database.db_paths.clear();
  database.cf_paths.clear();
  database.wal_dir.clear();
  database.db_log_dir.clear();
  database.error_if_exists = false;
  database.create_if_missing = false;
}

absl::Status Refuse(const std::string& path, const std::string& reason) {
  return absl::InvalidArgumentError(absl::StrCat("the options file ", path, " ", reason));
}

}  // namespace

absl::StatusOr<LoadedOptions> LoadTreeOptions(const std::string& path) {
  const inspect::OptionsPath found = inspect::FindOptionsFile(path);
  if (!found.error.empty()) return absl::InvalidArgumentError(found.error);
  LoadedOptions loaded;
  loaded.path = found.path;

  rocksdb::DBOptions database;
  Descriptors families;
  rocksdb::Status status = Load(loaded.path, false, &database, &families);
  if (status.IsNotSupported()) {
    loaded.notes.push_back(absl::StrCat("Something that ", loaded.path,
                                        " asks for is not linked in here and left at RocksDB's "
                                        "default: ",
                                        status.ToString(), "."));
    status = Load(loaded.path, true, &database, &families);
  }
  if (!status.ok()) {
    return Refuse(loaded.path, absl::StrCat("can't be read as the options of this RocksDB: ",
                                            status.ToString()));
  }
  const auto family = std::find_if(families.begin(), families.end(),
                                   [](const auto& f) { return f.name == kDefaultFamily; });
  if (family == families.end()) return Refuse(loaded.path, "has no column family 'default'");
  if (families.size() > 1) {
    loaded.notes.push_back(absl::StrCat("Of the ", families.size(), " column families in ",
                                        loaded.path, " only 'default' is followed."));
  }
  const auto* table = inspect::TableOptionsOf(family->options);
  if (table == nullptr) {
    return Refuse(loaded.path,
                  "asks for another table than BlockBasedTable, the only one with "
                  "filters that are measured here");
  }
  if (family->options.comparator != rocksdb::BytewiseComparator()) {
    return Refuse(loaded.path, absl::StrCat("orders keys by ", family->options.comparator->Name(),
                                            ", but here they are in the order of their bytes "
                                            "(leveldb.BytewiseComparator)"));
  }
  loaded.options.table = *table;
  loaded.options.database = rocksdb::Options(database, family->options);
  if (const std::string note = PolicyNote(loaded.path); !note.empty()) {
    loaded.notes.push_back(note);
  }
  loaded.options.table.filter_policy = nullptr;
  DropPaths(&loaded);
  return loaded;
}

}  // namespace winnow::bench
