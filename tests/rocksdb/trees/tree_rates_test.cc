#include "src/rocksdb/trees/tree_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <random>
#include <string>

#include "src/core/sizing.h"
#include "tests/support/counted_memory.h"
#include "tests/support/random_hashes.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace tree_rates_test {

constexpr uint64_t kKeysOfAFile = 1000;
constexpr int kFiles = 200;
constexpr int kLast = LookupSamples::kLevels - 1;
const double kUniformRate = core::RateForBits(10);
const double kUniformBits = -std::log2(kUniformRate);

std::string Key(double place) {
  char text[32];
  std::snprintf(text, sizeof text, "user%09.0f", place * 1e8);
  return text;
}

// Fixture with a full last level and an upper level with a tenth of its keys.
class TreeRatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    files_.samples().Reserve();
    for (int i = 0; i < kFiles; ++i) Build(6, true, i / double{kFiles}, (i + 0.999) / kFiles);
    for (int i = 0; i < 20; ++i) Build(5, false, i / 20.0, (i + 0.999) / 20);
    files_.MakeGrid();
  }

  // Builds a file with the learned rate, or the uniform one. Returns the rate.
  double Build(int level, bool is_bottom, double from, double to) {
    const std::optional<TreeRates::Rated> learned = Learn(level, is_bottom, from, to);
    const double rate = learned ? learned->rate() : kUniformRate;
    const double relative_miss_heat = learned ? learned->relative_miss_heat : 0;
    rates_.Built(rate, kUniformRate,
                 AddFile(level, is_bottom, from, to, -std::log2(rate), relative_miss_heat));
    return rate;
  }

  FilterMemory AddFile(int level, bool is_bottom, double from, double to, double bits,
                       double relative_miss_heat) {
    TreeFiles::NewFile file;
    file.level = level;
    file.is_bottom = is_bottom;
    file.range = {Key(from), Key(to)};
    file.keys = kKeysOfAFile;
    file.waits = files_.PlaceOf(level, file.range, 5).waits;
    file.relative_miss_heat = relative_miss_heat;
    const FilterMemory memory{kKeysOfAFile * bits, kKeysOfAFile * kUniformBits};
    files_.AddMemory(files_.Add(file, WritingJob{0, true, 0, 5}), memory);
    return memory;
  }

  std::optional<TreeRates::Rated> Learn(int level, bool is_bottom, double from, double to) {
    return RateBy(&rates_, TreeFiles::LevelIndex(level, is_bottom), from, to);
  }

  std::optional<TreeRates::Rated> RateBy(TreeRates* rates, int level, double from, double to,
                                         double uniform_rate = kUniformRate) {
    TreeFiles::NewFile file;
    file.level = level == kLast ? 6 : level;
    file.is_bottom = level == kLast;
    file.range = {Key(from), Key(to)};
    file.keys = kKeysOfAFile;
    return rates->RateOf(&files_, file, {0, true, 0, 5}, uniform_rate, rule_);
  }

  std::optional<double> RateOf(int level, bool is_bottom, double from, double to) {
    const std::optional<TreeRates::Rated> learned = Learn(level, is_bottom, from, to);
    return learned ? std::optional<double>(learned->rate()) : std::nullopt;
  }

  void LookUp(double place, bool is_found) {
    if (hash_ % LookupSamples::kRecordsOfASalt == 0) files_.samples().Reserve();
    ++hash_;
    files_.samples().Note(&lookups_, Key(place), hash_, {1, 5, kUniformRate}, false);
    files_.samples().Note(&lookups_, Key(place), hash_, {2, kLast, kUniformRate}, is_found);
  }

  // Rewrites all files several times, with what is known then.
  void RewriteAll() {
    for (int i = 0; i < 4 * kFiles; ++i) {
      const double from = i % kFiles / double{kFiles};
      if (i % 10 == 0) Build(5, false, from, from + 0.0499);
      Build(6, true, from, from + 0.999 / kFiles);
    }
    for (int i = 0; i < 20; ++i) Build(5, false, i / 20.0, (i + 0.999) / 20);
  }

  double Memory() const {
    const LiveMemory memory = files_.Memory();
    return memory.resting.bytes / memory.resting.uniform_bytes;
  }

  TreeRates::Rule rule_;
  TreeFiles files_;
  TreeRates rates_;
  LookupsUnderWay lookups_{};
  uint64_t hash_ = 0;
  std::mt19937_64 random_{testing::TestSeed()};
  std::uniform_real_distribution<double> anywhere_{0, 1};
};

