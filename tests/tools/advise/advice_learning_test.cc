// Advice on level_plan=learned.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"
#include "tools/winnow/advise/advice_reading.h"

namespace winnow::inspect {
namespace advice_learning_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLearned[] = "{id=winnow;bits_per_key=10;level_plan=learned}";
// Returns `n` absent keys with few repeats, nine in ten of them within the first `hot` numbers.
std::vector<std::string> HotLookups(size_t n, uint64_t hot, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) {
    keys.push_back(KeyOf(random() % (random() % 10 == 0 ? kEnd : hot)) +
                   std::to_string(random() % kEnd));
  }
  return keys;
}

class AdviceLearningTest : public AdvisedDatabase {
 protected:
  Advice AdviseFor(const std::vector<std::string>& lookups) {
    AdviceOptions options = Quick();
    options.recorded = lookups;
    options.recorded_in_time = true;
    return AdviseOn(folder_ / "db", options);
  }
};

// A tree that is written and looked up with the learned plan has the few false reads that were
// predicted from files written without it.
TEST_F(AdviceLearningTest, WhatIsForetoldIsWhatThePolicyThenDoes) {
  Grow(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get());
  const std::vector<std::string> lookups = HotLookups(60'000, kEnd / 20, 5);
  const Advice advice = AdviseFor(lookups);
  const AdviceRow& foretold = RowOf(advice, kLearned);
  EXPECT_EQ(advice.judged_by, 30'000u);
  EXPECT_GT(advice.learned_from, 16'000u);
  EXPECT_LT(foretold.false_reads, 0.6 * RowOf(advice, "winnow:10").false_reads);
  EXPECT_NEAR(foretold.bytes / RowOf(advice, "winnow:10").bytes, 1, 0.05);

  const Options options = MakeOptions(TableWith(kLearned));
  const std::vector<std::string> later(lookups.begin() + 30'000, lookups.end());
  {
    const auto db = OpenDatabase(options, folder_ / "learned");
    Grow(db.get());
    // One lookup in 64 is sampled.
    std::string value;
    for (const std::string& key : HotLookups(300'000, kEnd / 20, 6)) {
      ASSERT_TRUE(db->Get(ReadOptions(), key, &value).IsNotFound());
    }
    Grow(db.get());
    Grow(db.get());
  }
  AdviceOptions now = Quick();
  now.recorded = lookups;
  const Advice after = AdviseOn(folder_ / "learned", now);
  const auto reads = static_cast<double>(FalsePositives(options, folder_ / "learned", later)) /
                     static_cast<double>(later.size());
  const AdviceRow& plan = RowOf(after, "winnow:10");  // advice on the new files
  EXPECT_LT(after.rows.front().bytes / plan.bytes,
            foretold.bytes / RowOf(advice, "winnow:10").bytes + 0.05);
  const double ratio = reads / plan.false_reads;
  const double foretold_ratio = foretold.false_reads / RowOf(advice, "winnow:10").false_reads;
  EXPECT_LT(ratio, 1.3 * foretold_ratio);
  // The result is better if the whole tree is rewritten at once, as here.
  EXPECT_GT(ratio, foretold_ratio / 3.5);
}

// Chance effects in the lookups that the plan learns from are absent in others, so judging by the
// former would favor files with few lookups.
TEST_F(AdviceLearningTest, LookupsThatAreLearnedFromDontJudge) {
  Grow(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.recorded = HotLookups(4'000, kEnd, 8);
  std::sort(options.recorded->begin(), options.recorded->end());
  AdviceReading reading;
  ASSERT_EQ(ReadForAdvice(
                TablesOf(folder_ / "db"), options, [](const AdviceStep&) {}, &reading),
            "");
  FamilyCosts& costs = *reading.families[0].costs;
  EXPECT_EQ(costs.learning_problem(), "");
  EXPECT_EQ(costs.learned_from() + costs.judged_by(), 4'000u);
  const FamilyLookups& lookups = reading.lookups[0];
  Cost learned;
  double judged = 0;
  for (size_t at = 0; at < reading.families[0].files.size(); ++at) {
    const FilterCost block =
        costs.CostOfBlock(kLearned, at, static_cast<double>(reading.FileOf({0, at}).keys));
    for (const uint32_t lookup : lookups.asks[at]) {
      learned.false_reads += lookups.is_to_learn[lookup] ? 0 : block.rate;
    }
  }
  for (const bool is_to_learn : lookups.is_to_learn) judged += is_to_learn ? 0 : 1;
  const double all_to_judged = static_cast<double>(lookups.keys.size()) / judged;
  EXPECT_NEAR(costs.Of(kLearned).false_reads / (all_to_judged * learned.false_reads), 1, 0.02);
}

// If lookups are in time order, the plan learns from the first half; if they are sorted by key, the
// first half would be the smallest keys.
TEST_F(AdviceLearningTest, HalvesAreOfTimeOrOfChance) {
  Grow(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.recorded = HotLookups(20'000, kEnd / 20, 5);
  for (const bool in_time : {true, false}) {
    SCOPED_TRACE(in_time);
    options.recorded_in_time = in_time;
    if (!in_time) std::sort(options.recorded->begin(), options.recorded->end());
    AdviceReading reading;
    EXPECT_EQ(ReadForAdvice(
                  TablesOf(folder_ / "db"), options, [](const AdviceStep&) {}, &reading),
              "");
    const FamilyLookups& lookups = reading.lookups[0];
    ASSERT_EQ(lookups.keys.size(), options.recorded->size());
    ASSERT_EQ(lookups.is_to_learn.size(), lookups.keys.size());
    std::multiset<std::string> learned;
    for (size_t i = 0; i < lookups.keys.size(); ++i) {
      if (lookups.is_to_learn[i]) learned.insert(lookups.keys[i]);
    }
    const auto half = options.recorded->begin() + 10'000;
    if (in_time) {
      EXPECT_TRUE(learned == std::multiset<std::string>(options.recorded->begin(), half));
    } else {
      EXPECT_NEAR(static_cast<double>(learned.size()), 10'000, 500);
      EXPECT_NEAR(static_cast<double>(std::count_if(
                      options.recorded->begin(), half,
                      [&](const std::string& key) { return learned.count(key) > 0; })),
                  5'000, 500);
    }
  }
}

struct WhyNot {
  const char* name;
  void (*change)(Options* options, AdviceOptions* advice);
  const char* said;
};

class NotLearnedTest : public AdvisedDatabase, public ::testing::WithParamInterface<WhyNot> {};

TEST_P(NotLearnedTest, IsSaid) {
  Options options = MakeOptions(TableWith("winnow:10"));
  AdviceOptions advice_options = Quick();
  advice_options.recorded = HotLookups(4'000, kEnd / 20, 5);
  GetParam().change(&options, &advice_options);
  {
    const auto db = OpenDatabase(options, folder_ / "db");
    PutAndFlush(db.get(), {6'000, 0, 2});
    if (std::string(GetParam().name) != "level_0") CompactAll(db.get());
  }
  const Advice advice = AdviseOn(folder_ / "db", advice_options);
  EXPECT_EQ(advice.learned_from, 0u);
  EXPECT_THAT(advice.learning_problem, HasSubstr(GetParam().said));
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("level_plan=learned is not among")));
  for (const AdviceRow& row : advice.rows) EXPECT_THAT(row.OnePolicy(), Not(HasSubstr("learned")));
  for (const CurvePoint& point : advice.curve) EXPECT_THAT(point.policy, Not(HasSubstr("learned")));
}

const WhyNot kWhyNot[] = {
    {"universal",
     [](Options* options, AdviceOptions*) {
       options->compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
     },
     "without leveled compaction it builds like level_plan=auto"},
    {"another_order",
     [](Options* options, AdviceOptions*) {
       options->comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
     },
     "theirs is rocksdb.ReverseBytewiseComparator"},
    {"few_lookups", [](Options*, AdviceOptions* advice) { advice->recorded->resize(500); },
     "256 lookups at least"},
    {"level_0", [](Options*, AdviceOptions*) {}, "all files are on level 0"},
    {"prefixes",
     [](Options* options, AdviceOptions*) {
       BlockBasedTableOptions table = TableWith("winnow:10");
       table.whole_key_filtering = false;
       options->table_factory.reset(NewBlockBasedTableFactory(table));
       options->prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(11));
     },
     "prefixes and no whole keys"},
};

INSTANTIATE_TEST_SUITE_P(Causes, NotLearnedTest, ::testing::ValuesIn(kWhyNot),
                         [](const auto& why) { return std::string(why.param.name); });

}  // namespace advice_learning_test
}  // namespace winnow::inspect
