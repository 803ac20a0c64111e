// What is counted over lookups adds up.

#include "db_bench_ext/read_amplification/lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>

#include "db_bench_ext/read_amplification/policies.h"
#include "db_bench_ext/read_amplification/tree.h"
#include "tests/files.h"

namespace winnow::bench {
namespace {

using ::testing::HasSubstr;

constexpr size_t kKeys = 5000;
constexpr size_t kReads = 4000;

bool GoOn(uint64_t) { return true; }

class LookupsTest : public ::testing::Test {
 protected:
  LookupsTest()
      : present_(GenerateKeys(kKeys, 16)), absent_(GenerateAbsentKeys(kReads, kKeys, 16, 9)) {
    options_.write_buffer_size = 30'000;
    options_ = ScaleTree(options_, present_.size(), present_.total_bytes());
  }

  std::unique_ptr<rocksdb::DB> Grow(const std::string& policy) {
    const Policy made = *MakePolicy(policy);
    const absl::Status grown = GrowTree(present_, options_, made, folder_ / "tree", GoOn);
    EXPECT_TRUE(grown.ok()) << grown;
    return *OpenTree(options_, made, folder_ / "tree");
  }

  Lookups Absent() const {
    Lookups lookups{"readmissing", &absent_, std::vector<uint32_t>(kReads), false};
    std::iota(lookups.order.begin(), lookups.order.end(), 0u);
    return lookups;
  }
  Lookups Present() const { return {"readrandom", &present_, RandomPicks(kReads, kKeys, 3), true}; }

  const testing::TemporaryFolder folder_;
  const KeyTable present_, absent_;
  TreeOptions options_;
};

TEST_F(LookupsTest, AbsentKeysCostWhatFiltersLetThrough) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  const auto counts = CountLookups(db.get(), Absent(), GoOn);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->lookups, kReads);
  EXPECT_EQ(counts->found, 0u);
  EXPECT_EQ(counts->value_bytes, 0u);
  EXPECT_GT(counts->filter_checks, kReads);
  EXPECT_EQ(counts->useful + counts->false_positive_block_reads, counts->filter_checks);
  EXPECT_GT(counts->false_positive_block_reads, 0u);
  EXPECT_GE(counts->data_blocks_accessed, counts->false_positive_block_reads);
  EXPECT_GE(counts->data_blocks_accessed, counts->data_blocks_read);
  EXPECT_EQ(static_cast<double>(counts->filter_checks) / kReads,
            FilesConsideredPerLookup(FilesByLevel(db.get()), absent_, Absent().order, kReads));

  uint64_t checks = 0, useful = 0, wasted = 0, blocks = 0;
  for (const inspect::LevelCounts& level : counts->levels) {
    checks += level.filter_checks;
    useful += level.useful;
    wasted += level.false_positive_block_reads;
    blocks += level.blocks_accessed;
  }
  EXPECT_EQ(checks, counts->filter_checks);
  EXPECT_EQ(useful, counts->useful);
  EXPECT_EQ(wasted, counts->false_positive_block_reads);
  EXPECT_EQ(blocks, counts->data_blocks_accessed);
}

TEST_F(LookupsTest, EveryPresentKeyIsFoundAndReadsABlock) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  const auto counts = CountLookups(db.get(), Present(), GoOn);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->found, kReads);
  EXPECT_EQ(counts->value_bytes, kReads * options_.value_size);
  EXPECT_EQ(counts->useful + counts->false_positive_block_reads + counts->found,
            counts->filter_checks);
  EXPECT_GE(counts->data_blocks_accessed, kReads + counts->false_positive_block_reads);
}

TEST_F(LookupsTest, WithoutFiltersEveryFileConsideredIsRead) {
  const std::unique_ptr<rocksdb::DB> db = Grow("none");
  const auto counts = CountLookups(db.get(), Absent(), GoOn);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->filter_checks, 0u);
  EXPECT_EQ(counts->false_positive_block_reads, 0u);
  EXPECT_GE(static_cast<double>(counts->data_blocks_accessed) / kReads,
            FilesConsideredPerLookup(FilesByLevel(db.get()), absent_, Absent().order, kReads));
}

