// Interface of the plugin that is bound at run time to the library that is preloaded, besides
// src/preload/interposer.h, and to that of Java (bindings/java/).
//
// The plugin needs no symbol of RocksDB: it is opened for one library that carries a RocksDB
// inside, its host, and finds all that it needs there, when it is loaded and before any of its
// static objects is made (binding.cc).

#ifndef WINNOW_SRC_PRELOAD_BOUND_BINDING_H_
#define WINNOW_SRC_PRELOAD_BOUND_BINDING_H_

#include <cstddef>

namespace winnow::preload {

// Exported by the library that is preloaded: the host as dlopen has returned it, for the plugin
// that this thread opens; else null.
inline constexpr char kHostFunction[] = "winnow_preload_host";
using GetHost = void*();

// Exported by the library of Java: the place of the same, which the process has once, however many
// class loaders have that library.
inline constexpr char kJavaHostFunction[] = "winnow_java_host";
using GetHostPlace = void**();

// The function of RocksDB that says its version, by the std::string that it returns; a plugin that
// was compiled with the old one (_GLIBCXX_USE_CXX11_ABI=0) lies in a folder whose name ends so.
inline constexpr char kVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";
inline constexpr char kOldVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringEb";
inline constexpr char kOldStringsSuffix[] = "-old-strings";

struct Binding {
  const void* version_function;  // GetRocksVersionAsString of the host; null: it is not bound
  const char* problem;  // why it does nothing with this host, as a sentence; null: it works
};

// Exported by the plugin under this name. To be asked before winnow_rocksdb_interposer, which may
// be called only if there is no problem. Safe from any thread.
inline constexpr char kBindingFunction[] = "winnow_rocksdb_binding";
using GetBinding = const Binding*();

// Exported by the plugin under this name, for the library of Java. Registers the policy's names.
// Then makes a policy by this text, unless it is null: a std::shared_ptr<const FilterPolicy> that
// the host deletes. If it can't, null and the reason in `reason`, cut to `size` bytes with the 0 at
// its end; else `reason` is empty. `build` is the caller's kInterposerBuild. Safe from any thread.
inline constexpr char kNewPolicyFunction[] = "winnow_rocksdb_new_policy";
using NewPolicy = void*(const char* build, const char* text, char* reason, size_t size);

}  // namespace winnow::preload

extern "C" winnow::preload::GetBinding winnow_rocksdb_binding;
extern "C" winnow::preload::NewPolicy winnow_rocksdb_new_policy;

#endif  // WINNOW_SRC_PRELOAD_BOUND_BINDING_H_
