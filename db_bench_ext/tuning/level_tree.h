// A tree that RocksDB grows while it is written to.

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

// A database that is being grown by RocksDB's own compaction, with files of some thousand keys.
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
  // Until no compaction runs or is due.
  absl::Status FlushAndWaitForCompactions();
  absl::Status SetOption(const std::string& name, const std::string& value);
  absl::Status Delete(uint64_t number);
  absl::StatusOr<bool> Has(uint64_t number);
  // A file of keys in order.
  absl::Status Ingest(const std::vector<uint64_t>& numbers);
  // All keys of the range, both ends included: by a range tombstone and a merge of it all, or the
  // files in which there is nothing else.
  absl::Status DeleteRange(uint64_t first, uint64_t last);
  absl::Status DeleteFiles(uint64_t first, uint64_t last);

  // Is called after every so many writes, between which the tree has rested or not.
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
