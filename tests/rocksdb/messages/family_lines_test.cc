#include "src/rocksdb/messages/family_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::plugin {
namespace family_lines_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(FamilyLinesTest, AHundredFamiliesGiveOneLineThatNamesSome) {
  std::vector<std::string> families;
  for (int i = 0; i < 100; ++i) families.push_back("family" + std::to_string(i));
  FamilyLines lines;
  EXPECT_EQ(lines.Next(families, " of DB", "has no filter policy"),
            "each of 100 column families of DB (family0, family1, family2, family3, ...) has no "
            "filter policy");
  EXPECT_EQ(lines.Next({"a", "b"}, "", "has none"), "each of 2 column families (a, b) has none");
  EXPECT_EQ(lines.Next({"a"}, "", "has none"), "column family a has none");
  EXPECT_THAT(lines.Next({}, "", "has none"), IsEmpty());
}

TEST(FamilyLinesTest, ALineIsWrittenOnce) {
  FamilyLines lines;
  EXPECT_EQ(lines.Next({"a"}, "", "has none"), "column family a has none");
  EXPECT_THAT(lines.Next({"a"}, "", "has none"), IsEmpty());
  EXPECT_EQ(lines.Next({"a"}, "", "has one"), "column family a has one");
}

TEST(FamilyLinesTest, FamiliesThatAreCreatedOneByOneGiveFewLines) {
  FamilyLines lines;
  int written = 0;
  std::string last;
  for (int i = 0; i < 100; ++i) {
    const std::string line = lines.Next({std::to_string(i)}, "", "has none");
    if (line.empty()) continue;
    ++written;
    last = line;
  }
  EXPECT_EQ(written, static_cast<int>(FamilyLines::kMostLines));
  EXPECT_THAT(last, HasSubstr("has none; further column families like it are not named"));
  EXPECT_EQ(lines.Next({"a"}, "", "has one"), "column family a has one");
}

}  // namespace family_lines_test
}  // namespace winnow::plugin
