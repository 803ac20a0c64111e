#include "winnow/amq/counting_bloom.h"

#include <algorithm>
#include <cmath>

#include "src/amq/double_hashing.h"
#include "src/amq/plan.h"

namespace winnow::amq {
namespace {

constexpr unsigned kStuck = 15;

inline unsigned Shift(uint64_t position) noexcept { return position % 2 * 4; }

inline unsigned Count(const uint8_t* pairs, uint64_t position) noexcept {
  return static_cast<unsigned>(pairs[position / 2]) >> Shift(position) & 15;
}

inline void SetCount(uint8_t* pairs, uint64_t position, unsigned count) noexcept {
  const unsigned other = pairs[position / 2] & 15u << (4 - Shift(position));
  pairs[position / 2] = static_cast<uint8_t>(other | count << Shift(position));
}

}  // namespace

CountingBloom::CountingBloom(const Plan& plan) {
  const Plan valid = NearestValid(plan);
  const BloomShape shape = ShapeOfBloom(valid);
  pairs_.resize((shape.bits + 1) / 2);
  probes_ = shape.probes;
  const double fill = ExpectedFill(valid.capacity, static_cast<double>(num_counters()), probes_);
  planned_fpr_ = std::min(1.0, std::pow(fill, probes_) + EqualHashRate(valid.capacity));
}

// A key that has a position twice counts it twice, here and in Remove.
bool CountingBloom::Add(KeyHash hash) noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  bool is_new = false;
  for (unsigned i = 0; i < probes_; ++i) {
    const uint64_t position = positions.Next(m);
    const unsigned count = Count(pairs_.data(), position);
    is_new |= count == 0;
    used_ += count == 0;
    if (count == kStuck) continue;
    saturated_ += count + 1 == kStuck;
    SetCount(pairs_.data(), position, count + 1);
  }
  ++keys_;
  return is_new;
}

bool CountingBloom::Remove(KeyHash hash) noexcept {
  if (!MayContain(hash)) return false;
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  for (unsigned i = 0; i < probes_; ++i) {
    const uint64_t position = positions.Next(m);
    const unsigned count = Count(pairs_.data(), position);
    // 0 after the first of two equal positions: the key was never added.
    if (count == kStuck || count == 0) continue;
    used_ -= count == 1;
    SetCount(pairs_.data(), position, count - 1);
  }
  keys_ -= keys_ > 0;
  return true;
}

bool CountingBloom::MayContain(KeyHash hash) const noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  for (unsigned i = 0; i < probes_; ++i) {
    if (Count(pairs_.data(), positions.Next(m)) == 0) return false;
  }
  return true;
}

unsigned CountingBloom::EstimateCount(KeyHash hash) const noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_counters();
  unsigned least = kStuck;
  for (unsigned i = 0; i < probes_; ++i) {
    least = std::min(least, Count(pairs_.data(), positions.Next(m)));
  }
  return least;
}

double CountingBloom::fill_ratio() const noexcept {
  return static_cast<double>(used_) / static_cast<double>(num_counters());
}

double CountingBloom::saturated_share() const noexcept {
  return static_cast<double>(saturated_) / static_cast<double>(num_counters());
}

double CountingBloom::expected_fpr() const noexcept {
  return std::min(1.0, std::pow(fill_ratio(), probes_) + EqualHashRate(keys_));
}

}  // namespace winnow::amq
