// RocksDBs that libraries of the process carry inside, and the plugins that are bound to them at
// run time (src/preload/bound/binding.h). These plugins are installed apart from all else, in
// winnow/plugins/MAJOR.MINOR beside this library; where that folder is not there, each such
// RocksDB is left alone.

#ifndef WINNOW_SRC_PRELOAD_FRONT_CARRIED_H_
#define WINNOW_SRC_PRELOAD_FRONT_CARRIED_H_

#include <atomic>

#include "src/preload/interposer.h"

namespace winnow::preload {

// A library that carries a RocksDB. One of plugin and problem is null.
struct Carried {
  const void* base;          // where it is loaded
  const char* name;          // its file
  const Interposer* plugin;  // which is bound to it
  const char* problem;       // why none is, as a sentence
  std::atomic<bool> was_said;
};

// Finds that folder beside this library, `path`, whose length to its last slash is `folder_size`.
// To be called when the library is loaded.
void FindBoundPlugins(const char* path, unsigned long folder_size) noexcept;

// The library in which the definition of a function of RocksDB lies, bound at the first call. Null
// if it is left alone: it is the program itself, no plugins are installed, or its static objects
// are still to be made. Safe from any thread. Holds no lock, as OpenPlugin() in plugin.h.
Carried* FindCarried(const void* definition) noexcept;

// Why nothing came of a RocksDB with this definition, none of whose calls came to us, as the end of
// a sentence about it; null if no plugins are installed.
const char* WhyNeverAsked(const void* definition) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_CARRIED_H_
