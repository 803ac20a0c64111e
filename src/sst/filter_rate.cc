#include "src/sst/filter_rate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

// SplitMix64, by S. Vigna.
uint64_t NextRandom(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Returns the probability that a count is at least `count`, which is above the mean: a Poisson
// count, or a negative binomial count if the mean has a variance.
double ChanceOf(uint64_t count, double mean, double variance_of_mean) {
  if (mean <= 0) {
    return count == 0 ? 1 : 0;
  }
  const double k = static_cast<double>(count);
  // A smaller variance makes no difference, and lgamma() would lose precision.
  const bool is_poisson = variance_of_mean < 1e-6 * mean;
  const double shape = is_poisson ? 0 : mean * mean / variance_of_mean;
  const double growth = is_poisson ? 0 : variance_of_mean / (mean + variance_of_mean);
  double term = is_poisson
                    ? std::exp(k * std::log(mean) - mean - std::lgamma(k + 1))
                    : std::exp(std::lgamma(k + shape) - std::lgamma(shape) - std::lgamma(k + 1) +
                               shape * std::log1p(-growth) + k * std::log(growth));
  // Terms decrease from the mean on.
  double sum = 0;
  for (double j = k; term > sum * 1e-12; ++j) {
    sum += term;
    term *= (is_poisson ? mean : growth * (j + shape)) / (j + 1);
  }
  return std::min(sum, 1.0);
}

// Mean and variance of the share of a Bloom block's bits that `keys` keys set (W. Feller, "An
// Introduction to Probability Theory and Its Applications", vol. 1, on occupancy).
struct Fill {
  double mean = 0;
  double variance = 0;
};

Fill FillOf(double keys, double bits, int probes) {
  const double balls = keys * probes;
  const double one_empty = std::exp(balls * std::log1p(-1 / bits));
  const double two_empty = bits > 2 ? std::exp(balls * std::log1p(-2 / bits)) : 0;
  const double variance = (1 - 1 / bits) * two_empty + one_empty / bits - one_empty * one_empty;
  return {1 - one_empty, std::max(0.0, variance)};
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

double VarianceOfBloomRate(uint64_t keys, uint64_t blocks, int block_bits, int probes) {
  const double load = static_cast<double>(keys) / static_cast<double>(blocks);
  constexpr double kNearlyFull = 10'000;  // keys per block: such filters let every key through
  if (keys == 0 || load > kNearlyFull) {
    return 0;
  }
  const double reach = 10 * std::sqrt(load) + 10;
  double mean = 0, mean_of_squares = 0, with_keys = 0, within = 0;
  for (double j = std::max(0.0, std::floor(load - reach)); j <= std::ceil(load + reach); ++j) {
    const double weight = std::exp(j * std::log(load) - load - std::lgamma(j + 1));
    const Fill fill = FillOf(j, block_bits, probes);
    const double rate = std::pow(fill.mean, probes);
    const double slope = probes * std::pow(fill.mean, probes - 1);
    mean += weight * rate;
    mean_of_squares += weight * rate * rate;
    with_keys += weight * rate * (j - load);
    within += weight * slope * slope * fill.variance;
  }
  // Variance between blocks. Its linear part cancels: keys that one block has more, others have
  // less.
  const double between = mean_of_squares - mean * mean - with_keys * with_keys / load;
  const double b = static_cast<double>(blocks);
  return (std::max(0.0, between) * (1 - 1 / b) + within) / b;
}

RateVerdict JudgeRate(const RateSample& sample, uint64_t filters) {
  constexpr double kSixDeviations = 9.865876e-10;  // tail probability of a normal distribution
  constexpr double kFourDeviations = 3.167124e-5;
  const double positives = static_cast<double>(sample.positives);
  if (positives <= sample.expected_positives) {
    return RateVerdict::kAsExpected;
  }
  const double chance =
      static_cast<double>(filters) *
      ChanceOf(sample.positives, sample.expected_positives, sample.variance_of_expected);
  if (positives > 1.5 * sample.expected_positives && chance < kSixDeviations) {
    return RateVerdict::kFault;
  }
  return chance < kFourDeviations ? RateVerdict::kRemark : RateVerdict::kAsExpected;
}

}  // namespace winnow::inspect
