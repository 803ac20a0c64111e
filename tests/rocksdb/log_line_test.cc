#include "src/rocksdb/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "src/rocksdb/policy_options.h"
#include "tests/support/keeping_logger.h"

namespace winnow::plugin {
namespace log_line_test {

using ::testing::HasSubstr;
using testing::KeepingLogger;
using ::testing::Not;

void Write(LogLine& line, KeepingLogger& logger) {
  line.WriteOnce(&logger, "winnow.Filter", PolicyOptions());
}

TEST(LogLineTest, IsWrittenToEachLogOnce) {
  LogLine line;
  KeepingLogger one;
  KeepingLogger other;
  for (int round = 0; round < 3; ++round) {
    Write(line, one);
    Write(line, other);
    one.size += 500;
  }
  EXPECT_EQ(one.lines.size(), 1u);
  EXPECT_EQ(other.lines.size(), 1u);
  line.WriteOnce(nullptr, "winnow.Filter", PolicyOptions());
}

TEST(LogLineTest, IsWrittenToALogThatBeganAgain) {
  LogLine line;
  KeepingLogger logger;
  Write(line, logger);
  --logger.size;
  Write(line, logger);
  Write(line, logger);
  EXPECT_EQ(logger.lines.size(), 2u);
}

TEST(LogLineTest, IsWrittenAgainWhenTheOptionsChange) {
  LogLine line;
  KeepingLogger logger;
  PolicyOptions options;
  Write(line, logger);
  options.bits_per_key = 11;
  for (int round = 0; round < 2; ++round) {
    line.WriteOnce(&logger, "winnow.Filter", options);
  }
  EXPECT_EQ(logger.lines.size(), 2u);
}

// Each column family may have a policy of its own.
TEST(LogLineTest, AHundredPoliciesThatBuildTheSameGiveOneLine) {
  std::vector<LogLine> lines(100);
  KeepingLogger logger;
  PolicyOptions other;
  other.bits_per_key = 11;
  for (int round = 0; round < 2; ++round) {
    for (LogLine& line : lines) Write(line, logger);
    EXPECT_EQ(logger.lines.size(), 1u);
  }
  for (LogLine& line : lines) line.WriteOnce(&logger, "winnow.Filter", other);
  EXPECT_EQ(logger.lines.size(), 2u) << "their options changed together";
}

// SetOptions makes new policies.
TEST(LogLineTest, IsWrittenForOptionsThatReplaceOthersAndWereThereBefore) {
  PolicyOptions other;
  other.bits_per_key = 11;
  LogLine first;
  LogLine second(ToString(PolicyOptions()));
  LogLine third(ToString(other));
  KeepingLogger logger;
  Write(first, logger);
  second.WriteOnce(&logger, "winnow.Filter", other);
  Write(third, logger);
  EXPECT_EQ(logger.lines.size(), 3u);
  EXPECT_THAT(logger.lines.back(), HasSubstr(ToString(PolicyOptions())));
}

TEST(LogLineTest, SaysWhoseFiltersAreBuilt) {
  LogLine line;
  KeepingLogger logger;
  PolicyOptions options;
  Write(line, logger);
  EXPECT_THAT(logger.lines.back(),
              HasSubstr(std::string("[winnow] ") + Version() +
                        " builds the filters of policy winnow.Filter: bits_per_key="));
  options.build = Build::kBloomFilter;
  for (int round = 0; round < 2; ++round) {
    line.WriteOnce(&logger, "winnow.Filter", options);
  }
  EXPECT_EQ(logger.lines.size(), 2u);
  EXPECT_THAT(logger.lines.back(),
              HasSubstr(" reads Winnow's and RocksDB's filters for policy winnow.Filter, "
                        "which builds RocksDB's bloomfilter:10 (RocksDB "));
  EXPECT_THAT(logger.lines.back(), Not(HasSubstr("builds the filters")));
  for (int round = 0; round < 2; ++round) {
    line.WriteReadingOnce(&logger, "P", "builds none");
    line.WriteReadingOnce(nullptr, "P", "builds none");
  }
  EXPECT_EQ(logger.lines.size(), 3u);
  EXPECT_THAT(logger.lines.back(), HasSubstr("for policy P, which builds none (RocksDB "));
}

TEST(LogLineTest, ComplaintsAreWarningsInEachLog) {
  LogLine line;
  KeepingLogger one;
  KeepingLogger other;
  for (int round = 0; round < 2; ++round) {
    line.WriteOnce(&one, "winnow.Filter", PolicyOptions(), "no good");
    line.WriteOnce(&other, "winnow.Filter", PolicyOptions(), "no good");
  }
  EXPECT_EQ(one.lines.size(), 2u);
  EXPECT_EQ(
      one.warnings,
      (std::vector<std::string>{"[winnow] filter policy winnow.Filter can't be as it was asked for "
                                "(no good) and builds its filters with " +
                                ToString(PolicyOptions())}));
  EXPECT_EQ(other.warnings, one.warnings);
}

TEST(LogLineDeathTest, ComplaintsComeOnStderr) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        for (int round = 0; round < 3; ++round) {
          LogLine().WriteOnce(nullptr, "P", PolicyOptions(), "no good");
        }
        LogLine line;
        line.WriteOnce(nullptr, "P", PolicyOptions());
        line.WriteOnce(nullptr, "P", PolicyOptions(), "bad");
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0),
      "^winnow: filter policy P [^\n]*no good[^\n]*\nwinnow: filter policy P "
      "[^\n]*bad[^\n]*\n$");
}

// A long-running program may open and close any number of databases.
TEST(LogLineTest, RemembersTheLogsInUseAmongAnyNumber) {
  LogLine line;
  KeepingLogger in_use;
  std::vector<std::unique_ptr<KeepingLogger>> others;
  for (size_t i = 0; i < 3 * kMaxLogs; ++i) {
    others.push_back(std::make_unique<KeepingLogger>());
    Write(line, *others.back());
    Write(line, in_use);
    EXPECT_EQ(others.back()->lines.size(), 1u);
  }
  EXPECT_EQ(in_use.lines.size(), 1u);
  // The oldest log is evicted, the newest is not.
  Write(line, *others.front());
  Write(line, *others.back());
  EXPECT_EQ(others.front()->lines.size(), 2u);
  EXPECT_EQ(others.back()->lines.size(), 1u);
}

}  // namespace log_line_test
}  // namespace winnow::plugin
