#include "winnow/amq/window_bloom.h"

#include <gtest/gtest.h>

#include <vector>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace window_bloom_test {

using testing::ExpectReportedRate;
using testing::RandomHashes;
using testing::TestSeed;

TEST(WindowBloom, RemembersAsManyKeysAsPlannedAndForgetsTheRest) {
  for (const uint64_t capacity : {1u, 2u, 3u, 1000u}) {
    WindowBloom filter({capacity, 1e-6});
    const std::vector<KeyHash> keys = RandomHashes(TestSeed()).Take(10 * capacity);
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(filter.Add(keys[i]));
      for (size_t j = i + 1 < capacity ? 0 : i + 1 - capacity; j <= i; ++j) {
        ASSERT_TRUE(filter.MayContain(keys[j])) << i << " " << j << " " << capacity;
      }
    }
    EXPECT_EQ(filter.rotations(), 9u);
    uint64_t remembered = 0;
    for (const KeyHash key : keys) remembered += filter.MayContain(key);
    EXPECT_LE(remembered, 2 * capacity);
  }
}

// A key that is added repeatedly is never new, regardless of other keys.
TEST(WindowBloom, AddingAgainRemembersAnew) {
  WindowBloom filter({100, 1e-6});
  RandomHashes random(2);
  const KeyHash hot = {random.Next()};
  filter.Add(hot);
  for (int i = 0; i < 20'000; ++i) {
    filter.Add({random.Next()});
    if (i % 99 == 0) {
      ASSERT_FALSE(filter.Add(hot)) << i;
    }
  }
}

TEST(WindowBloom, HasThePlannedRateWhenBothGenerationsAreFull) {
  WindowBloom filter({100'000, 0.01});
  EXPECT_LE(filter.planned_fpr(), 0.01);
  for (const KeyHash key : RandomHashes(3).Take(200'000)) filter.Add(key);
  EXPECT_NEAR(filter.expected_fpr(), filter.planned_fpr(), 0.03 * filter.planned_fpr());
  ExpectReportedRate(filter, 1'000'000, 4);
}

TEST(WindowBloom, RotatingTwiceForgetsAll) {
  WindowBloom filter({100, 0.01});
  for (const KeyHash key : RandomHashes(5).Take(50)) filter.Add(key);
  filter.Rotate();
  EXPECT_GT(filter.fill_ratio(), 0);
  filter.Rotate();
  EXPECT_EQ(filter.fill_ratio(), 0);
  EXPECT_EQ(filter.rotations(), 2u);
}

}  // namespace window_bloom_test
}  // namespace winnow::amq
