#include "winnow/amq/concurrent_bloom.h"

#include <sched.h>

#include <algorithm>
#include <new>

#include "streams/amq/block_pattern.h"
#include "streams/amq/block_sizing.h"
#include "streams/amq/large_memory.h"
#include "streams/amq/plan.h"
#include "streams/amq/shapes.h"

namespace winnow::amq {

ConcurrentShape ShapeOfConcurrent(const Plan& plan) noexcept {
  const double rate = OwnRate({plan.capacity, std::max(plan.rate, kLowestConcurrentRate)});
  ConcurrentShape shape;
  double most_load = 0;
  // Patterns that AddLocked() and the other templates are instantiated for. One word with one bit
  // is not among them, since that bit could be the lock's.
  constexpr bool kLockCountsAsSet = true;
  for (const PatternShape pattern :
       {PatternShape(2, 1, kLockCountsAsSet), PatternShape(2, 2, kLockCountsAsSet),
        PatternShape(3, 2, kLockCountsAsSet), PatternShape(4, 2, kLockCountsAsSet),
        PatternShape(5, 2, kLockCountsAsSet)}) {
    const double load = LoadForPatternRate(rate, pattern);
    if (load > most_load) {
      most_load = load;
      shape.pattern = pattern;
    }
  }
  shape.lines = BlocksForPatterns(plan.capacity, rate, shape.pattern);
  return shape;
}

double ConcurrentRate(uint64_t keys, const ConcurrentShape& shape) noexcept {
  return PatternRate(static_cast<double>(keys), static_cast<double>(shape.lines), shape.pattern);
}

namespace {

using internal::kKeyBits;
using internal::kLock;
using internal::Place;
using internal::WithShape;

// Prefetch distance in a batch, in keys.
constexpr size_t kAhead = 16;

[[gnu::noinline]] void WaitForLock(std::atomic<uint64_t>* first_word) noexcept {
  unsigned tries = 0;
  do {
    // The lock's holder may have been preempted.
    while ((first_word->load(std::memory_order_relaxed) & kLock) != 0) {
      if (++tries % 64 == 0) sched_yield();
    }
  } while ((first_word->fetch_or(kLock, std::memory_order_acquire) & kLock) != 0);
}

template <typename Shape>
[[gnu::always_inline]] inline bool AddLocked(const Place& place) noexcept {
  if (Shape::HasAll(place)) return false;
  std::atomic<uint64_t>& first_word = place.words[0];
  if ((first_word.fetch_or(kLock, std::memory_order_acquire) & kLock) != 0) {
    WaitForLock(&first_word);
  }
  const bool is_new = Shape::SetAll(place);
  first_word.store(first_word.load(std::memory_order_relaxed) & ~kLock, std::memory_order_release);
  return is_new;
}

// Indices of the striped counters. Counter 0 is for additions by a single thread, counter 1 for all
// threads that found no free counter; each other counter belongs to one thread for the thread's
// lifetime.
constexpr unsigned kCounters = 32;
constexpr unsigned kAlone = 0;  // value that CountAlone() assumes
constexpr unsigned kShared = 1;

std::atomic<uint32_t> numbers_taken{1u << kAlone | 1u << kShared};

// Index of this thread's counter; 0 before the first addition. The initial-exec TLS model makes
// access a single load; it requires that the library is not loaded late by dlopen().
[[gnu::tls_model("initial-exec")]] thread_local unsigned number_of_thread = 0;

struct GivesNumberBack {
  ~GivesNumberBack() {
    if (number_of_thread > kShared) {
      // The next owner continues with this thread's counts.
      numbers_taken.fetch_and(~(uint32_t{1} << number_of_thread), std::memory_order_release);
    }
    number_of_thread = kShared;  // counter of additions by objects that are destroyed later
  }
  void Touch() noexcept {}
};

[[gnu::noinline]] unsigned TakeNumber() noexcept {
  static thread_local GivesNumberBack at_end;
  at_end.Touch();
  uint32_t taken = numbers_taken.load(std::memory_order_relaxed);
  while (~taken != 0) {
    const uint32_t free = ~taken & (taken + 1);
    if (numbers_taken.compare_exchange_weak(taken, taken | free, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
      return number_of_thread = static_cast<unsigned>(__builtin_ctz(free));
    }
  }
  return number_of_thread = kShared;
}

void AddToOwn(std::atomic<uint64_t>* count, uint64_t added) noexcept {
  count->store(count->load(std::memory_order_relaxed) + added, std::memory_order_relaxed);
}

}  // namespace

void ConcurrentBloom::FreeLines::operator()(Line* lines) const noexcept { FreeLarge(lines); }

ConcurrentBloom::ConcurrentBloom(const Plan& plan) {
  const Plan reachable = NearestValid(plan);
  const ConcurrentShape shape = ShapeOfConcurrent(reachable);
  if (shape.lines > SIZE_MAX / sizeof(Line)) throw std::bad_alloc();
  // Zeroed memory is a valid state of the atomics, equal to that after Clear().
  lines_.reset(static_cast<Line*>(AllocateLarge(shape.lines * sizeof(Line))));
  counters_ = std::make_unique<Counter[]>(kCounters);
  num_lines_ = shape.lines;
  probes_ = shape.pattern.words * shape.pattern.bits_a_word;
  planned_fpr_ =
      std::min(1.0, ConcurrentRate(reachable.capacity, shape) + EqualHashRate(reachable.capacity));
  Clear();
}

struct ConcurrentBloom::Access {
  // Calls run(place, index) for each key of a batch in order, with its line prefetched.
  template <typename Run>
  [[gnu::always_inline]] static inline void ForEach(const ConcurrentBloom& filter,
                                                    const KeyHash* hashes, size_t n,
                                                    const Run& run) noexcept {
    Place places[kAhead];
    const auto bring = [&](size_t i) {
      places[i % kAhead] = filter.PlaceOf(hashes[i]);
      __builtin_prefetch(places[i % kAhead].words, 1);
    };
    for (size_t i = 0; i < (n < kAhead ? n : kAhead); ++i) bring(i);
    for (size_t i = 0; i < n; ++i) {
      run(places[i % kAhead], i);
      if (i + kAhead < n) bring(i + kAhead);
    }
  }
};

inline void ConcurrentBloom::Count(uint64_t added) noexcept {
  unsigned number = number_of_thread;
  if (number == 0) number = TakeNumber();
  std::atomic<uint64_t>& count = counters_[number].added;
  if (number == kShared) {
    count.fetch_add(added, std::memory_order_relaxed);
  } else {
    AddToOwn(&count, added);
  }
}

bool ConcurrentBloom::Add(KeyHash hash) noexcept {
  const Place place = PlaceOf(hash);
  // A prefetch does not wait for the lock of the preceding addition, unlike a read.
  __builtin_prefetch(place.words, 1);
  const bool is_new =
      WithShape(probes_, [&](auto shape) { return AddLocked<decltype(shape)>(place); });
  if (is_new) Count(1);
  return is_new;
}

void ConcurrentBloom::Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept {
  uint64_t added = 0;
  WithShape(probes_, [&](auto shape) {
    Access::ForEach(*this, hashes, n, [&](const Place& place, size_t i) {
      is_new[i] = AddLocked<decltype(shape)>(place);
      added += is_new[i];
    });
  });
  if (added > 0) Count(added);
}

void ConcurrentBloom::AddAlone(const KeyHash* hashes, size_t n, bool* is_new) noexcept {
  uint64_t added = 0;
  WithShape(probes_, [&](auto shape) {
    Access::ForEach(*this, hashes, n, [&](const Place& place, size_t i) {
      is_new[i] = shape.SetAll(place);
      added += is_new[i];
    });
  });
  CountAlone(added);
}

void ConcurrentBloom::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  WithShape(probes_, [&](auto shape) {
    Access::ForEach(*this, hashes, n,
                    [&](const Place& place, size_t i) { results[i] = shape.HasAll(place); });
  });
}

uint64_t ConcurrentBloom::num_added() const noexcept {
  uint64_t sum = 0;
  for (unsigned i = 0; i < kCounters; ++i)
    sum += counters_[i].added.load(std::memory_order_relaxed);
  return sum;
}

void ConcurrentBloom::Clear() noexcept {
  for (uint64_t i = 0; i < num_lines_; ++i) {
    for (std::atomic<uint64_t>& word : lines_[i].words) word.store(0, std::memory_order_relaxed);
  }
  for (unsigned i = 0; i < kCounters; ++i) counters_[i].added.store(0, std::memory_order_relaxed);
}

double ConcurrentBloom::fill_ratio() const noexcept {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < num_lines_; ++i) {
    for (unsigned w = 0; w < kBlockWords; ++w) {
      const uint64_t word = lines_[i].words[w].load(std::memory_order_relaxed);
      ones += static_cast<unsigned>(__builtin_popcountll(w == 0 ? word & ~kLock : word));
    }
  }
  return static_cast<double>(ones) / (static_cast<double>(num_lines_) * (kBlockBits - 1));
}

double ConcurrentBloom::expected_fpr() const noexcept {
  const unsigned bits_a_word = probes_ == 2 ? 1 : 2;
  double sum = 0;
  for (uint64_t i = 0; i < num_lines_; ++i) {
    double chances[kBlockWords];
    for (unsigned w = 0; w < kBlockWords; ++w) {
      // A position on the lock bit counts as set, since lookups skip it.
      const uint64_t word = lines_[i].words[w].load(std::memory_order_relaxed) | ~kKeyBits[w];
      const double one = __builtin_popcountll(word) / 64.0;
      chances[w] = bits_a_word == 1 ? one : one * one;
    }
    for (unsigned first = 0; first < kBlockWords; ++first) {
      double chance = 1;
      for (unsigned w = 0; w < probes_ / bits_a_word; ++w) {
        chance *= chances[(first + w) % kBlockWords];
      }
      sum += chance / kBlockWords;
    }
  }
  // Equal hashes have a probability below 2^40 / 2^64, negligible for rates of 1e-6 and more.
  return sum / static_cast<double>(num_lines_);
}

}  // namespace winnow::amq
