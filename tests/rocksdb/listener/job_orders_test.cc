// Key order of a job, which a listener learns from RocksDB's events.

#include "src/rocksdb/listener/job_orders.h"

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/stackable_db.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/support/rocksdb_testing.h"

namespace winnow::plugin {
namespace job_orders_test {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushJobInfo;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::TableFileCreationBriefInfo;
using ROCKSDB_NAMESPACE::TableFileCreationInfo;
using ROCKSDB_NAMESPACE::TableProperties;

constexpr char kPath[] = "/database";
constexpr int kJob = 3;
constexpr uint32_t kFamily = 7;

// An in-memory database. Several of them may have one path.
struct InMemory {
  explicit InMemory(const ROCKSDB_NAMESPACE::Comparator* comparator,
                    const std::string& path = kPath) {
    Options options;
    options.create_if_missing = true;
    options.env = env.get();
    options.comparator = comparator;
    database = testing::OpenDatabase(options, path);
  }

  const std::unique_ptr<ROCKSDB_NAMESPACE::Env> env{
      ROCKSDB_NAMESPACE::NewMemEnv(ROCKSDB_NAMESPACE::Env::Default())};
  std::unique_ptr<DB> database;
};

FlushJobInfo FlushOf(uint32_t family, int job = kJob) {
  FlushJobInfo info{};
  info.cf_id = family;
  info.cf_name = family == 0 ? ROCKSDB_NAMESPACE::kDefaultColumnFamilyName : "family";
  info.job_id = job;
  return info;
}

TableFileCreationBriefInfo FileOf(const FlushJobInfo& job) {
  TableFileCreationBriefInfo info;
  info.db_name = kPath;
  info.cf_name = job.cf_name;
  info.job_id = job.job_id;
  return info;
}

class JobOrdersTest : public ::testing::Test {
 protected:
  KeyOrder OfFlush(uint32_t family, int job = kJob) {
    orders_.Begins(bytewise_.database.get(), FlushOf(family, job));
    return orders_.Of(FileOf(FlushOf(family, job)));
  }

  // Returns the order for a compaction whose inputs are a native file and an SstFileWriter file
  // with these comparators. Empty: no such file; "missing": no properties.
  KeyOrder OfCompaction(const std::string& native, const std::string& external) {
    CompactionJobInfo info;
    info.cf_id = kFamily + ++compactions_;
    info.cf_name = "family";
    info.job_id = kJob + static_cast<int>(compactions_);
    const auto add = [&info](const std::string& file, const std::string& comparator, bool is_own) {
      if (comparator.empty()) return;
      info.input_files.push_back(file);
      if (comparator == "missing") return;
      auto properties = std::make_shared<TableProperties>();
      properties->comparator_name = comparator;
      if (!is_own) properties->user_collected_properties["rocksdb.external_sst_file.version"] = "2";
      info.table_properties[file] = std::move(properties);
    };
    add("own", native, true);
    add("ingested", external, false);
    orders_.Begins(bytewise_.database.get(), info);
    return orders_.Of(FileOf(FlushOf(kFamily, info.job_id)));
  }

  InMemory bytewise_{ROCKSDB_NAMESPACE::BytewiseComparator()};
  const std::string name_ = ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
  uint32_t compactions_ = 0;
  JobOrders orders_;
};

TEST_F(JobOrdersTest, TheDefaultFamilyHasThatOfItsHandle) {
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(0))), KeyOrder::kUnknown) << "a job that did not begin";
  EXPECT_EQ(OfFlush(0), KeyOrder::kBytewise);
  orders_.Ends(bytewise_.database.get(), kJob, 0);
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(0))), KeyOrder::kUnknown);

  InMemory reverse(ROCKSDB_NAMESPACE::ReverseBytewiseComparator());
  JobOrders of_reverse;
  of_reverse.Begins(reverse.database.get(), FlushOf(0));
  EXPECT_EQ(of_reverse.Of(FileOf(FlushOf(0))), KeyOrder::kOther);
}

TEST_F(JobOrdersTest, AFamilyHasThatOfAnEarlierFile) {
  EXPECT_EQ(OfFlush(kFamily), KeyOrder::kUnknown);
  TableFileCreationInfo file{TableProperties()};
  file.db_name = kPath;
  file.cf_name = "family";
  file.job_id = kJob;
  file.table_properties.comparator_name = name_;
  orders_.Learn(file);
  orders_.Ends(bytewise_.database.get(), kJob, kFamily);
  EXPECT_EQ(OfFlush(kFamily), KeyOrder::kBytewise);
  EXPECT_EQ(OfFlush(kFamily + 1, kJob + 1), KeyOrder::kUnknown) << "another one of its name";
}

