// What files are that are no block-based tables, said before RocksDB reads them.

#include "src/inspect/table_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <string>

#include "src/inspect/sst_filters.h"
#include "tests/files.h"
#include "tests/inspect_testing.h"

namespace winnow::inspect {
namespace {

using ::testing::HasSubstr;
using testing::MakeOptions;
using testing::ReadFile;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class TableFormTest : public ::testing::Test {
 protected:
  std::string Why(const std::string& bytes) {
    WriteFile(path_, bytes);
    return WhyNoTable(path_).value_or("");
  }

  void Write(const ROCKSDB_NAMESPACE::Options& options) {
    ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
    ASSERT_STATUS_OK(writer.Open(path_));
    ASSERT_STATUS_OK(writer.Put("key00001", "value"));
    ASSERT_STATUS_OK(writer.Put("key00002", "value"));
    ASSERT_STATUS_OK(writer.Finish());
  }

  testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "file.sst";
};

TEST_F(TableFormTest, BlockBasedTablesOfAllVersionsAreRight) {
  for (const uint32_t version : {2u, 3u, 4u, 5u}) {
    auto table = TableWith("winnow:10");
    table.format_version = version;
    WriteSst(table, 100, path_);
    EXPECT_EQ(WhyNoTable(path_).value_or(""), "") << version;
  }
}

TEST_F(TableFormTest, PlainTables) {
  ROCKSDB_NAMESPACE::Options options;
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(4));
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewPlainTableFactory());
  options.allow_mmap_reads = true;
  Write(options);
  EXPECT_THAT(WhyNoTable(path_).value_or(""), HasSubstr("it is a plain table"));
  EXPECT_THAT(ReadSst(path_).error.value_or(""), HasSubstr("it is a plain table"));
}

TEST_F(TableFormTest, CuckooTables) {
  ROCKSDB_NAMESPACE::Options options;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewCuckooTableFactory());
  Write(options);
  EXPECT_THAT(ReadSst(path_).error.value_or(""), HasSubstr("it is a cuckoo table"));
}

TEST_F(TableFormTest, CutOffFilesOfAllLengths) {
  WriteSst(TableWith("winnow:10"), 100, path_);
  const std::string whole = ReadFile(path_);
  EXPECT_EQ(Why(""), "it is empty: 0 bytes");
  EXPECT_THAT(Why("x"), HasSubstr("1 byte is less"));
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THAT(Why(whole.substr(0, size)), HasSubstr("cut off")) << size;
  }
  EXPECT_EQ(Why(whole), "");
}

TEST_F(TableFormTest, VersionsOfTheFutureAreNamed) {
  WriteSst(TableWith("winnow:10"), 100, path_);
  std::string bytes = ReadFile(path_);
  bytes[bytes.size() - 12] = 99;
  EXPECT_THAT(Why(bytes), HasSubstr("version 99, of a newer RocksDB: this program has RocksDB"));
  EXPECT_THAT(ReadSst(path_).error.value_or(""), HasSubstr("version 99"));
}

TEST_F(TableFormTest, AnyBytesAreAllowed) {
  EXPECT_TRUE(WhyNoTable(std::string_view(), 0));
  EXPECT_TRUE(WhyNoTable(std::string(53, '\xff'), 1'000));
  EXPECT_FALSE(WhyNoTable(folder_ / "missing"));
  EXPECT_FALSE(WhyNoTable(folder_.path()));
}

}  // namespace
}  // namespace winnow::inspect
