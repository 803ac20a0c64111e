// What the plugin that is bound at run time says to the library that is preloaded, besides
// src/preload/interposer.h.
//
// That plugin needs no symbol of RocksDB: it is opened for one library that carries a RocksDB
// inside, its host, and finds all that it needs there, when it is loaded and before any of its
// static objects is made (binding.cc).

#ifndef WINNOW_SRC_PRELOAD_BOUND_BINDING_H_
#define WINNOW_SRC_PRELOAD_BOUND_BINDING_H_

namespace winnow::preload {

// Exported by the library that is preloaded: the host as dlopen has returned it, for the plugin
// that this thread opens; else null.
inline constexpr char kHostFunction[] = "winnow_preload_host";
using GetHost = void*();

struct Binding {
  const void* version_function;  // GetRocksVersionAsString of the host; null: it is not bound
  const char* problem;  // why it does nothing with this host, as a sentence; null: it works
};

// Exported by the plugin under this name. To be asked before winnow_rocksdb_interposer, which may
// be called only if there is no problem. Safe from any thread.
inline constexpr char kBindingFunction[] = "winnow_rocksdb_binding";
using GetBinding = const Binding*();

}  // namespace winnow::preload

extern "C" winnow::preload::GetBinding winnow_rocksdb_binding;

#endif  // WINNOW_SRC_PRELOAD_BOUND_BINDING_H_
