#include "src/text/numbers.h"

#include <gtest/gtest.h>

namespace winnow::inspect {
namespace numbers_test {

TEST(NumbersTest, OneOfAThingIsNotSeveral) {
  EXPECT_EQ(Number(0, "key"), "0 keys");
  EXPECT_EQ(Number(1, "key"), "1 key");
  EXPECT_EQ(Number(1234567, "key"), "1234567 keys");
  EXPECT_EQ(NumberWithCommas(1, "file"), "1 file");
  EXPECT_EQ(NumberWithCommas(1234567, "file"), "1,234,567 files");
}

TEST(NumbersTest, WhatIsNotKnownIsNoNumber) {
  EXPECT_EQ(Percent(0.00957), "0.957 %");
  EXPECT_EQ(Percent(1), "100 %");
  EXPECT_EQ(Percent(std::nullopt), "-");
  EXPECT_EQ(Percent(std::nullopt, "unknown"), "unknown");
  EXPECT_EQ(Bits(0), "-");
  EXPECT_EQ(Bits(6.828), "6.83");
}

TEST(NumbersTest, APartDoesNotLookLikeNothingOrAll) {
  EXPECT_EQ(PartOfAll(0), "0.0 %");
  EXPECT_EQ(PartOfAll(1e-9), "less than 0.1 %");
  EXPECT_EQ(PartOfAll(0.001), "0.1 %");
  EXPECT_EQ(PartOfAll(0.5), "50.0 %");
  EXPECT_EQ(PartOfAll(0.999), "99.9 %");
  EXPECT_EQ(PartOfAll(0.9995), "more than 99.9 %");
  EXPECT_EQ(PartOfAll(1 - 1e-16), "more than 99.9 %");
  EXPECT_EQ(PartOfAll(1), "100.0 %");
}

TEST(NumbersTest, FiguresHaveThreeDigitsAndCountsAll) {
  EXPECT_EQ(Figure(0.02857), "0.0286");
  EXPECT_EQ(Figure(1234567), "1234567");
  EXPECT_EQ(Figure(0), "0");
  EXPECT_EQ(Decimals(0.50, 2), "0.5");
  EXPECT_EQ(Decimals(-0.01, 1), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1234567), "1,234,567");
  EXPECT_EQ(Duration(1.5e6), "1.5 ms");
  EXPECT_EQ(ByteSize(12800), "12.5 KiB");
}

}  // namespace numbers_test
}  // namespace winnow::inspect
