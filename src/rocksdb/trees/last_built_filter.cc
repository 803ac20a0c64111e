#include "src/rocksdb/trees/last_built_filter.h"

#include <pthread.h>

#include <new>

namespace winnow::plugin {
namespace {

void Delete(void* built) { delete static_cast<LastBuiltFilter*>(built); }

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

// What this thread has; null if nothing.
LastBuiltFilter* Built() noexcept {
  const Key& key = KeyOfBuilt();
  return key.works ? static_cast<LastBuiltFilter*>(pthread_getspecific(key.key)) : nullptr;
}

}  // namespace

void NoteBuilder(const KnownFiles* policy) noexcept {
  if (LastBuiltFilter* const here = Built()) {
    *here = {policy, {}, 0};
    return;
  }
  const Key& key = KeyOfBuilt();
  std::unique_ptr<LastBuiltFilter> made(new (std::nothrow) LastBuiltFilter{policy, {}, 0});
  if (key.works && pthread_setspecific(key.key, made.get()) == 0) made.release();
}

void NoteBuilt(const std::shared_ptr<LiveFiles>& files, LiveFiles::Id id) noexcept {
  if (LastBuiltFilter* const here = Built()) {
    here->files = files;
    here->id = id;
  }
}

void ForgetBuilt() noexcept {
  if (LastBuiltFilter* const here = Built()) *here = {};
}

LastBuiltFilter WhatWasBuilt() noexcept {
  const LastBuiltFilter* const here = Built();
  return here == nullptr ? LastBuiltFilter() : *here;
}

}  // namespace winnow::plugin
