// Types of the functions that the interposer replaces (hook_list.h).

#ifndef WINNOW_SRC_PRELOAD_HOOK_TYPES_H_
#define WINNOW_SRC_PRELOAD_HOOK_TYPES_H_

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/transaction_db.h>

#include <memory>
#include <string>
#include <vector>

#include "src/preload/hook_list.h"
#include "third_party/rocksdb_abi/db_impl.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::preload {

using rocksdb_abi::ImportedFiles;
using rocksdb_abi::OpenedDB;
using rocksdb_abi::OptionTexts;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBImpl;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ImportColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;
#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
using ROCKSDB_NAMESPACE::OpenAndCompactOptions;
#endif
using CompactionOverride = ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride;
using ROCKSDB_NAMESPACE::TransactionDB;
using ROCKSDB_NAMESPACE::TransactionDBOptions;
using OwnedDB = std::unique_ptr<DB>;
using Families = std::vector<ColumnFamilyDescriptor>;
using Handles = std::vector<ColumnFamilyHandle*>;
using Path = std::string;
using Names = std::vector<std::string>;

#if WINNOW_ROCKSDB_SETS_OPTIONS_OF_SEVERAL
using rocksdb_abi::TextsOfFamilies;
#define WINNOW_SET_OPTIONS_ARGUMENTS DBImpl*, const TextsOfFamilies&
#else
#define WINNOW_SET_OPTIONS_ARGUMENTS DBImpl*, ColumnFamilyHandle*, const OptionTexts&
#endif

// Type of the function that a hook replaces.
template <Hook>
struct Signature;
#define WINNOW_HOOK(name, text, function, handler, ...) \
  template <>                                           \
  struct Signature<Hook::name> {                        \
    using Type = __VA_ARGS__;                           \
  };
WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK

// Type of the plugin's handler of a hook: its parameters are RocksDB's own function and the
// parameters of the call.
template <typename Function>
struct HandlerOf;
template <typename Result, typename... Parameters>
struct HandlerOf<Result(Parameters...)> {
  using Type = Result(Result (*stock)(Parameters...), Parameters...);
};
template <Hook hook>
using Handler = typename HandlerOf<typename Signature<hook>::Type>::Type;

// Types of the parameters as text. Versions of RocksDB have functions with equal mangled names but
// other parameters for the compiler, where one of them is an inline function for old programs; the
// results differ only in const.
template <typename... Parameters>
struct ParametersText {
  static const char* Get() noexcept { return __PRETTY_FUNCTION__; }
};
template <typename Result, typename... Parameters>
const char* TextOfParameters(Result (*)(Parameters...)) noexcept {
  return ParametersText<Parameters...>::Get();
}

inline const char* ParametersOf(Hook hook) noexcept {
  switch (hook) {
#define WINNOW_HOOK(name, ...) \
  case Hook::name:             \
    return TextOfParameters(static_cast<Signature<Hook::name>::Type*>(nullptr));
    WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK
  }
  return "";
}

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_HOOK_TYPES_H_
