// End-to-end tests of the benchmark program.

#include <absl/strings/match.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/db_bench_ext/db_bench_ext_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/matches.h"
#include "tests/support/sanitized.h"

namespace winnow::bench {
namespace db_bench_ext_test {

using nlohmann::json;
using testing::ChildResult;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesThatBegin;
using ::testing::Not;
using ::testing::Pointwise;
using testing::ReadFile;
using testing::RunProgram;
using ::testing::SizeIs;
using testing::TemporaryFolder;

void ExpectCountsAddUp(const json& workload) {
  const bool present = workload.at("name") == "readpresent";
  const uint64_t lookups = workload.at("lookups");
  EXPECT_EQ(workload.at("found"), present ? lookups : 0);
  const uint64_t checks = workload.at("filter_checks");
  const uint64_t useful = workload.at("useful");
  const uint64_t wasted = workload.at("false_positive_block_reads");
  if (checks > 0) {
    EXPECT_EQ(useful + wasted + (present ? lookups : 0), checks);
  }
  EXPECT_DOUBLE_EQ(workload.at("false_positive_block_reads_per_lookup"),
                   static_cast<double>(wasted) / static_cast<double>(lookups));
  uint64_t checks_of_levels = 0, useful_of_levels = 0, wasted_of_levels = 0;
  for (const json& level : workload.at("levels")) {
    EXPECT_TRUE(level.at("level").is_number_integer());
    checks_of_levels += level.at("filter_checks").get<uint64_t>();
    useful_of_levels += level.at("useful").get<uint64_t>();
    wasted_of_levels += level.at("false_positive_block_reads").get<uint64_t>();
  }
  EXPECT_EQ(checks_of_levels, checks);
  EXPECT_EQ(useful_of_levels, useful);
  EXPECT_EQ(wasted_of_levels, wasted);
  for (const char* count :
       {"data_blocks_read", "bytes_read", "hashes", "hashes_shared", "p50_ns", "p99_ns"}) {
    EXPECT_TRUE(workload.at(count).is_number_unsigned()) << count;
  }
  EXPECT_EQ(workload.at("hashes").get<uint64_t>() + workload.at("hashes_shared").get<uint64_t>(),
            checks);
  EXPECT_GT(workload.at("ops_per_second").get<double>(), 0);
  const json& by_round = workload.at("ops_per_second_by_round");
  EXPECT_EQ(by_round.size(), workload.at("timed_rounds"));
  EXPECT_THAT(by_round, ::testing::Contains(workload.at("ops_per_second")));
}

void ExpectTreeAddsUp(const json& policy, uint64_t keys) {
  EXPECT_EQ(policy.at("keys"), keys);
  uint64_t keys_of_levels = 0, files_of_levels = 0, filter_bytes = 0, files_of_kinds = 0;
  for (const json& level : policy.at("tree")) {
    keys_of_levels += level.at("keys").get<uint64_t>();
    files_of_levels += level.at("files").get<uint64_t>();
    filter_bytes += level.at("filter_bytes").get<uint64_t>();
  }
  for (const auto& [kind, files] : policy.at("filters").items()) {
    files_of_kinds += files.get<uint64_t>();
  }
  EXPECT_EQ(keys_of_levels, keys);
  EXPECT_EQ(files_of_levels, policy.at("files"));
  EXPECT_EQ(files_of_kinds, policy.at("files"));
  EXPECT_EQ(filter_bytes, policy.at("filter_bytes"));
  EXPECT_DOUBLE_EQ(policy.at("filter_bits_per_key"),
                   8 * static_cast<double>(filter_bytes) / static_cast<double>(keys));
}

TEST(DbBenchExtTest, TheJsonHasWhatOthersRelyOnAndAddsUp) {
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench(Small({"--policies=none,bloomfilter:10,ribbonfilter:10,winnow:10",
                      "--json=" + (folder / "run.json"), "--summary=" + (folder / "short.txt")}));
  ASSERT_EQ(result.status, 0) << result.errors;
  const json document = json::parse(ReadFile(folder / "run.json"));
  EXPECT_EQ(document.at("schema"), "winnow.readamp/2");
  EXPECT_THAT(document.at("command").get<std::string>(), HasSubstr("--num=20000"));
  EXPECT_TRUE(document.at("rocksdb_version").is_string());
  EXPECT_TRUE(document.at("winnow_version").is_string());
  EXPECT_TRUE(document.at("machine").is_object());
  EXPECT_EQ(document.at("trees_agree"), true);

  const std::vector<std::string> asked = {"none", "bloomfilter:10", "ribbonfilter:10", "winnow:10"};
  const std::vector<std::string> names = {"", "bloomfilter", "ribbonfilter", "winnow.Filter"};
  const json& policies = document.at("policies");
  ASSERT_EQ(policies.size(), asked.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    SCOPED_TRACE(asked[i]);
    EXPECT_EQ(policies[i].at("policy"), asked[i]);
    EXPECT_EQ(policies[i].at("in_force"), names[i]);
    ExpectTreeAddsUp(policies[i], 20000);
    EXPECT_EQ(policies[i].at("filter_bytes") == 0, asked[i] == "none");
    ASSERT_EQ(policies[i].at("workloads").size(), 2u);
    for (const json& workload : policies[i].at("workloads")) ExpectCountsAddUp(workload);

    EXPECT_THAT(result.output, HasSubstr(asked[i]));
    EXPECT_THAT(ReadFile(folder / "short.txt"), HasSubstr(asked[i]));
  }
  // Progress lines appear if the run is slow.
  EXPECT_THAT(result.errors,
              ::testing::MatchesRegex("db_bench_ext: the run takes about [^\n]*\n"
                                      "(db_bench_ext: [^\n]* [0-9]+ %\n)*"
                                      "db_bench_ext: note: 100 % of the keys lie in files of fewer "
                                      "than 20000 keys [^\n]*\n"));
  EXPECT_THAT(result.output, HasSubstr("Note: 100 % of the keys lie in files of fewer than"));
}

TEST(DbBenchExtTest, WinnowMissesNoMoreThanTheBuiltInBloomOnAMillionChecks) {
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench({"--num=100000", "--reads=700000", "--timed_reads=0", "--benchmarks=readabsent",
                "--policies=bloomfilter:10,winnow:10", "--write_buffer_size=1000000",
                "--json=" + (folder / "run.json")});
  ASSERT_EQ(result.status, 0) << result.errors;
  const json document = json::parse(ReadFile(folder / "run.json"));
  const auto rate = [&](size_t i) {
    return document.at("policies")[i]
        .at("workloads")[0]
        .at("false_positives_per_filter_check")
        .get<double>();
  };
  ASSERT_GT(document.at("policies")[0].at("workloads")[0].at("filter_checks"), 1'000'000);
  // Ten thousand false positives each: the limit is three standard deviations above the guarantee.
  EXPECT_LT(rate(1), rate(0) * 1.075);
  EXPECT_LT(document.at("policies")[1].at("filter_bytes"),
            0.75 * document.at("policies")[0].at("filter_bytes").get<double>());
}

TEST(DbBenchExtTest, ThePeakOfBuildingIsThatOfOneLargeFilter) {
  WINNOW_SKIP_IF_SANITIZED();
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench({"--num=400000", "--value_size=8", "--reads=1000", "--timed_reads=0",
                "--write_buffer_size=20000000",
                "--policies=none,bloomfilter:10,{id=winnow;ribbon_min_keys=0}",
                "--json=" + (folder / "run.json")});
  ASSERT_EQ(result.status, 0) << result.errors;
  const json policies = json::parse(ReadFile(folder / "run.json")).at("policies");
  EXPECT_TRUE(policies[0].at("build_peak_bytes").is_null());
  for (const size_t i : {1, 2}) {
    // Lower bound: the hash of each key, and the filter. Upper bound: two copies of the hashes, and
    // tables.
    const double keys = policies[i].at("build_peak_keys");
    EXPECT_EQ(keys, 1'000'000) << "more than any file has";
    EXPECT_GT(policies[i].at("build_peak_bytes"), 8 * keys);
    EXPECT_LT(policies[i].at("build_peak_bytes"), 80 * keys);
  }
  EXPECT_THAT(result.output, HasSubstr("building one for 1000000 keys takes "));
}

TEST(DbBenchExtTest, RunsWithTheSameSeedCountTheSame) {
  const TemporaryFolder folder;
  std::vector<json> runs;
  std::vector<std::vector<double>> loaded_bytes;
  for (const char* name : {"a", "b"}) {
    loaded_bytes.emplace_back();
    const ChildResult result =
        RunBench(Small({"--policies=winnow:10", "--json=" + (folder / name)}));
    ASSERT_EQ(result.status, 0) << result.errors;
    json policy = json::parse(ReadFile(folder / name)).at("policies")[0];
    policy.erase("load_seconds");
    policy.erase("build_ns_per_key");
    policy.erase("build_peak_bytes");
    for (json& workload : policy.at("workloads")) {
      for (const char* time :
           {"ops_per_second", "ops_per_second_by_round", "p50_ns", "p99_ns", "percentiles"}) {
        workload.erase(time);
      }
      // RocksDB counts malloc's usable size of a block, which varies by 16 bytes.
      for (json& kind : workload.at("block_cache")) {
        loaded_bytes.back().push_back(kind.at("bytes_added"));
        kind.erase("bytes_added");
        kind.erase("bytes_added_per_lookup");
      }
    }
    runs.push_back(policy);
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_THAT(loaded_bytes[0], Pointwise(DoubleNear(4096), loaded_bytes[1]));
}

TEST(DbBenchExtTest, KeysOfAFileAreLoadedOnceAndMissedNearly) {
  const TemporaryFolder folder;
  {
    std::ofstream keys(folder / "keys");
    for (int i = 0; i < 20000; ++i) keys << "etc/folder" << i % 100 << "/file" << i << "\n";
    keys << "etc/folder0/file0\n";
  }
  const ChildResult result =
      RunBench({"--reads=20000", "--timed_reads=5000", "--write_buffer_size=200000",
                "--keys=" + (folder / "keys"), "--policies=bloomfilter:10",
                "--json=" + (folder / "run.json")});
  ASSERT_EQ(result.status, 0) << result.errors;
  const json document = json::parse(ReadFile(folder / "run.json"));
  EXPECT_EQ(document.at("duplicates_dropped"), 1);
  ExpectTreeAddsUp(document.at("policies")[0], 20000);
  for (const json& workload : document.at("policies")[0].at("workloads")) {
    ExpectCountsAddUp(workload);
  }
}

TEST(DbBenchExtTest, SkewedLookupsReadFewerBlocksFromFilesAndSayHowTheyAreDrawn) {
  const TemporaryFolder folder;
  std::vector<uint64_t> reads;
  for (const char* zipf : {"0", "1.2"}) {
    const ChildResult result = RunBench(
        Small({"--policies=bloomfilter:10", "--timed_reads=0", "--cache_size=500000",
               "--zipf=" + std::string(zipf), "--seed=77", "--json=" + (folder / "run.json")}));
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("seed 77"));
    EXPECT_THAT(result.output, HasSubstr(*zipf == '0' ? "lookups: uniform" : "exponent 1.2"));
    const json document = json::parse(ReadFile(folder / "run.json"));
    EXPECT_THAT(document.at("lookups_drawn").get<std::string>(), HasSubstr("odd numbers"));
    for (const json& workload : document.at("policies")[0].at("workloads")) {
      if (workload.at("name") != "readpresent") continue;
      EXPECT_EQ(workload.at("found"), 20000);
      reads.push_back(workload.at("data_blocks_read"));
    }
  }
  ASSERT_EQ(reads.size(), 2u);
  EXPECT_LT(10 * reads[1], 7 * reads[0]);
}

TEST(DbBenchExtTest, KeysAreReadAsHexadecimalDigitsAndWhatIsNoPartOfThemIsSaid) {
  const TemporaryFolder folder;
  {
    std::ofstream keys(folder / "keys", std::ios::binary);
    // Every second key contains a line feed, and all lines end with CRLF.
    for (int i = 0; i < 5000; ++i) {
      keys << absl::StrFormat("%08x%s\r\n", i * 3, i % 2 == 0 ? "0a61" : "");
    }
  }
  const ChildResult result =
      RunBench({"--reads=20000", "--timed_reads=5000", "--write_buffer_size=200000",
                "--keys=" + (folder / "keys"), "--key_format=hex", "--policies=bloomfilter:10",
                "--json=" + (folder / "run.json")});
  ASSERT_EQ(result.status, 0) << result.errors;
  const json document = json::parse(ReadFile(folder / "run.json"));
  EXPECT_EQ(document.at("keys"), 5000);
  EXPECT_EQ(document.at("key_bytes"), 2500 * (6 + 4));
  EXPECT_THAT(result.errors, HasSubstr("the carriage returns at the end of 5000 lines"));
}

TEST(DbBenchExtTest, PartitionedFiltersAreCountedAsWell) {
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench(Small({"--partition_index_and_filters", "--policies=bloomfilter:10,winnow:10",
                      "--json=" + (folder / "run.json")}));
  ASSERT_EQ(result.status, 0) << result.errors;
  const json document = json::parse(ReadFile(folder / "run.json"));
  for (const json& policy : document.at("policies")) {
    ExpectTreeAddsUp(policy, 20000);
    for (const json& workload : policy.at("workloads")) ExpectCountsAddUp(workload);
  }
}

TEST(DbBenchExtTest, APolicyThatRocksDBWouldDropIsRefusedBeforeAnythingIsPrinted) {
  for (const char* policies :
       {"none,winow:10", "winnow:ten", "winnow:0.5", "bloomfilter:10,,none"}) {
    const ChildResult result = RunBench(Small({"--policies=" + std::string(policies)}));
    EXPECT_NE(result.status, 0) << policies;
    EXPECT_THAT(result.output, IsEmpty()) << policies;
    EXPECT_THAT(result.errors, HasSubstr("db_bench_ext: ")) << policies;
  }
}

TEST(DbBenchExtTest, APolicyThatBuildsNothingIsRefusedBeforeAnythingIsPrinted) {
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench(Small({"--policies=none,bloomfilter:0", "--db=" + (folder / "db"),
                      "--json=" + (folder / "run.json")}));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors, HasSubstr("'bloomfilter:0' is not in force"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "db"));
}

TEST(DbBenchExtTest, APolicyThatIsNotTheOneItIsCalledIsRefusedBeforeAnythingIsPrinted) {
  WINNOW_SKIP_IF_SANITIZED();
  if (std::string_view(WINNOW_PRELOAD).empty()) {
    GTEST_SKIP() << "skipped: this build has no interposer";
  }
  const ChildResult result = RunBench(Small({"--policies=bloomfilter:10"}),
                                      {"LD_PRELOAD=" WINNOW_PRELOAD, "WINNOW_POLICY=winnow:10"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors, HasSubstr("'bloomfilter:10' is not in force"));
  EXPECT_THAT(result.errors, HasSubstr("of kind winnow-"));
}

TEST(DbBenchExtTest, WrongUsageIsAnErrorThatSaysWhatIsRight) {
  const TemporaryFolder folder;
  const std::string nowhere = folder / "nowhere";
  const std::pair<std::string, std::string> cases[] = {
      {"--reads=0", "--reads is 0, but must be a whole number from 1 to"},
      {"--timed_rounds=0", "--timed_rounds is 0, but must be a whole number from 1 to 1000"},
      {"--benchmarks=fillseq", "nothing is looked up"},
      {"--benchmarks=readseq", "there is no 'readseq', but filluniquerandom, fillseq"},
      {"--compression_type=gzip", "lz4"},
      {"--keys=" + nowhere, "No such file"},
      {"--keys=/dev/null", "has no keys"},
      {"--zipf=-0.5", "--zipf is -0.5, but must be a number from 0 to 10"},
      {"--key_format=base64", "those of --key_format are line, hex"},
      {"--json=" + nowhere + "/run.json", "can't write"},
      {"--html=" + nowhere + "/run.html", "can't write"},
      {"--format_version=99", "from 2 to 5"},
      {"--growth=fast", "--growth is 'fast', but has to be planned or rocksdb"},
      {"--compaction_style=1", "give --growth=rocksdb"},
      {"--compaction_style=3 --growth=rocksdb",
       "--compaction_style is 3, but must be a whole number from 0 to 2"},
      {"--disable_auto_compactions", "give --growth=rocksdb for a backlog"},
      {"--level0_files=3 --growth=rocksdb", "--level0_files is of --growth=planned"},
      {"--level0_files=-1", "from 0 to 1000"},
      {"--nowhole_key_filtering", "give a --prefix_size"},
      {"--partition_index_and_filters --cache_size=0", "needs a block cache"},
      {"--options_file=" + nowhere, nowhere},
      {"keys.lz4", "'keys.lz4' is no flag"},
      {"--nonsense", "there is no flag --nonsense (see --help)"},
      {"--polices=none", "there is no flag --polices; did you mean --policies?"},
      {"--nokep", "there is no flag --nokep (see --help)"},
      {"--reads", "the flag --reads needs a value"},
      {"--benchmarks=readradnom", "there is no 'readradnom'; did you mean readrandom? There are"},
      {"--policies=winow:10", "did you mean winnow?"},
  };
  for (const auto& [flag, says] : cases) {
    // The file is read when the work begins.
    const bool is_list = absl::StartsWith(flag, "--keys=");
    const ChildResult result =
        RunBench(is_list ? std::vector<std::string>{flag} : Small(absl::StrSplit(flag, ' ')));
    EXPECT_EQ(result.status, is_list ? 1 : 2) << flag;
    EXPECT_THAT(result.output, IsEmpty()) << flag;
    EXPECT_THAT(result.errors, HasSubstr(says)) << flag;
  }
}

// A flag of an earlier version is refused by a sentence that says what to do instead.
TEST(DbBenchExtTest, AFlagThatEndedSaysWhatToDoInstead) {
  const std::pair<const char*, const char*> cases[] = {
      {"--benchmark_write_rate_limit=1",
       "the flag --benchmark_write_rate_limit ended with 2.0: RocksDB's db_bench has"},
      {"--cache_sweep=1%,5%", "the flag --cache_sweep ended with 2.0: run the program once for"},
      {"--cache_sweep 5%", "the flag --cache_sweep ended with 2.0: run the program once for"},
      {"--cache_sweep_reads=900", "the flag --cache_sweep_reads ended with 2.0: a run with one"},
      {"--frontier=6,8", "the flag --frontier ended with 2.0: name each policy with each number"},
      {"--max_block_read_ratio=1",
       "the flag --max_block_read_ratio ended with 2.0: compare data_blocks_accessed_per_lookup"},
      {"--max_false_positive_ratio=1",
       "the flag --max_false_positive_ratio ended with 2.0: compare "
       "false_positives_per_filter_check"},
      {"--max_filter_memory_ratio=1",
       "the flag --max_filter_memory_ratio ended with 2.0: filter_bytes_to_reference in the file"},
  };
  for (const auto& [flag, says] : cases) {
    const ChildResult result = RunBench(Small(absl::StrSplit(flag, ' ')));
    EXPECT_EQ(result.status, 2) << flag;
    EXPECT_THAT(result.output, IsEmpty()) << flag;
    EXPECT_THAT(result.errors, HasSubstr(says)) << flag;
  }
}

// Tests every flag with a numeric default in --help.
TEST(DbBenchExtTest, ANumberOutOfItsRangeIsAnsweredByTheRangeOnce) {
  const std::regex numeric("\n  --([a-z0-9_]+)=-?[0-9][0-9.e+]*\n");
  const std::regex range("from [-+.0-9e]+ to [-+.0-9e]+");
  const std::string help = RunBench({"--help"}).output;
  const std::vector<std::string> flags = testing::AllMatches(help, numeric, 1);
  for (const std::string& name : flags) {
    if (name == "scan_length") continue;  // a list
    const std::string flag = "--" + name;
    for (const char* value : {"1e30", "-1e30", "99999999999999999999", "x", "nan", ""}) {
      const ChildResult result = RunBench({flag + "=" + value});
      EXPECT_EQ(result.status, 2) << flag << "=" << value;
      EXPECT_THAT(result.errors,
                  HasSubstr(flag + " is " + (*value == 0 ? "empty" : value) + ", but must be a "));
      EXPECT_THAT(result.errors, Not(HasSubstr("ERROR"))) << flag;
      EXPECT_THAT(testing::AllMatches(result.errors, range), SizeIs(1)) << result.errors;
    }
  }
  EXPECT_GT(flags.size(), 25u);
}

TEST(DbBenchExtTest, HelpIsNoWiderThanATerminal) {
  for (const std::string& line : LinesThatBegin(RunBench({"--help"}).output, "")) {
    EXPECT_LE(line.size(), 92u) << line;
  }
}

TEST(DbBenchExtTest, TreesThatRocksDBGrowsAreCountedInEveryStyle) {
  const TemporaryFolder folder;
  for (const char* flag :
       {"--compaction_style=0", "--compaction_style=1", "--compaction_style=2",
        "--disable_auto_compactions", "--level_compaction_dynamic_level_bytes"}) {
    SCOPED_TRACE(flag);
    const ChildResult result =
        RunBench(Small({"--growth=rocksdb", flag, "--policies=bloomfilter:10,winnow:10",
                        "--timed_reads=0", "--json=" + (folder / "run.json")}));
    ASSERT_EQ(result.status, 0) << result.errors;
    const json document = json::parse(ReadFile(folder / "run.json"));
    for (const json& policy : document.at("policies")) {
      ExpectTreeAddsUp(policy, 20000);
      for (const json& workload : policy.at("workloads")) {
        EXPECT_GT(workload.at("files_considered_per_lookup"), 0);
        EXPECT_GT(workload.at("filter_checks"), 0);
      }
    }
    if (document.at("trees_agree") == false) {
      EXPECT_THAT(result.output, HasSubstr("nothing is said of who is better"));
      EXPECT_THAT(result.output, Not(HasSubstr("times the filter memory")));
    }
  }
}

TEST(DbBenchExtTest, ThePolicyIsProvedToBeInForceInRocksDBsTreesToo) {
  for (const char* policies : {"none,winow:10", "none,bloomfilter:0"}) {
    const ChildResult result =
        RunBench(Small({"--growth=rocksdb", "--policies=" + std::string(policies)}));
    EXPECT_NE(result.status, 0) << policies;
    EXPECT_THAT(result.output, IsEmpty()) << policies;
    EXPECT_THAT(result.errors, HasSubstr("db_bench_ext: ")) << policies;
  }
}

TEST(DbBenchExtTest, OptionsOfAFileHoldUnlessAFlagIsGiven) {
  const TemporaryFolder folder;
  std::ofstream(folder / "options.ini")
      << "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
         "[CFOptions \"default\"]\n  write_buffer_size=100000\n  target_file_size_base=50000\n"
         "  max_bytes_for_level_base=300000\n  compression=kNoCompression\n"
         "[TableOptions/BlockBasedTable \"default\"]\n  block_size=8192\n"
         "  filter_policy=ribbonfilter:7\n";
  const ChildResult result =
      RunBench({"--num=20000", "--reads=2000", "--timed_reads=0", "--policies=bloomfilter:10",
                "--options_file=" + (folder / "options.ini"), "--write_buffer_size=200000",
                "--json=" + (folder / "run.json")});
  ASSERT_EQ(result.status, 0) << result.errors;
  for (const std::string& text : {result.errors, result.output}) {
    EXPECT_THAT(text, HasSubstr("--write_buffer_size=200000 wins over 100000 in " +
                                (folder / "options.ini")));
    EXPECT_THAT(text, HasSubstr("'ribbonfilter:7', is replaced by those of --policies"));
    EXPECT_THAT(text, Not(HasSubstr("--target_file_size_base=0"))) << "it was not given";
  }
  const json policy = json::parse(ReadFile(folder / "run.json")).at("policies")[0];
  EXPECT_EQ(policy.at("in_force"), "bloomfilter");
  ExpectTreeAddsUp(policy, 20000);
  EXPECT_GT(policy.at("files"), 30) << "of 50,000 bytes";
  EXPECT_GT(policy.at("file_bytes"), 20000 * 110) << "not compressed";

  // Given flags override the file even if they equal the defaults.
  const ChildResult given =
      RunBench({"--num=20000", "--reads=2000", "--timed_reads=0", "--policies=bloomfilter:10",
                "--options_file=" + (folder / "options.ini"), "--block_size", "4096",
                "--compression_type=lz4", "--plan"});
  ASSERT_EQ(given.status, 0) << given.errors;
  EXPECT_THAT(given.output, HasSubstr("--block_size=4096 wins over 8192"));
  EXPECT_THAT(given.output, HasSubstr("--compression_type=lz4 wins over none"));
}

TEST(DbBenchExtTest, FiltersThatTheOptionsLeaveOutAreNoFault) {
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench(Small({"--optimize_filters_for_hits", "--policies=bloomfilter:10,winnow:10",
                      "--timed_reads=0", "--json=" + (folder / "run.json")}));
  ASSERT_EQ(result.status, 0) << result.errors;
  for (const json& policy : json::parse(ReadFile(folder / "run.json")).at("policies")) {
    EXPECT_GT(policy.at("filters").at("none"), 0);
    EXPECT_EQ(policy.at("tree").back().at("filter_bytes"), 0);
    EXPECT_GT(policy.at("tree").front().at("filter_bytes"), 0);
  }
}

// Returns names, sizes, times and checksums of all files in a folder.
std::string Everything(const std::string& folder) {
  return RunProgram({"sh", "-c",
                     "cd \"$1\" && find . -printf '%p %s %T@ ' -type f -exec sha256sum {} ';' -o "
                     "-printf '\\n' | sort",
                     "sh", folder})
      .output;
}

TEST(DbBenchExtTest, AnExistingDatabaseIsMeasuredAsItIsAndNotTouched) {
  const std::pair<const char*, const char*> cases[] = {
      {"bloomfilter:10", "builtin-bloom"},
      {"ribbonfilter:10:-1", "builtin-ribbon"},
      {"{id=winnow;ribbon_min_keys=0;level_plan=uniform}", "winnow-ribbon"},
      {"none", "none"}};
  for (const auto& [policy, kind] : cases) {
    SCOPED_TRACE(policy);
    const TemporaryFolder folder;
    const ChildResult made =
        RunBench(Small({"--keep", "--timed_reads=0", "--db=" + (folder / "made"),
                        "--policies=" + std::string(policy), "--json=" + (folder / "made.json")}));
    ASSERT_EQ(made.status, 0) << made.errors;
    std::string database;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "made")) {
      database = entry.path().string();
    }
    const std::string before = Everything(database);
    EXPECT_THAT(before, HasSubstr("CURRENT"));
    const ChildResult result = RunBench(
        {"--use_existing_db", "--db=" + database, "--reads=20000", "--timed_reads=1000",
         "--timed_rounds=1", "--json=" + (folder / "run.json"), "--html=" + (folder / "run.html")});
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(Everything(database), before);
    const std::string page = ReadFile(folder / "run.html");
    EXPECT_THAT(page, HasSubstr("<title>Read amplification of " + database + "</title>"));
    EXPECT_THAT(page, HasSubstr("<h1>The database "));
    const json was = json::parse(ReadFile(folder / "made.json")).at("policies")[0];
    const json is = json::parse(ReadFile(folder / "run.json")).at("policies")[0];
    EXPECT_EQ(is.at("policy"), "as it is");
    for (const char* same : {"keys", "files", "filter_bytes", "filters"}) {
      EXPECT_EQ(is.at(same), was.at(same)) << same;
    }
    EXPECT_TRUE(is.at("filters").contains(kind));
    const json& absent = is.at("workloads")[0];
    EXPECT_EQ(absent.at("found"), 0);
    if (std::string_view(kind) != "none") {
      EXPECT_NEAR(absent.at("false_positives_per_filter_check").get<double>(), 0.0096, 0.004);
      EXPECT_GE(absent.at("filter_checks"), 20000);
    }
    EXPECT_EQ(is.at("workloads")[1].at("found"), 20000);

    EXPECT_EQ(RunBench({"--db=" + database, "--num=1000"}).status, 2) << "it would be written to";
    EXPECT_EQ(RunBench({"--db=" + database, "--use_existing_db", "--policies=winnow:10"}).status,
              2);
    EXPECT_EQ(Everything(database), before);
  }
  const ChildResult nowhere = RunBench({"--use_existing_db", "--db=/nowhere"});
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.errors, HasSubstr("there is no database in '/nowhere'"));
}

