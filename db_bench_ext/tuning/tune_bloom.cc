// Prints the constants of the cache-blocked Bloom filter and the measurements behind them: the
// salts, the limits of bits per key between numbers of probes, and for each number of probes the 16
// patterns of words with the lowest exact false-positive rate among random candidates.
//
//   tune_bloom

#include <absl/flags/parse.h>
#include <absl/flags/usage.h>

#include <cstddef>
#include <cstdio>

#include "db_bench_ext/tuning/bloom_tuning.h"
#include "src/simd/kernels.h"

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "prints the constants of the cache-blocked Bloom filter, and what they were chosen from.");
  if (const auto rest = absl::ParseCommandLine(argc, argv); rest.size() > 1) {
    std::fprintf(stderr, "tune_bloom: takes no argument, found '%s'\n", rest[1]);
    return 2;
  }
  using winnow::simd::kBloomMaxProbes;
  std::printf("salts:\n");
  for (const uint32_t salt : winnow::bench::ChooseBloomSalts()) std::printf("0x%08xu, ", salt);
  std::printf("\n\n");
  for (unsigned probes = 1; probes <= kBloomMaxProbes; ++probes) {
    const winnow::bench::ChosenPatterns chosen =
        winnow::bench::ChooseBloomPatterns(probes, winnow::bench::kBloomCandidates);
    std::printf(
        "%2u probes: up to %.4f bits per key; at %.2f bits: ideal %.6g, best %.6g (%+.2f %%), "
        "worst "
        "%.6g\n   {",
        probes, probes < kBloomMaxProbes ? winnow::bench::FindProbeLimit(probes) : 32.0,
        chosen.bits_per_key, chosen.ideal_rate, chosen.rate,
        100 * (chosen.rate / chosen.ideal_rate - 1), chosen.worst_rate);
    for (size_t i = 0; i < chosen.patterns.size(); ++i) {
      std::printf("0x%04x%s", chosen.patterns[i], i + 1 < chosen.patterns.size() ? ", " : "},\n");
    }
  }
  return 0;
}
