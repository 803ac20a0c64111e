#include "src/rocksdb/log_line.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace winnow::plugin {
namespace {

// Counts what it is given, and has the size that a test says.
class CountingLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  CountingLogger() : Logger(ROCKSDB_NAMESPACE::InfoLogLevel::DEBUG_LEVEL) {}
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override { ++lines; }
  size_t GetLogFileSize() const override { return size; }

  int lines = 0;
  size_t size = 1000;
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
  logger.size = 999;
  Write(line, logger);
  Write(line, logger);
  EXPECT_EQ(logger.lines, 2);
}

// As a program that opens and closes databases for ever has them.
TEST(LogLineTest, RemembersTheLogsInUseAmongAnyNumber) {
  LogLine line;
  CountingLogger in_use;
  std::vector<std::unique_ptr<CountingLogger>> others;
  for (size_t i = 0; i < 3 * LogLine::kMostLogs; ++i) {
    others.push_back(std::make_unique<CountingLogger>());
    Write(line, *others.back());
    Write(line, in_use);
    EXPECT_EQ(others.back()->lines, 1);
  }
  EXPECT_EQ(in_use.lines, 1);
  // The first one is forgotten, the last one is not.
  Write(line, *others.front());
  Write(line, *others.back());
  EXPECT_EQ(others.front()->lines, 2);
  EXPECT_EQ(others.back()->lines, 1);
}

}  // namespace
}  // namespace winnow::plugin
