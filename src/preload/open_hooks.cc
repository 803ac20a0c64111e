// The functions by which a program opens a database. Not here: OptimisticTransactionDB, DBWithTTL,
// BlobDB and OpenAndTrimHistory call DB's functions.

#include <rocksdb/db.h>
#include <rocksdb/utilities/transaction_db.h>

#include <string>
#include <vector>

#include "src/preload/add_policy.h"
#include "src/preload/next_definition.h"
#include "src/preload/request.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using winnow::preload::Next;
using winnow::preload::WithPolicy;
using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;

bool IsAdding() { return winnow::preload::IsInterposing() && winnow::preload::IsAdding(); }

}  // namespace

WINNOW_EXPORT Status DB::Open(const Options& options, const std::string& dbname, DB** dbptr) {
  static const auto next = Next<Status(const Options&, const std::string&, DB**)>(
      "_ZN7rocksdb2DB4OpenERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_"
      "traitsIcESaIcEEEPPS0_");
  return IsAdding() ? next(WithPolicy(options, dbname), dbname, dbptr)
                    : next(options, dbname, dbptr);
}

WINNOW_EXPORT Status DB::Open(const DBOptions& db_options, const std::string& name,
                              const Families& column_families, Handles* handles, DB** dbptr) {
  static const auto next = Next<Status(const DBOptions&, const std::string&, const Families&,
                                       Handles*, DB**)>(
      "_ZN7rocksdb2DB4OpenERKNS_9DBOptionsERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
      "RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleESaISJ_"
      "EEPPS0_");
  return IsAdding() ? next(db_options, name, WithPolicy(column_families, name), handles, dbptr)
                    : next(db_options, name, column_families, handles, dbptr);
}

WINNOW_EXPORT Status DB::OpenForReadOnly(const Options& options, const std::string& name,
                                         DB** dbptr, bool error_if_wal_file_exists) {
  static const auto next = Next<Status(const Options&, const std::string&, DB**, bool)>(
      "_ZN7rocksdb2DB15OpenForReadOnlyERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_"
      "traitsIcES"
      "aIcEEEPPS0_b");
  return IsAdding() ? next(WithPolicy(options, name), name, dbptr, error_if_wal_file_exists)
                    : next(options, name, dbptr, error_if_wal_file_exists);
}

WINNOW_EXPORT Status DB::OpenForReadOnly(const DBOptions& db_options, const std::string& name,
                                         const Families& column_families, Handles* handles,
                                         DB** dbptr, bool error_if_wal_file_exists) {
  static const auto next = Next<Status(const DBOptions&, const std::string&, const Families&,
                                       Handles*, DB**, bool)>(
      "_ZN7rocksdb2DB15OpenForReadOnlyERKNS_9DBOptionsERKNSt7__cxx1112basic_stringIcSt11char_trai"
      "tsIcESaIcEEERKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleE"
      "SaISJ_EEPPS0_b");
  return IsAdding()
             ? next(db_options, name, WithPolicy(column_families, name), handles, dbptr,
                    error_if_wal_file_exists)
             : next(db_options, name, column_families, handles, dbptr, error_if_wal_file_exists);
}

WINNOW_EXPORT Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                                         const std::string& secondary_path, DB** dbptr) {
  static const auto next = Next<Status(const Options&, const std::string&, const std::string&,
                                       DB**)>(
      "_ZN7rocksdb2DB15OpenAsSecondaryERKNS_7OptionsERKNSt7__cxx1112basic_stringIcSt11char_traits"
      "IcESaIcEEESB_PPS0_");
  return IsAdding() ? next(WithPolicy(options, name), name, secondary_path, dbptr)
                    : next(options, name, secondary_path, dbptr);
}

WINNOW_EXPORT Status DB::OpenAsSecondary(const DBOptions& db_options, const std::string& name,
                                         const std::string& secondary_path,
                                         const Families& column_families, Handles* handles,
                                         DB** dbptr) {
  static const auto next = Next<Status(const DBOptions&, const std::string&, const std::string&,
                                       const Families&, Handles*, DB**)>(
      "_ZN7rocksdb2DB15OpenAsSecondaryERKNS_9DBOptionsERKNSt7__cxx1112basic_stringIcSt11char_"
      "traitsIc"
      "ESaIcEEESB_RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_"
      "18ColumnFamilyHandleESaISJ"
      "_EEPPS0_");
  return IsAdding() ? next(db_options, name, secondary_path, WithPolicy(column_families, name),
                           handles, dbptr)
                    : next(db_options, name, secondary_path, column_families, handles, dbptr);
}

WINNOW_EXPORT Status TransactionDB::Open(const Options& options,
                                         const TransactionDBOptions& txn_db_options,
                                         const std::string& dbname, TransactionDB** dbptr) {
  static const auto next = Next<Status(const Options&, const TransactionDBOptions&,
                                       const std::string&, TransactionDB**)>(
      "_ZN7rocksdb13TransactionDB4OpenERKNS_7OptionsERKNS_20TransactionDBOptionsERKNSt7__"
      "cxx1112basic"
      "_stringIcSt11char_traitsIcESaIcEEEPPS0_");
  return IsAdding() ? next(WithPolicy(options, dbname), txn_db_options, dbname, dbptr)
                    : next(options, txn_db_options, dbname, dbptr);
}

WINNOW_EXPORT Status TransactionDB::Open(const DBOptions& db_options,
                                         const TransactionDBOptions& txn_db_options,
                                         const std::string& dbname, const Families& column_families,
                                         Handles* handles, TransactionDB** dbptr) {
  static const auto next = Next<Status(const DBOptions&, const TransactionDBOptions&,
                                       const std::string&, const Families&, Handles*,
                                       TransactionDB**)>(
      "_ZN7rocksdb13TransactionDB4OpenERKNS_9DBOptionsERKNS_20TransactionDBOptionsERKNSt7__cxx1112"
      "basic_stringIcSt11char_traitsIcESaIcEEERKSt6vectorINS_22ColumnFamilyDescriptorESaISG_EEPSF_"
      "IPNS_18ColumnFamilyHandleESaISM_EEPPS0_");
  return IsAdding() ? next(db_options, txn_db_options, dbname, WithPolicy(column_families, dbname),
                           handles, dbptr)
                    : next(db_options, txn_db_options, dbname, column_families, handles, dbptr);
}

}  // namespace ROCKSDB_NAMESPACE
