// Writer of keys and values into a database, with callbacks.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_WRITER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_WRITER_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace winnow::bench {

// Called occasionally with the number of keys written; returning false ends the growth.
using GrowthProgress = absl::FunctionRef<bool(uint64_t keys_written)>;

// Called when the number of written and readable keys has increased; an error ends the writes.
using AfterWrites = std::function<absl::Status(rocksdb::DB* db, uint64_t written)>;

// Writes without a write-ahead log, since data lost in a crash is grown again anyway: unflushed
// data is lost when the database is closed. The database must outlive the writer. For one thread.
class TreeWriter {
 public:
  // Values are slices of a random megabyte that depends on the seed. Those of keys with consecutive
  // numbers overlap, so that files with such neighbors compress to about half.
  TreeWriter(rocksdb::DB* db, size_t value_size, uint64_t seed, AfterWrites after = nullptr);

  // Puts a key; the value depends on its number. The write may be buffered.
  absl::Status Put(std::string_view key, uint64_t number);

  // Writes buffered keys and flushes: everything written is then in files.
  absl::Status Flush();

  // Flushes, and compacts all files into one level by RocksDB's manual compaction.
  absl::Status Compact();

 private:
  absl::Status WriteBatch();
  rocksdb::Slice ValueOf(uint64_t number) const;

  rocksdb::DB* const db_;
  const size_t value_size_;
  const AfterWrites after_;
  uint64_t written_ = 0;
  rocksdb::WriteBatch batch_;
  std::string values_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_TREE_WRITER_H_
