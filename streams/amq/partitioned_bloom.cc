#include "winnow/amq/partitioned_bloom.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "streams/amq/mix.h"
#include "streams/amq/plan.h"
#include "streams/amq/shapes.h"

namespace winnow::amq {

double PartitionedRate(uint64_t n, uint64_t words, unsigned parts) noexcept {
  // The parts are filled independently of each other.
  return std::pow(ExpectedFill(n, 64 * static_cast<double>(words), 1), parts);
}

uint64_t WordsOfPart(const Plan& plan, unsigned parts) noexcept {
  const double rate = OwnRate(plan);
  const double bits =
      -static_cast<double>(plan.capacity) / std::log1p(-std::pow(rate, 1.0 / parts));
  uint64_t words = std::max<uint64_t>(1, static_cast<uint64_t>(bits / 64));
  while (PartitionedRate(plan.capacity, words, parts) > rate) ++words;
  return words;
}

PartitionedBloom::PartitionedBloom(const Plan& plan) {
  const Plan valid = NearestValid(plan);
  const BloomShape shape = ShapeOfBloom(valid);
  part_words_ = WordsOfPart(valid, shape.probes);
  words_.resize(part_words_ * shape.probes);
  ones_.resize(shape.probes);
  planned_fpr_ =
      PartitionedRate(valid.capacity, part_words_, shape.probes) + EqualHashRate(valid.capacity);
}

bool PartitionedBloom::Add(KeyHash hash) noexcept {
  const uint64_t bits = part_bits();
  uint64_t* part = words_.data();
  uint64_t changed = 0;
  for (unsigned i = 0; i < parts(); ++i, part += part_words_) {
    const uint64_t position = Reduce(HashBits(hash.value, i), bits);
    uint64_t& word = part[position / 64];
    const uint64_t was_unset = ~word >> position % 64 & 1;
    word |= uint64_t{1} << position % 64;
    ones_[i] += was_unset;
    changed |= was_unset;
  }
  added_ += changed;
  return changed != 0;
}

bool PartitionedBloom::MayContain(KeyHash hash) const noexcept {
  const uint64_t bits = part_bits();
  const uint64_t* part = words_.data();
  for (unsigned i = 0; i < parts(); ++i, part += part_words_) {
    const uint64_t position = Reduce(HashBits(hash.value, i), bits);
    if ((part[position / 64] >> position % 64 & 1) == 0) return false;
  }
  return true;
}

double PartitionedBloom::fill_ratio(unsigned part) const noexcept {
  return static_cast<double>(ones_[part]) / static_cast<double>(part_bits());
}

double PartitionedBloom::fill_ratio() const noexcept {
  const uint64_t ones = std::accumulate(ones_.begin(), ones_.end(), uint64_t{0});
  return static_cast<double>(ones) / static_cast<double>(words_.size() * 64);
}

double PartitionedBloom::expected_fpr() const noexcept {
  double rate = 1;
  for (unsigned i = 0; i < parts(); ++i) rate *= fill_ratio(i);
  return std::min(1.0, rate + EqualHashRate(added_));
}

}  // namespace winnow::amq
