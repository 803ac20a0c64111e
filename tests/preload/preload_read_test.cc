// WINNOW_POLICY=read: unmodified programs build the filters that they request, and read Winnow's.

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

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::ElementsAre;
using testing::FileFilter;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using testing::NewestOptionsFile;
using ::testing::Not;
using testing::Preloading;
using testing::ReadFile;
using testing::ReadFilters;
using testing::RunClient;
using testing::RunProgram;
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

  std::vector<std::string> Blocks() const {
    std::vector<std::string> blocks;
    for (const FileFilter& file : ReadFilters(database_)) {
      blocks.push_back(file.policy_name + ": " + file.block);
    }
    return blocks;
  }

  // Returns Winnow's lines in the database's LOG.
  std::string Log() const {
    std::string lines;
    const std::string log = ReadFile(database_ + "/LOG");
    for (size_t at = log.find("[winnow]"); at != std::string::npos;
         at = log.find("[winnow]", at + 1)) {
      lines += log.substr(at, log.find('\n', at) + 1 - at);
    }
    return lines;
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

TEST_F(PreloadReadTest, ProgramsGetTheVeryFiltersThatTheyAskedFor) {
  for (const char* policy :
       {"bloom:10", "bloom:0", "bloom:9.9", "bloom:50", "ribbon:10:0", "ribbon:10:-1",
        "string:filter_policy=bloomfilter:12", "string:filter_policy=ribbonfilter:12:3",
        "string:filter_policy=bloomfilter:10;format_version=4", "none"}) {
    Run("write", policy, kStock);
    const std::vector<std::string> stock = Blocks();
    const std::string options = NewestOptionsFile(database_);
    Run("write", policy, Asking("read"));
    EXPECT_TRUE(Blocks() == stock) << policy;
    EXPECT_EQ(NewestOptionsFile(database_), options) << policy;
  }
}

TEST_F(PreloadReadTest, ProgramsOfTheCApiDoToo) {
  for (const char* policy : {"bloom", "ribbon"}) {
    const std::vector<std::string> command = {PRELOAD_C_CLIENT, database_, policy, "10", kKeys};
    EXPECT_EQ(RunProgram(command, kStock).status, 0);
    const std::vector<std::string> stock = Blocks();
    const ChildResult result = RunProgram(command, Asking("read"));
    EXPECT_EQ(result.output, "missing=0 invented=0\n") << result.errors;
    EXPECT_TRUE(Blocks() == stock) << policy;
    EXPECT_THAT(Log(), HasSubstr("which builds RocksDB's own filters, as the program asked"));
  }
}

TEST_F(PreloadReadTest, WinnowsFiltersOfOldFilesStayInUse) {
  Run("write", "bloom:10", Asking("winnow"));
  const int ours = BlocksReadForAbsentKeys("bloom:10", Asking("winnow"));
  EXPECT_LT(ours, kAbsent * 3 / 100);
  EXPECT_EQ(BlocksReadForAbsentKeys("bloom:10", Asking("read")), ours);
  EXPECT_EQ(BlocksReadForAbsentKeys("string:filter_policy=bloomfilter:10", Asking("read")), ours);
  // RocksDB alone cannot use these filters.
  EXPECT_GT(BlocksReadForAbsentKeys("bloom:10", kStock), kAbsent * 95 / 100);
}

TEST_F(PreloadReadTest, StockRocksDBReadsNewFilesAtItsUsualCost) {
  Run("write", "bloom:10", kStock);
  const int stock = BlocksReadForAbsentKeys("bloom:10", kStock);
  EXPECT_LT(stock, kAbsent * 3 / 100);
  EXPECT_EQ(BlocksReadForAbsentKeys("bloom:10", Asking("read")), stock);
  Run("write", "bloom:10", Asking("read"));
  EXPECT_EQ(BlocksReadForAbsentKeys("bloom:10", kStock), stock);
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

TEST_F(PreloadReadTest, SaysWhatIsInForce) {
  const ChildResult read = Run("write", "bloom:10", Asking("read", {"WINNOW_LOG=1"}));
  EXPECT_THAT(LinesThatBegin(read.errors, "winnow: in force"),
              ElementsAre(HasSubstr("; built-in policies build what the program asks for, and read "
                                    "Winnow's filters too")));
  EXPECT_THAT(LinesThatBegin(read.errors, "winnow: filter policy"),
              ElementsAre(HasSubstr("policy bloomfilter:10:false builds RocksDB's own filters, as "
                                    "the program asked, and reads Winnow's too (")));
  EXPECT_THAT(read.errors, Not(HasSubstr("builds Winnow")));
  EXPECT_THAT(Log(), AllOf(HasSubstr("[winnow] "),
                           HasSubstr(" reads Winnow's and RocksDB's filters for policy "
                                     "bloomfilter:10:false, which builds RocksDB's own filters, as "
                                     "the program asked (RocksDB "),
                           Not(HasSubstr("builds the filters of policy"))));

  const ChildResult built = Run(
      "write", "bloom:10",
      Asking("{id=winnow;build=bloomfilter;bits_per_key=12}", {"WINNOW_LOG=1", "WINNOW_ADD=1"}));
  EXPECT_THAT(
      LinesThatBegin(built.errors, "winnow: in force"),
      ElementsAre(AllOf(HasSubstr("; built-in policies build RocksDB's filters, and read "
                                  "Winnow's too, with bits_per_key=12;"),
                        HasSubstr(";build=bloomfilter;level_plan=auto; column families without"))));
  EXPECT_THAT(LinesThatBegin(built.errors, "winnow: filter policy"),
              ElementsAre(HasSubstr("bloomfilter:10:false builds RocksDB's bloomfilter:12, and "
                                    "reads Winnow's too (")));
  EXPECT_THAT(Log(), HasSubstr("for policy bloomfilter:10:false, which builds RocksDB's "
                               "bloomfilter:12 (RocksDB "));
}

TEST_F(PreloadReadTest, OtherWordsKeepADatabaseFromOpening) {
  for (const char* policy : {"Read", "read:10", "{id=read}", "reads", " read",
                             "{id=winnow;build=read}", "{id=winnow;build=bloom}"}) {
    const ChildResult result = RunClient({"write", database_, "bloom:10", "10"}, Asking(policy));
    EXPECT_EQ(result.status, 3) << policy;
    EXPECT_THAT(
        result.errors,
        AllOf(HasSubstr("Invalid argument: WINNOW_POLICY is \"" + std::string(policy)),
              HasSubstr("expected winnow, winnow:BITS, "), HasSubstr("or read, which builds")))
        << policy;
  }
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
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: in force"),
              ElementsAre(HasSubstr("without a policy get one that reads, and builds none")));
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: column family"),
              ElementsAre(HasSubstr("gets one that reads filters and builds none")));
  EXPECT_THAT(Log(), HasSubstr("added by WINNOW_ADD, which builds no filters (RocksDB "));
  BlocksReadForAbsentKeys("none", Adding("read"));
  BlocksReadForAbsentKeys("none", kStock);
}

