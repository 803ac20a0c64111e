// Hooks: functions that this library exports in place of RocksDB's.

#include <cstring>
#include <type_traits>

#include "src/preload/front/state_line.h"
#include "src/preload/front/way.h"
#include "src/preload/hook_types.h"
#include "winnow/version.h"

// Hooks are not noexcept, except those that call nothing: exceptions of RocksDB pass through them
// to their caller. So this file is compiled with exceptions, which RocksDB's headers use, too.

// Return address of a hook. Must be evaluated in the hook itself, as a function that it calls may
// have no frame.
#define WINNOW_CALLER __builtin_extract_return_addr(__builtin_return_address(0))

namespace winnow::preload {
namespace {

// Returns the result of a call that no RocksDB can answer.
template <typename Result>
Result Nothing() {
  if constexpr (std::is_pointer_v<Result>) {
    return nullptr;
  } else {
    return Result::NotSupported();
  }
}

// Makes the call for the hook's caller.
template <Hook hook, typename Function = typename Signature<hook>::Type>
struct Forward;
template <Hook hook, typename Result, typename... Parameters>
struct Forward<hook, Result(Parameters...)> {
  static Result Call(const void* caller, Parameters... parameters) {
    using Stock = Result(Parameters...);
    const Way way = FindWay(hook, caller);
    auto* const stock = reinterpret_cast<Stock*>(way.stock);
    if (way.handler != nullptr) {
      return reinterpret_cast<Handler<hook>*>(way.handler)(stock, parameters...);
    }
    if (stock != nullptr) {
      return stock(parameters...);
    }
    SayThatNobodyAnswers(hook);
    return Nothing<Result>();
  }
};

}  // namespace
}  // namespace winnow::preload

namespace ROCKSDB_NAMESPACE {

using namespace winnow::preload;

// ---- Filter policies

WINNOW_EXPORT const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool is_block_based) {
  return Forward<Hook::kNewBloomFilterPolicy>::Call(WINNOW_CALLER, bits_per_key, is_block_based);
}

WINNOW_EXPORT winnow::rocksdb_abi::RibbonPolicy* NewRibbonFilterPolicy(double bits_per_key,
                                                                       int bloom_before_level) {
  return Forward<Hook::kNewRibbonFilterPolicy>::Call(WINNOW_CALLER, bits_per_key,
                                                     bloom_before_level);
}

WINNOW_EXPORT Status FilterPolicy::CreateFromString(const ConfigOptions& config,
                                                    const std::string& value,
                                                    std::shared_ptr<const FilterPolicy>* result) {
  winnow::preload::SayIfPolicyIsLost(WINNOW_CALLER, value.data(), value.size());
  return Forward<Hook::kCreateFromString>::Call(WINNOW_CALLER, config, value, result);
}

// ---- Databases

WINNOW_EXPORT Status DB::Open(const Options& options, const Path& name, OpenedDB* db) {
  return Forward<Hook::kOpen>::Call(WINNOW_CALLER, options, name, db);
}

WINNOW_EXPORT Status DB::Open(const DBOptions& options, const Path& name, const Families& families,
                              Handles* handles, OpenedDB* db) {
  return Forward<Hook::kOpenFamilies>::Call(WINNOW_CALLER, options, name, families, handles, db);
}

WINNOW_EXPORT Status DB::OpenForReadOnly(const Options& options, const Path& name, OpenedDB* db,
                                         bool error_if_wal_file_exists) {
  return Forward<Hook::kOpenForReadOnly>::Call(WINNOW_CALLER, options, name, db,
                                               error_if_wal_file_exists);
}

WINNOW_EXPORT Status DB::OpenForReadOnly(const DBOptions& options, const Path& name,
                                         const Families& families, Handles* handles, OpenedDB* db,
                                         bool error_if_wal_file_exists) {
  return Forward<Hook::kOpenFamiliesForReadOnly>::Call(WINNOW_CALLER, options, name, families,
                                                       handles, db, error_if_wal_file_exists);
}

WINNOW_EXPORT Status DB::OpenAsSecondary(const Options& options, const Path& name,
                                         const Path& secondary_path, OpenedDB* db) {
  return Forward<Hook::kOpenAsSecondary>::Call(WINNOW_CALLER, options, name, secondary_path, db);
}

