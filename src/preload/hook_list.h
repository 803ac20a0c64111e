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

// HOOK(name, readable name of the function, type): a member function's object is its first
// parameter. The types are those of hook_types.h; users that ignore the type need not include it.
#define WINNOW_HOOKS(HOOK)                                                                       \
  HOOK(kNewBloomFilterPolicy, "NewBloomFilterPolicy", const FilterPolicy*(double, bool))         \
  HOOK(kNewRibbonFilterPolicy, "NewRibbonFilterPolicy", rocksdb_abi::RibbonPolicy*(double, int)) \
  HOOK(kCreateFromString, "FilterPolicy::CreateFromString",                                      \
       Status(const ConfigOptions&, const std::string&, std::shared_ptr<const FilterPolicy>*))   \
  HOOK(kOpen, "DB::Open", Status(const Options&, const Path&, OpenedDB*))                        \
  HOOK(kOpenFamilies, "DB::Open",                                                                \
       Status(const DBOptions&, const Path&, const Families&, Handles*, OpenedDB*))              \
  HOOK(kOpenForReadOnly, "DB::OpenForReadOnly",                                                  \
       Status(const Options&, const Path&, OpenedDB*, bool))                                     \
  HOOK(kOpenFamiliesForReadOnly, "DB::OpenForReadOnly",                                          \
       Status(const DBOptions&, const Path&, const Families&, Handles*, OpenedDB*, bool))        \
  HOOK(kOpenAsSecondary, "DB::OpenAsSecondary",                                                  \
       Status(const Options&, const Path&, const Path&, OpenedDB*))                              \
  HOOK(kOpenFamiliesAsSecondary, "DB::OpenAsSecondary",                                          \
       Status(const DBOptions&, const Path&, const Path&, const Families&, Handles*, OpenedDB*)) \
  HOOK(kOpenTransactions, "TransactionDB::Open",                                                 \
       Status(const Options&, const TransactionDBOptions&, const Path&, TransactionDB**))        \
  HOOK(kOpenFamiliesTransactions, "TransactionDB::Open",                                         \
       Status(const DBOptions&, const TransactionDBOptions&, const Path&, const Families&,       \
              Handles*, TransactionDB**))                                                        \
  HOOK(kCreateFamily, "DB::CreateColumnFamily",                                                  \
       Status(DBImpl*, const ColumnFamilyOptions&, const std::string&, ColumnFamilyHandle**))    \
  HOOK(kCreateFamilies, "DB::CreateColumnFamilies",                                              \
       Status(DBImpl*, const ColumnFamilyOptions&, const Names&, Handles*))                      \
  HOOK(kCreateDescribedFamilies, "DB::CreateColumnFamilies",                                     \
       Status(DBImpl*, const Families&, Handles*))                                               \
  HOOK(kImportFamily, "DB::CreateColumnFamilyWithImport",                                        \
       Status(DBImpl*, const ColumnFamilyOptions&, const std::string&,                           \
              const ImportColumnFamilyOptions&, const ImportedFiles&, ColumnFamilyHandle**))     \
  HOOK(kSetOptions, "DB::SetOptions", Status(WINNOW_SET_OPTIONS_ARGUMENTS))                      \
  HOOK(kOpenAndCompact, "DB::OpenAndCompact",                                                    \
       Status(const Path&, const Path&, const std::string&, std::string*,                        \
              const CompactionOverride&))                                                        \
  WINNOW_CANCELING_HOOK(HOOK)                                                                    \
  WINNOW_FOLLOWER_HOOKS(HOOK)

#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
#define WINNOW_CANCELING_HOOK(HOOK)                                                       \
  HOOK(kOpenAndCompactCancelably, "DB::OpenAndCompact",                                   \
       Status(const OpenAndCompactOptions&, const Path&, const Path&, const std::string&, \
              std::string*, const CompactionOverride&))
#else
#define WINNOW_CANCELING_HOOK(HOOK)
#endif

#if WINNOW_ROCKSDB_HAS_FOLLOWERS
#define WINNOW_FOLLOWER_HOOKS(HOOK)                                \
  HOOK(kOpenAsFollower, "DB::OpenAsFollower",                      \
       Status(const Options&, const Path&, const Path&, OwnedDB*)) \
  HOOK(kOpenFamiliesAsFollower, "DB::OpenAsFollower",              \
       Status(const DBOptions&, const Path&, const Path&, const Families&, Handles*, OwnedDB*))
#else
#define WINNOW_FOLLOWER_HOOKS(HOOK)
#endif

enum class Hook : size_t {
#define WINNOW_HOOK(name, text, ...) name,
  WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK
};

#define WINNOW_HOOK(name, text, ...) +1
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
