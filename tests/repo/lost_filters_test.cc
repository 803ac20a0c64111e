// Tests of the cases of lost filters in docs/many-machines.md: each case is produced, and the
// page's command must print what the page says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/checkpoint.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/repo/rollout_page.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/compaction_service.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::Replaced;
using testing::TemporaryFolder;

std::vector<std::string> CodeThatBegins(const std::string& first) {
  return testing::CodeThatBegins(first, testing::ManyMachinesPage());
}

// Returns the output that the page's table has for the case whose row contains these words: the
// first code in the second cell, with "…" expanded.
std::string ShownWhere(const std::string& words) {
  const std::string page = testing::ManyMachinesPage();
  const size_t row = page.find(words);
  EXPECT_NE(row, std::string::npos) << "the page has no row with " << words;
  if (row == std::string::npos) {
    return {};
  }
  const size_t begin = page.find("| `converted:", row) + 3;
  return Replaced(page.substr(begin, page.find('`', begin) - begin), "…",
                  "of the entries are in files with Winnow's filters");
}

// A compaction service that runs in this process with its own table options, as a worker on another
// host would.
class Worker final : public rocksdb_abi::CompactionService {
 public:
  explicit Worker(const Options& options) : options_(options) {}
  const char* Name() const override { return "winnow.test.Worker"; }

  JobStatus Start(const std::string& /*id*/, const Job& job, const std::string& input) override {
    ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride options;
    options.table_factory = options_.table_factory;
    result_.clear();  // RocksDB appends to it
    const auto status =
        DB::OpenAndCompact({}, job.db_name, job.db_name + "/worker", input, &result_, options);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? JobStatus::kSuccess : JobStatus::kFailure;
  }

  JobStatus Finish(const std::string& /*id*/, std::string* output) override {
    *output = result_;
    return JobStatus::kSuccess;
  }

 private:
  const Options options_;
  std::string result_;
};

class LostFiltersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(WINNOW_TOOL).empty()) {
      GTEST_SKIP() << "skipped: the program winnow is not built";
    }
  }

  static Options With(const std::string& policy) {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    if (!policy.empty()) {
      table.filter_policy = testing::MakePolicyFrom(policy);
    }
    return testing::MakeOptions(table);
  }

  // Writes a file of a thousand keys.
  static void Fill(DB* database, int first) {
    for (int i = first; i < first + 1000; ++i) {
      EXPECT_TRUE(database->Put(WriteOptions(), Key(i), "value").ok());
    }
    EXPECT_TRUE(database->Flush(FlushOptions()).ok());
  }

  static std::string Key(int i) { return "key" + std::to_string(100000 + i); }

  static void Compact(DB* database, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr) {
    ROCKSDB_NAMESPACE::CompactRangeOptions all;
    all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    ASSERT_STATUS_OK(database->CompactRange(
        all, family == nullptr ? database->DefaultColumnFamily() : family, nullptr, nullptr));
  }

  // Returns an open database with two files that have Winnow's filters.
  std::unique_ptr<DB> Grown(const Options& options) const {
    auto database = testing::OpenDatabase(options, path_);
    Fill(database.get(), 0);
    Fill(database.get(), 500);
    return database;
  }

  void CompactByWorkerWith(const std::string& policy) const {
    Options options = With("winnow:10");
    options.compaction_service = std::make_shared<Worker>(With(policy));
    Compact(Grown(options).get());
  }

  // Checks the output of the page's command, and the policies in its --json.
  void ExpectShownWhere(const std::string& words, const std::string& policy_name) const {
    const auto commands = CodeThatBegins("winnow inspect FOLDER | grep '^converted:'");
    ASSERT_EQ(commands.size(), 1u);
    const auto run = [this](const std::string& text) {
      return testing::RunProgram(
          {"sh", "-c",
           Replaced(Replaced(text, "winnow ", "'" WINNOW_TOOL "' "), "FOLDER", "'" + path_ + "'")});
    };
    EXPECT_EQ(run(commands[0]).output, ShownWhere(words) + "\n");
    EXPECT_THAT(run("winnow inspect --json FOLDER").output,
                HasSubstr("\"policy_name\": \"" + policy_name + "\""));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
};

TEST_F(LostFiltersTest, AWorkerOfRemoteCompactionsWithoutAPolicy) {
  CompactByWorkerWith("");
  ExpectShownWhere("a worker of remote compactions", "");
}

TEST_F(LostFiltersTest, AWorkerWithRocksDBsPolicy) {
  CompactByWorkerWith("bloomfilter:10");
  ExpectShownWhere("such a worker has", "bloomfilter");
}

TEST_F(LostFiltersTest, AnImportIntoAFamilyWithoutAPolicy) {
  ROCKSDB_NAMESPACE::ExportImportFilesMetaData* exported = nullptr;
  {
    const auto database = testing::OpenDatabase(With("winnow:10"), folder_ / "exporting");
    Fill(database.get(), 0);
    ROCKSDB_NAMESPACE::Checkpoint* made = nullptr;
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Checkpoint::Create(database.get(), &made));
    const std::unique_ptr<ROCKSDB_NAMESPACE::Checkpoint> checkpoint(made);
    ASSERT_STATUS_OK(checkpoint->ExportColumnFamily(database->DefaultColumnFamily(),
                                                    folder_ / "exported", &exported));
  }
  const std::unique_ptr<ROCKSDB_NAMESPACE::ExportImportFilesMetaData> files(exported);
  const auto database = testing::OpenDatabase(With("winnow:10"), path_);
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(
      database->CreateColumnFamilyWithImport(With(""), "imported", {}, *files, &family));
  ExpectShownWhere("made a column family without a policy", "winnow.Filter");
  EXPECT_THAT(testing::RunProgram({WINNOW_TOOL, "policy", path_}).output,
              HasSubstr("column family 'imported': no filter"));
  Compact(database.get(), family);
  ExpectShownWhere("that column family was compacted", "");
  EXPECT_TRUE(database->DestroyColumnFamilyHandle(family).ok());
}

