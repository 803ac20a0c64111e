// Somebody's database, opened so that nothing in its folder changes.

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

// Returns whether the folder has a database in it.
bool IsDatabase(const std::string& path);

// Nothing is written, renamed, locked or made, so that the database may be in use meanwhile. What
// is in its write-ahead log alone is not seen. Filters are read by Winnow's policy, which knows its
// own and RocksDB's.
class ReadOnlyDatabase {
 public:
  // Reads what its latest OPTIONS file says of how it is read; without one, RocksDB's defaults are
  // taken. An error if the folder has no database.
  static absl::StatusOr<std::unique_ptr<ReadOnlyDatabase>> Make(const std::string& path);

  // With an empty block cache of so many bytes; 0: none. Events are counted in `statistics`, if
  // there are any. This object outlives what is opened.
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> Open(
      uint64_t cache_size, std::shared_ptr<rocksdb::Statistics> statistics = nullptr) const;

  // Says that of its column families `default` alone `was_used`, as "is measured", and which others
  // there are: a sentence, empty if there are none.
  absl::StatusOr<std::string> OtherFamilies(absl::string_view was_used) const;

  // Returns whether its filters hold prefixes.
  bool HasPrefixes() const { return options_.prefix_extractor != nullptr; }

  // "leveldb.BytewiseComparator"
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
