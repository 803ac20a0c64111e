// The listener's reports on files from compaction workers.

#include "src/rocksdb/remote/remote_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/listener/listener.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/compaction_service.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace remote_outputs_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePolicyFrom;
using ::testing::Not;

constexpr char kLine[] = "[winnow] compactions by other processes lose Winnow's filters: ";
constexpr int kKeys = 2000;

BlockBasedTableOptions TableWith(const std::string& policy) {
  BlockBasedTableOptions table;
  if (!policy.empty()) table.filter_policy = MakePolicyFrom(policy);
  return table;
}

BlockBasedTableOptions InPartitions(BlockBasedTableOptions table) {
  table.partition_filters = true;
  table.metadata_block_size = 512;
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  return table;
}

// Compaction service that runs jobs as a worker with this table factory, or leaves them to RocksDB.
class Workers final : public rocksdb_abi::CompactionService {
 public:
  explicit Workers(std::string prefix) : prefix_(std::move(prefix)) {}

  const char* Name() const override { return "RemoteOutputsTest.Workers"; }

  void Use(const BlockBasedTableOptions& table) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_local_ = false;
    override_.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }
  void UseLocal() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_local_ = true;
  }
  // Returns the number of jobs done since the last call.
  int TakeJobs() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(jobs_, 0);
  }

  JobStatus Start(const std::string& id, const Job& job, const std::string& input) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_local_) return JobStatus::kUseLocal;
    output_.clear();  // RocksDB appends to it
    const Status status = DB::OpenAndCompact(job.db_name, prefix_ + id, input, &output_, override_);
    EXPECT_TRUE(status.ok()) << status.ToString();
    ++jobs_;
    return JobStatus::kSuccess;
  }

  JobStatus Finish(const std::string& /*id*/, std::string* output) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    *output = output_;
    return JobStatus::kSuccess;
  }

 private:
  const std::string prefix_;  // prefix of job folders
  std::mutex mutex_;
  ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride override_;
  std::string output_;  // output of the single running job
  bool is_local_ = false;
  int jobs_ = 0;
};

class RemoteOutputsTest : public ::testing::Test {
 protected:
  RemoteOutputsTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  Options OptionsOf(const BlockBasedTableOptions& table) const {
    Options options = testing::MakeOptions(table);
    options.compaction_service = workers_;
    options.max_subcompactions = 1;
    options.listeners.push_back(winnow::NewListener(table.filter_policy));
    return options;
  }

  void Open(const Options& options) {
    database_.reset();
    database_ = testing::OpenDatabase(options, path_);
    ASSERT_NE(database_, nullptr);
  }

  // Flushes two files and compacts them to the last level.
  void Compact(ColumnFamilyHandle* family = nullptr) {
    if (family == nullptr) family = database_->DefaultColumnFamily();
    for (int flush = 0; flush < 2; ++flush) {
      for (int key = 0; key < kKeys; ++key) {
        ASSERT_STATUS_OK(database_->Put(WriteOptions(), family, std::to_string(key), "value"));
      }
      ASSERT_STATUS_OK(database_->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
    }
    ROCKSDB_NAMESPACE::CompactRangeOptions how;
    how.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    ASSERT_STATUS_OK(database_->CompactRange(how, family, nullptr, nullptr));
  }

  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const std::string& line : testing::LinesThatBegin(testing::ReadFile(path_ + "/LOG"), "")) {
      if (const size_t at = line.find(kLine); at != std::string::npos) {
        lines.push_back(line.substr(at));
      }
    }
    return lines;
  }

  // Returns the listener's first line, or an empty string. RocksDB calls listeners before a
  // compaction returns, so the line is in the LOG by then.
  std::string FirstLine() const {
    const std::vector<std::string> lines = Lines();
    return lines.empty() ? std::string() : lines.front();
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  const std::shared_ptr<Workers> workers_ = std::make_shared<Workers>(folder_ / "job-");
  std::unique_ptr<DB> database_;
};

