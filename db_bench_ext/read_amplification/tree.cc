#include "db_bench_ext/read_amplification/tree.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "db_bench_ext/read_amplification/status.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kKeysPerBatch = 256;

// Salts keep the sources of chance apart that share the user's seed.
constexpr uint64_t kOrderSalt = 0x6f72646572;
constexpr uint64_t kValueSalt = 0x76616c7565;

uint64_t DivideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Bytes of a key and its value, rounded down.
uint64_t MeanBytes(uint64_t keys, uint64_t key_bytes, const TreeOptions& options) {
  return std::max<uint64_t>(1, key_bytes / std::max<uint64_t>(1, keys) + options.value_size);
}

// So many that the last flushes are too few to be merged, and stay on level 0.
uint64_t KeysPerFlush(uint64_t keys, uint64_t mean_bytes, uint64_t trigger) {
  constexpr uint64_t kFlushes = 200;
  constexpr uint64_t kLargestFlush = 64 << 20;
  const uint64_t left = std::min<uint64_t>(2, trigger - 1);
  const uint64_t largest = std::max<uint64_t>(1, kLargestFlush / mean_bytes);
  uint64_t n = std::min(DivideUp(keys, kFlushes + left), largest);
  while (n < keys && DivideUp(keys, n) % trigger != left) ++n;
  return std::max<uint64_t>(1, n);
}

rocksdb::Options DatabaseOptions(const TreeOptions& options, const Policy& policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy.object;
  table.block_size = options.block_size;
  table.format_version = options.format_version;
  if (options.cache_size == 0) {
    table.no_block_cache = true;
  } else {
    table.block_cache = rocksdb::NewLRUCache(options.cache_size);
  }
  if (options.partition_index_and_filters) {
    table.partition_filters = true;
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.cache_index_and_filter_blocks = options.cache_size != 0;
  }

  rocksdb::Options database;
  database.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  database.compression = options.compression;
  database.num_levels = options.num_levels;
  // Flushes and merges happen when GrowTree asks for them, and at no other time.
  database.disable_auto_compactions = true;
  database.write_buffer_size = size_t{1} << 30;
  database.level0_slowdown_writes_trigger = std::numeric_limits<int>::max();
  database.level0_stop_writes_trigger = std::numeric_limits<int>::max();
  database.soft_pending_compaction_bytes_limit = 0;
  database.hard_pending_compaction_bytes_limit = 0;
  database.max_open_files = -1;
  return database;
}

// One growth of one tree.
class Growth {
 public:
  Growth(const TreeOptions& options, uint64_t mean_bytes, rocksdb::DB* db)
      : options_(options), db_(db), plan_(Targets(options, mean_bytes)) {
    Random random(options.seed ^ kValueSalt);
    values_.resize(options.value_size + kValuePool);
    for (char& byte : values_) byte = static_cast<char>(random());
  }

  absl::Status Put(std::string_view key, uint64_t number) {
    const size_t offset = number * 37 % kValuePool;
    batch_.Put({key.data(), key.size()}, {values_.data() + offset, options_.value_size});
    return batch_.Count() < kKeysPerBatch ? absl::OkStatus() : WriteBatch();
  }

  absl::Status Flush() {
    if (absl::Status status = WriteBatch(); !status.ok()) return status;
    rocksdb::FlushOptions flush;
    flush.wait = true;
    return FromRocksDB(db_->Flush(flush), "flush");
  }

