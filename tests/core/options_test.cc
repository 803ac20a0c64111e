#include "winnow/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace winnow {
namespace options_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(OptionsTest, DefaultsAndLimitsAreValid) {
  FilterOptions options;
  EXPECT_EQ(CheckOptions(options), "");
  options.bits_per_key = 1;
  options.level_plan = LevelPlan::kByLevel;
  options.absent_share = 0.5;
  EXPECT_EQ(CheckOptions(options), "");
  options.bits_per_key = 32;
  options.kind = FilterKind::kRibbon;
  options.level = 127;
  options.bloom_before_level = std::numeric_limits<int>::max();
  EXPECT_EQ(CheckOptions(options), "");
}

// Returns what is wrong of a plan by level with this value.
template <typename Field, typename Value>
std::string FaultOf(Field FilterOptions::*field, Value value) {
  FilterOptions options;
  options.level_plan = LevelPlan::kByLevel;
  options.*field = value;
  return CheckOptions(options);
}

TEST(OptionsTest, SentenceNamesOptionValueAndRange) {
  using Options = FilterOptions;
  EXPECT_EQ(FaultOf(&Options::bits_per_key, 0.5), "bits_per_key is 0.5, but must be from 1 to 32");
  EXPECT_THAT(FaultOf(&Options::bits_per_key, std::nan("")), HasSubstr("bits_per_key"));
  EXPECT_THAT(FaultOf(&Options::kind, FilterKind::kEmpty),
              AllOf(HasSubstr("kind is empty, but must be bloom"), HasSubstr(", or not be set"),
                    Not(HasSubstr("auto"))));
  EXPECT_THAT(FaultOf(&Options::level, 128), HasSubstr("level is 128"));
  EXPECT_THAT(FaultOf(&Options::bloom_before_level, -2), HasSubstr("bloom_before_level is -2"));
  EXPECT_EQ(FaultOf(&Options::level_size_ratio, 1),
            "level_size_ratio is 1, but must be from 2 to 100");
  EXPECT_THAT(FaultOf(&Options::level_size_ratio, std::nan("")), HasSubstr("level_size_ratio"));
  EXPECT_EQ(FaultOf(&Options::absent_share, 1.5), "absent_share is 1.5, but must be from 0 to 1");
  EXPECT_EQ(FaultOf(&Options::level_plan, static_cast<LevelPlan>(4)),
            "level_plan is 4, but must be that of uniform, by_level, auto or learned");
  EXPECT_EQ(FaultOf(&Options::level_plan, LevelPlan::kLearned),
            "level_plan=learned needs a RocksDB policy, which sees lookups: give level_plan=auto");
  FilterOptions options;
  options.absent_share = 0.5;
  EXPECT_THAT(CheckOptions(options), HasSubstr("absent_share has no effect"));
}

// The struct's size is that of a program compiled with an earlier or a later version.
TEST(OptionsTest, WhatAProgramDoesNotHaveIsAtItsDefault) {
  FilterOptions options;
  options.levels_below = std::nan("");
  EXPECT_THAT(CheckOptions(options), HasSubstr("levels_below"));
  EXPECT_THAT(CheckOptions(&options, offsetof(FilterOptions, levels_below)), IsEmpty());
  options.bits_per_key = 99;
  EXPECT_THAT(CheckOptions(&options, offsetof(FilterOptions, levels_below)),
              HasSubstr("bits_per_key is 99"));
}

TEST(OptionsTest, WhatTheLibraryDoesNotHaveIsRefused) {
  const FilterOptions options;
  EXPECT_THAT(CheckOptions(&options, sizeof options + 8),
              AllOf(HasSubstr("compiled with a later Winnow: its FilterOptions has"),
                    HasSubstr(Version()), HasSubstr("install the version")));
  EXPECT_TRUE(NeedsFilter(&options, sizeof options + 8));
}

TEST(OptionsTest, KindsHaveNames) {
  EXPECT_EQ(ToString(FilterKind::kEmpty), "empty");
  EXPECT_EQ(ToString(FilterKind::kBloom), "bloom");
  EXPECT_EQ(ToString(FilterKind::kRibbon), "ribbon");
  EXPECT_EQ(ToString(static_cast<FilterKind>(200)), "unknown");
}

}  // namespace options_test
}  // namespace winnow