struct Worker {
  const char* policy;
  bool has_partitions;
  const char* said;
};

class RemoteOutputsOfWorkerTest : public RemoteOutputsTest,
                                  public ::testing::WithParamInterface<Worker> {};

TEST_P(RemoteOutputsOfWorkerTest, AreSaidAtOnceWithWhatToDo) {
  for (const char* const policy :
       {"winnow:10", "{id=winnow;level_plan=auto}", "{id=winnow;filter_memory=1MiB}"}) {
    Open(OptionsOf(TableWith(policy)));
    const BlockBasedTableOptions table = TableWith(GetParam().policy);
    workers_->Use(GetParam().has_partitions ? InPartitions(table) : table);
    Compact();
    EXPECT_THAT(FirstLine(),
                AllOf(HasSubstr(path_ + "/"), HasSubstr(".sst of column family default "),
                      HasSubstr(GetParam().said), HasSubstr("winnow::PrepareOpenAndCompact"),
                      HasSubstr("libwinnow_preload.so"),
                      HasSubstr("; `winnow inspect " + path_ + "` lists all such files")))
        << policy;
    Compact();
    EXPECT_GE(workers_->TakeJobs(), 2);
    database_.reset();
    EXPECT_EQ(Lines().size(), 1u) << "in ten minutes";
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, RemoteOutputsOfWorkerTest,
    ::testing::Values(
        Worker{"", false, "has no filter, as the worker's table_factory has no"},
        Worker{"bloomfilter:10", false, "a filter of RocksDB's policy \"bloomfilter\""},
        Worker{"ribbonfilter:10", true, "a filter of RocksDB's policy \"ribbonfilter\""}));

// The last compaction alone deserves a report, so the first line must be about it.
TEST_F(RemoteOutputsTest, ThatAreAsTheyShouldBeAreNot) {
  Options options = OptionsOf(TableWith("winnow:10"));
  options.create_missing_column_families = true;
  ColumnFamilyOptions foreign(options);
  foreign.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(TableWith("bloomfilter:10")));
  ColumnFamilyOptions without_last(options);
  without_last.optimize_filters_for_hits = true;
  std::vector<ColumnFamilyHandle*> handles;
  rocksdb_abi::OpenedDB opened{};
  ASSERT_STATUS_OK(DB::Open(options, path_,
                            {{ROCKSDB_NAMESPACE::kDefaultColumnFamilyName, options},
                             {"foreign", foreign},
                             {"without last", without_last}},
                            &handles, &opened));
  database_ = rocksdb_abi::Own(std::move(opened));
  workers_->UseLocal();
  for (ColumnFamilyHandle* const handle : handles) Compact(handle);
  workers_->Use(TableWith("winnow:10"));
  for (ColumnFamilyHandle* const handle : handles) Compact(handle);
  workers_->Use(TableWith("bloomfilter:10"));
  Compact(handles[1]);
  EXPECT_GE(workers_->TakeJobs(), 4);
  workers_->Use(TableWith(""));
  Compact(handles[2]);
  EXPECT_THAT(FirstLine(), HasSubstr(" of column family without last "));
  for (ColumnFamilyHandle* const handle : handles) {
    ASSERT_STATUS_OK(database_->DestroyColumnFamilyHandle(handle));
  }
}

// Other rates are none: a worker of other options keeps the filters.
TEST_F(RemoteOutputsTest, OfWinnowByOtherOptionsAreNot) {
  for (const bool has_partitions : {false, true}) {
    for (const char* const primary : {"{id=winnow;level_plan=uniform}", "winnow:10"}) {
      const BlockBasedTableOptions table = TableWith("winnow:3");
      Open(OptionsOf(TableWith(primary)));
      workers_->Use(has_partitions ? InPartitions(table) : table);
      Compact();
      EXPECT_GE(workers_->TakeJobs(), 1);
      database_.reset();
      EXPECT_THAT(testing::ReadFile(path_ + "/LOG"), Not(HasSubstr("by other processes")))
          << primary;
      ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options()));
    }
  }
}

