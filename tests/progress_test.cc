// What is seen of a run's progress, on a terminal and elsewhere.

#include "db_bench_ext/read_amplification/system/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace winnow::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::chrono::milliseconds kAlways{0};
constexpr std::chrono::hours kNever{1};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// What two jobs write of their progress.
std::string Written(bool terminal, std::chrono::milliseconds every) {
  const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
  {
    Progress progress(file.get(), terminal, every);
    progress.Set("growing", 340, 1000);
    progress.Set("timing", 1, 2);
    progress.Set("growing", 1000, 1000);
    progress.Set("timing", 2, 2);
  }
  std::string text(static_cast<size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file.get()), text.size());
  return text;
}

TEST(ProgressTest, ALineHasEveryJobAndIsCutToItsWidth) {
  EXPECT_EQ(ProgressLine({}, 0), "");
  EXPECT_EQ(ProgressLine({{"a", 5}, {"b", 70}}, 0), "a 5 % | b 70 %");
  EXPECT_EQ(ProgressLine({{"a", 5}, {"b", 70}}, 14), "a 5 % | b 70 %");
  EXPECT_EQ(ProgressLine({{"a", 5}, {"b", 70}}, 13), "a 5 % | b 7..");
}

TEST(ProgressTest, ALogGetsWholeLinesWithoutControlCharacters) {
  EXPECT_EQ(Written(false, kAlways),
            "db_bench_ext: growing 34 %\n"
            "db_bench_ext: growing 34 % | timing 50 %\n"
            "db_bench_ext: timing 50 %\n");
}

TEST(ProgressTest, ALogGetsNothingOfWhatIsOverSoon) {
  EXPECT_THAT(Written(false, kNever), IsEmpty());
}

TEST(ProgressTest, ATerminalGetsOneLineThatIsWipedAtTheEnd) {
  const std::string text = Written(true, kAlways);
  EXPECT_THAT(text, HasSubstr("growing 34 % | timing 50 %"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
}

TEST(ProgressTest, ATerminalSeesTheFirstLineAtOnce) {
  EXPECT_THAT(Written(true, kNever), HasSubstr("growing 34 %"));
}

}  // namespace
}  // namespace winnow::bench
