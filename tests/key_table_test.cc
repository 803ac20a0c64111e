// Keys of a run: each once, in the same order every time, and absent ones that are really absent.

#include "db_bench_ext/read_amplification/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace winnow::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Strings(const KeyTable& keys) {
  std::vector<std::string> strings;
  for (size_t i = 0; i < keys.size(); ++i) strings.emplace_back(keys[i]);
  return strings;
}

// Paths that share long prefixes, as people's keys do.
KeyTable Paths() {
  KeyTable keys;
  for (int i = 0; i < 3000; ++i) {
    keys.Add("usr/share/doc/package-" + std::to_string(i / 7) + "/file" + std::to_string(i % 7));
  }
  return keys;
}

// Whether one byte changed, appended at the end or removed there makes `b` of `a`.
bool IsOneChangeAway(const std::string& a, const std::string& b) {
  if (a.size() + 1 == b.size()) return b.compare(0, a.size(), a) == 0;
  if (a.size() == b.size() + 1) return a.compare(0, b.size(), b) == 0;
  if (a.size() != b.size()) return false;
  int different = 0;
  for (size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
  return different == 1;
}

TEST(KeyTableTest, KeysComeBackAsTheyWereAdded) {
  KeyTable keys;
  keys.Add("one");
  keys.Add("");
  keys.Add(std::string_view("t\0o", 3));
  EXPECT_THAT(Strings(keys), ElementsAre("one", "", std::string("t\0o", 3)));
  EXPECT_EQ(keys.total_bytes(), 6u);
}

TEST(KeyTableTest, DuplicatesAreDroppedAndTheOrderIsKept) {
  KeyTable keys;
  for (const char* key : {"b", "a", "b", "c", "a"}) keys.Add(key);
  EXPECT_THAT(Strings(DropDuplicates(keys)), ElementsAre("b", "a", "c"));
}

TEST(KeyTableTest, AShuffledOrderHasEveryNumberAndDependsOnTheSeedOnly) {
  const std::vector<uint32_t> order = ShuffledOrder(1000, 7);
  EXPECT_EQ(order, ShuffledOrder(1000, 7));
  EXPECT_NE(order, ShuffledOrder(1000, 8));
  std::vector<uint32_t> sorted = order;
  EXPECT_FALSE(std::is_sorted(sorted.begin(), sorted.end()));
  std::sort(sorted.begin(), sorted.end());
  for (uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(sorted[i], i);
}

TEST(KeyTableTest, PicksReachEveryNumberBelowTheLimitAndNoOther) {
  const std::vector<uint32_t> picks = RandomPicks(1000, 10, 1);
  EXPECT_EQ(std::set<uint32_t>(picks.begin(), picks.end()),
            (std::set<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(KeyTableTest, GeneratedKeysAscendAndHaveTheirSize) {
  const std::vector<std::string> keys = Strings(GenerateKeys(1000, 20));
  ASSERT_EQ(keys.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 1000u);
  EXPECT_EQ(keys[256], std::string("\0\0\0\0\0\0\2\0000000000000000", 20));
}

TEST(KeyTableTest, GeneratedAbsentKeysAreAbsentWithinTheRangeAndOfTheSameSize) {
  const std::vector<std::string> present = Strings(GenerateKeys(300, 16));
  const std::set<std::string> set(present.begin(), present.end());
  for (const std::string& key : Strings(GenerateAbsentKeys(2000, 300, 16, 5))) {
    EXPECT_EQ(key.size(), 16u);
    EXPECT_EQ(set.count(key), 0u);
    EXPECT_GT(key, present.front());
    EXPECT_LT(key, present.back());
  }
}

TEST(KeyTableTest, NearMissesAreAbsentWithinTheRangeAndOneChangeAway) {
  const KeyTable table = Paths();
  const std::vector<std::string> present = Strings(table);
  const std::set<std::string> set(present.begin(), present.end());
  const absl::StatusOr<KeyTable> absent = NearMisses(table, 500, 3);
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

TEST(KeyTableTest, NearMissesDependOnTheSeedOnly) {
  const KeyTable table = Paths();
  EXPECT_EQ(Strings(*NearMisses(table, 100, 3)), Strings(*NearMisses(table, 100, 3)));
  EXPECT_NE(Strings(*NearMisses(table, 100, 3)), Strings(*NearMisses(table, 100, 4)));
}

TEST(KeyTableTest, KeysThatLeaveNoRoomForNearMissesAreAnError) {
  KeyTable none, one, dense;
  one.Add("alone");
  for (const char* key : {"a", "aa", "aaa"}) dense.Add(key);
  for (const KeyTable* table : {&none, &one, &dense}) {
    const absl::StatusOr<KeyTable> absent = NearMisses(*table, 1, 1);
    ASSERT_FALSE(absent.ok()) << table->size();
    EXPECT_THAT(std::string(absent.status().message()), HasSubstr("give more keys"));
  }
}

}  // namespace
}  // namespace winnow::bench
