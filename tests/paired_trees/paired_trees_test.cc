#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/paired_trees/run.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::paired_trees {
namespace paired_trees_test {

std::shared_ptr<const PairedFile> File(double rate, std::vector<uint64_t> numbers) {
  return std::make_shared<const PairedFile>(PairedFile{std::move(numbers), {"", ""}, {rate, 1}});
}

double FirstsFalseReads(const Lookup& lookup) {
  return FalseReads({File(0.1, {10, 50, 90}), File(0.01, {20, 50, 80}), File(0.002, {30, 50, 60})},
                    {lookup, lookup})[0];
}

TEST(PairedTreesTest, ALookupAsksTheFilesOfItsRangeAsFarAsTheFirstThatHasItsKey) {
  EXPECT_DOUBLE_EQ(FirstsFalseReads({35, false}), 0.112);
  EXPECT_DOUBLE_EQ(FirstsFalseReads({80, false}), 0.11) << "the ends belong to the range";
  EXPECT_DOUBLE_EQ(FirstsFalseReads({50, true}), 0) << "the newest one has it";
  EXPECT_DOUBLE_EQ(FirstsFalseReads({20, true}), 0.1);
  EXPECT_DOUBLE_EQ(FirstsFalseReads({41, true}), 0) << "it is in memory";
}

TEST(PairedTreesTest, TheIntervalIsStudentsOfTheLogarithms) {
  const Mean mean = MeanOf({0.5, 2});
  EXPECT_DOUBLE_EQ(mean.mean, 1);
  EXPECT_NEAR(std::log(mean.interval.high), 12.706 * std::log(2), 1e-9);
  EXPECT_NEAR(mean.interval.low * mean.interval.high, 1, 1e-9);
}

testing::ChildResult RunPairedTrees(std::vector<std::string> flags) {
  flags.insert(flags.begin(), WINNOW_PAIRED_TREES);
  return testing::RunProgram(flags);
}

TEST(PairedTreesTest, CopiesOfALibraryAreAlikeAndMoreBitsAreAsGoodAtEqualMemory) {
  const testing::TemporaryFolder folder;
  const testing::ChildResult result =
      RunPairedTrees({"--libraries=one=" WINNOW_PLUGIN ",two=" WINNOW_PLUGIN, "--keys=20000",
                      "--trees=2", "--divide_sizes=1024", "--cells=random,ingested,mixgraph_found",
                      "--policies=one:level_plan=uniform,one:level_plan=auto+listener,one:level_"
                      "plan=uniform;bits_per_key=16,"
                      "two:level_plan=auto+listener",
                      "--json=" + folder / "results.json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const nlohmann::json json = nlohmann::json::parse(testing::ReadFile(folder / "results.json"));
  ASSERT_EQ(json["cells"].size(), 3u);
  for (const auto& cell : json["cells"]) {
    const auto& rows = cell["rows"];
    EXPECT_GT(rows[1]["memory"]["mean"], 1.4) << cell;
    EXPECT_NEAR(rows[1]["growing"]["mean"], 1, 0.5) << cell;
    EXPECT_EQ(rows[3]["to"], "one:level_plan=auto+listener");
    // A thread may build a filter between the two policies' filters of another, and each
    // policy counts lookups at gaps of its own.
    const bool counts = cell["cell"] == "mixgraph_found";
    EXPECT_NEAR(rows[3]["growing"]["mean"], 1, counts ? 0.4 : 0.1) << cell;
    EXPECT_GT(cell["bits_per_key_at_looks"]["one:level_plan=uniform"][0].size(), 10u) << cell;
  }
}

TEST(PairedTreesTest, AWrongCommandLineEndsWith2) {
  const std::string library = "--libraries=one=" WINNOW_PLUGIN;
  const std::string policies = "--policies=one:level_plan=uniform,one:level_plan=auto";
  const std::vector<std::string> wrong[] = {
      {library, policies, "nonsense"},
      {library, policies, "--cells=nonsense"},
      {library, policies, "--trees=0"},
      {library, "--policies=one:level_plan=uniform,two:level_plan=auto"},
      {library, "--policies=one:level_plan=uniform,one:nonsense"},
      {"--libraries=one=" WINNOW_PAIRED_TREES, policies}};
  for (const auto& flags : wrong) {
    EXPECT_EQ(RunPairedTrees(flags).status, 2) << ::testing::PrintToString(flags);
  }
  EXPECT_EQ(RunPairedTrees({"--help"}).status, 0);
}

}  // namespace paired_trees_test
}  // namespace winnow::paired_trees
