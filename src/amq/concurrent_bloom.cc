#include "winnow/amq/concurrent_bloom.h"

#include <sched.h>

#include <algorithm>

#include "src/amq/block_pattern.h"
#include "src/amq/block_sizing.h"
#include "src/amq/mix.h"
#include "src/amq/plan.h"

namespace winnow::amq {
namespace {

using Words = std::atomic<uint64_t>[kBlockWords];

// The lock of a line, in its first word.
constexpr uint64_t kLock = uint64_t{1} << 63;

BlockedShape ShapeFor(const Plan& plan) noexcept {
  BlockedShape shape;
  double most_load = 0;
  for (unsigned bits = 1; bits <= kBlockWords; ++bits) {
    const double load = LoadForPatternRate(plan.rate, bits);
    if (load > most_load) {
      most_load = load;
      shape.bits_per_block = bits;
    }
  }
  shape.num_blocks = BlocksForRate(plan.capacity, plan.rate, 1, shape.bits_per_block);
  return shape;
}

Plan Reachable(const Plan& plan) noexcept {
  Plan reachable = NearestValid(plan);
  reachable.rate = std::max(reachable.rate, kLowestConcurrentRate);
  return reachable;
}

// The bit in its word, which is not the lock's.
inline uint64_t KeyBit(const BlockPattern& pattern, unsigned i) noexcept {
  const uint64_t bit = pattern.Bit(i);
  return pattern.Word(i) == 0 && bit == kLock ? kLock >> 1 : bit;
}

// Acquire: whoever sees bits that another thread set also sees what that thread did before.
inline bool HasAll(const Words& words, const BlockPattern& pattern, unsigned probes) noexcept {
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

}  // namespace

ConcurrentBloom::ConcurrentBloom(const Plan& plan) {
  const Plan reachable = Reachable(plan);
  const BlockedShape shape = ShapeFor(reachable);
  lines_ = std::make_unique<Line[]>(shape.num_blocks);
  num_lines_ = shape.num_blocks;
  probes_ = shape.bits_per_block;
  planned_fpr_ =
      std::min(1.0, BlockedRate(reachable.capacity, shape) + EqualHashRate(reachable.capacity));
  Clear();
}

bool ConcurrentBloom::Add(KeyHash hash) noexcept {
  Words& words = lines_[Reduce(HashBits(hash.value, 0), num_lines_)].words;
  const BlockPattern pattern(HashBits(hash.value, 1));
  if (HasAll(words, pattern, probes_)) return false;
  Lock(&words[0]);
  // Others only read the words now, or try the lock. Bits are released one word at a time, the
  // first word with the lock.
  uint64_t first = words[0].load(std::memory_order_relaxed);
  bool is_new = false;
  for (unsigned i = 0; i < probes_; ++i) {
    const unsigned word = pattern.Word(i);
    const uint64_t before = word == 0 ? first : words[word].load(std::memory_order_relaxed);
    const uint64_t after = before | KeyBit(pattern, i);
    is_new |= before != after;
    if (word == 0) {
      first = after;
    } else if (before != after) {
      words[word].store(after, std::memory_order_release);
    }
  }
  words[0].store(first & ~kLock, std::memory_order_release);
  return is_new;
}

bool ConcurrentBloom::MayContain(KeyHash hash) const noexcept {
  const Words& words = lines_[Reduce(HashBits(hash.value, 0), num_lines_)].words;
  return HasAll(words, BlockPattern(HashBits(hash.value, 1)), probes_);
}

void ConcurrentBloom::Clear() noexcept {
  for (uint64_t i = 0; i < num_lines_; ++i) {
    for (std::atomic<uint64_t>& word : lines_[i].words) word.store(0, std::memory_order_relaxed);
  }
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
