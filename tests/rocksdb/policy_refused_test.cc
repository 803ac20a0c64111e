// Invalid policy options, in every way that they can reach a database but its opening, which fails
// (policy_test). Where RocksDB does not validate options, every file gets filters by the nearest
// valid ones, and one sentence is written to the LOG and to stderr.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/stderr_line.h"
#include "tests/support/asked_bits.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {
namespace policy_refused_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::FileFilter;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::ReadFilters;
using testing::TemporaryFolder;

constexpr int kKeys = 2000;  // per file

struct Refused {
  const char* options;  // value of filter_policy
  const char* reason;
  double nearest_bits;
};

std::string TestName(const ::testing::TestParamInfo<Refused>& info) {
  std::string name = info.param.options;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char byte) { return std::isalnum(byte) == 0; }, '_');
  return name;
}

// Returns options with a table factory that RocksDB creates from this text, without an error.
Options OptionsFrom(const std::string& policy) {
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  BlockBasedTableOptions table;
  EXPECT_TRUE(GetBlockBasedTableOptionsFromString(ConfigOptions(), BlockBasedTableOptions(),
                                                  "filter_policy=" + policy, &table)
                  .ok());
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

std::string Key(int number) { return "key" + std::to_string(1000000 + number); }

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class PolicyRefusedTest : public ::testing::TestWithParam<Refused> {
 protected:
  PolicyRefusedTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  std::unique_ptr<DB> Open(const Options& options) {
    rocksdb_abi::OpenedDB opened{};
    EXPECT_EQ(DB::Open(options, database_, &opened).ToString(), "OK");
    return rocksdb_abi::Own(std::move(opened));
  }

  static void WriteFile(DB* db, ColumnFamilyHandle* family) {
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), family, Key(i), "value"));
    }
    ASSERT_STATUS_OK(db->Flush(FlushOptions(), family));
  }

  // Returns what `change` writes to stderr.
  static std::string Said(const std::function<void()>& change) {
    ::testing::internal::CaptureStderr();
    const base::StderrDescriptor old = base::StderrAtStart();
    base::SetStderrAtStart(base::StderrNow());  // stderr at start differs from the program's
    change();
    base::SetStderrAtStart(old);
    return ::testing::internal::GetCapturedStderr();
  }

  void ExpectFiltersOfTheNearestBits(const std::string& folder, size_t files) {
    const std::vector<FileFilter> filters = ReadFilters(folder);
    EXPECT_EQ(filters.size(), files);
    for (const FileFilter& filter : filters) {
      EXPECT_NEAR(testing::AskedBits(filter.block), GetParam().nearest_bits, 0.01) << filter.file;
    }
  }

  // Expects one sentence on stderr and one in the database's LOG.
  void ExpectOneSentence(const std::string& said) {
    constexpr char kSentence[] = "can't be as it was asked for";
    EXPECT_EQ(Count(said, kSentence), 1u) << said;
    EXPECT_THAT(said, HasSubstr(GetParam().reason));
    const std::string log = ReadFile(database_ + "/LOG");
    EXPECT_EQ(Count(log, kSentence), 1u) << log;
  }

  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

TEST_P(PolicyRefusedTest, AColumnFamilyThatIsCreatedGetsGoodFilters) {
  const std::string said = Said([this] {
    const std::unique_ptr<DB> db = Open(OptionsFrom("nullptr"));
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(
        db->CreateColumnFamily(ColumnFamilyOptions(OptionsFrom(GetParam().options)), "f", &family));
    WriteFile(db.get(), family);
    WriteFile(db.get(), family);
    ASSERT_STATUS_OK(db->DestroyColumnFamilyHandle(family));
  });
  ExpectFiltersOfTheNearestBits(database_, 2);
  ExpectOneSentence(said);
}

TEST_P(PolicyRefusedTest, ARepairedDatabaseGetsGoodFilters) {
  {
    Options options = OptionsFrom("winnow");
    const std::unique_ptr<DB> db = Open(options);
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_STATUS_OK(db->Put(WriteOptions(), Key(i), "value"));
    }
  }
  // RepairDB makes tables of the WAL. It needs no MANIFEST, and leaves the table files as they are.
  const std::string said =
      Said([this] { ASSERT_STATUS_OK(RepairDB(database_, OptionsFrom(GetParam().options))); });
  ExpectFiltersOfTheNearestBits(database_, 1);
  EXPECT_EQ(Count(said, "can't be as it was asked for"), 1u) << said;
}

