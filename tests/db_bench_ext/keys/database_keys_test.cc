// Tests of reading the keys of databases and SST files.

#include "db_bench_ext/read_amplification/keys/database_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/existing_database.h"
#include "db_bench_ext/read_amplification/report/report.h"
#include "tests/db_bench_ext/keys/key_strings.h"
#include "tests/support/files.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::bench {
namespace database_keys_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DatabaseKeysTest : public ::testing::Test {
 protected:
  // Makes a database over several files in which 'b' was deleted and 'c' written twice.
  std::string MakeDatabase(const rocksdb::Comparator* comparator) {
    const std::string path = folder_ / "db";
    rocksdb::Options options;
    options.create_if_missing = true;
    options.comparator = comparator;
    rocksdb_abi::OpenedDB opened{};
    EXPECT_TRUE(rocksdb::DB::Open(options, path, &opened).ok());
    const std::unique_ptr<rocksdb::DB> db = rocksdb_abi::Own(std::move(opened));
    for (const char* key : {"c", "a", "b"}) EXPECT_TRUE(db->Put({}, key, "123").ok());
    EXPECT_TRUE(db->Flush({}).ok());
    EXPECT_TRUE(db->Delete({}, "b").ok());
    EXPECT_TRUE(db->Put({}, "c", "12345").ok());
    EXPECT_TRUE(db->Flush({}).ok());
    EXPECT_TRUE(db->Close().ok());
    return path;
  }

  std::string MakeSst(const std::string& name, const std::vector<std::string>& keys) {
    rocksdb::SstFileWriter writer{rocksdb::EnvOptions(), rocksdb::Options()};
    const std::string path = folder_ / name;
    EXPECT_TRUE(writer.Open(path).ok());
    for (const std::string& key : keys) EXPECT_TRUE(writer.Put(key, "12").ok());
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }

  absl::StatusOr<DatabaseKeys> Read(const std::string& from) {
    return ReadDatabaseKeys(from, &progress_, &stop_);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "db")) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const testing::TemporaryFolder folder_;
  std::atomic<bool> stop_{false};

 private:
  cli::ProgressLine progress_{"database_keys_test"};
};

TEST_F(DatabaseKeysTest, WhatADatabaseHasIsReadAndNothingChanges) {
  const std::string path = MakeDatabase(rocksdb::BytewiseComparator());
  const std::vector<std::string> before = Names();
  const auto read = Read(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(Strings(read->keys), ElementsAre("a", "c"));
  EXPECT_EQ(read->value_bytes, 8u);
  EXPECT_EQ(Names(), before);
}

// A single column family is read, and every report names the others.
TEST_F(DatabaseKeysTest, OtherColumnFamiliesAreNamed) {
  const std::string path = MakeDatabase(rocksdb::BytewiseComparator());
  EXPECT_EQ(Read(path)->note, "");
  {
    rocksdb_abi::OpenedDB opened{};
    ASSERT_TRUE(rocksdb::DB::Open(rocksdb::Options(), path, &opened).ok());
    const std::unique_ptr<rocksdb::DB> db = rocksdb_abi::Own(std::move(opened));
    for (int i = 0; i < 12; ++i) {
      rocksdb::ColumnFamilyHandle* family = nullptr;
      ASSERT_TRUE(db->CreateColumnFamily({}, "cf" + std::to_string(i), &family).ok());
      ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
    }
  }
  EXPECT_THAT(Read(path)->note, HasSubstr("The others: 'cf0', 'cf1', 'cf2', 'cf3', 'cf4', 'cf5', "
                                          "'cf6', 'cf7', 'cf8', 'cf9' and 2 more."));

  ExistingOptions options;
  cli::ProgressLine progress{"database_keys_test"};
  const auto measured = MeasureExisting(path, options, &progress, &stop_);
  ASSERT_TRUE(measured.ok()) << measured.status();
  const std::string note = "Only the column family 'default' was measured, of the 13 that";
  EXPECT_THAT(FullReport(*measured), HasSubstr("Note: " + note));
  EXPECT_THAT(inspect::ReadAmplificationJson(*measured, {}), HasSubstr(note));
}

TEST_F(DatabaseKeysTest, FilesGiveEachKeyOnceInOrder) {
  const std::string one = MakeSst("one.sst", {"b", "d"}), two = MakeSst("two.sst", {"a", "b", "c"});
  const auto read = Read(one + "," + two);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(Strings(read->keys), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(read->duplicates, 1u);
  EXPECT_EQ(read->value_bytes, 8u);
}

TEST_F(DatabaseKeysTest, WhatCantBeUsedIsSaid) {
  const std::string reverse = MakeDatabase(rocksdb::ReverseBytewiseComparator());
  EXPECT_THAT(std::string(Read(reverse).status().message()),
              HasSubstr("ordered by 'rocksdb.ReverseBytewiseComparator'"));
  EXPECT_THAT(std::string(Read(folder_ / "nowhere").status().message()), HasSubstr("nowhere"));
  testing::WriteFile(folder_ / "text.sst", "no table");
  EXPECT_FALSE(Read(folder_ / "text.sst").ok());
}

}  // namespace database_keys_test
}  // namespace winnow::bench
