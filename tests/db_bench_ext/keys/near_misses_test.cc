// Tests that near misses are absent and similar to present keys.

#include "db_bench_ext/read_amplification/keys/near_misses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/db_bench_ext/keys/key_strings.h"

namespace winnow::bench {
namespace near_misses_test {

using ::testing::HasSubstr;

// Paths with long common prefixes, as in real data.
std::shared_ptr<const KeyTable> Paths() {
  auto keys = std::make_shared<KeyTable>();
  for (int i = 0; i < 3000; ++i) {
    keys->Add("usr/share/doc/package-" + std::to_string(i / 7) + "/file" + std::to_string(i % 7));
  }
  return keys;
}

// Returns whether changing one byte of `a`, or appending or removing one at its end, gives `b`.
bool IsOneChangeAway(const std::string& a, const std::string& b) {
  if (a.size() + 1 == b.size()) return b.compare(0, a.size(), a) == 0;
  if (a.size() == b.size() + 1) return a.compare(0, b.size(), b) == 0;
  if (a.size() != b.size()) return false;
  int different = 0;
  for (size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
  return different == 1;
}

TEST(NearMissesTest, TheyAreAbsentWithinTheRangeAndOneChangeAway) {
  const std::shared_ptr<const KeyTable> table = Paths();
  const std::vector<std::string> present = Strings(*table);
  const std::set<std::string> set(present.begin(), present.end());
  const absl::StatusOr<NearMisses> absent = NearMisses::Of(table, 500, 3);
  ASSERT_TRUE(absent.ok()) << absent.status();
  ASSERT_EQ(absent->size(), 500u);
  int changed = 0, longer = 0, shorter = 0;
  for (const std::string& key : Strings(*absent)) {
    EXPECT_EQ(set.count(key), 0u) << key;
    EXPECT_GT(key, *set.begin());
    EXPECT_LT(key, *set.rbegin());
    const auto origin = std::find_if(present.begin(), present.end(), [&](const std::string& real) {
      return IsOneChangeAway(real, key);
    });
    ASSERT_NE(origin, present.end()) << key;
    changed += origin->size() == key.size();
    longer += origin->size() < key.size();
    shorter += origin->size() > key.size();
  }
  EXPECT_GT(changed, 50);
  EXPECT_GT(longer, 50);
  EXPECT_GT(shorter, 50);
}

TEST(NearMissesTest, TheyDependOnTheSeedOnly) {
  const std::shared_ptr<const KeyTable> table = Paths();
  EXPECT_EQ(Strings(*NearMisses::Of(table, 100, 3)), Strings(*NearMisses::Of(table, 100, 3)));
  EXPECT_NE(Strings(*NearMisses::Of(table, 100, 3)), Strings(*NearMisses::Of(table, 100, 4)));
}

TEST(NearMissesTest, KeysThatLeaveNoRoomForNearMissesAreAnError) {
  const auto of = [](std::initializer_list<const char*> keys) {
    auto table = std::make_shared<KeyTable>();
    for (const char* key : keys) table->Add(key);
    return table;
  };
  for (const auto& table : {of({}), of({"alone"}), of({"a", "aa", "aaa"})}) {
    const absl::StatusOr<NearMisses> absent = NearMisses::Of(table, 1, 1);
    ASSERT_FALSE(absent.ok()) << table->size();
    EXPECT_THAT(std::string(absent.status().message()), HasSubstr("give more keys"));
  }
}

TEST(NearMissesTest, DrawingEndsWhenItIsToldTo) {
  EXPECT_EQ(NearMisses::Of(Paths(), 100'000, 1, [](uint64_t found) { return found < 1000; })
                .status()
                .code(),
            absl::StatusCode::kCancelled);
}

TEST(NearMissesTest, LongKeysTakeNoMoreMemoryThanShortOnes) {
  auto keys = std::make_shared<KeyTable>();
  for (int i = 0; i < 10; ++i) keys->Add(std::string(100'000, static_cast<char>('a' + i)));
  const absl::StatusOr<NearMisses> absent = NearMisses::Of(keys, 100'000, 1);
  ASSERT_TRUE(absent.ok()) << absent.status();
  EXPECT_GT(absent->total_bytes(), 9'000'000'000u) << "none of which is there";
  std::string room;
  EXPECT_NEAR(static_cast<double>(absent->Get(99'999, &room).size()), 100'000, 1);
}

}  // namespace near_misses_test
}  // namespace winnow::bench
