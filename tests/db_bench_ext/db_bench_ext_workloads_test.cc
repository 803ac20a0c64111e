// End-to-end tests of the benchmark's workloads, keys and choices of lookups.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/db_bench_ext/db_bench_ext_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::bench {
namespace db_bench_ext_workloads_test {

using nlohmann::json;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::WriteFile;

constexpr char kTwoPolicies[] = "--policies=bloomfilter:10,winnow:10";

class DbBenchExtWorkloadsTest : public BenchProgramTest {
 protected:
  // Returns the JSON of a run, which must succeed; without timing unless `more` requests it.
  json Run(std::vector<std::string> more) {
    const auto has = [&](std::string_view flag) {
      return std::any_of(more.begin(), more.end(), [&](const std::string& word) {
        return word.compare(0, flag.size(), flag) == 0;
      });
    };
    if (!has("--keys=") && !has("--from_db=") && !has("--num=")) more.emplace_back("--num=20000");
    if (!has("--duration=") && !has("--timed_reads=")) more.emplace_back("--timed_reads=0");
    if (!has("--lookups=") && !has("--reads=")) more.emplace_back("--reads=20000");
    more.insert(more.begin(), {kTwoPolicies, "--timed_rounds=2", "--write_buffer_size=200000"});
    return BenchProgramTest::Run(more);
  }

