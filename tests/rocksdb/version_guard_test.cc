#include "src/rocksdb/version_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/version.h>

#include <string>

namespace winnow::plugin {
namespace version_guard_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CompareVersions, AcceptsTheSameMajorAndMinor) {
  EXPECT_EQ(CompareVersions("7.8", 7, 8), "");
  EXPECT_EQ(CompareVersions("7.8.0", 7, 8), "");
  EXPECT_EQ(CompareVersions("7.8.3", 7, 8), "");
  EXPECT_EQ(CompareVersions("7.8.33", 7, 8), "");
  EXPECT_EQ(CompareVersions("10.10.1", 10, 10), "");
}

TEST(CompareVersions, RefusesAnyOther) {
  for (const char* loaded : {"7.9.0", "7.80.1", "7.81", "8.8.3", "17.8.3", "6.29.5", "7", "7.", "",
                             "7.8beta", "x7.8.3", "78.3"}) {
    EXPECT_NE(CompareVersions(loaded, 7, 8), "") << loaded;
  }
  EXPECT_NE(CompareVersions("10.1.0", 10, 10), "");
  EXPECT_NE(CompareVersions("10.10.0", 10, 1), "");
}

TEST(CompareVersions, SaysWhatWasFoundWhatIsNeededAndWhatToDo) {
  const std::string problem = CompareVersions("9.10.0", 7, 8);
  EXPECT_THAT(problem, HasSubstr("9.10.0"));
  EXPECT_THAT(problem, HasSubstr("RocksDB 7.8,"));
  EXPECT_THAT(problem, HasSubstr("build Winnow with the headers"));
}

TEST(CompareTypeInformation, WantsBothOrNone) {
  EXPECT_EQ(CompareTypeInformation(true, true), "");
  EXPECT_EQ(CompareTypeInformation(false, false), "");
  EXPECT_THAT(CompareTypeInformation(false, true),
              AllOf(HasSubstr("built for a RocksDB with type information"),
                    HasSubstr("loaded was built without"), HasSubstr("build Winnow with")));
  EXPECT_THAT(CompareTypeInformation(true, false),
              AllOf(HasSubstr("built for a RocksDB without type information"),
                    HasSubstr("loaded was built with;")));
}

TEST(VersionProblem, AcceptsTheRocksDBOfThisBuild) {
  EXPECT_EQ(VersionProblem(), "");
  EXPECT_EQ(CompiledVersion(), ROCKSDB_NAMESPACE::GetRocksVersionAsString());
}

}  // namespace version_guard_test
}  // namespace winnow::plugin
