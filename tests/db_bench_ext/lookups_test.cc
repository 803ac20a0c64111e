// Tests that counts over lookups add up.

#include "db_bench_ext/read_amplification/lookups/lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/lookups/files_considered.h"
#include "db_bench_ext/read_amplification/lookups/lookup_counts.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace lookups_test {

using ::testing::HasSubstr;

constexpr size_t kKeys = 5000;
constexpr size_t kReads = 4000;

bool GoOn(uint64_t) { return true; }

class LookupsTest : public ::testing::Test {
 protected:
  LookupsTest() {
    keys_.range = std::make_shared<GeneratedKeys>(kKeys, 16);
    keys_.absent = std::make_shared<GeneratedKeys>(GeneratedKeys::Absent(kKeys, 16));
    options_.write_buffer_size = 30'000;
    options_ = ScaleTree(options_, kKeys, 16 * kKeys);
    choices_.reads = kReads;
    choices_.seed = 3;
  }

  std::unique_ptr<rocksdb::DB> Grow(const std::string& policy) {
    const Policy made = *MakePolicy(policy);
    const absl::Status grown = GrowTree(*keys_.range, WriteSequence::Once(kKeys, options_.seed),
                                        options_, made, folder_ / "tree", GoOn);
    EXPECT_TRUE(grown.ok()) << grown;
    return *OpenTree(options_, made, folder_ / "tree");
  }

  Lookups Make(const std::string& name) const {
    for (const Benchmark& benchmark : Benchmarks()) {
      if (benchmark.name == name) return MakeLookups(benchmark, keys_, choices_);
    }
    ADD_FAILURE() << name;
    return {};
  }
  Lookups Absent() const { return Make("readabsent"); }
  Lookups Present() const { return Make("readpresent"); }

  static PassOptions Pass(uint64_t lookups, size_t threads = 1) {
    PassOptions pass;
    pass.lookups = lookups;
    pass.threads = threads;
    return pass;
  }

  // Returns the counts of lookups, which must succeed.
  static inspect::WorkloadCounts Count(rocksdb::DB* db, const Lookups& lookups,
                                       size_t threads = 1) {
    const auto counts = CountLookups(db, lookups, Pass(lookups.count, threads), GoOn);
    EXPECT_TRUE(counts.ok()) << counts.status();
    return counts.value_or(inspect::WorkloadCounts());
  }

  static inspect::WorkloadTimes Time(rocksdb::DB* db, const Lookups& lookups,
                                     const PassOptions& pass) {
    const auto times = TimeLookups(db, lookups, pass, GoOn);
    EXPECT_TRUE(times.ok()) << times.status();
    return times.value_or(inspect::WorkloadTimes());
  }

  const testing::TemporaryFolder folder_;
  KeysOfRun keys_;
  LookupChoices choices_;
  TreeOptions options_;
};

TEST_F(LookupsTest, AbsentKeysCostWhatFiltersLetThrough) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  const auto counts = Count(db.get(), Absent());
  EXPECT_EQ(counts.lookups, kReads);
  EXPECT_EQ(counts.found, 0u);
  EXPECT_EQ(counts.value_bytes, 0u);
  EXPECT_GT(counts.filter_checks, kReads);
  EXPECT_EQ(counts.useful + counts.false_positive_block_reads, counts.filter_checks);
  EXPECT_GT(counts.false_positive_block_reads, 0u);
  EXPECT_GE(counts.data_blocks_accessed, counts.false_positive_block_reads);
  EXPECT_GE(counts.data_blocks_accessed, counts.data_blocks_read);
  EXPECT_EQ(static_cast<double>(counts.filter_checks) / kReads,
            FilesConsideredPerLookup(FilesByLevel(db.get()), Absent(), kReads));

  uint64_t checks = 0, useful = 0, wasted = 0, blocks = 0;
  for (const inspect::LevelCounts& level : counts.levels) {
    checks += level.filter_checks;
    useful += level.useful;
    wasted += level.false_positive_block_reads;
    blocks += level.blocks_accessed;
  }
  EXPECT_EQ(checks, counts.filter_checks);
  EXPECT_EQ(useful, counts.useful);
  EXPECT_EQ(wasted, counts.false_positive_block_reads);
  EXPECT_EQ(blocks, counts.data_blocks_accessed);

  const auto again = Count(db.get(), Absent());
  EXPECT_EQ(again.filter_checks, counts.filter_checks) << "a count is of its own lookups only";
  EXPECT_EQ(again.data_blocks_read, 0u) << "all blocks were in the cache";
}

TEST_F(LookupsTest, EveryPresentKeyIsFoundAndReadsABlock) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  const auto counts = Count(db.get(), Present());
  EXPECT_EQ(counts.found, kReads);
  EXPECT_EQ(counts.value_bytes, kReads * options_.value_size);
  EXPECT_EQ(counts.useful + counts.false_positive_block_reads + counts.found, counts.filter_checks);
  EXPECT_GE(counts.data_blocks_accessed, kReads + counts.false_positive_block_reads);
}

