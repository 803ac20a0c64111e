// Helpers for tests of inspection: SST files with all kinds of filters.

#ifndef WINNOW_TESTS_SUPPORT_INSPECT_TESTING_H_
#define WINNOW_TESTS_SUPPORT_INSPECT_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/support/rocksdb_testing.h"

namespace winnow::testing {

// Returns key number i of a sorted file: 12 bytes, with the same first 8 bytes for 100 keys.
inline std::string KeyOf(uint64_t i) {
  char key[32];
  std::snprintf(key, sizeof(key), "%08u.%03u", static_cast<unsigned>(i / 100),
                static_cast<unsigned>(i % 100));
  return key;
}

// Returns table options with this policy; an empty name means no policy.
inline ROCKSDB_NAMESPACE::BlockBasedTableOptions TableWith(const std::string& policy) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.filter_policy = policy.empty() ? nullptr : MakePolicyFrom(policy);
  table.optimize_filters_for_memory = false;  // the default since RocksDB 9, where sizes depend on
                                              // the allocator
  return table;
}

inline ROCKSDB_NAMESPACE::BlockBasedTableOptions PartitionedTableWith(const std::string& policy) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table = TableWith(policy);
  table.partition_filters = true;
  table.index_type = ROCKSDB_NAMESPACE::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.metadata_block_size = 1024;
  return table;
}

inline void WriteSst(const ROCKSDB_NAMESPACE::Options& options, uint64_t keys,
                     const std::string& path) {
  ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
  ASSERT_STATUS_OK(writer.Open(path));
  for (uint64_t i = 0; i < keys; ++i) {
    ASSERT_STATUS_OK(writer.Put(KeyOf(i), "value"));
  }
  ASSERT_STATUS_OK(writer.Finish());
}

inline void WriteSst(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, uint64_t keys,
                     const std::string& path) {
  WriteSst(MakeOptions(table), keys, path);
}

// Key numbers first, first + step, and so on, less than `end`.
struct KeyNumbers {
  uint64_t end;
  uint64_t first = 0;
  uint64_t step = 1;
};

// Puts the keys in ascending order and flushes the column family; null means the default one.
inline void PutAndFlush(ROCKSDB_NAMESPACE::DB* database, const KeyNumbers& keys,
                        ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr,
                        const std::string& value = "value") {
  if (family == nullptr) family = database->DefaultColumnFamily();
  for (uint64_t i = keys.first; i < keys.end; i += keys.step) {
    ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), family, KeyOf(i), value));
  }
  ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
}

// Makes a database of one file with these keys, whose filter block has a range filter.
inline void MakeWithRangeFilter(const std::string& path,
                                const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table,
                                const KeyNumbers& keys) {
  ROCKSDB_NAMESPACE::Options options = MakeOptions(table);
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::SliceTransform::CreateFromString(
      StrictConfig(), "winnow.range", &options.prefix_extractor));
  PutAndFlush(OpenDatabase(options, path).get(), keys);
}

constexpr char kRangePolicy[] = "{id=winnow;bits_per_key=10;range_bits=15}";

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_INSPECT_TESTING_H_
