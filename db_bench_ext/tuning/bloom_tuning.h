// Selection of the constants of the cache-blocked Bloom filter. tune_bloom prints the results, and
// a test compares them with the code.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_BLOOM_TUNING_H_
#define WINNOW_DB_BENCH_EXT_TUNING_BLOOM_TUNING_H_

#include <cstdint>
#include <vector>

namespace winnow::bench {

// Returns the multipliers that select a bit, one per word of a block: odd, with about as many ones
// as zeros.
std::vector<uint32_t> ChooseBloomSalts();

// Returns the bits per key, from 1 to 40, from which on `probes` + 1 probes have a lower rate than
// `probes`. `probes` must be from 1 to kBloomMaxProbes - 1.
double FindProbeLimit(unsigned probes);

// The best of several sets of random patterns.
struct ChosenPatterns {
  std::vector<uint16_t> patterns;  // kBloomPatterns patterns
  double bits_per_key = 0;         // size at which the rates were compared
  double rate = 0;                 // exact, 0 to 1
  double worst_rate = 0;           // worst rate of the rejected sets
  double ideal_rate = 0;           // rate of a filter with all possible patterns
};

// Chooses among `candidates` sets, at least 1. `probes` must be from 1 to kBloomMaxProbes.
ChosenPatterns ChooseBloomPatterns(unsigned probes, int candidates);

// Number of candidates behind the constants in the code.
inline constexpr int kBloomCandidates = 64;

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_BLOOM_TUNING_H_
