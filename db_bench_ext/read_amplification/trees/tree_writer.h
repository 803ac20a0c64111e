// Writing keys with values into a database, and who hears of it.

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

// Called now and then with the number of keys written; false ends the growth.
using GrowthProgress = absl::FunctionRef<bool(uint64_t keys_written)>;

// Called when so many keys were written and can be read, as soon as there are more; an error ends
// the writes.
using AfterWrites = std::function<absl::Status(rocksdb::DB* db, uint64_t written)>;

// Without a log, as what a crash would lose is grown again anyway: what was not flushed is lost
// when the database is closed. The database outlives it. For one thread.
class TreeWriter {
 public:
  // Values are pieces of a random megabyte that depends on the seed. Those of keys with
  // neighbouring numbers overlap, so that files in which neighbours meet compress to about half.
  TreeWriter(rocksdb::DB* db, size_t value_size, uint64_t seed, AfterWrites after = nullptr);

  // The value depends on the key's number. The write may wait for later ones.
  absl::Status Put(std::string_view key, uint64_t number);

  // Such a write that does not wait.
  absl::Status PutNow(std::string_view key, uint64_t number);

  // Writes what waits; then all that was written is in files.
  absl::Status Flush();

  // After a flush, all files are merged into one level, by RocksDB's own manual compaction.
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