TEST_F(LostFiltersTest, AReaderWithoutThePolicy) {
  Grown(With("winnow:10")).reset();
  for (const char* policy : {"", "bloomfilter:10"}) {
    for (const bool is_secondary : {false, true}) {
      const Options options = With(policy);
      rocksdb_abi::OpenedDB opened{};
      ASSERT_STATUS_OK(is_secondary
                           ? DB::OpenAsSecondary(options, path_, folder_ / "secondary", &opened)
                           : DB::OpenForReadOnly(options, path_, &opened));
      const auto database = rocksdb_abi::Own(std::move(opened));
      std::string value;
      for (int i = 0; i < 1000; ++i) {
        EXPECT_TRUE(database->Get({}, Key(i) + "absent", &value).IsNotFound());
      }
      EXPECT_EQ(options.statistics->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_USEFUL), 0u);
    }
  }
  ExpectShownWhere("a read-only open or a secondary", "winnow.Filter");
}

TEST_F(LostFiltersTest, AToolThatOpensToWriteWithoutThePolicy) {
  WINNOW_SKIP_WITHOUT("ldb");
  Grown(With("winnow:10")).reset();
  const auto copied_with = [this](const std::string& copy, const auto& environment) {
    const testing::ChildResult result =
        testing::RunProgram({testing::RocksDBProgram("ldb"), "--db=" + path_, "checkpoint",
                             "--checkpoint_dir=" + folder_ / copy},
                            environment);
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    return testing::RunProgram({WINNOW_TOOL, "policy", folder_ / copy});
  };
  EXPECT_EQ(copied_with("with", testing::Preloading({})).status, 0);
  const testing::ChildResult copy = copied_with("without", std::vector<std::string>());
  EXPECT_EQ(copy.status, 1);
  EXPECT_THAT(copy.errors, HasSubstr("no filter"));
  EXPECT_THAT(testing::RunProgram({WINNOW_TOOL, "policy", path_}).errors, HasSubstr("no filter"));
  ExpectShownWhere("another program opened the database to write", "winnow.Filter");
}

TEST_F(LostFiltersTest, ADatabaseThatWasCompactedWithoutThePolicy) {
  Grown(With("winnow:10")).reset();
  const auto database = testing::OpenDatabase(With(""), path_);
  Compact(database.get());
  ExpectShownWhere("the database was opened without the policy", "");
}

TEST_F(LostFiltersTest, AFileThatWasIngestedWithoutAPolicy) {
  const auto database = testing::OpenDatabase(With("winnow:10"), path_);
  Fill(database.get(), 0);
  const std::string file = folder_ / "ingested.sst";
  ROCKSDB_NAMESPACE::SstFileWriter writer({}, With(""));
  ASSERT_STATUS_OK(writer.Open(file));
  for (int i = 5000; i < 6000; ++i) {
    ASSERT_STATUS_OK(writer.Put(Key(i), "value"));
  }
  ASSERT_STATUS_OK(writer.Finish());
  ASSERT_STATUS_OK(database->IngestExternalFile({file}, {}));
  ExpectShownWhere("a file was ingested", "");
  Compact(database.get());
  EXPECT_EQ(KindsOfFilters(path_).count("none"), 0u);
}

// A worker loads filters unnecessarily, as the page says.
TEST_F(LostFiltersTest, AWorkerLoadsThoseOfAllFilesUnlessTheyBelongIntoItsCache) {
  const Options options = With("winnow:10");
  const auto compact = [](DB* database, int level, size_t num_files) {
    ROCKSDB_NAMESPACE::ColumnFamilyMetaData tree;
    database->GetColumnFamilyMetaData(&tree);
    std::vector<std::string> files;
    for (const auto& file : tree.levels[level].files) files.push_back(file.name);
    files.resize(num_files);
    ASSERT_STATUS_OK(database->CompactFiles({}, files, 2));
  };
  for (const bool cached : {false, true}) {
    const std::string path = path_ + (cached ? "-cached" : "");
    auto database = testing::OpenDatabase(options, path);
    for (int i = 0; i < 4; ++i) {
      Fill(database.get(), 1000 * i);
      compact(database.get(), 0, 1);
    }
    database.reset();
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom("winnow:10");
    table.cache_index_and_filter_blocks = cached;
    Options served = options;
    served.compaction_service = std::make_shared<Worker>(testing::MakeOptions(table));
    database = testing::OpenDatabase(served, path);
    compact(database.get(), 2, 2);
    FilterLoads loads;
    ASSERT_TRUE(CurrentFilterLoads(*table.filter_policy, &loads));
    if (cached) {
      EXPECT_EQ(loads.blocks, 0u);
    } else {
      EXPECT_GE(loads.blocks, 4u);
    }
  }
}

}  // namespace
}  // namespace winnow
