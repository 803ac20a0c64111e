#include "src/preload/front/carried.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "src/preload/asks_linker.h"
#include "src/preload/bound/binding.h"
#include "src/preload/find_symbol.h"
#include "src/preload/front/bound_plugin.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/kept_text.h"
#include "src/preload/front/loaded_objects.h"
#include "src/preload/front/plugin.h"

namespace winnow::preload {
namespace {

constexpr char kFolder[] = "winnow/plugins";
constexpr char kFamilyName[] = "_ZN7rocksdb24kDefaultColumnFamilyNameB5cxx11E";
constexpr char kInTree[] = "docs/in-tree.md has the way for such programs: WINNOW_STAND_IN=1";

char g_folder[PATH_MAX];  // empty if there is none

constexpr size_t kMaxCarried = 16;
std::atomic<Carried*> g_carried[kMaxCarried];

// Host of the plugin that this thread is opening.
__thread void* g_host __attribute__((tls_model("initial-exec"))) = nullptr;

// Returns whether the host resolves its own policy functions dynamically, so that this library can
// interpose them.
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

// Returns the handlers of the plugin of this version, bound to the host; null and a sentence on
// failure.
const Interposer* Bind(void* host, const HostVersion& version, const char** problem) noexcept {
  void* const plugin = OpenBoundPlugin(host, version, g_folder, &g_host, problem);
  if (plugin == nullptr) return nullptr;
  FrontState state;
  FillFrontState(host, "read", &state);
  void* const interposer = FindSymbol(plugin, kInterposerFunction);
  const Interposer* const opened =
      interposer == nullptr ? nullptr : reinterpret_cast<GetInterposer*>(interposer)(&state);
  if (opened == nullptr) {
    *problem = KeepText("%s is not of one build with libwinnow_preload.so, which is %s",
                        PathOfBoundPlugin(version, g_folder), kInterposerBuild);
  } else if (opened->problem != nullptr) {
    *problem = KeepText("%s", opened->problem);
  }
  if (*problem == nullptr) return opened;
  ::dlclose(plugin);  // the next host of this version gets a new copy
  return nullptr;
}

// Binds a plugin to the library that contains this definition; returns null and a sentence if the
// library is left alone.
const Interposer* BindTo(void* host, const void* definition, const char* name,
                         const char** problem) noexcept {
  HostVersion version;
  const char* reason = ReadHostVersion(host, &version);
  const Interposer* plugin = nullptr;
  if (reason == nullptr && version.has_old_strings) {
    reason =
        "it was compiled with the old std::string (_GLIBCXX_USE_CXX11_ABI=0), so that calls of its "
        "functions don't come to the preloaded library. In Java a WinnowFilter reaches it "
        "(bindings/java)";
  }
  if (reason == nullptr && !LetsUsIn(definition)) {
    reason = WithoutAsking();
  }
  if (reason == nullptr) plugin = Bind(host, version, &reason);
  if (plugin == nullptr) {
    *problem = KeepText("the RocksDB%s%s inside %s is left alone: %s",
                        *version.text == '\0' ? "" : " ", version.text, name, reason);
  }
  return plugin;
}

// Adds the library to g_carried, unless another thread did; returns the published entry.
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

// Returns whether the host's static objects are constructed, one of which is the name of the
// default column family. A program that is linked with the library may have the object itself (a
// copy relocation).
bool IsReady(void* host, const void* definition) noexcept {
  const void* name = CalledBy(definition, kFamilyName);
  if (name == nullptr) name = FindSymbol(host, kFamilyName);
  return name == nullptr || *static_cast<void* const*>(name) != nullptr;
}

Carried* Make(void* host, const void* definition, const Dl_info& object) noexcept {
  auto* const made = static_cast<Carried*>(std::calloc(1, sizeof(Carried)));
  if (made == nullptr) return nullptr;
  made->base = object.dli_fbase;
  made->name = ::strdup(object.dli_fname);
  made->plugin = BindTo(host, definition, object.dli_fname, &made->problem);
  if (made->plugin != nullptr) {
    // Keeps the host loaded, as the plugin continues to call it.
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
  // Set while a plugin is opened: code that runs meanwhile may call this function.
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

const char* WhyOutOfReach(const void* definition) noexcept {
  if (ObjectOf(definition) == 0) {
    return KeepText("a program's calls of its own functions are bound when it is linked. %s",
                    kInTree);
  }
  if (g_folder[0] == '\0') return "no plugin for it is installed";
  return LetsUsIn(definition) ? nullptr : WithoutAsking();
}

}  // namespace winnow::preload

// Exported for the plugin that is opened (src/preload/bound/binding.h).
extern "C" WINNOW_EXPORT void* winnow_preload_host() { return winnow::preload::g_host; }
