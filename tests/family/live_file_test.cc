#include "src/family/live_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/family/simulated_tree.h"

namespace winnow::family {
namespace live_file_test {

using namespace std::string_literals;

// Random keys of few letters, so that many have common beginnings.
std::vector<std::string> RandomKeys(size_t count, std::mt19937* random) {
  std::vector<std::string> keys(count);
  for (std::string& key : keys) {
    key.resize((*random)() % 12);
    for (char& letter : key) letter = "\0a\xff"[(*random)() % 3];
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

TEST(ShareBefore, IsZeroUpToTheFirstKeyAndOneFromTheLast) {
  EXPECT_EQ(ShareBefore("b", "d", ""), 0);
  EXPECT_EQ(ShareBefore("b", "d", "az"), 0);
  EXPECT_EQ(ShareBefore("b", "d", "b"), 0);
  EXPECT_EQ(ShareBefore("b", "d", "d"), 1);
  EXPECT_EQ(ShareBefore("b", "d", "dz"), 1);
  EXPECT_EQ(ShareBefore("b", "b", "b"), 0);
  EXPECT_EQ(ShareBefore("b", "b", "ba"), 1) << "equal ends have nothing between";
}

TEST(ShareBefore, IsLinearBehindTheCommonPrefix) {
  for (const std::string& prefix : {""s, "tenant/"s, std::string(300, 'x')}) {
    for (const uint64_t middle : {1001u, 1500u, 1750u, 1999u}) {
      const double share =
          ShareBefore(prefix + Key(1000), prefix + Key(2000), prefix + Key(middle));
      EXPECT_NEAR(share, (static_cast<double>(middle) - 1000) / 1000, 0.01) << prefix << middle;
    }
  }
  EXPECT_NEAR(ShareBefore("a", "c", "b"), 0.5, 0.01);
  EXPECT_NEAR(ShareBefore("\x10"s, "\xf0"s, "\xd0"s), 6.0 / 7, 1e-6) << "bytes have no sign";
}

TEST(ShareBefore, KeysThatDifferBehindTheBytesThatCountAreInTheMiddle) {
  const std::string zeros(8, '\0');
  EXPECT_EQ(ShareBefore("p", "p" + zeros + "b", "p" + zeros + "a"), 0.5);
}

TEST(KeyRange, EachPieceHasAsManyKeys) {
  KeyRange range = Range(0, 100'000);
  range.cuts = {Key(10), Key(100), Key(90'000)};
  const std::vector<std::pair<uint64_t, double>> shares = {
      {0, 0},         {5, 0.125},      {10, 0.25},   {55, 0.375}, {100, 0.5},
      {90'000, 0.75}, {95'000, 0.875}, {100'000, 1}, {100'001, 1}};
  for (const auto& [key, share] : shares) EXPECT_NEAR(range.Before(Key(key)), share, 1e-6) << key;
}

TEST(KeyRange, NeverFallsAsKeysRiseWhateverTheCuts) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::vector<std::string> ends = RandomKeys(5, &random);
    const KeyRange range{ends[0], ends[4], {ends[1], ends[2], ends[3]}};
    double before = 0;
    double linear = 0;
    for (const std::string& key : RandomKeys(20, &random)) {
      ASSERT_GE(range.Before(key), before);
      ASSERT_GE(ShareBefore(ends[0], ends[4], key), linear);
      before = range.Before(key);
      linear = ShareBefore(ends[0], ends[4], key);
      ASSERT_TRUE(before <= 1 && linear <= 1);
    }
  }
}

TEST(LiveFile, CountsByPiece) {
  const FilePtr file = MakeFile(Range(0, 1000), 100);
  file->range.cuts = {Key(10), Key(20), Key(30)};
  for (const uint64_t key : {0u, 9u, 10u, 20u, 25u, 29u, 30u, 900u, 1000u, 5000u}) {
    file->CountDenied(Key(key));
  }
  EXPECT_EQ(file->denied[0], 2u);
  EXPECT_EQ(file->denied[1], 1u);
  EXPECT_EQ(file->denied[2], 3u);
  EXPECT_EQ(file->denied[3], 4u);
}

TEST(LiveFile, AsksOfAPartOfItsKeys) {
  const FilePtr file = MakeFile(Range(0, 1000), 100, 1);
  SetDenied(file, {100, 200, 0, 40});
  EXPECT_DOUBLE_EQ(file->asked(), 680) << "a filter of one bit denies half of the absent keys";
  EXPECT_DOUBLE_EQ(file->AskedIn(0, 0.25), 200);
  EXPECT_DOUBLE_EQ(file->AskedIn(0.125, 0.5), 500);
  EXPECT_DOUBLE_EQ(file->AskedIn(0.3, 0.4), 160);
  EXPECT_DOUBLE_EQ(file->AskedIn(0.5, 0.5), 0);
  EXPECT_DOUBLE_EQ(file->AskedIn(0.6, 1), 80);
}

TEST(LiveFile, AddsWhatItsFormerRecordCounted) {
  const FilePtr former = MakeFile(Range(0, 1000), 100, 1);
  SetDenied(former, {10, 10, 10, 10});
  const FilePtr file = MakeFile(Range(0, 1000), 100, 2);
  SetDenied(file, {3, 3, 3, 3});
  file->former = former;
  EXPECT_DOUBLE_EQ(file->asked(), 80 + 16);
  EXPECT_DOUBLE_EQ(file->AskedIn(0.5, 0.75), 20 + 4);
  file->bits = 0;  // no filter
  EXPECT_DOUBLE_EQ(file->asked(), 80);
  file->former = nullptr;
  EXPECT_EQ(file->asked(), 0);
}

TEST(LiveFile, HalvesAllCounts) {
  const FilePtr former = MakeFile(Range(0, 1000), 100);
  SetDenied(former, {8, 0, 0, 0});
  const FilePtr file = MakeFile(Range(0, 1000), 100);
  SetDenied(file, {100, 1, 0, 7});
  file->former = former;
  file->HalveCounts();
  EXPECT_EQ(file->denied[0], 50u);
  EXPECT_LE(file->denied[1], 1u);
  EXPECT_EQ(file->denied[2], 0u);
  EXPECT_NEAR(file->denied[3], 3.5, 0.5);
  EXPECT_EQ(former->denied[0], 4u);
}

TEST(FileName, TellsFilesOfDatabasesApart) {
  const FileName name = FileName::Of("/db", 7);
  EXPECT_TRUE(name.is_known());
  EXPECT_FALSE(FileName().is_known());
  EXPECT_EQ(name, FileName::Of("/db", 7));
  EXPECT_NE(name, FileName::Of("/db2", 7));
  EXPECT_NE(name.Key(), name.File(8).Key());
  EXPECT_EQ(name.File(8), FileName::Of("/db", 8));
  EXPECT_EQ(name.Database(), FileName::Of("/db", 0));
  EXPECT_TRUE(name < name.File(8) && name.Database() < name && !(name < name));
}

}  // namespace live_file_test
}  // namespace winnow::family
