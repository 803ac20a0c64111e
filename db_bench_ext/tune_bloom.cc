// Prints the constants of the cache-blocked Bloom filter and what they were chosen from: the salts,
// the limits of bits a key between numbers of probes, and for each number of probes the 16 patterns
// of words with the lowest exact false-positive rate among random candidates.
//
//   tune_bloom [CANDIDATES]      64 unless given

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "db_bench_ext/split_mix.h"
#include "src/core/bloom.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace {

using Random = winnow::bench::SplitMix64;
using winnow::core::BloomRateAtBits;
using winnow::simd::kBloomMaxProbes;
using winnow::simd::kBloomPatterns;

constexpr unsigned kWords = 16;
constexpr double kBlockBits = 512;

uint16_t Rotate(uint16_t pattern, unsigned by) {
  const uint32_t twice = static_cast<uint32_t>(pattern) << 16 | pattern;
  return static_cast<uint16_t>((twice << by) >> 16);
}

uint16_t RandomPattern(Random& random, unsigned probes) {
  uint16_t pattern = 0;
  while (static_cast<unsigned>(__builtin_popcount(pattern)) < probes) {
    pattern = static_cast<uint16_t>(pattern | 1u << (random.Next() % kWords));
  }
  return pattern;
}

// The exact rate of a filter whose keys use these patterns in all rotations: the sum of
// core/sizing.h over the subsets of a query's words, each with its own probability that a key
// leaves it alone.
double ExactRate(const std::vector<uint16_t>& patterns, unsigned probes, double bits_per_key) {
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
  (void)probes;
  return rate / static_cast<double>(patterns.size());
}

// Where `probes` + 1 begin to have the lower rate.
double Limit(unsigned probes) {
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

void PrintSalts() {
  Random random(1);
  std::printf("salts:\n");
  for (unsigned w = 0; w < kWords; ++w) {
    uint32_t salt;
    do {
      salt = static_cast<uint32_t>(random.Next() >> 32) | 1;
    } while (std::abs(__builtin_popcount(salt) - 16) > 3);
    std::printf("0x%08xu,%s", salt, w % 6 == 5 ? "\n" : " ");
  }
  std::printf("\n\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int candidates = argc > 1 ? std::atoi(argv[1]) : 64;
  PrintSalts();
  double low = 1;
  for (unsigned probes = 1; probes <= kBloomMaxProbes; ++probes) {
    const double high = probes < kBloomMaxProbes ? Limit(probes) : 32;
    const double middle = (low + high) / 2;
    Random random(probes);
    std::vector<uint16_t> best;
    double best_rate = 2;
    double worst_rate = 0;
    for (int i = 0; i < candidates; ++i) {
      std::vector<uint16_t> patterns(kBloomPatterns);
      for (uint16_t& pattern : patterns) pattern = RandomPattern(random, probes);
      const double rate = ExactRate(patterns, probes, middle);
      worst_rate = std::max(worst_rate, rate);
      if (rate < best_rate) {
        best_rate = rate;
        best = patterns;
      }
    }
    std::printf(
        "%2u probes: up to %.4f bits a key; at %.2f bits: ideal %.6g, best %.6g (%+.2f %%), "
        "worst %.6g\n   {",
        probes, high, middle, BloomRateAtBits(middle, probes), best_rate,
        100 * (best_rate / BloomRateAtBits(middle, probes) - 1), worst_rate);
    for (unsigned i = 0; i < kBloomPatterns; ++i) {
      std::printf("0x%04x%s", best[i], i + 1 < kBloomPatterns ? ", " : "},\n");
    }
    low = high;
  }
  return 0;
}
