// End-to-end tests of the benchmark program.

#include <absl/strings/match.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
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
using testing::WriteFile;

using DbBenchExtTest = BenchProgramTest;

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
    checks_of_levels += level.at("filter_checks").get<uint64_t>();
    useful_of_levels += level.at("useful").get<uint64_t>();
    wasted_of_levels += level.at("false_positive_block_reads").get<uint64_t>();
  }
  EXPECT_EQ(checks_of_levels, checks);
  EXPECT_EQ(useful_of_levels, useful);
  EXPECT_EQ(wasted_of_levels, wasted);
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

void ExpectRunAddsUp(const json& run, uint64_t keys) {
  for (const json& policy : run.at("policies")) {
    ExpectTreeAddsUp(policy, keys);
    for (const json& workload : policy.at("workloads")) ExpectCountsAddUp(workload);
  }
}

TEST_F(DbBenchExtTest, TheJsonHasWhatOthersRelyOnAndAddsUp) {
  const json document = Run(Small({"--policies=none,bloomfilter:10,ribbonfilter:10,winnow:10",
                                   "--summary=" + (folder_ / "short.txt")}));
  EXPECT_THAT(document.at("command").get<std::string>(), HasSubstr("--num=20000"));
  EXPECT_EQ(document.at("trees_agree"), true);
  ExpectRunAddsUp(document, 20000);
  const std::vector<std::string> asked = {"none", "bloomfilter:10", "ribbonfilter:10", "winnow:10"};
  const std::vector<std::string> names = {"", "bloomfilter", "ribbonfilter", "winnow.Filter"};
  const json& policies = document.at("policies");
  ASSERT_EQ(policies.size(), asked.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    SCOPED_TRACE(asked[i]);
    EXPECT_EQ(policies[i].at("policy"), asked[i]);
    EXPECT_EQ(policies[i].at("in_force"), names[i]);
    EXPECT_EQ(policies[i].at("filter_bytes") == 0, asked[i] == "none");
    EXPECT_EQ(policies[i].at("workloads").size(), 2u);
    EXPECT_THAT(ran_.output, HasSubstr(asked[i]));
    EXPECT_THAT(ReadFile(folder_ / "short.txt"), HasSubstr(asked[i]));
  }
  EXPECT_THAT(ran_.output, HasSubstr("Note: 100 % of the keys lie in files of fewer than"));
}

TEST_F(DbBenchExtTest, WinnowMissesNoMoreThanTheBuiltInBloomOnAMillionChecks) {
  const json policies =
      Run({"--num=100000", "--reads=700000", "--timed_reads=0", "--benchmarks=readabsent",
           "--policies=bloomfilter:10,winnow:10", "--write_buffer_size=1000000"})
          .at("policies");
  const auto rate = [&](size_t i) {
    return policies[i].at("workloads")[0].at("false_positives_per_filter_check").get<double>();
  };
  ASSERT_GT(policies[0].at("workloads")[0].at("filter_checks"), 1'000'000);
  // Ten thousand false positives each: the limit is three standard deviations above the guarantee.
  EXPECT_LT(rate(1), rate(0) * 1.075);
  EXPECT_LT(policies[1].at("filter_bytes"), 0.75 * policies[0].at("filter_bytes").get<double>());
}

