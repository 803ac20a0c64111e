// Tests whether a filter answers "may contain" for absent keys more often than it should.

#ifndef WINNOW_SRC_SST_FILTER_RATE_H_
#define WINNOW_SRC_SST_FILTER_RATE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow::inspect {

// Keys that are not in a file, to ask its filter for: random bytes, by a seed. A file might have
// one of them nevertheless: what the file's keys hash to is left out.
class AbsentKeys {
 public:
  AbsentKeys(uint64_t count, uint64_t seed);

  // Tells of a key (or prefix) that the filter holds, by its hash.
  void IsPresent(uint64_t hash) {
    const uint64_t bit = hash >> shift_;
    if ((maybe_[bit / 64] >> (bit % 64) & 1) != 0) Remove(hash);
  }

  struct Key {
    char bytes[16];
    uint64_t hash;
    std::string_view view() const { return {bytes, sizeof(bytes)}; }
  };
  // Those that are left. Any part of them is random: they are in no order of their hashes, by which
  // neighbours would ask the same few places of a filter.
  std::vector<Key> Left() const;

 private:
  void Remove(uint64_t hash);

  std::vector<Key> keys_;
  std::vector<std::pair<uint64_t, size_t>> by_hash_;  // hash and place in keys_
  std::vector<bool> present_;                         // those of keys_ that the file has
  std::vector<uint64_t> maybe_;  // a bit for each beginning of a hash: whether a key has it
  int shift_ = 63;
};

// Lookups of absent keys, as they were expected to come out and as they did.
struct RateSample {
  uint64_t lookups = 0;
  uint64_t positives = 0;
  double expected_positives = 0;  // the sum of the lookups' expected rates

  // How far a good filter's own rate may make it miss that number: the variance of the number of
  // positives that its bits let one expect, over filters of other keys. 0: all are alike.
  double variance_of_expected = 0;
};

// The variance of the rate of a Bloom filter of blocks over sets of so many random keys: of how
// the keys fall into the blocks, and their bits into a block. It counts where keys are few: of
// 300 keys with 10 bits each the rates have a standard deviation of 10 % of their mean, of 10,000
// keys 2 %. For sums over the cells of a multinomial count: L. Holst, "Asymptotic normality and
// efficiency for certain goodness-of-fit tests", Biometrika 59, 1972. At least one block, bit and
// probe.
double VarianceOfBloomRate(uint64_t keys, uint64_t blocks, int block_bits, int probes);

enum class RateVerdict {
  kAsExpected,
  kRemark,  // higher, beyond 4 standard deviations
  kFault,   // above 1.5 times the expected rate, and beyond 6 standard deviations
};

// "Beyond 6 standard deviations" means as rare as that is for a normal distribution, one in 10^9,
// for any of `filters` good ones that are judged together: each is held to that chance divided by
// their number (C. E. Bonferroni, 1936; O. J. Dunn, "Multiple Comparisons Among Means", JASA 56,
// 1961). The number of positives is taken to be a Poisson count whose mean has a gamma distribution
// with the two moments of the sample, which makes it negative binomial (M. Greenwood, G. U. Yule,
// JRSS 83, 1920). At least one filter.
RateVerdict JudgeRate(const RateSample& sample, uint64_t filters);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_FILTER_RATE_H_
