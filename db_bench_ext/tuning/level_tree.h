// A tree that RocksDB grows during writes.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_LEVEL_TREE_H_
#define WINNOW_DB_BENCH_EXT_TUNING_LEVEL_TREE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/level_keys.h"

namespace winnow::bench {

// A database grown by RocksDB's own compaction, with files of several thousand keys.
class LevelTree {
 public:
  // `path` must not exist.
  LevelTree(rocksdb::Options options, std::string path, LevelPrefixes prefixes = {})
      : options_(std::move(options)), path_(std::move(path)), prefixes_(std::move(prefixes)) {}
  ~LevelTree();
  LevelTree(const LevelTree&) = delete;
  LevelTree& operator=(const LevelTree&) = delete;

  absl::Status Open();
  absl::Status Reopen();
  absl::Status Put(uint64_t number);
  absl::Status Flush();
  // Flushes, and waits until no compaction runs or is due.
  absl::Status FlushAndWaitForCompactions();
  absl::Status SetOption(const std::string& name, const std::string& value);
  absl::Status Delete(uint64_t number);
  absl::StatusOr<bool> Has(uint64_t number);
  // Ingests a file of ordered keys.
  absl::Status Ingest(const std::vector<uint64_t>& numbers);
  // Removes all keys of the range, including both ends: by a range tombstone and a full compaction,
  // or by deleting files that are completely within the range.
  absl::Status DeleteRange(uint64_t first, uint64_t last);
  absl::Status DeleteFiles(uint64_t first, uint64_t last);

  // Calls `look` after every `every` writes, whether or not the tree was idle in between.
  void Watch(uint64_t every, std::function<absl::Status()> look);

  rocksdb::DB* db() const { return db_.get(); }
  const std::string& path() const { return path_; }
  const LevelPrefixes& prefixes() const { return prefixes_; }

 private:
  std::string KeyOf(uint64_t number) const;
  absl::Status Wrote(const rocksdb::Status& status);

  rocksdb::Options options_;
  const std::string path_;
  const LevelPrefixes prefixes_;
  uint64_t writes_ = 0;
  uint64_t every_ = 0;
  std::function<absl::Status()> look_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_LEVEL_TREE_H_
