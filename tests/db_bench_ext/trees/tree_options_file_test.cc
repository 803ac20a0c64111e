// Tests of how an OPTIONS file affects a tree.

#include "db_bench_ext/read_amplification/trees/tree_options_file.h"

#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <fstream>

#include "db_bench_ext/read_amplification/system/status.h"
#include "tests/support/files.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::bench {
namespace tree_options_file_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TreeOptionsFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<LoadedOptions> Load(const std::string& database, const std::string& family,
                                     const std::string& table,
                                     const std::string& factory = "BlockBasedTable") {
    std::ofstream(folder_ / "OPTIONS-000001")
        << "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
        << database << "\n[CFOptions \"default\"]\n"
        << family << "\n[TableOptions/" << factory << " \"default\"]\n"
        << table << "\n";
    return LoadTreeOptions(folder_ / "OPTIONS-000001");
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(TreeOptionsFileTest, OptionsAreTaken) {
  const auto loaded = Load("  max_subcompactions=3", "  compaction_style=kCompactionStyleUniversal",
                           "  block_size=8192");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->options.database.max_subcompactions, 3u);
  EXPECT_EQ(loaded->options.database.compaction_style, rocksdb::kCompactionStyleUniversal);
  EXPECT_EQ(loaded->options.table.block_size, 8192u);
  EXPECT_THAT(loaded->notes, IsEmpty());
}

TEST_F(TreeOptionsFileTest, FoldersOfTheFileAreNotUsed) {
  const auto loaded =
      Load("  wal_dir=/precious\n  db_log_dir=/precious\n  error_if_exists=true", "", "");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->options.database.wal_dir, "");
  EXPECT_EQ(loaded->options.database.db_log_dir, "");
  EXPECT_FALSE(loaded->options.database.error_if_exists);
  EXPECT_THAT(absl::StrJoin(loaded->notes, " "), HasSubstr("all is in the folder of --db"));
}

TEST_F(TreeOptionsFileTest, WhatCanNotBeMeasuredIsRefused) {
  EXPECT_THAT(
      std::string(
          Load("", "  comparator=rocksdb.ReverseBytewiseComparator", "").status().message()),
      HasSubstr("rocksdb.ReverseBytewiseComparator"));
  EXPECT_THAT(
      std::string(Load("", "  table_factory=PlainTable", "", "PlainTable").status().message()),
      HasSubstr("another table than BlockBasedTable"));
  EXPECT_THAT(std::string(Load("  nonsense=1", "", "").status().message()), HasSubstr("nonsense"));
  EXPECT_FALSE(LoadTreeOptions(folder_ / "absent").ok());
}

TEST_F(TreeOptionsFileTest, WhatRocksDBWritesIsRead) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 12345678;
  const std::string path = folder_ / "database";
  rocksdb_abi::OpenedDB opened{};
  ASSERT_TRUE(rocksdb::DB::Open(options, path, &opened).ok());
  rocksdb_abi::Own(std::move(opened)).reset();
  const auto loaded = LoadTreeOptions(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->options.database.write_buffer_size, 12345678u);
  EXPECT_THAT(loaded->path, HasSubstr("OPTIONS-"));
}

}  // namespace tree_options_file_test
}  // namespace winnow::bench
