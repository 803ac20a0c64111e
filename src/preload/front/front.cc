// What the library that is preloaded does when it is loaded, and when the process ends.

#include "src/preload/front/environment.h"
#include "src/preload/front/own_stack.h"
#include "src/preload/front/plugin.h"
#include "src/preload/front/state_line.h"
#include "winnow/version.h"

// By which the plugin sees that it need not say itself that it refuses a RocksDB: interposer.h.
extern "C" WINNOW_EXPORT const char winnow_preload_front;
extern "C" const char winnow_preload_front = 1;

namespace {

// So early that the policy's names are registered before the program reads any options.
void BeginOnOwnStack() noexcept {
  winnow::preload::BeginProcess();
  winnow::preload::ReadEnvironment();
  winnow::preload::FindPlugin();
  winnow::preload::OpenPlugin();
}
__attribute__((constructor)) void Begin() noexcept {
  winnow::preload::RunOnOwnStack(BeginOnOwnStack);
}

// Destructors of libraries run after all that the program and its static objects do at their end.
__attribute__((destructor)) void End() noexcept { winnow::preload::SayAtEnd(); }

}  // namespace

// For those who look for it by its name: the plugin's.
extern "C" WINNOW_EXPORT int winnow_rocksdb_register(void) {
  winnow::preload::OpenPlugin();
  return winnow::preload::OpenedPlugin() != nullptr ? 0 : -1;
}
