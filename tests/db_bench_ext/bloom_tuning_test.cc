// Tests that the Bloom filter's constants are those that tune_bloom prints.

#include "db_bench_ext/tuning/bloom_tuning.h"

#include <gtest/gtest.h>

#include "src/core/bloom.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace winnow::bench {
namespace {

TEST(BloomTuningTest, SaltsAreThoseOfTheKernels) {
  EXPECT_EQ(ChooseBloomSalts(),
            std::vector<uint32_t>(std::begin(simd::kBloomSalts), std::end(simd::kBloomSalts)));
}

TEST(BloomTuningTest, ProbesChangeAtTheLimits) {
  for (unsigned probes = 1; probes < simd::kBloomMaxProbes; ++probes) {
    const double limit = FindProbeLimit(probes);
    EXPECT_EQ(core::BloomProbes(limit - 0.0001), probes) << limit;
    EXPECT_EQ(core::BloomProbes(limit + 0.0001), probes + 1) << limit;
  }
}

TEST(BloomTuningTest, PatternsAreTheBestOfTheirCandidates) {
  for (unsigned probes = 1; probes <= simd::kBloomMaxProbes; ++probes) {
    const ChosenPatterns chosen = ChooseBloomPatterns(probes, kBloomCandidates);
    const uint16_t* patterns = core::BloomPatterns(probes);
    EXPECT_EQ(chosen.patterns, std::vector<uint16_t>(patterns, patterns + simd::kBloomPatterns))
        << probes << " probes";
    EXPECT_LT(chosen.rate / chosen.ideal_rate, 1.001) << probes << " probes";
  }
}

}  // namespace
}  // namespace winnow::bench
