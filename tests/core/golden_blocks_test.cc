// Tests that every reader gives the answers of the golden blocks, forever, and that the current
// builder produces the blocks.
//
// The files are frozen: a change of a *reader* that fails here breaks databases. If the *builder*
// is to produce something else, which FORMAT.md allows, its blocks are added under new names, and
// the former ones stay for readers:
//     WINNOW_WRITE_GOLDEN_BLOCKS=FOLDER build/release/tests/core_tests
//     --gtest_filter='TodaysBuilder*'

#include "tests/core/golden_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "src/core/format.h"
#include "tests/support/range_of_table.h"
#include "winnow/filter.h"
#include "winnow/filter_set.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace golden_blocks_test {

using testing::GoldenBlock;
using testing::kGoldenAbsent;

const char kFolder[] = WINNOW_GOLDEN_BLOCKS;

// Checks the answers of lookup(hash) for the absent keys, and that no key is denied.
template <typename Lookup>
void ExpectAnswers(const GoldenBlock& block, const char* reader, const Lookup& lookup) {
  std::vector<int> passes;
  for (int i = 0; i < kGoldenAbsent; ++i) {
    if (lookup(testing::GoldenAbsentHash(i))) passes.push_back(i);
  }
  EXPECT_EQ(passes, block.passes) << block.name << ", by " << reader;
  const std::vector<KeyHash> keys = block.KeyHashes();
  EXPECT_TRUE(std::all_of(keys.begin(), keys.end(), lookup)) << block.name << ", by " << reader;
}

TEST(GoldenBlocksTest, EveryReaderGivesTheirAnswers) {
  for (const GoldenBlock& block : testing::ReadGoldenBlocks(kFolder)) {
    const std::string bytes = testing::ReadGoldenBytes(kFolder, block);
    ExpectAnswers(block, "the stand-alone reader",
                  [&](KeyHash hash) { return testing::StandaloneMayContain(bytes, hash); });
    const FilterView view(bytes);
    EXPECT_EQ(view.fault(), Fault::kNone) << block.name << ": " << ToString(view.fault());
    EXPECT_TRUE(view.PayloadIntact()) << block.name;
    EXPECT_EQ(view.info().kind, block.kind) << block.name;
    EXPECT_EQ(view.info().version, 1) << block.name;
    ExpectAnswers(block, "FilterView", [&](KeyHash hash) { return view.MayContain(hash); });
    ExpectAnswers(block, "FilterView's batch", [&](KeyHash hash) {
      const KeyHash hashes[] = {hash, hash};
      bool results[2] = {};
      view.MayContain(hashes, 2, results);
      EXPECT_EQ(results[0], results[1]);
      return results[0];
    });
    FilterSetEdit edit;
    for (uint64_t id = 0; id < 3; ++id) edit.InsertCopy(0, id, bytes);
    const FilterSet set = edit.Build();
    ExpectAnswers(block, "FilterSet", [&](KeyHash hash) {
      uint64_t words[1];
      const size_t candidates = set.Candidates(hash, words).size();
      EXPECT_TRUE(candidates == 0 || candidates == 3);
      return candidates != 0;
    });
  }
}

TEST(GoldenBlocksTest, EveryReaderGivesTheirAnswersForRanges) {
  std::set<RangeFilterKind> kinds;
  for (const GoldenBlock& block : testing::ReadGoldenBlocks(kFolder)) {
    if (!block.has_ranges()) continue;
    const std::string bytes = testing::ReadGoldenBytes(kFolder, block);
    const bool is_of_table = block.note == "table";
    EXPECT_EQ(RangeFilterOf(bytes).empty(), is_of_table) << block.name;
    EXPECT_EQ(testing::RangeFilterOfTable(bytes).empty(), !is_of_table) << block.name;
    const RangeFilterView view(is_of_table ? testing::RangeFilterOfTable(bytes)
                                           : RangeFilterOf(bytes));
    EXPECT_EQ(view.fault(), Fault::kNone) << block.name << ": " << ToString(view.fault());
    EXPECT_EQ(view.info().version, 1) << block.name;
    EXPECT_EQ(view.info().num_keys, block.keys) << block.name;
    EXPECT_EQ(view.info().kind == RangeFilterKind::kRetrieval, block.has_retrieval()) << block.name;
    kinds.insert(view.info().kind);
    std::vector<int> passes;
    for (int i = 0; i < kGoldenAbsent; ++i) {
      const testing::GoldenRange range = testing::GoldenRangeOf(block, i);
      const bool may_contain = view.MayContain(range.begin, range.end);
      if (may_contain) passes.push_back(i);
      EXPECT_EQ(testing::StandaloneMayContainRange(bytes, range.begin, range.end), may_contain)
          << block.name;
    }
    EXPECT_EQ(passes, block.range_passes) << block.name;
    EXPECT_LT(passes.size(), size_t{kGoldenAbsent}) << block.name;
    for (uint64_t i = 0; i < block.keys; ++i) {
      const std::string key = block.KeyOf(i);
      ASSERT_TRUE(view.MayContain(key, key + "a")) << block.name << " " << key;
      ASSERT_TRUE(testing::StandaloneMayContainRange(bytes, key, key + "a"))
          << block.name << " " << key;
    }
  }
  EXPECT_EQ(kinds.size(), 3u);
}

TEST(GoldenBlocksTest, EveryKindAndTypeOfLayerIsThere) {
  std::set<FilterKind> kinds;
  std::set<core::LayerType> first;
  std::set<core::LayerType> behind_bumped;
  for (const GoldenBlock& block : testing::ReadGoldenBlocks(kFolder)) {
    const std::string bytes = testing::ReadGoldenBytes(kFolder, block);
    core::ParsedBlock parsed;
    ASSERT_EQ(core::Parse(bytes, &parsed), Fault::kNone);
    kinds.insert(parsed.tail.kind);
    core::LayerType before = core::LayerType::kNone;
    for (unsigned i = 0; i < parsed.tail.entries; ++i) {
      const core::LayerType type = core::ReadLayerEntry(parsed.directory, i).type;
      if (i == 0) first.insert(type);
      if (before == core::LayerType::kBumped) behind_bumped.insert(type);
      before = type;
    }
  }
  EXPECT_EQ(kinds.size(), kKindOption.values.size()) << "those of the option, and empty";
  EXPECT_EQ(first.size(), 5u) << "all but none";
  EXPECT_EQ(behind_bumped.size(), 5u) << "all but a note";
}

// A change of the written bytes is allowed, but must be a decision.
TEST(TodaysBuilderTest, WritesTheGoldenBlocks) {
  if (const char* folder = std::getenv("WINNOW_WRITE_GOLDEN_BLOCKS")) {
    testing::WriteGoldenBlocks(folder);
  }
  for (const GoldenBlock& block : testing::ReadGoldenBlocks(kFolder)) {
    if (!block.has_builder()) continue;
    EXPECT_TRUE(testing::BuildGoldenBytes(block) == testing::ReadGoldenBytes(kFolder, block))
        << block.name;
  }
}

}  // namespace golden_blocks_test
}  // namespace winnow