TEST_F(LookupsTest, WithoutFiltersAndCacheEveryFileConsideredIsRead) {
  options_.cache_size = 0;
  const std::unique_ptr<rocksdb::DB> db = Grow("none");
  const auto absent = Count(db.get(), Absent());
  EXPECT_EQ(absent.filter_checks, 0u);
  EXPECT_EQ(absent.false_positive_block_reads, 0u);
  EXPECT_GE(static_cast<double>(absent.data_blocks_accessed) / kReads,
            FilesConsideredPerLookup(FilesByLevel(db.get()), Absent(), kReads));
  const auto present = Count(db.get(), Present());
  EXPECT_EQ(present.data_blocks_read, present.data_blocks_accessed);
  EXPECT_GE(present.data_blocks_read, kReads);
  EXPECT_GT(present.bytes_read, present.value_bytes);
}

TEST_F(LookupsTest, WhatComesIntoTheCacheIsCountedWhereTheDatabaseHasTickers) {
  { EXPECT_EQ(Count(Grow("bloomfilter:10").get(), Absent()).loads.data.blocks, 0u); }
  const Policy policy = *MakePolicy("bloomfilter:10");
  options_.cache_index_and_filter_blocks = true;
  options_.cache_size = 20'000;
  for (const size_t threads : {1, 3}) {
    const auto tickers = NewTickers();
    const auto db = *OpenTree(options_, policy, folder_ / "tree", tickers);
    const uint64_t filters_at_open = tickers->getTickerCount(rocksdb::BLOCK_CACHE_FILTER_ADD);
    const auto counts = Count(db.get(), Present(), threads);
    EXPECT_GT(counts.loads.filter.blocks, 0u);
    EXPECT_EQ(counts.loads.filter.blocks + filters_at_open,
              tickers->getTickerCount(rocksdb::BLOCK_CACHE_FILTER_ADD));
    EXPECT_EQ(counts.loads.data.misses, counts.data_blocks_read);
    EXPECT_GT(counts.loads.data.bytes, counts.loads.data.blocks * options_.block_size / 2);
    EXPECT_GT(counts.loads.index.blocks, 0u);
    EXPECT_GT(counts.filter_reading_lookups, 0u);
    EXPECT_LE(counts.filter_reading_lookups, counts.loads.filter.misses);
    EXPECT_LE(counts.filter_reading_lookups, kReads);
  }
}

TEST_F(LookupsTest, KeysThatAreNotWhatTheyShouldBeAreAnError) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:10");
  const auto expecting = [](Lookups lookups, Expected expected) {
    lookups.at = [at = lookups.at, expected](uint64_t position, std::string* room) {
      return Asked{at(position, room).key, expected};
    };
    return lookups;
  };
  for (const char* name : {"readpresent", "multireadrandom", "seekrandom"}) {
    for (const bool present : {true, false}) {
      choices_.absent_share = present ? 0 : 1;
      const Lookups lookups =
          name == std::string("readpresent") ? present ? Present() : Absent() : Make(name);
      const Lookups wrong = expecting(lookups, present ? Expected::kAbsent : Expected::kPresent);
      const Lookups any = expecting(lookups, Expected::kEither);
      Count(db.get(), lookups);
      Count(db.get(), any);
      for (const absl::Status& status :
           {CountLookups(db.get(), wrong, Pass(kReads), GoOn).status(),
            TimeLookups(db.get(), wrong, Pass(100, 2), GoOn).status()}) {
        EXPECT_THAT(std::string(status.message()), HasSubstr("figures would be wrong")) << name;
      }
    }
  }
}

