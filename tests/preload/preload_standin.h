// A RocksDB that is not the one that Winnow was built for, as far as its callers see it: the names
// that the interposer replaces, with other classes behind them. Nothing may touch an object of
// these that was compiled with RocksDB's headers; so they have other sizes, and a Status may not be
// moved.

#ifndef WINNOW_TESTS_PRELOAD_PRELOAD_STANDIN_H_
#define WINNOW_TESTS_PRELOAD_PRELOAD_STANDIN_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// A program may have its copy with hidden symbols.
#if !STANDIN_HIDDEN
#pragma GCC visibility push(default)
#endif

namespace rocksdb {

class DB;
class TransactionDB;
#if STANDIN_OPENS_UNIQUE_PTR
using OpenedDB = std::unique_ptr<DB>;
#else
using OpenedDB = DB*;
#endif

// Each tells one from another by its number.
struct ColumnFamilyDescriptor {
  int number;
};
class ColumnFamilyHandle {
 public:
  int number;
};
struct ColumnFamilyOptions {
  int number;
};
struct ConfigOptions {
  int number;
};
struct DBOptions {
  int number;
};
struct ExportImportFilesMetaData {
  int number;
};
struct ImportColumnFamilyOptions {
  int number;
};
struct Options {
  int number;
};
struct TransactionDBOptions {
  int number;
};
using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;
using OptionsMap = std::unordered_map<std::string, std::string>;

struct Status {
  Status(int given_code, std::string given_answer)
      : code(given_code), answer(std::move(given_answer)) {}
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;
  ~Status() { self = nullptr; }

  // The caller's own variable from the beginning, whatever is between.
  const Status* self = this;
  int code;
  std::string answer;  // who answered, and to what
};

struct FilterPolicy {
  static Status CreateFromString(const ConfigOptions& config, const std::string& value,
                                 std::shared_ptr<const FilterPolicy>* result);

  // Where RocksDB's class has what its virtual functions are called by: whoever does so, crashes.
  const void* no_functions = nullptr;
  std::string answer;
};

#if STANDIN_WEAK
__attribute__((weak))
#endif
const FilterPolicy*
NewBloomFilterPolicy(double bits_per_key, bool use_block_based_builder);
const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int bloom_before_level);
std::string GetRocksVersionAsString(bool with_patch);

// As in RocksDB, these are called by the table of virtual functions that is in the copy.
class DB {
 public:
  virtual ~DB() = default;
  virtual Status SetOptions(ColumnFamilyHandle* family, const OptionsMap& options) = 0;
  virtual Status CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                                    ColumnFamilyHandle** handle) = 0;
  virtual Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                                      const std::vector<std::string>& names, Handles* handles) = 0;
  virtual Status CreateColumnFamilies(const Families& families, Handles* handles) = 0;
  virtual Status CreateColumnFamilyWithImport(const ColumnFamilyOptions& options,
                                              const std::string& name,
                                              const ImportColumnFamilyOptions& import,
                                              const ExportImportFilesMetaData& files,
                                              ColumnFamilyHandle** handle) = 0;
  virtual Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& name,
      const ImportColumnFamilyOptions& import,
      const std::vector<const ExportImportFilesMetaData*>& files, ColumnFamilyHandle** handle) = 0;

  static Status Open(const Options& options, const std::string& name, OpenedDB* db);
  static Status Open(const DBOptions& options, const std::string& name, const Families& families,
                     Handles* handles, OpenedDB* db);
  static Status OpenForReadOnly(const Options& options, const std::string& name, OpenedDB* db,
                                bool error_if_wal_file_exists);
  static Status OpenForReadOnly(const DBOptions& options, const std::string& name,
                                const Families& families, Handles* handles, OpenedDB* db,
                                bool error_if_wal_file_exists);
  static Status OpenAsSecondary(const Options& options, const std::string& name,
                                const std::string& secondary_path, OpenedDB* db);
  static Status OpenAsSecondary(const DBOptions& options, const std::string& name,
                                const std::string& secondary_path, const Families& families,
                                Handles* handles, OpenedDB* db);
};

class DBImpl : public DB {
 public:
  Status SetOptions(ColumnFamilyHandle* family, const OptionsMap& options) override;
  Status CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                            ColumnFamilyHandle** handle) override;
  Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                              const std::vector<std::string>& names, Handles* handles) override;
  Status CreateColumnFamilies(const Families& families, Handles* handles) override;
  Status CreateColumnFamilyWithImport(const ColumnFamilyOptions& options, const std::string& name,
                                      const ImportColumnFamilyOptions& import,
                                      const ExportImportFilesMetaData& files,
                                      ColumnFamilyHandle** handle) override;
  Status CreateColumnFamilyWithImport(const ColumnFamilyOptions& options, const std::string& name,
                                      const ImportColumnFamilyOptions& import,
                                      const std::vector<const ExportImportFilesMetaData*>& files,
                                      ColumnFamilyHandle** handle) override;
};

class TransactionDB {
 public:
  static Status Open(const Options& options, const TransactionDBOptions& transactions,
                     const std::string& name, TransactionDB** db);
  static Status Open(const DBOptions& options, const TransactionDBOptions& transactions,
                     const std::string& name, const Families& families, Handles* handles,
                     TransactionDB** db);

  std::string answer;
};

}  // namespace rocksdb

#if !STANDIN_HIDDEN
#pragma GCC visibility pop
#endif

namespace standin {

// Functions of a plugin for the program that opens it.
struct Plugin {
  void (*ask_for_policies)();  // in every way; calls nothing that takes or returns a class
  void (*ask_for_all)();
  const rocksdb::FilterPolicy* (*ask)(double, bool);
  // Functions that leave no trace of the plugin on the stack when the program calls them.
  const rocksdb::FilterPolicy* (*jump)(double, bool);
  const rocksdb::FilterPolicy* (*address)(double, bool);
  rocksdb::DB* (*open)();
};

// The library that a policy comes from, and what was asked of it if that is a stand-in.
std::string Answer(const rocksdb::FilterPolicy* policy);
std::string Answer(const rocksdb::Status& status);

// Writes a line.
void Say(const std::string& caller, const std::string& how, const std::string& answer);

// Calls what is called by the database's table of virtual functions.
void AskDatabase(const std::string& caller, rocksdb::DB* db);

// Make the calls of the object itself.
void AskForPolicies();
void AskForAll();

}  // namespace standin

#endif  // WINNOW_TESTS_PRELOAD_PRELOAD_STANDIN_H_
