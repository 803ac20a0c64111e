#include "src/preload/front/carried.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/preload/asks_linker.h"
#include "src/preload/bound/binding.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/kept_text.h"
#include "src/preload/front/loaded_objects.h"
#include "src/preload/front/plugin.h"

namespace winnow::preload {
namespace {

constexpr char kFolder[] = "winnow/plugins";
constexpr char kLibrary[] = "libwinnow_rocksdb_bound.so";
constexpr char kVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";
constexpr char kOldVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringEb";
constexpr char kFamilyName[] = "_ZN7rocksdb24kDefaultColumnFamilyNameB5cxx11E";
constexpr char kInTree[] = "docs/in-tree.md has the way for such programs: WINNOW_STAND_IN=1";

char g_folder[PATH_MAX];  // empty: there is none

constexpr size_t kMaxCarried = 16;
std::atomic<Carried*> g_carried[kMaxCarried];

// The host of the plugin that this thread opens.
__thread void* g_host __attribute__((tls_model("initial-exec"))) = nullptr;

// A std::string of the C++ library that RocksDB was compiled with, as a function returns it. What
// is not as short as a version is never looked at.
struct String {
  const char* text;
  size_t size;
  char kept[16];
  ~String() {}
};

void* Find(void* where, const char* symbol) noexcept {
  void* const found = ::dlsym(where, symbol);
  if (found == nullptr) ::dlerror();
  return found;
}

// Its version as "9.7.4", or why it has none as a sentence.
const char* ReadVersion(void* host, char (&version)[16]) noexcept {
  if (void* const function = Find(host, kVersionFunction)) {
    const String text = reinterpret_cast<String (*)(bool)>(function)(true);
    if (text.size >= sizeof version) return "it does not say its version in numbers";
    std::memcpy(version, text.text, text.size);
    version[text.size] = '\0';
    return nullptr;
  }
  return Find(host, kOldVersionFunction) != nullptr
             ? "it was compiled with the old std::string (_GLIBCXX_USE_CXX11_ABI=0), for which "
               "there is no plugin"
             : "it hides the function that says its version, or is older than all that Winnow "
               "knows";
}

// Whether the host looks for its own policy functions at the linker, where this library gets in
// between.
bool LetsUsIn(const void* definition) noexcept {
  for (const Hook hook : {Hook::kNewBloomFilterPolicy, Hook::kCreateFromString}) {
    if (AsksLinkerFor(definition, SymbolOf(hook)).value_or(true)) return true;
  }
  return false;
}

const char* WithoutAsking() noexcept {
  return KeepText(
      "it calls its functions without asking the dynamic linker (-Bsymbolic, LTO or hidden "
      "symbols). %s",
      kInTree);
}

// Opens the plugin of this version, which binds itself to the host while it is loaded.
void* OpenBound(void* host, const char* path) noexcept {
  g_host = host;
  void* const plugin = ::dlopen(path, RTLD_LOCAL | RTLD_NOW);
  g_host = nullptr;
  return plugin;
}

// What the plugin has to serve the host with, or a sentence.
const Interposer* Ask(void* plugin, void* host, const char* path, const char** problem) noexcept {
  void* const binding = Find(plugin, kBindingFunction);
  void* const interposer = Find(plugin, kInterposerFunction);
  FrontState state;
  FillFrontState(host, "read", &state);
  const Binding* const bound =
      binding == nullptr ? nullptr : reinterpret_cast<GetBinding*>(binding)();
  const Interposer* opened = nullptr;
  if (bound == nullptr || interposer == nullptr) {
    *problem = KeepText("%s is no such plugin", path);
  } else if (bound->version_function != Find(host, kVersionFunction)) {
    *problem = KeepText(
        "another RocksDB of this version in the process has its plugin, which serves one alone");
  } else if (bound->problem != nullptr) {
    *problem = KeepText("%s", bound->problem);
  } else {
    opened = reinterpret_cast<GetInterposer*>(interposer)(&state);
    if (opened == nullptr) {
      *problem = KeepText("%s is not of one build with libwinnow_preload.so, which is %s", path,
                          kInterposerBuild);
    } else if (opened->problem != nullptr) {
      *problem = KeepText("%s", opened->problem);
    }
  }
  return *problem == nullptr ? opened : nullptr;
}

// The plugin of this file, bound to the host, or a sentence.
const Interposer* Bind(void* host, const char* path, const char** problem) noexcept {
  void* const plugin = OpenBound(host, path);
  if (plugin == nullptr) {
    *problem = KeepText("its plugin can't be opened: %s", LastLinkerError());
    return nullptr;
  }
  const Interposer* const opened = Ask(plugin, host, path, problem);
  if (opened != nullptr) {
    ::dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);  // the host goes on calling it
  }
  // One that refuses its host goes, so that the next of this version gets it anew.
  ::dlclose(plugin);
  return opened;
}

// The folder of the plugin for this version, and its library's path.
const Interposer* BindVersion(void* host, const char* version, const char** problem) noexcept {
  const char* const dot = std::strchr(version, '.');
  const char* const second = dot == nullptr ? nullptr : std::strchr(dot + 1, '.');
  const int length = second == nullptr ? static_cast<int>(std::strlen(version))
                                       : static_cast<int>(second - version);
  char path[PATH_MAX + 64];
  std::snprintf(path, sizeof path, "%s/%.*s/%s", g_folder, length, version, kLibrary);
  if (::access(path, R_OK) != 0) {
    *problem = KeepText(
        "there is no plugin for that version, %s. It is built from Winnow's source and that "
        "RocksDB's headers: cmake -S WINNOW -B BUILD -DWINNOW_ROCKSDB_HEADERS=ROCKSDB/include && "
        "cmake --build BUILD && cmake --install BUILD --prefix PREFIX",
        path);
    return nullptr;
  }
  return Bind(host, path, problem);
}

// What becomes of the library that carries this definition.
const Interposer* BindTo(void* host, const void* definition, const char* name,
                         const char** problem) noexcept {
  char version[16] = "";
  const char* reason = ReadVersion(host, version);
  const Interposer* plugin = nullptr;
  if (reason == nullptr && !LetsUsIn(definition)) {
    reason = WithoutAsking();
  }
  if (reason == nullptr) plugin = BindVersion(host, version, &reason);
  if (plugin == nullptr) {
    *problem = KeepText("the RocksDB%s%s inside %s is left alone: %s", *version == '\0' ? "" : " ",
                        version, name, reason);
  }
  return plugin;
}

// Puts it among the others, unless another thread did.
Carried* Publish(Carried* made) noexcept {
  for (std::atomic<Carried*>& place : g_carried) {
    Carried* there = nullptr;
    if (place.compare_exchange_strong(there, made)) return made;
    if (there->base == made->base && std::strcmp(there->name, made->name) == 0) {
      std::free(made);
      return there;
    }
  }
  std::free(made);
  return nullptr;
}

Carried* Known(const Dl_info& object) noexcept {
  for (const std::atomic<Carried*>& place : g_carried) {
    Carried* const there = place.load();
    if (there == nullptr) return nullptr;
    if (there->base == object.dli_fbase && std::strcmp(there->name, object.dli_fname) == 0) {
      return there;
    }
  }
  return nullptr;
}

// Whether its static objects are there, of which it is one. A program that is linked with the
// library may have the object itself (a copy relocation).
bool IsReady(void* host, const void* definition) noexcept {
  const void* name = CalledBy(definition, kFamilyName);
  if (name == nullptr) name = Find(host, kFamilyName);
  return name == nullptr || *static_cast<void* const*>(name) != nullptr;
}

Carried* Make(void* host, const void* definition, const Dl_info& object) noexcept {
  auto* const made = static_cast<Carried*>(std::calloc(1, sizeof(Carried)));
  if (made == nullptr) return nullptr;
  made->base = object.dli_fbase;
  made->name = ::strdup(object.dli_fname);
  made->plugin = BindTo(host, definition, object.dli_fname, &made->problem);
  if (made->plugin != nullptr) {
    // The plugin goes on calling it.
    ::dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  return made->name == nullptr ? nullptr : Publish(made);
}

}  // namespace

void FindBoundPlugins(const char* path, unsigned long folder_size) noexcept {
  if (folder_size + sizeof kFolder > sizeof g_folder) return;
  std::memcpy(g_folder, path, folder_size);
  std::memcpy(g_folder + folder_size, kFolder, sizeof kFolder);
  if (::access(g_folder, X_OK) != 0) g_folder[0] = '\0';
}

Carried* FindCarried(const void* definition) noexcept {
  // Code that runs while a plugin is opened may come here again.
  static __thread bool is_binding __attribute__((tls_model("initial-exec"))) = false;
  Dl_info object{};
  if (g_folder[0] == '\0' || is_binding || definition == nullptr || ObjectOf(definition) == 0 ||
      ::dladdr(definition, &object) == 0) {
    return nullptr;
  }
  if (Carried* const known = Known(object)) return known;
  void* const host = ::dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (host == nullptr) {
    ::dlerror();
    return nullptr;
  }
  is_binding = true;
  Carried* const made = IsReady(host, definition) ? Make(host, definition, object) : nullptr;
  is_binding = false;
  ::dlclose(host);
  return made;
}

const char* WhyNeverAsked(const void* definition) noexcept {
  if (g_folder[0] == '\0') return nullptr;
  if (ObjectOf(definition) == 0) {
    return KeepText("a program's calls of its own functions are bound when it is linked. %s",
                    kInTree);
  }
  if (!LetsUsIn(definition)) return WithoutAsking();
  return "it was not asked for a filter policy or a database";
}

}  // namespace winnow::preload

// For the plugin that is opened (src/preload/bound/binding.h).
extern "C" WINNOW_EXPORT void* winnow_preload_host() { return winnow::preload::g_host; }
