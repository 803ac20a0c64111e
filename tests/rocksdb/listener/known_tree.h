// Comparison of a policy's record of a column family with the files that RocksDB has.

#ifndef WINNOW_TESTS_ROCKSDB_LISTENER_KNOWN_TREE_H_
#define WINNOW_TESTS_ROCKSDB_LISTENER_KNOWN_TREE_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/rocksdb/engine.h"

namespace winnow::plugin {

// Levels of a column family's files, and their total keys and filter bytes.
struct Truth {
  std::multiset<int> levels;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
};

inline Truth TruthOf(ROCKSDB_NAMESPACE::DB* database,
                     ROCKSDB_NAMESPACE::ColumnFamilyHandle* family) {
  Truth truth;
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  database->GetLiveFilesMetaData(&files);
  for (const ROCKSDB_NAMESPACE::LiveFileMetaData& file : files) {
    if (file.column_family_name == family->GetName()) truth.levels.insert(file.level);
  }
  ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
  EXPECT_TRUE(database->GetPropertiesOfAllTables(family, &tables).ok());
  for (const auto& [name, table] : tables) {
    // A record has at least one key a file.
    truth.keys += std::max<uint64_t>(1, table->num_entries - table->num_range_deletions);
    truth.filter_bytes += table->filter_size;
  }
  return truth;
}

inline std::shared_ptr<TreeRecord> RecordOf(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                            ROCKSDB_NAMESPACE::DB* database,
                                            const std::string& family) {
  return EngineOf(&policy)->known()->trees.RecordOf(database->GetDBOptions().info_log.get(),
                                                    family);
}

// Returns the shape of the live files as they are now.
inline std::shared_ptr<const family::Shape> ShapeOf(TreeRecord* record) {
  record->family.SetOrdered(false);
  record->family.SetOrdered(true);
  return record->family.Look();
}

// Returns the differences between the policy's view and the actual files; empty if there are none.
inline std::string Unknown(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                           ROCKSDB_NAMESPACE::DB* database,
                           ROCKSDB_NAMESPACE::ColumnFamilyHandle* family) {
  const std::shared_ptr<TreeRecord> record = RecordOf(policy, database, family->GetName());
  const Truth truth = TruthOf(database, family);
  if (record == nullptr) return truth.levels.empty() ? "" : "the family";
  std::string unknown;
  const family::Family::Totals sums = record->family.totals();
  const auto compare = [&unknown](const std::string& what, auto known, auto there) {
    if (known == there) return;
    unknown += what + ": " + std::to_string(known) + ", there are " + std::to_string(there) + "; ";
  };
  compare("files", sums.files, truth.levels.size());
  compare("keys", static_cast<uint64_t>(sums.keys), truth.keys);
  compare("bytes of filters", static_cast<uint64_t>(sums.bytes + 0.5), truth.filter_bytes);
  compare("whether all are known", record->family.knows_all(), true);
  std::multiset<int> known;
  for (const auto& placed : ShapeOf(record.get())->files()) known.insert(placed.level);
  for (int level = 0; level < 7; ++level) {
    compare("files of level " + std::to_string(level), known.count(level),
            truth.levels.count(level));
  }
  return unknown;
}

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_LISTENER_KNOWN_TREE_H_
