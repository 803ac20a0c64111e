// List of RocksDB's functions that the interposer replaces.
//
// The functions are of three kinds. Some make a built-in filter policy: the C API, options strings
// and OPTIONS files call one of these. Some open a database, create a column family or change
// options: OptimisticTransactionDB, DBWithTTL, BlobDB and OpenAndTrimHistory call DB's functions,
// and all databases are a DBImpl in the end. The others compact for another process.
//
// Each one is defined in front/hooks.cc, where a program's call arrives, and has a handler in
// interposer.cc.

#ifndef WINNOW_SRC_PRELOAD_HOOK_LIST_H_
#define WINNOW_SRC_PRELOAD_HOOK_LIST_H_

#include <cstddef>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::preload {

// HOOK(name, readable name of the function, function, handler, type): a member function's object is
// its first parameter. The types are those of hook_types.h; users that ignore functions, handlers
// and types need not include it. OnOpen<true> is for databases that are opened to write.
#define WINNOW_HOOKS(HOOK)                                                                        \
  HOOK(kNewBloomFilterPolicy, "NewBloomFilterPolicy", NewBloomFilterPolicy, OnNewPolicy,          \
       const FilterPolicy*(double, bool))                                                         \
  HOOK(kNewRibbonFilterPolicy, "NewRibbonFilterPolicy", NewRibbonFilterPolicy, OnNewPolicy,       \
       rocksdb_abi::RibbonPolicy*(double, int))                                                   \
  HOOK(kCreateFromString, "FilterPolicy::CreateFromString", FilterPolicy::CreateFromString,       \
       OnCreateFromString,                                                                        \
       Status(const ConfigOptions&, const std::string&, std::shared_ptr<const FilterPolicy>*))    \
  HOOK(kOpen, "DB::Open", DB::Open, OnOpen<true>, Status(const Options&, const Path&, OpenedDB*)) \
  HOOK(kOpenFamilies, "DB::Open", DB::Open, OnOpen<true>,                                         \
       Status(const DBOptions&, const Path&, const Families&, Handles*, OpenedDB*))               \
  HOOK(kOpenForReadOnly, "DB::OpenForReadOnly", DB::OpenForReadOnly, OnOpen<false>,               \
       Status(const Options&, const Path&, OpenedDB*, bool))                                      \
  HOOK(kOpenFamiliesForReadOnly, "DB::OpenForReadOnly", DB::OpenForReadOnly, OnOpen<false>,       \
       Status(const DBOptions&, const Path&, const Families&, Handles*, OpenedDB*, bool))         \
  HOOK(kOpenAsSecondary, "DB::OpenAsSecondary", DB::OpenAsSecondary, OnOpen<false>,               \
       Status(const Options&, const Path&, const Path&, OpenedDB*))                               \
  HOOK(kOpenFamiliesAsSecondary, "DB::OpenAsSecondary", DB::OpenAsSecondary, OnOpen<false>,       \
       Status(const DBOptions&, const Path&, const Path&, const Families&, Handles*, OpenedDB*))  \
  HOOK(kOpenTransactions, "TransactionDB::Open", TransactionDB::Open, OnOpen<true>,               \
       Status(const Options&, const TransactionDBOptions&, const Path&, TransactionDB**))         \
  HOOK(kOpenFamiliesTransactions, "TransactionDB::Open", TransactionDB::Open, OnOpen<true>,       \
       Status(const DBOptions&, const TransactionDBOptions&, const Path&, const Families&,        \
              Handles*, TransactionDB**))                                                         \
  HOOK(kCreateFamily, "DB::CreateColumnFamily", DBImpl::CreateColumnFamily, OnCreateFamilies,     \
       Status(DBImpl*, const ColumnFamilyOptions&, const std::string&, ColumnFamilyHandle**))     \
  HOOK(kCreateFamilies, "DB::CreateColumnFamilies", DBImpl::CreateColumnFamilies,                 \
       OnCreateFamilies, Status(DBImpl*, const ColumnFamilyOptions&, const Names&, Handles*))     \
  HOOK(kCreateDescribedFamilies, "DB::CreateColumnFamilies", DBImpl::CreateColumnFamilies,        \
       OnCreateDescribedFamilies, Status(DBImpl*, const Families&, Handles*))                     \
  HOOK(kImportFamily, "DB::CreateColumnFamilyWithImport", DBImpl::CreateColumnFamilyWithImport,   \
       OnCreateFamilies,                                                                          \
       Status(DBImpl*, const ColumnFamilyOptions&, const std::string&,                            \
              const ImportColumnFamilyOptions&, const ImportedFiles&, ColumnFamilyHandle**))      \
  HOOK(kSetOptions, "DB::SetOptions", DBImpl::SetOptions, OnSetOptions,                           \
       Status(WINNOW_SET_OPTIONS_ARGUMENTS))                                                      \
  HOOK(kOpenAndCompact, "DB::OpenAndCompact", DB::OpenAndCompact, OnOpenAndCompact,               \
       Status(const Path&, const Path&, const std::string&, std::string*,                         \
              const CompactionOverride&))                                                         \
  WINNOW_CANCELING_HOOK(HOOK)                                                                     \
  WINNOW_FOLLOWER_HOOKS(HOOK)

#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
#define WINNOW_CANCELING_HOOK(HOOK)                                                       \
  HOOK(kOpenAndCompactCancelably, "DB::OpenAndCompact", DB::OpenAndCompact,               \
       OnOpenAndCompactCancelably,                                                        \
       Status(const OpenAndCompactOptions&, const Path&, const Path&, const std::string&, \
              std::string*, const CompactionOverride&))
#else
#define WINNOW_CANCELING_HOOK(HOOK)
#endif

#if WINNOW_ROCKSDB_HAS_FOLLOWERS
#define WINNOW_FOLLOWER_HOOKS(HOOK)                                                      \
  HOOK(kOpenAsFollower, "DB::OpenAsFollower", DB::OpenAsFollower, OnOpen<false>,         \
       Status(const Options&, const Path&, const Path&, OwnedDB*))                       \
  HOOK(kOpenFamiliesAsFollower, "DB::OpenAsFollower", DB::OpenAsFollower, OnOpen<false>, \
       Status(const DBOptions&, const Path&, const Path&, const Families&, Handles*, OwnedDB*))
#else
#define WINNOW_FOLLOWER_HOOKS(HOOK)
#endif

enum class Hook : size_t {
#define WINNOW_HOOK(name, ...) name,
  WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK
};

#define WINNOW_HOOK(name, ...) +1
inline constexpr size_t kNumHooks = WINNOW_HOOKS(WINNOW_HOOK);
#undef WINNOW_HOOK

// Maximum number of hooks. The front and a plugin may be of different versions of RocksDB, of which
// later ones have more hooks, at the end.
inline constexpr size_t kMaxHooks = 24;
static_assert(kNumHooks <= kMaxHooks);

inline constexpr const char* kHookNames[kNumHooks] = {
#define WINNOW_HOOK(name, text, ...) text,
    WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK
};

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_HOOK_LIST_H_
