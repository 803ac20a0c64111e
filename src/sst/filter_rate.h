// Statistical test of a filter's false-positive rate.

#ifndef WINNOW_SRC_SST_FILTER_RATE_H_
#define WINNOW_SRC_SST_FILTER_RATE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow::inspect {

// Random keys, from a seed, that are absent from a file. A file could have one of them
// nevertheless, so keys whose hash equals that of a key of the file are removed.
class AbsentKeys {
 public:
  AbsentKeys(uint64_t count, uint64_t seed);

  // Removes keys with the hash of a key (or prefix) in the filter.
  void IsPresent(uint64_t hash) {
    const uint64_t bit = hash >> shift_;
    if ((maybe_[bit / 64] >> (bit % 64) & 1) != 0) Remove(hash);
  }

  struct Key {
    char bytes[16];
    uint64_t hash;
    std::string_view view() const { return {bytes, sizeof(bytes)}; }
  };
  // Returns the remaining keys. Any part of them is random: they are not sorted by hash, since
  // neighbors would query the same few places of a filter.
  std::vector<Key> Left() const;

 private:
  void Remove(uint64_t hash);

  std::vector<Key> keys_;
  std::vector<std::pair<uint64_t, size_t>> by_hash_;  // hash and index in keys_
  std::vector<bool> present_;                         // true for keys_ that the file has
  std::vector<uint64_t> maybe_;                       // bitmap of hash prefixes of keys_
  int shift_ = 63;
};

// Lookups of absent keys, with expected and actual results.
struct RateSample {
  uint64_t lookups = 0;
  uint64_t positives = 0;
  double expected_positives = 0;  // sum of the lookups' expected rates

  // Variance of the expected number of positives over filters of different keys, by which even a
  // good filter's rate may differ; 0 if all filters have one rate.
  double variance_of_expected = 0;
};

// Returns the variance of a blocked Bloom filter's false-positive rate over sets of `keys` random
// keys. It results from the distribution of keys to blocks, and of bits within a block. It matters
// for small filters: with 10 bits per key, the standard deviation is 10% of the mean for 300 keys,
// and 2% for 10,000 keys. For sums over the cells of a multinomial count: L. Holst, "Asymptotic
// normality and efficiency for certain goodness-of-fit tests", Biometrika 59, 1972. There must be
// at least one block, bit and probe.
double VarianceOfBloomRate(uint64_t keys, uint64_t blocks, int block_bits, int probes);

enum class RateVerdict {
  kAsExpected,
  kRemark,  // above the expected rate by more than 4 standard deviations
  kFault,   // above 1.5 times the expected rate, and by more than 6 standard deviations
};

// Judges the rate of a sample. "6 standard deviations" stands for their tail probability in a
// normal distribution, 10^-9, for any of `filters` good filters that are judged together: the
// probability for each is divided by their number (C. E. Bonferroni, 1936; O. J. Dunn, "Multiple
// Comparisons Among Means", JASA 56, 1961). The number of positives is modeled as a Poisson count
// whose mean has a gamma distribution with the two moments of the sample, which makes it negative
// binomial (M. Greenwood, G. U. Yule, JRSS 83, 1920). `filters` must be at least 1.
RateVerdict JudgeRate(const RateSample& sample, uint64_t filters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_RATE_H_
