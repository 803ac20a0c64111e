// Tests that a short soak finds no error. The test filter_soak.notices_damage plants one.

#include "tests/core/soak.h"

#include <gtest/gtest.h>

#include "tests/support/random_hashes.h"

namespace winnow::testing {
namespace soak_test {

TEST(SoakTest, FindsNothingWrong) {
  SoakPlan plan;
  plan.lookups = 2'000'000;
  plan.most_keys = 10'000;
  plan.random_filters = 10'000;
  plan.seed = TestSeed();
  const SoakResult result = Soak(plan);
  EXPECT_FALSE(result.kernel.empty());
  for (const SoakRow& row : result.rows) {
    EXPECT_EQ(row.counts.unusable, 0u);
    EXPECT_EQ(row.counts.false_negatives, 0u);
    EXPECT_GE(row.counts.filters, 19u);
    EXPECT_TRUE(row.counts.Good())
        << ToString(row.kind) << ", " << row.least_keys
        << " keys and more: " << row.counts.false_positives << " false positives, expected "
        << row.counts.expected_false_positives;
  }
  EXPECT_GE(result.Total().lookups, plan.lookups);
}

TEST(SoakTest, DigestIsThatOfEveryKernelAndMachine) {
  SoakPlan plan;
  plan.lookups = 1;
  plan.most_keys = 10'000;
  plan.random_filters = 2000;
  const uint64_t digest = Soak(plan).digest;
  // Changes only if the bytes of builders change, like FORMAT.md's test vectors.
  EXPECT_EQ(digest, 0x51d12255b919180au);
  ++plan.seed;
  EXPECT_NE(Soak(plan).digest, digest);
}

}  // namespace soak_test
}  // namespace winnow::testing
