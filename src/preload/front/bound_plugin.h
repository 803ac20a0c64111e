// The plugin that is bound at run time to a library that carries RocksDB (src/preload/bound/):
// found by the version and the std::string of that library, and opened for it. For the library that
// is preloaded and for that of Java (bindings/java/), which both need the C library alone.

#ifndef WINNOW_SRC_PRELOAD_FRONT_BOUND_PLUGIN_H_
#define WINNOW_SRC_PRELOAD_FRONT_BOUND_PLUGIN_H_

namespace winnow::preload {

// Version of a host: what is asked of a RocksDB before it has a plugin.
struct HostVersion {
  char text[16] = "";            // as "9.7.4"; empty if it does not say it
  bool has_old_strings = false;  // it was compiled with _GLIBCXX_USE_CXX11_ABI=0
};

// A `host` is a library that carries RocksDB, as dlopen has returned it. Null, or why it has no
// version, as a sentence.
const char* ReadHostVersion(void* host, HostVersion* version) noexcept;

// The plugin for this version below a folder winnow/plugins. Kept for good.
const char* PathOfBoundPlugin(const HostVersion& version, const char* folder) noexcept;

// Returns that plugin, as dlopen has returned it, bound to the host, which calls it from then on:
// who does not close it keeps it loaded. Null and a sentence if there is none, or it can't be bound
// to this host. The plugin finds its host in *host_to_bind (bound/binding.h), which is null
// otherwise.
void* OpenBoundPlugin(void* host, const HostVersion& version, const char* folder,
                      void** host_to_bind, const char** problem) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_BOUND_PLUGIN_H_
