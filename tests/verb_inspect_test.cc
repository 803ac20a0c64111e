// `winnow inspect` as people and scripts run it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/child_process.h"
#include "tests/files.h"
#include "tests/inspect_testing.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyOf;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::RunProgram;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class VerbInspectTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {WINNOW_TOOL, "inspect"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProgram(command, environment);
  }

  json RunJson(std::vector<std::string> arguments, int code) {
    arguments.push_back("--json");
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, code) << outcome.errors;
    json document = json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(document.is_object()) << outcome.output;
    return document;
  }

  // A database of two families with files on two levels of the first, and one file in the other.
  void MakeFamilies(const std::string& path) {
    ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("winnow:10"));
    options.disable_auto_compactions = true;
    const auto db = OpenDatabase(options, path);
    Fill(db.get(), db->DefaultColumnFamily(), 4'000);
    ASSERT_STATUS_OK(db->CompactRange({}, nullptr, nullptr));
    Fill(db.get(), db->DefaultColumnFamily(), 1'000);
    ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;
    ASSERT_STATUS_OK(
        db->CreateColumnFamily(MakeOptions(TableWith("bloomfilter:10")), "other", &handle));
    Fill(db.get(), handle, 2'000);
    ASSERT_STATUS_OK(db->DestroyColumnFamilyHandle(handle));
  }

  static void Fill(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family,
                   uint64_t keys) {
    for (uint64_t i = 0; i < keys; ++i) {
      ASSERT_STATUS_OK(db->Put(ROCKSDB_NAMESPACE::WriteOptions(), family, KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
  }

  testing::TemporaryFolder folder_;
};

TEST_F(VerbInspectTest, SumsComeFirstAndRatesAreWeightedByKeys) {
  WriteSst(TableWith("winnow:10"), 30'000, folder_ / "a.sst");
  WriteSst(TableWith("winnow:4"), 3'000, folder_ / "b.sst");
  WriteSst(TableWith(""), 1'000, folder_ / "c.sst");
  const std::vector<std::string> paths = {folder_ / "a.sst", folder_ / "b.sst", folder_ / "c.sst"};
  const ChildResult outcome = Run(paths);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.rfind("3 files, 34000 entries; filters of ", 0), 0u) << outcome.output;
  EXPECT_LT(outcome.output.find("\nall"), outcome.output.find("a.sst"));
  EXPECT_THAT(outcome.output, HasSubstr("\nadvice: 1 file with 1,000 entries has no filter"));
  const json document = RunJson(paths, 0);
  const json& all = document.at("summary").at("all");
  EXPECT_EQ(all.at("files"), 3);
  EXPECT_EQ(all.at("files_without_filter"), 1);
  EXPECT_EQ(all.at("entries_without_filter"), 1'000);
  double keys = 0;
  double weighted = 0;
  double bound_bits = 0;
  double bytes = 0;
  for (const json& file : document.at("files")) {
    const json& filter = file.at("filter");
    const auto of_file = filter.at("keys").get<double>();
    keys += of_file;
    weighted += of_file * filter.at("expected_fpr").get<double>();
    bound_bits -= of_file * std::log2(filter.at("expected_fpr").get<double>());
    bytes += filter.at("bytes").get<double>();
  }
  EXPECT_EQ(keys, 33'000);
  EXPECT_NEAR(all.at("mean_expected_fpr").get<double>(), weighted / keys, 1e-9);
  EXPECT_GT(all["mean_expected_fpr"], 0.015);  // the mean over the three files is 0.4
  EXPECT_LT(all["mean_expected_fpr"], 0.035);
  EXPECT_NEAR(all.at("bound_bytes").get<double>(), bound_bits / 8, 1e-6);
  EXPECT_NEAR(all.at("bytes_above_bound").get<double>(), bytes - bound_bits / 8, 1e-6);
  EXPECT_GT(all["bytes_above_bound"], 0);
  EXPECT_THAT(document.at("advice").at(0).get<std::string>(), HasSubstr("has no filter"));
}

TEST_F(VerbInspectTest, FamiliesAndLevelsAreSummedAndChosen) {
  MakeFamilies(folder_ / "db");
  const json document = RunJson({folder_ / "db"}, 0);
  const json& summary = document.at("summary");
  ASSERT_EQ(summary.at("by_column_family").size(), 2u);
  EXPECT_EQ(summary["by_column_family"][0].at("column_family"), "default");
  EXPECT_EQ(summary["by_column_family"][0].at("keys"), 5'000);
  EXPECT_EQ(summary["by_column_family"][0].at("database"), folder_ / "db");
  EXPECT_EQ(summary["by_column_family"][1].at("column_family"), "other");
  EXPECT_EQ(summary["by_column_family"][1].at("keys"), 2'000);
  ASSERT_EQ(summary.at("by_level").size(), 2u);
  EXPECT_EQ(summary["by_level"][0].at("keys"), 3'000);
  const json other = RunJson({folder_ / "db", "--cf=other"}, 0);
  ASSERT_EQ(other.at("files").size(), 1u);
  EXPECT_EQ(other["files"][0].at("column_family"), "other");
  EXPECT_EQ(RunJson({folder_ / "db", "--cf=other,default"}, 0).at("files").size(), 3u);
  EXPECT_EQ(RunJson({folder_ / "db", "--cf=other", "--cf=default"}, 0).at("files").size(), 3u);
  const json top = RunJson({folder_ / "db", "--level=0", "--cf=default"}, 0);
  ASSERT_EQ(top.at("files").size(), 1u);
  EXPECT_EQ(top["files"][0].at("entries"), 1'000);
  EXPECT_EQ(top.at("summary").at("all").at("keys"), 1'000);
  EXPECT_EQ(RunJson({folder_ / "db", "--level=0,1,2,3,4,5,6"}, 0).at("files").size(), 3u);
  const ChildResult text = Run({folder_ / "db"});
  EXPECT_THAT(text.output, AllOf(HasSubstr("\ncolumn family"), HasSubstr("\nother  "),
                                 HasSubstr("\nlevel"), HasSubstr("\n0      ")));
  const ChildResult wrong = Run({folder_ / "db", "--cf=othr"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("othr; there are: default, other"));
}

TEST_F(VerbInspectTest, FilesAreSortedAndTheRestIsCounted) {
  std::vector<std::string> paths;
  for (const int keys : {300, 900, 600, 1'200}) {
    paths.push_back(folder_ / (std::to_string(keys) + ".sst"));
    WriteSst(TableWith("winnow:10"), static_cast<uint64_t>(keys), paths.back());
  }
  std::vector<std::string> arguments = paths;
  arguments.insert(arguments.end(), {"--sort=entries", "--limit=2"});
  const json document = RunJson(arguments, 0);
  ASSERT_EQ(document.at("files").size(), 2u);
  EXPECT_EQ(document["files"][0].at("entries"), 1'200);
  EXPECT_EQ(document["files"][1].at("entries"), 900);
  EXPECT_EQ(document.at("files_left_out"), 2);
  EXPECT_EQ(document.at("summary").at("all").at("keys"), 3'000);
  const ChildResult text = Run(arguments);
  EXPECT_THAT(text.output, AllOf(HasSubstr("\n2 files are not listed (--limit=2)\n"),
                                 Not(HasSubstr("600.sst"))));
  arguments.back() = "--limit=0";
  EXPECT_THAT(Run(arguments).output, Not(HasSubstr(".sst")));
  for (const char* wrong :
       {"--sort=size", "--limit=-1", "--limit=x", "--level=x", "--level=-1", "--jobs=-1"}) {
    const ChildResult outcome = Run({paths[0], wrong});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_THAT(outcome.output, IsEmpty()) << wrong;
  }
  EXPECT_THAT(Run({paths[0], "--sort=size"}).errors, HasSubstr("path, level, entries"));
}

TEST_F(VerbInspectTest, TablesFitTheTerminal) {
  const std::string deep = folder_ / "a/folder/with/a/name/that/is/longer/than/many/terminals/are";
  fs::create_directories(deep);
  WriteSst(TableWith("winnow:10"), 1'000, deep + "/000123.sst");
  EXPECT_THAT(Run({deep + "/000123.sst"}).output, HasSubstr("\n" + deep + "/000123.sst"));
  for (const int width : {80, 100}) {
    const ChildResult outcome = Run({deep + "/000123.sst"}, {"COLUMNS=" + std::to_string(width)});
    size_t begin = 0;
    for (size_t end = 0; (end = outcome.output.find('\n', begin)) != std::string::npos;) {
      // Sentences are left to the terminal, but for those that are put together here.
      if (outcome.output.compare(begin, 10, "converted:") != 0) {
        EXPECT_LE(end - begin, static_cast<size_t>(width))
            << outcome.output.substr(begin, end - begin);
      }
      begin = end + 1;
    }
    EXPECT_THAT(outcome.output, HasSubstr("123.sst"));
  }
}

}  // namespace
}  // namespace winnow