TEST_F(TreeRatesTest, WithoutLookupsNothingIsLearned) {
  EXPECT_EQ(RateOf(6, true, 0.5, 0.505), std::nullopt);
  EXPECT_EQ(rates_.TakeSummary(files_), "");
  for (size_t i = 0; i + 1 < TreeRates::kMinSamples; ++i) LookUp(anywhere_(random_), false);
  EXPECT_EQ(RateOf(6, true, 0.5, 0.505), std::nullopt);
}

// Rules without samples, which ignore lookups.
class EvenRatesTest : public TreeRatesTest {
 protected:
  EvenRatesTest() {
    rule_.learns = false;
    rule_.is_leveled = false;
  }
};

// Leveled compaction has rates by level if the files give none.
TEST_F(EvenRatesTest, OfALeveledTreeTheOtherFilesAreKnown) {
  rule_.is_leveled = true;
  EXPECT_NE(RateOf(6, true, 0.5, 0.505), std::nullopt);
  EXPECT_EQ(RateOf(6, true, 1.2, 1.3), std::nullopt);  // beyond all keys, where all have one place
  TreeRates rates;
  TreeFiles::NewFile file;
  file.level = 0;
  file.range = {Key(0), Key(1)};
  for (const double part : {0.9, 1.1}) {
    file.keys = static_cast<uint64_t>(part * files_.written().alive);
    const auto rated = rates.RateOf(&files_, file, {0, true, 0, 5}, kUniformRate, rule_);
    EXPECT_EQ(rated.has_value(), part < 1) << part;
  }
}

// Overlapping files on level 0 wait for their merge and have no part of the memory.
TEST_F(EvenRatesTest, WhatWaitsOnLevel0SharesNoMemory) {
  RewriteAll();
  const double before = RateOf(6, true, 0.5, 0.505).value();
  for (size_t i = 0; i < TreeFiles::kRecentFlushes; ++i) Build(0, false, 0, 1);
  const double as_runs = RateOf(6, true, 0.5, 0.505).value();
  rule_.is_leveled = true;
  const double waiting = RateOf(6, true, 0.5, 0.505).value();
  EXPECT_NEAR(std::log2(waiting / before), 0, 0.1);
  EXPECT_GT(std::log2(as_runs / waiting), 0.1);
}

TEST_F(EvenRatesTest, AFileOfATenthOfTheKeysInItsRangeHasATenthOfTheRate) {
  RewriteAll();
  EXPECT_NEAR(Memory(), TreeRates::kTarget, 0.01);
  const double last = RateOf(6, true, 0.5, 0.505).value();
  const double above = RateOf(5, false, 0.5, 0.55).value();
  EXPECT_NEAR(std::log2(last / above), std::log2(10), 0.1);
  for (int i = 0; i < 4000; ++i) LookUp(0.7, false);
  EXPECT_NEAR(RateOf(6, true, 0.5, 0.505).value() / last, 1, 0.01);
  EXPECT_EQ(rates_.TakeSummary(files_), "");
}

// A lookup that finds its key on the last level can cause false reads only on the level above.
TEST_F(EvenRatesTest, TheLastLevelNeedsAsMuchLessAsLookupsFindTheirKey) {
  rule_.absent_share = 0.1;
  RewriteAll();
  const double last = RateOf(6, true, 0.5, 0.505).value();
  const double above = RateOf(5, false, 0.5, 0.55).value();
  EXPECT_NEAR(std::log2(last / above), 2 * std::log2(10), 0.3);
}

TEST_F(EvenRatesTest, ANewFileIsReachedByAsManyLookupsAsItHasKeys) {
  RewriteAll();
  const double last = RateOf(6, true, 0.5, 0.505).value();
  const double beyond = RateOf(6, true, 1.2, 1.3).value();
  EXPECT_NEAR(beyond / last, 1.1, 0.02);  // no other file overlaps it
  // The file overlaps others by a tenth of its range, and thus of its keys if those are even.
  EXPECT_NEAR(RateOf(6, true, 0.9995, 1.0045).value() / beyond, 1, 0.02);
}

// Rates follow each level's share of the keys.
TEST_F(EvenRatesTest, WhereKeysHaveAnotherOrderRunsCount) {
  rule_.is_bytewise = false;
  const double last = RateOf(6, true, 0.5, 0.505).value();
  EXPECT_NEAR(RateOf(6, true, 3, 4).value() / last, 1, 0.02);
  EXPECT_NEAR(std::log2(last / RateOf(5, false, 3, 4).value()), std::log2(10), 0.2);
  // A file of level 0 is a sorted run.
  EXPECT_NEAR(std::log2(last / RateOf(0, false, 3, 4).value()), std::log2(kFiles), 0.2);
}

