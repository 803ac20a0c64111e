// The plugin, which this library opens where the RocksDB that it was built for is in the process.

#ifndef WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_
#define WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_

#include "src/preload/interposer.h"

namespace winnow::preload {

// Where the plugin is: beside this library, wherever that was moved. To be called when the library
// is loaded: a path that begins with no slash is true in the folder that the process was started
// in.
void FindPlugin() noexcept;

// Opens the plugin if that RocksDB is in the process and it was not tried before. It is never
// brought in by this. Safe from any thread, and holds no lock meanwhile: another thread may be
// inside the linker, and come to one of our hooks from there.
void OpenPlugin() noexcept;

// Whether the definition is of the RocksDB that the plugin was built for, by the library's name.
bool IsOfOurRocksDB(const void* definition) noexcept;

// The plugin, if it was opened and works; else null.
const Interposer* OpenedPlugin() noexcept;

// Why the plugin does nothing although its RocksDB is there, as a sentence; null if that is not so.
const char* PluginProblem() noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_PLUGIN_H_
