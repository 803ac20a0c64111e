// `winnow policy` for a hypothetical file, for existing files, and for the levels of a tree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/core/level_plan.h"
#include "src/policy_trial/policy_check.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/tool_testing.h"
#include "winnow/options.h"

namespace winnow {
namespace verb_policy_test {

using inspect::CheckPolicy;
using inspect::kLastTrialLevel;
using inspect::PolicyVerdict;
using nlohmann::json;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::PutAndFlush;
using testing::TableWith;
using testing::WriteSst;

class VerbPolicyTest : public ::testing::Test {
 protected:
  ChildResult Policy(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {WINNOW_TOOL, "policy"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return testing::RunProgram(command);
  }

  json PolicyJson(std::vector<std::string> arguments, int code) {
    arguments.emplace_back("--json");
    return testing::JsonOf(Policy(arguments), code);
  }

  testing::TemporaryFolder folder_;
};

const inspect::PolicyTrial& CompactionTo(int level, const PolicyVerdict& verdict) {
  for (const inspect::PolicyTrial& trial : verdict.by_level) {
    if (trial.situation == "compaction" && trial.level == level) {
      return trial;
    }
  }
  ADD_FAILURE() << "no compaction to level " << level;
  return verdict.by_level.front();
}

// Each level has the rate of the plan's formula for its distance from the last one.
TEST_F(VerbPolicyTest, APlanByLevelIsTriedInATree) {
  for (const std::string plan : {"by_level", "auto", "learned"}) {
    const PolicyVerdict verdict =
        CheckPolicy("{id=winnow;level_plan=" + plan + "}", /*with_trials=*/true);
    ASSERT_EQ(verdict.problem, "");
    double below_before = 100;
    for (int level = 1; level <= kLastTrialLevel; ++level) {
      const auto& filter = CompactionTo(level, verdict).filter;
      ASSERT_TRUE(filter && filter->built_for) << plan << " " << level;
      const double below = filter->built_for->levels_below;
      // The last level may be half full unless levels are dynamic.
      EXPECT_NEAR(below, kLastTrialLevel - level, 0.5) << plan << " " << level;
      EXPECT_LT(below, below_before) << plan << " " << level;
      below_before = below;
      FilterOptions options;
      options.level_plan = LevelPlan::kByLevel;  // the other plans have its rates in this tree
      options.levels_below = below;
      EXPECT_NEAR(filter->built_for->target_fpr / core::PlannedRate(options), 1, 1e-3)
          << plan << " " << level;
    }
    EXPECT_EQ(below_before, 0);
    EXPECT_EQ(CompactionTo(0, verdict).filter->built_for->level_plan, "auto");
    EXPECT_GE(CompactionTo(0, verdict).filter->built_for->levels_below, 4.5) << plan;
  }
}

TEST_F(VerbPolicyTest, APlanReadsLessFromATreeOfTheSameSize) {
  const PolicyVerdict uniform = CheckPolicy("{id=winnow;level_plan=uniform}", /*with_trials=*/true);
  const PolicyVerdict by_level = CheckPolicy("winnow:10", /*with_trials=*/true);
  ASSERT_TRUE(uniform.tree && by_level.tree);
  EXPECT_EQ(uniform.tree->size_ratio, 10);
  EXPECT_NEAR(by_level.tree->bits_per_key / uniform.tree->bits_per_key, 1, 0.05);
  EXPECT_NEAR(uniform.tree->false_reads, 6 * 0.00963, 0.0005);
  EXPECT_LT(by_level.tree->false_reads, uniform.tree->false_reads / 2);
  EXPECT_EQ(CheckPolicy("{id=winnow;level_size_ratio=4}", true).tree->size_ratio, 4);
  // Without filters on the last level, each lookup of an absent key reads a block there.
  const PolicyVerdict none =
      CheckPolicy("{id=winnow;level_plan=auto;absent_share=0}", /*with_trials=*/true);
  EXPECT_FALSE(CompactionTo(kLastTrialLevel, none).filter);
  EXPECT_GT(none.tree->false_reads, 1);
  EXPECT_LT(none.tree->bits_per_key, 2);
}

// RocksDB asks for no filters of compaction outputs on the last level with
// optimize_filters_for_hits, in an options string and in an OPTIONS file.
TEST_F(VerbPolicyTest, WithoutFiltersOnTheLastLevelBuildsNoneThere) {
  for (const std::string policy : {"winnow:10", "bloomfilter:10"}) {
    const std::string text =
        "block_based_table_factory={filter_policy=" + policy + "};optimize_filters_for_hits=true";
    ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith(policy));
    options.optimize_filters_for_hits = true;
    const std::string path = folder_ / policy;
    {
      const auto database = OpenDatabase(options, path);
      PutAndFlush(database.get(), {1000});
      PutAndFlush(database.get(), {1000});
      ASSERT_STATUS_OK(database->CompactRange({}, nullptr, nullptr));
      PutAndFlush(database.get(), {1000});
    }
    for (const std::string& asked : {text, path}) {
      SCOPED_TRACE(asked);
      json document = PolicyJson({asked}, 0);
      if (asked == path) document = document.at("column_families").at(0);
      for (const json& trial : document.at("by_keys")) EXPECT_EQ(trial.at("filter"), nullptr);
      for (const json& trial : document.at("by_level")) {
        const bool is_last = trial.at("situation") == "compaction" && trial.at("level") == 6;
        EXPECT_EQ(trial.at("filter").is_null(), is_last) << trial;
      }
      EXPECT_GT(document.at("tree").at("false_reads_per_absent_key"), 1);
    }
    // The database's last level is 1, and its files are on it and on level 0.
    const json files = PolicyJson({text, path}, 0).at("files");
    ASSERT_EQ(files.size(), 2u);
    for (const json& file : files) {
      EXPECT_EQ(file.at("filter").at("kind") == "none", file.at("level") == 1) << file;
      EXPECT_EQ(file.at("with_policy").at("filter").is_null(), file.at("level") == 1) << file;
    }
  }
}

TEST_F(VerbPolicyTest, AFileThatSomebodyThinksOfIsBuilt) {
  const struct {
    const char* policy;
    int level;
    const char* kind;
  } cases[] = {
      {"{id=winnow;bloom_before_level=3}", 2, "winnow-bloom"},
      {"{id=winnow;bloom_before_level=3}", 3, "winnow-ribbon"},
      {"ribbonfilter:10:0", 0, "builtin-bloom"},
      {"ribbonfilter:10:0", 1, "builtin-ribbon"},
  };
  for (const auto& [policy, level, kind] : cases) {
    const json document =
        PolicyJson({policy, "--keys=12345", "--level=" + std::to_string(level)}, 0);
    const json& file = document.at("file");
    EXPECT_EQ(file.at("added_keys"), 12'345) << policy;
    EXPECT_EQ(file.at("level"), level) << policy;
    EXPECT_EQ(file.at("filter").at("kind"), kind) << policy << " " << level;
    EXPECT_EQ(document.at("by_level").at(0).at("added_keys"), 12'345);
    EXPECT_THAT(document.at("by_keys"), ::testing::IsEmpty());
  }
  EXPECT_EQ(Policy({"bloomfilter:10", "--keys=1000"}).status, 0);
  EXPECT_TRUE(PolicyJson({"bloomfilter:10"}, 0).at("file").is_null());
}

// Options strings as programs pass them to RocksDB, with all their other options.
TEST_F(VerbPolicyTest, OptionsStringsOfTablesFamiliesAndDatabasesWork) {
  for (const std::string text :
       {"block_based_table_factory={filter_policy=winnow:12}",
        "block_based_table_factory={filter_policy={id=winnow;bits_per_key=12}}",
        "block_based_table_factory.filter_policy=winnow:12",
        "block_based_table_factory.filter_policy={id=winnow;bits_per_key=12;}",
        "table_factory={id=BlockBasedTable;filter_policy=winnow:12;block_size=8k}",
        "write_buffer_size=64M;block_based_table_factory={block_size=8k;filter_policy=winnow:12};"
        "num_levels=5",
        "  write_buffer_size = 64M ; block_based_table_factory = { filter_policy = winnow:12 } ; ",
        "{block_based_table_factory={filter_policy=winnow:12}}",
        "create_if_missing=true;wal_dir=/no/such/folder;block_based_table_factory={filter_policy="
        "winnow:12};max_open_files=-1",
        "filter_policy=winnow:12;block_size=8k", "block_size=8k;filter_policy=winnow:12",
        "filter_policy = winnow:12",
        "{ block_size=8k; filter_policy=winnow:12; cache_index_and_filter_blocks=true }"}) {
    const ChildResult outcome = Policy({text});
    EXPECT_EQ(outcome.status, 0) << text << ": " << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("' works: RocksDB uses {id=winnow.Filter;")) << text;
    EXPECT_THAT(outcome.output, HasSubstr("bits_per_key=12")) << text;
    EXPECT_EQ(PolicyJson({text}, 0).at("outcome"), "works") << text;
  }
  EXPECT_THAT(Policy({"filter_policy.ini"}).errors, HasSubstr("there is no file or folder"));
}

TEST_F(VerbPolicyTest, OptionsStringsThatLoseTheFilterAreFaults) {
  const std::pair<const char*, const char*> cases[] = {
      {"block_based_table_factory={filter_policy=winow:12}",
       "the database runs with no filter at all"},
      {"block_based_table_factory={filter_policy=winow:12}", "Did you mean 'winnow'?"},
      {"block_based_table_factory={filter_policy=winnow:99}", "1 to 32"},
      {"block_based_table_factory={filter_policy=nullptr}", "takes it for \"no filter\""},
      {"block_based_table_factory={block_size=8k}", "these options have no filter_policy"},
      {"block_based_table_factory={filter_policy=winnow:12", "curly braces"},
      {"block_based_table_factry={filter_policy=winnow:12}",
       "Could not find option: : block_based_table_factry"},
      {"write_buffer_size=many;block_based_table_factory={filter_policy=winnow:12}",
       "write_buffer_size"},
      {"filter_policy=winnow:12;block_sise=8k", "block_sise"}};
  for (const auto& [text, problem] : cases) {
    const ChildResult outcome = Policy({text});
    EXPECT_EQ(outcome.status, 1) << text << outcome.output;
    EXPECT_THAT(outcome.errors, HasSubstr(problem)) << text;
    EXPECT_FALSE(PolicyJson({text}, 1).at("ok")) << text;
  }
  // RocksDB 7.8 silently ignores this option; 9.10 applies it.
  const ChildResult dotted = Policy({"table_factory.filter_policy=winnow:12"});
  if (dotted.status == 0) {
    EXPECT_THAT(dotted.output, HasSubstr("bits_per_key=12"));
  } else {
    EXPECT_EQ(dotted.status, 1) << dotted.output;
    EXPECT_THAT(dotted.errors, HasSubstr("RocksDB says nothing and drops it"));
  }
}

TEST_F(VerbPolicyTest, FilesAreShownWithTheFilterThatThePolicyBuilds) {
  WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "a.sst");
  WriteSst(TableWith("winnow:10"), 3'000, folder_ / "b.sst");
  WriteSst(TableWith(""), 500, folder_ / "c.sst");
  const json document =
      PolicyJson({"bloomfilter:10", folder_ / "a.sst", folder_ / "b.sst", folder_ / "c.sst"}, 0);
  ASSERT_EQ(document.at("files").size(), 3u);
  const json& same = document["files"][0];
  EXPECT_EQ(same.at("filter").at("kind"), "builtin-bloom");
  EXPECT_EQ(same["filter"].at("bytes"), same.at("with_policy").at("filter").at("bytes"));
  EXPECT_EQ(same["with_policy"].at("added_keys"), 5'000);
  EXPECT_EQ(document["files"][1].at("filter").at("kind"), "winnow-ribbon");
  EXPECT_EQ(document["files"][1].at("with_policy").at("added_keys"), 3'000);
  EXPECT_EQ(document["files"][2].at("filter").at("kind"), "none");
  EXPECT_EQ(document["files"][2].at("with_policy").at("filter").at("kind"), "builtin-bloom");
  EXPECT_EQ(Policy({"winnow:10", folder_ / "a.sst"}).status, 0);
  // An invalid policy is reported before anything else.
  EXPECT_EQ(Policy({"winow:10", folder_ / "a.sst", folder_ / "missing.sst"}).status, 1);
}

TEST_F(VerbPolicyTest, TheLevelIsTheFilesOwn) {
  PutAndFlush(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get(), {1'000});
  const std::string policy = "{id=winnow;bloom_before_level=1}";
  const json of_level_0 = PolicyJson({policy, folder_ / "db"}, 0).at("files").at(0);
  EXPECT_EQ(of_level_0.at("level"), 0);
  EXPECT_EQ(of_level_0.at("with_policy").at("filter").at("kind"), "winnow-bloom");
  const json of_level_1 = PolicyJson({policy, folder_ / "db", "--level=1"}, 0).at("files").at(0);
  EXPECT_EQ(of_level_1.at("with_policy").at("level"), 1);
  EXPECT_EQ(of_level_1["with_policy"].at("filter").at("kind"), "winnow-ribbon");
}

TEST_F(VerbPolicyTest, ADamagedFilterIsOneAndNamed) {
  WriteSst(TableWith("winnow:10"), 5'000, folder_ / "a.sst");
  EXPECT_TRUE(PolicyJson({"winnow:10", folder_ / "a.sst"}, 0)["files"][0].at("fault").is_null());
  testing::FlipFilterBit(folder_ / "a.sst");
  const ChildResult text = Policy({"winnow:10", folder_ / "a.sst"});
  EXPECT_EQ(text.status, 1) << text.errors;
  EXPECT_THAT(text.errors, HasSubstr("winnow policy: fault: " + folder_ / "a.sst" + ": "));
  EXPECT_TRUE(PolicyJson({"winnow:10", folder_ / "a.sst"}, 1)["files"][0].at("fault").is_string());
}

// In RocksDB's OPTIONS files, range_bits without the extractor and the extractor without range_bits
// are faults. With a policy that may be replaced, the extractor is none: a program with Winnow
// preloaded and range_bits set has these options.
TEST_F(VerbPolicyTest, AnOptionsFileWithOneOptionOfTheTwoIsAFault) {
  const struct {
    std::string policy;
    const char* extractor;
    bool is_reverse;
    const char* problem;
    bool works;
  } cases[] = {
      {testing::kRangePolicy, "winnow.range", false, "", true},
      {"bloomfilter:10", "winnow.range", false, "", false},
      {testing::kRangePolicy, "nullptr", false,
       "range_bits=15 has no effect: there is no prefix_extractor, but must be winnow.range",
       false},
      {testing::kRangePolicy, "fixed:4", false,
       "range_bits=15 has no effect: prefix_extractor is rocksdb.FixedPrefix.4, but must be "
       "winnow.range",
       false},
      {"winnow:10", "winnow.range", false,
       "prefix_extractor=winnow.range has no effect: range_bits of the policy is 0", false},
      {"{id=winnow;range_kind=both}", "nullptr", false,
       "range_kind=both has no effect: range_bits of the policy is 0", false},
      {testing::kRangePolicy, "winnow.range", true,
       "range_bits=15 has no effect: the comparator is rocksdb.ReverseBytewiseComparator", false}};
  for (const auto& [policy, extractor, is_reverse, problem, works] : cases) {
    SCOPED_TRACE(policy + " " + extractor);
    const testing::TemporaryFolder database;
    ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith(policy));
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::SliceTransform::CreateFromString(
        testing::StrictConfig(), extractor, &options.prefix_extractor));
    if (is_reverse) options.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
    OpenDatabase(options, database.path()).reset();
    const int status = *problem == '\0' ? 0 : 1;
    const ChildResult text = Policy({database.path()});
    EXPECT_EQ(text.status, status) << text.output << text.errors;
    EXPECT_THAT(text.errors, HasSubstr(problem));
    const json range =
        PolicyJson({database.path()}, status).at("column_families").at(0).at("range");
    EXPECT_EQ(range.at("works"), works);
    EXPECT_EQ(range.at("problems").empty(), status == 0);
  }
}

}  // namespace verb_policy_test
}  // namespace winnow