TEST_P(PolicyRefusedTest, AFileOfSstFileWriterGetsAGoodFilter) {
  const std::string said = Said([this] {
    const Options options = OptionsFrom(GetParam().options);
    for (const char* name : {"1.sst", "2.sst"}) {
      ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
      ASSERT_STATUS_OK(writer.Open(folder_ / name));
      for (int i = 0; i < kKeys; ++i) {
        ASSERT_STATUS_OK(writer.Put(Key(i), "value"));
      }
      ASSERT_STATUS_OK(writer.Finish());
    }
  });
  const std::unique_ptr<DB> db = Open(OptionsFrom("winnow"));
  ASSERT_STATUS_OK(db->IngestExternalFile({folder_ / "1.sst"}, {}));
  ASSERT_STATUS_OK(db->IngestExternalFile({folder_ / "2.sst"}, {}));
  ExpectFiltersOfTheNearestBits(database_, 2);
  EXPECT_EQ(Count(said, "can't be as it was asked for"), 1u) << said;
}

TEST_P(PolicyRefusedTest, ADatabaseThatIsOnlyReadSaysSo) {
  {
    const std::unique_ptr<DB> db = Open(OptionsFrom("winnow"));
    WriteFile(db.get(), db->DefaultColumnFamily());
  }
  const std::string said = Said([this] {
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(DB::OpenForReadOnly(OptionsFrom(GetParam().options), database_, &opened));
    const std::unique_ptr<DB> db = rocksdb_abi::Own(std::move(opened));
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
      ASSERT_STATUS_OK(db->Get({}, Key(i), &value));
    }
  });
  EXPECT_EQ(Count(said, "can't be as it was asked for"), 1u) << said;
  EXPECT_THAT(said, HasSubstr(GetParam().reason));
}

#if WINNOW_ROCKSDB_AT_LEAST(9, 8)
// RocksDB creates a new policy, which continues with the old one's options.
TEST_P(PolicyRefusedTest, ADatabaseWhosePolicyIsSetKeepsTheOldOptions) {
  const std::string said = Said([this] {
    const std::unique_ptr<DB> db = Open(OptionsFrom("winnow:14"));
    ASSERT_STATUS_OK(db->SetOptions({{"block_based_table_factory",
                                      "{filter_policy=" + std::string(GetParam().options) + "}"}}));
    WriteFile(db.get(), db->DefaultColumnFamily());
  });
  const std::vector<FileFilter> filters = ReadFilters(database_);
  ASSERT_EQ(filters.size(), 1u);
  EXPECT_NEAR(testing::AskedBits(filters[0].block), 14, 0.01);
  ExpectOneSentence(said);
}

TEST_P(PolicyRefusedTest, ADatabaseThatIsSetToItFromAnotherPolicyOrNoneGetsGoodFilters) {
  for (const char* const before : {"bloomfilter:12", "nullptr"}) {
    {
      const std::unique_ptr<DB> db = Open(OptionsFrom(before));
      ASSERT_STATUS_OK(
          db->SetOptions({{"block_based_table_factory",
                           "{filter_policy=" + std::string(GetParam().options) + "}"}}));
      WriteFile(db.get(), db->DefaultColumnFamily());
      // DB::Open would fail with such a policy.
      const Options options = db->GetOptions();
      EXPECT_TRUE(options.table_factory->ValidateOptions(options, options).IsInvalidArgument());
    }
    ExpectFiltersOfTheNearestBits(database_, 1);
    EXPECT_THAT(ReadFile(database_ + "/LOG"), HasSubstr("can't be as it was asked for"));
    ASSERT_STATUS_OK(DestroyDB(database_, Options()));
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(
    All, PolicyRefusedTest,
    ::testing::Values(Refused{"winnow:ten", "\"ten\"", 10}, Refused{"winnow:99", "\"99\"", 32},
                      Refused{"winnow:-3", "\"-3\"", 1}, Refused{"winnow:", "\"\"", 10},
                      Refused{"{id=winnow;bits_per_key=14;ribbon_min_keys=lots}", "\"lots\"", 14},
                      Refused{"{id=winnow:12;bits_per_keys=14}", "bits_per_keys", 12}),
    TestName);

}  // namespace policy_refused_test
}  // namespace winnow
