#include "src/inspect/filter_rate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

// S. Vigna's SplitMix64.
uint64_t NextRandom(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// How likely a Poisson variable of this mean is at least `count`.
double PoissonTail(double mean, uint64_t count) {
  if (count == 0) {
    return 1;
  }
  if (mean <= 0) {
    return 0;
  }
  // From the count on the terms fall by more than mean/count each.
  double term = std::exp(static_cast<double>(count) * std::log(mean) - mean -
                         std::lgamma(static_cast<double>(count) + 1));
  double sum = 0;
  for (double j = static_cast<double>(count) + 1; term > sum * 1e-12; ++j) {
    sum += term;
    term *= mean / j;
  }
  return std::min(sum, 1.0);
}

}  // namespace

AbsentKeys::AbsentKeys(uint64_t count, uint64_t seed) {
  int bits = 6;
  while ((uint64_t{1} << bits) < count * 16 && bits < 40) {
    ++bits;
  }
  shift_ = 64 - bits;
  maybe_.assign((uint64_t{1} << bits) / 64, 0);
  keys_.resize(count);
  for (Key& key : keys_) {
    const uint64_t words[2] = {NextRandom(&seed), NextRandom(&seed)};
    std::memcpy(key.bytes, words, sizeof(key.bytes));
    key.hash = HashKey(key.view()).value;
    const uint64_t bit = key.hash >> shift_;
    maybe_[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    by_hash_.emplace_back(keys_[i].hash, i);
  }
  std::sort(by_hash_.begin(), by_hash_.end());
  present_.assign(keys_.size(), false);
}

void AbsentKeys::Remove(uint64_t hash) {
  for (auto found = std::lower_bound(by_hash_.begin(), by_hash_.end(), std::pair(hash, size_t{0}));
       found != by_hash_.end() && found->first == hash; ++found) {
    present_[found->second] = true;
  }
}

std::vector<AbsentKeys::Key> AbsentKeys::Left() const {
  std::vector<Key> left;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (!present_[i]) {
      left.push_back(keys_[i]);
    }
  }
  return left;
}

RateVerdict JudgeRate(const RateSample& sample) {
  constexpr double kSixDeviations = 9.865876e-10;  // above them lies this share of a normal curve
  constexpr double kFourDeviations = 3.167124e-5;
  const double positives = static_cast<double>(sample.positives);
  if (positives <= sample.expected_positives) {
    return RateVerdict::kAsExpected;
  }
  const double chance = PoissonTail(sample.expected_positives, sample.positives);
  if (positives > 1.5 * sample.expected_positives && chance < kSixDeviations) {
    return RateVerdict::kFault;
  }
  return chance < kFourDeviations ? RateVerdict::kRemark : RateVerdict::kAsExpected;
}

}  // namespace winnow::inspect
