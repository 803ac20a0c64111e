#include "src/sst/internal_keys.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

#include "src/sst/quiet_logger.h"
#include "third_party/rocksdb_abi/table_reader.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr size_t kTrailerBytes = 8;
constexpr size_t kReadAheadBytes = 1 << 20;

std::string_view ViewOf(const Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace

std::optional<InternalKey> ParseInternalKey(std::string_view bytes) noexcept {
  if (bytes.size() < kTrailerBytes) {
    return std::nullopt;
  }
  const size_t trailer = bytes.size() - kTrailerBytes;
  uint64_t packed = 0;
  for (size_t i = 0; i < kTrailerBytes; ++i) {
    packed |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[trailer + i])) << (8 * i);
  }
  return InternalKey{bytes.substr(0, trailer), packed >> 8, static_cast<int>(packed & 255)};
}

// Returns names for RocksDB's ValueType (db/dbformat.h), whose values are part of the file format.
std::string NameOfType(int type) {
  switch (type) {
    case 0x0:
      return "deletion";
    case 0x1:
      return "value";
    case 0x2:
      return "merge";
    case 0x7:
      return "single deletion";
    case 0xF:
      return "range deletion";
    case 0x11:
      return "value in a blob file";
    case 0x14:
      return "deletion with timestamp";
    case 0x16:
      return "wide columns";
    case 0x18:
      return "value with write time";
  }
  return absl::StrCat("type ", type);
}

struct InternalKeys::Reader {
  Reader(const ROCKSDB_NAMESPACE::Comparator* comparator, const ChangeOptions& change)
      : table(OptionsWith(comparator, change)) {}

  ROCKSDB_NAMESPACE::Options OptionsWith(const ROCKSDB_NAMESPACE::Comparator* comparator,
                                         const ChangeOptions& change) {
    read.fill_cache = false;
    read.total_order_seek = true;
    read.readahead_size = kReadAheadBytes;
    ROCKSDB_NAMESPACE::BlockBasedTableOptions format;
    format.no_block_cache = true;
    ROCKSDB_NAMESPACE::Options options;
    options.comparator = comparator;
    options.info_log = std::make_shared<QuietLogger>();
    if (change != nullptr) {
      change(&options, &format, &read);
    }
    options.table_factory =
        rocksdb_abi::KeepReader(std::shared_ptr<ROCKSDB_NAMESPACE::TableFactory>(
                                    ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(format)),
                                &kept);
    return options;
  }

  // Order matters: later members refer to earlier ones.
  ROCKSDB_NAMESPACE::TableReader* kept = nullptr;
  ROCKSDB_NAMESPACE::ReadOptions read;
  ROCKSDB_NAMESPACE::SstFileReader table;
  std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties;
  std::unique_ptr<rocksdb_abi::EntryIterator> entries;

  InternalKey key;
  Status damage;  // set if a key is too short
};

Status InternalKeys::Open(const std::string& path, const ROCKSDB_NAMESPACE::Comparator* comparator,
                          std::unique_ptr<InternalKeys>* keys) {
  return OpenWith(path, comparator, nullptr, keys);
}

Status InternalKeys::OpenWith(const std::string& path,
                              const ROCKSDB_NAMESPACE::Comparator* comparator,
                              const ChangeOptions& change, std::unique_ptr<InternalKeys>* keys) {
  auto reader = std::make_unique<Reader>(comparator, change);
  const Status status = reader->table.Open(path);
  if (!status.ok()) {
    return status;
  }
  reader->properties = reader->table.GetTableProperties();
  if (reader->properties == nullptr) {
    return Status::Corruption("the file has no properties");
  }
  reader->entries = rocksdb_abi::NewEntryIterator(&reader->table, reader->kept, reader->read);
  if (reader->entries == nullptr) {
    return Status::Corruption("RocksDB gives no iterator over the file's entries");
  }
  keys->reset(new InternalKeys(std::move(reader)));
  return Status::OK();
}

InternalKeys::InternalKeys(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}

InternalKeys::~InternalKeys() = default;

const ROCKSDB_NAMESPACE::TableProperties& InternalKeys::properties() const {
  return *reader_->properties;
}

Status InternalKeys::VerifyChecksums() {
  ROCKSDB_NAMESPACE::ReadOptions read;
  read.readahead_size = kReadAheadBytes;
  return reader_->table.VerifyChecksum(read);
}

void InternalKeys::SeekToFirst() {
  reader_->entries->SeekToFirst();
  Take();
}

void InternalKeys::SeekToLast() {
  reader_->entries->SeekToLast();
  Take();
}

void InternalKeys::Seek(std::string_view user_key) {
  // Entries of one user key are sorted by descending sequence number.
  const std::string target = std::string(user_key) + std::string(kTrailerBytes, '\xff');
  reader_->entries->Seek(target);
  Take();
}

void InternalKeys::Next() {
  reader_->entries->Next();
  Take();
}

void InternalKeys::Take() {
  reader_->damage = Status::OK();
  if (!reader_->entries->Valid()) {
    return;
  }
  const std::optional<InternalKey> key = ParseInternalKey(ViewOf(reader_->entries->key()));
  if (key) {
    reader_->key = *key;
  } else {
    reader_->damage = Status::Corruption(absl::StrCat("a key has ", reader_->entries->key().size(),
                                                      " bytes; expected are 8 more "
                                                      "than the user's key has"));
  }
}

bool InternalKeys::Valid() const { return reader_->damage.ok() && reader_->entries->Valid(); }

Status InternalKeys::status() const {
  return reader_->damage.ok() ? reader_->entries->status() : reader_->damage;
}

const InternalKey& InternalKeys::key() const { return reader_->key; }

std::string_view InternalKeys::value() const { return ViewOf(reader_->entries->value()); }

}  // namespace winnow::inspect
