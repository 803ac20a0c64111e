// Entries of an SST file with their internal keys: every version of a key, including deletions and
// merge operands, with its sequence number.

#ifndef WINNOW_SRC_SST_INTERNAL_KEYS_H_
#define WINNOW_SRC_SST_INTERNAL_KEYS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// An internal key: the user key and eight bytes, little-endian sequence * 256 + type.
struct InternalKey {
  std::string_view user_key;  // includes the timestamp, if the database has timestamps
  uint64_t sequence = 0;      // below 2^56
  int type = 0;               // RocksDB's ValueType, 0 to 255
};

// Parses an internal key. Returns nullopt if the bytes are too few.
std::optional<InternalKey> ParseInternalKey(std::string_view bytes) noexcept;

// Returns "value", "deletion", "merge", …; "type 77" for types that RocksDB 11.9 does not have.
std::string NameOfType(int type);

// Iterator over the entries of a file in key order, without range deletions. Not thread-safe.
class InternalKeys {
 public:
  // Opens the file and reads its index, but no filter. Writes nothing. The comparator must outlive
  // the object; only Seek() uses it, so any comparator works for iteration from the first entry.
  static ROCKSDB_NAMESPACE::Status Open(const std::string& path,
                                        const ROCKSDB_NAMESPACE::Comparator* comparator,
                                        std::unique_ptr<InternalKeys>* keys);

  // Opens the file with options that `change` modifies; by default there is no block cache, and
  // readahead is large. Objects that the options point to must outlive the iterator.
  using ChangeOptions =
      std::function<void(ROCKSDB_NAMESPACE::Options*, ROCKSDB_NAMESPACE::BlockBasedTableOptions*,
                         ROCKSDB_NAMESPACE::ReadOptions*)>;
  static ROCKSDB_NAMESPACE::Status OpenWith(const std::string& path,
                                            const ROCKSDB_NAMESPACE::Comparator* comparator,
                                            const ChangeOptions& change,
                                            std::unique_ptr<InternalKeys>* keys);
  ~InternalKeys();
  InternalKeys(const InternalKeys&) = delete;
  InternalKeys& operator=(const InternalKeys&) = delete;

  const ROCKSDB_NAMESPACE::TableProperties& properties() const;

  // Reads the whole file. The error names the first block whose checksum is wrong.
  ROCKSDB_NAMESPACE::Status VerifyChecksums();

  void SeekToFirst();
  void SeekToLast();
  // Moves to the newest entry of the first user key that is not before `user_key`.
  void Seek(std::string_view user_key);
  void Next();  // requires Valid()

  // Returns false at the end, and if an entry can't be read; status() then has the error.
  bool Valid() const;
  ROCKSDB_NAMESPACE::Status status() const;

  // Key and value of the current entry, valid until the next move. Requires Valid().
  const InternalKey& key() const;
  std::string_view value() const;

 private:
  struct Reader;
  explicit InternalKeys(std::unique_ptr<Reader> reader);
  void Take();

  std::unique_ptr<Reader> reader_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_INTERNAL_KEYS_H_
