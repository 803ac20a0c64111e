// A tree that RocksDB grows during writes.

#ifndef WINNOW_TESTS_PAIRED_TREES_TREE_H_
#define WINNOW_TESTS_PAIRED_TREES_TREE_H_

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/trees/rocksdb_growth.h"
#include "tests/support/files.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::paired_trees {

// Upper bound of the numbers of random keys, which leaves room for further keys above and between.
inline constexpr uint64_t kKeysEnd = uint64_t{1} << 62;

inline constexpr size_t kKeySize = 16;  // without the prefix

inline uint64_t NumberOf(std::string_view key) {
  return bench::NumberInKey(key.substr(key.size() - kKeySize));
}

// Throws std::runtime_error if RocksDB failed.
inline void Check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("RocksDB: " + status.ToString());
}

// A database in a temporary folder that RocksDB's own compaction grows. Keys have a common prefix
// and a number. All functions throw std::runtime_error if RocksDB fails.
class Tree {
 public:
  Tree(rocksdb::Options options, std::string prefix)
      : options_(std::move(options)), prefix_(std::move(prefix)) {
    Reopen();
  }

  void Reopen() {
    db_.reset();
    rocksdb_abi::OpenedDB opened{};
    Check(rocksdb::DB::Open(options_, folder_ / "database", &opened));
    db_ = rocksdb_abi::Own(std::move(opened));
  }

  std::string KeyOf(uint64_t number) const {
    std::string key;
    bench::MakeNumberedKey(number, kKeySize, &key);
    return prefix_ + key;
  }

  void Put(uint64_t number) {
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    Check(db_->Put(write, KeyOf(number), "12345678"));
    if (look_ && ++puts_ % every_ == 0) look_();
  }

  bool Has(uint64_t number) {
    std::string value;
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), KeyOf(number), &value);
    if (!status.IsNotFound()) Check(status);
    return status.ok();
  }

  // Waits until no compaction runs or is due, for at most `most` looks.
  void Settle(std::chrono::milliseconds between_looks, int most) {
    bench::RestDetector detector(true);
    for (int i = 0; i < most && !detector.Rests(bench::BackgroundWorkOf(db())); ++i) {
      std::this_thread::sleep_for(between_looks);
    }
  }
  void Rest() {
    Check(db_->Flush(rocksdb::FlushOptions()));
    Settle(std::chrono::milliseconds(20), std::numeric_limits<int>::max());
  }

  // Calls `look` after every `every` calls of Put, whether or not compactions run.
  void Watch(uint64_t every, std::function<void()> look) {
    every_ = every;
    look_ = std::move(look);
  }

  rocksdb::DB* db() const { return db_.get(); }
  const rocksdb::Options& options() const { return options_; }
  const std::string& folder() const { return folder_.path(); }

 private:
  const testing::TemporaryFolder folder_;
  const rocksdb::Options options_;
  const std::string prefix_;
  uint64_t puts_ = 0;
  uint64_t every_ = 0;
  std::function<void()> look_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace winnow::paired_trees

#endif  // WINNOW_TESTS_PAIRED_TREES_TREE_H_