TEST(DbBenchExtTest, PrefixesAreFilteredAndCounted) {
  const TemporaryFolder folder;
  const ChildResult result =
      RunBench(Small({"--prefix_size=8", "--nowhole_key_filtering", "--timed_reads=0",
                      "--policies=bloomfilter:10,winnow:10", "--json=" + (folder / "run.json")}));
  ASSERT_EQ(result.status, 0) << result.errors;
  for (const json& policy : json::parse(ReadFile(folder / "run.json")).at("policies")) {
    for (const json& workload : policy.at("workloads")) {
      EXPECT_GT(workload.at("filter_checks"), 0);
    }
  }
}

TEST(DbBenchExtTest, APlanIsPrintedAndNothingIsDone) {
  const TemporaryFolder folder;
  const ChildResult result = RunBench(
      {"--plan", "--num=4000000000", "--db=" + (folder / "db"), "--json=" + (folder / "run.json"),
       "--policies=none,winnow:10", "--level_compaction_dynamic_level_bytes"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, ::testing::StartsWith("db_bench_ext: the run takes about "));
  EXPECT_THAT(result.output, HasSubstr(" of disk in " + (folder / "db")));
  EXPECT_FALSE(std::filesystem::exists(folder / "db"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run.json"));
}

TEST(DbBenchExtTest, ARunWithoutRoomIsRefusedBeforeAnyWork) {
  const TemporaryFolder folder;
  // The data would take four petabytes.
  const ChildResult result = RunBench(
      {"--num=4000000000", "--value_size=1000000", "--db=" + (folder / "db"), "--policies=none"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors, ::testing::StartsWith("db_bench_ext: the run needs about "));
  EXPECT_FALSE(std::filesystem::exists(folder / "db"));
}

// A run that would take minutes gets the signal once its databases exist.
TEST(DbBenchExtTest, ASignalEndsTheRunWithItsStatusAndLeavesNothing) {
  const std::pair<const char*, int> cases[] = {
      {"INT", 128 + SIGINT}, {"TERM", 128 + SIGTERM}, {"HUP", 128 + SIGHUP}};
  for (const auto& [signal, status] : cases) {
    const TemporaryFolder folder;
    const ChildResult result = RunProgram(
        {"sh", "-c",
         "(while ! test -e \"$1/db/1-none/CURRENT\"; do sleep 0.05; done; kill -s \"$2\" $$) & "
         "exec \"$0\" --num=3000000 --policies=none --db=\"$1/db\" --json=\"$1/run.json\"",
         WINNOW_DB_BENCH_EXT, folder.path(), signal});
    EXPECT_EQ(result.status, status) << signal;
    EXPECT_THAT(result.output, IsEmpty()) << signal;
    EXPECT_THAT(result.errors, HasSubstr("db_bench_ext: interrupted")) << signal;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << signal;
  }
}

TEST(DbBenchExtTest, AReportThatCanNotBePrintedIsAnErrorAndItsFilesAreThere) {
  const TemporaryFolder folder;
  const ChildResult result = RunProgram(
      {"sh", "-c",
       "\"$0\" --num=20000 --write_buffer_size=200000 --timed_reads=0 --policies=bloomfilter:10 "
       "--json=\"$1/run.json\" > /dev/full",
       WINNOW_DB_BENCH_EXT, folder.path()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("can't write to standard output: No space left"));
  EXPECT_EQ(json::parse(ReadFile(folder / "run.json")).at("keys"), 20000);
  EXPECT_EQ(RunProgram({"sh", "-c", "\"$0\" --help > /dev/full", WINNOW_DB_BENCH_EXT}).status, 1);
}

TEST(DbBenchExtTest, HelpNamesTheFlagsAndIsNoError) {
  const ChildResult result = RunBench({"--help"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("--policies"));
  EXPECT_THAT(result.output, HasSubstr("--keys"));
  EXPECT_THAT(result.output, HasSubstr("The tree and its databases:\n\n  --block_size=4096"));
  EXPECT_THAT(result.output, HasSubstr("\nReports:\n\n  --html\n"));
}

TEST(DbBenchExtTest, TheManualPageAndTheCompletionKnowEveryFlag) {
  const ChildResult man = RunBench({"--man"});
  const ChildResult completion = RunBench({"--completion"});
  EXPECT_EQ(man.status, 0);
  EXPECT_EQ(completion.status, 0);
  const std::vector<std::string> flags = LinesThatBegin(RunBench({"--help"}).output, "  --");
  EXPECT_GT(flags.size(), 40u);
  for (const std::string& flag : flags) {
    std::string name = flag.substr(2, flag.find('=') - 2);
    EXPECT_THAT(completion.output, HasSubstr(" " + name)) << flag;
    name.replace(0, 2, "\\-\\-");
    EXPECT_THAT(man.output, HasSubstr("\\fB" + name)) << flag;
  }
  const TemporaryFolder folder;
  testing::WriteFile(folder / "page", man.output);
  testing::WriteFile(folder / "completion", completion.output);
  const ChildResult completed = RunProgram(
      {"bash", "-c",
       "source \"$0/completion\"; COMP_WORDS=(db_bench_ext --use_e); COMP_CWORD=1; "
       "_db_bench_ext; echo ${COMPREPLY[*]}; COMP_WORDS=(db_bench_ext --polic); _db_bench_ext; "
       "echo ${COMPREPLY[*]}",
       folder.path()});
  EXPECT_EQ(completed.output, "--use_existing_db\n--policies=\n") << completed.errors;
  if (RunProgram({"sh", "-c", "command -v groff"}).status != 0) return;
  const ChildResult page =
      RunProgram({"groff", "-ww", "-k", "-man", "-Tutf8", "-P-cbou", folder / "page"});
  EXPECT_EQ(page.status, 0);
  EXPECT_EQ(page.errors, "");
  EXPECT_THAT(page.output, HasSubstr("db_bench_ext --from_db=FOLDER"));
}

TEST(DbBenchExtTest, TheCommandOfTheJsonCanBeRunAgain) {
  const TemporaryFolder folder;
  const std::string folder_with_space = folder / "a b";
  const ChildResult result =
      RunBench(Small({"--policies=none,{id=winnow;bits_per_key=10}", "--timed_reads=0",
                      "--json=" + (folder / "run.json"), "--db=" + folder_with_space}));
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_with_space));
  const std::string command = json::parse(ReadFile(folder / "run.json")).at("command");
  EXPECT_THAT(command, HasSubstr("'--policies=none,{id=winnow;bits_per_key=10}'"));
  std::filesystem::remove(folder / "run.json");
  const ChildResult again = RunProgram({"bash", "-c", command});
  ASSERT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(json::parse(ReadFile(folder / "run.json")).at("command"), command);
}

TEST(DbBenchExtTest, DatabasesAreKeptOnlyIfAskedForAndOthersAreNotTouched) {
  const TemporaryFolder folder;
  std::ofstream(folder / "mine") << "text";
  const std::vector<std::string> flags =
      Small({"--policies=bloomfilter:10", "--db=" + folder.path(), "--keep"});
  const ChildResult kept = RunBench(flags);
  ASSERT_EQ(kept.status, 0) << kept.errors;
  EXPECT_TRUE(std::filesystem::exists(folder / "1-bloomfilter_10/CURRENT"));
  EXPECT_THAT(kept.errors, HasSubstr(folder.path()));

  const ChildResult again = RunBench(flags);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.errors, HasSubstr("there already"));
  EXPECT_TRUE(std::filesystem::exists(folder / "1-bloomfilter_10/CURRENT"));
  EXPECT_TRUE(std::filesystem::exists(folder / "mine"));
}

}  // namespace db_bench_ext_test
}  // namespace winnow::bench
