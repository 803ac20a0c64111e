// Stand-in for a RocksDB other than the one that Winnow was built for: the functions that the
// interposer replaces, with other classes. Code compiled with RocksDB's headers must not touch
// these objects, so their sizes differ, and a Status must not be moved.

#ifndef WINNOW_TESTS_PRELOAD_PRELOAD_STANDIN_H_
#define WINNOW_TESTS_PRELOAD_PRELOAD_STANDIN_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// A program's copy may have hidden symbols.
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

// Objects of these types are identified by their number.
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

  // Address of the caller's variable; it differs from `this` if the object was moved.
  const Status* self = this;
  int code;
  std::string answer;  // answerer and call
};

struct FilterPolicy {
  static Status CreateFromString(const ConfigOptions& config, const std::string& value,
                                 std::shared_ptr<const FilterPolicy>* result);

  // RocksDB's class has its vtable pointer here, so a virtual call crashes.
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

// Virtual like RocksDB's, so calls go through the vtable in the copy.
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

// Functions of a plugin, for the program that opens it.
struct Plugin {
  void (*ask_for_policies)();  // makes every kind of call; none takes or returns a class
  void (*ask_for_all)();
  const rocksdb::FilterPolicy* (*ask)(double, bool);
  // Functions that leave no frame of the plugin on the stack when the program calls them.
  const rocksdb::FilterPolicy* (*jump)(double, bool);
  const rocksdb::FilterPolicy* (*address)(double, bool);
  rocksdb::DB* (*open)();
};

// Returns the library that a policy or status comes from, and for a stand-in also the call.
std::string Answer(const rocksdb::FilterPolicy* policy);
std::string Answer(const rocksdb::Status& status);

// Prints a line.
void Say(const std::string& caller, const std::string& how, const std::string& answer);

// Calls the database's virtual functions.
void AskDatabase(const std::string& caller, rocksdb::DB* db);

// Run the calls of the object file's own code.
void AskForPolicies();
void AskForAll();

}  // namespace standin

#endif  // WINNOW_TESTS_PRELOAD_PRELOAD_STANDIN_H_
