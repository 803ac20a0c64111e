// Constructor and destructor of the preloaded library, and its symbols that the plugin and programs
// look up.

#include "src/preload/front/environment.h"
#include "src/preload/front/hosts.h"
#include "src/preload/front/own_stack.h"
#include "src/preload/front/state_line.h"
#include "winnow/version.h"

// Tells the plugin that this library will report a refused RocksDB (interposer.h).
extern "C" WINNOW_EXPORT const char winnow_preload_front;
extern "C" const char winnow_preload_front = 1;

namespace {

// Runs before the program reads any options, so that the policy's names are registered by then.
void BeginOnOwnStack() noexcept {
  winnow::preload::BeginProcess();
  winnow::preload::ReadEnvironment();
  winnow::preload::FindPlugins();
  winnow::preload::HostOf(winnow::preload::DefinitionInOurs());
  winnow::preload::CheckLoadedObjects();
}
__attribute__((constructor)) void Begin() noexcept {
  winnow::preload::RunOnOwnStack(BeginOnOwnStack);
}

// Destructors of libraries run after the program and its static objects have ended.
__attribute__((destructor)) void End() noexcept { winnow::preload::SayAtEnd(); }

}  // namespace

// Wrapper of the plugin's function, for programs that look up its name.
extern "C" WINNOW_EXPORT int winnow_rocksdb_register(void) {
  const winnow::preload::Host* const host =
      winnow::preload::HostOf(winnow::preload::DefinitionInOurs());
  return host != nullptr && host->is_served() ? 0 : -1;
}
