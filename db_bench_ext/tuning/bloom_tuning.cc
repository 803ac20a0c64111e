#include "db_bench_ext/tuning/bloom_tuning.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/base/random.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace winnow::bench {
namespace {

using core::BloomRateAtBits;
using simd::kBloomMaxProbes;
using simd::kBloomPatterns;

constexpr unsigned kWords = 16;
constexpr double kBlockBits = 512;

uint16_t Rotate(uint16_t pattern, unsigned by) {
  const uint32_t twice = static_cast<uint32_t>(pattern) << 16 | pattern;
  return static_cast<uint16_t>((twice << by) >> 16);
}

uint16_t RandomPattern(Random& random, unsigned probes) {
  uint16_t pattern = 0;
  while (static_cast<unsigned>(__builtin_popcount(pattern)) < probes) {
    pattern = static_cast<uint16_t>(pattern | 1u << (random() % kWords));
  }
  return pattern;
}

// Returns the exact rate of a filter whose keys use these patterns in all rotations: the sum in
// core/sizing.h over the subsets of a query's words, each with its own probability that a key sets
// none of its bits.
double ExactRate(const std::vector<uint16_t>& patterns, double bits_per_key) {
  // alone[S] = mean over all patterns Q of (31/32)^|Q and S|, for all S at once.
  std::vector<double> alone(1u << kWords, 0.0);
  for (const uint16_t pattern : patterns) {
    for (unsigned by = 0; by < kWords; ++by) {
      alone[Rotate(pattern, by)] += 1.0 / static_cast<double>(patterns.size() * kWords);
    }
  }
  for (unsigned bit = 1; bit < 1u << kWords; bit <<= 1) {
    for (unsigned set = 0; set < 1u << kWords; ++set) {
      if ((set & bit) != 0) continue;
      const double without = alone[set];
      const double with = alone[set | bit];
      alone[set] = without + with;
      alone[set | bit] = without + with * 31.0 / 32.0;
    }
  }
  const double load = kBlockBits / bits_per_key;
  double rate = 0;
  for (const uint16_t pattern : patterns) {
    unsigned subset = pattern;
    while (true) {
      const double term = std::exp(-load * (1 - alone[subset]));
      rate += (__builtin_popcount(subset) % 2 == 0 ? term : -term);
      if (subset == 0) break;
      subset = (subset - 1) & pattern;
    }
  }
  return rate / static_cast<double>(patterns.size());
}

// Returns the middle of the range of bits per key in which this number of probes is the best.
double MiddleOf(unsigned probes) {
  const double low = probes > 1 ? FindProbeLimit(probes - 1) : 1;
  const double high = probes < kBloomMaxProbes ? FindProbeLimit(probes) : 32;
  return (low + high) / 2;
}

}  // namespace

std::vector<uint32_t> ChooseBloomSalts() {
  Random random(1);
  std::vector<uint32_t> salts;
  while (salts.size() < kWords) {
    const uint32_t salt = static_cast<uint32_t>(random() >> 32) | 1;
    if (std::abs(__builtin_popcount(salt) - 16) <= 3) salts.push_back(salt);
  }
  return salts;
}

double FindProbeLimit(unsigned probes) {
  double low = 1;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const bool fewer_is_better =
        BloomRateAtBits(middle, probes) < BloomRateAtBits(middle, probes + 1);
    (fewer_is_better ? low : high) = middle;
  }
  return low;
}

ChosenPatterns ChooseBloomPatterns(unsigned probes, int candidates) {
  ChosenPatterns chosen;
  chosen.bits_per_key = MiddleOf(probes);
  chosen.ideal_rate = BloomRateAtBits(chosen.bits_per_key, probes);
  chosen.rate = 1;
  Random random(probes);
  for (int i = 0; i < candidates; ++i) {
    std::vector<uint16_t> patterns(kBloomPatterns);
    for (uint16_t& pattern : patterns) pattern = RandomPattern(random, probes);
    const double rate = ExactRate(patterns, chosen.bits_per_key);
    chosen.worst_rate = std::max(chosen.worst_rate, rate);
    if (rate < chosen.rate) {
      chosen.rate = rate;
      chosen.patterns = patterns;
    }
  }
  return chosen;
}

}  // namespace winnow::bench
