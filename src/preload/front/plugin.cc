#include "src/preload/front/plugin.h"

#include <dlfcn.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "src/preload/asks_linker.h"
#include "src/preload/front/carried.h"
#include "src/preload/front/definition.h"
#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/kept_text.h"
#include "src/preload/front/loaded_objects.h"

namespace winnow::preload {
namespace {

// Result of opening the plugin: g_plugin or g_problem is set, once.
std::atomic<const Interposer*> g_plugin{nullptr};
std::atomic<const char*> g_problem{nullptr};
std::atomic<const Interposer*> g_refusing{nullptr};  // keeps it reachable for leak checkers
// Address of a function of the RocksDB that was found; set before g_plugin and g_problem.
std::atomic<const void*> g_rocksdb{nullptr};

void Refuse(const char* sentence) noexcept {
  const char* none = nullptr;
  g_problem.compare_exchange_strong(none, sentence);
}

char g_plugin_path[PATH_MAX];

// Way to open the plugin so that its symbols are resolved in this RocksDB and nowhere else.
enum class Binding { kPlain, kOwnDependenciesFirst, kImpossible };

// Returns how to open the plugin. The linker searches the global scope before a library's own
// dependencies. So this scope must have no definition of RocksDB's functions except the hooks,
// which lead here.
Binding BindingFor(void* rocksdb) noexcept {
  bool is_plain = true;
  for (const Hook hook : {Hook::kNewBloomFilterPolicy, Hook::kCreateFromString, Hook::kOpen}) {
    const char* const symbol = SymbolOf(hook);
    const void* const stock = ::dlsym(rocksdb, symbol);
    for (const void* const global : {::dlsym(RTLD_DEFAULT, symbol), ::dlsym(RTLD_NEXT, symbol)}) {
      is_plain = is_plain && (global == nullptr || global == stock || global == AddressOf(hook));
    }
  }
  ::dlerror();
  if (is_plain) {
    return Binding::kPlain;
  }
#if defined(RTLD_DEEPBIND)
  // RTLD_DEEPBIND would also give the plugin the C++ library's operators new and delete, even if
  // the program replaces them. And sanitizers reject it.
  const bool replaces = ::dlsym(RTLD_DEFAULT, "_Znwm") != ::dlsym(rocksdb, "_Znwm") ||
                        ::dlsym(RTLD_DEFAULT, "_ZdlPv") != ::dlsym(rocksdb, "_ZdlPv");
  ::dlerror();
  return replaces || HasSanitizer() ? Binding::kImpossible : Binding::kOwnDependenciesFirst;
#else
  return Binding::kImpossible;
#endif
}

// Opens the plugin and binds all of its symbols now: later, the program might open another RocksDB
// in the global scope.
void* OpenLibrary(Binding binding) noexcept {
  // A plugin that the program is linked with takes precedence.
  if (void* const present = ::dlopen(WINNOW_PLUGIN_NAME, RTLD_NOW | RTLD_NOLOAD)) {
    return present;
  }
  ::dlerror();
  if (g_plugin_path[0] == '\0') {
    return nullptr;
  }
  int flags = RTLD_LOCAL;
#if defined(RTLD_DEEPBIND)
  flags |= binding == Binding::kOwnDependenciesFirst ? RTLD_DEEPBIND : 0;
#else
  static_cast<void>(binding);
#endif
  if (void* const opened = ::dlopen(g_plugin_path, flags | RTLD_NOW)) {
    return opened;
  }
  // Lazy binding: if another version of RocksDB lacks functions, only calls of these fail, and the
  // plugin itself can report the version that it found.
  ::dlerror();
  return ::dlopen(g_plugin_path, flags | RTLD_LAZY);
}

void OpenFor(void* rocksdb) noexcept {
  FrontState state;
  FillFrontState(rocksdb, "", &state);
  g_rocksdb.store(state.stock[static_cast<size_t>(Hook::kCreateFromString)]);
  const Binding binding = BindingFor(rocksdb);
  if (binding == Binding::kImpossible) {
    return Refuse(
        "the program shows functions of a RocksDB of its own to all libraries, and replaces "
        "operator new or runs under a sanitizer, so that Winnow can't be bound "
        "to " WINNOW_ROCKSDB_NAME " alone");
  }
  void* const plugin = OpenLibrary(binding);
  if (plugin == nullptr) {
    return Refuse(
        KeepText("%s can't be opened: %s; expected it beside libwinnow_preload.so, of one build",
                 g_plugin_path[0] == '\0' ? WINNOW_PLUGIN_NAME : g_plugin_path, LastLinkerError()));
  }
  void* const found = ::dlsym(plugin, kInterposerFunction);
  const Interposer* const opened =
      found == nullptr ? nullptr : reinterpret_cast<GetInterposer*>(found)(&state);
  if (opened == nullptr || std::strcmp(opened->build, kInterposerBuild) != 0) {
    ::dlerror();
    return Refuse(
        KeepText("the " WINNOW_PLUGIN_NAME
                 " in this process is not of one build with libwinnow_preload.so, which is %s",
                 kInterposerBuild));
  }
  if (opened->problem != nullptr) {
    g_refusing.store(opened);
    return Refuse(opened->problem);
  }
  if (!InSameObject(opened->rocksdb, g_rocksdb.load())) {
    return Refuse(WINNOW_PLUGIN_NAME " got functions of another RocksDB than " WINNOW_ROCKSDB_NAME);
  }
  const Interposer* none = nullptr;
  g_plugin.compare_exchange_strong(none, opened);
}

}  // namespace

void FillFrontState(void* rocksdb, const char* policy_if_unset, FrontState* state) noexcept {
  const auto is_replaced = [](const void* stock, Hook hook) noexcept {
    return AsksLinkerFor(stock, SymbolOf(hook));
  };
  *state = {kInterposerBuild, base::StderrAtStart(), policy_if_unset, is_replaced, {}, {}};
  for (size_t i = 0; i < kNumHooks; ++i) {
    const Hook hook = static_cast<Hook>(i);
    state->stock[i] = ::dlsym(rocksdb, SymbolOf(hook));
    state->parameters[i] = ParametersOfHook(hook);
  }
  ::dlerror();
}

void FindPlugin() noexcept {
  Dl_info known{};
  char own[PATH_MAX];
  if (::dladdr(g_plugin_path, &known) == 0 || ::realpath(known.dli_fname, own) == nullptr) {
    return;
  }
  char* const slash = std::strrchr(own, '/');
  if (slash != nullptr &&
      static_cast<size_t>(slash + 1 - own) + sizeof WINNOW_PLUGIN_NAME <= sizeof g_plugin_path) {
    std::memcpy(g_plugin_path, own, static_cast<size_t>(slash + 1 - own));
    std::memcpy(g_plugin_path + (slash + 1 - own), WINNOW_PLUGIN_NAME, sizeof WINNOW_PLUGIN_NAME);
    FindBoundPlugins(own, static_cast<size_t>(slash + 1 - own));
  }
}

void OpenPlugin() noexcept {
  // Set while the plugin is opened: code that runs meanwhile may call this function.
  static __thread bool is_opening __attribute__((tls_model("initial-exec"))) = false;
  if (is_opening || g_plugin.load() != nullptr || g_problem.load() != nullptr) {
    return;
  }
  void* const rocksdb = ::dlopen(WINNOW_ROCKSDB_NAME, RTLD_LAZY | RTLD_NOLOAD);
  if (rocksdb == nullptr) {
    ::dlerror();
    return;
  }
  is_opening = true;
  OpenFor(rocksdb);
  is_opening = false;
  ::dlclose(rocksdb);
}

bool IsOfOurRocksDB(const void* definition) noexcept {
  const void* const rocksdb = g_rocksdb.load();
  return rocksdb != nullptr && InSameObject(definition, rocksdb);
}

const void* DefinitionInOurRocksDB() noexcept {
  void* const rocksdb = ::dlopen(WINNOW_ROCKSDB_NAME, RTLD_LAZY | RTLD_NOLOAD);
  const void* const found =
      rocksdb == nullptr ? nullptr : ::dlsym(rocksdb, SymbolOf(Hook::kNewBloomFilterPolicy));
  ::dlerror();
  if (rocksdb != nullptr) ::dlclose(rocksdb);
  return found;
}

const Interposer* OpenedPlugin() noexcept { return g_plugin.load(); }

const char* PluginProblem() noexcept { return g_problem.load(); }

}  // namespace winnow::preload
