#include "src/rocksdb/remote/shared_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random_hashes.h"

namespace winnow::plugin {
namespace shared_runs_test {

std::string Text(std::mt19937_64* random, size_t size) {
  std::string text(size, '\0');
  for (char& byte : text) byte = static_cast<char>((*random)());
  return text;
}

std::optional<std::string> Shorten(const SharedRuns& runs, std::string_view key) {
  char bytes[SharedRuns::kMaxKeyBytes];
  const size_t size = runs.Shorten(key, bytes);
  return size == SharedRuns::kUnknown ? std::nullopt : std::optional(std::string(bytes, size));
}

// Returns keys of tenants with long names and of groups within each.
std::vector<std::string> KeysOfTenants(std::mt19937_64* random, size_t prefix) {
  std::set<std::string> keys;
  for (int tenant = 0; tenant < 8; ++tenant) {
    const std::string name = Text(random, prefix);
    for (int group = 0; group < 3; ++group) {
      const std::string of_group = name + Text(random, 20);
      for (int i = 0; i < 30; ++i) keys.insert("all/" + of_group + Text(random, (*random)() % 10));
    }
  }
  return {keys.begin(), keys.end()};
}

TEST(SharedRunsTest, KeysWithoutTheirRunsAreInTheSameOrder) {
  std::mt19937_64 random(testing::TestSeed());
  for (const size_t prefix : {1, 10, 62, 300}) {
    const std::vector<std::string> all = KeysOfTenants(&random, prefix);
    // Half of the keys make the runs; the others are distinguished by these runs, or unknown.
    std::vector<std::string_view> keys;
    for (size_t i = 0; i < all.size(); i += 2) keys.push_back(all[i]);
    std::vector<std::string> shortened;
    const SharedRuns runs = SharedRuns::Of(keys, &shortened);
    ASSERT_EQ(shortened.size(), keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_LE(shortened[i].size(), SharedRuns::kMaxKeyBytes);
      EXPECT_EQ(Shorten(runs, keys[i]), shortened[i]);
      EXPECT_TRUE(i == 0 || shortened[i - 1] < shortened[i]);
    }
    std::string before;
    for (const std::string& key : all) {
      const std::optional<std::string> own = Shorten(runs, key);
      if (!own) continue;
      EXPECT_LE(before, *own);
      before = *own;
    }
  }
}

TEST(SharedRunsTest, AKeyThatLeavesARunHalfWayIsUnknown) {
  std::vector<std::string> shortened;
  const std::vector<std::string_view> keys = {
      "/some/folder/people/anna-of-the-north/1", "/some/folder/people/anna-of-the-north/2",
      "/some/folder/people/anna-of-the-north/3", "/some/folder/people/bob/1"};
  const SharedRuns runs = SharedRuns::Of(keys, &shortened);
  EXPECT_EQ(shortened, (std::vector<std::string>{"a1", "a2", "a3", "bob/1"}));
  ASSERT_EQ(runs.runs().size(), 2u);
  EXPECT_EQ(runs.runs()[0].bytes, 20u);
  EXPECT_EQ(runs.runs()[1].before, "a");
  EXPECT_EQ(Shorten(runs, "/some/folder/people/anna-of-the-north/25"), "a25");
  EXPECT_EQ(Shorten(runs, "/some/folder/people/carl"), "carl");
  for (const char* const key :
       {"", "/some", "/some/other/people/bob", "/some/folder/people/albert",
        "/some/folder/people/anna-of-the-north", "/some/folder/people/anna-of-the-south/1"}) {
    EXPECT_EQ(Shorten(runs, key), std::nullopt) << key;
  }
}

TEST(SharedRunsTest, WhatFewKeysShareIsCut) {
  const std::string name(60, 'n');
  const std::vector<std::string> all = {"a", name + "1", name + "2", "z"};
  const std::vector<std::string_view> keys(all.begin(), all.end());
  std::vector<std::string> shortened;
  const SharedRuns runs = SharedRuns::Of(keys, &shortened);
  EXPECT_TRUE(runs.runs().empty());
  EXPECT_EQ(shortened[1], name.substr(0, SharedRuns::kMaxKeyBytes));
  EXPECT_EQ(shortened[2], shortened[1]);
}

TEST(SharedRunsTest, OfNoKeysAndOfOne) {
  std::vector<std::string> shortened;
  EXPECT_TRUE(SharedRuns::Of({}, &shortened).runs().empty());
  const std::string long_key(2037, 'k');
  const SharedRuns runs = SharedRuns::Of({long_key}, &shortened);
  EXPECT_EQ(shortened, std::vector<std::string>{long_key.substr(0, SharedRuns::kMaxKeyBytes)});
  EXPECT_EQ(Shorten(runs, long_key), shortened[0]);
}

}  // namespace shared_runs_test
}  // namespace winnow::plugin
