#include "src/rocksdb/log_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "src/rocksdb/policy_options.h"

namespace winnow::plugin {
namespace log_line_test {

using ::testing::HasSubstr;
using ::testing::Not;

// Logger that counts its lines and reports a log size set by the test.
class CountingLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  CountingLogger() : Logger(ROCKSDB_NAMESPACE::InfoLogLevel::DEBUG_LEVEL) {}
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override { ++lines; }
  void Logv(const ROCKSDB_NAMESPACE::InfoLogLevel level, const char* format,
            va_list arguments) override {
    if (level == ROCKSDB_NAMESPACE::InfoLogLevel::WARN_LEVEL) {
      char line[1000];
      std::vsnprintf(line, sizeof(line), format, arguments);
      warnings.emplace_back(line);
    } else {
      ++lines;
      char line[1000];
      std::vsnprintf(line, sizeof(line), format, arguments);
      last = line;
    }
  }
  size_t GetLogFileSize() const override { return size; }

  int lines = 0;  // except warnings
  std::string last;
  std::vector<std::string> warnings;
  // A later logger may have the address of an earlier one: a new log is shorter.
  static inline size_t next_size = 1'000'000;
  size_t size = next_size -= 1000;
};

void Write(LogLine& line, CountingLogger& logger) {
  line.WriteOnce(&logger, "winnow.Filter", PolicyOptions());
}

TEST(LogLineTest, IsWrittenToEachLogOnce) {
  LogLine line;
  CountingLogger one;
  CountingLogger other;
  for (int round = 0; round < 3; ++round) {
    Write(line, one);
    Write(line, other);
    one.size += 500;
  }
  EXPECT_EQ(one.lines, 1);
  EXPECT_EQ(other.lines, 1);
  line.WriteOnce(nullptr, "winnow.Filter", PolicyOptions());
}

TEST(LogLineTest, IsWrittenToALogThatBeganAgain) {
  LogLine line;
  CountingLogger logger;
  Write(line, logger);
  --logger.size;
  Write(line, logger);
  Write(line, logger);
  EXPECT_EQ(logger.lines, 2);
}

TEST(LogLineTest, IsWrittenAgainWhenTheOptionsChange) {
  LogLine line;
  CountingLogger logger;
  PolicyOptions options;
  Write(line, logger);
  options.bits_per_key = 11;
  for (int round = 0; round < 2; ++round) {
    line.WriteOnce(&logger, "winnow.Filter", options);
  }
  EXPECT_EQ(logger.lines, 2);
}

// Each column family may have a policy of its own.
TEST(LogLineTest, AHundredPoliciesThatBuildTheSameGiveOneLine) {
  std::vector<LogLine> lines(100);
  CountingLogger logger;
  PolicyOptions other;
  other.bits_per_key = 11;
  for (int round = 0; round < 2; ++round) {
    for (LogLine& line : lines) Write(line, logger);
    EXPECT_EQ(logger.lines, 1);
  }
  for (LogLine& line : lines) line.WriteOnce(&logger, "winnow.Filter", other);
  EXPECT_EQ(logger.lines, 2) << "their options changed together";
}

// SetOptions makes new policies.
TEST(LogLineTest, IsWrittenForOptionsThatReplaceOthersAndWereThereBefore) {
  PolicyOptions other;
  other.bits_per_key = 11;
  LogLine first;
  LogLine second(ToString(PolicyOptions()));
  LogLine third(ToString(other));
  CountingLogger logger;
  Write(first, logger);
  second.WriteOnce(&logger, "winnow.Filter", other);
  Write(third, logger);
  EXPECT_EQ(logger.lines, 3);
  EXPECT_THAT(logger.last, HasSubstr(ToString(PolicyOptions())));
}

TEST(LogLineTest, SaysWhoseFiltersAreBuilt) {
  LogLine line;
  CountingLogger logger;
  PolicyOptions options;
  Write(line, logger);
  EXPECT_THAT(logger.last, HasSubstr(" builds the filters of policy winnow.Filter: bits_per_key="));
  options.build = Build::kBloomFilter;
  for (int round = 0; round < 2; ++round) {
    line.WriteOnce(&logger, "winnow.Filter", options);
  }
  EXPECT_EQ(logger.lines, 2);
  EXPECT_THAT(logger.last,
              HasSubstr(" reads Winnow's and RocksDB's filters for policy winnow.Filter, "
                        "which builds RocksDB's bloomfilter:10 (RocksDB "));
  EXPECT_THAT(logger.last, Not(HasSubstr("builds the filters")));
  for (int round = 0; round < 2; ++round) {
    line.WriteReadingOnce(&logger, "P", "builds none");
    line.WriteReadingOnce(nullptr, "P", "builds none");
  }
  EXPECT_EQ(logger.lines, 3);
  EXPECT_THAT(logger.last, HasSubstr("for policy P, which builds none (RocksDB "));
}

TEST(LogLineTest, ComplaintsAreWarningsInEachLog) {
  LogLine line;
  CountingLogger one;
  CountingLogger other;
  for (int round = 0; round < 2; ++round) {
    line.WriteOnce(&one, "winnow.Filter", PolicyOptions(), "no good");
    line.WriteOnce(&other, "winnow.Filter", PolicyOptions(), "no good");
  }
  EXPECT_EQ(one.lines, 1);
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
  CountingLogger in_use;
  std::vector<std::unique_ptr<CountingLogger>> others;
  for (size_t i = 0; i < 3 * kMaxLogs; ++i) {
    others.push_back(std::make_unique<CountingLogger>());
    Write(line, *others.back());
    Write(line, in_use);
    EXPECT_EQ(others.back()->lines, 1);
  }
  EXPECT_EQ(in_use.lines, 1);
  // The oldest log is evicted, the newest is not.
  Write(line, *others.front());
  Write(line, *others.back());
  EXPECT_EQ(others.front()->lines, 2);
  EXPECT_EQ(others.back()->lines, 1);
}

}  // namespace log_line_test
}  // namespace winnow::plugin