  // Writes a list of 5000 keys and returns the flag that names it.
  std::string KeysFlag() {
    std::string keys;
    for (int i = 0; i < 5000; ++i) keys += "key-" + std::to_string(i) + "\n";
    WriteFile(folder_ / "keys", keys);
    return "--keys=" + (folder_ / "keys");
  }
};

TEST_F(DbBenchExtWorkloadsTest, FillRandomLeavesKeysOutAndReadRandomAsksForThemToo) {
  const json run = Run({"--benchmarks=fillrandom,readrandom,readpresent,readmissing"});
  EXPECT_TRUE(run.at("trees_agree"));
  EXPECT_EQ(run.at("settings").at("benchmarks"), "fillrandom,readrandom,readpresent,readmissing");
  for (const json& policy : run.at("policies")) {
    // Drawing as many times as there are keys omits 1/e of the keys; some keys are in several
    // files.
    EXPECT_GT(policy.at("keys"), 12'400);
    EXPECT_LT(policy.at("keys"), 20'000);
    const json& workloads = policy.at("workloads");
    EXPECT_NEAR(workloads[0].at("found").get<double>(), 20'000 * 0.632, 250);
    EXPECT_EQ(workloads[1].at("found"), 20'000);
    EXPECT_EQ(workloads[2].at("found"), 0);
    EXPECT_GT(workloads[2].at("filter_checks"), 20'000);
  }
}

TEST_F(DbBenchExtWorkloadsTest, CompactLeavesOneLevelWithEveryKeyOnce) {
  for (const char* growth : {"planned", "rocksdb"}) {
    const json run = Run({"--benchmarks=fillseq,overwrite,compact,readrandom", "--writes=5000",
                          "--growth=" + std::string(growth)});
    for (const json& policy : run.at("policies")) {
      EXPECT_EQ(policy.at("keys"), 20'000) << growth;
      EXPECT_EQ(policy.at("tree").size(), 1u) << growth;
      EXPECT_EQ(policy.at("workloads")[0].at("found"), 20'000) << growth;
    }
  }
}

TEST_F(DbBenchExtWorkloadsTest, OverwrittenKeysAreOnSeveralLevels) {
  const json run = Run({"--benchmarks=filluniquerandom,overwrite,readpresent"});
  EXPECT_TRUE(run.at("trees_agree"));
  for (const json& policy : run.at("policies")) {
    EXPECT_GT(policy.at("keys"), 20'000);
    EXPECT_EQ(policy.at("workloads")[0].at("found"), 20'000);
  }
}

TEST_F(DbBenchExtWorkloadsTest, AShareOfAbsentLookupsIsExactAndNeedsNoListOfBenchmarks) {
  const json run = Run({"--absent_lookups=0.1", "--threads=2"});
  EXPECT_EQ(run.at("settings").at("benchmarks"), "filluniquerandom,readmixed");
  for (const json& policy : run.at("policies")) {
    const json& mixed = policy.at("workloads").at(0);
    EXPECT_EQ(mixed.at("lookups"), 20'000);
    EXPECT_EQ(mixed.at("found"), 18'000);
    EXPECT_DOUBLE_EQ(mixed.at("absent_share"), 0.1);
  }
}

TEST_F(DbBenchExtWorkloadsTest, MultiGetAsksEveryPolicyTheSameAndSaysHowItCalls) {
  for (const char* batched : {"--multiread_batched", "--nomultiread_batched"}) {
    const json run =
        Run({"--benchmarks=multireadrandom", "--batch_size=16", "--absent_lookups=0.5", batched});
    for (const json& policy : run.at("policies")) {
      const json& workload = policy.at("workloads").at(0);
      EXPECT_EQ(workload.at("found"), 10'000);
      EXPECT_EQ(workload.at("filter_checks"),
                run.at("policies")[0].at("workloads")[0].at("filter_checks"));
      EXPECT_THAT(workload.at("remark").get<std::string>(), HasSubstr("16 keys a call"));
    }
  }
}

TEST_F(DbBenchExtWorkloadsTest, SeeksAreCountedInTotalAndSayWhatThatMeans) {
  const json run =
      Run({"--benchmarks=seekrandom", "--prefix_size=8", "--absent_lookups=1",
           "--policies=bloomfilter:10,{id=winnow;bits_per_key=10;level_plan=uniform}"});
  for (const json& policy : run.at("policies")) {
    const json& seeks = policy.at("workloads").at(0);
    const uint64_t checks = seeks.at("filter_checks");
    EXPECT_GT(checks, 20'000u);
    EXPECT_EQ(
        seeks.at("useful").get<uint64_t>() + seeks.at("false_positive_block_reads").get<uint64_t>(),
        checks);
    EXPECT_NEAR(seeks.at("false_positives_per_filter_check").get<double>(), 0.0096, 0.003);
    for (const json& level : seeks.at("levels")) EXPECT_EQ(level.at("filter_checks"), 0);
    EXPECT_THAT(seeks.at("remark").get<std::string>(), HasSubstr("in total only"));
  }
  const json none = Run({"--benchmarks=seekrandom"});
  EXPECT_THAT(none.at("notes").dump(), HasSubstr("seekrandom asked no filter"));
  const json present = Run({"--benchmarks=seekrandom", "--prefix_size=8", "--absent_lookups=0"});
  EXPECT_EQ(present.at("policies")[0].at("workloads")[0].at("decided_lookups"), 0);
}

TEST_F(DbBenchExtWorkloadsTest, ARoundLastsAsLongAsAskedAndTheCacheMayBeAShareOfTheData) {
  const json run =
      Run({"--benchmarks=readabsent", "--duration=1", "--reads=1000", "--cache_share=0.05"});
  EXPECT_EQ(run.at("cache_size"), 20'000 * 116 / 20);
  for (const json& policy : run.at("policies")) {
    EXPECT_EQ(policy.at("workloads")[0].at("lookups"), 1000);
    EXPECT_GT(policy.at("workloads")[0].at("timed_lookups"), 1000);
  }
}

double SumOf(const json& list) {
  double sum = 0;
  for (const json& number : list) sum += number.get<double>();
  return sum;
}

TEST_F(DbBenchExtWorkloadsTest, TreesGrowAndAreOverwrittenUnderLookupsByHeat) {
  const json run = Run({"--heat=mixgraph", "--absent_lookups=1"});
  EXPECT_TRUE(run.at("trees_agree"));
  EXPECT_EQ(run.at("settings").at("benchmarks"), "filluniquerandom,overwrite,readheat");
  EXPECT_EQ(run.at("settings").at("heat"), "mixgraph");
  EXPECT_NEAR(run.at("heat")[29].get<double>(), 538 / 667.0, 0.03);
  EXPECT_NEAR(SumOf(run.at("heat")), 1, 1e-9);
  for (const json& policy : run.at("policies")) {
    EXPECT_EQ(policy.at("workloads")[0].at("found"), 0);
    EXPECT_GT(policy.at("workloads")[0].at("filter_checks"), 20'000);
    const json& growth = policy.at("growth");
    ASSERT_EQ(growth.at("written").size(), 40u);
    EXPECT_EQ(growth.at("written")[39], 40'000);
    EXPECT_EQ(SumOf(growth.at("lookups")), 100'000);
    EXPECT_GT(SumOf(growth.at("filter_checks")), 50'000);
    // The last flush and the compactions after it may differ.
    EXPECT_NEAR(growth.at("filter_bytes")[39], policy.at("filter_bytes").get<double>(),
                0.1 * policy.at("filter_bytes").get<double>());
    ASSERT_EQ(policy.at("range").size(), policy.at("tree").size());
    for (size_t level = 0; level < policy.at("tree").size(); ++level) {
      const json& range = policy.at("range")[level];
      EXPECT_EQ(range.at("level"), policy.at("tree")[level].at("level"));
      EXPECT_NEAR(SumOf(range.at("keys")), policy.at("tree")[level].at("keys").get<double>(), 15);
    }
  }
}

TEST_F(DbBenchExtWorkloadsTest, WinnowPutsItsBitsWhereLookupsAsk) {
  const json run = Run({"--heat=mixgraph", "--absent_lookups=1", "--num=40000",
                        "--lookups_per_write=5", "--write_buffer_size=100000",
                        "--policies={id=winnow;bits_per_key=10;level_plan=uniform},winnow:10"});
  // Returns the bits per key over all levels.
  const auto bits = [&](size_t policy, size_t part) {
    double keys = 0;
    double sum = 0;
    for (const json& range : run.at("policies")[policy].at("range")) {
      const double here = range.at("keys")[part];
      keys += here;
      if (here > 0) sum += here * range.at("filter_bits_per_key")[part].get<double>();
    }
    return sum / keys;
  };
  EXPECT_NEAR(bits(0, 29), bits(0, 10), 0.5);
  EXPECT_GT(bits(1, 29), bits(1, 10) + 1);
}

TEST_F(DbBenchExtWorkloadsTest, TheNewestKeysAreHotWhereKeysComeInTime) {
  const json run = Run({"--heat=newest", "--absent_lookups=0.1", "--growth=rocksdb",
                        "--partition_index_and_filters", "--cache_share=0.05",
                        "--cache_index_and_filter_blocks"});
  EXPECT_EQ(run.at("settings").at("benchmarks"), "filltime,readheat");
  EXPECT_NEAR(run.at("heat")[29].get<double>(), 0.8 / 3, 0.01);
  for (const json& policy : run.at("policies")) {
    EXPECT_EQ(policy.at("keys"), 20'000);
    EXPECT_EQ(policy.at("workloads")[0].at("found"), 18'000);
    EXPECT_EQ(SumOf(policy.at("growth").at("lookups")), 50'000);
    // Hardly any key of the newest tenth exists at the beginning.
    EXPECT_NEAR(SumOf(policy.at("growth").at("found")), 43'000, 2000);
  }
}

// Three policies: no filters, RocksDB's prefix filters, and range filters.
TEST_F(DbBenchExtWorkloadsTest, ScansReadLessWithRangeFilters) {
  const struct {
    const char* shape;
    const char* prefix;
    const char* kind;    // kind of the range filters
    double least_saved;  // share of data blocks saved by range filters
  } shapes[] = {{"integers", "5", "auto", 0.9},
                {"events", "16", "positions", 0.9},
                {"paths", "8", "auto", 0}};
  for (const auto& [shape, prefix, kind, least_saved] : shapes) {
    SCOPED_TRACE(shape);
    const json run = Run(
        {"--key_shape=" + std::string(shape), "--scan_length=16,1024", "--reads=2000",
         "--benchmarks=scanbehind,scanbetween,scanpresent", "--prefix_size=" + std::string(prefix),
         "--policies=none,bloomfilter:10,{id=winnow;bits_per_key=10;range_bits=15;range_kind=" +
             std::string(kind) + "}"});
    EXPECT_EQ(run.at("settings").at("scan_length"), "16,1024");
    EXPECT_EQ(run.at("settings").at("key_shape"), shape);
    const json& policies = run.at("policies");
    const char* const names[] = {"scanbehind/16",    "scanbehind/1024", "scanbetween/16",
                                 "scanbetween/1024", "scanpresent/16",  "scanpresent/1024"};
    for (size_t w = 0; w < 6; ++w) {
      SCOPED_TRACE(names[w]);
      const auto blocks = [&](size_t policy) -> double {
        const json& workload = policies[policy].at("workloads")[w];
        EXPECT_EQ(workload.at("name"), names[w]);
        EXPECT_EQ(workload.at("lookups"), 2000);
        EXPECT_EQ(workload.at("found"), w < 4 ? 0 : 2000);
        return workload.at("data_blocks_accessed");
      };
      EXPECT_LE(blocks(1), blocks(0));
      EXPECT_LE(blocks(2), (w < 4 ? 1 - least_saved : 1) * blocks(0));
      EXPECT_GT(policies[2].at("workloads")[w].at("filter_checks"), 2000);
    }
  }
}

TEST_F(DbBenchExtWorkloadsTest, ScansOfTheKeysOfADatabase) {
  const json run =
      Run({"--from_db=" + MakeDatabase({"--key_shape=integers"}), "--benchmarks=scanbehind",
           "--policies=none,{id=winnow;bits_per_key=10;range_bits=15}"});
  const auto blocks = [&](size_t policy) -> double {
    return run.at("policies")[policy].at("workloads")[0].at("data_blocks_accessed");
  };
  EXPECT_LT(blocks(1), 0.1 * blocks(0));
}

TEST_F(DbBenchExtWorkloadsTest, FiltersInTheBlockCacheAreReadAgainWhereItIsSmall) {
  double bytes[2];
  for (const bool cached : {false, true}) {
    const json run =
        Run({"--benchmarks=readabsent", "--cache_size=8000",
             cached ? "--cache_index_and_filter_blocks" : "--nocache_index_and_filter_blocks"});
    bytes[cached] = run.at("policies")[0].at("workloads")[0].at("bytes_read");
  }
  EXPECT_GT(bytes[1], 2 * bytes[0]);
}

TEST_F(DbBenchExtWorkloadsTest, RecordedLookupsAreAskedAsTheyAre) {
  const std::string keys = KeysFlag();
  WriteFile(folder_ / "lookups", "key-7\nno such key\nkey-7\n");
  const json run = Run({keys, "--lookups=" + (folder_ / "lookups")});
  for (const json& policy : run.at("policies")) {
    const json& list = policy.at("workloads").at(0);
    EXPECT_EQ(list.at("name"), "readlist");
    EXPECT_EQ(list.at("lookups"), 3);
    EXPECT_EQ(list.at("found"), 2);
  }
  EXPECT_EQ(run.at("lookups_drawn"), "lookups: readlist as " + (folder_ / "lookups") + " has them");
  // The key is outside the range of all files, so that no filter is checked.
  WriteFile(folder_ / "lookups", "zzz\n");
  const json outside = Run({keys, "--lookups=" + (folder_ / "lookups")});
  EXPECT_EQ(outside.at("policies")[0].at("workloads")[0].at("filter_checks"), 0);
}

// A trace in RocksDB's format: time, type, payload length, and payload.
TEST_F(DbBenchExtWorkloadsTest, ATraceOfRocksDbIsAListOfLookups) {
  const auto record = [](char type, const std::string& payload) {
    return std::string(8, '\0') + type + static_cast<char>(payload.size()) + std::string(3, '\0') +
           payload;
  };
  const auto get = [&record](char family, const std::string& key) {
    return record(4, std::string("\x0c\0\0\0\0\0\0\0", 8) + family + std::string(3, '\0') +
                         static_cast<char>(key.size()) + key);
  };
  const std::string keys = KeysFlag();
  WriteFile(folder_ / "trace",
            record(1, "feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 7.8\t") +
                get(0, "key-7") + get(3, "key-8") + get(0, "no such key"));
  const json run = Run({keys, "--lookups=" + (folder_ / "trace")});
  const json& list = run.at("policies").at(0).at("workloads").at(0);
  EXPECT_EQ(list.at("lookups"), 2);
  EXPECT_EQ(list.at("found"), 1);
}

// Several workloads and threads: equal results show that the recorded lookups are complete.
TEST_F(DbBenchExtWorkloadsTest, LookupsAreRecordedForOthersToAsk) {
  const std::string list = folder_ / "recorded";
  const std::vector<std::string> recording = {"--benchmarks=readmixed,seekrandom,multireadrandom",
                                              "--absent_lookups=0.3", "--reads=5000", "--threads=2",
                                              "--record_lookups=" + list};
  const json run = Run(recording);
  const std::string text = ReadFile(list);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10'000) << "seeks are none";
  const json& recorded = run.at("policies").at(0).at("workloads");
  const json again = Run({"--benchmarks=readlist", "--key_format=hex", "--lookups=" + list});
  const json& asked = again.at("policies").at(0).at("workloads").at(0);
  EXPECT_EQ(asked.at("lookups"), 10'000);
  EXPECT_EQ(asked.at("found").get<int>(),
            recorded.at(0).at("found").get<int>() + recorded.at(2).at("found").get<int>());
  Run(recording);
  EXPECT_EQ(ReadFile(list), text) << "the same seed, the same lookups";
}

TEST_F(DbBenchExtWorkloadsTest, LookupsOfAnExistingDatabaseAreRecorded) {
  const std::string list = folder_ / "recorded";
  ASSERT_EQ(RunBench({"--use_existing_db", "--db=" + MakeDatabase({}), "--benchmarks=readmixed",
                      "--reads=3000", "--timed_reads=0", "--record_lookups=" + list})
                .status,
            0);
  const std::string text = ReadFile(list);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3'000);
  // Simulates a full disk.
  const ChildResult full =
      RunBench({"--num=5000", "--policies=none", "--reads=5000", "--record_lookups=/dev/full"});
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.errors, HasSubstr("can't write /dev/full: No space left on device"));
}

TEST_F(DbBenchExtWorkloadsTest, AListWithoutRoomForAbsentKeysCanBeReadAllTheSame) {
  WriteFile(folder_ / "keys", "alone\n");
  EXPECT_EQ(RunBench({"--keys=" + (folder_ / "keys"), "--benchmarks=readpresent", "--reads=10",
                      "--timed_reads=0", "--policies=none"})
                .status,
            0);
  const ChildResult absent =
      RunBench({"--keys=" + (folder_ / "keys"), "--benchmarks=readabsent", "--policies=none"});
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.errors, HasSubstr("give more keys"));
}

TEST_F(DbBenchExtWorkloadsTest, TheKeysValuesAndOptionsOfADatabaseAreTaken) {
  const std::string database =
      MakeDatabase({"--value_size=37", "--max_bytes_for_level_multiplier=7"});
  const json run = Run({"--from_db=" + database});
  EXPECT_EQ(run.at("keys"), 5000);
  EXPECT_EQ(run.at("value_size"), 37);
  EXPECT_EQ(run.at("keys_from"), database);
  EXPECT_EQ(run.at("settings").at("max_bytes_for_level_multiplier"), 7);
  EXPECT_THAT(run.at("notes").dump(), HasSubstr("Options without a flag are those of"));
  const json other =
      Run({"--from_db=" + database, "--value_size=5", "--max_bytes_for_level_multiplier=10"});
  EXPECT_EQ(other.at("value_size"), 5);
  EXPECT_EQ(other.at("settings").at("max_bytes_for_level_multiplier"), 10);
}

TEST_F(DbBenchExtWorkloadsTest, WhatHasNoMeaningIsRefused) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--lookups=/dev/null", "--zipf=1"}, "--zipf has no meaning for readlist alone"},
      {{"--record_lookups=/dev/null", "--benchmarks=seekrandom"}, "no meaning for seeks alone"},
      {{"--keys=/dev/null", "--num=5"}, "--num is of generated keys"},
      {{"--timed_reads=5", "--duration=1"}, "give one of them"},
      {{"--heat=hot"}, "--heat is 'hot', but has to be one of these: flat: all alike; mixgraph: "},
      {{"--heat=flat", "--keys=/dev/null"}, "asks ranges of generated keys"},
      {{"--heat=flat", "--num=999"}, "at least 1000 keys"},
      {{"--heat=flat", "--zipf=1"}, "--zipf has no meaning for readheat alone"},
      {{"--heat=flat", "--benchmarks=readabsent"}, "--heat has no meaning without readheat"},
      {{"--benchmarks=readheat", "--use_existing_db", "--db=/tmp"},
       "asks ranges of generated keys"},
      {{"--lookups_per_write=1"}, "--lookups_per_write has no meaning without readheat"},
      {{"--batch_size=4"}, "--batch_size has no meaning without multireadrandom"},
      {{"--seek_nexts=1"}, "without seekrandom"},
      {{"--writes=10"}, "without fillrandom or overwrite"},
      {{"--lookups=/dev/null", "--benchmarks=readrandom"}, "without readlist"},
      {{"--benchmarks=readlist"}, "--lookups=FILE"},
      {{"--scan_length=16"}, "without scanbehind, scanbetween or scanpresent"},
      {{"--scan_length=16,x", "--benchmarks=scanbehind"}, "--scan_length has 'x'"},
      {{"--scan_length=0", "--benchmarks=scanbehind"}, "--scan_length has '0'"},
      {{"--scan_length=7,7", "--benchmarks=scanbehind"}, "each only once"},
      {{"--key_shape=round"}, "--key_shape is 'round', but has to be one of these: numbers"},
      {{"--key_shape=paths", "--key_size=9"}, "--key_size is of the numbers"},
      {{"--key_shape=paths", "--keys=/dev/null"}, "--key_shape is of generated keys"},
      {{"--key_shape=paths", "--heat=flat"}, "asks ranges of generated keys"},
      {{"--benchmarks=scanbehind", "--use_existing_db", "--db=/tmp"}, "--from_db=FOLDER"},
      {{"--absent_lookups=0.1", "--benchmarks=readrandom"}, "without readmixed"},
      {{"--absent_lookups=1.1"}, "must be a number from 0 to 1"},
      {{"--keys=/dev/null", "--from_db=/tmp"}, "give one of them"},
      {{"--cache_size=1", "--cache_share=0.1"}, "give one of them"},
      {{"--use_existing_db", "--db=/tmp", "--benchmarks=fillseq,readrandom"}, "'fillseq' writes"}};
  for (const auto& [flags, why] : cases) {
    const ChildResult result = RunBench(flags);
    EXPECT_EQ(result.status, 2) << why;
    EXPECT_THAT(result.errors, HasSubstr(why));
  }
}

}  // namespace db_bench_ext_workloads_test
}  // namespace winnow::bench
