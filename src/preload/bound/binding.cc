#include "src/preload/bound/binding.h"

#include <dlfcn.h>
#include <link.h>
#include <rocksdb/slice.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "src/preload/asks_linker.h"
#include "src/preload/bound/absent_functions.h"
#include "src/preload/bound/host_options.h"
#include "src/preload/bound/thunks.h"
#include "src/preload/find_symbol.h"
#include "src/preload/front/kept_text.h"
#include "winnow/version.h"

// Exported by the libraries that open this plugin; a process may have both.
extern "C" __attribute__((weak)) winnow::preload::GetHost winnow_preload_host;
extern "C" __attribute__((weak)) winnow::preload::GetHostPlace winnow_java_host;

namespace winnow::preload {
namespace {

// Name of the version function. A host with another std::string lacks it.
constexpr const char* kOwnVersionFunction =
    _GLIBCXX_USE_CXX11_ABI != 0 ? kVersionFunction : kOldVersionFunction;

Binding binding = {nullptr, "no library asked for it"};

bool Refuse(const char* problem) noexcept {
  binding.problem = problem;
  return false;
}

const void* ObjectOf(const void* address) noexcept {
  Dl_info known{};
  return address != nullptr && ::dladdr(address, &known) != 0 ? known.dli_fbase : nullptr;
}

bool IsOperator(const char* symbol) noexcept {
  return std::strncmp(symbol, "_Zn", 3) == 0 || std::strncmp(symbol, "_Zd", 3) == 0;
}

// Returns the operator that the host calls: the one that the linker has resolved, or would resolve
// now; the host's own if it is not resolved dynamically. Null if the linker knows none.
void* OperatorOf(void* host, const void* code, const char* symbol) noexcept {
  const void* const called = CalledBy(code, symbol);
  if (called != nullptr && ObjectOf(called) != ObjectOf(code)) return const_cast<void*>(called);
  void* const own = FindSymbol(host, symbol);
  if (called == nullptr && own != nullptr && ObjectOf(own) == ObjectOf(code)) return own;
  void* const global = FindSymbol(RTLD_DEFAULT, symbol);
  return global != nullptr ? global : own;
}

bool BindFunctions(void* host) noexcept {
  for (size_t i = 0; i < kNumThunks; ++i) {
    const char* const name = kThunkNames[i];
    void* const found = IsOperator(name) ? OperatorOf(host, binding.version_function, name)
                                         : FindSymbol(host, name);
    kThunkTable[i] = found != nullptr ? found : AbsentFunction(name);
    if (kThunkTable[i] == nullptr) {
      return Refuse(KeepText("it hides or lacks %s, which Winnow needs", name));
    }
  }
  return true;
}

// Returns the size of a symbol of the host, or 0 if there is none.
size_t SizeOf(const void* address) noexcept {
  Dl_info known{};
  void* symbol = nullptr;
  return ::dladdr1(address, &known, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr
             ? static_cast<const ElfW(Sym)*>(symbol)->st_size
             : 0;
}

// Compares the sizes of vtables, before anything is copied: a vtable of another size belongs to
// another class.
bool CompareTables(void* host) noexcept {
  for (size_t i = 0; i < kNumTableSizes; ++i) {
    const void* const table = FindSymbol(host, kTableSizes[i].name);
    const size_t size = table == nullptr ? kTableSizes[i].size : SizeOf(table);
    if (size != kTableSizes[i].size) {
      return Refuse(KeepText(
          "its %s has %zu bytes, and %zu by the headers that Winnow was built with: it is not what "
          "its version says. Build Winnow with the headers of that RocksDB",
          kTableSizes[i].name, size, kTableSizes[i].size));
    }
  }
  return true;
}

bool CopyData(void* host) noexcept {
  for (size_t i = 0; i < kNumCopied; ++i) {
    const Copied& copied = kCopied[i];
    const void* const own = FindSymbol(host, copied.name);
    const size_t size = own == nullptr ? 0 : SizeOf(own);
    if (size == 0 || size > copied.room) {
      return Refuse(KeepText("it hides or lacks %s, which Winnow needs", copied.name));
    }
    // A program that is linked with the host may have the object itself (a copy relocation).
    const void* const used = CalledBy(binding.version_function, copied.name);
    std::memcpy(copied.place, used != nullptr ? used : own, size);
  }
  return true;
}

#if _GLIBCXX_USE_CXX11_ABI
void KeepEmptyStrings() noexcept {}
#else
// Makes the empty old std::string immortal. All empty strings of one copy of the C++ library share
// their bytes, and it recognizes by their address that they must not be freed. Another copy of the
// library treats them as shared strings: with a large reference count, they are never freed. This
// library has its own copy, and the host may have another one.
void KeepEmptyString(const std::string& empty) noexcept {
  constexpr int kMany = 1 << 30;
  // Header before the bytes: size, capacity, and reference count.
  __atomic_store_n(reinterpret_cast<int*>(const_cast<char*>(empty.data())) - 2, kMany,
                   __ATOMIC_RELAXED);
}
void KeepEmptyStrings() noexcept {
  KeepEmptyString(std::string());
  KeepEmptyString(ROCKSDB_NAMESPACE::Slice().ToString(false));  // the host's empty string
}
#endif

void* Host() noexcept {
  void* const host = &winnow_preload_host != nullptr ? winnow_preload_host() : nullptr;
  return host == nullptr && &winnow_java_host != nullptr ? *winnow_java_host() : host;
}

// Runs before the static objects of this library are constructed, as they must use the host's
// operator new, too.
__attribute__((constructor(101))) void Bind() noexcept {
  for (size_t i = 0; i < kNumThunks; ++i) {
    if (IsOperator(kThunkNames[i])) kThunkTable[i] = AbsentFunction(kThunkNames[i]);
  }
  void* const host = Host();
  if (host == nullptr) return;
  binding.version_function = FindSymbol(host, kOwnVersionFunction);
  if (binding.version_function == nullptr) {
    Refuse(KeepText("it hides or lacks %s, which Winnow needs", kOwnVersionFunction));
  } else if (CompareTables(host) && BindFunctions(host) && CopyData(host)) {
    KeepEmptyStrings();
    binding.problem = nullptr;
  }
}

// Runs once, when the host's static objects are constructed.
bool CompareOptions() noexcept {
  const char* const option = OptionThatDiffers();
  return option == nullptr ||
         Refuse(KeepText(
             "%s is not read back through the headers that Winnow was built with: the structs of "
             "its options are others, as in a fork. Build Winnow with the headers of that RocksDB",
             option));
}

}  // namespace
}  // namespace winnow::preload

extern "C" WINNOW_EXPORT const winnow::preload::Binding* winnow_rocksdb_binding() {
  using winnow::preload::binding;
  [[maybe_unused]] static const bool is_usable =
      binding.problem == nullptr && winnow::preload::CompareOptions();
  return &binding;
}
