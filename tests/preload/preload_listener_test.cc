// Listener that the interposer adds to databases with a Winnow policy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "src/core/sizing.h"
#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "winnow/filter.h"

namespace winnow {
namespace preload_listener_test {

using testing::ChildResult;
using testing::FileFilter;
using ::testing::HasSubstr;
using testing::Preloading;
using testing::ReadFile;
using testing::ReadFilters;
using testing::RunClient;

constexpr char kKeys[] = "10000";
const double kUniformRate = core::RateForBits(10);
constexpr char kAuto[] = "WINNOW_POLICY=winnow:10";
constexpr char kOwnAuto[] = "string:filter_policy=winnow:10";

class PreloadListenerTest : public ::testing::Test {
 protected:
  std::string Run(const std::string& what, const std::string& how, const std::string& policy,
                  const std::vector<std::string>& environment) {
    const ChildResult result =
        RunClient({what, how + database_, policy, kKeys}, Preloading(environment));
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  }

  // Sets rates_ to the rates of files from a process that did not write the files below them.
  std::string WriteAgain(const std::string& how, const std::string& policy,
                         const std::vector<std::string>& environment) {
    Run("write", how, policy, environment);
    std::set<std::string> before;
    for (const FileFilter& file : ReadFilters(database_)) before.insert(file.file);
    std::string output = Run("again", how, policy, environment);
    rates_.clear();
    for (const FileFilter& file : ReadFilters(database_)) {
      if (before.count(file.file) == 0) rates_.push_back(FilterView(file.block).info().target_fpr);
    }
    EXPECT_FALSE(rates_.empty());
    return output;
  }

  testing::TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
  std::vector<double> rates_;
};

class PreloadListenerOpenTest : public PreloadListenerTest,
                                public ::testing::WithParamInterface<const char*> {};

TEST_P(PreloadListenerOpenTest, TellsOfFilesThatWereThere) {
  const std::string how = GetParam();
  const int families = how == "families@" ? 3 : 1;
  const std::string heard =
      "flushes=" + std::to_string(families) + " listeners=2 options=1";  // keeps the program's own
  // Rates depend on the other files of the tree.
  const auto expect_known = [&](size_t files) {
    EXPECT_EQ(rates_.size(), files);
    for (const double rate : rates_) EXPECT_LT(rate, 0.97 * kUniformRate);
  };
  // Policies that replace a built-in one, that are added, and that are the program's own.
  EXPECT_THAT(WriteAgain(how, "bloom:10", {kAuto}), HasSubstr(heard));
  expect_known(static_cast<size_t>(families));
  EXPECT_THAT(WriteAgain(how, "none", {kAuto, "WINNOW_ADD=1"}), HasSubstr(heard));
  expect_known(static_cast<size_t>(families));
  EXPECT_THAT(WriteAgain(how, kOwnAuto, {"WINNOW_LOG=0"}), HasSubstr(heard));
}

INSTANTIATE_TEST_SUITE_P(Ways, PreloadListenerOpenTest,
                         ::testing::Values("", "transaction@", "optimistic@", "ttl@", "families@"));

TEST_F(PreloadListenerTest, IsNotThereWhereNoFilterIsReadThroughWinnow) {
  EXPECT_THAT(WriteAgain("", "bloom:10", {"WINNOW_LOG=0"}), HasSubstr("listeners=1 options=1"));
  EXPECT_THAT(WriteAgain("", "none", {"WINNOW_LOG=0"}), HasSubstr("listeners=1 options=1"));
  EXPECT_THAT(WriteAgain("", "bloom:10", {"WINNOW_POLICY=read"}),
              HasSubstr("listeners=2 options=1"));
  EXPECT_THAT(WriteAgain("", "bloom:10", {"WINNOW_POLICY={id=winnow;build=bloomfilter}"}),
              HasSubstr("listeners=2 options=1"));
}

// The listener writes the alarm to the LOG of databases that are only read or build no filters.
class PreloadAlarmTest : public PreloadListenerTest,
                         public ::testing::WithParamInterface<const char*> {};

TEST_P(PreloadAlarmTest, OfFiltersWithoutRoomIsInTheLogAndOnStderr) {
  constexpr char kSmallCache[] =
      "string:filter_policy=bloomfilter:10;cache_index_and_filter_blocks=true;"
      "block_cache={capacity=32K;num_shard_bits=0}";
  constexpr char kManyKeys[] = "100000";
  const std::string how = GetParam();
  const std::string to_write = how == "families@" ? how : "";
  for (const char* const policy : {"WINNOW_POLICY=winnow", "WINNOW_POLICY=read"}) {
    ASSERT_EQ(
        RunClient({"write", to_write + database_, kSmallCache, kManyKeys}, Preloading({policy}))
            .status,
        0);
    const ChildResult result =
        RunClient({"read-until-alarm", how + database_, kSmallCache, kManyKeys},
                  Preloading({policy, "WINNOW_LOG=1"}));
    EXPECT_EQ(result.output, "found=1\n") << result.errors;
    EXPECT_THAT(result.errors, HasSubstr("winnow: filters that Winnow's policies read take "));
    EXPECT_THAT(result.errors, HasSubstr("; the block cache has 32 KiB"));
    EXPECT_THAT(result.errors, HasSubstr("; what helps for " + database_ + ": a block cache of "));
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, PreloadAlarmTest,
                         ::testing::Values("", "read-only@", "secondary@", "transaction@"));

// Lookups have the table written, as nothing is flushed or compacted.
TEST_P(PreloadAlarmTest, WhatFiltersAnsweredIsInTheLogOfADatabaseThatOnlyReads) {
  WINNOW_SKIP_IF_SANITIZED();
  const std::string how = GetParam();
  constexpr char kBloom[] = "bloom:10";
  ASSERT_EQ(
      RunClient({"write", database_, kBloom, "1000"}, Preloading({"WINNOW_POLICY=winnow"})).status,
      0);
  const ChildResult result =
      RunClient({"read-until-use", how + database_, kBloom, "1000"},
                Preloading({"WINNOW_POLICY=winnow"},
                           std::string(PRELOAD_LIBRARY) + ":" + FAST_CLOCK_LIBRARY));
  EXPECT_EQ(result.output, "found=1\n") << result.errors;
  if (how == "read-only@") return;  // RocksDB gives it no LOG
  const std::string log = ReadFile(database_ + (how == "secondary@" ? ".secondary/LOG" : "/LOG"));
  EXPECT_THAT(log, HasSubstr("[winnow] this process has built no filters of Winnow's; loaded "));
}

}  // namespace preload_listener_test
}  // namespace winnow
