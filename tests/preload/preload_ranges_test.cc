// WINNOW_RANGE_BITS: range filters for programs without knowledge of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/range_of_table.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace preload_ranges_test {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::FileFilter;
using ::testing::HasSubstr;
using testing::LinesThatBegin;
using testing::NewestOptionsFile;
using ::testing::Not;
using testing::Preloading;
using testing::ReadFilters;
using testing::RunClient;
using testing::TemporaryFolder;

constexpr int kKeys = 3000;
constexpr char kNothing[] = "missing=0 invented=0 blocks=0\n";

std::vector<std::string> With(std::vector<std::string> more) {
  more.insert(more.begin(), "WINNOW_POLICY=winnow:10");
  return Preloading(more);
}
std::vector<std::string> On(std::vector<std::string> more = {}) {
  more.insert(more.begin(), "WINNOW_RANGE_BITS=15");
  return With(more);
}

class PreloadRangesTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::string& what, const std::string& how,
                  const std::vector<std::string>& environment,
                  const std::string& policy = "bloom:10") {
    ChildResult result =
        RunClient({what, how + database_, policy, std::to_string(kKeys)}, environment);
    EXPECT_EQ(result.status, 0) << result.errors;
    for (const std::string& line : LinesThatBegin(result.output, "missing=")) {
      EXPECT_THAT(line, HasSubstr("missing=0 invented=0")) << what << " " << result.errors;
    }
    return result;
  }

  // Returns the number of files with a range filter, and of all files.
  std::pair<size_t, size_t> Files() const {
    std::pair<size_t, size_t> files{0, 0};
    for (const FileFilter& file : ReadFilters(database_)) {
      files.first += testing::RangeFilterOfTable(file.block).empty() ? 0 : 1;
      ++files.second;
    }
    return files;
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

class EachWayOfRangesTest : public PreloadRangesTest,
                            public ::testing::WithParamInterface<const char*> {};

TEST_P(EachWayOfRangesTest, AnEmptyScanReadsNothing) {
  Run("write", GetParam(), On());
  EXPECT_EQ(Files().first, Files().second);
  EXPECT_EQ(Run("scan", GetParam(), On()).output, kNothing);
  // Without the variable or without Winnow, scans return the right rows without filters.
  EXPECT_THAT(Run("scan", GetParam(), With({})).output, Not(HasSubstr("blocks=0")));
  EXPECT_THAT(Run("scan", GetParam(), {}).output, Not(HasSubstr("blocks=0")));
}

INSTANTIATE_TEST_SUITE_P(EveryWay, EachWayOfRangesTest,
                         ::testing::Values("", "transaction@", "optimistic@", "families@"));

TEST_F(PreloadRangesTest, ReadOnlyAndSecondaryReadNothingEither) {
  Run("write", "", On());
  for (const char* how : {"read-only@", "secondary@"}) {
    EXPECT_EQ(Run("scan", how, On()).output, kNothing) << how;
    EXPECT_THAT(Run("scan", how, With({})).output, Not(HasSubstr("blocks=0"))) << how;
  }
}

// Each process writes files that the next one reads.
TEST_F(PreloadRangesTest, OnOffAndOnAgainLosesNothing) {
  Run("write", "", With({}));
  EXPECT_EQ(Files().first, 0u);
  EXPECT_THAT(Run("scan", "", On()).output, Not(HasSubstr("blocks=0")));
  Run("overwrite", "", On());
  EXPECT_EQ(Files().first, 1u);
  Run("scan", "", On());
  Run("overwrite", "", With({}));
  EXPECT_EQ(Files().first, 0u);
  Run("scan", "", With({}));
  Run("scan", "", On());
  Run("again", "", On());
  Run("overwrite", "", {});
  Run("scan", "", On());
  Run("overwrite", "", On());
  Run("scan", "", {});
  Run("write", "", On());
  EXPECT_EQ(Run("scan", "", On()).output, kNothing);
}

// The program calls SetOptions during scans: the preloaded extractor is followed by another one,
// none, and winnow.range again.
TEST_F(PreloadRangesTest, AnOpenDatabaseGoesToAnotherExtractorAndBack) {
  Run("write", "", On());
  std::vector<std::string> environment = On({"SWITCH=fixed:4 nullptr winnow.range"});
  const std::vector<std::string> lines =
      LinesThatBegin(Run("switch", "", environment).output, "missing=");
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_THAT(lines.front(), HasSubstr("blocks=0"));
  EXPECT_THAT(lines[2], Not(HasSubstr("blocks=0")));
  EXPECT_THAT(lines[4], Not(HasSubstr("blocks=0")));
  EXPECT_THAT(lines.back(), HasSubstr("blocks=0"));
}

// The OPTIONS file has the extractor, and a program may load its options from there.
TEST_F(PreloadRangesTest, OptionsFilesWithTheExtractorAreReadByAll) {
  Run("write", "", On());
  EXPECT_THAT(NewestOptionsFile(database_), HasSubstr("prefix_extractor=winnow.range:"));
  EXPECT_EQ(Run("scan", "", On(), "saved").output, kNothing);
  // Reading range filters needs no variable.
  EXPECT_EQ(Run("scan", "", With({}), "saved").output, kNothing);
  EXPECT_THAT(Run("scan", "", {}, "saved").output, Not(HasSubstr("blocks=0")));
}

TEST_F(PreloadRangesTest, AFamilyWithoutAPolicyGetsBothByWinnowAdd) {
  Run("write", "", On({"WINNOW_ADD=1"}), "none");
  EXPECT_EQ(Files().first, Files().second);
  EXPECT_EQ(Run("scan", "", On({"WINNOW_ADD=1"}), "none").output, kNothing);
  // Without WINNOW_RANGE_BITS, a policy is added even if the OPTIONS file has the extractor.
  const ChildResult saved = Run("scan", "", With({"WINNOW_ADD=1", "WINNOW_LOG=1"}), "saved");
  EXPECT_THAT(LinesThatBegin(saved.errors, "winnow: column family"),
              ElementsAre(EndsWith("has no filter policy and gets one")));
}

TEST_F(PreloadRangesTest, TheLogSaysWhichFamiliesGetThemAndWhyNot) {
  const auto said = [&](const std::string& how, const std::string& policy,
                        std::vector<std::string> more) {
    more.emplace_back("WINNOW_LOG=1");
    return LinesThatBegin(Run("write", how, On(more), policy).errors, "winnow: column family");
  };
  const std::string subject = "winnow: column family default of " + database_ + " gets ";
  const std::string no = subject + "no range filters by WINNOW_RANGE_BITS: it ";
  EXPECT_THAT(said("", "bloom:10", {}), ElementsAre(subject + "range filters, of range_bits=15"));
  EXPECT_THAT(said("", "bloom:10", {"PREFIX=4"}),
              ElementsAre(no + "has a prefix extractor, and can have one alone"));
  EXPECT_THAT(said("", "bloom:10", {"COMPARATOR=equal-cases"}),
              Contains(no + "has a comparator that does not order keys by their bytes"));
  EXPECT_THAT(said("", "string:filter_policy=bloomfilter:10;whole_key_filtering=false", {}),
              ElementsAre(no + "has whole_key_filtering=false"));
  EXPECT_THAT(said("", "bloom:10", {"MEMTABLE=bloom"}),
              ElementsAre(HasSubstr(no + "has memtable_prefix_bloom_size_ratio")));
  EXPECT_THAT(said("", "bloom:10", {"MEMTABLE=hash"}),
              ElementsAre(HasSubstr(no + "has the memtable ")));
  EXPECT_THAT(said("", "none", {}), Contains(no + "has no filter policy"));
  EXPECT_THAT(said("", "string:filter_policy=winnow:10", {}),
              Contains(no + "has a filter policy that WINNOW_POLICY does not replace"));
  EXPECT_THAT(LinesThatBegin(Run("write", "families@", On({"WINNOW_LOG=1"}), "bloom:10").errors,
                             "winnow: each"),
              ElementsAre("winnow: each of 3 column families of " + database_ +
                          " (default, second, own) gets range filters, of range_bits=15"));
}

TEST_F(PreloadRangesTest, TheStateLineSaysWhatTheVariableDoes) {
  const auto line = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"WINNOW_LOG=1"};
    all.insert(all.end(), more.begin(), more.end());
    return LinesThatBegin(Run("write", "", Preloading(all)).errors, "winnow: in force").at(0);
  };
  EXPECT_THAT(line({"WINNOW_POLICY=winnow:10", "WINNOW_RANGE_BITS=12.5"}),
              AllOf(HasSubstr("range_bits=12.5"),
                    HasSubstr("; column families without a prefix extractor get range filters")));
  for (const char* policy : {"WINNOW_POLICY=read", "WINNOW_POLICY=stock",
                             "WINNOW_POLICY={id=winnow;build=bloomfilter}", "WINNOW_POLICY="}) {
    EXPECT_THAT(line({policy, "WINNOW_RANGE_BITS=12.5"}),
                AllOf(HasSubstr("; WINNOW_RANGE_BITS=12.5 has no effect"),
                      Not(HasSubstr("get range filters"))))
        << policy;
    EXPECT_EQ(Files().first, 0u) << policy;
  }
  for (const char* value :
       {"33", "0.5", "many", "-1", "15x", "nan", "inf", "+15", "0x10", " 15", "15 ", "15,5"}) {
    EXPECT_THAT(line({"WINNOW_POLICY=winnow:10", std::string("WINNOW_RANGE_BITS=") + value}),
                AllOf(HasSubstr("; WINNOW_RANGE_BITS has no effect: range_bits is "),
                      HasSubstr(value), Not(HasSubstr("get range filters"))))
        << value;
    EXPECT_EQ(Files().first, 0u) << value;
  }
  for (const char* value : {"0", "0.0", ""}) {
    EXPECT_THAT(line({"WINNOW_POLICY=winnow:10", std::string("WINNOW_RANGE_BITS=") + value}),
                Not(HasSubstr("RANGE_BITS")))
        << value;
  }
}

