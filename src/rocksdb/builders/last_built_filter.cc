#include "src/rocksdb/builders/last_built_filter.h"

#include <pthread.h>

#include <new>
#include <string>
#include <utility>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::TableFileCreationBriefInfo;

namespace {

struct OfThread {
  LastBuiltFilter built;
  std::optional<BegunFile> begun;
  OrderOfJob job;
};

void Delete(void* of_thread) { delete static_cast<OfThread*>(of_thread); }

// A pthread key and not thread_local, as static TLS is scarce in libraries that are loaded by
// dlopen().
struct Key {
  pthread_key_t key{};
  const bool works;

  Key() noexcept : works(pthread_key_create(&key, Delete) == 0) {}
};

const Key& TheKey() noexcept {
  static const Key key;
  return key;
}

// Returns this thread's state, or null if it has none yet.
OfThread* Here() noexcept {
  const Key& key = TheKey();
  return key.works ? static_cast<OfThread*>(pthread_getspecific(key.key)) : nullptr;
}

// Returns this thread's state, which is made on the first call; null if out of memory.
OfThread* MakeHere() noexcept {
  if (OfThread* const here = Here()) return here;
  const Key& key = TheKey();
  std::unique_ptr<OfThread> made(new (std::nothrow) OfThread);
  return key.works && made != nullptr && pthread_setspecific(key.key, made.get()) == 0
             ? made.release()
             : nullptr;
}

KeyOrder Together(KeyOrder a, KeyOrder b) noexcept {
  if (a == KeyOrder::kOther || b == KeyOrder::kOther) return KeyOrder::kOther;
  return a == KeyOrder::kUnknown ? b : a;
}

}  // namespace

void NoteBuilder(const std::shared_ptr<KnownFiles>& policy) noexcept {
  if (OfThread* const here = MakeHere()) here->built = {policy, {}, nullptr};
}

void NoteBuilt(const std::shared_ptr<TreeRecord>& tree, const family::FilePtr& file) noexcept {
  if (OfThread* const here = Here()) {
    here->built.tree = tree;
    here->built.file = file;
  }
}

void BeginFile(const TableFileCreationBriefInfo& file, KeyOrder order) noexcept {
  OfThread* const here = MakeHere();
  if (here == nullptr) return;
  here->built = {};
  try {
    if (here->begun && here->begun->path == file.file_path) {
      order = Together(order, here->begun->order);
    }
    here->begun.reset();
    here->begun.emplace(BegunFile{family::FileName::Of(file.db_name, 0), file.file_path,
                                  file.cf_name, file.reason, order, file.job_id});
  } catch (...) {
    here->begun.reset();
  }
}

LastBuiltFilter WhatWasBuilt() noexcept {
  const OfThread* const here = Here();
  return here == nullptr ? LastBuiltFilter() : here->built;
}

void EndFile() noexcept {
  if (OfThread* const here = Here()) here->begun.reset();
}

OrderOfJob SetJobHere(OrderOfJob job) noexcept {
  OfThread* const here = MakeHere();
  return here == nullptr ? OrderOfJob() : std::exchange(here->job, std::move(job));
}

std::optional<KeyOrder> OrderOfJobHere(const FilterBuildingContext& context) noexcept {
  const OfThread* const here = Here();
  return here == nullptr ? std::nullopt : here->job.Of(context);
}

const BegunFile* BegunFor(const FilterBuildingContext& context) noexcept {
  const OfThread* const here = Here();
  const bool is_it = here != nullptr && here->begun && here->begun->reason == context.reason &&
                     here->begun->family == context.column_family_name;
  return is_it ? &*here->begun : nullptr;
}

}  // namespace winnow::plugin
