// RocksDB's class behind every database, whose member functions the interposer replaces: they are
// virtual, but each has an exported name, which the vtables in RocksDB reference through the
// dynamic linker. Only these functions are declared here, so that the compiler generates their
// names: no object of this class is ever made, nor its vtable used.
//
// Must not be included together with RocksDB's db/db_impl/db_impl.h.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_DB_IMPL_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_DB_IMPL_H_

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::rocksdb_abi {

using OptionTexts = std::unordered_map<std::string, std::string>;

// Parameter of SetOptions: the options of one column family; from 11.0 on, those of several. The
// overloads for one family are then inline functions of RocksDB that call this one.
#if WINNOW_ROCKSDB_AT_LEAST(11, 0)
#define WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL 1
using TextsOfFamilies = std::unordered_map<ROCKSDB_NAMESPACE::ColumnFamilyHandle*, OptionTexts>;
#else
#define WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL 0
#endif

// Files for CreateColumnFamilyWithImport; from 8.4 on, from several databases.
#if WINNOW_ROCKSDB_AT_LEAST(8, 4)
using ImportedFiles = std::vector<const ROCKSDB_NAMESPACE::ExportImportFilesMetaData*>;
#else
using ImportedFiles = ROCKSDB_NAMESPACE::ExportImportFilesMetaData;
#endif

}  // namespace winnow::rocksdb_abi

namespace ROCKSDB_NAMESPACE {

class DBImpl {
 public:
#if WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL
  Status SetOptions(const winnow::rocksdb_abi::TextsOfFamilies& options);
#else
  Status SetOptions(ColumnFamilyHandle* family, const winnow::rocksdb_abi::OptionTexts& options);
#endif
  Status CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                            ColumnFamilyHandle** handle);
  Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                              const std::vector<std::string>& names,
                              std::vector<ColumnFamilyHandle*>* handles);
  Status CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& families,
                              std::vector<ColumnFamilyHandle*>* handles);
  Status CreateColumnFamilyWithImport(const ColumnFamilyOptions& options, const std::string& name,
                                      const ImportColumnFamilyOptions& how,
                                      const winnow::rocksdb_abi::ImportedFiles& files,
                                      ColumnFamilyHandle** handle);
};

}  // namespace ROCKSDB_NAMESPACE

namespace winnow::rocksdb_abi {

// Returns the database as its public class, which is the first base of RocksDB's DBImpl in all
// versions and so has the object's address.
inline ROCKSDB_NAMESPACE::DB& AsDatabase(ROCKSDB_NAMESPACE::DBImpl* database) {
  return *reinterpret_cast<ROCKSDB_NAMESPACE::DB*>(database);
}

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_DB_IMPL_H_
