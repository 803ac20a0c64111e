// Constructor and destructor of the preloaded library, for when it is loaded and the process ends,
// and its symbols that the plugin and programs look for.

#include "src/preload/front/environment.h"
#include "src/preload/front/own_stack.h"
#include "src/preload/front/plugin.h"
#include "src/preload/front/state_line.h"
#include "winnow/version.h"

// By this symbol the plugin sees that this library will say if a RocksDB is refused (interposer.h).
extern "C" WINNOW_EXPORT const char winnow_preload_front;
extern "C" const char winnow_preload_front = 1;

namespace {

// This runs before the program reads any options, so the policy's names are registered by then.
void BeginOnOwnStack() noexcept {
  winnow::preload::BeginProcess();
  winnow::preload::ReadEnvironment();
  winnow::preload::FindPlugin();
  winnow::preload::OpenPlugin();
}
__attribute__((constructor)) void Begin() noexcept {
  winnow::preload::RunOnOwnStack(BeginOnOwnStack);
}

// Destructors of libraries run after everything that the program and its static objects do at their
// end.
__attribute__((destructor)) void End() noexcept { winnow::preload::SayAtEnd(); }

}  // namespace

// The plugin's function, for programs that look it up by its name.
extern "C" WINNOW_EXPORT int winnow_rocksdb_register(void) {
  winnow::preload::OpenPlugin();
  return winnow::preload::OpenedPlugin() != nullptr ? 0 : -1;
}