// Files without filters get no part of the memory.
TEST_F(EvenRatesTest, WithoutFiltersOnTheLastLevelTheOthersShareTheirOwnMemory) {
  rule_.families_have_last = false;
  for (int i = 0; i < 20; ++i) Build(5, false, i / 20.0, (i + 0.999) / 20);
  EXPECT_NEAR(-std::log2(RateOf(5, false, 0.5, 0.55).value()) / kUniformBits, TreeRates::kTarget,
              0.02);
}

// The first files of a tree: equal files have equal bits, and their replacements as many.
TEST_F(EvenRatesTest, AFewFilesShareTheMemoryOfTheTreeThatTheyWillBe) {
  TreeFiles few;
  TreeRates rates;
  TreeFiles::NewFile file;
  file.range = {Key(0), Key(1)};
  const auto build = [&](int level, uint64_t keys, WritingJob job) {
    file.level = level;
    file.keys = keys;
    job.is_leveled = false;
    const auto rated = rates.RateOf(&few, file, job, kUniformRate, rule_);
    EXPECT_EQ(rated.has_value(), few.files() > 0);
    const double bits = rated ? -std::log2(rated->rate()) : TreeRates::kTarget * kUniformBits;
    const auto n = static_cast<double>(keys);
    few.AddMemory(few.Add(file, &job), {n * bits, n * kUniformBits});
    return bits / kUniformBits;
  };
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(build(0, 1000, {}), TreeRates::kTarget, 0.02) << i;
  EXPECT_NEAR(build(6, 4000, {4}), TreeRates::kTarget, 0.02);
  EXPECT_EQ(few.files(), 1u);
  EXPECT_GT(build(0, 1000, {}), 1.1);
}

// Rates equal a level plan's: the upper level has a tenth of the rate, as it has a tenth of the
// keys.
TEST_F(TreeRatesTest, EvenLookupsHaveTheRatesOfALevelPlan) {
  for (int i = 0; i < 8000; ++i) LookUp(anywhere_(random_), false);
  const double last = RateOf(6, true, 0.5, 0.505).value();
  const double above = RateOf(5, false, 0.5, 0.55).value();
  EXPECT_NEAR(std::log2(last / above), std::log2(10), 0.5);
  RewriteAll();
  EXPECT_NEAR(Memory(), TreeRates::kTarget, 0.01);
}

TEST_F(TreeRatesTest, BitsGoToWhereLookupsFindNothing) {
  for (int i = 0; i < 8000; ++i) {
    LookUp(i % 5 == 0 ? anywhere_(random_) : 0.3 + 0.05 * anywhere_(random_), false);
  }
  RewriteAll();
  EXPECT_NEAR(Memory(), TreeRates::kTarget, 0.02);
  const double hot = RateOf(6, true, 0.32, 0.325).value();
  const double cold = RateOf(6, true, 0.7, 0.705).value();
  EXPECT_LT(hot, cold / 20);
  EXPECT_LE(cold, TreeRates::kHighestRate);
  EXPECT_GE(hot, TreeRates::kLowestRate);
}

TEST_F(TreeRatesTest, WhereKeysAreFoundTheLastLevelNeedsLess) {
  for (int i = 0; i < 8000; ++i) LookUp(anywhere_(random_), i % 10 != 0);
  RewriteAll();
  EXPECT_NEAR(Memory(), TreeRates::kTarget, 0.02);
  // log2(10) bits between the levels, and as many again since only a tenth of the lookups reach the
  // last level in vain.
  double steps = 0;
  for (int i = 0; i < 20; ++i) {
    const double last = RateOf(6, true, i / 20.0, (i + 0.1) / 20).value();
    steps += std::log2(last / RateOf(5, false, i / 20.0, (i + 0.999) / 20).value()) / 20;
  }
  EXPECT_NEAR(steps, 2 * std::log2(10), 0.3);
}

