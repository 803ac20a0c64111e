// The plugin preloaded into Debian's own programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "tests/rocksdb_testing.h"
#include "tests/run_command.h"

namespace winnow {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ::testing::AllOf;
using testing::CommandResult;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::RunCommand;
using testing::TemporaryFolder;

// env keeps it to the one program.
constexpr char kPreload[] = "env LD_PRELOAD='" WINNOW_PLUGIN "' ";

class PreloadedPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (WINNOW_SANITIZED) {
      GTEST_SKIP() << "skipped: the programs are built without sanitizers";
    }
    for (const char* program : {"db_bench", "ldb"}) {
      ASSERT_EQ(RunCommand(std::string("command -v ") + program).exit_code, 0)
          << "install the package rocksdb-tools: there is no " << program;
    }
  }

  // The command of a db_bench that uses this policy by its options file.
  std::string Benchmark(const std::string& policy) const {
    const std::string options = folder_.File("options.ini");
    std::ofstream(options) << "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
                              "[DBOptions]\n  create_if_missing=true\n"
                              "[CFOptions \"default\"]\n"
                              "[TableOptions/BlockBasedTable \"default\"]\n  filter_policy="
                           << policy << "\n";
    return "db_bench --options_file='" + options + "' --db='" + database_ +
           "' --num=50000 --statistics --benchmarks=fillrandom,compact,readmissing,stats";
  }

  static uint64_t Ticker(const std::string& output, const std::string& name) {
    const std::string label = name + " COUNT : ";
    const size_t at = output.find(label);
    EXPECT_NE(at, std::string::npos) << name << " in " << output;
    return at == std::string::npos ? 0 : std::strtoull(&output[at + label.size()], nullptr, 10);
  }

  std::string LatestOptions() const {
    std::string name;
    EXPECT_TRUE(ROCKSDB_NAMESPACE::GetLatestOptionsFileName(
                    database_, ROCKSDB_NAMESPACE::Env::Default(), &name)
                    .ok());
    return ReadFile(database_ + "/" + name);
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_.File("database");
};

TEST_F(PreloadedPluginTest, StockBenchmarkBuildsAndUsesWinnowFilters) {
  const CommandResult result = RunCommand(kPreload + Benchmark("winnow:10"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const uint64_t useful = Ticker(result.output, "rocksdb.bloom.filter.useful");
  const uint64_t positive = Ticker(result.output, "rocksdb.bloom.filter.full.positive");
  EXPECT_GT(useful, 49000u);
  EXPECT_LT(positive, 1000u);
  EXPECT_THAT(LatestOptions(), HasSubstr("filter_policy={id=winnow.Filter;"));
  EXPECT_THAT(ReadFile(database_ + "/LOG"), HasSubstr("bits_per_key=10"));

  DB* opened = nullptr;
  ASSERT_STATUS_OK(DB::OpenForReadOnly(Options(), database_, &opened));
  const std::unique_ptr<DB> database(opened);
  ROCKSDB_NAMESPACE::TablePropertiesCollection files;
  ASSERT_STATUS_OK(database->GetPropertiesOfAllTables(&files));
  EXPECT_FALSE(files.empty());
  for (const auto& [path, properties] : files) {
    EXPECT_EQ(properties->filter_policy_name, "winnow.Filter") << path;
    const double bits = 8.0 * static_cast<double>(properties->filter_size) /
                        static_cast<double>(properties->num_filter_entries);
    EXPECT_GT(bits, 6) << path;
    EXPECT_LT(bits, 7.2) << path << ": a compacted file has a Ribbon filter";
  }
}

TEST_F(PreloadedPluginTest, BadNumberInAnOptionsFileEndsTheBenchmark) {
  const CommandResult result = RunCommand(kPreload + Benchmark("winnow:ten"));
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("bits_per_key is \"ten\""), HasSubstr("from 1 to 32")));
}

TEST_F(PreloadedPluginTest, WithoutItTheBenchmarkDropsThePolicyInSilence) {
  const CommandResult result = RunCommand(Benchmark("winnow:10"));
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(Ticker(result.output, "rocksdb.bloom.filter.useful"), 0u);
}

TEST_F(PreloadedPluginTest, StockToolReadsTheDatabaseWithAndWithoutIt) {
  ASSERT_EQ(RunCommand(kPreload + Benchmark("winnow:10")).exit_code, 0);
  const std::string ldb = "ldb --db='" + database_ + "' ";
  const std::string scanned = RunCommand(kPreload + ldb + "scan --hex | md5sum").output;
  // A compaction by the preloaded tool, from the saved OPTIONS file, builds Winnow filters again.
  ASSERT_EQ(RunCommand(kPreload + ldb + "--try_load_options compact").exit_code, 0);
  EXPECT_THAT(LatestOptions(), HasSubstr("filter_policy={id=winnow.Filter;"));
  EXPECT_THAT(ReadFile(database_ + "/LOG"), HasSubstr("[winnow]"));
  for (const std::string before : {kPreload, ""}) {
    for (const std::string options : {"--try_load_options ", ""}) {
      std::string command = before;
      command += ldb;
      command += options;
      EXPECT_EQ(RunCommand(command + "scan --hex | md5sum").output, scanned) << command;
      const CommandResult put = RunCommand(command + "put plain value");
      EXPECT_EQ(put.exit_code, 0) << put.output;
      EXPECT_EQ(RunCommand(command + "get plain").output, "value\n") << command;
      const CommandResult absent = RunCommand(command + "get absent");
      EXPECT_NE(absent.exit_code, 0);
      EXPECT_THAT(absent.output, HasSubstr("NotFound"));
      EXPECT_EQ(RunCommand(command + "delete plain").exit_code, 0);
    }
  }
}

TEST_F(PreloadedPluginTest, ProgramsWithoutRocksDBDoNotNotice) {
  const CommandResult result = RunCommand(std::string(kPreload) + "ls /");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, RunCommand("ls /").output);
}

}  // namespace
}  // namespace winnow
