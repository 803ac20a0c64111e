// Text of the progress, with the time left.

#include <gtest/gtest.h>

#include "tools/winnow/advise/advice_json.h"

namespace winnow::inspect {
namespace advise_table_test {

TEST(AdviseProgressTextTest, ForetellsWhatIsLeft) {
  const auto text = [](size_t done, double share, double seconds) {
    return tools::AdviseProgressText({"building filters", done, 12, share}, seconds);
  };
  EXPECT_EQ(text(0, 0, 0), "building filters: 0 of 12 files, 0 %");
  EXPECT_EQ(text(0, 0.01, 3), "building filters: 0 of 12 files, 1 %");
  EXPECT_EQ(text(3, 0.25, 4), "building filters: 3 of 12 files, 25 %, 12 s left");
  EXPECT_EQ(text(3, 0.25, 400), "building filters: 3 of 12 files, 25 %, 20 min left");
  EXPECT_EQ(text(12, 1, 400), "building filters: 12 of 12 files, 100 %");
}

}  // namespace advise_table_test
}  // namespace winnow::inspect
