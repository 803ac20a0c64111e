// The entries of an SST file as they are stored: every version of a key, deletions and merges too,
// each with its sequence number.

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

// An internal key: the user's key and eight bytes, little-endian sequence * 256 + type.
struct InternalKey {
  std::string_view user_key;  // with the timestamp at its end, where the database has timestamps
  uint64_t sequence = 0;      // below 2^56
  int type = 0;               // RocksDB's ValueType, 0 to 255
};

// Unset: too short to be one.
std::optional<InternalKey> ParseInternalKey(std::string_view bytes) noexcept;

// "value", "deletion", "merge", …; "type 77" for one that RocksDB had not at 11.9.
std::string NameOfType(int type);

// One file, in the order of its keys. Not for several threads at once. Range deletions are not
// among the entries.
class InternalKeys {
 public:
  // Opens the file and reads its index, and no filter. Nothing is written. The comparator is only
  // asked by Seek, and must live as long; any will do for reading from the first entry on.
  static ROCKSDB_NAMESPACE::Status Open(const std::string& path,
                                        const ROCKSDB_NAMESPACE::Comparator* comparator,
                                        std::unique_ptr<InternalKeys>* keys);

  // The same, with what `change` makes of the options: without it there is no block cache, and much
  // is read ahead. What they point to must live as long.
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

  // Reads the whole file; an error says in which block a checksum does not fit.
  ROCKSDB_NAMESPACE::Status VerifyChecksums();

  void SeekToFirst();
  void SeekToLast();
  // To the newest entry of the first user key that is not before this one.
  void Seek(std::string_view user_key);
  void Next();  // only if Valid()

  // False at the end, and where an entry can't be read: then status() says why.
  bool Valid() const;
  ROCKSDB_NAMESPACE::Status status() const;

  // Only if Valid(). Until the next movement.
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
