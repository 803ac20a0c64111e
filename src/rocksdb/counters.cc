#include "src/rocksdb/counters.h"

#include <pthread.h>

#include <type_traits>

namespace winnow::plugin {

__thread ThreadCounters* this_thread_counters __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

struct FilterCounters {
  std::atomic<uint64_t> empty{0};
  std::atomic<uint64_t> bloom{0};
  std::atomic<uint64_t> ribbon{0};
  std::atomic<uint64_t> unbuilt{0};
  std::atomic<uint64_t> keys{0};
  std::atomic<uint64_t> bytes{0};
};

// Lookups go on in threads that outlive main(): nothing here may have a destructor that does
// something. And a lookup never allocates, so that all there will ever be is here.
FilterCounters filter_counters;
constexpr int kMostThreads = 512;
ThreadCounters thread_counters[kMostThreads];
ThreadCounters shared_counters;
static_assert(std::is_trivially_destructible_v<FilterCounters>);
static_assert(std::is_trivially_destructible_v<ThreadCounters>);

// Hands an ending thread's counters to the next thread, which goes on from their numbers.
void Detach(void* counters) noexcept {
  // Destructors that run after this may still look something up.
  this_thread_counters = &shared_counters;
  static_cast<ThreadCounters*>(counters)->is_taken.store(false, std::memory_order_release);
}

// A thread_local object's destructor would be registered with an allocation, which ends the program
// where it fails; a key's value is not.
struct EndOfThread {
  pthread_key_t key{};
  const bool works;

  EndOfThread() noexcept : works(pthread_key_create(&key, Detach) == 0) {}
};

ThreadCounters* TakeCounters() noexcept {
  for (ThreadCounters& one : thread_counters) {
    if (!one.is_taken.load(std::memory_order_relaxed) &&
        !one.is_taken.exchange(true, std::memory_order_acquire)) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace

ThreadCounters* AttachThreadCounters() noexcept {
  static const EndOfThread end_of_thread;
  ThreadCounters* const counters = end_of_thread.works ? TakeCounters() : nullptr;
  if (counters == nullptr) {
    return &shared_counters;  // and try again at the next lookup
  }
  if (pthread_setspecific(end_of_thread.key, counters) != 0) {
    counters->is_taken.store(false, std::memory_order_release);
    return &shared_counters;
  }
  this_thread_counters = counters;
  return counters;
}

void CountFilter(FilterKind kind, uint64_t keys, size_t bytes) noexcept {
  switch (kind) {
    case FilterKind::kEmpty:
      filter_counters.empty.fetch_add(1, std::memory_order_relaxed);
      break;
    case FilterKind::kBloom:
      filter_counters.bloom.fetch_add(1, std::memory_order_relaxed);
      break;
    case FilterKind::kRibbon:
      filter_counters.ribbon.fetch_add(1, std::memory_order_relaxed);
      break;
  }
  filter_counters.keys.fetch_add(keys, std::memory_order_relaxed);
  filter_counters.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void CountUnbuiltFilter() noexcept {
  filter_counters.unbuilt.fetch_add(1, std::memory_order_relaxed);
}

Counters CurrentCounters() noexcept {
  Counters sum;
  sum.empty_filters = filter_counters.empty.load(std::memory_order_relaxed);
  sum.bloom_filters = filter_counters.bloom.load(std::memory_order_relaxed);
  sum.ribbon_filters = filter_counters.ribbon.load(std::memory_order_relaxed);
  sum.unbuilt_filters = filter_counters.unbuilt.load(std::memory_order_relaxed);
  sum.keys = filter_counters.keys.load(std::memory_order_relaxed);
  sum.bytes = filter_counters.bytes.load(std::memory_order_relaxed);
  sum.lookups = shared_counters.lookups.load(std::memory_order_relaxed);
  sum.hashes = shared_counters.hashes.load(std::memory_order_relaxed);
  for (const ThreadCounters& one : thread_counters) {
    sum.lookups += one.lookups.load(std::memory_order_relaxed);
    sum.hashes += one.hashes.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace winnow::plugin