TEST_F(LookupsTest, WithoutABlockCacheEveryBlockIsReadFromItsFile) {
  options_.cache_size = 0;
  const std::unique_ptr<rocksdb::DB> db = Grow("none");
  const auto counts = CountLookups(db.get(), Present(), GoOn);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->data_blocks_read, counts->data_blocks_accessed);
  EXPECT_GE(counts->data_blocks_read, kReads);
  EXPECT_GT(counts->bytes_read, counts->value_bytes);
}

TEST_F(LookupsTest, ACountIsOfItsOwnLookupsOnly) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  const auto first = CountLookups(db.get(), Absent(), GoOn);
  const auto second = CountLookups(db.get(), Absent(), GoOn);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->filter_checks, second->filter_checks);
  EXPECT_EQ(first->data_blocks_accessed, second->data_blocks_accessed);
  EXPECT_EQ(second->data_blocks_read, 0u) << "all blocks were in the cache";
}

TEST_F(LookupsTest, KeysThatAreNotWhatTheyShouldBeAreAnError) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:10");
  Lookups not_absent = Present();
  not_absent.present = false;
  Lookups not_present = Absent();
  not_present.present = true;
  for (const Lookups& lookups : {not_absent, not_present}) {
    EXPECT_THAT(std::string(CountLookups(db.get(), lookups, GoOn).status().message()),
                HasSubstr("figures would be wrong"));
    EXPECT_THAT(std::string(TimeLookups(db.get(), lookups, 10, GoOn).status().message()),
                HasSubstr("figures would be wrong"));
  }
}

TEST_F(LookupsTest, SoManyLookupsAreTimedAsAskedForAndAsThereAre) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:10");
  const auto some = TimeLookups(db.get(), Present(), 100, GoOn);
  const auto all = TimeLookups(db.get(), Present(), 10 * kReads, GoOn);
  const auto none = TimeLookups(db.get(), Present(), 0, GoOn);
  ASSERT_TRUE(some.ok() && all.ok() && none.ok());
  EXPECT_EQ(some->lookups, 100u);
  EXPECT_GT(some->ops_per_second, 0);
  EXPECT_LE(some->p50_ns, some->p99_ns);
  EXPECT_EQ(all->lookups, kReads);
  EXPECT_EQ(none->lookups, 0u);
}

TEST(MedianRoundTest, IsWholeAndKnowsTheSpeedsOfAll) {
  const std::vector<inspect::WorkloadTimes> rounds = {
      {10, 300.0, 3, 30, {300.0}}, {10, 100.0, 9, 90, {100.0}}, {10, 200.0, 5, 50, {200.0}}};
  const inspect::WorkloadTimes of_three = MedianRound(rounds);
  EXPECT_EQ(of_three.lookups, 10u);
  EXPECT_EQ(of_three.ops_per_second, 200);
  EXPECT_EQ(of_three.p50_ns, 5u);
  EXPECT_EQ(of_three.p99_ns, 50u);
  EXPECT_THAT(of_three.ops_per_second_by_round, ::testing::ElementsAre(300, 100, 200));
  EXPECT_EQ(MedianRound({rounds[0], rounds[1]}).ops_per_second, 100);
  EXPECT_EQ(MedianRound({rounds[0]}).ops_per_second, 300);
}

TEST_F(LookupsTest, APassEndsWhenItIsToldTo) {
  const std::unique_ptr<rocksdb::DB> db = Grow("none");
  Lookups many = Present();
  many.order = RandomPicks(20'000, kKeys, 1);
  const auto stop = [](uint64_t) { return false; };
  EXPECT_EQ(CountLookups(db.get(), many, stop).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(TimeLookups(db.get(), many, 20'000, stop).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace winnow::bench
