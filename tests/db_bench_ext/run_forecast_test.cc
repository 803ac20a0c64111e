// Tests of a run's forecast needs and of the check for free room.

#include "db_bench_ext/read_amplification/program/run_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db_bench_ext/read_amplification/trees/tree_scale.h"

namespace winnow::bench {
namespace run_forecast_test {

using ::testing::HasSubstr;

TreeOptions Scaled(uint64_t keys) { return ScaleTree(TreeOptions{}, keys, 16 * keys); }

RunSize SizeOf(uint64_t keys, uint64_t policies) {
  RunSize size;
  size.keys = keys;
  size.key_bytes = 16 * keys;
  size.lookups = 2'000'000;
  size.timed_lookups = 1'000'000;
  size.policies = policies;
  return size;
}

RunNeeds Needs(const RunSize& size) { return ForecastRun(Scaled(size.keys), size); }

TEST(RunForecastTest, NeedsGrowWithKeysAndPolicies) {
  const RunNeeds one = Needs(SizeOf(10'000'000, 1));
  EXPECT_GT(one.tree_disk, 1'160'000'000u) << "keys and values";
  EXPECT_LT(one.tree_disk, 1'500'000'000u);
  EXPECT_GE(one.disk, one.tree_disk);
  EXPECT_EQ(one.key_memory, 0u) << "computed keys take none";
  RunSize listed = SizeOf(10'000'000, 1);
  listed.key_memory = 240'000'000;
  EXPECT_EQ(Needs(listed).memory, one.memory + 240'000'000);

  const RunNeeds two = Needs(SizeOf(10'000'000, 2));
  const RunNeeds four = Needs(SizeOf(10'000'000, 4));
  EXPECT_GE(four.disk, 4 * four.tree_disk);
  EXPECT_NEAR(four.seconds, 4 * one.seconds, 1e-6) << "one after the other";
  EXPECT_EQ(four.memory, one.memory);

  RunSize timed = SizeOf(10'000'000, 2);
  timed.timed_seconds = 100;
  EXPECT_NEAR(Needs(timed).seconds, two.seconds + 200, 1e-6) << "rounds that last by the clock";

  const RunNeeds more = Needs(SizeOf(100'000'000, 1));
  EXPECT_GT(more.disk, 9 * one.disk);
  EXPECT_GT(more.seconds, 9 * one.seconds);
}

TEST(RunForecastTest, WhatDoesNotFitIsRefusedWithWhatIsMissing) {
  const RunNeeds needs = Needs(SizeOf(10'000'000, 1));
  Room room;
  room.folder = "/somewhere";
  EXPECT_TRUE(CheckRoom(needs, room).ok()) << "nothing is known of the machine";
  room.memory = needs.memory;
  room.disk = needs.disk;
  EXPECT_TRUE(CheckRoom(needs, room).ok());
  room.disk = needs.disk - 1;
  EXPECT_THAT(std::string(CheckRoom(needs, room).message()), HasSubstr("of disk in /somewhere"));
  room.memory = needs.memory - 1;
  EXPECT_THAT(std::string(CheckRoom(needs, room).message()), HasSubstr("of memory"));
}

}  // namespace run_forecast_test
}  // namespace winnow::bench
