#include "src/rocksdb/trees/built_here.h"

#include <pthread.h>

#include <new>

namespace winnow::plugin {
namespace {

void Delete(void* built) { delete static_cast<BuiltHere*>(built); }

// Not thread_local: room for that is scarce in libraries that are loaded late.
struct Key {
  pthread_key_t key{};
  const bool works;

  Key() noexcept : works(pthread_key_create(&key, Delete) == 0) {}
};

const Key& KeyOfBuilt() noexcept {
  static const Key key;
  return key;
}

// Of this thread; null if it has none.
BuiltHere* Built() noexcept {
  const Key& key = KeyOfBuilt();
  return key.works ? static_cast<BuiltHere*>(pthread_getspecific(key.key)) : nullptr;
}

}  // namespace

void NoteBuilder(const KnownFiles* policy) noexcept {
  if (BuiltHere* const here = Built()) {
    *here = {policy, {}, 0};
    return;
  }
  const Key& key = KeyOfBuilt();
  std::unique_ptr<BuiltHere> made(new (std::nothrow) BuiltHere{policy, {}, 0});
  if (key.works && pthread_setspecific(key.key, made.get()) == 0) made.release();
}

void NoteBuilt(const std::shared_ptr<LiveFiles>& files, LiveFiles::Id id) noexcept {
  if (BuiltHere* const here = Built()) {
    here->files = files;
    here->id = id;
  }
}

void ForgetBuilt() noexcept {
  if (BuiltHere* const here = Built()) *here = {};
}

BuiltHere WhatWasBuilt() noexcept {
  const BuiltHere* const here = Built();
  return here == nullptr ? BuiltHere() : *here;
}

}  // namespace winnow::plugin
