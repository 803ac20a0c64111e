// What the tests of inspection share: table files with all sorts of filters.

#ifndef WINNOW_TESTS_SUPPORT_INSPECT_TESTING_H_
#define WINNOW_TESTS_SUPPORT_INSPECT_TESTING_H_

#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/support/rocksdb_testing.h"

namespace winnow::testing {

// Key number i of a sorted file: 12 bytes, of which the first 8 are the same for 100 keys.
inline std::string KeyOf(uint64_t i) {
  char key[32];
  std::snprintf(key, sizeof(key), "%08u.%03u", static_cast<unsigned>(i / 100),
                static_cast<unsigned>(i % 100));
  return key;
}

// The policy's name may be empty: none.
inline ROCKSDB_NAMESPACE::BlockBasedTableOptions TableWith(const std::string& policy) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.filter_policy = policy.empty() ? nullptr : MakePolicyFrom(policy);
  table.optimize_filters_for_memory = false;  // true from RocksDB 9 on: sizes by the allocator
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

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_INSPECT_TESTING_H_