TEST_F(TreeRatesTest, WhatNoFileCoveredIsAsHotAsItsLevel) {
  // The upper half of the keys is cold.
  for (int i = 0; i < 8000; ++i) LookUp(0.5 * anywhere_(random_), false);
  RewriteAll();
  const auto is_known = [this](double from, double to) {
    return Learn(6, true, from, to)->relative_miss_heat > 0;
  };
  EXPECT_EQ(RateOf(6, true, 1.2, 1.3), std::nullopt);  // all keys have one place
  EXPECT_TRUE(is_known(0.2, 0.3));
  // A tenth of the file's range is known, which may have few of its keys; or nearly all of the
  // range.
  EXPECT_FALSE(is_known(0.9999, 1.0012));
  EXPECT_TRUE(is_known(0.5, 1.0012));
  // The last file of a level with random inserts is known too: only a few keys at its end are new.
  EXPECT_TRUE(is_known(1 - 0.9 / kFiles, 1.00001));
  EXPECT_FALSE(is_known(1 - 0.3 / kFiles, 1.00001));
  // The unknown file gets the level's mean heat.
  const double cold = RateOf(6, true, 1 - 0.9 / kFiles, 1.00001).value();
  const double unknown = RateOf(6, true, 1 - 0.3 / kFiles, 1.00001).value();
  const double hot = RateOf(6, true, 0.2, 0.205).value();
  EXPECT_LT(unknown, cold / 1.5);
  EXPECT_GT(unknown, 1.2 * hot);
}

// Files of level 4 are only in the hottest tenth, those of level 5 everywhere.
TEST_F(TreeRatesTest, WhatNoFileCoveredIsAsHotAsTheFilesOfItsLevel) {
  for (int i = 0; i < 10; ++i) Build(4, false, 0.9 + i / 100.0, 0.9 + (i + 0.999) / 100);
  files_.MakeGrid();
  for (int i = 0; i < 8000; ++i) {
    LookUp(i % 5 == 0 ? anywhere_(random_) : 0.9 + 0.1 * anywhere_(random_), false);
  }
  RewriteAll();
  for (int i = 0; i < 10; ++i) Build(4, false, 0.9 + i / 100.0, 0.9 + (i + 0.999) / 100);
  const double hot = RateOf(4, false, 0.9999, 1.0012).value();
  const double mean = RateOf(5, false, 0.9999, 1.0012).value();
  EXPECT_LT(hot, mean / 3);
}

// Time series: a file that was hot when it was written keeps its bits, which leaves less for
// others.
TEST_F(TreeRatesTest, FilesThatAreNotWrittenAgainCountAsTheyAre) {
  for (int i = 0; i < 8000; ++i) LookUp(anywhere_(random_), false);
  double most = 0;
  for (int i = 0; i < 3 * kFiles; ++i) {
    const double newest = 1 + i / double{kFiles};
    // A file above makes the next file's range known and hot.
    Build(5, false, newest, newest + 0.02);
    files_.MakeGrid();
    for (int j = 0; j < 100; ++j) LookUp(newest + anywhere_(random_) / kFiles, false);
    Build(6, true, newest, newest + 0.999 / kFiles);
    most = std::max(most, Memory());
  }
  EXPECT_LT(most, 1.1);
  EXPECT_LT(Memory(), 1.04);
}

// Lookups move from file to file, so a file's heat is not expected to last.
TEST_F(TreeRatesTest, HeatThatMovedOnBuysFewBits) {
  const auto look_up_at = [&](double from) {
    for (int j = 0; j < 400; ++j) {
      LookUp(j % 5 == 0 ? anywhere_(random_) : from + anywhere_(random_) / kFiles, false);
    }
  };
  // Two rounds, since the first files had no samples.
  for (int i = 0; i < 2 * kFiles; ++i) {
    const double from = i % kFiles / double{kFiles};
    files_.samples().Reserve();
    look_up_at(from);
    Build(6, true, from, from + 0.999 / kFiles);
  }
  for (int j = 0; j < 3; ++j) look_up_at(0);  // enough for an evaluation
  const TreeRates::Rated hot = Learn(6, true, 0, 0.999 / kFiles).value();
  const TreeRates::Rated cold = Learn(6, true, 0.5, 0.5 + 0.999 / kFiles).value();
  EXPECT_GT(hot.relative_miss_heat, 3 * cold.relative_miss_heat);
  EXPECT_GT(hot.rate(), cold.rate() / 2);
  // Heat stays if lookups are equal during the next rewrites.
  for (int j = 0; j < 50; ++j) look_up_at(0);
  RewriteAll();
  RewriteAll();
  EXPECT_LT(RateOf(6, true, 0, 0.999 / kFiles).value(),
            RateOf(6, true, 0.5, 0.5 + 0.999 / kFiles).value() / 20);
}

