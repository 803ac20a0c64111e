// Tests of the counts at a point of a sweep of caches.

#include "db_bench_ext/read_amplification/lookups/cache_point.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "db_bench_ext/read_amplification/trees/tree_scale.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace cache_point_test {

using inspect::CachePoint;
using inspect::FilterForm;

constexpr uint64_t kKeys = 40'000;
constexpr uint64_t kReads = 6000;

// Fixture with trees of about six files, each with a filter of about 10 KB.
class CachePointTest : public ::testing::Test {
 protected:
  CachePointTest() {
    keys_.range = std::make_shared<GeneratedKeys>(kKeys, 16);
    keys_.absent = std::make_shared<GeneratedKeys>(GeneratedKeys::Absent(kKeys, 16));
    options_.value_size = 8;
    options_.write_buffer_size = 200'000;
    options_ = ScaleTree(options_, kKeys, 16 * kKeys);
    Benchmark benchmark{"readabsent", ""};
    benchmark.asks = AskedKeys::kAbsent;
    LookupChoices choices;
    choices.reads = kReads;
    lookups_ = MakeLookups(benchmark, keys_, choices);
  }

  // Measures a point, after growing the tree of this form if it does not exist.
  CachePoint Measure(FilterForm form, uint64_t cache_size, uint64_t reads = kReads) {
    TreeOptions options = InForm(options_, form);
    options.cache_size = cache_size;
    const bool partitioned = options.partition_index_and_filters;
    const std::string path = folder_ / (partitioned ? "partitioned" : "whole");
    if (!grown_[partitioned]) {
      const absl::Status grown = GrowTree(*keys_.range, WriteSequence::Once(kKeys, 1), options,
                                          policy_, path, [](uint64_t) { return true; });
      EXPECT_TRUE(grown.ok()) << grown;
      grown_[partitioned] = true;
    }
    uint64_t told = 0;
    const absl::StatusOr<CachePoint> point =
        MeasureCachePoint(options, policy_, path, lookups_, reads, 1, [&](uint64_t done) {
          EXPECT_GE(done, told);
          EXPECT_LE(done, reads);
          told = done;
          return true;
        });
    EXPECT_TRUE(point.ok()) << point.status();
    return point.ok() ? *point : CachePoint{};
  }

  const testing::TemporaryFolder folder_;
  const Policy policy_ = *MakePolicy("bloomfilter:10");
  KeysOfRun keys_;
  TreeOptions options_;
  Lookups lookups_;
  bool grown_[2] = {false, false};
};

TEST_F(CachePointTest, WholeFiltersThatDoNotFitAreReadAgainByNearlyEveryLookup) {
  const CachePoint point = Measure(FilterForm::kWhole, 16 << 10);
  EXPECT_EQ(point.counts.lookups, kReads / 3);
  EXPECT_EQ(point.counts.found, 0u);
  EXPECT_GT(point.counts.filter_reading_lookups, kReads / 3 * 9 / 10);
  const inspect::BlockLoads& filter = point.counts.loads.filter;
  EXPECT_EQ(filter.misses, filter.blocks);
  EXPECT_GT(filter.bytes, filter.blocks * 5'000) << "whole filters";
  EXPECT_GE(filter.blocks, point.counts.filter_reading_lookups);
  EXPECT_GT(point.ops_per_second, 0);
  EXPECT_EQ(point.workload, "readabsent");
  EXPECT_EQ(point.cache_size, 16u << 10);
}

TEST_F(CachePointTest, PartitionsOfThemAreReadInstead) {
  const CachePoint whole = Measure(FilterForm::kWhole, 16 << 10);
  const CachePoint partitioned = Measure(FilterForm::kPartitioned, 16 << 10);
  EXPECT_GT(partitioned.counts.loads.filter.blocks, 0u);
  EXPECT_LT(partitioned.counts.loads.filter.bytes, partitioned.counts.loads.filter.blocks * 5'000);
  EXPECT_LT(partitioned.counts.loads.filter.bytes, whole.counts.loads.filter.bytes / 2);
}

TEST_F(CachePointTest, PinnedFiltersAreNeverReadAndTakeMoreThanTheCacheHas) {
  const CachePoint point = Measure(FilterForm::kPinned, 16 << 10);
  EXPECT_EQ(point.counts.loads.filter.misses, 0u);
  EXPECT_EQ(point.counts.loads.index.misses, 0u);
  EXPECT_EQ(point.counts.filter_reading_lookups, 0u);
  EXPECT_GT(point.counts.filter_checks, kReads / 3);
  EXPECT_GT(point.cache_pinned, kKeys * 10 / 8);
  EXPECT_GE(point.cache_used, point.cache_pinned);
}

// Loads during the filling of the cache are not counted.
TEST_F(CachePointTest, FiltersThatFitAreReadBeforeTheCountBegins) {
  const CachePoint point = Measure(FilterForm::kWhole, 8 << 20);
  EXPECT_EQ(point.counts.loads.filter.misses, 0u);
  EXPECT_EQ(point.counts.filter_reading_lookups, 0u);
  EXPECT_LT(point.cache_pinned, 1000u);
  EXPECT_GT(point.cache_used, kKeys * 10 / 8);
}

TEST_F(CachePointTest, ThreeLookupsAreEnough) {
  EXPECT_EQ(Measure(FilterForm::kWhole, 1 << 20, 3).counts.lookups, 1u);
}

TEST_F(CachePointTest, ThePassEndsWhenItIsToldTo) {
  Measure(FilterForm::kWhole, 1 << 20, 3);  // grows the tree
  TreeOptions options = InForm(options_, FilterForm::kWhole);
  options.cache_size = 1 << 20;
  for (const uint64_t end : {uint64_t{0}, kReads / 6, kReads / 2, kReads * 5 / 6}) {
    EXPECT_EQ(MeasureCachePoint(options, policy_, folder_ / "whole", lookups_, kReads, 1,
                                [&](uint64_t done) { return done < end; })
                  .status()
                  .code(),
              absl::StatusCode::kCancelled)
        << "at lookup " << end;
  }
}

}  // namespace cache_point_test
}  // namespace winnow::bench
