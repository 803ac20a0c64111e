// Tests that equal writes grow equal trees, whatever filters the files have.

#include "db_bench_ext/read_amplification/trees/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "tests/support/files.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace tree_test {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

class TreeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(winnow_rocksdb_register(), 0); }

  // Grows a tree of these keys with this policy and returns it open.
  std::unique_ptr<rocksdb::DB> Grow(const KeySet& keys, const TreeOptions& options,
                                    const std::string& policy) {
    const std::string path = folder_ / std::to_string(++trees_);
    const absl::StatusOr<Policy> made = MakePolicy(policy);
    EXPECT_TRUE(made.ok()) << made.status();
    const absl::Status grown = GrowTree(keys, WriteSequence::Once(keys.size(), options.seed),
                                        options, *made, path, [](uint64_t) { return true; });
    EXPECT_TRUE(grown.ok()) << grown;
    absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenTree(options, *made, path);
    EXPECT_TRUE(db.ok()) << db.status();
    return db.ok() ? *std::move(db) : nullptr;
  }

  const TemporaryFolder folder_;

 private:
  int trees_ = 0;
};

TreeOptions SmallTree(const KeySet& keys) {
  TreeOptions options;
  options.seed = 1;
  options.write_buffer_size = 30'000;
  return ScaleTree(options, keys.size(), keys.total_bytes());
}

// Returns the properties that must be equal: key ranges and numbers of keys of the files. Names are
// not included, since file numbers also count deleted files.
std::vector<std::vector<std::tuple<std::string, std::string, uint64_t>>> Shape(rocksdb::DB* db) {
  std::vector<std::vector<std::tuple<std::string, std::string, uint64_t>>> shape;
  for (const std::vector<TreeFile>& level : FilesByLevel(db)) {
    shape.emplace_back();
    for (const TreeFile& file : level) {
      shape.back().emplace_back(file.smallest, file.largest, file.keys);
    }
  }
  return shape;
}

TEST_F(TreeTest, PoliciesGetTheSameTree) {
  const GeneratedKeys keys(10'000, 16);
  TreeOptions options = SmallTree(keys);
  for (const bool dynamic : {false, true}) {
    options.level_compaction_dynamic_level_bytes = dynamic;
    const auto none = Shape(Grow(keys, options, "none").get());
    EXPECT_EQ(none, Shape(Grow(keys, options, "bloomfilter:30").get())) << dynamic;
    EXPECT_EQ(none, Shape(Grow(keys, options, "winnow:10").get())) << dynamic;
  }
}

// Returns the number of keys by level.
std::vector<uint64_t> Keys(rocksdb::DB* db) {
  std::vector<uint64_t> keys;
  for (const std::vector<TreeFile>& level : FilesByLevel(db)) {
    keys.push_back(0);
    for (const TreeFile& file : level) keys.back() += file.keys;
  }
  return keys;
}

TEST_F(TreeTest, DynamicLevelsFillTheLastLevelsAndStaticOnesTheFirst) {
  const GeneratedKeys keys(50'000, 16);
  TreeOptions options = SmallTree(keys);
  const std::vector<uint64_t> fixed = Keys(Grow(keys, options, "bloomfilter:10").get());
  EXPECT_GT(fixed[1], 0u);
  EXPECT_GT(fixed[2], fixed[1]);
  EXPECT_GT(fixed[3], fixed[2]);
  EXPECT_EQ(fixed[6], 0u);

  options.level_compaction_dynamic_level_bytes = true;
  const std::vector<uint64_t> dynamic = Keys(Grow(keys, options, "bloomfilter:10").get());
  EXPECT_EQ(dynamic[1], 0u);
  EXPECT_GT(dynamic[4], 0u);
  EXPECT_GT(dynamic[5], dynamic[4]);
  EXPECT_GT(dynamic[6], 5 * dynamic[5]);
}

TEST_F(TreeTest, AsManyFlushesStayOnLevel0AsAskedFor) {
  const GeneratedKeys keys(10'000, 16);
  TreeOptions options = SmallTree(keys);
  for (const bool dynamic : {false, true}) {
    options.level_compaction_dynamic_level_bytes = dynamic;
    for (const uint64_t files : {0u, 2u, 7u}) {
      options.level0_files = files;
      const std::unique_ptr<rocksdb::DB> db = Grow(keys, options, "bloomfilter:10");
      EXPECT_EQ(FilesByLevel(db.get())[0].size(), files) << dynamic;
    }
  }
}

TEST_F(TreeTest, GrowthEndsWhenItIsToldTo) {
  const GeneratedKeys keys(10'000, 16);
  const absl::Status status =
      GrowTree(keys, WriteSequence::Once(keys.size(), 1), SmallTree(keys), *MakePolicy("none"),
               folder_ / "ended", [](uint64_t) { return false; });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST_F(TreeTest, ADatabaseThatIsThereIsNotWrittenTo) {
  const GeneratedKeys keys(10, 16);
  const TreeOptions options = SmallTree(keys);
  Grow(keys, options, "none");
  const absl::Status status =
      GrowTree(keys, WriteSequence::Once(keys.size(), 1), options, *MakePolicy("none"),
               folder_ / "1", [](uint64_t) { return true; });
  EXPECT_THAT(std::string(status.message()), HasSubstr("exists"));
}

}  // namespace tree_test
}  // namespace winnow::bench
