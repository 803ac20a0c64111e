// Tests that a short soak finds no error, and that planted errors are found.

#include "tests/core/soak.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/core/format.h"
#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"

namespace winnow::testing {
namespace soak_test {

SoakPlan ShortPlan() {
  SoakPlan plan;
  plan.lookups = 2'000'000;
  plan.most_keys = 10'000;
  plan.random_filters = 2000;
  return plan;
}

TEST(SoakTest, FindsNothingWrong) {
  SoakPlan plan = ShortPlan();
  plan.seed = TestSeed();
  const SoakResult result = Soak(plan);
  EXPECT_FALSE(result.kernel.empty());
  for (const SoakRow& row : result.rows) {
    EXPECT_EQ(row.counts.unusable, 0u);
    EXPECT_EQ(row.counts.false_negatives, 0u);
    EXPECT_TRUE(row.counts.Good())
        << ToString(row.kind) << ", " << row.least_keys
        << " keys and more: " << row.counts.false_positives << " false positives, expected "
        << row.counts.expected_false_positives;
  }
  EXPECT_TRUE(result.Good());
}

TEST(SoakTest, HasEverySizeKindAndFilterThatWasAskedFor) {
  double share_done = 0;
  SoakPlan plan = ShortPlan();
  plan.progress = [&](double share) {
    EXPECT_GE(share, share_done);
    share_done = share;
  };
  const SoakResult result = Soak(plan);
  EXPECT_EQ(share_done, 1);
  // Five powers of ten per kind, and the random filters.
  ASSERT_EQ(result.rows.size(), kKinds.size() * (5 + 1));
  uint64_t random_filters = 0;
  for (const SoakRow& row : result.rows) {
    EXPECT_GE(row.counts.filters, 19u);
    EXPECT_GT(row.counts.absent_lookups, 0u);
    if (row.least_keys == 0) {
      random_filters += row.counts.filters;
      continue;
    }
    EXPECT_GE(row.counts.lookups, plan.lookups / (kKinds.size() * 5)) << row.least_keys;
    EXPECT_EQ(row.counts.lookups, 2 * row.counts.keys);
  }
  EXPECT_EQ(random_filters, plan.random_filters);
  EXPECT_GE(result.Total().lookups, plan.lookups);
}

TEST(SoakTest, DigestIsThatOfEveryKernelAndMachine) {
  SoakPlan plan = ShortPlan();
  plan.lookups = 1;
  const uint64_t digest = Soak(plan).digest;
  EXPECT_EQ(Soak(plan).digest, digest);
  // Changes only if the bytes of builders change, like FORMAT.md's test vectors.
  EXPECT_EQ(digest, 0x51d12255b919180au);
  ++plan.seed;
  EXPECT_NE(Soak(plan).digest, digest);
}

TEST(SoakTest, NoticesOneDamagedFilter) {
  for (const bool in_payload : {false, true}) {
    SoakPlan plan = ShortPlan();
    int filters = 0;
    plan.damage = [&](FilterBlock* block) {
      if (++filters != 100) return;
      core::ParsedBlock parsed;
      ASSERT_EQ(core::Parse(block->bytes(), &parsed), Fault::kNone);
      const size_t tail = block->size - core::kTailBytes;
      if (in_payload) {
        std::fill_n(block->data.get(), parsed.payload_size, '\0');
      } else {
        block->data[tail] = static_cast<char>(block->data[tail] ^ 1);
      }
    };
    const SoakResult result = Soak(plan);
    EXPECT_EQ(result.Total().unusable, in_payload ? 0u : 1u);
    EXPECT_EQ(result.Total().false_negatives > 0, in_payload);
    EXPECT_FALSE(result.Good());
  }
}

TEST(SoakTest, NoticesARateThatIsNotTheStatedOne) {
  SoakCounts counts;
  counts.expected_false_positives = 10'000;
  counts.false_positives = 10'900;
  EXPECT_TRUE(counts.Good());
  counts.false_positives = 11'100;
  EXPECT_FALSE(counts.Good());
  counts.false_positives = 8'900;
  EXPECT_FALSE(counts.Good());
}

}  // namespace soak_test
}  // namespace winnow::testing
