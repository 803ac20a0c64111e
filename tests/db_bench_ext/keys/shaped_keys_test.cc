// Tests of keys that resemble those of applications.

#include "db_bench_ext/read_amplification/keys/shaped_keys.h"

#include <gtest/gtest.h>

namespace winnow::bench {
namespace shaped_keys_test {

class ShapedKeysTest : public ::testing::TestWithParam<KeyShape> {};

TEST_P(ShapedKeysTest, KeysAreManyDifferentInOrderAndTheSameForASeed) {
  constexpr uint64_t kKeys = 5000;
  const KeyTable keys = MakeShapedKeys(GetParam(), kKeys, 1);
  const KeyTable again = MakeShapedKeys(GetParam(), kKeys, 1);
  const KeyTable others = MakeShapedKeys(GetParam(), kKeys, 2);
  ASSERT_EQ(keys.size(), kKeys);
  uint64_t same = 0;
  for (uint64_t i = 0; i < kKeys; ++i) {
    EXPECT_EQ(keys[i], again[i]);
    same += keys[i] == others[i];
    EXPECT_TRUE(i == 0 || keys[i - 1] < keys[i]) << i;
  }
  EXPECT_LT(same, kKeys / 10);
}

INSTANTIATE_TEST_SUITE_P(, ShapedKeysTest,
                         ::testing::Values(KeyShape::kIntegers, KeyShape::kEvents,
                                           KeyShape::kPaths));

TEST(ShapesTest, EventsAreOfUsersAndPathsOfFolders) {
  const KeyTable events = MakeShapedKeys(KeyShape::kEvents, 500, 1);
  uint64_t of_one_user = 0;
  for (uint64_t i = 1; i < events.size(); ++i) {
    ASSERT_EQ(events[i].size(), 24u);
    of_one_user += events[i].substr(0, 16) == events[i - 1].substr(0, 16);
  }
  EXPECT_EQ(of_one_user, 490u);  // there are ten users
  const KeyTable paths = MakeShapedKeys(KeyShape::kPaths, 500, 1);
  for (uint64_t i = 0; i < paths.size(); ++i) EXPECT_EQ(paths[i][0], '/');
}

}  // namespace shaped_keys_test
}  // namespace winnow::bench
