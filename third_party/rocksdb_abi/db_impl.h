// RocksDB's class behind every database, of which the interposer replaces member functions: they
// are virtual, but each has an exported name, which RocksDB's tables of virtual functions ask the
// dynamic linker for. Declared here are these functions alone, so that the compiler makes their
// names: no object of this class is ever made, nor its table seen.
//
// Not to be included where RocksDB's db/db_impl/db_impl.h is.

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

// Parameter of SetOptions: the options of one column family; from 11.0 on those of several. The
// forms for one are then inline functions of RocksDB's, which call the other.
#if WINNOW_ROCKSDB_AT_LEAST(11, 0)
#define WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL 1
using TextsOfFamilies = std::unordered_map<ROCKSDB_NAMESPACE::ColumnFamilyHandle*, OptionTexts>;
#else
#define WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL 0
#endif

// Source of the files for CreateColumnFamilyWithImport; from 8.4 on from several databases.
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

// The database as its public class, which is the first base of RocksDB's DBImpl in every version
// and so begins where the object does.
inline ROCKSDB_NAMESPACE::DB& AsDatabase(ROCKSDB_NAMESPACE::DBImpl* database) {
  return *reinterpret_cast<ROCKSDB_NAMESPACE::DB*>(database);
}

}  // namespace winnow::rocksdb_abi

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_DB_IMPL_H_
