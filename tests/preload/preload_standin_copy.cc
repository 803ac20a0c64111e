// A copy of RocksDB, or of the functions that callers use, which STANDIN_COPY names.

#include <sstream>

#include "tests/preload/preload_standin.h"

#ifndef STANDIN_VERSION
#define STANDIN_VERSION "5.99.0"
#endif

namespace rocksdb {
namespace {

void Write(std::ostream& out, const std::string& text) { out << text; }
void Write(std::ostream& out, double number) { out << number; }
template <typename Number>
auto Write(std::ostream& out, const Number& options) -> decltype(void(options.number)) {
  out << options.number;
}
template <typename Pointed>
void Write(std::ostream& out, const Pointed* pointer) {
  out << pointer->number;
}
template <typename Element>
void Write(std::ostream& out, const std::vector<Element>& list) {
  for (const Element& element : list) {
    Write(out, element);
    out << ";";
  }
}
void Write(std::ostream& out, const OptionsMap& options) { out << options.at("key"); }

template <typename... Arguments>
std::string Called(const char* function, const Arguments&... arguments) {
  std::ostringstream out;
  out << STANDIN_COPY << " " << function << "(";
  ((Write(out, arguments), out << ","), ...);
  out << ")";
  return out.str();
}

// RocksDB has static objects, too.
const std::string kStaticObject(100, 'x');

ColumnFamilyHandle* NewHandle(int number) { return new ColumnFamilyHandle{number}; }

}  // namespace

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool use_block_based_builder) {
  return new FilterPolicy{nullptr,
                          Called("NewBloomFilterPolicy", bits_per_key, use_block_based_builder)};
}

const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int bloom_before_level) {
  return new FilterPolicy{
      nullptr, Called("NewRibbonFilterPolicy", bloom_equivalent_bits_per_key, bloom_before_level)};
}

std::string GetRocksVersionAsString(bool) { return STANDIN_VERSION; }

// RocksDB also calls its own functions here.
Status FilterPolicy::CreateFromString(const ConfigOptions& config, const std::string& value,
                                      std::shared_ptr<const FilterPolicy>* result) {
  result->reset(NewBloomFilterPolicy(7.5, true));
  return {1, Called("CreateFromString", config, value)};
}

Status DB::Open(const Options& options, const std::string& name, OpenedDB* db) {
  *db = OpenedDB(new DBImpl);
  return {2, Called("DB::Open", options, name)};
}

Status DB::Open(const DBOptions& options, const std::string& name, const Families& families,
                Handles* handles, OpenedDB* db) {
  *db = OpenedDB(new DBImpl);
  handles->push_back(NewHandle(3));
  return {3, Called("DB::Open", options, name, families)};
}

Status DB::OpenForReadOnly(const Options& options, const std::string& name, OpenedDB* db,
                           bool error_if_wal_file_exists) {
  *db = OpenedDB(new DBImpl);
  return {4, Called("DB::OpenForReadOnly", options, name, error_if_wal_file_exists)};
}

Status DB::OpenForReadOnly(const DBOptions& options, const std::string& name,
                           const Families& families, Handles* handles, OpenedDB* db,
                           bool error_if_wal_file_exists) {
  *db = OpenedDB(new DBImpl);
  handles->push_back(NewHandle(5));
  return {5, Called("DB::OpenForReadOnly", options, name, families, error_if_wal_file_exists)};
}

Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                           const std::string& secondary_path, OpenedDB* db) {
  *db = OpenedDB(new DBImpl);
  return {6, Called("DB::OpenAsSecondary", options, name, secondary_path)};
}

Status DB::OpenAsSecondary(const DBOptions& options, const std::string& name,
                           const std::string& secondary_path, const Families& families,
                           Handles* handles, OpenedDB* db) {
  *db = OpenedDB(new DBImpl);
  handles->push_back(NewHandle(7));
  return {7, Called("DB::OpenAsSecondary", options, name, secondary_path, families)};
}

Status TransactionDB::Open(const Options& options, const TransactionDBOptions& transactions,
                           const std::string& name, TransactionDB** db) {
  *db = new TransactionDB{STANDIN_COPY};
  return {8, Called("TransactionDB::Open", options, transactions, name)};
}

Status TransactionDB::Open(const DBOptions& options, const TransactionDBOptions& transactions,
                           const std::string& name, const Families& families, Handles* handles,
                           TransactionDB** db) {
  *db = new TransactionDB{STANDIN_COPY};
  handles->push_back(NewHandle(9));
  return {9, Called("TransactionDB::Open", options, transactions, name, families)};
}

Status DBImpl::SetOptions(ColumnFamilyHandle* family, const OptionsMap& options) {
  return {10, Called("SetOptions", family, options)};
}

Status DBImpl::CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                                  ColumnFamilyHandle** handle) {
  *handle = NewHandle(11);
  return {11, Called("CreateColumnFamily", options, name)};
}

Status DBImpl::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                    const std::vector<std::string>& names, Handles* handles) {
  handles->push_back(NewHandle(12));
  return {12, Called("CreateColumnFamilies", options, names)};
}

Status DBImpl::CreateColumnFamilies(const Families& families, Handles* handles) {
  handles->push_back(NewHandle(13));
  return {13, Called("CreateColumnFamilies", families)};
}

Status DBImpl::CreateColumnFamilyWithImport(const ColumnFamilyOptions& options,
                                            const std::string& name,
                                            const ImportColumnFamilyOptions& import,
                                            const ExportImportFilesMetaData& files,
                                            ColumnFamilyHandle** handle) {
  *handle = NewHandle(14);
  return {14, Called("CreateColumnFamilyWithImport", options, name, import, files)};
}

Status DBImpl::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& name,
    const ImportColumnFamilyOptions& import,
    const std::vector<const ExportImportFilesMetaData*>& files, ColumnFamilyHandle** handle) {
  *handle = NewHandle(15);
  return {15, Called("CreateColumnFamilyWithImport", options, name, import, files)};
}

}  // namespace rocksdb