WINNOW_EXPORT Status DB::OpenAsSecondary(const DBOptions& options, const Path& name,
                                         const Path& secondary_path, const Families& families,
                                         Handles* handles, OpenedDB* db) {
  return Forward<Hook::kOpenFamiliesAsSecondary>::Call(WINNOW_CALLER, options, name, secondary_path,
                                                       families, handles, db);
}

#if WINNOW_ROCKSDB_HAS_FOLLOWERS
WINNOW_EXPORT Status DB::OpenAsFollower(const Options& options, const Path& name,
                                        const Path& leader_path, OwnedDB* db) {
  return Forward<Hook::kOpenAsFollower>::Call(WINNOW_CALLER, options, name, leader_path, db);
}

WINNOW_EXPORT Status DB::OpenAsFollower(const DBOptions& options, const Path& name,
                                        const Path& leader_path, const Families& families,
                                        Handles* handles, OwnedDB* db) {
  return Forward<Hook::kOpenFamiliesAsFollower>::Call(WINNOW_CALLER, options, name, leader_path,
                                                      families, handles, db);
}
#endif

WINNOW_EXPORT Status TransactionDB::Open(const Options& options,
                                         const TransactionDBOptions& transactions, const Path& name,
                                         TransactionDB** db) {
  return Forward<Hook::kOpenTransactions>::Call(WINNOW_CALLER, options, transactions, name, db);
}

WINNOW_EXPORT Status TransactionDB::Open(const DBOptions& options,
                                         const TransactionDBOptions& transactions, const Path& name,
                                         const Families& families, Handles* handles,
                                         TransactionDB** db) {
  return Forward<Hook::kOpenFamiliesTransactions>::Call(WINNOW_CALLER, options, transactions, name,
                                                        families, handles, db);
}

// ---- Compactions for another process

WINNOW_EXPORT Status DB::OpenAndCompact(const Path& name, const Path& output_directory,
                                        const std::string& input, std::string* output,
                                        const CompactionOverride& options) {
  return Forward<Hook::kOpenAndCompact>::Call(WINNOW_CALLER, name, output_directory, input, output,
                                              options);
}

#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
WINNOW_EXPORT Status DB::OpenAndCompact(const OpenAndCompactOptions& how, const Path& name,
                                        const Path& output_directory, const std::string& input,
                                        std::string* output, const CompactionOverride& options) {
  return Forward<Hook::kOpenAndCompactCancelably>::Call(WINNOW_CALLER, how, name, output_directory,
                                                        input, output, options);
}
#endif

// ---- Open databases

// Returns the vtable of a database. These hooks are called through a vtable, by code that may refer
// to no RocksDB at all: the linker resolved the function for the object with the vtable.
static const void* TableOf(const DBImpl* database) noexcept {
  const void* table = nullptr;
  std::memcpy(&table, reinterpret_cast<const void*>(database), sizeof table);
  return table;
}

WINNOW_EXPORT Status DBImpl::CreateColumnFamily(const ColumnFamilyOptions& options,
                                                const std::string& name,
                                                ColumnFamilyHandle** handle) {
  return Forward<Hook::kCreateFamily>::Call(TableOf(this), this, options, name, handle);
}

WINNOW_EXPORT Status DBImpl::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                                  const Names& names, Handles* handles) {
  return Forward<Hook::kCreateFamilies>::Call(TableOf(this), this, options, names, handles);
}

WINNOW_EXPORT Status DBImpl::CreateColumnFamilies(const Families& families, Handles* handles) {
  return Forward<Hook::kCreateDescribedFamilies>::Call(TableOf(this), this, families, handles);
}

WINNOW_EXPORT Status DBImpl::CreateColumnFamilyWithImport(const ColumnFamilyOptions& options,
                                                          const std::string& name,
                                                          const ImportColumnFamilyOptions& how,
                                                          const ImportedFiles& files,
                                                          ColumnFamilyHandle** handle) {
  return Forward<Hook::kImportFamily>::Call(TableOf(this), this, options, name, how, files, handle);
}

#if WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL
WINNOW_EXPORT Status DBImpl::SetOptions(const winnow::rocksdb_abi::TextsOfFamilies& options) {
  return Forward<Hook::kSetOptions>::Call(TableOf(this), this, options);
}
#else
WINNOW_EXPORT Status DBImpl::SetOptions(ColumnFamilyHandle* family, const OptionTexts& options) {
  return Forward<Hook::kSetOptions>::Call(TableOf(this), this, family, options);
}
#endif

}  // namespace ROCKSDB_NAMESPACE
