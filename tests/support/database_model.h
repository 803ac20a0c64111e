// Test data of a database, and checks that all of it is found again.

#ifndef WINNOW_TESTS_SUPPORT_DATABASE_MODEL_H_
#define WINNOW_TESTS_SUPPORT_DATABASE_MODEL_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace winnow::testing {

inline constexpr size_t kPrefixBytes = 7;  // "k" and six digits; 10 keys have the same prefix

inline std::string Key(uint64_t i) {
  char key[32];
  std::snprintf(key, sizeof(key), "k%06llu-%llu", static_cast<unsigned long long>(i / 10),
                static_cast<unsigned long long>(i % 10));
  return key;
}

// Returns a key that is not in the database and lies between two that are.
inline std::string AbsentKey(uint64_t i) { return Key(i) + "x"; }

// Expected contents of a database.
using Model = std::map<std::string, std::string>;

// Checks the first num_keys keys with Get, and as many absent ones.
inline void ExpectAllKeys(
    ROCKSDB_NAMESPACE::DB& database, const Model& model, uint64_t num_keys,
    const ROCKSDB_NAMESPACE::ReadOptions& read = ROCKSDB_NAMESPACE::ReadOptions()) {
  for (uint64_t i = 0; i < num_keys; ++i) {
    const auto expected = model.find(Key(i));
    std::string value;
    const ROCKSDB_NAMESPACE::Status status = database.Get(read, Key(i), &value);
    if (expected == model.end()) {
      ASSERT_TRUE(status.IsNotFound()) << Key(i) << ": " << status.ToString();
    } else {
      ASSERT_TRUE(status.ok()) << Key(i) << ": " << status.ToString();
      ASSERT_EQ(value, expected->second) << Key(i);
    }
    ASSERT_TRUE(database.Get(read, AbsentKey(i), &value).IsNotFound());
  }
}

// Checks the first num_keys keys, and as many absent ones, with MultiGet in batches of many sizes.
inline void ExpectAllKeysInBatches(
    ROCKSDB_NAMESPACE::DB& database, const Model& model, uint64_t num_keys,
    const ROCKSDB_NAMESPACE::ReadOptions& read = ROCKSDB_NAMESPACE::ReadOptions()) {
  size_t batch = 1;
  for (uint64_t first = 0; first < num_keys; first += batch) {
    batch = batch % 70 + 1;  // RocksDB passes at most 32 keys to a filter
    std::vector<std::string> keys;
    for (uint64_t i = first; i < std::min<uint64_t>(first + batch, num_keys); ++i) {
      keys.push_back(Key(i));
      keys.push_back(AbsentKey(i));
    }
    const std::vector<ROCKSDB_NAMESPACE::Slice> slices(keys.begin(), keys.end());
    std::vector<ROCKSDB_NAMESPACE::PinnableSlice> values(keys.size());
    std::vector<ROCKSDB_NAMESPACE::Status> statuses(keys.size());
    database.MultiGet(read, database.DefaultColumnFamily(), slices.size(), slices.data(),
                      values.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto expected = model.find(keys[i]);
      if (expected == model.end()) {
        ASSERT_TRUE(statuses[i].IsNotFound()) << keys[i] << ": " << statuses[i].ToString();
      } else {
        ASSERT_TRUE(statuses[i].ok()) << keys[i] << ": " << statuses[i].ToString();
        ASSERT_EQ(values[i].ToString(), expected->second) << keys[i];
      }
    }
  }
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_DATABASE_MODEL_H_
