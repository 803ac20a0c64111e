// Tests of the progress display on terminals and in logs.

#include "src/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace winnow::bench {
namespace progress_test {

using ::testing::HasSubstr;
using ::testing::Not;

using cli::ProgressLine;
using Time = ProgressLine::Clock::time_point;
using std::chrono::seconds;

// Time on a newly booted machine: nothing was shown before, although the clock is at its beginning.
constexpr Time kBoot{};
constexpr seconds kEvery{10};

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Returns the output for two jobs, with this time before each of their four steps.
std::string Written(bool terminal, seconds step) {
  const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
  {
    Time now = kBoot;
    cli::ProgressLine progress("growing_things", file.get(), terminal, [&now] { return now; });
    const auto set = [&](const char* job, uint64_t done, uint64_t total) {
      now += step;
      progress.Set(job, done, total);
    };
    set("growing", 340, 1000);
    set("timing", 1, 2);
    set("growing", 1000, 1000);
    set("timing", 2, 2);
  }
  std::string text(static_cast<size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file.get()), text.size());
  return text;
}

TEST(ProgressTest, ALogGetsWholeLinesNowAndThenAndNothingOfWhatIsOverSoon) {
  EXPECT_EQ(Written(false, kEvery),
            "growing_things: growing 34 %\n"
            "growing_things: growing 34 % | timing 50 %\n"
            "growing_things: timing 50 %\n");
  EXPECT_EQ(Written(false, kEvery / 2), "growing_things: growing 34 % | timing 50 %\n");
  EXPECT_EQ(Written(false, kEvery / 5), "");
}

TEST(ProgressTest, ATerminalGetsOneLineAtOnceThatIsWipedAtTheEnd) {
  const std::string text = Written(true, kEvery);
  EXPECT_THAT(text, HasSubstr("growing 34 % | timing 50 %"));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
  EXPECT_EQ(Written(true, seconds(0)), "\r\x1b[Kgrowing 34 %\r\x1b[K");
}

}  // namespace progress_test
}  // namespace winnow::bench