TEST_F(PreloadReadAddedTest, RocksDBsFiltersCanBeAdded) {
  Run("write", "none", Adding("{id=winnow;build=bloomfilter;bits_per_key=10}"));
  EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"built-in bloom", 2}}));
  EXPECT_LT(BlocksReadForAbsentKeys("bloom:10", kStock), kAbsent * 3 / 100);
}

TEST_F(PreloadReadAddedTest, ComparatorsAndPrefixExtractorsAreLeftAlone) {
  for (const char* policy : {"read", "{id=winnow;build=bloomfilter}"}) {
    for (const char* family : {"COMPARATOR=equal-cases", "PREFIX=4"}) {
      const ChildResult result = Run("write", "none", Adding(policy, {"WINNOW_LOG=1", family}));
      EXPECT_THAT(LinesThatBegin(result.errors, "winnow: column family"),
                  ElementsAre(HasSubstr("gets no filter policy: it has a ")))
          << policy << " " << family;
      if (std::string(family) == "PREFIX=4") {
        EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 2}}));
      }
    }
  }
}

TEST_F(PreloadReadAddedTest, IteratorsSeeTheSameAfterAPrefixExtractorIsSet) {
  const std::string stock = Run("prefixes", "none", kStock).output;
  EXPECT_THAT(stock, HasSubstr("cccc -> dddd"));
  for (const char* policy : {"read", "{id=winnow;build=bloomfilter}"}) {
    EXPECT_EQ(Run("prefixes", "none", Adding(policy)).output, stock) << policy;
    EXPECT_EQ(KindsOfFilters(database_), (Kinds{{"none", 2}})) << policy;
  }
}

}  // namespace preload_read_test
}  // namespace winnow
