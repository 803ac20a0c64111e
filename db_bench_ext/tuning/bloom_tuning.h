// How the constants of the cache-blocked Bloom filter are chosen. tune_bloom prints what comes out,
// and a test compares it with the code.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_BLOOM_TUNING_H_
#define WINNOW_DB_BENCH_EXT_TUNING_BLOOM_TUNING_H_

#include <cstdint>
#include <vector>

namespace winnow::bench {

// The multipliers that choose a bit, one for each word of a block: odd, with about as many ones as
// zeros.
std::vector<uint32_t> ChooseBloomSalts();

// The bits a key, from 1 to 40, from which on `probes` + 1 have a lower rate than `probes` have.
// probes from 1 to kBloomMaxProbes - 1.
double FindProbeLimit(unsigned probes);

// The best among sets of random patterns.
struct ChosenPatterns {
  std::vector<uint16_t> patterns;  // kBloomPatterns of them
  double bits_per_key = 0;         // at which rates were compared
  double rate = 0;                 // exact, 0 to 1
  double worst_rate = 0;           // of the sets that were not chosen
  double ideal_rate = 0;           // of a filter with all patterns that there are
};

// probes from 1 to kBloomMaxProbes; `candidates` sets are tried, 1 or more.
ChosenPatterns ChooseBloomPatterns(unsigned probes, int candidates);

// The candidates that the constants of the code were chosen from.
inline constexpr int kBloomCandidates = 64;

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_BLOOM_TUNING_H_
