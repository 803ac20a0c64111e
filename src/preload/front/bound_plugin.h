// Plugin that is bound at run time to a library that contains RocksDB (src/preload/bound/): found
// by the library's version and std::string, and opened for it. Used by the preloaded library and by
// the Java library (bindings/java/), which both need only the C library.

#ifndef WINNOW_SRC_PRELOAD_FRONT_BOUND_PLUGIN_H_
#define WINNOW_SRC_PRELOAD_FRONT_BOUND_PLUGIN_H_

namespace winnow::preload {

// Version of a host, read from a RocksDB before it has a plugin.
struct HostVersion {
  char text[16] = "";            // such as "9.7.4"; empty if unknown
  bool has_old_strings = false;  // compiled with _GLIBCXX_USE_CXX11_ABI=0
};

// Reads the version of a host, the dlopen handle of a library that contains RocksDB. Returns null,
// or a sentence about the reason of a failure.
const char* ReadHostVersion(void* host, HostVersion* version) noexcept;

// Returns the path of the plugin for this version below a folder winnow/plugins. Never freed.
const char* PathOfBoundPlugin(const HostVersion& version, const char* folder) noexcept;

// Opens that plugin, bound to the host, which calls it from then on, and returns its dlopen handle:
// a caller that does not close it keeps it loaded. Returns null and sets *problem to a sentence if
// there is none, or it can't be bound to this host. The plugin finds its host in *host_to_bind
// (bound/binding.h), which is null otherwise.
void* OpenBoundPlugin(void* host, const HostVersion& version, const char* folder,
                      void** host_to_bind, const char** problem) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_FRONT_BOUND_PLUGIN_H_
