// Tests of reading SST files in worker processes: reports are equal, and a crash of one reader
// affects no other file.

#include "src/database/read_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/database/tree_levels.h"
#include "src/workers/wire.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::inspect {
namespace read_tables_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::PartitionedTableWith;
using testing::TableWith;
using testing::TemporaryFolder;
using testing::WriteSst;

std::vector<std::string> Numbers(int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) {
    paths.push_back(std::to_string(i));
  }
  return paths;
}

SstReport ReportOf(const std::string& path) {
  SstReport report;
  report.path = path;
  report.entries = std::stoull(path) * 3;
  report.filter.emplace();
  return report;
}

TEST(ReadTablesTest, WorkersGiveWhatOneProcessGives) {
  TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 30; ++i) {
    paths.push_back(folder / (std::to_string(i) + ".sst"));
    const char* policies[] = {"winnow:10", "bloomfilter:10", "ribbonfilter:10:-1", ""};
    if (i % 5 == 4) {
      WriteSst(PartitionedTableWith("winnow:12"), 3'000, paths.back());
    } else {
      WriteSst(TableWith(policies[i % 5]), static_cast<uint64_t>(i) * 40 + 1, paths.back());
    }
  }
  paths.push_back(folder / "missing.sst");
  const std::string here = Pack(ReadTables(paths, {}));
  for (const int workers : {1, 2, 7}) {
    TableReading reading;
    reading.workers = workers;
    EXPECT_EQ(Pack(ReadTables(paths, reading)), here) << workers;
    EXPECT_TRUE(ReadTables({}, reading).empty());
  }
}

TEST(ReadTablesTest, FilesThatEndTheirReaderAreNamedAndTheOthersRead) {
  const std::vector<std::string> paths = Numbers(1'000);
  TableReading reading;
  reading.workers = 3;
  reading.read = [](const std::string& path) {
    if (path == "0" || path == "7" || path == "8" || path == "999") {
      std::abort();
    }
    return ReportOf(path);
  };
  std::vector<size_t> told;
  reading.progress = [&told](size_t done, size_t total) {
    EXPECT_EQ(total, 1'000u);
    told.push_back(done);
  };
  const std::vector<SstReport> reports = ReadTables(paths, reading);
  ASSERT_EQ(reports.size(), 1'000u);
  for (size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].path, paths[i]);
    if (i == 0 || i == 7 || i == 8 || i == 999) {
      EXPECT_FALSE(reports[i].filter);
      EXPECT_THAT(reports[i].error.value_or(""),
                  AllOf(HasSubstr("did not get through"), HasSubstr("signal 6")));
    } else {
      EXPECT_FALSE(reports[i].error) << *reports[i].error;
      EXPECT_EQ(reports[i].entries, i * 3);
    }
  }
  EXPECT_EQ(told.back(), 1'000u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
}

TEST(ReadTablesTest, AFileThatHangsItsReaderIsGivenUpOn) {
  const std::vector<std::string> paths = Numbers(5);
  TableReading reading;
  reading.workers = 2;
  reading.longest_silence = std::chrono::seconds(60);
  // The simulated clock stops until the other files are read.
  size_t read = 0;
  reading.progress = [&read](size_t done, size_t) { read = done + 1; };
  reading.now = [&read] {
    return std::chrono::steady_clock::time_point() + std::chrono::minutes(read == 4 ? 2 : 0);
  };
  reading.read = [](const std::string& path) {
    while (path == "3") {
      pause();
    }
    return ReportOf(path);
  };
  const std::vector<SstReport> reports = ReadTables(paths, reading);
  EXPECT_THAT(reports[3].error.value_or(""), HasSubstr("did nothing for 60 s"));
  for (const size_t other : {0u, 1u, 2u, 4u}) {
    EXPECT_FALSE(reports[other].error);
  }
}

TEST(ReportBytesTest, APartIsNotTaken) {
  TemporaryFolder folder;
  WriteSst(PartitionedTableWith("winnow:10"), 3'000, folder / "a.sst");
  const std::string bytes = Pack(std::vector<SstReport>{ReadSst(folder / "a.sst"), ReportOf("5")});
  const auto whole = Unpack<std::vector<SstReport>>(bytes);
  ASSERT_TRUE(whole);
  EXPECT_EQ(Pack(*whole), bytes);
  EXPECT_GT(whole->front().filter->partitions, 1);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Unpack<std::vector<SstReport>>(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(Unpack<std::vector<SstReport>>(bytes + "x"));
}

TEST(ReportBytesTest, TreesComeBack) {
  TreeLevels tree;
  tree.files["db/000007.sst"] = {3, std::string("fam\0ily", 7), 99, 4, ""};
  tree.files["db/000009.sst"] = {0, "default", 7, 5, "there is no such file"};
  tree.remark = "a remark";
  const std::string bytes = Pack(tree);
  const auto back = Unpack<TreeLevels>(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(Pack(*back), bytes);
  EXPECT_EQ(back->files.at("db/000007.sst").column_family.size(), 7u);
  EXPECT_EQ(back->files.at("db/000007.sst").place, 4u);
  EXPECT_EQ(back->files.at("db/000009.sst").not_found, "there is no such file");
  EXPECT_FALSE(Unpack<TreeLevels>(bytes.substr(1)));
}

}  // namespace read_tables_test
}  // namespace winnow::inspect
