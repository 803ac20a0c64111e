// Winnow's policy named in options of Debian's programs, which preload the library.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "tests/support/sanitized.h"

namespace winnow {
namespace preloaded_plugin_test {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::GetRocksVersionAsString;
using ROCKSDB_NAMESPACE::Options;
using ::testing::AllOf;
using ::testing::AnyOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::NewestOptionsFile;
using testing::Preloading;
using testing::ReadFile;
using testing::RocksDBProgram;
using testing::RunProgram;
using testing::TemporaryFolder;
using testing::WriteFile;

// Environments with and without the preloaded library.
const std::vector<std::string> kPreload = Preloading({});
const std::vector<std::string> kStock;

class PreloadedPluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WINNOW_SKIP_IF_SANITIZED();
    WINNOW_SKIP_WITHOUT("db_bench");
    WINNOW_SKIP_WITHOUT("ldb");
  }

  // Runs db_bench with an options file that has this policy.
  ChildResult Benchmark(const std::string& policy,
                        const std::vector<std::string>& environment) const {
    const std::string options = folder_ / "options.ini";
    WriteFile(options, "[Version]\n  rocksdb_version=" + GetRocksVersionAsString() +
                           "\n  options_file_version=1.1\n"
                           "[DBOptions]\n  create_if_missing=true\n"
                           "[CFOptions \"default\"]\n"
                           "[TableOptions/BlockBasedTable \"default\"]\n  filter_policy=" +
                           policy + "\n");
    return RunProgram(
        {RocksDBProgram("db_bench"), "--options_file=" + options, "--db=" + database_,
         "--num=50000", "--statistics", "--benchmarks=fillrandom,compact,readmissing,stats"},
        environment);
  }

  ChildResult Ldb(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment) const {
    std::vector<std::string> command = {RocksDBProgram("ldb"), "--db=" + database_};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProgram(command, environment);
  }

  static uint64_t Ticker(const std::string& output, const std::string& name) {
    const std::string label = name + " COUNT : ";
    const size_t at = output.find(label);
    EXPECT_NE(at, std::string::npos) << name << " in " << output;
    return at == std::string::npos ? 0 : std::strtoull(&output[at + label.size()], nullptr, 10);
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "database";
};

// Preloads libwinnow_preload.so, or the plugin itself, which suffices for programs linked with the
// shared RocksDB.
class PreloadedPluginByTest : public PreloadedPluginTest,
                              public ::testing::WithParamInterface<const char*> {};

TEST_P(PreloadedPluginByTest, StockBenchmarkBuildsAndUsesWinnowFilters) {
  const ChildResult result = Benchmark("winnow:10", Preloading({}, GetParam()));
  ASSERT_EQ(result.status, 0) << result.errors;
  const uint64_t useful = Ticker(result.output, "rocksdb.bloom.filter.useful");
  const uint64_t positive = Ticker(result.output, "rocksdb.bloom.filter.full.positive");
  EXPECT_GT(useful, 49000u);
  EXPECT_LT(positive, 1000u);
  EXPECT_THAT(NewestOptionsFile(database_), HasSubstr("filter_policy={id=winnow.Filter;"));
  EXPECT_THAT(ReadFile(database_ + "/LOG"), HasSubstr("bits_per_key=10"));

  rocksdb_abi::OpenedDB opened{};
  ASSERT_STATUS_OK(DB::OpenForReadOnly(Options(), database_, &opened));
  const std::unique_ptr<DB> database = rocksdb_abi::Own(std::move(opened));
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

INSTANTIATE_TEST_SUITE_P(BothLibraries, PreloadedPluginByTest,
                         ::testing::Values(PRELOAD_LIBRARY, PLUGIN_LIBRARY),
                         [](const auto& which) { return which.index == 0 ? "Preload" : "Plugin"; });

TEST_F(PreloadedPluginTest, BadNumberInAnOptionsFileEndsTheBenchmark) {
  const ChildResult result = Benchmark("winnow:ten", kPreload);
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("bits_per_key is \"ten\""), HasSubstr("from 1 to 32")));
}

TEST_F(PreloadedPluginTest, WithoutItTheBenchmarkDropsThePolicyInSilence) {
  const ChildResult result = Benchmark("winnow:10", kStock);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(Ticker(result.output, "rocksdb.bloom.filter.useful"), 0u);
}

TEST_F(PreloadedPluginTest, StockToolReadsTheDatabaseWithAndWithoutIt) {
  ASSERT_EQ(Benchmark("winnow:10", kPreload).status, 0);
  const std::string scanned = Ldb({"scan", "--hex"}, kPreload).output;
  EXPECT_GT(std::count(scanned.begin(), scanned.end(), '\n'), 30000);
  // A compaction by the preloaded tool, with the saved OPTIONS file, builds Winnow filters again.
  ASSERT_EQ(Ldb({"--try_load_options", "compact"}, kPreload).status, 0);
  EXPECT_THAT(NewestOptionsFile(database_), HasSubstr("filter_policy={id=winnow.Filter;"));
  EXPECT_THAT(ReadFile(database_ + "/LOG"), HasSubstr("[winnow]"));
  for (const std::vector<std::string>& environment : {kPreload, kStock}) {
    for (const char* options : {"--try_load_options=true", "--try_load_options=false"}) {
      EXPECT_TRUE(Ldb({options, "scan", "--hex"}, environment).output == scanned) << options;
      const ChildResult put = Ldb({options, "put", "plain", "value"}, environment);
      EXPECT_EQ(put.status, 0) << put.errors;
      EXPECT_EQ(Ldb({options, "get", "plain"}, environment).output, "value\n") << options;
      const ChildResult absent = Ldb({options, "get", "absent"}, environment);
      // The message, and whether this is an error, differ between versions.
      EXPECT_THAT(absent.output + absent.errors,
                  AnyOf(HasSubstr("NotFound"), HasSubstr("Key not found")));
      EXPECT_EQ(Ldb({options, "delete", "plain"}, environment).status, 0);
    }
  }
}

TEST_F(PreloadedPluginTest, ProgramsWithoutRocksDBDoNotNotice) {
  const ChildResult result = RunProgram({"ls", "/"}, kPreload);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, RunProgram({"ls", "/"}).output);
}

}  // namespace preloaded_plugin_test
}  // namespace winnow
