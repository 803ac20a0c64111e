// Advice that learns from recorded lookups.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace advice_learning_test {

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

using AdviceLearningTest = AdvisedDatabase;

// A tree that is written and looked up with Winnow has the few false reads that were predicted from
// files written without lookups.
TEST_F(AdviceLearningTest, WhatIsForetoldIsWhatThePolicyThenDoes) {
  Make("winnow:10");
  const std::vector<std::string> lookups = HotLookups(60'000, kEnd / 20, 5);
  AdviceOptions options = Quick();
  options.recorded = lookups;
  options.recorded_in_time = true;
  options.policies = {kUniform};
  const Advice advice = AdviseOnIt(options);
  const double foretold =
      RowOf(advice, "winnow:10").false_reads / RowOf(advice, kUniform).false_reads;
  EXPECT_LT(foretold, 0.5);
  EXPECT_NEAR(RowOf(advice, "winnow:10").bytes / RowOf(advice, kUniform).bytes, 1, 0.05);

  const std::vector<std::string> later(lookups.begin() + 30'000, lookups.end());
  const auto reads_of = [&](const char* policy, const std::string& name) {
    const Options with = MakeOptions(TableWith(policy));
    {
      const auto db = OpenDatabase(with, folder_ / name);
      Grow(db.get());
      std::string value;
      for (const std::string& key : HotLookups(300'000, kEnd / 20, 6)) {
        EXPECT_TRUE(db->Get(ReadOptions(), key, &value).IsNotFound());
      }
      Grow(db.get());
      Grow(db.get());
    }
    return static_cast<double>(FalsePositives(with, folder_ / name, later));
  };
  const double ratio = reads_of("winnow:10", "learned") / reads_of(kUniform, "uniform");
  // Files that are written later have other ends than those that lookups were counted for.
  EXPECT_LT(ratio, 2.5 * foretold);
  // The result is better if the whole tree is rewritten at once, as here.
  EXPECT_GT(ratio, foretold / 3.5);
}

// Counts are halved several times in so many lookups, which must not favor those that come last.
TEST_F(AdviceLearningTest, ManyEvenLookupsTeachNothing) {
  Make("winnow:10");
  AdviceOptions options = Quick();
  const double made_up = RowOf(AdviseOnIt(options), "winnow:10").false_reads;
  options.recorded = HotLookups(60'000, kEnd, 5);
  EXPECT_NEAR(RowOf(AdviseOnIt(options), "winnow:10").false_reads / made_up, 1, 0.15);
}

// Chance effects in the lookups that the plan learns from are absent in others, so judging by the
// former would favor files with few lookups.
TEST_F(AdviceLearningTest, LookupsThatAreLearnedFromDontJudge) {
  Make("winnow:10");
  AdviceOptions options = Quick();
  options.recorded = HotLookups(4'000, kEnd, 8);
  std::sort(options.recorded->begin(), options.recorded->end());
  const AdviceReading reading = ReadingOf(folder_ / "db", options);
  FamilyCosts& costs = *reading.families[0].costs;
  const FamilyLookups& lookups = reading.lookups[0];
  Cost learned;
  double judged = 0;
  for (size_t at = 0; at < reading.families[0].files.size(); ++at) {
    const FilterCost block =
        costs.CostOfBlock("winnow:10", at, static_cast<double>(reading.FileOf({0, at}).keys));
    for (const uint32_t lookup : lookups.asks[at]) {
      learned.false_reads += lookups.is_to_learn[lookup] ? 0 : block.rate;
    }
  }
  for (const bool is_to_learn : lookups.is_to_learn) judged += is_to_learn ? 0 : 1;
  const double all_to_judged = static_cast<double>(lookups.keys.size()) / judged;
  EXPECT_NEAR(costs.Of("winnow:10").false_reads / (all_to_judged * learned.false_reads), 1, 0.02);
}

// If lookups are in time order, the plan learns from the first half; if they are sorted by key, the
// first half would be the smallest keys.
TEST_F(AdviceLearningTest, HalvesAreOfTimeOrOfChance) {
  Make("winnow:10");
  AdviceOptions options = Quick();
  options.recorded = HotLookups(20'000, kEnd / 20, 5);
  for (const bool in_time : {true, false}) {
    SCOPED_TRACE(in_time);
    options.recorded_in_time = in_time;
    if (!in_time) std::sort(options.recorded->begin(), options.recorded->end());
    const AdviceReading reading = ReadingOf(folder_ / "db", options);
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

TEST_F(AdviceLearningTest, NothingIsLearnedFromFewLookupsNorOfPrefixes) {
  for (const bool of_prefixes : {false, true}) {
    SCOPED_TRACE(of_prefixes);
    BlockBasedTableOptions table = TableWith("winnow:10");
    table.whole_key_filtering = !of_prefixes;
    Options options = MakeOptions(table);
    if (of_prefixes) {
      options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(11));
    }
    Make(options, [](DB* db) {
      PutAndFlush(db, {60'000});
      MoveTo(db, 1);
      PutAndFlush(db, {60'000, 0, 20});
    });
    const auto bits_after = [&](size_t lookups) {
      AdviceOptions recorded = Quick();
      recorded.recorded = HotLookups(lookups, kEnd / 20, 5);
      const AdviceReading reading = ReadingOf(folder_ / "db", recorded);
      std::vector<double> bits;
      for (size_t at = 0; at < reading.families[0].files.size(); ++at) {
        bits.push_back(reading.families[0].costs->BitsOf("winnow:10", at));
      }
      return bits;
    };
    const std::vector<double> few = bits_after(400);
    EXPECT_GT(few.size(), 5u);
    EXPECT_EQ(bits_after(100), few);
    EXPECT_EQ(bits_after(8'000) == few, of_prefixes);
  }
}

}  // namespace advice_learning_test
}  // namespace winnow::inspect