TEST_F(LookupsTest, SoManyLookupsAreTimedAsAskedForAndAsThereAre) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:10");
  const auto some = Time(db.get(), Present(), Pass(100));
  const auto all = Time(db.get(), Present(), Pass(10 * kReads));
  const auto none = Time(db.get(), Present(), Pass(0));
  EXPECT_EQ(some.lookups, 100u);
  EXPECT_GT(some.ops_per_second, 0);
  EXPECT_LE(some.p50_ns, some.p99_ns);
  EXPECT_EQ(all.lookups, kReads);
  EXPECT_EQ(none.lookups, 0u);
  // A round may last longer than its lookups.
  PassOptions pass = Pass(10, 2);
  pass.seconds = 0.05;
  EXPECT_GT(Time(db.get(), Present(), pass).lookups, 100u);
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
  choices_.reads = 20'000;
  const Lookups many = Present();
  const auto stop = [](uint64_t) { return false; };
  for (const size_t threads : {1, 3}) {
    EXPECT_EQ(CountLookups(db.get(), many, Pass(20'000, threads), stop).status().code(),
              absl::StatusCode::kCancelled);
    EXPECT_EQ(TimeLookups(db.get(), many, Pass(20'000, threads), stop).status().code(),
              absl::StatusCode::kCancelled);
  }
}

TEST_F(LookupsTest, ThreadsShareTheLookupsAndTheirCountsAddUp) {
  for (const char* name : {"readabsent", "readpresent", "multireadrandom"}) {
    const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
    const auto one = Count(db.get(), Make(name));
    const auto three = Count(db.get(), Make(name), 3);
    EXPECT_EQ(three.lookups, kReads);
    EXPECT_EQ(three.found, one.found);
    EXPECT_EQ(three.value_bytes, one.value_bytes);
    EXPECT_EQ(three.filter_checks, one.filter_checks);
    EXPECT_EQ(three.useful, one.useful);
    EXPECT_EQ(three.false_positive_block_reads, one.false_positive_block_reads);
    ASSERT_EQ(three.levels.size(), one.levels.size());
    for (size_t i = 0; i < one.levels.size(); ++i) {
      EXPECT_EQ(three.levels[i].level, one.levels[i].level);
      EXPECT_EQ(three.levels[i].filter_checks, one.levels[i].filter_checks);
      EXPECT_EQ(three.levels[i].false_positive_block_reads,
                one.levels[i].false_positive_block_reads);
    }
    const auto times = Time(db.get(), Make(name), Pass(kReads, 3));
    EXPECT_EQ(times.lookups, kReads);
    std::filesystem::rename(folder_ / "tree", folder_ / (std::string("old-") + name));
  }
}

TEST_F(LookupsTest, MultiGetAsksTheSameFiltersAsGetsOfTheSameKeys) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  choices_.absent_share = 0.5;
  const auto gets = Count(db.get(), Make("readmixed"));
  for (const bool batched : {false, true}) {
    choices_.batched = batched;
    choices_.batch = 32;
    const auto multi = Count(db.get(), Make("multireadrandom"));
    EXPECT_EQ(multi.lookups, kReads);
    EXPECT_EQ(multi.found, kReads / 2);
    EXPECT_EQ(multi.filter_checks, gets.filter_checks) << batched;
    EXPECT_EQ(multi.false_positive_block_reads, gets.false_positive_block_reads) << batched;
    EXPECT_EQ(multi.value_bytes, gets.value_bytes);
    EXPECT_LE(multi.data_blocks_accessed, gets.data_blocks_accessed) << batched;
  }
}

TEST_F(LookupsTest, TheLastBatchMayBeSmaller) {
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  choices_.reads = 100;
  choices_.batch = 32;
  for (const bool batched : {false, true}) {
    choices_.batched = batched;
    const auto counts = Count(db.get(), Make("multireadrandom"), 3);
    EXPECT_EQ(counts.lookups, 100u);
    EXPECT_EQ(counts.found, 100u);
    const auto times = Time(db.get(), Make("multireadrandom"), Pass(70));
    EXPECT_EQ(times.lookups, 70u);
  }
}

TEST_F(LookupsTest, SeeksAskFiltersOfPrefixes) {
  options_.prefix_size = 8;
  const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
  choices_.absent_share = 1;
  const auto absent = Count(db.get(), Make("seekrandom"));
  EXPECT_EQ(absent.found, 0u);
  EXPECT_GT(absent.filter_checks, kReads);
  EXPECT_GT(absent.false_positive_block_reads, 0u);
  EXPECT_EQ(absent.useful + absent.false_positive_block_reads, absent.filter_checks)
      << "every maybe is a false one, as no key has the prefix";
  EXPECT_EQ(absent.decided_lookups, kReads);
  EXPECT_EQ(absent.decided_checks, absent.filter_checks);
  choices_.absent_share = 0.5;
  const auto mixed = Count(db.get(), Make("seekrandom"), 2);
  EXPECT_EQ(mixed.decided_lookups, kReads / 2);
  EXPECT_NEAR(static_cast<double>(mixed.false_positive_block_reads) /
                  static_cast<double>(*mixed.decided_checks),
              static_cast<double>(absent.false_positive_block_reads) /
                  static_cast<double>(absent.filter_checks),
              0.03);
  choices_.absent_share = 0;
  const auto present = Count(db.get(), Make("seekrandom"));
  EXPECT_EQ(present.found, kReads);
  EXPECT_EQ(present.decided_lookups, 0u)
      << "each has a maybe that is true, and may have false ones";
  EXPECT_EQ(present.decided_checks, 0u);
  EXPECT_EQ(present.false_positive_block_reads, 0u);
  EXPECT_GE(present.filter_checks - present.useful, kReads);
  EXPECT_EQ(present.value_bytes, kReads * options_.value_size);
}

// No prefixes, and prefixes that are longer than the keys.
TEST_F(LookupsTest, SeeksStepOnAndAskNoFilterWithoutPrefixes) {
  for (const size_t prefix_size : {0, 17}) {
    options_.prefix_size = prefix_size;
    choices_.nexts = prefix_size == 0 ? 3 : 0;
    const std::unique_ptr<rocksdb::DB> db = Grow("bloomfilter:4");
    const auto counts = Count(db.get(), Make("seekrandom"));
    EXPECT_EQ(counts.found, kReads);
    EXPECT_EQ(counts.filter_checks, 0u);
    EXPECT_GT(counts.value_bytes, 8 * (choices_.nexts + 1) * kReads * options_.value_size / 10);
    EXPECT_LE(counts.value_bytes, (choices_.nexts + 1) * kReads * options_.value_size);
    std::filesystem::remove_all(folder_ / "tree");
  }
}

}  // namespace lookups_test
}  // namespace winnow::bench
