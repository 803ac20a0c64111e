#include "streams/redis/patience.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace patience_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using winnow::redis::Patience;
using winnow::redis::Waits;

const absl::Status kRefused = absl::UnavailableError("Connection refused");
const absl::Status kLoads = absl::UnavailableError("LOADING Redis is loading");

class PatienceTest : public ::testing::Test {
 protected:
  Waits Said() {
    Waits waits;
    waits.say = [this](const std::string& what) { said_.push_back(what); };
    waits.now = [this] { return now_; };
    return waits;
  }
  void Pass(milliseconds time) { now_ += time; }

  std::vector<std::string> said_;
  Waits::Clock::time_point now_;
  Patience patience_{Said(), "the server a:1: "};
};

TEST_F(PatienceTest, SaysWhatItWaitsForAfterTwoSecondsAndEndsAfterAMinute) {
  EXPECT_EQ(patience_.GoOn(kRefused), absl::OkStatus());
  EXPECT_EQ(patience_.UntilDue(), seconds(2));
  Pass(milliseconds(1'999));
  EXPECT_EQ(patience_.GoOn(kRefused), absl::OkStatus());
  EXPECT_THAT(said_, IsEmpty());
  Pass(milliseconds(1));
  EXPECT_EQ(patience_.GoOn(kRefused), absl::OkStatus());
  EXPECT_THAT(said_, ElementsAre("the server a:1: Connection refused; it is waited for, 60 seconds "
                                 "at most"));
  EXPECT_EQ(patience_.UntilDue(), seconds(58));
  Pass(milliseconds(57'999));
  EXPECT_EQ(patience_.GoOn(kRefused), absl::OkStatus());
  Pass(milliseconds(1));
  EXPECT_EQ(patience_.GoOn(kRefused).message(),
            "Connection refused; it was not better after 60 seconds");
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(PatienceTest, TheTimeBeginsAnewWithAnAnswerAndNotBefore) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(patience_.GoOn(kRefused), absl::OkStatus());
    patience_.Begin();
    Pass(seconds(59));
    EXPECT_EQ(patience_.GoOn(kRefused), absl::OkStatus());
    patience_.Answered();
    Pass(seconds(59));
  }
  EXPECT_EQ(said_.size(), 3U);
  patience_.Begin();
  Pass(seconds(60));
  EXPECT_FALSE(patience_.GoOn(kRefused).ok());
}

TEST_F(PatienceTest, AServerThatLoadsIsWaitedForAsLongAsItSaysSo) {
  for (int i = 0; i <= 600; i += 30) {
    patience_.Begin();
    patience_.Promised();
    EXPECT_EQ(patience_.GoOn(kLoads), absl::OkStatus()) << i;
    Pass(seconds(30));
  }
  // Messages come at 30, 90, 150 seconds and so on.
  EXPECT_EQ(said_.size(), 10U);
  EXPECT_THAT(said_, Each("the server a:1: LOADING Redis is loading; it is waited for, as long as "
                          "it says so"));
  EXPECT_EQ(patience_.Wait(kLoads), absl::OkStatus());
  EXPECT_EQ(patience_.Wait(kRefused), absl::OkStatus());
  Pass(seconds(60));
  EXPECT_FALSE(patience_.Wait(kRefused).ok());
}

TEST_F(PatienceTest, PausesGrow) {
  std::vector<long> pauses;
  for (int i = 0; i < 8; ++i) {
    pauses.push_back(patience_.pause().count());
    patience_.Lengthen();
    patience_.Answered();
  }
  EXPECT_THAT(pauses, ElementsAre(0, 20, 40, 80, 160, 320, 500, 500));
  patience_.Done();
  EXPECT_EQ(patience_.pause(), milliseconds(0));
}

}  // namespace patience_test
