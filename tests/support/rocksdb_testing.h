// Helpers for tests with a real RocksDB.

#ifndef WINNOW_TESTS_SUPPORT_ROCKSDB_TESTING_H_
#define WINNOW_TESTS_SUPPORT_ROCKSDB_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/statistics.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::testing {

#define ASSERT_STATUS_OK(expression)                                 \
  do {                                                               \
    const ROCKSDB_NAMESPACE::Status status_to_be_ok = (expression);  \
    ASSERT_TRUE(status_to_be_ok.ok()) << status_to_be_ok.ToString(); \
  } while (false)

// Returns options that make an unknown policy an error instead of no filter.
inline ROCKSDB_NAMESPACE::ConfigOptions StrictConfig() {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  return config;
}

// Returns the policy of an options string such as "winnow:10", in place of `former`, as SetOptions
// makes it from RocksDB 9.8. On error, the test fails and the result is null.
inline std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> MakePolicyFrom(
    const std::string& text,
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& former = nullptr) {
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy = former;
  const ROCKSDB_NAMESPACE::Status status =
      ROCKSDB_NAMESPACE::FilterPolicy::CreateFromString(StrictConfig(), text, &policy);
  EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
  EXPECT_NE(policy, former) << text;
  return policy;
}

// Returns options of a small database without automatic compactions, with statistics.
inline ROCKSDB_NAMESPACE::Options MakeOptions(
    const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  ROCKSDB_NAMESPACE::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.level_compaction_dynamic_level_bytes =
      false;  // default before 8.3: files move to level 1
  options.statistics = ROCKSDB_NAMESPACE::CreateDBStatistics();
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

// Returns MakeOptions with automatic compactions that build a tree of some levels from some
// thousand keys. Flushes of full memtables begin beside compactions, so that trees differ between
// runs. A test that bounds a tree's figures sets a large write_buffer_size, and flushes at rest.
inline ROCKSDB_NAMESPACE::Options SmallLevels(
    const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  ROCKSDB_NAMESPACE::Options options = MakeOptions(table);
  options.disable_auto_compactions = false;
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 32 << 10;
  options.max_bytes_for_level_base = 128 << 10;
  options.max_bytes_for_level_multiplier = 4;
  return options;
}

// Returns the number of data blocks read, from files and from the block cache.
inline uint64_t DataBlocksRead(const ROCKSDB_NAMESPACE::Statistics& statistics) {
  return statistics.getTickerCount(ROCKSDB_NAMESPACE::BLOCK_CACHE_DATA_HIT) +
         statistics.getTickerCount(ROCKSDB_NAMESPACE::BLOCK_CACHE_DATA_MISS);
}

// Returns the size in bytes of the filters of all files.
inline uint64_t FilterBytes(ROCKSDB_NAMESPACE::DB* database) {
  ROCKSDB_NAMESPACE::TablePropertiesCollection files;
  EXPECT_TRUE(database->GetPropertiesOfAllTables(&files).ok());
  uint64_t bytes = 0;
  for (const auto& [name, properties] : files) bytes += properties->filter_size;
  return bytes;
}

// Waits until no flush or compaction of any column family runs or is pending. In universal
// compaction, and without automatic compactions, some stay pending, and none that runs is enough.
inline void WaitForRest(ROCKSDB_NAMESPACE::DB* database) {
  using Properties = ROCKSDB_NAMESPACE::DB::Properties;
  const ROCKSDB_NAMESPACE::Options options = database->GetOptions();
  const bool all_are_begun = options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
                             !options.disable_auto_compactions;
  std::vector<std::string> properties = {Properties::kNumRunningCompactions,
                                         Properties::kNumRunningFlushes,
                                         Properties::kMemTableFlushPending};
  if (all_are_begun) properties.push_back(Properties::kCompactionPending);
  for (int quiet = 0; quiet < 3;) {
    std::this_thread::sleep_for(std::chrono::microseconds(all_are_begun ? 300 : 5000));
    uint64_t sum = 0;
    for (const std::string& property : properties) {
      uint64_t number = 0;
      database->GetAggregatedIntProperty(property, &number);
      sum += number;
    }
    quiet = sum == 0 ? quiet + 1 : 0;
  }
}

inline std::unique_ptr<ROCKSDB_NAMESPACE::DB> OpenDatabase(
    const ROCKSDB_NAMESPACE::Options& options, const std::string& path) {
  rocksdb_abi::OpenedDB database{};
  const ROCKSDB_NAMESPACE::Status status = ROCKSDB_NAMESPACE::DB::Open(options, path, &database);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return rocksdb_abi::Own(std::move(database));
}

// An open database, and the handles of its column families.
struct OpenFamilies {
  OpenFamilies() = default;
  ~OpenFamilies() { Close(); }
  OpenFamilies(const OpenFamilies&) = delete;
  OpenFamilies& operator=(const OpenFamilies&) = delete;

  void Open(const ROCKSDB_NAMESPACE::DBOptions& options, const std::string& path,
            const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>& families) {
    Close();
    rocksdb_abi::OpenedDB opened{};
    const ROCKSDB_NAMESPACE::Status status =
        ROCKSDB_NAMESPACE::DB::Open(options, path, families, &handles, &opened);
    EXPECT_TRUE(status.ok()) << status.ToString();
    database = rocksdb_abi::Own(std::move(opened));
  }
  void Close() {
    for (ROCKSDB_NAMESPACE::ColumnFamilyHandle* const handle : handles) delete handle;
    handles.clear();
    database.reset();
  }

  std::unique_ptr<ROCKSDB_NAMESPACE::DB> database;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_ROCKSDB_TESTING_H_
