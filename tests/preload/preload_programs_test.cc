// The interposer in unmodified programs of the distribution: rocksdb-tools and sortmerna.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"

namespace winnow {
namespace preload_programs_test {

using testing::ChildResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using ::testing::MatchesRegex;
using testing::NewestOptionsFile;
using testing::NewestOptionsPath;
using testing::Preloading;
using testing::ReadFile;
using testing::RocksDBProgram;
using testing::RunProgram;
using testing::TemporaryFolder;
using Kinds = std::map<std::string, int>;

class PreloadProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override { WINNOW_SKIP_IF_SANITIZED(); }

  static ChildResult Run(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
    ChildResult result = RunProgram(command, environment);
    EXPECT_EQ(result.status, 0) << command[0] << " is installed by tools/setup.sh; it said "
                                << result.errors;
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(PreloadProgramsTest, DbBenchBuildsWinnowFiltersAndSkipsReadsByThem) {
  WINNOW_SKIP_WITHOUT("db_bench");
  const std::string database = folder_ / "db";
  const ChildResult result =
      Run({RocksDBProgram("db_bench"), "--benchmarks=fillrandom,compact,readrandom,stats",
           "--num=20000", "--bloom_bits=10", "--statistics", "--progress_reports=0",
           "--db=" + database},
          Preloading({"WINNOW_POLICY=winnow", "WINNOW_LOG=1"}));
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"winnow ribbon", 1}}));
  EXPECT_THAT(
      LinesThatBegin(result.errors, "winnow:"),
      ElementsAre(
          HasSubstr("in force in db_bench"), HasSubstr("bloomfilter:10:false"),
          MatchesRegex("winnow: built 0 Bloom filters and 2 Ribbon filters .*; "
                       "[1-9][0-9]* lookups with [1-9][0-9]* hashes computed and [0-9]+ shared")));
  // About 36% of the numbers were never drawn; fillrandom's keys are found.
  EXPECT_THAT(LinesThatBegin(result.output, "rocksdb.bloom.filter.useful COUNT : "),
              ElementsAre(MatchesRegex(".* [67][0-9]{3}")));
}

// The LOG is the only report of filter use in a program without knowledge of Winnow.
TEST_F(PreloadProgramsTest, TheLogSaysWhatFiltersAnswered) {
  WINNOW_SKIP_WITHOUT("db_bench");
  const std::string database = folder_ / "db";
  Run({RocksDBProgram("db_bench"), "--benchmarks=fillrandom,compact,readmissing,overwrite,compact",
       "--num=200000", "--bloom_bits=10", "--progress_reports=0", "--db=" + database},
      Preloading({"WINNOW_POLICY=winnow:6"},
                 std::string(PRELOAD_LIBRARY) + ":" + FAST_CLOCK_LIBRARY));
  const std::string log = ReadFile(database + "/LOG");
  EXPECT_THAT(log, HasSubstr("[winnow] what filters answered, by policy, column family and level"));
  // False positives, asks, denied, level, filters, keys, bytes, seconds, family, policy.
  EXPECT_THAT(log, ::testing::ContainsRegex("\n +[0-9]+ +[1-9][0-9]+ +[1-9][0-9]+ +[0-9] +1 +[1-9]"
                                            "[0-9]+ +[1-9][0-9]+ +[0-9]+  default  bits_per_key=6"))
      << log.substr(log.find("[winnow] what"), 1000);
}

TEST_F(PreloadProgramsTest, LdbBuildsAndReadsWinnowFilters) {
  WINNOW_SKIP_WITHOUT("ldb");
  const std::vector<std::string> environment = Preloading({"WINNOW_POLICY=winnow:10"});
  const std::string database = folder_ / "db";
  const std::string option = "--db=" + database;
  Run({RocksDBProgram("ldb"), option, "--create_if_missing", "--bloom_bits=10", "batchput", "one",
       "1", "two", "2"},
      environment);
  Run({RocksDBProgram("ldb"), option, "--bloom_bits=10", "compact"}, environment);
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"winnow bloom", 1}}));
  // Without the preload, ldb gives a family without a merge operator one.
  EXPECT_THAT(NewestOptionsFile(database), HasSubstr("merge_operator=nullptr"));
  EXPECT_EQ(
      Run({RocksDBProgram("ldb"), option, "--bloom_bits=10", "get", "two"}, environment).output,
      "2\n");
  EXPECT_EQ(Run({RocksDBProgram("ldb"), option, "--bloom_bits=10", "get", "two"}, {}).output,
            "2\n");
}

