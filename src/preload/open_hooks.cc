// The functions by which a program opens a database. Not here: OptimisticTransactionDB, DBWithTTL,
// BlobDB and OpenAndTrimHistory call DB's functions.

#include <rocksdb/db.h>
#include <rocksdb/utilities/transaction_db.h>

#include <string>
#include <vector>

#include "src/preload/add_policy.h"
#include "src/preload/next_definition.h"
#include "src/preload/request.h"
#include "third_party/rocksdb_abi/versions.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using winnow::preload::Next;
using winnow::preload::WithPolicy;
using winnow::rocksdb_abi::OpenedDB;
using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;

bool IsAdding() { return winnow::preload::IsInterposing() && winnow::preload::IsAdding(); }

}  // namespace

WINNOW_EXPORT Status DB::Open(const Options& options, const std::string& name, OpenedDB* db) {
  static const auto next = Next<Status(const Options&, const std::string&, OpenedDB*)>(&DB::Open);
  return IsAdding() ? next(WithPolicy(options, name), name, db) : next(options, name, db);
}

WINNOW_EXPORT Status DB::Open(const DBOptions& options, const std::string& name,
                              const Families& families, Handles* handles, OpenedDB* db) {
  static const auto next =
      Next<Status(const DBOptions&, const std::string&, const Families&, Handles*, OpenedDB*)>(
          &DB::Open);
  return IsAdding() ? next(options, name, WithPolicy(families, name), handles, db)
                    : next(options, name, families, handles, db);
}

WINNOW_EXPORT Status DB::OpenForReadOnly(const Options& options, const std::string& name,
                                         OpenedDB* db, bool error_if_wal_file_exists) {
  static const auto next =
      Next<Status(const Options&, const std::string&, OpenedDB*, bool)>(&DB::OpenForReadOnly);
  return IsAdding() ? next(WithPolicy(options, name), name, db, error_if_wal_file_exists)
                    : next(options, name, db, error_if_wal_file_exists);
}

WINNOW_EXPORT Status DB::OpenForReadOnly(const DBOptions& options, const std::string& name,
                                         const Families& families, Handles* handles, OpenedDB* db,
                                         bool error_if_wal_file_exists) {
  static const auto next = Next<Status(const DBOptions&, const std::string&, const Families&,
                                       Handles*, OpenedDB*, bool)>(&DB::OpenForReadOnly);
  return IsAdding() ? next(options, name, WithPolicy(families, name), handles, db,
                           error_if_wal_file_exists)
                    : next(options, name, families, handles, db, error_if_wal_file_exists);
}

WINNOW_EXPORT Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                                         const std::string& secondary_path, OpenedDB* db) {
  static const auto next =
      Next<Status(const Options&, const std::string&, const std::string&, OpenedDB*)>(
          &DB::OpenAsSecondary);
  return IsAdding() ? next(WithPolicy(options, name), name, secondary_path, db)
                    : next(options, name, secondary_path, db);
}

WINNOW_EXPORT Status DB::OpenAsSecondary(const DBOptions& options, const std::string& name,
                                         const std::string& secondary_path,
                                         const Families& families, Handles* handles, OpenedDB* db) {
  static const auto next = Next<Status(const DBOptions&, const std::string&, const std::string&,
                                       const Families&, Handles*, OpenedDB*)>(&DB::OpenAsSecondary);
  return IsAdding() ? next(options, name, secondary_path, WithPolicy(families, name), handles, db)
                    : next(options, name, secondary_path, families, handles, db);
}

WINNOW_EXPORT Status TransactionDB::Open(const Options& options,
                                         const TransactionDBOptions& transactions,
                                         const std::string& name, TransactionDB** db) {
  static const auto next = Next<Status(const Options&, const TransactionDBOptions&,
                                       const std::string&, TransactionDB**)>(&TransactionDB::Open);
  return IsAdding() ? next(WithPolicy(options, name), transactions, name, db)
                    : next(options, transactions, name, db);
}

WINNOW_EXPORT Status TransactionDB::Open(const DBOptions& options,
                                         const TransactionDBOptions& transactions,
                                         const std::string& name, const Families& families,
                                         Handles* handles, TransactionDB** db) {
  static const auto next =
      Next<Status(const DBOptions&, const TransactionDBOptions&, const std::string&,
                  const Families&, Handles*, TransactionDB**)>(&TransactionDB::Open);
  return IsAdding() ? next(options, transactions, name, WithPolicy(families, name), handles, db)
                    : next(options, transactions, name, families, handles, db);
}

}  // namespace ROCKSDB_NAMESPACE
