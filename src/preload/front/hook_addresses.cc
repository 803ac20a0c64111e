#include "src/preload/front/hook_addresses.h"

#include <dlfcn.h>

#include <cstring>

#include "src/preload/hook_types.h"

namespace winnow::preload {
namespace {

// Pointer to a hook: a member function's object is no parameter of it.
template <typename Function>
struct PointerTo {
  using Type = Function*;
};
template <typename Result, typename... Parameters>
struct PointerTo<Result(DBImpl*, Parameters...)> {
  using Type = Result (DBImpl::*)(Parameters...);
};

// Returns the address with which a pointer to a function, or to a non-virtual member function,
// begins. The type selects an overload.
template <Hook hook>
const void* Address(typename PointerTo<typename Signature<hook>::Type>::Type function) noexcept {
  const void* address = nullptr;
  static_assert(sizeof address <= sizeof function);
  std::memcpy(&address, &function, sizeof address);
  return address;
}

}  // namespace

const void* AddressOf(Hook hook) noexcept {
  using namespace ROCKSDB_NAMESPACE;
  switch (hook) {
#define WINNOW_HOOK(name, text, function, ...) \
  case Hook::name:                             \
    return Address<Hook::name>(&function);
    WINNOW_HOOKS(WINNOW_HOOK)
#undef WINNOW_HOOK
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
