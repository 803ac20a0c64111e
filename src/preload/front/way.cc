#include "src/preload/front/way.h"

#include <pthread.h>

#include "src/preload/front/carried.h"
#include "src/preload/front/definition.h"
#include "src/preload/front/environment.h"
#include "src/preload/front/loaded_objects.h"
#include "src/preload/front/plugin.h"
#include "src/preload/front/state_line.h"

namespace winnow::preload {
namespace {

// Cached result of a search. Searching all objects takes a while, and a program may read many
// options strings. A result that does not depend on the caller is valid until an object is loaded
// or unloaded.
struct Found {
  bool is_valid;
  LoadCount loads;
  Way way;
};
Found g_found[kNumHooks];
pthread_mutex_t g_found_mutex = PTHREAD_MUTEX_INITIALIZER;

bool Recall(Hook hook, const LoadCount& loads, Way* way) noexcept {
  // A thread that finds this locked searches itself, as does a process that was forked while it was
  // locked.
  if (::pthread_mutex_trylock(&g_found_mutex) != 0) {
    return false;
  }
  const Found& found = g_found[static_cast<size_t>(hook)];
  const bool is_known = found.is_valid && found.loads.loaded == loads.loaded &&
                        found.loads.unloaded == loads.unloaded;
  if (is_known) {
    *way = found.way;
  }
  ::pthread_mutex_unlock(&g_found_mutex);
  return is_known;
}

void Remember(Hook hook, const LoadCount& loads, const Way& way) noexcept {
  if (::pthread_mutex_trylock(&g_found_mutex) == 0) {
    g_found[static_cast<size_t>(hook)] = {true, loads, way};
    ::pthread_mutex_unlock(&g_found_mutex);
  }
}

}  // namespace

Way FindWay(Hook hook, const void* caller) noexcept {
  OpenPlugin();
  // Read before the search, so that objects that are loaded meanwhile count as later.
  const LoadCount loads = CountLoads();
  Way way{nullptr, nullptr};
  if (Recall(hook, loads, &way)) {
    return way;
  }
  const Definition definition = FindDefinition(hook, caller);
  way.stock = definition.function;
  if (IsOfOurRocksDB(definition.function)) {
    if (const Interposer* const plugin = OpenedPlugin()) {
      way.handler = plugin->handlers[static_cast<size_t>(hook)];
    }
    SayAtCall();
  } else if (Carried* const carried = FindCarried(definition.function)) {
    if (carried->plugin != nullptr) {
      way.handler = carried->plugin->handlers[static_cast<size_t>(hook)];
    }
    SayAtCallOf(carried);
  } else {
    CheckLoadedObjects();
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
