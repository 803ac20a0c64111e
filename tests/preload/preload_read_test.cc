// WINNOW_POLICY=read: unmodified programs read Winnow's filters. preload_interposer_test compares
// what they build with what RocksDB alone builds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_read_test {

using testing::ChildResult;
using ::testing::ElementsAre;
using testing::FileFilter;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using testing::NewestOptionsFile;
using testing::Preloading;
using testing::ReadFilters;
using testing::RunClient;
using testing::TemporaryFolder;
using Kinds = std::map<std::string, int>;
using Environment = std::vector<std::string>;

constexpr char kKeys[] = "10000";
constexpr int kAbsent = 10000;

Environment Asking(const std::string& policy, Environment more = {}) {
  more.insert(more.begin(), "WINNOW_POLICY=" + policy);
  return Preloading(more);
}

const Environment kStock;

class PreloadReadTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::string& what, const std::string& policy,
                  const Environment& environment) {
    ChildResult result = RunClient({what, database_, policy, kKeys}, environment);
    EXPECT_EQ(result.status, 0) << result.errors;
    return result;
  }

  // Returns the number of data blocks read for absent keys. Expects that all keys are found.
  int BlocksReadForAbsentKeys(const std::string& policy, const Environment& environment) {
    const std::string output = Run("read", policy, environment).output;
    EXPECT_THAT(output, HasSubstr("missing=0 invented=0"));
    return std::stoi(output.substr(output.find("absent_blocks=") + 14));
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

TEST_F(PreloadReadTest, WinnowsFiltersOfOldFilesStayInUse) {
  Run("write", "bloom:10", Asking("winnow"));
  const int ours = BlocksReadForAbsentKeys("bloom:10", Asking("winnow"));
  EXPECT_LT(ours, kAbsent * 3 / 100);
  EXPECT_EQ(BlocksReadForAbsentKeys("bloom:10", Asking("read")), ours);
  EXPECT_EQ(BlocksReadForAbsentKeys("string:filter_policy=bloomfilter:10", Asking("read")), ours);
  // RocksDB alone cannot use these filters.
  EXPECT_GT(BlocksReadForAbsentKeys("bloom:10", kStock), kAbsent * 95 / 100);
}

TEST_F(PreloadReadTest, WinnowsOptionsSayWhichOfRocksDBsFiltersAreBuilt) {
  const struct {
    const char* request;
    const char* asked;
    const char* stock;
  } cases[] = {
      {"{id=winnow;build=bloomfilter;bits_per_key=12}", "bloom:10", "bloom:12"},
      {"{id=winnow;build=bloomfilter}", "bloom:9.9", "bloom:9.9"},
      {"{id=winnow;build=bloomfilter}", "ribbon:10:-1", "bloom:10"},
      {"{id=winnow:14;build=ribbonfilter;bloom_before_level=0}", "bloom:10", "ribbon:14:0"},
      // The bloom_before_level of a Ribbon policy is kept.
      {"{id=winnow;build=ribbonfilter;bloom_before_level=0}", "ribbon:10:-1", "ribbon:10:-1"},
      {"{id=winnow;build=bloomfilter}", "bloom:0", "bloom:0"},
  };
  const auto blocks = [this] {
    std::vector<std::string> all;
    for (const FileFilter& file : ReadFilters(database_)) {
      all.push_back(file.block);
    }
    return all;
  };
  for (const auto& [request, asked, stock] : cases) {
    Run("write", stock, kStock);
    const std::vector<std::string> expected = blocks();
    Run("write", asked, Asking(request));
    EXPECT_TRUE(blocks() == expected) << request << " " << asked;
  }
  Run("write", "bloom:10", Asking("winnow"));
  EXPECT_LT(BlocksReadForAbsentKeys("bloom:10", Asking("{id=winnow;build=bloomfilter}")),
            kAbsent * 3 / 100);
}

class PreloadReadAddedTest : public PreloadReadTest {
 protected:
  static Environment Adding(const std::string& policy, Environment more = {}) {
    more.emplace_back("WINNOW_ADD=1");
    return Asking(policy, more);
  }
};

TEST_F(PreloadReadAddedTest, FiltersThatWereAddedStayInUseAndNoneIsBuilt) {
  Run("write", "none", Adding("winnow:10"));
  const int ours = BlocksReadForAbsentKeys("none", Adding("winnow:10"));
  EXPECT_LT(ours, kAbsent * 3 / 100);
  EXPECT_EQ(BlocksReadForAbsentKeys("none", Adding("read")), ours);
  EXPECT_GT(BlocksReadForAbsentKeys("none", Asking("read")), kAbsent * 95 / 100);

  const ChildResult result = Run("overwrite", "none", Adding("read", {"WINNOW_LOG=1"}));
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 1}, {"winnow ribbon", 1}}));
  EXPECT_THAT(NewestOptionsFile(database_), HasSubstr("filter_policy=nullptr"));
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: column family"),
              ElementsAre(HasSubstr("gets one that reads filters and builds none")));
  BlocksReadForAbsentKeys("none", Adding("read"));
  BlocksReadForAbsentKeys("none", kStock);
}

TEST_F(PreloadReadAddedTest, RocksDBsFiltersCanBeAdded) {
  Run("write", "none", Adding("{id=winnow;build=bloomfilter;bits_per_key=10}"));
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"built-in bloom", 2}}));
  EXPECT_LT(BlocksReadForAbsentKeys("bloom:10", kStock), kAbsent * 3 / 100);
}

}  // namespace preload_read_test
}  // namespace winnow
