#include "src/preload/front/hosts.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "src/preload/asks_linker.h"
#include "src/preload/bound/binding.h"
#include "src/preload/find_symbol.h"
#include "src/preload/front/bound_plugin.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/kept_text.h"
#include "src/preload/front/loaded_objects.h"

namespace winnow::preload {
namespace {

constexpr char kFamilyName[] = "_ZN7rocksdb24kDefaultColumnFamilyNameB5cxx11E";
constexpr char kInTree[] = "docs/in-tree.md has the way for such programs: WINNOW_STAND_IN=1";

// Paths, which are empty if there are none.
char g_plugin[PATH_MAX];  // plugin beside this library
char g_folder[PATH_MAX];  // folder of plugins that are bound at run time

constexpr size_t kMaxHosts = 16;
std::atomic<Host*> g_hosts[kMaxHosts];

// Host of the plugin that this thread is binding.
__thread void* g_host __attribute__((tls_model("initial-exec"))) = nullptr;

void Join(const char* folder, const char* name, char* path) noexcept {
  if (std::snprintf(path, PATH_MAX, "%s%s", folder, name) >= PATH_MAX) path[0] = '\0';
}

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

// Returns whether the global scope, which the linker searches before a library's own dependencies,
// has no definition of RocksDB's functions but this one's and the hooks, which lead here: so that a
// plugin's symbols are resolved in this RocksDB and nowhere else.
bool IsAlone(void* rocksdb) noexcept {
  for (const Hook hook : {Hook::kNewBloomFilterPolicy, Hook::kCreateFromString, Hook::kOpen}) {
    const char* const symbol = SymbolOf(hook);
    const void* const stock = FindSymbol(rocksdb, symbol);
    for (const void* const global :
         {FindSymbol(RTLD_DEFAULT, symbol), FindSymbol(RTLD_NEXT, symbol)}) {
      if (global != nullptr && global != stock && global != AddressOf(hook)) return false;
    }
  }
  return true;
}

// Returns the plugin's handlers for this RocksDB. `plugin_name` is its name in messages.
const Interposer* Ask(void* plugin, void* rocksdb, const char* policy_if_unset,
                      const char* plugin_name, const char** problem) noexcept {
  const auto is_replaced = [](const void* stock, Hook hook) noexcept {
    return AsksLinkerFor(stock, SymbolOf(hook));
  };
  FrontState state{kInterposerBuild, base::StderrAtStart(), policy_if_unset, is_replaced, {}, {}};
  for (size_t i = 0; i < kNumHooks; ++i) {
    const Hook hook = static_cast<Hook>(i);
    state.stock[i] = FindSymbol(rocksdb, SymbolOf(hook));
    state.parameters[i] = ParametersOfHook(hook);
  }
  void* const found = FindSymbol(plugin, kInterposerFunction);
  const Interposer* const opened =
      found == nullptr ? nullptr : reinterpret_cast<GetInterposer*>(found)(&state);
  if (opened == nullptr || std::strcmp(opened->build, kInterposerBuild) != 0) {
    *problem = KeepText("%s is not of one build with libwinnow_preload.so, which is %s",
                        plugin_name, kInterposerBuild);
    return nullptr;
  }
  if (opened->problem != nullptr) *problem = KeepText("%s", opened->problem);
  return opened;
}

// Opens the plugin beside this library and binds all of its symbols now: later, the program might
// open another RocksDB in the global scope.
void* OpenBeside() noexcept {
  if (g_plugin[0] == '\0') return nullptr;
  if (void* const opened = ::dlopen(g_plugin, RTLD_LOCAL | RTLD_NOW)) return opened;
  // Lazy binding: if another version of RocksDB lacks functions, only calls of these fail, and the
  // plugin itself can report the version that it found.
  ::dlerror();
  return ::dlopen(g_plugin, RTLD_LOCAL | RTLD_LAZY);
}

// Serves our RocksDB by a plugin that is linked with it: the program's own, unless that is null.
void ServeByLinked(void* linked, void* rocksdb, const void* definition, Host* host) noexcept {
  void* const plugin = linked != nullptr ? linked : OpenBeside();
  if (plugin == nullptr) {
    host->problem =
        KeepText("%s can't be opened: %s; expected it beside libwinnow_preload.so, of one build",
                 g_plugin[0] == '\0' ? WINNOW_PLUGIN_NAME : g_plugin, LastLinkerError());
    return;
  }
  host->plugin =
      Ask(plugin, rocksdb, "", "the " WINNOW_PLUGIN_NAME " in this process", &host->problem);
  if (host->is_served() && !InSameObject(host->plugin->rocksdb, definition)) {
    host->problem =
        WINNOW_PLUGIN_NAME " got functions of another RocksDB than " WINNOW_ROCKSDB_NAME;
  }
}

// Serves a RocksDB by the plugin of its version, which is bound to it.
void ServeByBound(void* rocksdb, const void* definition, Host* host) noexcept {
  HostVersion version;
  const char* reason = ReadHostVersion(rocksdb, &version);
  if (reason == nullptr && version.has_old_strings) {
    reason =
        "it was compiled with the old std::string (_GLIBCXX_USE_CXX11_ABI=0), so that calls of its "
        "functions don't come to the preloaded library. In Java a WinnowFilter reaches it "
        "(bindings/java)";
  }
  if (reason == nullptr && host->is_ours && g_folder[0] == '\0') {
    reason = "all libraries get functions of another RocksDB, and no plugin for it is installed";
  }
  if (reason == nullptr && !host->is_ours && !LetsUsIn(definition)) reason = WithoutAsking();
  void* const plugin =
      reason == nullptr ? OpenBoundPlugin(rocksdb, version, g_folder, &g_host, &reason) : nullptr;
  if (plugin != nullptr) {
    host->plugin = Ask(plugin, rocksdb, host->is_ours ? "" : "read",
                       PathOfBoundPlugin(version, g_folder), &reason);
  }
  if (reason == nullptr) {
    // Keeps the host loaded, as the plugin continues to call it.
    ::dlopen(host->name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return;
  }
  if (plugin != nullptr) ::dlclose(plugin);  // the next host of this version gets a new copy
  host->problem = KeepText("the RocksDB%s%s inside %s is left alone: %s",
                           *version.text == '\0' ? "" : " ", version.text, host->name, reason);
}

// Returns whether the host's static objects are constructed, one of which is the name of the
// default column family. A program that is linked with the library may have the object itself (a
// copy relocation).
bool IsReady(void* host, const void* definition) noexcept {
  const void* name = CalledBy(definition, kFamilyName);
  if (name == nullptr) name = FindSymbol(host, kFamilyName);
  return name == nullptr || *static_cast<void* const*>(name) != nullptr;
}

// Adds the host to g_hosts, unless another thread did; returns the published entry.
Host* Publish(Host* made) noexcept {
  for (std::atomic<Host*>& place : g_hosts) {
    Host* there = nullptr;
    if (place.compare_exchange_strong(there, made)) return made;
    if (there->base == made->base && std::strcmp(there->name, made->name) == 0) {
      std::free(made);
      return there;
    }
  }
  std::free(made);
  return nullptr;
}

// Returns the first host for which `is_it` is true, or null if there is none.
template <typename Condition>
Host* Find(const Condition& is_it) noexcept {
  for (const std::atomic<Host*>& place : g_hosts) {
    Host* const there = place.load();
    if (there == nullptr || is_it(*there)) return there;
  }
  return nullptr;
}

Host* Make(void* rocksdb, const void* definition, const Dl_info& object, bool is_ours) noexcept {
  // A plugin that the program is linked with takes precedence.
  void* const linked = is_ours ? ::dlopen(WINNOW_PLUGIN_NAME, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  if (linked == nullptr) ::dlerror();
  const bool is_bound = linked == nullptr && !(is_ours && IsAlone(rocksdb));
  if (is_bound && !IsReady(rocksdb, definition)) return nullptr;
  auto* const made = static_cast<Host*>(std::calloc(1, sizeof(Host)));
  char* const name = ::strdup(object.dli_fname);
  if (made == nullptr || name == nullptr) return nullptr;
  made->base = object.dli_fbase;
  made->name = name;
  made->is_ours = is_ours;
  if (is_bound) {
    ServeByBound(rocksdb, definition, made);
  } else {
    ServeByLinked(linked, rocksdb, definition, made);
  }
  return Publish(made);
}

}  // namespace

void FindPlugins() noexcept {
  Dl_info known{};
  char own[PATH_MAX];
  if (::dladdr(g_plugin, &known) == 0 || ::realpath(known.dli_fname, own) == nullptr) return;
  char* const slash = std::strrchr(own, '/');
  if (slash == nullptr) return;
  slash[1] = '\0';
  Join(own, WINNOW_PLUGIN_NAME, g_plugin);
  Join(own, "winnow/plugins", g_folder);
  if (::access(g_folder, X_OK) != 0) g_folder[0] = '\0';
}

Host* HostOf(const void* definition) noexcept {
  // Set while a plugin is opened: code that runs meanwhile may call this function.
  static __thread bool is_opening __attribute__((tls_model("initial-exec"))) = false;
  Dl_info object{};
  if (is_opening || definition == nullptr || ::dladdr(definition, &object) == 0) return nullptr;
  Host* const known = Find([&object](const Host& host) noexcept {
    return host.base == object.dli_fbase && std::strcmp(host.name, object.dli_fname) == 0;
  });
  if (known != nullptr) return known;
  const bool is_ours = InSameObject(definition, DefinitionInOurs());
  if (!is_ours && (g_folder[0] == '\0' || ObjectOf(definition) == 0)) return nullptr;
  void* const rocksdb = ::dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (rocksdb == nullptr) {
    ::dlerror();
    return nullptr;
  }
  is_opening = true;
  Host* const made = Make(rocksdb, definition, object, is_ours);
  is_opening = false;
  ::dlclose(rocksdb);
  return made;
}

const void* DefinitionInOurs() noexcept {
  void* const rocksdb = ::dlopen(WINNOW_ROCKSDB_NAME, RTLD_LAZY | RTLD_NOLOAD);
  if (rocksdb == nullptr) {
    ::dlerror();
    return nullptr;
  }
  const void* const found = FindSymbol(rocksdb, SymbolOf(Hook::kNewBloomFilterPolicy));
  ::dlclose(rocksdb);
  return found;
}

Host* OurHost() noexcept {
  return Find([](const Host& host) noexcept { return host.is_ours; });
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
