#include "winnow/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace winnow {
namespace options_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(OptionsTest, DefaultsAndLimitsAreValid) {
  FilterOptions options;
  EXPECT_THAT(CheckOptions(options), IsEmpty());
  options.bits_per_key = 1;
  EXPECT_THAT(CheckOptions(options), IsEmpty());
  options.bits_per_key = 32;
  options.kind = FilterKind::kRibbon;
  options.level = 127;
  options.bloom_before_level = std::numeric_limits<int>::max();
  EXPECT_THAT(CheckOptions(options), IsEmpty());
}

TEST(OptionsTest, SentenceNamesOptionValueAndRange) {
  FilterOptions options;
  options.bits_per_key = 0.5;
  EXPECT_THAT(CheckOptions(options),
              AllOf(HasSubstr("bits_per_key"), HasSubstr("0.5"), HasSubstr("from 1 to 32")));
  options.bits_per_key = std::nan("");
  EXPECT_THAT(CheckOptions(options), HasSubstr("bits_per_key"));
  options = {};
  options.kind = FilterKind::kEmpty;
  EXPECT_THAT(CheckOptions(options), AllOf(HasSubstr("kind is empty, but must be bloom"),
                                           HasSubstr(", or not be set"), Not(HasSubstr("auto"))));
  options = {};
  options.level = 128;
  EXPECT_THAT(CheckOptions(options), AllOf(HasSubstr("level"), HasSubstr("128")));
  options = {};
  options.bloom_before_level = -2;
  EXPECT_THAT(CheckOptions(options), AllOf(HasSubstr("bloom_before_level"), HasSubstr("-2")));
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
