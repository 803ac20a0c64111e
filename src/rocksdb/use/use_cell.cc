#include "src/rocksdb/use/use_cell.h"

namespace winnow::plugin {
namespace {

void Add(std::atomic<uint64_t>* sum, uint64_t more) noexcept {
  sum->fetch_add(more, std::memory_order_relaxed);
}

void Add(std::atomic<double>* sum, double more) noexcept {
  double now = sum->load(std::memory_order_relaxed);
  while (!sum->compare_exchange_weak(now, now + more, std::memory_order_relaxed)) {
  }
}

}  // namespace

UseSums& operator+=(UseSums& sums, const UseSums& more) noexcept {
  sums.asks += more.asks;
  sums.denied += more.denied;
  sums.asks_counted += more.asks_counted;
  sums.denied_counted += more.denied_counted;
  sums.false_positives += more.false_positives;
  sums.false_positives_variance += more.false_positives_variance;
  sums.ranges_asked += more.ranges_asked;
  sums.ranges_denied += more.ranges_denied;
  sums.filters += more.filters;
  sums.keys += more.keys;
  sums.bytes += more.bytes;
  return sums;
}

void UseCell::Note(const CountedAsk& ask, double rate, bool may_contain) noexcept {
  Slot& slot = slots_[ask.slot];
  Add(&slot.asks, ask.weight);
  Add(&slot.asks_counted, 1);
  if (may_contain) return;
  Add(&slot.denied, ask.weight);
  Add(&slot.denied_counted, 1);
  const double expected = rate / (1 - rate);
  const double weight = ask.weight;
  Add(&slot.false_positives, weight * expected);
  // Each check is counted with the probability 1/weight, independent of the others (Horvitz and
  // Thompson, JASA 47, 1952), and each absent key is denied with the probability 1 - rate. The sum
  // of these terms over the counted "no" estimates the variance of the false positives, rate times
  // the checks for absent keys.
  Add(&slot.variance, weight * expected * expected * (weight - (1 - rate)));
}

void UseCell::NoteRange(uint32_t number, bool may_contain) noexcept {
  Slot& slot = slots_[number];
  Add(&slot.ranges_asked, 1);
  if (!may_contain) Add(&slot.ranges_denied, 1);
}

void UseCell::Loaded(uint64_t keys, uint64_t bytes) noexcept {
  filters_.fetch_add(1, std::memory_order_relaxed);
  keys_.fetch_add(keys, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

void UseCell::Unloaded(uint64_t keys, uint64_t bytes) noexcept {
  filters_.fetch_sub(1, std::memory_order_relaxed);
  keys_.fetch_sub(keys, std::memory_order_relaxed);
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  GiveBack();
}

UseSums UseCell::Read() const noexcept {
  UseSums sums;
  for (const Slot& slot : slots_) {
    sums.denied += slot.denied.load(std::memory_order_relaxed);
    sums.denied_counted += slot.denied_counted.load(std::memory_order_relaxed);
    sums.ranges_denied += slot.ranges_denied.load(std::memory_order_relaxed);
    sums.asks += slot.asks.load(std::memory_order_relaxed);
    sums.asks_counted += slot.asks_counted.load(std::memory_order_relaxed);
    sums.ranges_asked += slot.ranges_asked.load(std::memory_order_relaxed);
    sums.false_positives += slot.false_positives.load(std::memory_order_relaxed);
    sums.false_positives_variance += slot.variance.load(std::memory_order_relaxed);
  }
  sums.filters = filters_.load(std::memory_order_relaxed);
  sums.keys = keys_.load(std::memory_order_relaxed);
  sums.bytes = bytes_.load(std::memory_order_relaxed);
  return sums;
}

}  // namespace winnow::plugin
