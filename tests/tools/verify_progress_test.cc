#include "tools/winnow/verify/verify_progress.h"

#include <gtest/gtest.h>

namespace winnow::tools {
namespace verify_progress_test {

using std::chrono::seconds;

TEST(VerifyProgressTest, TellsWhatIsDoneHowFastAndWhatIsLeft) {
  const VerifyProgress::Clock::time_point start{};
  VerifyProgress progress({300, 100}, start);
  EXPECT_EQ(progress.Line(start), "0 of 2 files, 0 %");
  progress.File(0, 1'000'000, 1.0 / 3);
  EXPECT_EQ(progress.Line(start + seconds(1)), "0 of 2 files, 25 %, 1.0 M keys/s, 3 s left");
  progress.Done(1, 1'000'000);
  EXPECT_EQ(progress.Line(start + seconds(2)), "1 of 2 files, 50 %, 1.0 M keys/s, 2 s left");
  progress.Done(0, 3'000);
  EXPECT_EQ(progress.Line(start + seconds(1'000)), "2 of 2 files, 100 %, 1 k keys/s, 0 s left");
}

TEST(VerifyProgressTest, EmptyFilesAndNoFilesAreNoTrouble) {
  const VerifyProgress::Clock::time_point start{};
  EXPECT_EQ(VerifyProgress({}, start).Line(start), "0 of 0 files, 100 %");
  VerifyProgress progress({0}, start);
  progress.Done(0, 0);
  EXPECT_EQ(progress.Line(start + seconds(1)), "1 of 1 files, 100 %, 0 keys/s, 0 s left");
}

}  // namespace verify_progress_test
}  // namespace winnow::tools
