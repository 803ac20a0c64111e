// Tests that the forecast matches the grown tree.

#include "db_bench_ext/read_amplification/trees/tree_forecast.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace tree_forecast_test {

constexpr uint64_t kKeys = 20'000;

TreeOptions Options() {
  TreeOptions options;
  options.seed = 1;
  options.write_buffer_size = 30'000;
  options.compression = rocksdb::kNoCompression;
  return ScaleTree(options, kKeys, 16 * kKeys);
}

std::map<int, inspect::LevelShape> ByLevel(const std::vector<inspect::LevelShape>& tree) {
  std::map<int, inspect::LevelShape> levels;
  for (const inspect::LevelShape& level : tree) levels[level.level] = level;
  return levels;
}

class TreeForecastTest : public ::testing::Test {
 protected:
  std::map<int, inspect::LevelShape> Grown(const TreeOptions& options) {
    const std::string path = folder_ / std::to_string(++trees_);
    const Policy policy = *MakePolicy("none");
    const absl::Status status =
        GrowTree(GeneratedKeys(kKeys, 16), WriteSequence::Once(kKeys, options.seed), options,
                 policy, path, [](uint64_t) { return true; });
    EXPECT_TRUE(status.ok()) << status;
    const absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenTree(options, policy, path);
    EXPECT_TRUE(db.ok()) << db.status();
    std::map<int, inspect::LevelShape> levels;
    const LevelFiles files = FilesByLevel(db->get());
    for (size_t level = 0; level < files.size(); ++level) {
      if (files[level].empty()) continue;
      inspect::LevelShape& shape = levels[static_cast<int>(level)];
      shape.files = files[level].size();
      for (const TreeFile& file : files[level]) shape.keys += file.keys;
    }
    return levels;
  }

 private:
  const testing::TemporaryFolder folder_;
  int trees_ = 0;
};

TEST_F(TreeForecastTest, AgreesWithTheTreeThatIsGrown) {
  const uint64_t keys_per_file = KeysPerFile(Options(), 116);
  for (const auto& [dynamic, level0_files] : {std::pair<bool, uint64_t>(false, 2), {true, 0}}) {
    TreeOptions options = Options();
    options.level_compaction_dynamic_level_bytes = dynamic;
    options.level0_files = level0_files;
    SCOPED_TRACE(::testing::Message() << "dynamic " << dynamic << ", level 0 " << level0_files);
    const auto forecast = ByLevel(ForecastTree(options, kKeys, 16 * kKeys).tree);
    const auto grown = Grown(options);
    ASSERT_EQ(forecast.size(), grown.size());
    EXPECT_GE(grown.size(), level0_files == 0 ? 3u : 4u);
    uint64_t keys = 0;
    for (const auto& [level, shape] : grown) {
      SCOPED_TRACE(level);
      ASSERT_EQ(forecast.count(level), 1u);
      const inspect::LevelShape& expected = forecast.at(level);
      keys += expected.keys;
      // Compactions move whole files, whose numbers of keys vary.
      EXPECT_NEAR(static_cast<double>(expected.keys), static_cast<double>(shape.keys),
                  level == 0 ? 0 : 2.0 * static_cast<double>(keys_per_file));
      EXPECT_NEAR(static_cast<double>(expected.files), static_cast<double>(shape.files),
                  level == 0 ? 0 : 3 + 0.35 * static_cast<double>(shape.files));
    }
    EXPECT_EQ(keys, kKeys);
  }
}

TEST_F(TreeForecastTest, MoreMergesMoreKeys) {
  TreeOptions options = Options();
  const uint64_t merged = ForecastTree(options, kKeys, 16 * kKeys).merged_keys;
  // Every key is compacted into three levels, each time together with others.
  EXPECT_GT(merged, 4 * kKeys);
  EXPECT_LT(merged, 25 * kKeys);
  options.level0_files = 1'000'000;
  const TreeForecast unmerged = ForecastTree(options, kKeys, 16 * kKeys);
  EXPECT_EQ(unmerged.merged_keys, 0u);
  ASSERT_EQ(unmerged.tree.size(), 1u);
  EXPECT_EQ(unmerged.tree[0].keys, kKeys);
}

TEST_F(TreeForecastTest, SaysWhatItIsBasedOn) {
  TreeOptions options = Options();
  const auto basis = [&] { return ForecastTree(options, kKeys, 16 * kKeys).basis; };
  EXPECT_EQ(basis(), ForecastBasis::kPlan);
  options.growth = GrowthKind::kRocksDB;
  EXPECT_EQ(basis(), ForecastBasis::kSamePlan);
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  EXPECT_EQ(basis(), ForecastBasis::kBound);
  options.compaction_style = rocksdb::kCompactionStyleFIFO;
  EXPECT_EQ(basis(), ForecastBasis::kNoMerges);
  options.compaction_style = rocksdb::kCompactionStyleLevel;
  options.disable_auto_compactions = true;
  EXPECT_EQ(basis(), ForecastBasis::kNoMerges);
}

// These forecasts would take minutes without the limit on steps.
TEST_F(TreeForecastTest, HasEveryKeyHoweverManyFlushesThereAre) {
  TreeOptions options;
  options.write_buffer_size = 116;
  for (const bool dynamic : {false, true}) {
    options.level_compaction_dynamic_level_bytes = dynamic;
    const uint64_t n = 4'000'000'001;
    uint64_t keys = 0;
    for (const inspect::LevelShape& level :
         ForecastTree(ScaleTree(options, n, 16 * n), n, 16 * n).tree) {
      keys += level.keys;
    }
    EXPECT_EQ(keys, n);
  }
}

}  // namespace tree_forecast_test
}  // namespace winnow::bench
