#include "winnow/amq/concurrent_bloom.h"

#include <sched.h>

#include <algorithm>

#include "src/amq/block_pattern.h"
#include "src/amq/block_sizing.h"
#include "src/amq/mix.h"
#include "src/amq/plan.h"
#include "src/amq/shapes.h"

namespace winnow::amq {

BlockedShape ShapeOfConcurrent(const Plan& plan) noexcept {
  const double rate = std::max(plan.rate, kLowestConcurrentRate);
  BlockedShape shape;
  double most_load = 0;
  for (unsigned bits = 1; bits <= kBlockWords; ++bits) {
    const double load = LoadForPatternRate(rate, bits);
    if (load > most_load) {
      most_load = load;
      shape.bits_per_block = bits;
    }
  }
  shape.num_blocks = BlocksForRate(plan.capacity, rate, 1, shape.bits_per_block);
  return shape;
}

namespace {

using Words = std::atomic<uint64_t>[kBlockWords];

// Keys of a batch whose lines are on their way.
constexpr size_t kAhead = 16;

// The lock of a line, in its first word.
constexpr uint64_t kLock = uint64_t{1} << 63;

// The bit in its word, which is not the lock's. Without a branch: where the words of a key begin is
// random, so that a processor would guess wrong.
[[gnu::always_inline]] inline uint64_t KeyBit(const BlockPattern& pattern, unsigned i) noexcept {
  const uint64_t bit = pattern.Bit(i);
  return bit >> (static_cast<unsigned>(pattern.Word(i) == 0) & static_cast<unsigned>(bit >> 63));
}

// Acquire: whoever sees bits that another thread set also sees what that thread did before.
[[gnu::always_inline]] inline bool HasAll(const Words& words, const BlockPattern& pattern,
                                          unsigned probes) noexcept {
  for (unsigned i = 0; i < probes; ++i) {
    if ((words[pattern.Word(i)].load(std::memory_order_acquire) & KeyBit(pattern, i)) == 0) {
      return false;
    }
  }
  return true;
}

void Lock(std::atomic<uint64_t>* first_word) noexcept {
  unsigned tries = 0;
  while ((first_word->fetch_or(kLock, std::memory_order_acquire) & kLock) != 0) {
    // Its holder may have been interrupted.
    while ((first_word->load(std::memory_order_relaxed) & kLock) != 0) {
      if (++tries % 64 == 0) sched_yield();
    }
  }
}

// Threads beyond share the counters of others.
constexpr unsigned kCounters = 32;

unsigned CounterOfThread() noexcept {
  static std::atomic<unsigned> threads{0};
  static thread_local const unsigned mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine % kCounters;
}

}  // namespace

struct ConcurrentBloom::Place {
  Line* line = nullptr;
  BlockPattern pattern{0};
};

ConcurrentBloom::ConcurrentBloom(const Plan& plan) {
  const Plan reachable = NearestValid(plan);
  const BlockedShape shape = ShapeOfConcurrent(reachable);
  lines_ = std::make_unique<Line[]>(shape.num_blocks);
  counters_ = std::make_unique<Counter[]>(kCounters);
  num_lines_ = shape.num_blocks;
  probes_ = shape.bits_per_block;
  planned_fpr_ =
      std::min(1.0, BlockedRate(reachable.capacity, shape) + EqualHashRate(reachable.capacity));
  Clear();
}

[[gnu::always_inline]] inline ConcurrentBloom::Place ConcurrentBloom::PlaceOf(
    KeyHash hash) const noexcept {
  return {&lines_[Reduce(HashBits(hash.value, 0), num_lines_)],
          BlockPattern(HashBits(hash.value, 1))};
}

[[gnu::always_inline]] inline bool ConcurrentBloom::AddAt(const Place& place) noexcept {
  Words& words = place.line->words;
  const BlockPattern pattern = place.pattern;
  if (HasAll(words, pattern, probes_)) return false;
  Lock(&words[0]);
  // Others only read the words now, or try the lock, whose bit stays set until the last store. Bits
  // are released one word at a time.
  uint64_t added = 0;
  for (unsigned i = 0; i < probes_; ++i) {
    std::atomic<uint64_t>& word = words[pattern.Word(i)];
    const uint64_t before = word.load(std::memory_order_relaxed);
    const uint64_t bit = KeyBit(pattern, i);
    added |= ~before & bit;
    word.store(before | bit, std::memory_order_release);
  }
  const uint64_t first = words[0].load(std::memory_order_relaxed);
  words[0].store(first & ~kLock, std::memory_order_release);
  return added != 0;
}

inline void ConcurrentBloom::Count(uint64_t added) noexcept {
  counters_[CounterOfThread()].added.fetch_add(added, std::memory_order_relaxed);
}

bool ConcurrentBloom::Add(KeyHash hash) noexcept {
  const bool is_new = AddAt(PlaceOf(hash));
  if (is_new) Count(1);
  return is_new;
}

bool ConcurrentBloom::MayContain(KeyHash hash) const noexcept {
  const Place place = PlaceOf(hash);
  return HasAll(place.line->words, place.pattern, probes_);
}

void ConcurrentBloom::Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept {
  Place places[kAhead];
  uint64_t added = 0;
  for (size_t i = 0; i < n + kAhead; ++i) {
    // The line of one key is brought while that of an earlier one is changed.
    if (i >= kAhead) {
      is_new[i - kAhead] = AddAt(places[i % kAhead]);
      added += is_new[i - kAhead];
    }
    if (i < n) {
      places[i % kAhead] = PlaceOf(hashes[i]);
      __builtin_prefetch(places[i % kAhead].line, 1);
    }
  }
  if (added > 0) Count(added);
}

void ConcurrentBloom::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  Place places[kAhead];
  for (size_t i = 0; i < n + kAhead; ++i) {
    if (i >= kAhead) {
      const Place& place = places[i % kAhead];
      results[i - kAhead] = HasAll(place.line->words, place.pattern, probes_);
    }
    if (i < n) {
      places[i % kAhead] = PlaceOf(hashes[i]);
      __builtin_prefetch(places[i % kAhead].line, 0);
    }
  }
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
  double sum = 0;
  for (uint64_t i = 0; i < num_lines_; ++i) {
    unsigned ones[kBlockWords];
    for (unsigned w = 0; w < kBlockWords; ++w) {
      uint64_t word = lines_[i].words[w].load(std::memory_order_relaxed);
      // The lock's neighbour stands for both.
      if (w == 0) word = (word & ~kLock) | (word & kLock >> 1) << 1;
      ones[w] = static_cast<unsigned>(__builtin_popcountll(word));
    }
    sum += ChanceOfPattern(ones, probes_);
  }
  // Equal hashes are fewer than 2^40 / 2^64 and add nothing to rates from 1e-6 on.
  return sum / static_cast<double>(num_lines_);
}

}  // namespace winnow::amq