// ldb does not know the program's merge operator, and would put another one in its place.
TEST_F(PreloadProgramsTest, LdbChangesNoDatabaseWhoseMergeOperatorItDoesNotKnow) {
  WINNOW_SKIP_WITHOUT("ldb");
  const std::string ldb = RocksDBProgram("ldb");
  const std::string database = folder_ / "db";
  const std::string option = "--db=" + database;
  const std::string renamed = folder_ / "admin";
  ASSERT_EQ(RunProgram({"sh", "-c", "cp \"$(command -v '" + ldb + "')\" '" + renamed + "'"}).status,
            0);
  for (const char* how : {"", "families@"}) {
    ASSERT_EQ(testing::RunClient({"count", how + database, "bloom:10", "100"}, {}).status, 0);
    const std::string options = NewestOptionsFile(database);
    for (const std::vector<std::string>& command : {
             std::vector<std::string>{ldb, option, "compact"},
             {ldb, option, "--try_load_options", "compact"},
             {ldb, option, "--try_load_options=false", "compact"},
             {ldb, option, "--ignore_unknown_options", "put", "a", "b"},
             {ldb, option, "checkpoint", "--checkpoint_dir=" + (folder_ / "checkpoint")},
             {ldb, option, "backup", "--backup_dir=" + (folder_ / "backup")},
             {ldb, option, "delete", "a"},
             {ldb, option, "repair"},
             {"sh", "-c", "nice '" + ldb + "' " + option + " compact"},
             {renamed, option, "compact"},
         }) {
      for (const char* policy : {"WINNOW_POLICY=winnow:10", "WINNOW_POLICY=read"}) {
        const ChildResult result = RunProgram(command, Preloading({policy}));
        EXPECT_EQ(result.status, 1) << ::testing::PrintToString(command) << result.output;
        EXPECT_THAT(result.errors, HasSubstr("Nothing was changed. Let the service"));
      }
    }
    EXPECT_EQ(NewestOptionsFile(database), options);
    EXPECT_EQ(testing::RunClient({"counted", how + database, "bloom:10", "100"}, {}).output,
              "wrong=0\n");
    // Verbs that open read-only are let through.
    for (const char* verb : {"scan", "list_column_families", "manifest_dump"}) {
      EXPECT_EQ(RunProgram({ldb, option, verb}, Preloading({"WINNOW_POLICY=winnow:10"})).status, 0)
          << verb;
    }
  }
}

// Each run takes its options from the OPTIONS file saved by the previous run.
TEST_F(PreloadProgramsTest, ADatabaseChangesToWinnowAndBackByThePreloadAlone) {
  WINNOW_SKIP_WITHOUT("db_bench");
  WINNOW_SKIP_WITHOUT("ldb");
  const std::string database = folder_ / "db";
  const std::vector<std::string> preload = Preloading({"WINNOW_POLICY=winnow:10"});
  const auto bench = [&](const std::string& what, const std::vector<std::string>& environment) {
    return Run({RocksDBProgram("db_bench"), "--use_existing_db",
                "--options_file=" + NewestOptionsPath(database), "--db=" + database, "--num=20000",
                "--writes=10000", "--progress_reports=0", "--benchmarks=" + what},
               environment)
        .output;
  };
  const auto expect_all_keys = [&](const std::vector<std::string>& environment) {
    EXPECT_THAT(bench("readrandom", environment), HasSubstr("(20000 of 20000 found)"));
    const std::string scanned =
        Run({RocksDBProgram("ldb"), "--db=" + database, "--try_load_options", "scan", "--hex"},
            environment)
            .output;
    EXPECT_EQ(std::count(scanned.begin(), scanned.end(), '\n'), 20000);
    EXPECT_EQ(Run({RocksDBProgram("ldb"), "--db=" + database, "scan", "--hex"}, environment).output,
              scanned);
    return scanned;
  };
  Run({RocksDBProgram("db_bench"), "--benchmarks=fillseq,compact", "--num=20000", "--bloom_bits=10",
       "--progress_reports=0", "--disable_auto_compactions", "--db=" + database},
      {});
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"built-in bloom", 1}}));
  EXPECT_EQ(expect_all_keys({}), expect_all_keys(preload));

  bench("overwrite,flush", preload);
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"built-in bloom", 1}, {"winnow ribbon", 1}}));
  EXPECT_EQ(expect_all_keys({}), expect_all_keys(preload));
  bench("compact", preload);
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"winnow ribbon", 1}}));
  EXPECT_EQ(expect_all_keys({}), expect_all_keys(preload));

  bench("overwrite,flush,compact", {});
  EXPECT_EQ(KindsOfFilters(database), (Kinds{{"built-in bloom", 1}}));
  expect_all_keys({});
}

