#include "src/preload/front/hook_addresses.h"

#include <dlfcn.h>

#include <cstring>

#include "src/preload/hook_types.h"

namespace winnow::preload {
namespace {

// Returns the address of a function. The type selects an overload.
template <typename Function>
const void* Address(Function* function) noexcept {
  return reinterpret_cast<const void*>(function);
}

// Returns the address of a non-virtual member function, with which a pointer to it begins.
template <typename Result, typename... Parameters>
const void* MemberAddress(Result (DBImpl::*function)(Parameters...)) noexcept {
  const void* address = nullptr;
  static_assert(sizeof address <= sizeof function);
  std::memcpy(&address, &function, sizeof address);
  return address;
}

template <Hook hook, typename Function = typename Signature<hook>::Type>
struct MemberOf;
template <Hook hook, typename Result, typename... Parameters>
struct MemberOf<hook, Result(DBImpl*, Parameters...)> {
  using Type = Result (DBImpl::*)(Parameters...);
};

}  // namespace

const void* AddressOf(Hook hook) noexcept {
  using ROCKSDB_NAMESPACE::DB;
  switch (hook) {
#define WINNOW_FUNCTION(name, function) \
  case Hook::name:                      \
    return Address<Signature<Hook::name>::Type>(&function)
#define WINNOW_MEMBER(name, function) \
  case Hook::name:                    \
    return MemberAddress(static_cast<MemberOf<Hook::name>::Type>(&function))
    WINNOW_FUNCTION(kNewBloomFilterPolicy, ROCKSDB_NAMESPACE::NewBloomFilterPolicy);
    WINNOW_FUNCTION(kNewRibbonFilterPolicy, ROCKSDB_NAMESPACE::NewRibbonFilterPolicy);
    WINNOW_FUNCTION(kCreateFromString, FilterPolicy::CreateFromString);
    WINNOW_FUNCTION(kOpen, DB::Open);
    WINNOW_FUNCTION(kOpenFamilies, DB::Open);
    WINNOW_FUNCTION(kOpenForReadOnly, DB::OpenForReadOnly);
    WINNOW_FUNCTION(kOpenFamiliesForReadOnly, DB::OpenForReadOnly);
    WINNOW_FUNCTION(kOpenAsSecondary, DB::OpenAsSecondary);
    WINNOW_FUNCTION(kOpenFamiliesAsSecondary, DB::OpenAsSecondary);
    WINNOW_FUNCTION(kOpenTransactions, TransactionDB::Open);
    WINNOW_FUNCTION(kOpenFamiliesTransactions, TransactionDB::Open);
    WINNOW_MEMBER(kCreateFamily, DBImpl::CreateColumnFamily);
    WINNOW_MEMBER(kCreateFamilies, DBImpl::CreateColumnFamilies);
    WINNOW_MEMBER(kCreateDescribedFamilies, DBImpl::CreateColumnFamilies);
    WINNOW_MEMBER(kImportFamily, DBImpl::CreateColumnFamilyWithImport);
    WINNOW_MEMBER(kSetOptions, DBImpl::SetOptions);
    WINNOW_FUNCTION(kOpenAndCompact, DB::OpenAndCompact);
#if WINNOW_ROCKSDB_CANCELS_COMPACTIONS
    WINNOW_FUNCTION(kOpenAndCompactCancelably, DB::OpenAndCompact);
#endif
#if WINNOW_ROCKSDB_HAS_FOLLOWERS
    WINNOW_FUNCTION(kOpenAsFollower, DB::OpenAsFollower);
    WINNOW_FUNCTION(kOpenFamiliesAsFollower, DB::OpenAsFollower);
#endif
#undef WINNOW_FUNCTION
#undef WINNOW_MEMBER
  }
  return nullptr;
}

const char* ParametersOfHook(Hook hook) noexcept { return ParametersOf(hook); }

const char* SymbolOf(Hook hook) noexcept {
  const void* const address = AddressOf(hook);
  Dl_info known{};
  // A hook that is not exported has no name; exports_test would have failed.
  return ::dladdr(address, &known) != 0 && known.dli_sname != nullptr && known.dli_saddr == address
             ? known.dli_sname
             : "";
}

}  // namespace winnow::preload
