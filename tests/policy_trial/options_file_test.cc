#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/policy_trial/policy_check.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::inspect {
namespace options_file_test {

using ::testing::HasSubstr;

constexpr char kHead[] =
    "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
    "  create_if_missing=true\n";

class OptionsFileTest : public ::testing::Test {
 protected:
  OptionsFileReport Check(const std::string& text) {
    testing::WriteFile(folder_ / "options.ini", text);
    return CheckOptionsFile(folder_ / "options.ini", /*with_trials=*/false);
  }

  // Checks one column family with these lines in its table section.
  FamilyPolicy CheckTable(const std::string& lines) {
    return CheckFamily(
        "  table_factory=BlockBasedTable\n"
        "[TableOptions/BlockBasedTable \"default\"]\n" +
        lines);
  }

  // Checks one column family with these lines.
  FamilyPolicy CheckFamily(const std::string& lines) {
    const OptionsFileReport report =
        Check(std::string(kHead) + "[CFOptions \"default\"]\n" + lines);
    EXPECT_EQ(report.error, "");
    EXPECT_EQ(report.families.size(), 1u);
    return report.families.empty() ? FamilyPolicy() : report.families.front();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OptionsFileTest, APolicyThatWorks) {
  for (const char* line : {"filter_policy=winnow:10\n", "  filter_policy = winnow:10  # why not\n",
                           "filter_policy={id=winnow;bits_per_key=10}\n",
                           "filter_policy=id=winnow;bits_per_key=10\n"}) {
    const FamilyPolicy family = CheckTable(line);
    EXPECT_EQ(family.name, "default");
    EXPECT_FALSE(family.no_filter_asked_for);
    EXPECT_EQ(family.verdict.problem, "") << line;
    EXPECT_THAT(family.verdict.in_force, HasSubstr("bits_per_key=10"));
  }
}

TEST_F(OptionsFileTest, APolicyThatIsDropped) {
  const FamilyPolicy family = CheckTable("filter_policy=winow:10\n");
  EXPECT_THAT(family.verdict.problem, HasSubstr("drops it"));
  EXPECT_EQ(family.verdict.suggestion, "winnow");
  EXPECT_THAT(CheckTable("filter_policy=winnow:99\n").verdict.problem, HasSubstr("1 to 32"));
}

// A table-options string would have the policy in braces.
TEST_F(OptionsFileTest, APolicyIsJudgedAsTheFileHasIt) {
  EXPECT_EQ(CheckTable("filter_policy={winnow:10}\n").verdict.outcome, PolicyOutcome::kNoPolicy);
  EXPECT_EQ(CheckTable("filter_policy={id=winnow;bits_per_keys=10}\n").verdict.outcome,
            PolicyOutcome::kDoesNotOpen);
}

TEST_F(OptionsFileTest, NoFilter) {
  for (const char* lines : {"filter_policy=nullptr\n", "block_size=8192\n", ""}) {
    const FamilyPolicy family = CheckTable(lines);
    EXPECT_TRUE(family.no_filter_asked_for) << lines;
    EXPECT_EQ(family.verdict.problem, "") << lines;
  }
}

TEST_F(OptionsFileTest, EveryColumnFamilyIsJudged) {
  const OptionsFileReport report =
      Check(std::string(kHead) +
            "[CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\n"
            "filter_policy=bloomfilter:10:false\n"
            "[CFOptions \"a \\# b\"]\n[TableOptions/BlockBasedTable \"a \\# b\"]\n"
            "filter_policy=typo:10\n"
            "[CFOptions \"plain\"]\n");
  ASSERT_EQ(report.error, "");
  ASSERT_EQ(report.families.size(), 3u);
  EXPECT_EQ(report.families[0].verdict.problem, "");
  EXPECT_EQ(report.families[1].name, "a # b");
  EXPECT_THAT(report.families[1].verdict.problem, HasSubstr("drops it"));
  EXPECT_TRUE(report.families[2].no_filter_asked_for);
}

TEST_F(OptionsFileTest, ATableFactoryInOneLine) {
  const FamilyPolicy family =
      CheckFamily("  block_based_table_factory={filter_policy=winnow:9;block_size=8192}\n");
  EXPECT_FALSE(family.no_filter_asked_for);
  EXPECT_EQ(family.verdict.asked, "winnow:9");
  EXPECT_EQ(family.verdict.problem, "");
}

// RocksDB keeps the first of two policies.
TEST_F(OptionsFileTest, TwoPoliciesInOneSection) {
  const FamilyPolicy family = CheckTable("filter_policy=bloomfilter:9\nfilter_policy=winow:10\n");
  EXPECT_EQ(family.verdict.asked, "bloomfilter:9");
  EXPECT_EQ(family.verdict.problem, "");
  EXPECT_EQ(family.verdict.in_force, "bloomfilter:9:false");
}

// The later table section creates a new table factory: RocksDB drops the earlier one.
TEST_F(OptionsFileTest, APolicyThatIsNotTheOneInForce) {
  const FamilyPolicy family = CheckFamily(
      "  block_based_table_factory={filter_policy=winnow:9}\n"
      "[TableOptions/BlockBasedTable \"default\"]\n  block_size=8192\n");
  EXPECT_THAT(family.verdict.problem, HasSubstr("drops it"));
  EXPECT_EQ(family.verdict.outcome, PolicyOutcome::kNoPolicy);
  EXPECT_EQ(family.verdict.in_force, "");
}

TEST_F(OptionsFileTest, WhatRocksDBSavedIsRead) {
  const std::string database = folder_ / "db";
  ASSERT_NE(testing::OpenDatabase(testing::MakeOptions(testing::TableWith("winnow:11")), database),
            nullptr);
  const OptionsFileReport report = CheckOptionsFile(database, /*with_trials=*/true);
  ASSERT_EQ(report.error, "");
  EXPECT_THAT(report.path, HasSubstr("OPTIONS-"));
  ASSERT_EQ(report.families.size(), 1u);
  EXPECT_EQ(report.families[0].verdict.problem, "");
  EXPECT_THAT(report.families[0].verdict.in_force, HasSubstr("bits_per_key=11"));
  EXPECT_FALSE(report.families[0].verdict.by_keys.empty());
}

TEST_F(OptionsFileTest, FilesThatCanNotBeReadAreErrors) {
  EXPECT_THAT(CheckOptionsFile(folder_ / "missing", false).error, HasSubstr("missing"));
  EXPECT_THAT(CheckOptionsFile(folder_ / "", false).error, HasSubstr("no OPTIONS file"));
  EXPECT_THAT(Check("winnow:10\n").error, HasSubstr("not a RocksDB options file"));
  EXPECT_THAT(Check("").error, HasSubstr("not a RocksDB options file"));
}

// RocksDB's own reader fails an assertion on the first two.
TEST_F(OptionsFileTest, WhatRocksDBRefusesIsAnError) {
  const std::pair<const char*, const char*> cases[] = {
      {"[TableOptions/BlockBasedTable \"x\"]\n", "not preceded"},
      {"[CFOptions \"default\"]\n[CFOptions \"default\"]\n", "twice"},
      {"[CFOptions \"default\"]\n  num_levels=many\n", "RocksDB refuses"}};
  for (const auto& [sections, says] : cases) {
    EXPECT_THAT(Check(std::string(kHead) + sections).error, HasSubstr(says));
  }
}

}  // namespace options_file_test
}  // namespace winnow::inspect