// A failed allocation leaves the state consistent: the next file gets the usual rate.
TEST_F(TreeRatesTest, GoesOnWhereMemoryWasShort) {
  for (int i = 0; i < 8000; ++i) LookUp(anywhere_(random_), i % 3 == 0);
  const auto rate_by = [this](TreeRates* rates) {
    return RateBy(rates, kLast, 0.5, 0.505).value().rate();
  };
  const double expected = rate_by(&rates_);
  bool failed = true;
  for (int64_t allocations = 0; failed; ++allocations) {
    TreeRates rates;
    testing::allocations_left = allocations;
    failed = false;
    try {
      rate_by(&rates);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    testing::allocations_left = -1;
    ASSERT_EQ(rate_by(&rates), expected) << allocations << " allocations";
  }
}

TEST_F(TreeRatesTest, AnotherBitsPerKeyCountsAtOnce) {
  for (int i = 0; i < 8000; ++i) LookUp(anywhere_(random_), false);
  const double ten = RateOf(6, true, 0.5, 0.505).value();
  const double fifteen = RateBy(&rates_, kLast, 0.5, 0.505, core::RateForBits(15)).value().rate();
  EXPECT_NEAR(std::log2(ten / fifteen), std::log2(kUniformRate / core::RateForBits(15)), 1);
}

TEST_F(TreeRatesTest, ItsFiltersAndTreesAreCounted) {
  const SampleCounters before = CurrentSampleCounters();
  {
    TreeRates rates;
    const auto ask = [&] { return RateBy(&rates, kLast, 0.5, 0.505).has_value(); };
    EXPECT_FALSE(ask());
    EXPECT_EQ(CurrentSampleCounters().filters_learned, before.filters_learned);
    EXPECT_EQ(CurrentSampleCounters().trees_learned, before.trees_learned);
    for (int i = 0; i < 1000; ++i) LookUp(anywhere_(random_), false);
    EXPECT_TRUE(ask());
    EXPECT_TRUE(ask());
    const SampleCounters after = CurrentSampleCounters();
    EXPECT_EQ(after.lookups_sampled - before.lookups_sampled, 1000u);
    EXPECT_EQ(after.filters_learned - before.filters_learned, 2u);
    EXPECT_EQ(after.trees_learned - before.trees_learned, 1u);
  }
  EXPECT_EQ(CurrentSampleCounters().filters_learned - before.filters_learned, 2u);
  EXPECT_EQ(CurrentSampleCounters().trees_learned, before.trees_learned);
}

TEST_F(TreeRatesTest, HeatThatWasDroppedIsMadeAgain) {
  for (int i = 0; i < 4000; ++i) LookUp(0.3 + 0.1 * anywhere_(random_), false);
  const std::optional<double> rate = RateOf(6, true, 0.3, 0.305);
  ASSERT_TRUE(rate);
  EXPECT_GT(rates_.bytes_of_heat(), 0u);
  rates_.DropHeat();
  EXPECT_EQ(rates_.bytes_of_heat(), 0u);
  EXPECT_EQ(rates_.TakeSummary(files_), "");
  EXPECT_EQ(RateOf(6, true, 0.3, 0.305), rate);
}

TEST_F(TreeRatesTest, WhereSamplesWereDroppedAndNoFileIsLeftNothingIsLearned) {
  for (int i = 0; i < 4000; ++i) LookUp(0.3 + 0.1 * anywhere_(random_), false);
  ASSERT_TRUE(RateOf(6, true, 0.3, 0.305));
  files_.samples().Drop();
  rates_.DropHeat();
  for (TreeFiles::Id id = 1; id <= kFiles + 20; ++id) files_.NotWritten(id);
  ASSERT_EQ(files_.files(), 0u);
  EXPECT_FALSE(RateOf(6, true, 0.3, 0.305));
}

TEST_F(TreeRatesTest, SaysWhatItLearnedOnce) {
  for (int i = 0; i < 4000; ++i) {
    LookUp(i % 5 == 0 ? anywhere_(random_) : 0.3 + 0.02 * anywhere_(random_), i % 4 == 0);
  }
  RewriteAll();
  const std::string said = rates_.TakeSummary(files_);
  EXPECT_THAT(said, ::testing::HasSubstr("samples of lookups"));
  EXPECT_THAT(said, ::testing::HasSubstr("24 % of the lookups find their key"));
  EXPECT_THAT(said, ::testing::ContainsRegex(" [0-9]{1,2} % of the keys get 80 %"));
  EXPECT_EQ(rates_.TakeSummary(files_), "");
}

}  // namespace tree_rates_test
}  // namespace winnow::plugin
