#include "winnow/amq/standard_bloom.h"

#include <algorithm>
#include <cmath>

#include "streams/amq/double_hashing.h"
#include "streams/amq/plan.h"

namespace winnow::amq {

StandardBloom::StandardBloom(const Plan& plan) {
  const Plan valid = NearestValid(plan);
  const BloomShape shape = ShapeOfBloom(valid);
  words_.resize((shape.bits + 63) / 64);
  probes_ = shape.probes;
  planned_fpr_ = BloomRate(valid.capacity, static_cast<double>(num_bits()), probes_) +
                 EqualHashRate(valid.capacity);
}

bool StandardBloom::Add(KeyHash hash) noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_bits();
  const uint64_t before = ones_;
  for (unsigned i = 0; i < probes_; ++i) {
    const uint64_t position = positions.Next(m);
    uint64_t& word = words_[position / 64];
    ones_ += ~word >> position % 64 & 1;
    word |= uint64_t{1} << position % 64;
  }
  added_ += ones_ != before;
  return ones_ != before;
}

bool StandardBloom::MayContain(KeyHash hash) const noexcept {
  DoubleHashing positions(hash.value);
  const uint64_t m = num_bits();
  for (unsigned i = 0; i < probes_; ++i) {
    const uint64_t position = positions.Next(m);
    if ((words_[position / 64] >> position % 64 & 1) == 0) return false;
  }
  return true;
}

double StandardBloom::fill_ratio() const noexcept {
  return static_cast<double>(ones_) / static_cast<double>(num_bits());
}

double StandardBloom::expected_fpr() const noexcept {
  return std::min(1.0, std::pow(fill_ratio(), probes_) + EqualHashRate(added_));
}

}  // namespace winnow::amq
