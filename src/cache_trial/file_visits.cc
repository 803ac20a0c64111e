#include "src/cache_trial/file_visits.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/statistics.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "src/sst/internal_keys.h"
#include "src/sst/known_comparator.h"
#include "src/sst/quiet_logger.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::FileOptions;
using ROCKSDB_NAMESPACE::FileSystem;
using ROCKSDB_NAMESPACE::FileSystemWrapper;
using ROCKSDB_NAMESPACE::FSRandomAccessFile;
using ROCKSDB_NAMESPACE::FSRandomAccessFileOwnerWrapper;
using ROCKSDB_NAMESPACE::IODebugContext;
using ROCKSDB_NAMESPACE::IOOptions;
using ROCKSDB_NAMESPACE::IOStatus;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr uint64_t kNewestSequence = (uint64_t{1} << 56) - 1;
constexpr int kMergeType = 2;

// Offsets of the reads of one seek.
using Reads = std::vector<uint64_t>;

class NotedFile final : public FSRandomAccessFileOwnerWrapper {
 public:
  NotedFile(std::unique_ptr<FSRandomAccessFile>&& file, Reads* reads)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), reads_(reads) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    reads_->push_back(offset);
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, debug);
  }

 private:
  Reads* const reads_;
};

// File system that records the offsets of reads.
class NotingFileSystem final : public FileSystemWrapper {
 public:
  NotingFileSystem(const std::shared_ptr<FileSystem>& inner, Reads* reads)
      : FileSystemWrapper(inner), reads_(reads) {}

  const char* Name() const override { return "winnow.inspect.NotingFileSystem"; }

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok()) {
      *file = std::make_unique<NotedFile>(std::move(*file), reads_);
    }
    return status;
  }

 private:
  Reads* const reads_;
};

// Reader with a cache of capacity 0: each block that is read is counted with its charge.
struct Reader {
  Reads reads;
  std::unique_ptr<ROCKSDB_NAMESPACE::Env> env = ROCKSDB_NAMESPACE::NewCompositeEnv(
      std::make_shared<NotingFileSystem>(FileSystem::Default(), &reads));
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics =
      ROCKSDB_NAMESPACE::CreateDBStatistics();
  std::unique_ptr<InternalKeys> keys;

  void Set(ROCKSDB_NAMESPACE::Options* options, ROCKSDB_NAMESPACE::BlockBasedTableOptions* table,
           ROCKSDB_NAMESPACE::ReadOptions* read) const {
    options->env = env.get();
    options->statistics = statistics;
    table->no_block_cache = false;
    table->block_cache = ROCKSDB_NAMESPACE::NewLRUCache(0, 0);
    table->max_auto_readahead_size = 0;
    read->fill_cache = true;
    read->readahead_size = 0;
  }

  Status Open(const std::string& path, const Comparator* comparator) {
    return InternalKeys::OpenWith(
        path, comparator,
        [this](auto* options, auto* table, auto* read) { Set(options, table, read); }, &keys);
  }

  // Returns the mean charge of the data blocks that were read; 0 if none was put into the cache.
  uint64_t DataCharge() const {
    const uint64_t added = statistics->getTickerCount(ROCKSDB_NAMESPACE::BLOCK_CACHE_DATA_ADD);
    const uint64_t bytes =
        statistics->getTickerCount(ROCKSDB_NAMESPACE::BLOCK_CACHE_DATA_BYTES_INSERT);
    return added > 0 ? bytes / added : 0;
  }

  // Reads some data blocks once more, so that they come into the cache: from RocksDB 9.2 on,
  // iteration over a file's entries does not fill the cache.
  void FillWithSome(const std::string& path, const Comparator* comparator,
                    const std::string* sought, size_t n) const {
    constexpr size_t kMaxSeeks = 512;
    ROCKSDB_NAMESPACE::Options options;
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    ROCKSDB_NAMESPACE::ReadOptions read;
    Set(&options, &table, &read);
    options.comparator = comparator;
    options.info_log = std::make_shared<QuietLogger>();
    options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
    const std::string newest(comparator->timestamp_size(), '\xff');
    const Slice timestamp(newest);
    if (!newest.empty()) read.timestamp = &timestamp;
    read.total_order_seek = true;
    ROCKSDB_NAMESPACE::SstFileReader file(options);
    if (!file.Open(path).ok()) return;
    const std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> iterator(file.NewIterator(read));
    for (size_t i = 0; i < n; i += n / kMaxSeeks + 1) iterator->Seek(sought[i]);
  }
};

