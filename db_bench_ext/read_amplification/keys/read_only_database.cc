#include "db_bench_ext/read_amplification/keys/read_only_database.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/system/status.h"
#include "src/database/loaded_options.h"
#include "src/database/read_only_env.h"
#include "src/sst/quiet_logger.h"
#include "src/text/printable.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {

bool IsDatabase(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(path) / "CURRENT", error);
}

absl::StatusOr<std::unique_ptr<ReadOnlyDatabase>> ReadOnlyDatabase::Make(const std::string& path) {
  if (!IsDatabase(path)) {
    return absl::NotFoundError(
        absl::StrCat("there is no database in '", path, "': it has no file CURRENT"));
  }
  auto made = std::unique_ptr<ReadOnlyDatabase>(new ReadOnlyDatabase(path));
  absl::Status status = FromRocksDB(inspect::NewReadOnlyEnv(&made->env_), "read " + path);
  if (status.ok()) status = made->LoadOptions();
  if (!status.ok()) return status;
  return made;
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> ReadOnlyDatabase::Open(
    uint64_t cache_size, std::shared_ptr<rocksdb::Statistics> statistics) const {
  rocksdb::BlockBasedTableOptions table = table_;
  table.no_block_cache = cache_size == 0;
  if (cache_size == 0) {
    table.block_cache = nullptr;
    table.cache_index_and_filter_blocks = false;
  } else {
    table.block_cache = rocksdb::NewLRUCache(cache_size);
  }
  rocksdb::Options options = options_;
  options.statistics = std::move(statistics);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb_abi::OpenedDB opened{};
  absl::Status status = FromRocksDB(rocksdb::DB::OpenForReadOnly(options, path_, &opened),
                                    "open " + path_ + " for reading");
  if (!status.ok()) return status;
  return rocksdb_abi::Own(std::move(opened));
}

absl::StatusOr<std::string> ReadOnlyDatabase::OtherFamilies(absl::string_view was_used) const {
  constexpr size_t kMaxNames = 10;
  std::vector<std::string> names;
  absl::Status status = FromRocksDB(rocksdb::DB::ListColumnFamilies(options_, path_, &names),
                                    "read the column families of " + path_);
  if (!status.ok()) return status;
  names.erase(std::remove(names.begin(), names.end(), rocksdb::kDefaultColumnFamilyName),
              names.end());
  if (names.empty()) return std::string();
  const size_t others = names.size();
  names.resize(std::min(others, kMaxNames));
  for (std::string& name : names) name = absl::StrCat("'", inspect::Printable(name), "'");
  return absl::StrCat("Only the column family 'default' ", was_used, ", of the ", others + 1,
                      " that ", path_, " has. The others: ", absl::StrJoin(names, ", "),
                      others > kMaxNames ? absl::StrCat(" and ", others - kMaxNames, " more") : "",
                      ".");
}

absl::Status ReadOnlyDatabase::LoadOptions() {
  rocksdb::ConfigOptions config;
  config.env = env_.get();
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  if (rocksdb::LoadLatestOptions(config, path_, &database, &families).ok()) {
    const rocksdb::ColumnFamilyOptions& family = families.at(0).options;
    options_.comparator = family.comparator;
    options_.merge_operator = family.merge_operator;
    options_.prefix_extractor = family.prefix_extractor;
    options_.num_levels = family.num_levels;
    options_.db_paths = database.db_paths;
    options_.cf_paths = family.cf_paths;
    if (const auto* table = inspect::TableOptionsOf(family)) {
      table_ = *table;
      table_.persistent_cache = nullptr;
    }
  }
  options_.env = env_.get();
  options_.info_log = std::make_shared<inspect::QuietLogger>();
  options_.max_open_files = -1;
  rocksdb_abi::LeaveFileSizesUnchecked(&options_);
  PolicyOptions policy;
  policy.build = Build::kBloomFilter;  // reads all kinds of filters, builds none
  return FromRocksDB(NewFilterPolicy(policy, &table_.filter_policy), "make a policy");
}

}  // namespace winnow::bench