TEST_F(DbBenchExtTest, RunsWithTheSameSeedCountTheSame) {
  std::vector<json> runs;
  std::vector<std::vector<double>> loaded_bytes;
  for (int i = 0; i < 2; ++i) {
    loaded_bytes.emplace_back();
    json policy = Run(Small({"--policies=winnow:10"})).at("policies")[0];
    for (const char* measured : {"load_seconds", "build_ns_per_key"}) {
      policy.erase(measured);
    }
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

TEST_F(DbBenchExtTest, SkewedLookupsReadFewerBlocksFromFilesAndSayHowTheyAreDrawn) {
  std::vector<uint64_t> reads;
  for (const char* zipf : {"0", "1.2"}) {
    const json document =
        Run(Small({"--policies=bloomfilter:10", "--timed_reads=0", "--cache_size=500000",
                   "--benchmarks=readpresent", "--zipf=" + std::string(zipf), "--seed=77"}));
    EXPECT_THAT(ran_.output, HasSubstr("seed 77"));
    EXPECT_THAT(ran_.output, HasSubstr(*zipf == '0' ? "lookups: uniform" : "exponent 1.2"));
    const json& workload = document.at("policies")[0].at("workloads")[0];
    EXPECT_EQ(workload.at("found"), 20000);
    reads.push_back(workload.at("data_blocks_read"));
  }
  EXPECT_LT(10 * reads[1], 7 * reads[0]);
}

TEST_F(DbBenchExtTest, KeysOfAFileAreLoadedOnceAndMissedNearly) {
  const std::vector<std::string> flags = {"--reads=20000", "--timed_reads=5000",
                                          "--write_buffer_size=200000", "--policies=bloomfilter:10",
                                          "--keys=" + (folder_ / "keys")};
  std::string keys = "etc/folder0/file0\n";
  for (int i = 0; i < 20000; ++i) keys += absl::StrFormat("etc/folder%d/file%d\n", i % 100, i);
  WriteFile(folder_ / "keys", keys);
  const json document = Run(flags);
  EXPECT_EQ(document.at("duplicates_dropped"), 1);
  ExpectRunAddsUp(document, 20000);

  // Hexadecimal digits: every second key contains a line feed, and all lines end with CRLF.
  keys.clear();
  for (int i = 0; i < 5000; ++i) {
    keys += absl::StrFormat("%08x%s\r\n", i * 3, i % 2 == 0 ? "0a61" : "");
  }
  WriteFile(folder_ / "keys", keys);
  std::vector<std::string> hex_flags = flags;
  hex_flags.emplace_back("--key_format=hex");
  const json of_hex = Run(hex_flags);
  EXPECT_EQ(of_hex.at("keys"), 5000);
  EXPECT_EQ(of_hex.at("key_bytes"), 2500 * (6 + 4));
  EXPECT_THAT(ran_.errors, HasSubstr("the carriage returns at the end of 5000 lines"));
}

// Returns flags of an OPTIONS file with these lines, in place of which Small() has sizes.
std::vector<std::string> WithOptions(const std::string& file, const std::string& of_family,
                                     const std::string& of_table) {
  WriteFile(file,
            "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
            "[CFOptions \"default\"]\n" +
                of_family + "[TableOptions/BlockBasedTable \"default\"]\n" + of_table);
  return {"--options_file=" + file,    "--write_buffer_size=0",
          "--target_file_size_base=0", "--max_bytes_for_level_base=0",
          "--timed_reads=0",           "--policies=bloomfilter:10,winnow:10"};
}

TEST_F(DbBenchExtTest, PartitionsAndPrefixesAreCountedAsWell) {
  ExpectRunAddsUp(
      Run(Small({"--partition_index_and_filters", "--policies=bloomfilter:10,winnow:10"})), 20000);
  std::vector<std::string> flags =
      WithOptions(folder_ / "options.ini", "", "  whole_key_filtering=false\n");
  flags.emplace_back("--prefix_size=8");
  const json run = Run(Small(flags));
  for (const json& policy : run.at("policies")) {
    for (const json& workload : policy.at("workloads")) EXPECT_GT(workload.at("filter_checks"), 0);
  }
}

// RocksDB would drop some of these policies, and the last one builds nothing.
TEST_F(DbBenchExtTest, APolicyThatIsNotInForceIsRefusedBeforeAnythingIsPrinted) {
  for (const char* growth : {"planned", "rocksdb"}) {
    for (const char* policies :
         {"none,winow:10", "winnow:ten", "winnow:0.5", "bloomfilter:10,,none", "bloomfilter:0"}) {
      const ChildResult result =
          RunBench(Small({"--growth=" + std::string(growth), "--policies=" + std::string(policies),
                          "--json=" + json_, "--db=" + (folder_ / "db")}));
      EXPECT_NE(result.status, 0) << policies;
      EXPECT_THAT(result.output, IsEmpty()) << policies;
      EXPECT_THAT(result.errors, HasSubstr("db_bench_ext: ")) << policies;
      EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << policies;
    }
  }
}

TEST_F(DbBenchExtTest, APolicyThatIsNotTheOneItIsCalledIsRefusedBeforeAnythingIsPrinted) {
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

TEST_F(DbBenchExtTest, WrongUsageIsAnErrorThatSaysWhatIsRight) {
  const std::string nowhere = folder_ / "nowhere";
  const std::string prefixes = folder_ / "options.ini";
  WithOptions(prefixes, "", "  whole_key_filtering=false\n");
  const std::pair<std::string, std::string> cases[] = {
      {"--reads=0", "--reads is 0, but must be a whole number from 1 to"},
      {"--timed_rounds=0", "--timed_rounds is 0, but must be a whole number from 1 to 1000"},
      {"--compression_type=gzip", "lz4"},
      {"--keys=" + nowhere, "No such file"},
      {"--keys=/dev/null", "has no keys"},
      {"--zipf=-0.5", "--zipf is -0.5, but must be a number from 0 to 10"},
      {"--key_format=base64", "those of --key_format are line, hex"},
      {"--json=" + nowhere + "/run.json", "can't write"},
      {"--html=" + nowhere + "/run.html", "can't write"},
      {"--metadata_block_size=1", "from 64 to"},
      {"--growth=fast", "--growth is 'fast', but has to be planned or rocksdb"},
      {"--compaction_style=1", "give --growth=rocksdb"},
      {"--compaction_style=3 --growth=rocksdb",
       "--compaction_style is 3, but must be a whole number from 0 to 2"},
      {"--disable_auto_compactions", "give --growth=rocksdb for a backlog"},
      {"--level0_files=3 --growth=rocksdb", "--level0_files is of --growth=planned"},
      {"--level0_files=-1", "from 0 to 1000"},
      {"--options_file=" + prefixes, "give a --prefix_size"},
      {"--partition_index_and_filters --cache_size=0", "needs a block cache"},
      {"--options_file=" + nowhere, nowhere},
      {"keys.lz4", "'keys.lz4' is no flag"},
      {"--nonsense", "there is no flag --nonsense (see --help)"},
      {"--polices=none", "there is no flag --polices; did you mean --policies?"},
      {"--noplan=true", "there is no flag --noplan"},
      {"--json --html=x.html", "the flag --json needs a value"},
      {"--nokep", "there is no flag --nokep (see --help)"},
      {"--reads", "the flag --reads needs a value"},
      {"--benchmarks=readradnom", "there is no 'readradnom'; did you mean readrandom? There are"},
      {"--policies=winow:10", "did you mean winnow?"},
      // Flags of an earlier version.
      {"--benchmark_write_rate_limit=1",
       "the flag --benchmark_write_rate_limit ended with 2.0: RocksDB's db_bench has"},
      {"--block_size=8192",
       "the flag --block_size ended with 2.0: write it into an OPTIONS file, which --options_file"},
      {"--format_version=5", "the flag --format_version ended with 2.0: write it into an OPTIONS"},
      {"--level0_file_num_compaction_trigger=2", "ended with 2.0: write it into an OPTIONS file"},
      {"--max_background_jobs=2", "ended with 2.0: write it into an OPTIONS file"},
      {"--num_levels=7", "ended with 2.0: write it into an OPTIONS file"},
      {"--optimize_filters_for_hits=true", "ended with 2.0: write it into an OPTIONS file"},
      {"--whole_key_filtering=false", "ended with 2.0: write it into an OPTIONS file"},
      {"--trees_at_once=2", "ended with 2.0: trees are grown one after the other"},
      {"--cache_sweep=1%,5%", "the flag --cache_sweep ended with 2.0: run the program once for"},
      {"--cache_sweep_reads=900", "the flag --cache_sweep_reads ended with 2.0: a run with one"},
      {"--flagfile=/dev/null", "the flag --flagfile ended with 2.0: write its flags into the"},
      {"--fromenv=reads", "the flag --fromenv ended with 2.0: write its flags into the"},
      {"--tryfromenv=reads", "the flag --tryfromenv ended with 2.0: write its flags into the"},
      {"--undefok=reads", "the flag --undefok ended with 2.0: leave out flags that this"},
      {"--frontier=6,8", "the flag --frontier ended with 2.0: name each policy with each number"},
      {"--max_block_read_ratio=1", "2.0: compare data_blocks_accessed_per_lookup"},
      {"--max_false_positive_ratio=1", "2.0: compare false_positives_per_filter_check"},
      {"--max_filter_memory_ratio=1", "2.0: filter_bytes_to_reference in the file"},
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

// Tests every flag with a numeric default in --help.
TEST_F(DbBenchExtTest, ANumberOutOfItsRangeIsAnsweredByTheRangeOnce) {
  const std::regex numeric("\n  --([a-z0-9_]+)=[A-Z]+ \\([-+.0-9e]+ to ");
  const std::regex range("from [-+.0-9e]+ to [-+.0-9e]+");
  const std::string help = RunBench({"--help"}).output;
  const std::vector<std::string> flags = testing::AllMatches(help, numeric, 1);
  for (const std::string& name : flags) {
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
  EXPECT_GT(flags.size(), 20u);
}

TEST_F(DbBenchExtTest, TreesThatRocksDBGrowsAreCountedInEveryStyle) {
  for (const char* flag :
       {"--compaction_style=0", "--compaction_style=1", "--compaction_style=2",
        "--disable_auto_compactions", "--level_compaction_dynamic_level_bytes"}) {
    SCOPED_TRACE(flag);
    const json document = Run(Small(
        {"--growth=rocksdb", flag, "--policies=bloomfilter:10,winnow:10", "--timed_reads=0"}));
    for (const json& policy : document.at("policies")) {
      ExpectTreeAddsUp(policy, 20000);
      for (const json& workload : policy.at("workloads")) {
        EXPECT_GT(workload.at("files_considered_per_lookup"), 0);
        EXPECT_GT(workload.at("filter_checks"), 0);
      }
    }
    if (document.at("trees_agree") == false) {
      EXPECT_THAT(ran_.output, HasSubstr("nothing is said of who is better"));
      EXPECT_THAT(ran_.output, Not(HasSubstr("times the filter memory")));
    }
  }
}

TEST_F(DbBenchExtTest, OptionsOfAFileHoldUnlessAFlagIsGiven) {
  const std::string file = folder_ / "options.ini";
  WriteFile(file,
            "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
            "[CFOptions \"default\"]\n  write_buffer_size=100000\n  target_file_size_base=50000\n"
            "  max_bytes_for_level_base=300000\n  compression=kNoCompression\n"
            "[TableOptions/BlockBasedTable \"default\"]\n  block_size=8192\n"
            "  metadata_block_size=8192\n  filter_policy=ribbonfilter:7\n");
  // Given flags override the file even if they equal the defaults.
  const std::vector<std::string> flags = {"--num=20000",
                                          "--reads=2000",
                                          "--timed_reads=0",
                                          "--policies=bloomfilter:10",
                                          "--metadata_block_size",
                                          "4096",
                                          "--write_buffer_size=200000",
                                          "--options_file=" + file};
  const json policy = Run(flags).at("policies")[0];
  for (const std::string& text : {ran_.errors, ran_.output}) {
    EXPECT_THAT(text, HasSubstr("--write_buffer_size=200000 wins over 100000 in " + file));
    EXPECT_THAT(text, HasSubstr("--metadata_block_size=4096 wins over 8192"));
    EXPECT_THAT(text, HasSubstr("'ribbonfilter:7', is replaced by those of --policies"));
    EXPECT_THAT(text, Not(HasSubstr("--target_file_size_base=0"))) << "it was not given";
  }
  EXPECT_EQ(policy.at("in_force"), "bloomfilter");
  ExpectTreeAddsUp(policy, 20000);
  EXPECT_GT(policy.at("files"), 30) << "of 50,000 bytes";
  EXPECT_GT(policy.at("file_bytes"), 20000 * 110) << "not compressed";
}

TEST_F(DbBenchExtTest, FiltersThatTheOptionsLeaveOutAreNoFault) {
  const json run =
      Run(Small(WithOptions(folder_ / "options.ini", "  optimize_filters_for_hits=true\n", "")));
  for (const json& policy : run.at("policies")) {
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

TEST_F(DbBenchExtTest, AnExistingDatabaseIsMeasuredAsItIsAndNotTouched) {
  const std::pair<const char*, const char*> cases[] = {
      {"bloomfilter:10", "builtin-bloom"},
      {"ribbonfilter:10:-1", "builtin-ribbon"},
      {"{id=winnow;ribbon_min_keys=0;level_plan=uniform}", "winnow-ribbon"},
      {"none", "none"}};
  for (const auto& [policy, kind] : cases) {
    SCOPED_TRACE(policy);
    const TemporaryFolder folder;
    const json was = Run(Small({"--keep", "--timed_reads=0", "--db=" + (folder / "made"),
                                "--policies=" + std::string(policy)}))
                         .at("policies")[0];
    const std::string database =
        std::filesystem::directory_iterator(folder / "made")->path().string();
    const std::string before = Everything(database);
    EXPECT_THAT(before, HasSubstr("CURRENT"));
    const json is = Run({"--use_existing_db", "--db=" + database, "--reads=20000",
                         "--timed_reads=1000", "--timed_rounds=1", "--html=" + (folder / "html")})
                        .at("policies")[0];
    EXPECT_EQ(Everything(database), before);
    EXPECT_THAT(ReadFile(folder / "html"),
                HasSubstr("<title>Read amplification of " + database + "</title>"));
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

TEST_F(DbBenchExtTest, APlanIsPrintedAndARunWithoutRoomIsRefusedAndNothingIsDone) {
  const std::vector<std::string> flags = {"--num=4000000000", "--db=" + (folder_ / "db"),
                                          "--json=" + json_, "--policies=none,winnow:10"};
  std::vector<std::string> plan = flags, four_petabytes = flags;
  plan.push_back("--plan");
  const ChildResult planned = RunBench(plan);
  EXPECT_EQ(planned.status, 0) << planned.errors;
  EXPECT_THAT(planned.output, ::testing::StartsWith("db_bench_ext: the run takes about "));
  EXPECT_THAT(planned.output, HasSubstr(" of disk in " + (folder_ / "db")));
  four_petabytes.push_back("--value_size=1000000");
  const ChildResult refused = RunBench(four_petabytes);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, IsEmpty());
  EXPECT_THAT(refused.errors, ::testing::StartsWith("db_bench_ext: the run needs about "));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

// A run that would take minutes gets the signal once its databases exist.
TEST_F(DbBenchExtTest, ASignalEndsTheRunWithItsStatusAndLeavesNothing) {
  const std::pair<const char*, int> cases[] = {
      {"INT", 128 + SIGINT}, {"TERM", 128 + SIGTERM}, {"HUP", 128 + SIGHUP}};
  for (const auto& [signal, status] : cases) {
    const ChildResult result = RunProgram(
        {"sh", "-c",
         "(while ! test -e \"$1/db/1-none/CURRENT\"; do sleep 0.05; done; kill -s \"$2\" $$) & "
         "exec \"$0\" --num=3000000 --policies=none --db=\"$1/db\" --json=\"$1/run.json\"",
         WINNOW_DB_BENCH_EXT, folder_.path(), signal});
    EXPECT_EQ(result.status, status) << signal;
    EXPECT_THAT(result.output, IsEmpty()) << signal;
    EXPECT_THAT(result.errors, HasSubstr("db_bench_ext: interrupted")) << signal;
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << signal;
  }
}

TEST_F(DbBenchExtTest, AReportThatCanNotBePrintedIsAnErrorAndItsFilesAreThere) {
  const ChildResult result = RunProgram(
      {"sh", "-c",
       "\"$0\" --num=20000 --write_buffer_size=200000 --timed_reads=0 --policies=bloomfilter:10 "
       "--json=\"$1/run.json\" > /dev/full",
       WINNOW_DB_BENCH_EXT, folder_.path()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.errors, HasSubstr("can't write to standard output: No space left"));
  EXPECT_EQ(json::parse(ReadFile(json_)).at("keys"), 20000);
  EXPECT_EQ(RunProgram({"sh", "-c", "\"$0\" --help > /dev/full", WINNOW_DB_BENCH_EXT}).status, 1);
}

TEST_F(DbBenchExtTest, TheManualPageAndTheCompletionKnowEveryFlagOfTheHelp) {
  const ChildResult help = RunBench({"--help"});
  const ChildResult man = RunBench({"--man"});
  const ChildResult completion = RunBench({"--completion"});
  for (const ChildResult& result : {help, man, completion}) EXPECT_EQ(result.status, 0);
  const std::vector<std::string> flags = LinesThatBegin(help.output, "  --");
  EXPECT_GT(flags.size(), 40u);
  for (const std::string& flag : flags) {
    const std::string name = flag.substr(4, flag.find_first_of("= ", 4) - 4);
    const std::string word = name + (flag[name.size() + 4] == '=' ? "=" : " ");
    EXPECT_THAT(completion.output, HasSubstr("--" + word)) << flag;
    EXPECT_THAT(man.output, HasSubstr("\\fB\\-\\-" + name + "\\fR")) << flag;
  }
  WriteFile(folder_ / "completion", completion.output);
  const ChildResult completed = RunProgram(
      {"bash", "-c",
       "source \"$0/completion\"; COMP_WORDS=(db_bench_ext --use_e); COMP_CWORD=1; "
       "_db_bench_ext; echo ${COMPREPLY[*]}; COMP_WORDS=(db_bench_ext --polic); _db_bench_ext; "
       "echo ${COMPREPLY[*]}",
       folder_.path()});
  EXPECT_EQ(completed.output, "--use_existing_db\n--policies=\n") << completed.errors;
}

TEST_F(DbBenchExtTest, TheCommandOfTheJsonCanBeRunAgain) {
  const std::string folder_with_space = folder_ / "a b";
  const std::string command = Run(Small({"--policies=none,{id=winnow;bits_per_key=10}",
                                         "--timed_reads=0", "--db=" + folder_with_space}))
                                  .at("command");
  EXPECT_FALSE(std::filesystem::exists(folder_with_space));
  std::filesystem::remove(json_);
  const ChildResult again = RunProgram({"bash", "-c", command});
  ASSERT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(json::parse(ReadFile(json_)).at("command"), command);
}

TEST_F(DbBenchExtTest, DatabasesAreKeptOnlyIfAskedForAndOthersAreNotTouched) {
  WriteFile(folder_ / "mine", "text");
  const std::vector<std::string> flags =
      Small({"--policies=bloomfilter:10", "--db=" + folder_.path(), "--keep"});
  const ChildResult kept = RunBench(flags);
  ASSERT_EQ(kept.status, 0) << kept.errors;
  EXPECT_THAT(kept.errors, HasSubstr(folder_.path()));
  const ChildResult again = RunBench(flags);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.errors, HasSubstr("there already"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "1-bloomfilter_10/CURRENT"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "mine"));
}

}  // namespace db_bench_ext_test
}  // namespace winnow::bench