// Finds the data block of each seek, for seeks in the order of keys.
class BlockWalk {
 public:
  explicit BlockWalk(uint64_t data_bytes) : data_bytes_(std::max<uint64_t>(data_bytes, 1)) {}

  // Sets the data block of the last seek from its reads. Reads of index partitions are behind all
  // data.
  void Take(const Reads& reads, Visit* visit) {
    int blocks = 0;
    uint64_t first = offset_;
    for (const uint64_t offset : reads) {
      if (offset < data_bytes_) {
        first = blocks == 0 ? offset : first;
        ++blocks;
        number_ += is_first_ || offset <= offset_ ? 0 : 1;
        offset_ = is_first_ ? offset : std::max(offset_, offset);
        is_first_ = false;
      }
    }
    visit->two_blocks = blocks > 1;
    visit->data_block = number_ - (blocks > 1 && number_ > 0 ? 1 : 0);
    visit->place = static_cast<float>(static_cast<double>(blocks > 0 ? first : offset_) /
                                      static_cast<double>(data_bytes_));
  }

 private:
  const uint64_t data_bytes_;
  bool is_first_ = true;
  uint64_t offset_ = 0;
  uint32_t number_ = 0;
};

void TakeProperties(const ROCKSDB_NAMESPACE::TableProperties& properties, VisitedFile* visited) {
  visited->data_blocks = properties.num_data_blocks;
  visited->index_bytes = properties.index_size;
  visited->index_parts = properties.index_partitions;
  visited->index_top = properties.index_partitions > 0 ? properties.top_level_index_size : 0;
  visited->file_bytes = properties.data_size + properties.index_size + properties.filter_size;
}

void TakeFilter(const RawSst& sst, VisitedFile* visited) {
  visited->filter_parts = sst.blocks.size();
  visited->partitioned = sst.partitioned;
  visited->filter_bytes = FilterBytes(sst);
  if (sst.partitioned && sst.properties->filter_size > visited->filter_bytes) {
    visited->filter_top = sst.properties->filter_size - visited->filter_bytes;
  }
}

}  // namespace

VisitedFile VisitFile(const std::string& path, const std::string* keys, size_t n,
                      const std::function<void(double)>& progress) {
  constexpr size_t kKeysBetweenWords = 4096;
  VisitedFile visited;
  const RawSst sst = ReadRawSst(path);
  if (sst.error) {
    visited.error = *sst.error;
    return visited;
  }
  const Comparator* comparator = FindComparator(sst.properties->comparator_name);
  Reader reader;
  const Status opened = reader.Open(path, comparator);
  if (!opened.ok() || comparator == nullptr) {
    visited.error = absl::StrCat("its keys can't be read: ", opened.ToString());
    return visited;
  }
  TakeProperties(*sst.properties, &visited);
  TakeFilter(sst, &visited);
  StoredFilter filter(path, sst, comparator);
  BlockWalk walk(sst.properties->data_size);
  visited.visits.resize(n);
  for (size_t i = 0; i < n; ++i) {
    if (i % kKeysBetweenWords == 0) {
      progress(static_cast<double>(i) / static_cast<double>(n));
    }
    const std::string& key = keys[i];
    Visit& visit = visited.visits[i];
    const std::string sought = SoughtKey(key, comparator);
    reader.reads.clear();
    reader.keys->Seek(sought);
    if (!reader.keys->status().ok()) {
      visited.error = absl::StrCat("its keys can't be read: ", reader.keys->status().ToString());
      return visited;
    }
    walk.Take(reader.reads, &visit);
    if (reader.keys->Valid()) {
      const InternalKey& found = reader.keys->key();
      visit.found = comparator->CompareWithoutTimestamp(
                        key, false, Slice(found.user_key.data(), found.user_key.size()), true) == 0;
      visit.ends = visit.found && found.type != kMergeType;
    }
    visit.may_contain = filter.MayContain(key, HashKey(key).value).value_or(true);
    if (!filter.partitions().partitions.empty() && filter.partitions().problem.empty()) {
      visit.filter_block = static_cast<uint32_t>(
          FindPartition(filter.partitions(), comparator, {sought, kNewestSequence, 255}));
    }
  }
  if (reader.DataCharge() == 0) reader.FillWithSome(path, comparator, keys, n);
  visited.data_charge = reader.DataCharge();
  return visited;
}

}  // namespace winnow::inspect
