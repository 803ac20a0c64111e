#include "src/workers/child_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace winnow::inspect {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kLong(60);

TEST(ChildAnswerTest, ALongTextArrivesWhole) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += std::to_string(i) + '\0';
  }
  const ChildAnswer answer = AskChild([&text] { return text; }, kLong);
  EXPECT_EQ(answer.problem, "");
  ASSERT_TRUE(answer.text.has_value());
  EXPECT_EQ(*answer.text, text);
}

TEST(ChildAnswerTest, AnEmptyTextIsAnAnswer) {
  EXPECT_EQ(AskChild([] { return std::string(); }, kLong).text, "");
}

TEST(ChildAnswerTest, TheWorkIsDoneInAnotherProcess) {
  const std::string own = std::to_string(getpid());
  EXPECT_NE(AskChild([] { return std::to_string(getpid()); }, kLong).text.value_or(own), own);
}

TEST(ChildAnswerTest, WorkThatEndsTheProcessIsNoAnswer) {
  const ChildAnswer aborted = AskChild([]() -> std::string { std::abort(); }, kLong);
  EXPECT_FALSE(aborted.text.has_value());
  EXPECT_THAT(aborted.problem, HasSubstr("signal 6"));
  EXPECT_FALSE(AskChild([]() -> std::string { _exit(3); }, kLong).text.has_value());
}

TEST(ChildAnswerTest, WorkThatHangsIsEnded) {
  const ChildAnswer answer = AskChild(
      []() -> std::string {
        while (true) {
          pause();
        }
      },
      std::chrono::seconds(1));
  EXPECT_FALSE(answer.text.has_value());
  EXPECT_THAT(answer.problem, HasSubstr("within 1 s"));
}

}  // namespace
}  // namespace winnow::inspect