  absl::Status Merge() {
    rocksdb::CompactionOptions compaction;
    compaction.compression = options_.compression;
    compaction.output_file_size_limit = options_.target_file_size_base;
    compaction.max_subcompactions = 1;
    while (const std::optional<Compaction> next = plan_.Next(FilesByLevel(db_))) {
      absl::Status status = FromRocksDB(
          db_->CompactFiles(compaction, next->files, next->output_level), "merge files");
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kValuePool = size_t{1} << 20;

  static LevelTargets Targets(const TreeOptions& options, uint64_t mean_bytes) {
    LevelTargets targets;
    targets.level0_files = options.level0_file_num_compaction_trigger;
    targets.level1_keys = std::max<uint64_t>(1, options.max_bytes_for_level_base / mean_bytes);
    targets.multiplier = options.max_bytes_for_level_multiplier;
    return targets;
  }

  absl::Status WriteBatch() {
    // What a crash would lose is grown again anyway.
    rocksdb::WriteOptions write;
    write.disableWAL = true;
    const rocksdb::Status status = db_->Write(write, &batch_);
    batch_.Clear();
    return FromRocksDB(status, "write");
  }

  const TreeOptions& options_;
  rocksdb::DB* db_;
  CompactionPlan plan_;
  rocksdb::WriteBatch batch_;
  std::string values_;
};

bool Holds(const TreeFile& file, std::string_view key) {
  return file.smallest <= key && key <= file.largest;
}

size_t FilesHolding(const TreeLevels& levels, std::string_view key) {
  size_t n = 0;
  for (size_t level = 0; level < levels.size(); ++level) {
    const std::vector<TreeFile>& files = levels[level];
    if (level == 0) {
      n += static_cast<size_t>(std::count_if(
          files.begin(), files.end(), [&](const TreeFile& file) { return Holds(file, key); }));
      continue;
    }
    const auto file = std::partition_point(files.begin(), files.end(),
                                           [&](const TreeFile& f) { return f.largest < key; });
    if (file != files.end() && Holds(*file, key)) ++n;
  }
  return n;
}

}  // namespace

TreeOptions ScaleTree(const TreeOptions& options, uint64_t keys, uint64_t key_bytes) {
  TreeOptions scaled = options;
  const uint64_t mean = MeanBytes(keys, key_bytes, options);
  const uint64_t trigger = options.level0_file_num_compaction_trigger;
  if (scaled.write_buffer_size == 0) {
    scaled.write_buffer_size = mean * KeysPerFlush(keys, mean, trigger);
  }
  if (scaled.target_file_size_base == 0) scaled.target_file_size_base = scaled.write_buffer_size;
  if (scaled.max_bytes_for_level_base == 0) {
    scaled.max_bytes_for_level_base = trigger * scaled.write_buffer_size;
  }
  return scaled;
}

absl::StatusOr<rocksdb::CompressionType> ParseCompression(const std::string& name) {
  static const auto* const names =
      new std::vector<std::pair<std::string, rocksdb::CompressionType>>{
          {"none", rocksdb::kNoCompression},
          {"snappy", rocksdb::kSnappyCompression},
          {"lz4", rocksdb::kLZ4Compression},
          {"zstd", rocksdb::kZSTD}};
  const std::vector<rocksdb::CompressionType> supported = rocksdb::GetSupportedCompressions();
  std::vector<std::string> available;
  for (const auto& [text, type] : *names) {
    if (std::find(supported.begin(), supported.end(), type) == supported.end()) continue;
    if (text == name) return type;
    available.push_back(text);
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no compression type '", name,
                                                 "' here, but ", absl::StrJoin(available, ", ")));
}

absl::Status GrowTree(const KeyTable& keys, const TreeOptions& options, const Policy& policy,
                      const std::string& path, GrowthProgress progress) {
  rocksdb::Options database = DatabaseOptions(options, policy);
  database.create_if_missing = true;
  database.error_if_exists = true;
  rocksdb_abi::OpenedDB opened{};
  absl::Status status =
      FromRocksDB(rocksdb::DB::Open(database, path, &opened), "make a database in " + path);
  if (!status.ok()) return status;
  const std::unique_ptr<rocksdb::DB> db = rocksdb_abi::Own(std::move(opened));

  const uint64_t mean = MeanBytes(keys.size(), keys.total_bytes(), options);
  const uint64_t keys_per_flush = std::max<uint64_t>(1, options.write_buffer_size / mean);
  Growth growth(options, mean, db.get());
  uint64_t written = 0;
  for (const uint32_t i : ShuffledOrder(keys.size(), options.seed ^ kOrderSalt)) {
    status = growth.Put(keys[i], i);
    if (!status.ok()) return status;
    if (++written % keys_per_flush != 0 && written != keys.size()) continue;
    status = growth.Flush();
    if (status.ok()) status = growth.Merge();
    if (!status.ok()) return status;
    if (!progress(written)) return absl::CancelledError("interrupted");
  }
  return FromRocksDB(db->Close(), "close " + path);
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenTree(const TreeOptions& options,
                                                      const Policy& policy,
                                                      const std::string& path) {
  rocksdb_abi::OpenedDB opened{};
  absl::Status status = FromRocksDB(
      rocksdb::DB::Open(DatabaseOptions(options, policy), path, &opened), "open " + path);
  if (!status.ok()) return status;
  return rocksdb_abi::Own(std::move(opened));
}

TreeLevels FilesByLevel(rocksdb::DB* db) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  TreeLevels levels(metadata.levels.size());
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    std::vector<TreeFile>& files = levels[static_cast<size_t>(level.level)];
    for (const rocksdb::SstFileMetaData& file : level.files) {
      files.push_back({file.name, file.smallestkey, file.largestkey, file.num_entries});
    }
  }
  return levels;
}

double FilesConsideredPerLookup(const TreeLevels& levels, const KeyTable& keys,
                                const std::vector<uint32_t>& lookups, size_t sample) {
  const size_t n = std::min(sample, lookups.size());
  if (n == 0) return 0;
  uint64_t files = 0;
  for (size_t i = 0; i < n; ++i) files += FilesHolding(levels, keys[lookups[i]]);
  return static_cast<double>(files) / static_cast<double>(n);
}

}  // namespace winnow::bench
