// Tests of a run's forecast needs and of the check for free room.

#include "db_bench_ext/read_amplification/program/run_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "db_bench_ext/read_amplification/trees/tree_scale.h"

namespace winnow::bench {
namespace run_forecast_test {

using ::testing::HasSubstr;

struct Forecast {
  TreeOptions scaled;
  TreeForecast tree;
  RunSize size;
  RunNeeds needs;
};

Forecast Of(uint64_t keys, std::vector<std::string> policies, uint64_t at_once) {
  Forecast forecast;
  forecast.scaled = ScaleTree(TreeOptions{}, keys, 16 * keys);
  forecast.tree = ForecastTree(forecast.scaled, keys, 16 * keys);
  forecast.size.keys = keys;
  forecast.size.key_bytes = 16 * keys;
  forecast.size.lookups = 2'000'000;
  forecast.size.timed_lookups = 1'000'000;
  forecast.size.policies = std::move(policies);
  forecast.size.trees_at_once = at_once;
  forecast.needs = ForecastRun(forecast.scaled, forecast.tree, forecast.size);
  return forecast;
}

TEST(RunForecastTest, NeedsGrowWithKeysAndPolicies) {
  const RunNeeds one = Of(10'000'000, {"none"}, 2).needs;
  EXPECT_GT(one.tree_disk, 1'160'000'000u) << "keys and values";
  EXPECT_LT(one.tree_disk, 1'500'000'000u);
  EXPECT_GE(one.disk, one.tree_disk);
  EXPECT_EQ(one.key_memory, 0u) << "computed keys take none";
  Forecast listed = Of(10'000'000, {"none"}, 2);
  listed.size.key_memory = 240'000'000;
  EXPECT_EQ(ForecastRun(listed.scaled, listed.tree, listed.size).memory, one.memory + 240'000'000);
  EXPECT_GT(one.memory, one.key_memory + one.tree_memory);

  const RunNeeds four = Of(10'000'000, {"none", "a", "b", "c"}, 2).needs;
  EXPECT_GE(four.disk, 4 * four.tree_disk);
  EXPECT_GT(four.seconds, 1.9 * one.seconds) << "two at a time";
  EXPECT_EQ(four.memory - one.memory, four.tree_memory) << "two at a time";

  const RunNeeds more = Of(100'000'000, {"none"}, 2).needs;
  EXPECT_GT(more.disk, 9 * one.disk);
  EXPECT_GT(more.tree_seconds, 9 * one.tree_seconds);
}

TEST(RunForecastTest, RoundsThatLastByTheClockTakeTheirTime) {
  Forecast forecast = Of(1'000'000, {"none", "a"}, 2);
  forecast.size.timed_seconds = 100;
  const double seconds = ForecastRun(forecast.scaled, forecast.tree, forecast.size).seconds;
  EXPECT_NEAR(seconds, forecast.needs.seconds + 200, 1e-6);
}

TEST(RunForecastTest, WhatDoesNotFitIsRefusedWithWhatIsMissing) {
  const RunNeeds needs = Of(10'000'000, {"none"}, 1).needs;
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

TEST(RunForecastTest, ThePlanNamesEveryPolicyAndLevel) {
  const Forecast forecast = Of(5'000'000, {"none", "winnow:10"}, 2);
  Room room;
  room.folder = "/somewhere";
  room.disk = uint64_t{77} << 30;
  const std::string text = PlanText(forecast.scaled, forecast.tree, forecast.size, forecast.needs,
                                    room, {"A thing to know."});
  EXPECT_THAT(text, HasSubstr("5000000 keys, 116 bytes each"));
  EXPECT_THAT(text, HasSubstr("\nnone: about "));
  EXPECT_THAT(text, HasSubstr(" of as many processors with nothing else to do,\n"));
  EXPECT_THAT(text, HasSubstr("\nwinnow:10: about "));
  EXPECT_THAT(text, HasSubstr("\n0          2    50000 "));
  EXPECT_THAT(text, HasSubstr("\n1          4   100000 "));
  EXPECT_THAT(text, HasSubstr("(free: 77 GiB)"));
  EXPECT_THAT(text, HasSubstr("(free: not known)"));
  EXPECT_THAT(text, HasSubstr("Note: A thing to know."));
}

}  // namespace run_forecast_test
}  // namespace winnow::bench
