// `winnow inspect` on the command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/tool_testing.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow {
namespace verb_inspect_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyOf;
using testing::kRangePolicy;
using testing::MakeOptions;
using testing::MakeWithRangeFilter;
using ::testing::Not;
using testing::OpenDatabase;
using testing::PutAndFlush;
using testing::ReadFile;
using testing::RunProgram;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class VerbInspectTest : public testing::VerbTest {
 protected:
  VerbInspectTest() : VerbTest("inspect") {}

  ChildResult Run(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {WINNOW_TOOL, "inspect"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProgram(command, environment);
  }

  json RunJson(std::vector<std::string> arguments, int code) {
    arguments.push_back("--json");
    return testing::JsonOf(Run(arguments), code);
  }

  // Creates a database with two column families: files on two levels in the first, and one file in
  // the other.
  void MakeFamilies(const std::string& path) {
    fs::create_directories(path);
    ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("winnow:10"));
    options.disable_auto_compactions = true;
    const auto db = OpenDatabase(options, path);
    PutAndFlush(db.get(), {4'000});
    ASSERT_STATUS_OK(db->CompactRange({}, nullptr, nullptr));
    PutAndFlush(db.get(), {1'000});
    ROCKSDB_NAMESPACE::ColumnFamilyHandle* handle = nullptr;
    ASSERT_STATUS_OK(
        db->CreateColumnFamily(MakeOptions(TableWith("bloomfilter:10")), "other", &handle));
    PutAndFlush(db.get(), {2'000}, handle);
    ASSERT_STATUS_OK(db->DestroyColumnFamilyHandle(handle));
  }
};

TEST_F(VerbInspectTest, RatesAreWeightedByKeys) {
  WriteSst(TableWith("winnow:10"), 30'000, folder_ / "a.sst");
  WriteSst(TableWith("winnow:4"), 3'000, folder_ / "b.sst");
  WriteSst(TableWith(""), 1'000, folder_ / "c.sst");
  const std::vector<std::string> paths = {folder_ / "a.sst", folder_ / "b.sst", folder_ / "c.sst"};
  const ChildResult outcome = Run(paths);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
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

TEST_F(VerbInspectTest, RangeFiltersAreCounted) {
  MakeWithRangeFilter(folder_ / "db", TableWith(kRangePolicy), {20'000, 0, 7});
  const json document = RunJson({folder_ / "db"}, 0);
  const json& filter = document.at("files").at(0).at("filter");
  const json& range = filter.at("range");
  const double keys = (20'000 + 6) / 7;
  EXPECT_EQ(range.at("kind"), "positions");
  EXPECT_EQ(range.at("filters"), 1);
  EXPECT_EQ(range.at("keys"), keys);
  EXPECT_EQ(range.at("range_bits"), 15);
  EXPECT_EQ(range.at("key_length"), KeyOf(1).size());
  EXPECT_LT(range.at("bytes"), filter.at("bytes"));
  EXPECT_NEAR(range.at("bits_per_key").get<double>(), range["bytes"].get<double>() * 8 / keys,
              1e-9);
  const json& all = document.at("summary").at("all");
  EXPECT_EQ(all.at("range_bytes"), range["bytes"]);
  // The bound includes only the other filters.
  EXPECT_LT(all.at("bytes_above_bound"), all.at("bound_bytes"));
  EXPECT_NEAR(all.at("bytes_above_bound").get<double>(),
              filter["bytes"].get<double>() - range["bytes"].get<double>() -
                  all.at("bound_bytes").get<double>(),
              1e-6);
  const std::string csv = Run({folder_ / "db", "--csv"}).output;
  EXPECT_THAT(csv, HasSubstr(",error,range_kind,range_keys,range_bytes,range_bits_per_key,"
                             "range_bits\r\n"));
  EXPECT_THAT(csv, HasSubstr(",positions," + range["keys"].dump() + "," + range["bytes"].dump()));
  MakeWithRangeFilter(folder_ / "parts", testing::PartitionedTableWith(kRangePolicy), {20'000});
  const json parts = RunJson({folder_ / "parts"}, 0).at("files").at(0).at("filter");
  EXPECT_GT(parts.at("partitions"), 1);
  EXPECT_EQ(parts.at("range").at("filters"), parts["partitions"]);
  EXPECT_GE(parts["range"].at("keys"), 20'000);
  PutAndFlush(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "none").get(), {100});
  const json none = RunJson({folder_ / "none"}, 0);
  EXPECT_EQ(none["files"][0]["filter"].count("range"), 0u);
  EXPECT_EQ(none["summary"]["all"].count("range_bytes"), 0u);
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
  EXPECT_EQ(Run({folder_ / "db", "--level=40"}).output,
            "none of the 3 SST files is of these column families and levels\n");
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
  // Columns have short names, and those of the JSON.
  for (const auto& [name, other] : {std::pair("bits", "bits_per_key"), {"fpr", "expected_fpr"}}) {
    arguments[arguments.size() - 2] = std::string("--sort=") + name;
    const ChildResult by_name = Run(arguments);
    arguments[arguments.size() - 2] = std::string("--sort=") + other;
    const ChildResult by_other = Run(arguments);
    EXPECT_EQ(by_other.status, 0) << by_other.errors;
    EXPECT_EQ(by_other.output, by_name.output);
  }
  arguments[arguments.size() - 2] = "--sort=entries";
  EXPECT_EQ(document.at("summary").at("all").at("keys"), 3'000);
  EXPECT_THAT(Run(arguments).output, Not(HasSubstr("600.sst")));
  arguments.back() = "--limit=0";
  EXPECT_THAT(Run(arguments).output, Not(HasSubstr(".sst")));
  for (const char* wrong :
       {"--sort=size", "--limit=-1", "--limit=x", "--level=x", "--level=-1", "--jobs=-1"}) {
    const ChildResult outcome = Run({paths[0], wrong});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_THAT(outcome.output, IsEmpty()) << wrong;
  }
}

TEST_F(VerbInspectTest, ASummaryEndsWithHowMuchIsConverted) {
  MakeFamilies(folder_ / "db");
  const ChildResult outcome = Run({folder_ / "db", "--summary"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, Not(HasSubstr(".sst")));
  const std::string last =
      outcome.output.substr(outcome.output.rfind('\n', outcome.output.size() - 2) + 1);
  EXPECT_EQ(last,
            "converted: 71.4 % of the entries are in files with Winnow's filters (2 of 3), 28.6 % "
            "in files with RocksDB's own filters (1)\n");
  const json document = RunJson({folder_ / "db", "--summary"}, 0);
  EXPECT_TRUE(document.at("files").empty());
  EXPECT_EQ(document.at("files_left_out"), 3);
  EXPECT_EQ(Run({folder_ / "db", "--summary", "--csv"}).status, 2);
  EXPECT_EQ(Run({folder_ / "db", "--summary", "--limit=3"}).status, 2);
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
      // Sentences are wrapped by the terminal, except those assembled here.
      if (outcome.output.compare(begin, 10, "converted:") != 0) {
        EXPECT_LE(end - begin, static_cast<size_t>(width))
            << outcome.output.substr(begin, end - begin);
      }
      begin = end + 1;
    }
    EXPECT_THAT(outcome.output, HasSubstr("123.sst"));
  }
}

// Parses records of RFC 4180. Reports a failure for invalid quotes or line ends.
std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && text.compare(i, 2, "\"\"") == 0) {
      record.back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\r' && c != '\n')) {
      record.back() += c;
    } else if (c == ',') {
      record.emplace_back();
    } else {
      EXPECT_EQ(text.compare(i, 2, "\r\n"), 0);
      ++i;
      records.push_back(record);
      record.assign(1, "");
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(record, std::vector<std::string>(1));
  return records;
}

TEST_F(VerbInspectTest, CommaSeparatedValues) {
  const std::string odd = folder_ / "a,\"b\"\nc\xff.sst";
  WriteSst(TableWith("winnow:10"), 5'000, odd);
  WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "b.sst");
  WriteFile(folder_ / "c.sst", "no table");
  const std::vector<std::string> paths = {odd, folder_ / "b.sst", folder_ / "c.sst"};
  std::vector<std::string> arguments = paths;
  arguments.emplace_back("--csv");
  const ChildResult outcome = Run(arguments);
  EXPECT_EQ(outcome.status, 2);
  const auto records = ParseCsv(outcome.output);
  ASSERT_EQ(records.size(), 4u);
  const auto field = [&records](size_t record, const std::string& name) {
    const auto found = std::find(records[0].begin(), records[0].end(), name);
    EXPECT_NE(found, records[0].end()) << name;
    return records[record].at(static_cast<size_t>(found - records[0].begin()));
  };
  for (size_t i = 1; i < records.size(); ++i) {
    EXPECT_EQ(records[i].size(), records[0].size());
    EXPECT_EQ(field(i, "path"), paths[i - 1]);
  }
  EXPECT_EQ(field(1, "kind"), "winnow-ribbon");
  EXPECT_EQ(field(1, "keys"), "5000");
  EXPECT_EQ(field(1, "level"), "");
  EXPECT_EQ(field(1, "level_plan"), "auto");
  EXPECT_NEAR(std::stod(field(1, "target_fpr")), 0.0096, 0.0001);
  EXPECT_EQ(field(2, "format"), "FastLocalBloom");
  EXPECT_EQ(field(2, "probes"), "6");
  EXPECT_EQ(field(2, "target_fpr"), "");
  EXPECT_EQ(field(3, "kind"), "");
  EXPECT_THAT(field(3, "error"), Not(IsEmpty()));

  arguments.emplace_back("--limit=1");
  const ChildResult limited = Run(arguments);
  EXPECT_EQ(ParseCsv(limited.output).size(), 2u);
  EXPECT_THAT(limited.errors, HasSubstr("2 files are not listed"));
  EXPECT_EQ(Run({folder_ / "b.sst", "--csv", "--json"}).status, 2);

  const json document = RunJson({odd}, 0);
  const json& file = document.at("files").at(0);
  EXPECT_THAT(file.at("path_hex").get<std::string>(), HasSubstr("612c2262220a63ff2e737374"));
  EXPECT_EQ(RunJson({folder_ / "b.sst"}, 0)["files"][0].count("path_hex"), 0u);
  const ChildResult text = Run({odd});
  EXPECT_THAT(text.output, HasSubstr("a,\"b\"\\nc\\xff.sst"));
}

TEST_F(VerbInspectTest, BitsThatFollowTheLookupsAreShownByRange) {
  const std::string path = folder_ / "db";
  fs::create_directories(path);
  constexpr uint64_t kKeys = 40'000;
  ROCKSDB_NAMESPACE::CompactRangeOptions rewrite;
  rewrite.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  {
    ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("{id=winnow;level_plan=learned}"));
    options.disable_auto_compactions = true;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.target_file_size_base = 100 << 10;  // filters of fewer keys have no notes
    const auto db = OpenDatabase(options, path);
    PutAndFlush(db.get(), {kKeys});
    ASSERT_STATUS_OK(db->CompactRange(rewrite, nullptr, nullptr));
    ASSERT_STATUS_OK(db->CompactRange(rewrite, nullptr, nullptr));
    EXPECT_THAT(RunJson({path}, 0)["learned"], IsEmpty());
    // Most lookups are in the sixth tenth of the keys.
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      const uint64_t near = i % 5 == 0 ? i % kKeys : kKeys / 2 + i % (kKeys / 10);
      std::string value;
      ASSERT_TRUE(db->Get({}, KeyOf(near) + "x", &value).IsNotFound());
    }
    ASSERT_STATUS_OK(db->CompactRange(rewrite, nullptr, nullptr));
  }
  const json all = RunJson({path}, 0);
  ASSERT_EQ(all["learned"].size(), 1u);
  const json& learned = all["learned"][0];
  EXPECT_EQ(learned["column_family"], "default");
  const json& last = learned["levels"].back();
  EXPECT_EQ(last["files"], all["files"].size());
  EXPECT_NEAR(last["bits_per_key"].get<double>(),
              all["summary"]["all"]["bits_per_key"].get<double>(), 1e-9);
  EXPECT_LT(last["least_bits_per_key"], last["bits_per_key"]);
  EXPECT_GT(last["most_bits_per_key"], last["bits_per_key"]);
  const std::vector<double> tenths = learned["last_level_tenths"];
  ASSERT_EQ(tenths.size(), 10u);
  for (size_t i = 0; i < tenths.size(); ++i) {
    if (i == 5) continue;
    EXPECT_GT(tenths[5], tenths[i] + 1) << i << " of " << learned;
  }
}

TEST_F(VerbInspectTest, FiltersThatWereMadeForAnotherLevelAreSaidUntilTheyAreRewritten) {
  const std::string path = folder_ / "db";
  const auto said = HasSubstr(
      "advice: 1 file with 4000 keys, on level 5, has filters that were made for another place");
  testing::MakeIngested(path, false);
  EXPECT_THAT(Run({path, "--summary"}).output, said);
  // A file's cost depends on all other files of its tree.
  EXPECT_THAT(Run({path, "--level=6"}).output, said);
  EXPECT_THAT(Run({path, "--cf=default"}).output, said);
  EXPECT_THAT(RunJson({path}, 0)["advice"].dump(), HasSubstr("level_plan=auto"));
  fs::remove_all(path);
  testing::MakeIngested(path, true);
  EXPECT_THAT(Run({path}).output, Not(HasSubstr("another place")));
}

TEST_F(VerbInspectTest, ThePageHasAllAndNeedsNothingElse) {
  MakeFamilies(folder_ / "db");
  WriteSst(TableWith(""), 100, folder_ / "<b>&.sst");
  const std::string page = folder_ / "page.html";
  const ChildResult outcome = Run({folder_ / "db", folder_ / "<b>&.sst", "--html=" + page});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::string html = ReadFile(page);
  EXPECT_THAT(html, AllOf(HasSubstr("&lt;b&gt;&amp;.sst"), Not(HasSubstr("<b>&.sst"))));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script"))));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
    if (entry.path().extension() == ".sst") {
      EXPECT_THAT(html, HasSubstr(entry.path().filename().string()));
    }
  }
  EXPECT_EQ(Run({folder_ / "db", "--html=" + folder_ / "nowhere/page.html"}).status, 2);
  EXPECT_EQ(Run({folder_ / "db", "--html=/dev/full"}).status, 2);
  EXPECT_EQ(ReadFile(page), html);
}

TEST_F(VerbInspectTest, PatternsAndFoldersOfDatabasesAreReadAndEachFileOnce) {
  MakeFamilies(folder_ / "shelf/one");
  MakeFamilies(folder_ / "shelf/two");
  EXPECT_EQ(RunJson({folder_ / "shelf/one/*.sst"}, 0).at("files").size(), 3u);
  const json shelf = RunJson({folder_ / "shelf"}, 0);
  EXPECT_EQ(shelf.at("files").size(), 6u);
  ASSERT_EQ(shelf.at("summary").at("by_column_family").size(), 4u);
  EXPECT_EQ(shelf["summary"]["by_column_family"][0].at("database"), folder_ / "shelf/one");
  const ChildResult text = Run({folder_ / "shelf"});
  EXPECT_THAT(text.output, AllOf(HasSubstr("shelf/one default"), HasSubstr("shelf/two other")));
  // A file that is named before its database also has a known level.
  const json twice =
      RunJson({folder_ / "shelf/one/*.sst", folder_ / "shelf/one", folder_ / "shelf/./one"}, 0);
  ASSERT_EQ(twice.at("files").size(), 3u);
  for (const json& file : twice["files"]) {
    EXPECT_TRUE(file.at("level").is_number());
  }
  const ChildResult none = Run({folder_ / "*.ldb"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("no file or folder matches the pattern"));
}

// A number of files would describe files that do not exist.
TEST_F(VerbInspectTest, OfPathsThatAreNothingThereIsTheErrorAlone) {
  const ChildResult none = Run({folder_ / "nosuch"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.output, "");
  EXPECT_THAT(none.errors, HasSubstr("there is no file or folder"));
  EXPECT_EQ(RunJson({folder_ / "nosuch"}, 2).at("summary").at("all").at("files_not_read"), 1);
}

TEST_F(VerbInspectTest, WhatIsMissingIsSaid) {
  MakeFamilies(folder_ / "db");
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
    if (entry.path().extension() == ".sst") {
      files.push_back(entry.path().string());
    }
  }
  ASSERT_EQ(files.size(), 3u);
  fs::rename(files[0], folder_ / "away");
  fs::create_symlink(folder_ / "nowhere", files[0]);
  const std::string whole = ReadFile(files[1]);
  WriteFile(files[1], whole.substr(0, whole.size() / 2));
  fs::rename(files[2], folder_ / "gone");
  fs::create_symlink(folder_ / "nowhere", folder_ / "db/999999.sst");  // no file of the database
  const ChildResult outcome = Run({folder_ / "db"});
  EXPECT_EQ(outcome.status, 2);
  const auto line = [&outcome](const std::string& path) {
    const size_t at = outcome.errors.find("winnow inspect: " + path + ": ");
    EXPECT_NE(at, std::string::npos) << path << "\n" << outcome.errors;
    return at == std::string::npos ? std::string()
                                   : outcome.errors.substr(at, outcome.errors.find('\n', at) - at);
  };
  EXPECT_THAT(line(files[0]), HasSubstr("there is no file where the link"));
  EXPECT_THAT(line(files[1]),
              HasSubstr("cut off: the MANIFEST says " + std::to_string(whole.size()) + " bytes"));
  EXPECT_THAT(line(files[2]), HasSubstr("which the MANIFEST names"));
  EXPECT_THAT(line(folder_ / "db/999999.sst"), HasSubstr("there is no file where the link"));
}

TEST_F(VerbInspectTest, AMissingCurrentIsSaid) {
  MakeFamilies(folder_ / "db");
  fs::remove(folder_ / "db/CURRENT");
  const ChildResult outcome = Run({folder_ / "db"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("MANIFEST-"), HasSubstr("no file CURRENT")));
  EXPECT_THAT(outcome.output, HasSubstr("3 files, "));
}

// RocksDB's properties of all tables, and of the live files.
TEST_F(VerbInspectTest, JsonAgreesWithRocksDbForEveryFileOfAMixedDatabase) {
  const std::string path = folder_ / "db";
  const struct {
    const char* family;
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    uint64_t keys;
  } parts[] = {{"default", TableWith("winnow:10"), 5'000},
               {"default", TableWith("bloomfilter:10"), 3'000},
               {"default", TableWith(""), 2'000},
               {"default", TableWith("ribbonfilter:8:-1"), 4'000},
               {"small", TableWith("winnow:12"), 40},
               {"cut", testing::PartitionedTableWith("winnow:10"), 6'000},
               {"cut", testing::PartitionedTableWith("bloomfilter:10"), 6'000},
               {"plan", TableWith("{id=winnow;level_plan=learned}"), 5'000}};
  for (const auto& part : parts) {
    ROCKSDB_NAMESPACE::Options options = MakeOptions(part.table);
    options.disable_auto_compactions = true;
    options.create_missing_column_families = true;
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
    for (const char* name : {"default", "small", "cut", "plan"}) {
      families.emplace_back(name, options);
    }
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles;
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::Open(options, path, families, &handles, &opened));
    const std::unique_ptr<ROCKSDB_NAMESPACE::DB> db = rocksdb_abi::Own(std::move(opened));
    for (size_t i = 0; i < families.size(); ++i) {
      if (families[i].name == part.family) {
        PutAndFlush(db.get(), {part.keys}, handles[i]);
        ASSERT_STATUS_OK(db->Delete(ROCKSDB_NAMESPACE::WriteOptions(), handles[i], KeyOf(1)));
        ASSERT_STATUS_OK(db->Flush(ROCKSDB_NAMESPACE::FlushOptions(), handles[i]));
        if (part.keys == 3'000 || families[i].name == "plan") {
          ASSERT_STATUS_OK(db->CompactRange({}, handles[i], nullptr, nullptr));
        }
      }
    }
    for (auto* handle : handles) {
      ASSERT_STATUS_OK(db->DestroyColumnFamilyHandle(handle));
    }
  }
  std::map<std::string, json> by_name;
  const json document = RunJson({path}, 0);
  for (const json& file : document.at("files")) {
    by_name[fs::path(file.at("path").get<std::string>()).filename().string()] = file;
  }

  std::vector<std::string> names;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::ListColumnFamilies({}, path, &names));
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) {
    families.emplace_back(name, MakeOptions(TableWith("winnow:10")));
  }
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*> handles;
  rocksdb_abi::OpenedDB opened{};
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::OpenForReadOnly({}, path, families, &handles, &opened));
  const std::unique_ptr<ROCKSDB_NAMESPACE::DB> db = rocksdb_abi::Own(std::move(opened));
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  EXPECT_GE(files.size(), 10u);
  EXPECT_EQ(files.size(), by_name.size());
  std::set<int> levels;
  for (const ROCKSDB_NAMESPACE::LiveFileMetaData& file : files) {
    const json& said = by_name[file.name.substr(1)];
    ASSERT_TRUE(said.is_object()) << file.name;
    EXPECT_EQ(said.at("level"), file.level) << file.name;
    EXPECT_EQ(said.at("file_bytes"), file.size) << file.name;
    EXPECT_EQ(said.at("column_family"), file.column_family_name) << file.name;
    if (file.column_family_name == "plan") {
      EXPECT_EQ(said.at("filter").at("built_for").at("level_plan"), "auto") << file.name;
    }
    levels.insert(file.level);
  }
  EXPECT_GE(levels.size(), 2u);
  size_t compared = 0;
  std::set<std::string> kinds;
  uint64_t entries = 0;
  uint64_t bytes = 0;
  for (auto* handle : handles) {
    ROCKSDB_NAMESPACE::TablePropertiesCollection all;
    ASSERT_STATUS_OK(db->GetPropertiesOfAllTables(handle, &all));
    for (const auto& [file, properties] : all) {
      const json& said = by_name[fs::path(file).filename().string()];
      ASSERT_TRUE(said.is_object()) << file;
      const json& filter = said.at("filter");
      EXPECT_EQ(said.at("entries"), properties->num_entries) << file;
      EXPECT_EQ(filter.at("policy_name"), properties->filter_policy_name) << file;
      EXPECT_EQ(filter.at("stored_bytes"), properties->filter_size) << file;
      if (filter.count("partitions") == 0) {
        EXPECT_EQ(filter.at("bytes"), properties->filter_size) << file;
      } else {
        EXPECT_LT(filter.at("bytes"), properties->filter_size) << file;  // plus an index
        EXPECT_GT(filter["bytes"].get<double>(), 0.5 * static_cast<double>(properties->filter_size))
            << file;
      }
      if (properties->num_filter_entries > 0) {
        EXPECT_EQ(filter.at("keys"), properties->num_filter_entries) << file;
      }
      kinds.insert(filter.at("kind").get<std::string>());
      entries += properties->num_entries;
      bytes += filter.at("bytes").get<uint64_t>();
      ++compared;
    }
    ASSERT_STATUS_OK(db->DestroyColumnFamilyHandle(handle));
  }
  EXPECT_EQ(compared, files.size());
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"winnow-ribbon", "winnow-bloom", "builtin-bloom",
                                              "builtin-ribbon", "none"}));
  EXPECT_EQ(document.at("summary").at("all").at("entries"), entries);
  EXPECT_EQ(document["summary"]["all"].at("bytes"), bytes);
}

// Debian's RocksDB crashes on some of these files, by assertions and by signal 11.
TEST_F(VerbInspectTest, FilesThatEndRocksDbAreNamedAndTheOthersAreShown) {
  auto table = testing::PartitionedTableWith("bloomfilter:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  fs::create_directory(folder_ / "files");
  WriteSst(table, 2'000, folder_ / "files/good.sst");
  const std::string good = ReadFile(folder_ / "files/good.sst");
  std::mt19937 random(7);
  constexpr size_t kDamaged = 150;
  for (size_t i = 0; i < kDamaged; ++i) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) {
      bytes[bytes.size() - 1 - random() % 1'500] = static_cast<char>(random());
    }
    WriteFile(folder_ / ("files/" + std::to_string(i) + ".sst"), bytes);
  }
  const ChildResult outcome = Run({folder_ / "files", "--json"});
  EXPECT_EQ(outcome.status, 2);
  const json document = json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(document.is_object()) << outcome.output;
  ASSERT_EQ(document.at("files").size(), kDamaged + 1);
  size_t read = 0;
  for (const json& file : document["files"]) {
    EXPECT_NE(file.at("filter").is_null(), file.at("error").is_null()) << file;
    read += file["error"].is_null() ? 1 : 0;
    if (!file["error"].is_null()) {
      EXPECT_THAT(outcome.errors, HasSubstr(file.at("path").get<std::string>() + ": "));
    }
  }
  EXPECT_GT(read, kDamaged / 4);
  EXPECT_EQ(document["files"].back().at("path"), folder_ / "files/good.sst");
  EXPECT_EQ(document["files"].back()["filter"].at("kind"), "builtin-bloom");
}

}  // namespace verb_inspect_test
}  // namespace winnow
