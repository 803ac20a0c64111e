#include "src/preload/front/definition.h"

#include <dlfcn.h>

#include <cstddef>

#include "src/preload/front/hook_addresses.h"
#include "src/preload/front/loaded_objects.h"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace winnow::preload {
namespace {

// Definitions of the function, other than the hook.
struct Definitions {
  const void* hook;
  void* first;
  bool are_several;
};

bool Note(void* context, void* definition) noexcept {
  auto& found = *static_cast<Definitions*>(context);
  if (definition == found.hook || definition == found.first) {
    return true;
  }
  found.are_several = found.first != nullptr;
  found.first = found.are_several ? found.first : definition;
  return !found.are_several;
}

// Returns the definition that the linker would have found for code at this address; null if it
// knows none.
void* DefinitionFor(const void* code, const char* symbol, const void* hook, void* global) noexcept {
  if (ObjectOf(code) == 0) {
    return global;  // a definition of the program would precede the hook
  }
  void* const own = FindFrom(code, symbol);
  if (own == nullptr || own == hook) {
    return nullptr;
  }
  return global == nullptr || ObjectOf(code) < ObjectOf(global) ? own : global;
}

void* DefinitionForCallers(const void* caller, const char* symbol, const void* hook,
                           void* global) noexcept {
  if (void* const found = DefinitionFor(caller, symbol, hook, global)) {
    return found;
  }
#if __has_include(<execinfo.h>)
  constexpr int kMaxFrames = 128;
  void* frames[kMaxFrames];
  const int count = ::backtrace(frames, kMaxFrames);
  for (int i = 0; i < count; ++i) {
    if (InSameObject(frames[i], hook)) {
      continue;
    }
    if (void* const found = DefinitionFor(frames[i], symbol, hook, global)) {
      return found;
    }
  }
#endif
  return global;
}

}  // namespace

Definition FindDefinition(Hook hook, const void* caller) noexcept {
  const void* const own = AddressOf(hook);
  const char* const symbol = SymbolOf(hook);
  Definitions all{own, nullptr, false};
  ForEachDefinition(symbol, Note, &all);
  if (!all.are_several) {
    return {all.first, true};
  }
  void* const global = ::dlsym(RTLD_NEXT, symbol);
  if (global == nullptr) {
    ::dlerror();
  }
  void* const found = DefinitionForCallers(caller, symbol, own, global);
  return {found != nullptr ? found : all.first, false};
}

}  // namespace winnow::preload
