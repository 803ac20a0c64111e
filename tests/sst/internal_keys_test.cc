#include "src/sst/internal_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/merge_operator.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::inspect {
namespace internal_keys_test {

using ROCKSDB_NAMESPACE::BytewiseComparator;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::ElementsAre;
using testing::KeyOf;
using testing::MakeOptions;
using testing::TableWith;
using testing::WriteSst;

TEST(ParseInternalKeyTest, SequenceAndTypeStandAtTheEnd) {
  using namespace std::string_view_literals;
  const auto key = ParseInternalKey("key\x02\x01\x00\x00\x00\x00\x00\x80"sv);
  ASSERT_TRUE(key);
  EXPECT_EQ(key->user_key, "key");
  EXPECT_EQ(key->type, 2);
  EXPECT_EQ(key->sequence, 0x80000000000001u);
  EXPECT_EQ(ParseInternalKey("8 bytes.")->user_key, "");
  EXPECT_FALSE(ParseInternalKey("7 bytes"));
  EXPECT_FALSE(ParseInternalKey(""));
}

TEST(NameOfTypeTest, UnknownTypesHaveTheirNumber) {
  EXPECT_EQ(NameOfType(0), "deletion");
  EXPECT_EQ(NameOfType(1), "value");
  EXPECT_EQ(NameOfType(77), "type 77");
}

class InternalKeysTest : public ::testing::Test {
 protected:
  // Returns the path of the database's only SST file.
  std::string TableFile() {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "db")) {
      if (entry.path().extension() == ".sst") return entry.path().string();
    }
    return "none";
  }

  void Open(const std::string& path, const ROCKSDB_NAMESPACE::Comparator* comparator) {
    const ROCKSDB_NAMESPACE::Status status = InternalKeys::Open(path, comparator, &keys_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<InternalKeys> keys_;
};

TEST_F(InternalKeysTest, DeletionsMergesAndOldVersionsAreThere) {
  ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("winnow:10"));
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString(
      testing::StrictConfig(), "stringappend", &options.merge_operator));
  {
    const auto database = testing::OpenDatabase(options, folder_ / "db");
    ASSERT_STATUS_OK(database->Put(WriteOptions(), "a", "old"));
    const ROCKSDB_NAMESPACE::Snapshot* snapshot = database->GetSnapshot();
    ASSERT_STATUS_OK(database->Put(WriteOptions(), "a", "newer"));
    ASSERT_STATUS_OK(database->Delete(WriteOptions(), "b"));
    ASSERT_STATUS_OK(database->SingleDelete(WriteOptions(), "c"));
    ASSERT_STATUS_OK(database->Merge(WriteOptions(), "d", "more"));
    ASSERT_STATUS_OK(
        database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(), "x", "z"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    database->ReleaseSnapshot(snapshot);
  }
  // Keys are read in the order of the file, whatever the comparator is.
  for (const auto* comparator :
       {BytewiseComparator(), ROCKSDB_NAMESPACE::ReverseBytewiseComparator()}) {
    Open(TableFile(), comparator);
    std::vector<std::string> entries;
    uint64_t last_sequence = 0;
    for (keys_->SeekToFirst(); keys_->Valid(); keys_->Next()) {
      entries.push_back(std::string(keys_->key().user_key) + " " + NameOfType(keys_->key().type) +
                        " " + std::string(keys_->value()));
      last_sequence = keys_->key().sequence;
    }
    EXPECT_TRUE(keys_->status().ok()) << keys_->status().ToString();
    EXPECT_THAT(entries, ElementsAre("a value newer", "a value old", "b deletion ",
                                     "c single deletion ", "d merge more"));
    EXPECT_EQ(last_sequence, 5u);
  }
  EXPECT_EQ(keys_->properties().num_entries, 6u);  // includes the range tombstone
}

TEST_F(InternalKeysTest, AllEntriesAreThereAndSeekGoesToTheNewestOfAKey) {
  WriteSst(testing::PartitionedTableWith("winnow:10"), 5'000, folder_ / "a.sst");
  Open(folder_ / "a.sst", BytewiseComparator());
  uint64_t count = 0;
  for (keys_->SeekToFirst(); keys_->Valid(); keys_->Next()) {
    ASSERT_EQ(keys_->key().user_key, KeyOf(count++));
  }
  EXPECT_EQ(count, 5'000u);
  EXPECT_TRUE(keys_->VerifyChecksums().ok());
  for (const uint64_t i : {4'999, 0, 1'234}) {
    keys_->Seek(KeyOf(i));
    ASSERT_TRUE(keys_->Valid()) << i;
    EXPECT_EQ(keys_->key().user_key, KeyOf(i));
    EXPECT_EQ(keys_->value(), "value");
  }
  keys_->SeekToLast();
  ASSERT_TRUE(keys_->Valid());
  EXPECT_EQ(keys_->key().user_key, KeyOf(4'999));
  keys_->Seek(KeyOf(77) + "and more");
  ASSERT_TRUE(keys_->Valid());
  EXPECT_EQ(keys_->key().user_key, KeyOf(78));
  keys_->Seek(KeyOf(5'000));
  EXPECT_FALSE(keys_->Valid());
  EXPECT_TRUE(keys_->status().ok());
}

TEST_F(InternalKeysTest, DamageIsAnErrorAndNoEnd) {
  WriteSst(TableWith("winnow:10"), 20'000, folder_ / "a.sst");
  std::string bytes = testing::ReadFile(folder_ / "a.sst");
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 4);
  testing::WriteFile(folder_ / "a.sst", bytes);
  Open(folder_ / "a.sst", BytewiseComparator());
  EXPECT_TRUE(keys_->VerifyChecksums().IsCorruption());
  uint64_t count = 0;
  for (keys_->SeekToFirst(); keys_->Valid(); keys_->Next()) {
    ++count;
  }
  EXPECT_LT(count, 20'000u);
  EXPECT_TRUE(keys_->status().IsCorruption()) << keys_->status().ToString();
  // What is no table is not opened.
  testing::WriteFile(folder_ / "a.sst", std::string(1'000, 'x'));
  EXPECT_TRUE(InternalKeys::Open(folder_ / "a.sst", BytewiseComparator(), &keys_).IsCorruption());
  EXPECT_FALSE(InternalKeys::Open(folder_ / "missing", BytewiseComparator(), &keys_).ok());
}

}  // namespace internal_keys_test
}  // namespace winnow::inspect
