// Interface of the plugin that is bound at run time, to the preloaded library, besides
// src/preload/interposer.h, and to the Java library (bindings/java/).
//
// The plugin needs no symbol of RocksDB: it is opened for one library that contains a RocksDB, its
// host, and finds all functions there when it is loaded, before its static objects are constructed
// (binding.cc).

#ifndef WINNOW_SRC_PRELOAD_BOUND_BINDING_H_
#define WINNOW_SRC_PRELOAD_BOUND_BINDING_H_

#include <cstddef>

namespace winnow::preload {

// Exported by the preloaded library: returns the host, a dlopen handle, of the plugin that this
// thread is opening; else null.
inline constexpr char kHostFunction[] = "winnow_preload_host";
using GetHost = void*();

// Exported by the Java library: returns the address of the host's dlopen handle. There is one per
// process, even if several class loaders have that library.
inline constexpr char kJavaHostFunction[] = "winnow_java_host";
using GetHostPlace = void**();

// Mangled names of RocksDB's version function, for the new and the old std::string that it returns.
// A plugin that was compiled with the old one (_GLIBCXX_USE_CXX11_ABI=0) is in a folder with this
// suffix.
inline constexpr char kVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";
inline constexpr char kOldVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringEb";
inline constexpr char kOldStringsSuffix[] = "-old-strings";

struct Binding {
  const void* version_function;  // GetRocksVersionAsString of the host; null if not bound
  const char* problem;           // reason why this host can't be used, or null
};

// Exported by the plugin under this name. Must be called before winnow_rocksdb_interposer, which
// may be called only if there is no problem. Thread-safe.
inline constexpr char kBindingFunction[] = "winnow_rocksdb_binding";
using GetBinding = const Binding*();

// Exported by the plugin under this name, for the Java library. Registers the policy's names, and
// makes a policy from `text`, unless it is null: returns a std::shared_ptr<const FilterPolicy>*,
// which the host deletes. On failure, returns null and writes the reason to `reason`, truncated to
// `size` bytes with the terminating 0; else `reason` is empty. `build` must be the caller's
// kInterposerBuild. Thread-safe.
inline constexpr char kNewPolicyFunction[] = "winnow_rocksdb_new_policy";
using NewPolicy = void*(const char* build, const char* text, char* reason, size_t size);

}  // namespace winnow::preload

extern "C" winnow::preload::GetBinding winnow_rocksdb_binding;
extern "C" winnow::preload::NewPolicy winnow_rocksdb_new_policy;

#endif  // WINNOW_SRC_PRELOAD_BOUND_BINDING_H_
