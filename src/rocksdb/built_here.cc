#include "src/rocksdb/built_here.h"

#include <new>

namespace winnow::plugin {
namespace {

// A pointer, as room for a thread's variables is scarce in libraries that are loaded late.
thread_local std::unique_ptr<BuiltHere> built;

BuiltHere* Built() noexcept {
  if (built == nullptr) built.reset(new (std::nothrow) BuiltHere);
  return built.get();
}

}  // namespace

void NoteBuilder(const KnownFiles* policy) noexcept {
  if (BuiltHere* const here = Built()) *here = {policy, {}, 0};
}

void NoteBuilt(const std::shared_ptr<LiveFiles>& files, LiveFiles::Id id) noexcept {
  if (BuiltHere* const here = Built()) {
    here->files = files;
    here->id = id;
  }
}

void ForgetBuilt() noexcept { built.reset(); }

BuiltHere WhatWasBuilt() noexcept { return built == nullptr ? BuiltHere() : *built; }

}  // namespace winnow::plugin