// No flush tells the listener which policy the column family has.
TEST_F(RemoteOutputsTest, AreKnownByTheirInputs) {
  workers_->UseLocal();
  Open(OptionsOf(TableWith("winnow:10")));
  Compact();
  Open(OptionsOf(TableWith("winnow:10")));
  workers_->Use(TableWith(""));
  ROCKSDB_NAMESPACE::CompactRangeOptions how;
  how.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(database_->CompactRange(how, nullptr, nullptr));
  EXPECT_THAT(FirstLine(), HasSubstr("has no filter"));
}

// Calls the listener's check for files of a closed database.
class RemoteJobTest : public RemoteOutputsTest {
 protected:
  void Write(const std::string& policy) {
    Open(testing::MakeOptions(TableWith(policy)));
    Compact();
    std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
    database_->GetLiveFilesMetaData(&files);
    ASSERT_FALSE(files.empty());
    there_ = files.front().directory + files.front().name;
    database_.reset();
  }

  std::string LineOf(const std::vector<std::string>& paths) {
    return LostFilterLine({ROCKSDB_NAMESPACE::Env::Default(), path_, "family", true, paths});
  }

  std::string there_;
  const std::string gone_ = path_ + "/999999.sst";
};

// A file may have been compacted again before the check.
TEST_F(RemoteJobTest, SaysNothingOfFilesThatAreGone) {
  Write("");
  EXPECT_EQ(LineOf({gone_}), "");
  EXPECT_EQ(LineOf({gone_, gone_}), "");
  EXPECT_THAT(LineOf({gone_, there_}),
              HasSubstr(there_ + " of column family family has no filter"));
}

TEST_F(RemoteJobTest, LooksAtEightOthersAtMost) {
  Write("");
  std::vector<std::string> paths(RemoteJob::kMaxOthers + 1, gone_);
  paths.push_back(there_);
  EXPECT_EQ(LineOf(paths), "");
  paths.erase(paths.begin());
  EXPECT_NE(LineOf(paths), "");
}

TEST(FaultOfOutput, IsNoneOfAFileThatNeedsNoFilter) {
  const auto fault = [](const std::string& policy, uint64_t filter, bool all_have) {
    TableProperties properties;
    properties.num_entries = 10;
    properties.num_range_deletions = 3;
    properties.filter_policy_name = policy;
    properties.filter_size = filter;
    return FaultOfOutput(properties, false, all_have);
  };
  EXPECT_THAT(fault("winnow.Filter", 100, true), IsEmpty());
  EXPECT_THAT(fault("winnow.Filter", 0, false), IsEmpty());
  EXPECT_THAT(fault("bloomfilter", 0, false), IsEmpty());
  EXPECT_THAT(fault("winnow.Filter", 0, true), HasSubstr("has no filter"));
  EXPECT_THAT(fault("other", 0, false), HasSubstr("the worker's policy \"other\" built none"));
  EXPECT_THAT(fault("other", 100, false), HasSubstr("a filter of the policy \"other\""));
  TableProperties deletions;
  deletions.num_entries = deletions.num_range_deletions = 3;
  EXPECT_THAT(FaultOfOutput(deletions, false, true), IsEmpty());
  TableProperties interposed;
  interposed.num_entries = 10;
  interposed.filter_size = 100;
  interposed.filter_policy_name = "bloomfilter";
  EXPECT_THAT(FaultOfOutput(interposed, true, true), IsEmpty());
  TableProperties prefixes;
  prefixes.num_entries = 10;
  prefixes.filter_policy_name = "winnow.Filter";
  prefixes.user_collected_properties["rocksdb.block.based.table.whole.key.filtering"] = "0";
  EXPECT_THAT(FaultOfOutput(prefixes, false, true), IsEmpty());
}

}  // namespace remote_outputs_test
}  // namespace winnow::plugin
