// The listener's reports on files from compaction workers.

#include "src/rocksdb/remote/remote_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/listener/listener.h"
#include "tests/rocksdb/remote/workers.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace remote_outputs_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::TableProperties;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePolicyFrom;

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

  // Has workers with this table compact from now on.
  void UseWorkers(const BlockBasedTableOptions& table) {
    workers_->works = true;
    workers_->unprepared.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }

  void Open(const Options& options) {
    database_.reset();
    database_ = testing::OpenDatabase(options, path_);
    ASSERT_NE(database_, nullptr);
  }

  // Flushes two files and compacts them to the last level.
  void Compact() { Compact(database_.get(), database_->DefaultColumnFamily()); }
  static void Compact(DB* database, ColumnFamilyHandle* family) {
    for (int flush = 0; flush < 2; ++flush) {
      for (int key = 0; key < kKeys; ++key) {
        ASSERT_STATUS_OK(database->Put(WriteOptions(), family, std::to_string(key), "value"));
      }
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
    }
    ROCKSDB_NAMESPACE::CompactRangeOptions how;
    how.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    ASSERT_STATUS_OK(database->CompactRange(how, family, nullptr, nullptr));
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
  const std::shared_ptr<Workers> workers_ = std::make_shared<Workers>(folder_.path());
  std::unique_ptr<DB> database_;
};

TEST_F(RemoteOutputsTest, AreSaidAtOnceWithWhatToDo) {
  const struct {
    const char* policy;
    const char* of_worker;
    bool has_partitions;
    const char* said;
  } rows[] = {{"winnow:10", "", false, "has no filter, as the worker's table_factory has no"},
              {"{id=winnow;level_plan=uniform}", "bloomfilter:10", false,
               "a filter of RocksDB's policy \"bloomfilter\""},
              {"{id=winnow;filter_memory=1MiB}", "ribbonfilter:10", true,
               "a filter of RocksDB's policy \"ribbonfilter\""}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.said);
    Open(OptionsOf(TableWith(row.policy)));
    const BlockBasedTableOptions table = TableWith(row.of_worker);
    UseWorkers(row.has_partitions ? InPartitions(table) : table);
    Compact();
    EXPECT_THAT(FirstLine(),
                AllOf(HasSubstr(path_ + "/"), HasSubstr(".sst of column family default "),
                      HasSubstr(row.said), HasSubstr("winnow::PrepareOpenAndCompact"),
                      HasSubstr("libwinnow_preload.so"),
                      HasSubstr("; `winnow inspect " + path_ + "` lists all such files")));
    Compact();
    EXPECT_GE(std::exchange(workers_->done, 0), 2) << workers_->status.ToString();
    database_.reset();
    EXPECT_EQ(Lines().size(), 1u) << "in ten minutes";
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options()));
  }
}

// The last compaction alone deserves a report, so the first line must be about it.
TEST_F(RemoteOutputsTest, ThatAreAsTheyShouldBeAreNot) {
  Options options = OptionsOf(TableWith("winnow:10"));
  options.create_missing_column_families = true;
  ColumnFamilyOptions foreign(options);
  foreign.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(TableWith("bloomfilter:10")));
  ColumnFamilyOptions without_last(options);
  without_last.optimize_filters_for_hits = true;
  testing::OpenFamilies opened;
  opened.Open(options, path_,
              {{"default", options}, {"foreign", foreign}, {"without last", without_last}});
  ASSERT_NE(opened.database, nullptr);
  workers_->works = false;
  const auto compact = [&](size_t family) {
    Compact(opened.database.get(), opened.handles[family]);
  };
  for (size_t family = 0; family < 3; ++family) compact(family);
  UseWorkers(TableWith("winnow:10"));
  for (size_t family = 0; family < 3; ++family) compact(family);
  UseWorkers(TableWith("bloomfilter:10"));
  compact(1);
  EXPECT_GE(workers_->done, 4) << workers_->status.ToString();
  UseWorkers(TableWith(""));
  compact(2);
  EXPECT_THAT(FirstLine(), HasSubstr(" of column family without last "));
}

// No flush tells the listener which policy the column family has.
TEST_F(RemoteOutputsTest, AreKnownByTheirInputs) {
  workers_->works = false;
  Open(OptionsOf(TableWith("winnow:10")));
  Compact();
  Open(OptionsOf(TableWith("winnow:10")));
  UseWorkers(TableWith(""));
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