// Writes reference sequences, and reads, every second of which is a part of a reference.
void WriteSequences(const std::string& references, const std::string& reads) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  const auto sequence = [&random](size_t length) {
    std::string bases;
    while (bases.size() < length) {
      bases += "ACGT"[random() % 4];
    }
    return bases;
  };
  std::vector<std::string> known;
  std::ofstream reference_file(references);
  for (int i = 0; i < 5; ++i) {
    known.push_back(sequence(1500));
    reference_file << ">reference" << i << "\n" << known.back() << "\n";
  }
  std::ofstream reads_file(reads);
  for (int i = 0; i < 2000; ++i) {
    const std::string& origin = known[random() % known.size()];
    reads_file << ">read" << i << "\n"
               << (i % 2 == 0 ? sequence(100) : origin.substr(random() % 1400, 100)) << "\n";
  }
}

// sortmerna stores the alignments of reads in RocksDB without a filter policy, and then looks up
// every read, aligned or not.
class SortmernaTest : public PreloadProgramsTest {
 protected:
  struct Alignment {
    std::string log;   // stderr of both runs
    size_t lines = 0;  // number of lines on stdout, which contain times
    std::string aligned;
    std::string table;
    Kinds filters;
  };

  // Aligns and reports in two runs: the second opens an existing database and writes its first
  // file.
  Alignment Align(const std::string& work, const std::vector<std::string>& environment) {
    Alignment alignment;
    for (const char* task : {"0", "2"}) {
      const ChildResult result =
          Run({RocksDBProgram("sortmerna"), "--ref", folder_ / "references.fa", "--reads",
               folder_ / "reads.fa", "--workdir", work, "--fastx", "--blast", "1", "--threads", "1",
               "--task", task},
              environment);
      alignment.log += result.errors;
      alignment.lines += LinesThatBegin(result.output, "").size();
    }
    alignment.aligned = ReadFile(work + "/out/aligned.fa");
    alignment.table = ReadFile(work + "/out/aligned.blast");
    alignment.filters = KindsOfFilters(work + "/kvdb");
    return alignment;
  }
};

TEST_F(SortmernaTest, GetsFiltersAndGivesTheSameResult) {
  WINNOW_SKIP_WITHOUT("sortmerna");
  WriteSequences(folder_ / "references.fa", folder_ / "reads.fa");
  const Alignment without = Align(folder_ / "without", {});
  EXPECT_EQ(without.filters, (Kinds{{"none", 1}}));

  const Alignment with = Align(
      folder_ / "with", Preloading({"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1", "WINNOW_LOG=1"}));
  EXPECT_EQ(with.filters, (Kinds{{"winnow ribbon", 1}}));
  const std::vector<std::string> lines = LinesThatBegin(with.log, "winnow: built");
  ASSERT_FALSE(lines.empty()) << with.log;
  EXPECT_THAT(lines.back(),
              MatchesRegex("winnow: built 0 Bloom filters and 1 Ribbon filter of 1[0-9]{3} "
                           "keys in .*; [1-9][0-9]{3} lookups with .*"));
  EXPECT_THAT(LinesThatBegin(with.aligned, ">read"), ::testing::SizeIs(1000));
  // sortmerna reads an uninitialized variable, whose value depends on the stack after loading.
  EXPECT_EQ(with.lines, without.lines);
  EXPECT_EQ(Align(folder_ / "preloaded", Preloading({})).lines, without.lines);
  EXPECT_EQ(with.aligned, without.aligned);
  EXPECT_EQ(with.table, without.table);
}

}  // namespace preload_programs_test
}  // namespace winnow
