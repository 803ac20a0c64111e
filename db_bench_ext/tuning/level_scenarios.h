// Shapes of data on which a level plan has to be no worse than uniform filters of the same memory.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_LEVEL_SCENARIOS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_LEVEL_SCENARIOS_H_

#include <absl/status/status.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace winnow::bench {

class LevelTree;

struct LevelScenario {
  std::string name;
  std::string meaning;
  std::function<void(rocksdb::Options*)> change_options;
  // Writes about so many keys.
  std::function<absl::Status(LevelTree*, uint64_t keys)> grow;
};

const std::vector<LevelScenario>& LevelScenarios();

// A database that is being grown by RocksDB's own compaction, with files of some thousand keys.
class LevelTree {
 public:
  // `path` must not exist.
  LevelTree(rocksdb::Options options, std::string path)
      : options_(std::move(options)), path_(std::move(path)) {}
  ~LevelTree();
  LevelTree(const LevelTree&) = delete;
  LevelTree& operator=(const LevelTree&) = delete;

  absl::Status Open();
  absl::Status Reopen();
  absl::Status Put(uint64_t number);
  absl::Status Flush();
  // Until no compaction runs or is due.
  absl::Status Rest();
  absl::Status SetOption(const std::string& name, const std::string& value);

  rocksdb::DB* db() const { return db_.get(); }
  const std::string& path() const { return path_; }

 private:
  rocksdb::Options options_;
  const std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_LEVEL_SCENARIOS_H_
