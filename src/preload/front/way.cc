#include "src/preload/front/way.h"

#include <pthread.h>

#include "src/preload/front/definition.h"
#include "src/preload/front/environment.h"
#include "src/preload/front/hosts.h"
#include "src/preload/front/loaded_objects.h"
#include "src/preload/front/state_line.h"

namespace winnow::preload {
namespace {

// Cached result of a search. Searching all objects takes a while, and a program may read many
// options strings. A result that does not depend on the caller is valid until an object is loaded
// or unloaded.
struct Found {
  bool is_valid;
  uint64_t loads;
  Way way;
};
Found g_found[kNumHooks];
pthread_mutex_t g_found_mutex = PTHREAD_MUTEX_INITIALIZER;

// Lock of g_found. A thread that finds it locked searches itself, as does a process that was forked
// while it was locked.
struct TryLock {
  const bool is_held = ::pthread_mutex_trylock(&g_found_mutex) == 0;
  ~TryLock() {
    if (is_held) ::pthread_mutex_unlock(&g_found_mutex);
  }
};

bool Recall(Hook hook, uint64_t loads, Way* way) noexcept {
  const TryLock lock;
  const Found& found = g_found[static_cast<size_t>(hook)];
  if (!lock.is_held || !found.is_valid || found.loads != loads) return false;
  *way = found.way;
  return true;
}

void Remember(Hook hook, uint64_t loads, const Way& way) noexcept {
  const TryLock lock;
  if (lock.is_held) g_found[static_cast<size_t>(hook)] = {true, loads, way};
}

}  // namespace

Way FindWay(Hook hook, const void* caller) noexcept {
  // Our RocksDB is looked for as soon as it is there: later, another one may come before it.
  if (OurHost() == nullptr) HostOf(DefinitionInOurs());
  // Read before the search, so that objects that are loaded meanwhile count as later.
  const uint64_t loads = CountLoads();
  Way way{nullptr, nullptr};
  if (Recall(hook, loads, &way)) {
    return way;
  }
  const Definition definition = FindDefinition(hook, caller);
  way.stock = definition.function;
  Host* const host = HostOf(definition.function);
  if (host == nullptr) {
    CheckLoadedObjects();
  } else {
    if (host->is_served()) way.handler = host->plugin->handlers[static_cast<size_t>(hook)];
    SayAtCall(host);
  }
  if (definition.is_only) {
    Remember(hook, loads, way);
  }
  return way;
}

void SayThatNobodyAnswers(Hook hook) noexcept {
  if (!IsLogging()) {
    return;  // without the preloaded library, nothing would be reported either
  }
  base::StderrLine line;
  line.Add("RocksDB's function ").Add(kHookNames[static_cast<size_t>(hook)]);
  line.Add(
          " is called, and no RocksDB is in this process; unset LD_PRELOAD for programs that look ")
      .Add("for it by its name");
  line.Write();
}

}  // namespace winnow::preload
