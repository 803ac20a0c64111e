// RocksDBs inside other libraries of the process, and the plugins that are bound to them at run
// time (src/preload/bound/binding.h). These plugins are installed separately, in
// winnow/plugins/MAJOR.MINOR beside this library; without that folder, such a RocksDB is left
// alone.

#ifndef WINNOW_SRC_PRELOAD_FRONT_CARRIED_H_
#define WINNOW_SRC_PRELOAD_FRONT_CARRIED_H_

#include <atomic>

#include "src/preload/interposer.h"

namespace winnow::preload {

// A library that contains a RocksDB. One of `plugin` and `problem` is null.
struct Carried {
  const void* base;          // load address
  const char* name;          // file name
  const Interposer* plugin;  // plugin that is bound to it
  const char* problem;       // reason why no plugin is bound, as a sentence
  std::atomic<bool> was_said;
};

// Finds that folder beside this library, whose path is `path`; `folder_size` is the length up to
// and including the last slash. Must be called when the library is loaded.
void FindBoundPlugins(const char* path, unsigned long folder_size) noexcept;

// Returns the library that contains this definition of a function of RocksDB, and binds it at the
// first call. Returns null if it is left alone: it is the program itself, no plugins are installed,
// or its static objects are not constructed yet. Thread-safe. Holds no lock, like OpenPlugin() in
// plugin.h.
Carried* FindCarried(const void* definition) noexcept;

// Returns the reason why Winnow can't serve the RocksDB with this definition, which the plugin was
// not built for, as the end of a sentence about it; null if a plugin is or may be bound to it when
// it is called. Binds none.
const char* WhyOutOfReach(const void* definition) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_CARRIED_H_
