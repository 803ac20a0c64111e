// Compactions for another process that run within each other.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "src/preload/interposed_policy.h"
#include "src/preload/open_and_compact.h"
#include "src/rocksdb/builders/last_built_filter.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/compaction_service.h"

namespace winnow::preload {
namespace preload_open_and_compact_test {

// WINNOW_POLICY is read once per process, so it is set before main().
[[maybe_unused]] const int environment_is_set = ::setenv("WINNOW_POLICY", "winnow:10", 1);

// Keeps the input of a job, and lets RocksDB do the job itself.
class Jobs final : public rocksdb_abi::CompactionService {
 public:
  const char* Name() const override { return "jobs"; }
  JobStatus Start(const std::string&, const Job&, const std::string& job) override {
    input = job;
    return JobStatus::kUseLocal;
  }
  JobStatus Finish(const std::string&, std::string*) override { return JobStatus::kUseLocal; }

  std::string input;
};

std::optional<plugin::KeyOrder> OrderHere() {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
  context.reason = ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  context.column_family_name = "default";
  return plugin::OrderOfJobHere(context);
}

CompactionOverride With(const char* policy) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.filter_policy = Interpose(testing::MakePolicyFrom(policy));
  CompactionOverride options;
  options.comparator = ROCKSDB_NAMESPACE::BytewiseComparator();
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

TEST(WorkerCompactionTest, OneThatRunsWithinAnotherLeavesItsOrderOfKeys) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "db";
  const auto jobs = std::make_shared<Jobs>();
  ROCKSDB_NAMESPACE::Options options = testing::MakeOptions({});
  options.compaction_service = jobs;
  const auto database = testing::OpenDatabase(options, path);
  for (int file = 0; file < 2; ++file) {
    for (const char* const key : {"a", "z"}) {
      ASSERT_STATUS_OK(database->Put({}, key, "value"));
    }
    ASSERT_STATUS_OK(database->Flush({}));
  }
  ASSERT_STATUS_OK(database->CompactRange({}, nullptr, nullptr));
  ASSERT_NE(jobs->input, "");

  const CompactionOverride given = With("bloomfilter:10");
  CompactionOverride without_factory;
  without_factory.comparator = given.comparator;
  EXPECT_EQ(OrderHere(), std::nullopt);
  {
    const WorkerCompaction outer(path, jobs->input, given);
    EXPECT_EQ(OrderHere(), plugin::KeyOrder::kBytewise);
    {
      const WorkerCompaction inner(path, jobs->input, given);
      EXPECT_EQ(OrderHere(), plugin::KeyOrder::kBytewise);
    }
    EXPECT_EQ(OrderHere(), plugin::KeyOrder::kBytewise);
    {
      const WorkerCompaction inner(path, jobs->input, without_factory);
      EXPECT_EQ(OrderHere(), std::nullopt) << "the outer one's, which may be another family";
    }
    EXPECT_EQ(OrderHere(), plugin::KeyOrder::kBytewise);
  }
  EXPECT_EQ(OrderHere(), std::nullopt);
}

}  // namespace preload_open_and_compact_test
}  // namespace winnow::preload
