// Drawn and recorded lookups, and the files where they end.

#include "tools/winnow/advise/advice_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/merge_operator.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace advice_lookups_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AdviceLookupsTest : public AdvisedDatabase {};

TEST_F(AdviceLookupsTest, MadeUpKeysAreAbsentAndInRange) {
  Make(kUniform);
  AdviceOptions options = Quick();
  options.policies = {"nullptr"};
  const Advice advice = AdviseOnIt(options);
  EXPECT_EQ(advice.absent, advice.lookups);
  EXPECT_GT(advice.lookups, 12'000u);
  EXPECT_LE(advice.lookups, 20'000u);
  // Two files on level 0, half of the range on level 1, levels 2 and 3: about 4.5 files.
  EXPECT_NEAR(RowOf(advice, "nullptr").false_reads, 4.5, 0.2);
  EXPECT_NEAR(advice.rows.front().false_reads, 4.5 * 0.0096, 0.006);
  EXPECT_THAT(advice.verdict.notes, ::testing::Contains(HasSubstr("Lookups are made up")));
  EXPECT_THAT(advice.verdict.says, HasSubstr("filter_policy=winnow:"));
  // The seed is constant, so the result repeats.
  EXPECT_EQ(AdviseOnIt(Quick()).rows.front().counted, advice.rows.front().counted);
}

TEST_F(AdviceLookupsTest, MadeUpLookupsMayFindTheirKeys) {
  Make("winnow:10");
  AdviceOptions options = Quick();
  options.absent_share = 0.25;
  const Advice advice = AdviseOnIt(options);
  EXPECT_EQ(advice.lookups, 20'000u);
  EXPECT_GT(advice.absent, 2'500u);
  EXPECT_LT(advice.absent, 5'500u);
}

TEST_F(AdviceLookupsTest, ALookupOfMergesGoesOn) {
  Options database = MakeOptions(TableWith("bloomfilter:10"));
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(
      testing::StrictConfig(), "stringappend", &database.merge_operator));
  {
    const auto db = OpenDatabase(database, folder_ / "db");
    // Two files on level 0. The first lacks the odd numbers.
    PutAndFlush(db.get(), {20'000, 0, 2});
    for (uint64_t i = 0; i < 20'000; ++i) {
      ASSERT_STATUS_OK(i < 10'000 ? db->Merge(WriteOptions(), KeyOf(i), "more")
                                  : db->Put(WriteOptions(), KeyOf(i), "new"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  AdviceOptions options = Quick();
  options.recorded.emplace();
  for (uint64_t i = 0; i < 20'000; ++i) options.recorded->push_back(KeyOf(i));
  const Advice advice = AdviseOnIt(options);
  EXPECT_EQ(advice.absent, 0u);
  EXPECT_GT(advice.rows.front().counted, 10u);
  EXPECT_EQ(advice.rows.front().counted,
            FalsePositives(database, folder_ / "db", *options.recorded));
}

TEST(DrawLookupsTest, ASeekingDrawMeetsThePlacesOfAWholeOne) {
  testing::TemporaryFolder folder;
  testing::WriteSst(TableWith("winnow:10"), 20'000, folder / "1.sst");
  for (const bool whole : {true, false}) {
    DrawOptions options;
    options.lookups = 4'000;
    options.seed = 5;
    AdvisedFile file = ReadAdvisedFile(folder / "1.sst");
    file.path = folder / "1.sst";
    file.is_sampled = whole;
    const DrawnKeys drawn = DrawLookups(file, options, [](double) {});
    const std::vector<std::string>& keys = drawn.lookups;
    EXPECT_THAT(drawn.error, ::testing::IsEmpty());
    ASSERT_EQ(keys.size(), 4'000u) << whole;
    const auto low = std::count_if(keys.begin(), keys.end(),
                                   [](const std::string& key) { return key < KeyOf(5'000); });
    EXPECT_NEAR(static_cast<double>(low), 1000, whole ? 150 : 400) << whole;
    EXPECT_EQ(keys, DrawLookups(file, options, [](double) {}).lookups);
  }
  AdvisedFile missing;
  missing.path = folder / "missing";
  missing.comparator = ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
  EXPECT_THAT(DrawLookups(missing, {}, [](double) {}).error, HasSubstr("can't be read"));
}

std::string Answers(std::initializer_list<FileAnswer> list) {
  std::string text;
  for (const FileAnswer answer : list) text.push_back(static_cast<char>(answer));
  return text;
}

TEST(FollowLookupsTest, EndWhereTheKeyIsFound) {
  FamilyLookups lookups;
  lookups.keys = {"a", "b", "c", "d"};
  const std::vector<AskedRange> ranges = {{0, 4}, {1, 4}};
  const std::vector<std::string> said = {
      Answers({FileAnswer::kFound, FileAnswer::kFalse, FileAnswer::kMerge, FileAnswer::kDenied}),
      Answers({FileAnswer::kFound, FileAnswer::kFalse, FileAnswer::kFalse})};
  FollowLookups(ranges, said, false, &lookups);
  EXPECT_EQ(lookups.lookups, 4u);
  EXPECT_EQ(lookups.absent, 1u);
  EXPECT_EQ(lookups.false_reads, 3u);
  EXPECT_THAT(lookups.asks[0], ElementsAre(1, 3));
  EXPECT_THAT(lookups.asks[1], ElementsAre(2, 3));
  EXPECT_EQ(lookups.asks_of_one, 1u);
  FollowLookups(ranges, said, true, &lookups);
  EXPECT_EQ(lookups.lookups, 1u);
  EXPECT_EQ(lookups.absent, 1u);
  EXPECT_EQ(lookups.false_reads, 1u);
  EXPECT_THAT(lookups.asks[0], ElementsAre(3));
}

// "a" is deleted in the newer file, "b" in the older one, and "c" is less than all remaining keys.
TEST(FollowLookupsTest, WhatIsDeletedIsAbsentOnceAllIsOne) {
  FamilyLookups lookups;
  lookups.keys = {"a", "b", "c", "d"};
  const std::vector<AskedRange> ranges = {{0, 2}, {0, 3}};
  const std::vector<std::string> said = {
      Answers({FileAnswer::kDeleted, FileAnswer::kFound}),
      Answers({FileAnswer::kFound, FileAnswer::kDeleted, FileAnswer::kDenied})};
  FollowLookups(ranges, said, false, &lookups);
  EXPECT_EQ(lookups.lookups, 4u);
  EXPECT_EQ(lookups.absent, 2u);
  EXPECT_EQ(lookups.asks_of_one, 2u);  // "a" and "c"; "d" is in no range
  FollowLookups(ranges, said, true, &lookups);
  EXPECT_EQ(lookups.lookups, 2u);
  EXPECT_EQ(lookups.asks_of_one, 1u);
}

TEST(LiveShareTest, IsOfKeysThatAreLeft) {
  // Two of four keys are in both files, and one of them is deleted in the newer file.
  const std::vector<AskedRange> ranges = {{0, 3}, {0, 4}};
  const std::vector<std::string> said = {
      Answers({FileAnswer::kFound, FileAnswer::kDeleted, FileAnswer::kDenied}),
      Answers({FileAnswer::kFound, FileAnswer::kFound, FileAnswer::kMerge, FileAnswer::kFound})};
  EXPECT_DOUBLE_EQ(LiveShare(ranges, said, 4), (0.5 + 0 + 1 + 1) / 4);
  EXPECT_EQ(LiveShare({}, {}, 0), 1);
}

}  // namespace advice_lookups_test
}  // namespace winnow::inspect
