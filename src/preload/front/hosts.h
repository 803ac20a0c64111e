// RocksDBs of the process, and the plugin that serves each one: its host.
//
// The plugin beside this library was built for a shared RocksDB, which it is linked with. A plugin
// of the same name that the program is linked with takes its place. All other RocksDBs, which
// libraries of the process contain, are served by plugins that are bound to them at run time
// (src/preload/bound/binding.h). These are installed separately, in winnow/plugins/MAJOR.MINOR
// beside this library; without that folder, such a RocksDB is left alone.

#ifndef WINNOW_SRC_PRELOAD_FRONT_HOSTS_H_
#define WINNOW_SRC_PRELOAD_FRONT_HOSTS_H_

#include <atomic>

#include "src/preload/interposer.h"

namespace winnow::preload {

// A library that contains a RocksDB, once a plugin for it was looked for.
struct Host {
  const void* base;          // load address
  const char* name;          // file name
  bool is_ours;              // it has the name of the RocksDB that the plugin was built for
  const Interposer* plugin;  // null if none was opened
  const char* problem;       // reason why the plugin does not serve it, as a sentence, or null
  std::atomic<bool> was_said;

  bool is_served() const noexcept { return problem == nullptr; }
};

// Finds the plugins beside this library, wherever this was moved. Must be called when the library
// is loaded: a relative path is valid only in the initial working directory.
void FindPlugins() noexcept;

// Returns the library that contains this definition of a function of RocksDB, and opens its plugin
// at the first call. Returns null if it is left alone: it is the program itself, no plugins are
// installed, or its static objects are not constructed yet. Never loads RocksDB. Thread-safe. Holds
// no lock meanwhile, as another thread may be inside the linker, and call one of the hooks from
// there.
Host* HostOf(const void* definition) noexcept;

// Returns the definition of NewBloomFilterPolicy in the shared RocksDB that the plugin was built
// for, identified by the library's name; null if it is not in the process. Opens no plugin.
const void* DefinitionInOurs() noexcept;

// Returns that RocksDB if HostOf() was called for it, else null.
Host* OurHost() noexcept;

// Returns the reason why Winnow can't serve the RocksDB with this definition, which is not that
// one, as the end of a sentence about it; null if a plugin is or may be bound to it when it is
// called. Binds none.
const char* WhyOutOfReach(const void* definition) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_HOSTS_H_
