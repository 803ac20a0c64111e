// Tables of filter use in the LOG of a database that only reads.

#include "src/rocksdb/use_log.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/use/use_text.h"
#include "tests/support/files.h"
#include "tests/support/keeping_logger.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace use_log_test {

using ROCKSDB_NAMESPACE::DB;

int Count(const testing::KeepingLogger& log, const std::string& begin) {
  return static_cast<int>(
      std::count_if(log.lines.begin(), log.lines.end(),
                    [&](const std::string& line) { return line.rfind(begin, 0) == 0; }));
}

std::unique_ptr<DB> Open(const std::string& folder,
                         std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.filter_policy = testing::MakePolicyFrom("winnow:10");
  ROCKSDB_NAMESPACE::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.info_log = std::move(log);
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  rocksdb_abi::OpenedDB opened{};
  const ROCKSDB_NAMESPACE::Status status = DB::Open(options, folder, &opened);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return rocksdb_abi::Own(std::move(opened));
}

TEST(UseLogTest, ADatabaseThatOnlyReadsGetsTheTableEveryTenMinutes) {
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const testing::TemporaryFolder folder;
  const std::string path = folder / "db";
  {
    const std::unique_ptr<DB> db = Open(path, nullptr);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(db->Put({}, "key " + std::to_string(i), "value").ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }
  constexpr char kTable[] = "[winnow] what filters answered, by policy, column family and level";
  constexpr char kTotals[] = "[winnow] this process has ";
  const auto log = std::make_shared<testing::KeepingLogger>();
  std::unique_ptr<DB> db = Open(path, log);
  const auto opened = std::chrono::steady_clock::now();
  SetMeanGap(1);
  std::string value;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(db->Get({}, "key " + std::to_string(i) + "x", &value).IsNotFound());
  }
  SetMeanGap(kNoSetGap);
  EXPECT_EQ(Count(*log, kTable), 0);
  LoadMeter::WriteUse(opened + kUseInterval);
  EXPECT_EQ(Count(*log, kTable), 1);
  EXPECT_EQ(Count(*log, kTotals), 1);
  LoadMeter::WriteUse(opened + kUseInterval + std::chrono::seconds(1));
  EXPECT_EQ(Count(*log, kTable), 1);
  LoadMeter::WriteUse(opened + 2 * kUseInterval);
  EXPECT_EQ(Count(*log, kTable), 2);

  // Its filters are gone, while the program keeps the logger.
  db.reset();
  LoadMeter::WriteUse(opened + 3 * kUseInterval);
  EXPECT_EQ(Count(*log, kTable), 2);
}

}  // namespace use_log_test
}  // namespace winnow::plugin
