// Tests that trees grown by RocksDB have every key and end idle.

#include "db_bench_ext/read_amplification/trees/rocksdb_growth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace rocksdb_growth_test {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

const BackgroundWork kNoWork = {0, false, false};

// Returns the number of observations of constant work until rest is detected; 0: more than a
// thousand.
int LooksUntilRest(bool auto_compactions, const BackgroundWork& work) {
  RestDetector detector(auto_compactions);
  for (int looks = 1; looks <= 1000; ++looks) {
    if (detector.Rests(work)) return looks;
  }
  return 0;
}

TEST(RestDetectorTest, RestIsWhenNothingRunsOrWaits) {
  EXPECT_EQ(LooksUntilRest(true, kNoWork), RestDetector::kLooks);
  EXPECT_EQ(LooksUntilRest(true, {1, false, false}), 0);
  EXPECT_EQ(LooksUntilRest(true, {0, true, false}), 0);
  // A backlog that nobody may merge is rest.
  EXPECT_EQ(LooksUntilRest(false, {0, false, true}), RestDetector::kLooks);
  EXPECT_EQ(LooksUntilRest(true, {0, false, true}), RestDetector::kIdleLooks);
}

TEST(RestDetectorTest, WorkBetweenLooksStartsTheCountAgain) {
  RestDetector detector(true);
  for (int i = 1; i < RestDetector::kLooks; ++i) EXPECT_FALSE(detector.Rests(kNoWork));
  EXPECT_FALSE(detector.Rests({1, false, false}));
  for (int i = 1; i < RestDetector::kLooks; ++i) EXPECT_FALSE(detector.Rests(kNoWork));
  EXPECT_TRUE(detector.Rests(kNoWork));
}

class RocksDBGrowthTest : public ::testing::Test {
 protected:
  absl::Status Grow(const TreeOptions& options, const std::function<bool(uint64_t)>& progress) {
    path_ = folder_ / std::to_string(++trees_);
    return GrowTree(keys_, WriteSequence::Once(keys_.size(), options.seed), options, policy_, path_,
                    progress);
  }

  // Grows a tree and opens it.
  std::unique_ptr<rocksdb::DB> Grown(const TreeOptions& options) {
    const absl::Status grown = Grow(options, GoOn);
    EXPECT_TRUE(grown.ok()) << grown;
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenTree(options, policy_, path_);
    EXPECT_TRUE(db.ok()) << db.status();
    return db.ok() ? *std::move(db) : nullptr;
  }

  TreeOptions Options() const {
    TreeOptions options;
    options.growth = GrowthKind::kRocksDB;
    options.seed = 1;
    options.write_buffer_size = 256 << 10;
    options.target_file_size_base = 256 << 10;
    options.max_bytes_for_level_base = 512 << 10;
    return ScaleTree(options, keys_.size(), keys_.total_bytes());
  }

  static bool GoOn(uint64_t) { return true; }

  const GeneratedKeys keys_{30'000, 16};

 private:
  const TemporaryFolder folder_;
  const Policy policy_ = *MakePolicy("bloomfilter:10");
  std::string path_;
  int trees_ = 0;
};

TEST_F(RocksDBGrowthTest, LeveledCompactionIsThroughWhenGrowthEnds) {
  TreeOptions options = Options();
  options.max_bytes_for_level_multiplier = 2;
  const std::unique_ptr<rocksdb::DB> db = Grown(options);
  ASSERT_NE(db, nullptr);
  const LevelFiles levels = FilesByLevel(db.get());
  EXPECT_LT(levels[0].size(), options.level0_file_num_compaction_trigger);
  EXPECT_FALSE(levels[2].empty());
}

TEST_F(RocksDBGrowthTest, ABacklogStaysAndDoesNotHang) {
  TreeOptions options = Options();
  options.disable_auto_compactions = true;
  options.write_buffer_size = 64 << 10;
  const std::unique_ptr<rocksdb::DB> db = Grown(options);
  ASSERT_NE(db, nullptr);
  EXPECT_GT(FilesByLevel(db.get())[0].size(), 2 * options.level0_file_num_compaction_trigger);
}

TEST_F(RocksDBGrowthTest, KeysThatFifoDropsAreAnError) {
  TreeOptions options = Options();
  options.compaction_style = rocksdb::kCompactionStyleFIFO;
  auto file = std::make_shared<FileOptions>();
  file->database.compaction_options_fifo.max_table_files_size = 1 << 20;
  options.file = file;
  const absl::Status grown = Grow(options, GoOn);
  EXPECT_THAT(std::string(grown.message()), HasSubstr("max_table_files_size"));
  EXPECT_THAT(std::string(grown.message()), HasSubstr("30000 were written"));
}

TEST_F(RocksDBGrowthTest, EndsWhenItIsToldTo) {
  EXPECT_EQ(Grow(Options(), [](uint64_t) { return false; }).code(), absl::StatusCode::kCancelled);
}

}  // namespace rocksdb_growth_test
}  // namespace winnow::bench
