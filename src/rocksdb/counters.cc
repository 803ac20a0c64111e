#include "src/rocksdb/counters.h"

#include <mutex>
#include <new>
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
// something.
FilterCounters filter_counters;
std::mutex mutex;
ThreadCounters* all_counters = nullptr;   // guarded by mutex; only grows
ThreadCounters* free_counters = nullptr;  // guarded by mutex
ThreadCounters shared_counters;
static_assert(std::is_trivially_destructible_v<FilterCounters>);
static_assert(std::is_trivially_destructible_v<std::mutex>);
static_assert(std::is_trivially_destructible_v<ThreadCounters>);

// Hands the thread's counters to the next thread, which goes on from their numbers.
struct Detacher {
  ThreadCounters* counters = nullptr;
  ~Detacher() {
    // Destructors that run after this one may still look something up.
    this_thread_counters = &shared_counters;
    const std::lock_guard<std::mutex> lock(mutex);
    counters->next_free = free_counters;
    free_counters = counters;
  }
};

ThreadCounters* TakeCounters() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (free_counters != nullptr) {
    ThreadCounters* const counters = free_counters;
    free_counters = counters->next_free;
    return counters;
  }
  ThreadCounters* const counters = new (std::nothrow) ThreadCounters;
  if (counters != nullptr) {
    counters->next = all_counters;
    all_counters = counters;
  }
  return counters;
}

}  // namespace

ThreadCounters* AttachThreadCounters() noexcept {
  ThreadCounters* const counters = TakeCounters();
  if (counters == nullptr) {
    return &shared_counters;  // and try again at the next lookup
  }
  thread_local Detacher detacher;
  detacher.counters = counters;
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
  const std::lock_guard<std::mutex> lock(mutex);
  sum.lookups = shared_counters.lookups.load(std::memory_order_relaxed);
  sum.hashes = shared_counters.hashes.load(std::memory_order_relaxed);
  for (const ThreadCounters* one = all_counters; one != nullptr; one = one->next) {
    sum.lookups += one->lookups.load(std::memory_order_relaxed);
    sum.hashes += one->hashes.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace winnow::plugin
