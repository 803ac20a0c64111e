// Existing database, opened so that nothing in its folder changes.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_READ_ONLY_DATABASE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_READ_ONLY_DATABASE_H_

#include <absl/status/statusor.h>
#include <absl/strings/string_view.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <memory>
#include <string>

namespace winnow::bench {

// Returns whether the folder contains a database.
bool IsDatabase(const std::string& path);

// Opens a database without writing, renaming, locking or creating files, so that it may be in use
// meanwhile. Data that is only in the write-ahead log is not seen. Winnow's policy, which supports
// its own and RocksDB's formats, reads the filters.
class ReadOnlyDatabase {
 public:
  // Takes read options from the latest OPTIONS file, or RocksDB's defaults if there is none.
  // Returns an error if the folder has no database.
  static absl::StatusOr<std::unique_ptr<ReadOnlyDatabase>> Make(const std::string& path);

  // Opens the database with an empty block cache of this size; 0: none. Events are counted in
  // `statistics` if not null. This object must outlive the result.
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> Open(
      uint64_t cache_size, std::shared_ptr<rocksdb::Statistics> statistics = nullptr) const;

  // Returns a sentence that only the column family `default` was used, as in "is measured", and
  // which others exist; empty if there are no others.
  absl::StatusOr<std::string> OtherFamilies(absl::string_view was_used) const;

  // Returns whether the database's filters may hold prefixes.
  bool HasPrefixes() const { return options_.prefix_extractor != nullptr; }

  // Returns, for example, "leveldb.BytewiseComparator".
  std::string ComparatorName() const { return options_.comparator->Name(); }

 private:
  explicit ReadOnlyDatabase(const std::string& path) : path_(path) {}

  absl::Status LoadOptions();

  const std::string path_;
  std::unique_ptr<rocksdb::Env> env_;
  rocksdb::Options options_;
  rocksdb::BlockBasedTableOptions table_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_READ_ONLY_DATABASE_H_
