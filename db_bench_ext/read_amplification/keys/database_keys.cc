#include "db_bench_ext/read_amplification/keys/database_keys.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "db_bench_ext/read_amplification/keys/read_only_database.h"
#include "db_bench_ext/read_amplification/system/free_room.h"
#include "db_bench_ext/read_amplification/system/status.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kKeysBetweenLooks = 65536;

// Returns the memory of a KeyTable: bytes and end offset of each key, and the spare capacity of a
// growing table.
uint64_t MemoryOf(uint64_t keys, uint64_t key_bytes) { return (key_bytes + 8 * keys) * 3 / 2; }

absl::Status CheckMemory(const std::string& from, uint64_t keys, uint64_t key_bytes) {
  const std::optional<uint64_t> free = AvailableMemory();
  const uint64_t needed = MemoryOf(keys, key_bytes);
  if (!free || needed <= *free) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the keys of %s need about %d MiB of memory, but %d MiB are free: give some of its SST files "
      "instead of all",
      from, needed >> 20, *free >> 20));
}

absl::Status CheckOrder(const std::string& from, const std::string& comparator) {
  if (comparator == rocksdb::BytewiseComparator()->Name()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the keys of ", from, " are ordered by '", comparator,
                   "', but the trees to compare are ordered by ",
                   rocksdb::BytewiseComparator()->Name(), ": their files would be others"));
}

class KeyReader {
 public:
  KeyReader(cli::ProgressLine* progress, const std::atomic<bool>* stop)
      : progress_(progress), stop_(stop) {}

  absl::Status ReadAll(rocksdb::Iterator* entries, const std::string& from, uint64_t expected) {
    uint64_t done = 0;
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      read_.keys.Add({entries->key().data(), entries->key().size()});
      value_sizes_.push_back(static_cast<uint32_t>(entries->value().size()));
      if (++done % kKeysBetweenLooks != 0) continue;
      progress_->Set("reading keys of " + from, std::min(done, expected), expected);
      if (*stop_) return absl::CancelledError("interrupted");
    }
    progress_->Set("reading keys of " + from, 1, 1);
    return FromRocksDB(entries->status(), "read the keys of " + from);
  }

  // Sorts, drops duplicates, and sums the sizes of values.
  absl::StatusOr<DatabaseKeys> Finish(const std::string& from, bool sorted) {
    if (read_.keys.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          from, " has no keys in its files; what is in a write-ahead log alone is not seen"));
    }
    if (sorted) {
      for (const uint32_t size : value_sizes_) read_.value_bytes += size;
      return std::move(read_);
    }
    std::vector<uint64_t> order(read_.keys.size());
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::sort(order.begin(), order.end(),
              [&](uint64_t a, uint64_t b) { return read_.keys[a] < read_.keys[b]; });
    DatabaseKeys result;
    for (const uint64_t i : order) {
      if (!result.keys.empty() && result.keys[result.keys.size() - 1] == read_.keys[i]) {
        ++result.duplicates;
        continue;
      }
      result.keys.Add(read_.keys[i]);
      result.value_bytes += value_sizes_[i];
    }
    return result;
  }

 private:
  cli::ProgressLine* const progress_;
  const std::atomic<bool>* const stop_;
  DatabaseKeys read_;
  std::vector<uint32_t> value_sizes_;
};

absl::StatusOr<DatabaseKeys> OfDatabase(const std::string& from, KeyReader* reader) {
  absl::StatusOr<std::unique_ptr<ReadOnlyDatabase>> database = ReadOnlyDatabase::Make(from);
  if (!database.ok()) return database.status();
  if (absl::Status status = CheckOrder(from, (*database)->ComparatorName()); !status.ok()) {
    return status;
  }
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = (*database)->Open(8 << 20);
  if (!db.ok()) return db.status();
  rocksdb::TablePropertiesCollection properties;
  absl::Status status = FromRocksDB((*db)->GetPropertiesOfAllTables(&properties),
                                    "read the properties of the files of " + from);
  if (!status.ok()) return status;
  uint64_t keys = 0, bytes = 0;
  for (const auto& [name, file] : properties) {
    keys += file->num_entries;
    bytes += file->raw_key_size;
  }
  if (status = CheckMemory(from, keys, bytes); !status.ok()) return status;
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  read.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> entries((*db)->NewIterator(read));
  if (status = reader->ReadAll(entries.get(), from, std::max<uint64_t>(1, keys)); !status.ok()) {
    return status;
  }
  absl::StatusOr<DatabaseKeys> keys_read = reader->Finish(from, true);
  absl::StatusOr<std::string> note = (*database)->OtherFamilies("gave keys");
  if (!note.ok()) return note.status();
  if (keys_read.ok()) keys_read->note = *std::move(note);
  return keys_read;
}

absl::StatusOr<DatabaseKeys> OfFiles(const std::string& from, KeyReader* reader) {
  const std::vector<std::string> paths = absl::StrSplit(from, ',');
  std::vector<std::unique_ptr<rocksdb::SstFileReader>> files;
  uint64_t keys = 0, bytes = 0;
  for (const std::string& path : paths) {
    files.push_back(std::make_unique<rocksdb::SstFileReader>(rocksdb::Options()));
    absl::Status status = FromRocksDB(files.back()->Open(path), "read " + path);
    if (!status.ok()) return status;
    const std::shared_ptr<const rocksdb::TableProperties> properties =
        files.back()->GetTableProperties();
    if (status = CheckOrder(path, properties->comparator_name); !status.ok()) return status;
    keys += properties->num_entries;
    bytes += properties->raw_key_size;
  }
  if (absl::Status status = CheckMemory(from, keys, 2 * bytes); !status.ok()) return status;
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  read.total_order_seek = true;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::unique_ptr<rocksdb::Iterator> entries(files[i]->NewIterator(read));
    const uint64_t expected = std::max<uint64_t>(1, files[i]->GetTableProperties()->num_entries);
    if (absl::Status status = reader->ReadAll(entries.get(), paths[i], expected); !status.ok()) {
      return status;
    }
  }
  return reader->Finish(from, false);
}

}  // namespace

absl::StatusOr<DatabaseKeys> ReadDatabaseKeys(const std::string& from, cli::ProgressLine* progress,
                                              const std::atomic<bool>* stop) {
  KeyReader reader(progress, stop);
  return IsDatabase(from) ? OfDatabase(from, &reader) : OfFiles(from, &reader);
}

}  // namespace winnow::bench
