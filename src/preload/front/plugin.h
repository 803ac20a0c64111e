// The plugin, which this library opens if the RocksDB that it was built for is in the process.

#ifndef WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_
#define WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_

#include "src/preload/interposer.h"

namespace winnow::preload {

// Finds the plugin beside this library, wherever that was moved, and those of carried.h. To be
// called when the library is loaded: a relative path is valid only in the folder in which the
// process was started.
void FindPlugin() noexcept;

// Opens the plugin if that RocksDB is in the process and this was not tried before. It never loads
// RocksDB. Safe from any thread. Holds no lock meanwhile, as another thread may be inside the
// linker, and come to one of our hooks from there.
void OpenPlugin() noexcept;

// Fills in what a plugin is told of the RocksDB that it serves, as dlopen has returned it.
void FillFrontState(void* rocksdb, const char* policy_if_unset, FrontState* state) noexcept;

// Returns whether the definition is in the RocksDB that the plugin was built for, by the library's
// name.
bool IsOfOurRocksDB(const void* definition) noexcept;

// The plugin, if it was opened and works; else null.
const Interposer* OpenedPlugin() noexcept;

// Why the plugin does nothing although its RocksDB is there, as a sentence; else null.
const char* PluginProblem() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_