TEST_F(JobOrdersTest, AFamilyHasThatOfItsHandleUntilTheDatabaseEnds) {
  ColumnFamilyOptions reverse;
  reverse.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_STATUS_OK(bytewise_.database->CreateColumnFamily(reverse, "family", &family));
  orders_.Learn(bytewise_.database.get(), family);
  EXPECT_EQ(OfFlush(family->GetID()), KeyOrder::kOther);
  orders_.Closed(bytewise_.database->DefaultColumnFamily());
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(family->GetID()))), KeyOrder::kUnknown);
  EXPECT_EQ(OfFlush(family->GetID()), KeyOrder::kUnknown);
  ASSERT_STATUS_OK(bytewise_.database->DestroyColumnFamilyHandle(family));
}

// RocksDB before 8.7 ingests files with any comparator.
TEST_F(JobOrdersTest, ACompactionHasThatOfTheInputsThatTheDatabaseWrote) {
  EXPECT_EQ(OfCompaction(name_, ""), KeyOrder::kBytewise);
  EXPECT_EQ(OfCompaction(name_, "app.other"), KeyOrder::kBytewise);
  EXPECT_EQ(OfCompaction("app.other", name_), KeyOrder::kOther);
  EXPECT_EQ(OfCompaction("", name_), KeyOrder::kUnknown);
  EXPECT_EQ(OfCompaction("missing", name_), KeyOrder::kUnknown);
  EXPECT_EQ(OfCompaction(name_, "missing"), KeyOrder::kUnknown);
}

// RocksDB does not report the end of flushes that failed.
TEST_F(JobOrdersTest, OfADatabaseWithManyLostJobsTheLatestOnesAreKnown) {
  constexpr int kLost = 20'000;
  for (int job = 1; job <= kLost; ++job) {
    EXPECT_EQ(OfFlush(0, job), KeyOrder::kBytewise);
  }
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(0, kLost - 100))), KeyOrder::kBytewise);
}

// A database that does not tell its session.
class WithoutSession final : public ROCKSDB_NAMESPACE::StackableDB {
 public:
  // Does not own `database`.
  explicit WithoutSession(DB* database)
      : StackableDB(std::shared_ptr<DB>(std::shared_ptr<DB>(), database)) {}
  ROCKSDB_NAMESPACE::Status GetDbSessionId(std::string& /*session*/) const override {
    return ROCKSDB_NAMESPACE::Status::NotSupported();
  }
};

TEST_F(JobOrdersTest, OfADatabaseWithoutASessionNothingIsKnownButOfOthersAllIs) {
  InMemory other(ROCKSDB_NAMESPACE::BytewiseComparator(), "/other");
  WithoutSession hidden(other.database.get());
  orders_.Begins(&hidden, FlushOf(0));
  TableFileCreationBriefInfo file = FileOf(FlushOf(0));
  file.db_name = "/other";
  EXPECT_EQ(orders_.Of(file), KeyOrder::kUnknown);
  EXPECT_EQ(OfFlush(0), KeyOrder::kBytewise);
  orders_.Begins(other.database.get(), FlushOf(0));
  EXPECT_EQ(orders_.Of(file), KeyOrder::kBytewise) << "once it tells its session";
}

// Two databases have one path, and one of them is known by its jobs.
TEST_F(JobOrdersTest, OfADatabaseWithoutASessionAnotherOnesJobsDoNotCount) {
  InMemory reverse(ROCKSDB_NAMESPACE::ReverseBytewiseComparator());
  WithoutSession hidden(reverse.database.get());
  EXPECT_EQ(OfFlush(0), KeyOrder::kBytewise);
  orders_.Begins(&hidden, FlushOf(0));
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(0))), KeyOrder::kUnknown);
}

TEST_F(JobOrdersTest, OfTwoOpenDatabasesWithOnePathNothingIsKnown) {
  InMemory reverse(ROCKSDB_NAMESPACE::ReverseBytewiseComparator());
  EXPECT_EQ(OfFlush(0), KeyOrder::kBytewise);
  orders_.Begins(reverse.database.get(), FlushOf(0));
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(0))), KeyOrder::kUnknown);
  orders_.Closed(bytewise_.database->DefaultColumnFamily());
  EXPECT_EQ(orders_.Of(FileOf(FlushOf(0))), KeyOrder::kOther);
}

}  // namespace job_orders_test
}  // namespace winnow::plugin
