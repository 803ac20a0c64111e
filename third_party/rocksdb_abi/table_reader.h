// Stored entries of a table file, with tombstones, merges and sequence numbers.
//
// SstFileReader's iterator returns what a database would: it hides deletions, and needs the file's
// comparator and merge operator. From 9.2 on, it has another iterator, NewTableIterator. In older
// versions, only RocksDB's table readers have one, whose classes its public headers name but do not
// declare: so they are declared here, up to the last virtual function that is called, in RocksDB's
// order, which is the layout of their vtables. No object of these classes is made here. A reader is
// obtained by a table factory, which is a public class, around RocksDB's own.
//
// RocksDB             order of InternalIterator's virtual functions
// 7.1 – 8.6           as declared below
// 8.7 – 9.0           SetRangeDelReadSeqno follows the destructor
// 9.1                 write_unix_time also follows key
//
// TableReader has NewIterator after its destructor in all versions. Every file that includes this
// one is compiled like one that derives from a RocksDB class (winnow_rocksdb_class_flags).

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_TABLE_READER_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_TABLE_READER_H_

#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/table_reader_caller.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "third_party/rocksdb_abi/version_at_least.h"

#if !WINNOW_ROCKSDB_AT_LEAST(9, 2)

namespace ROCKSDB_NAMESPACE {

class Arena;
class SliceTransform;
struct IterateResult;

template <class TValue>
class InternalIteratorBase {
 public:
  virtual ~InternalIteratorBase() {}
#if WINNOW_ROCKSDB_AT_LEAST(8, 7)
  virtual void SetRangeDelReadSeqno(uint64_t read_seqno) = 0;
#endif
  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(const Slice& target) = 0;
  virtual void SeekForPrev(const Slice& target) = 0;
  virtual void Next() = 0;
  virtual bool NextAndGetResult(IterateResult* result) = 0;
  virtual void Prev() = 0;
  virtual Slice key() const = 0;
#if WINNOW_ROCKSDB_AT_LEAST(9, 1)
  virtual uint64_t write_unix_time() const = 0;
#endif
  virtual Slice user_key() const = 0;
  virtual TValue value() const = 0;
  virtual Status status() const = 0;
};

class TableReader {
 public:
  virtual ~TableReader() {}
  virtual InternalIteratorBase<Slice>* NewIterator(const ReadOptions& read_options,
                                                   const SliceTransform* prefix_extractor,
                                                   Arena* arena, bool skip_filters,
                                                   TableReaderCaller caller,
                                                   size_t compaction_readahead_size,
                                                   bool allow_unprepared_value) = 0;
};

}  // namespace ROCKSDB_NAMESPACE

namespace winnow::rocksdb_abi {

using EntryIterator = ROCKSDB_NAMESPACE::InternalIteratorBase<ROCKSDB_NAMESPACE::Slice>;

// Table factory that makes readers by another factory, and keeps a pointer to the last one.
class KeepingTableFactory final : public ROCKSDB_NAMESPACE::TableFactory {
 public:
  KeepingTableFactory(std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> inner,
                      ROCKSDB_NAMESPACE::TableReader** kept)
      : inner_(std::move(inner)), kept_(kept) {}

  const char* Name() const override { return inner_->Name(); }

  using TableFactory::NewTableReader;
  ROCKSDB_NAMESPACE::Status NewTableReader(
      const ROCKSDB_NAMESPACE::ReadOptions& read_options,
      const ROCKSDB_NAMESPACE::TableReaderOptions& options,
      std::unique_ptr<ROCKSDB_NAMESPACE::RandomAccessFileReader>&& file, uint64_t file_size,
      std::unique_ptr<ROCKSDB_NAMESPACE::TableReader>* reader,
      bool prefetch_index_and_filter_in_cache) const override {
    const ROCKSDB_NAMESPACE::Status status =
        inner_->NewTableReader(read_options, options, std::move(file), file_size, reader,
                               prefetch_index_and_filter_in_cache);
    *kept_ = reader->get();
    return status;
  }

  // Returns null: this factory is only for reading.
  ROCKSDB_NAMESPACE::TableBuilder* NewTableBuilder(
      const ROCKSDB_NAMESPACE::TableBuilderOptions&,
      ROCKSDB_NAMESPACE::WritableFileWriter*) const override {
    return nullptr;
  }

 private:
  std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> inner_;
  ROCKSDB_NAMESPACE::TableReader** kept_;
};

// Returns the factory for an SstFileReader, for NewEntryIterator; *kept must outlive it.
inline std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> KeepReader(
    std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> factory,
    ROCKSDB_NAMESPACE::TableReader** kept) {
  return std::make_shared<KeepingTableFactory>(std::move(factory), kept);
}

// Returns an iterator over the stored entries of the file that `reader` has opened; its keys are
// internal keys. `options` and `reader` must outlive it.
inline std::unique_ptr<EntryIterator> NewEntryIterator(
    ROCKSDB_NAMESPACE::SstFileReader*, ROCKSDB_NAMESPACE::TableReader* kept,
    const ROCKSDB_NAMESPACE::ReadOptions& options) {
  return std::unique_ptr<EntryIterator>(kept->NewIterator(
      options, nullptr, nullptr, /*skip_filters=*/true,
      ROCKSDB_NAMESPACE::TableReaderCaller::kSSTFileReader, /*compaction_readahead_size=*/0,
      /*allow_unprepared_value=*/false));
}

}  // namespace winnow::rocksdb_abi

#else  // from 9.2 on

namespace winnow::rocksdb_abi {

using EntryIterator = ROCKSDB_NAMESPACE::Iterator;

inline std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> KeepReader(
    std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory> factory, ROCKSDB_NAMESPACE::TableReader**) {
  return factory;
}

inline std::unique_ptr<EntryIterator> NewEntryIterator(ROCKSDB_NAMESPACE::SstFileReader* reader,
                                                       ROCKSDB_NAMESPACE::TableReader*,
                                                       const ROCKSDB_NAMESPACE::ReadOptions&) {
  return reader->NewTableIterator();
}

}  // namespace winnow::rocksdb_abi

#endif
#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_TABLE_READER_H_
