// The plugin, which this library opens if the RocksDB that it was built for is in the process.

#ifndef WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_
#define WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_

#include "src/preload/interposer.h"

namespace winnow::preload {

// Finds the plugin beside this library, wherever this was moved, and the plugins of carried.h. Must
// be called when the library is loaded: a relative path is valid only in the initial working
// directory.
void FindPlugin() noexcept;

// Opens the plugin if that RocksDB is in the process and this was not tried before. Never loads
// RocksDB. Thread-safe. Holds no lock meanwhile, as another thread may be inside the linker, and
// call one of the hooks from there.
void OpenPlugin() noexcept;

// Fills in the facts for a plugin about the RocksDB that it serves, given by its dlopen handle.
void FillFrontState(void* rocksdb, const char* policy_if_unset, FrontState* state) noexcept;

// Returns whether the definition is in the RocksDB that the plugin was opened for, identified by
// the library's name.
bool IsOfOurRocksDB(const void* definition) noexcept;

// Returns the definition of NewBloomFilterPolicy in the library with that name, which may have no
// plugin yet; null if it is not in the process.
const void* DefinitionInOurRocksDB() noexcept;

// Returns the plugin if it was opened and works, else null.
const Interposer* OpenedPlugin() noexcept;

// Returns the reason why the plugin does nothing although its RocksDB is there, as a sentence, else
// null.
const char* PluginProblem() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_
