// Builds filters after thread-local objects are destroyed: in a static destructor, and in the
// destructor of a thread-local object that is older than the library's. Programs do so with
// databases that they never close. Exits with 0 if all keys are found.

#include <unistd.h>

#include <cstdint>
#include <thread>

#include "winnow/builder.h"
#include "winnow/filter.h"

namespace {

void BuildAndCheck() {
  winnow::FilterOptions options;
  options.kind = winnow::FilterKind::kRibbon;
  winnow::FilterBuilder builder(options);
  constexpr uint64_t kKeys = 20000;
  for (uint64_t i = 0; i < kKeys; ++i) builder.Add({i * 0x9e3779b97f4a7c15u});
  const winnow::FilterBlock block = builder.Finish();
  const winnow::FilterView view(block.bytes());
  for (uint64_t i = 0; i < kKeys; ++i) {
    if (!view.MayContain({i * 0x9e3779b97f4a7c15u})) _exit(1);
  }
}

struct BuildsAtItsEnd {
  ~BuildsAtItsEnd() { BuildAndCheck(); }
};

BuildsAtItsEnd at_exit;

}  // namespace

int main() {
  std::thread([] {
    thread_local BuildsAtItsEnd at_thread_end;
    (void)at_thread_end;
    BuildAndCheck();
  }).join();
  BuildAndCheck();
  return 0;
}
