#include "src/preload/front/bound_plugin.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "src/preload/bound/binding.h"
#include "src/preload/find_symbol.h"
#include "src/preload/front/kept_text.h"

namespace winnow::preload {
namespace {

constexpr char kLibrary[] = "libwinnow_rocksdb_bound.so";

// Layouts of std::string, as returned by a function of the C++ library that RocksDB was compiled
// with. Not destroyed: a new one that allocated memory has no valid version and is ignored; the
// memory of an old one is leaked, once per host.
struct String {
  const char* text;
  size_t size;
  char kept[16];
  ~String() {}
};
struct OldString {
  const char* text;
  ~OldString() {}
};

bool CopyVersion(const char* text, size_t size, HostVersion* version) noexcept {
  if (size >= sizeof version->text) return false;
  std::memcpy(version->text, text, size);
  version->text[size] = '\0';
  return true;
}

}  // namespace

const char* ReadHostVersion(void* host, HostVersion* version) noexcept {
  bool is_read = false;
  if (void* const function = FindSymbol(host, kVersionFunction)) {
    const String text = reinterpret_cast<String (*)(bool)>(function)(true);
    is_read = CopyVersion(text.text, text.size, version);
  } else if (void* const old = FindSymbol(host, kOldVersionFunction)) {
    const OldString text = reinterpret_cast<OldString (*)(bool)>(old)(true);
    version->has_old_strings = true;
    is_read = CopyVersion(text.text, std::strlen(text.text), version);
  } else {
    return "it hides the function that says its version, or is older than all that Winnow knows";
  }
  return is_read ? nullptr : "it does not say its version in numbers";
}

const char* PathOfBoundPlugin(const HostVersion& version, const char* folder) noexcept {
  const char* const dot = std::strchr(version.text, '.');
  const char* const second = dot == nullptr ? nullptr : std::strchr(dot + 1, '.');
  const size_t length =
      second == nullptr ? std::strlen(version.text) : static_cast<size_t>(second - version.text);
  return KeepText("%s/%.*s%s/%s", folder, static_cast<int>(length), version.text,
                  version.has_old_strings ? kOldStringsSuffix : "", kLibrary);
}

void* OpenBoundPlugin(void* host, const HostVersion& version, const char* folder,
                      void** host_to_bind, const char** problem) noexcept {
  const char* const path = PathOfBoundPlugin(version, folder);
  if (::access(path, R_OK) != 0) {
    *problem = KeepText(
        "there is no plugin for that version%s, %s. It is built from Winnow's source and that "
        "RocksDB's headers: cmake -S WINNOW -B BUILD -DWINNOW_ROCKSDB_HEADERS=ROCKSDB/include%s && "
        "cmake --build BUILD && cmake --install BUILD --prefix PREFIX",
        version.has_old_strings ? " with the old std::string" : "", path,
        version.has_old_strings ? " -DCMAKE_CXX_FLAGS=-D_GLIBCXX_USE_CXX11_ABI=0" : "");
    return nullptr;
  }
  *host_to_bind = host;  // the plugin binds itself while it is loaded
  void* const plugin = ::dlopen(path, RTLD_LOCAL | RTLD_NOW);
  *host_to_bind = nullptr;
  if (plugin == nullptr) {
    *problem = KeepText("its plugin can't be opened: %s", LastLinkerError());
    return nullptr;
  }
  void* const function = FindSymbol(plugin, kBindingFunction);
  const Binding* const binding =
      function == nullptr ? nullptr : reinterpret_cast<GetBinding*>(function)();
  const void* const version_function =
      FindSymbol(host, version.has_old_strings ? kOldVersionFunction : kVersionFunction);
  if (binding == nullptr) {
    *problem = KeepText("%s is no such plugin", path);
  } else if (binding->version_function != nullptr &&
             binding->version_function != version_function) {
    *problem = KeepText(
        "another RocksDB of this version in the process has its plugin, which serves one alone");
  } else if (binding->problem != nullptr) {
    *problem = KeepText("%s", binding->problem);
  }
  if (*problem == nullptr) return plugin;
  ::dlclose(plugin);  // the next host of this version gets a new copy
  return nullptr;
}

}  // namespace winnow::preload