TEST_F(PreloadRangesTest, AFamilyOfAnotherOrderGetsNoneAndThoseThatShareItsPolicyDo) {
  const std::string errors = Run("write", "families@", On({"WINNOW_LOG=1", "REVERSE=1"})).errors;
  EXPECT_THAT(
      LinesThatBegin(errors, "winnow: column family"),
      ElementsAre(AllOf(HasSubstr("family second"), HasSubstr("it has a comparator that"))));
  EXPECT_THAT(LinesThatBegin(errors, "winnow: each of 2 column families"),
              ElementsAre(AllOf(HasSubstr(" (default, own) gets range filters, of"))));
}

// Column families are created and dropped at run time.
TEST_F(PreloadRangesTest, FamiliesThatAreMadeLaterGetThem) {
  const ChildResult result = Run("later-families", "", On({"WINNOW_LOG=1"}));
  const std::vector<std::string> lines = LinesThatBegin(result.errors, "winnow: column family");
  EXPECT_GT(lines.size(), 1u);
  for (const std::string& line : lines) EXPECT_THAT(line, HasSubstr(" gets range filters, of"));
  EXPECT_EQ(Files().first, Files().second);
}

// Workers' compactions keep range filters; without the variable they build files without.
TEST_F(PreloadRangesTest, WorkersBuildThemToo) {
  const std::vector<std::string> environment =
      On({"WORKER_POLICY=bloom:10", "WORKER_ENVIRONMENT=A=b"});
  const ChildResult result = Run("remote", "", environment);
  EXPECT_THAT(result.output, Not(HasSubstr("done=0")));
  EXPECT_EQ(Files().first, Files().second) << result.errors;
  EXPECT_EQ(Run("scan", "", On()).output, kNothing);
  Run("remote", "", On({"WORKER_POLICY=bloom:10", "WORKER_ENVIRONMENT=WINNOW_RANGE_BITS=0"}));
  EXPECT_LT(Files().first, Files().second);
  Run("scan", "", On());
}

}  // namespace preload_ranges_test
}  // namespace winnow
