#include "src/text/text_table.h"

#include <gtest/gtest.h>

namespace winnow::inspect {
namespace text_table_test {

TEST(TextTableTest, AlignsColumnsToTheirWidestCell) {
  TextTable table({{"name", Align::kLeft}, {"n"}, {"remark", Align::kLeft}}, {{"a", "1000", ""}});
  table.AddRow({"longer", "7", "is long"});
  EXPECT_EQ(table.ToString(),
            "name       n  remark\n"
            "a       1000\n"
            "longer     7  is long\n");
}

TEST(TextTableTest, LineUnderTheTitlesIsAsLongAsTheTableIsWide) {
  TextTable table({{"name", Align::kLeft}, {"n"}}, {{"a", "1000"}});
  table.Underline();
  EXPECT_EQ(table.ToString(),
            "name     n\n"
            "----------\n"
            "a     1000\n");
}

TEST(TextTableTest, MayHaveTitlesOnly) {
  EXPECT_EQ(TextTable({{"one"}, {"other"}}).ToString(), "one  other\n");
}

}  // namespace text_table_test
}  // namespace winnow::inspect
