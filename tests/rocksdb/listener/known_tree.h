// Comparison of a policy's record of a column family with the files that RocksDB has.

#ifndef WINNOW_TESTS_ROCKSDB_LISTENER_KNOWN_TREE_H_
#define WINNOW_TESTS_ROCKSDB_LISTENER_KNOWN_TREE_H_

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/rocksdb/engine.h"

namespace winnow::plugin {

// A file as RocksDB has it, or as a policy's record does.
struct FileState {
  int level = 0;
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;

  bool operator==(const FileState& other) const {
    return level == other.level && keys == other.keys && filter_bytes == other.filter_bytes;
  }
  std::string ToString() const {
    return "level " + std::to_string(level) + ", " + std::to_string(keys) + " keys, " +
           std::to_string(filter_bytes) + " bytes";
  }
};

// Files of a column family by their numbers, and sums over them.
struct Truth {
  std::map<uint64_t, FileState> files;
  std::multiset<int> levels;
  uint64_t keys = 0;
  bool names_policy = false;  // true if a file says that it was written with a filter policy
};

inline Truth TruthOf(ROCKSDB_NAMESPACE::DB* database,
                     ROCKSDB_NAMESPACE::ColumnFamilyHandle* family) {
  Truth truth;
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  database->GetLiveFilesMetaData(&files);
  for (const ROCKSDB_NAMESPACE::LiveFileMetaData& file : files) {
    if (file.column_family_name != family->GetName()) continue;
    truth.files[file.file_number].level = file.level;
    truth.levels.insert(file.level);
  }
  ROCKSDB_NAMESPACE::TablePropertiesCollection tables;
  EXPECT_TRUE(database->GetPropertiesOfAllTables(family, &tables).ok());
  for (const auto& [path, table] : tables) {
    FileState& file = truth.files[std::stoull(path.substr(path.rfind('/') + 1))];
    // A record has at least one key a file.
    file.keys = std::max<uint64_t>(1, table->num_entries - table->num_range_deletions);
    file.filter_bytes = table->filter_size;
    truth.keys += file.keys;
    truth.names_policy = truth.names_policy || !table->filter_policy_name.empty();
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
  // A family is known by a file that names the policy, or once it has written one.
  if (record == nullptr) return truth.names_policy ? "the family" : "";
  std::map<uint64_t, FileState> known;
  for (const auto& placed : ShapeOf(record.get())->files()) {
    const family::LiveFile& file = *placed.file;
    known[file.name.number] = {placed.level, static_cast<uint64_t>(file.keys),
                               static_cast<uint64_t>(file.bytes + 0.5)};
  }
  std::string unknown = record->family.knows_all() ? "" : "it does not know all; ";
  for (const auto& [number, file] : truth.files) {
    const auto found = known.find(number);
    if (found != known.end() && found->second == file) continue;
    unknown += "file " + std::to_string(number) + " is known with " +
               (found == known.end() ? "nothing" : found->second.ToString()) + ", and has " +
               file.ToString() + "; ";
  }
  for (const auto& [number, file] : known) {
    if (truth.files.count(number) > 0) continue;
    unknown += "file " + std::to_string(number) + " is known and not there; ";
  }
  return unknown;
}

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_LISTENER_KNOWN_TREE_H_
