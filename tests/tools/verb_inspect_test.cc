// `winnow inspect` on the command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
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
using testing::MakeOptions;
using ::testing::Not;
using testing::PutAndFlush;
using testing::ReadFile;
using ::testing::StartsWith;
using testing::TableWith;
using testing::WriteSst;

class VerbInspectTest : public testing::VerbTest {
 protected:
  VerbInspectTest() : VerbTest("inspect") {}

  ChildResult Run(const std::vector<std::string>& arguments,
                  const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {WINNOW_TOOL, "inspect"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return testing::RunProgram(command, environment);
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
    const auto db = testing::OpenDatabase(options, path);
    PutAndFlush(db.get(), {4'000});
    ASSERT_STATUS_OK(db->CompactRange({}, nullptr, nullptr));
    PutAndFlush(db.get(), {1'000});
    testing::PutInFamily(db.get(), MakeOptions(TableWith("bloomfilter:10")), "other", {{2'000}});
  }
};

// FilterTotalsTest has the sums, VerbProbeTest more of --cf.
TEST_F(VerbInspectTest, FamiliesAndLevelsAreChosen) {
  MakeFamilies(folder_ / "shelf/one");
  MakeFamilies(folder_ / "shelf/two");
  const std::string db = folder_ / "shelf/one";
  EXPECT_EQ(RunJson({db, "--cf=other", "--cf=default"}, 0).at("files").size(), 3u);
  const json top = RunJson({db, "--level=0", "--cf=default"}, 0);
  ASSERT_EQ(top.at("files").size(), 1u);
  EXPECT_EQ(top["files"][0].at("entries"), 1'000);
  EXPECT_EQ(top.at("summary").at("all").at("keys"), 1'000);
  EXPECT_EQ(RunJson({db, "--level=0,1,2,3,4,5,6"}, 0).at("files").size(), 3u);
  EXPECT_EQ(Run({db, "--level=40"}).output,
            "none of the 3 SST files is of these column families and levels\n");
  const json families = RunJson({folder_ / "shelf"}, 0).at("summary").at("by_column_family");
  ASSERT_EQ(families.size(), 4u);
  EXPECT_EQ(families[0].at("database"), db);
  EXPECT_THAT(Run({folder_ / "shelf"}).output,
              AllOf(HasSubstr("shelf/one default"), HasSubstr("shelf/two other")));
  // A file that is named before its database also has a known level.
  const json twice = RunJson({db + "/*.sst", db}, 0);
  ASSERT_EQ(twice.at("files").size(), 3u);
  for (const json& file : twice["files"]) EXPECT_TRUE(file.at("level").is_number());
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
  arguments.back() = "--limit=0";
  EXPECT_THAT(Run(arguments).output, Not(HasSubstr(".sst")));
}

TEST_F(VerbInspectTest, ASummaryEndsWithHowMuchIsConverted) {
  MakeFamilies(folder_ / "db");
  const ChildResult outcome = Run({folder_ / "db", "--summary"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              AllOf(Not(HasSubstr(".sst")),
                    ::testing::EndsWith(
                        "\nconverted: 71.4 % of the entries are in files with Winnow's "
                        "filters (2 of 3), 28.6 % in files with RocksDB's own filters (1)\n")));
  const json document = RunJson({folder_ / "db", "--summary"}, 0);
  EXPECT_TRUE(document.at("files").empty());
  EXPECT_EQ(document.at("files_left_out"), 3);
}

TEST_F(VerbInspectTest, TablesFitTheTerminal) {
  const std::string deep = folder_ / "a/folder/with/a/name/that/is/longer/than/many/terminals/are";
  fs::create_directories(deep);
  WriteSst(TableWith("winnow:10"), 1'000, deep + "/000123.sst");
  EXPECT_THAT(Run({deep + "/000123.sst"}).output, HasSubstr("\n" + deep + "/000123.sst"));
  for (const int width : {80, 100}) {
    const ChildResult outcome = Run({deep + "/000123.sst"}, {"COLUMNS=" + std::to_string(width)});
    for (const std::string& line : testing::LinesThatBegin(outcome.output, "")) {
      // Sentences are wrapped by the terminal, except those assembled here.
      if (line.rfind("converted:", 0) == 0) continue;
      EXPECT_LE(line.size(), static_cast<size_t>(width)) << line;
    }
    EXPECT_THAT(outcome.output, HasSubstr("123.sst"));
  }
}

// FileColumnsTest has the columns.
TEST_F(VerbInspectTest, CommaSeparatedValues) {
  const std::string odd = folder_ / "a,\"b\"\nc\xff.sst";
  WriteSst(TableWith("winnow:10"), 5'000, odd);
  WriteSst(TableWith("bloomfilter:10"), 5'000, folder_ / "b.sst");
  testing::WriteFile(folder_ / "c.sst", "no table");
  std::vector<std::string> arguments = {odd, folder_ / "b.sst", folder_ / "c.sst", "--csv"};
  const ChildResult outcome = Run(arguments);
  EXPECT_EQ(outcome.status, 2);
  const std::string quoted = "\r\n\"" + folder_ / "a,\"\"b\"\"\nc\xff.sst\",";
  EXPECT_THAT(outcome.output,
              AllOf(StartsWith("path,"), HasSubstr(quoted), HasSubstr("\r\n" + folder_ / "b.sst,"),
                    HasSubstr("\r\n" + folder_ / "c.sst,"), ::testing::EndsWith("\r\n")));
  arguments.emplace_back("--limit=1");
  const ChildResult limited = Run(arguments);
  EXPECT_THAT(limited.output, AllOf(HasSubstr(quoted), Not(HasSubstr("b.sst,"))));
  EXPECT_THAT(limited.errors, HasSubstr("2 files are not listed"));
}

// LearnedBitsTest has the sums.
TEST_F(VerbInspectTest, BitsThatFollowTheLookupsAreShownByRange) {
  const std::string path = folder_ / "db";
  constexpr uint64_t kKeys = 40'000;
  ROCKSDB_NAMESPACE::CompactRangeOptions rewrite;
  rewrite.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  {
    ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("{id=winnow;level_plan=learned}"));
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.target_file_size_base = 100 << 10;  // filters of fewer keys have no notes
    const auto db = testing::OpenDatabase(options, path);
    PutAndFlush(db.get(), {kKeys});
    ASSERT_STATUS_OK(db->CompactRange(rewrite, nullptr, nullptr));
    ASSERT_STATUS_OK(db->CompactRange(rewrite, nullptr, nullptr));
    EXPECT_THAT(RunJson({path}, 0)["learned"], ::testing::IsEmpty());
    // Most lookups are in the sixth tenth of the keys.
    for (uint64_t i = 0; i < 2 * kKeys; ++i) {
      const uint64_t near = i % 5 == 0 ? i % kKeys : kKeys / 2 + i % (kKeys / 10);
      std::string value;
      ASSERT_TRUE(db->Get({}, testing::KeyOf(near) + "x", &value).IsNotFound());
    }
    ASSERT_STATUS_OK(db->CompactRange(rewrite, nullptr, nullptr));
  }
  const json all = RunJson({path}, 0);
  ASSERT_EQ(all["learned"].size(), 1u);
  const json& learned = all["learned"][0];
  EXPECT_EQ(learned["column_family"], "default");
  EXPECT_EQ(learned["levels"].back()["files"], all["files"].size());
  const std::vector<double> tenths = learned["last_level_tenths"];
  ASSERT_EQ(tenths.size(), 10u);
  for (size_t i = 0; i < tenths.size(); ++i) {
    if (i == 5) continue;
    EXPECT_GT(tenths[5], tenths[i] + 1) << i << " of " << learned;
  }
}

// Filters of ingested files are made for no place in the tree.
TEST_F(VerbInspectTest, NewFiltersAreAdvisedUntilCompactionsRewriteThoseOfIngestedFiles) {
  const std::string path = folder_ / "db";
  ROCKSDB_NAMESPACE::Options options = testing::SmallLevels(TableWith("winnow:10"));
  options.disable_auto_compactions = true;
  const auto database = testing::OpenDatabase(options, path);
  for (const uint64_t keys : {uint64_t{200'000}, uint64_t{20'000}}) {
    const std::string file = folder_ / std::to_string(keys);
    WriteSst(options, keys, file);
    ASSERT_STATUS_OK(database->IngestExternalFile({file}, {}));
  }
  const auto said = HasSubstr("advice: new filters would have about");
  EXPECT_THAT(Run({path, "--summary"}).output, said);
  EXPECT_THAT(Run({path, "--cf=default"}).output, said);
  EXPECT_THAT(RunJson({path}, 0)["advice"].dump(), HasSubstr("winnow refilter FOLDER"));
  ROCKSDB_NAMESPACE::CompactRangeOptions all;
  all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_STATUS_OK(database->CompactRange(all, nullptr, nullptr));
  EXPECT_THAT(Run({path}).output, Not(HasSubstr("refilter")));
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
  for (const std::string& path : testing::SstFilesIn(folder_ / "db")) {
    EXPECT_THAT(html, HasSubstr(fs::path(path).filename().string()));
  }
  EXPECT_EQ(Run({folder_ / "db", "--html=" + folder_ / "nowhere/page.html"}).status, 2);
  EXPECT_EQ(Run({folder_ / "db", "--html=/dev/full"}).status, 2);
  EXPECT_EQ(ReadFile(page), html);
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
  const std::vector<std::string> files = testing::SstFilesIn(folder_ / "db");
  ASSERT_EQ(files.size(), 3u);
  fs::rename(files[0], folder_ / "away");
  fs::create_symlink(folder_ / "nowhere", files[0]);
  const std::string whole = ReadFile(files[1]);
  testing::WriteFile(files[1], whole.substr(0, whole.size() / 2));
  fs::rename(files[2], folder_ / "gone");
  fs::create_symlink(folder_ / "nowhere", folder_ / "db/999999.sst");  // no file of the database
  const ChildResult outcome = Run({folder_ / "db"});
  EXPECT_EQ(outcome.status, 2);
  const auto line = [&outcome](const std::string& path) {
    return testing::LinesThatBegin(outcome.errors, "winnow inspect: " + path + ": ").at(0);
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
  const std::vector<std::string> names = {"default", "small", "cut", "plan"};
  const struct {
    size_t family;
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    uint64_t keys;
    bool compacts;
  } parts[] = {{0, TableWith("winnow:10"), 5'000, false},
               {0, TableWith("bloomfilter:10"), 3'000, true},
               {0, TableWith(""), 2'000, false},
               {0, TableWith("ribbonfilter:8:-1"), 4'000, false},
               {1, TableWith("winnow:12"), 40, false},
               {2, testing::PartitionedTableWith("winnow:10"), 6'000, false},
               {2, testing::PartitionedTableWith("bloomfilter:10"), 6'000, false},
               {3, TableWith("{id=winnow;level_plan=learned}"), 5'000, true}};
  for (const auto& part : parts) {
    ROCKSDB_NAMESPACE::Options options = MakeOptions(part.table);
    options.create_missing_column_families = true;
    testing::OpenFamilies open;
    Open(options, path, names, &open);
    auto* const family = open.handles.at(part.family);
    PutAndFlush(open.database.get(), {part.keys}, family);
    ASSERT_STATUS_OK(open.database->Delete({}, family, testing::KeyOf(1)));
    ASSERT_STATUS_OK(open.database->Flush({}, family));
    if (part.compacts) ASSERT_STATUS_OK(open.database->CompactRange({}, family, nullptr, nullptr));
  }
  std::map<std::string, json> by_name;
  const json document = RunJson({path}, 0);
  for (const json& file : document.at("files")) {
    by_name[fs::path(file.at("path").get<std::string>()).filename().string()] = file;
  }

  testing::OpenFamilies open;
  Open(MakeOptions(TableWith("winnow:10")), path, names, &open);
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  open.database->GetLiveFilesMetaData(&files);
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
  for (auto* handle : open.handles) {
    ROCKSDB_NAMESPACE::TablePropertiesCollection all;
    ASSERT_STATUS_OK(open.database->GetPropertiesOfAllTables(handle, &all));
    for (const auto& [file, properties] : all) {
      const json& said = by_name[fs::path(file).filename().string()];
      ASSERT_TRUE(said.is_object()) << file;
      const json& filter = said.at("filter");
      const auto filter_bytes = filter.at("bytes").get<uint64_t>();
      EXPECT_EQ(said.at("entries"), properties->num_entries) << file;
      EXPECT_EQ(filter.at("policy_name"), properties->filter_policy_name) << file;
      EXPECT_EQ(filter.at("stored_bytes"), properties->filter_size) << file;
      if (filter.count("partitions") == 0) {
        EXPECT_EQ(filter_bytes, properties->filter_size) << file;
      } else {
        EXPECT_LT(filter_bytes, properties->filter_size) << file;  // plus an index
        EXPECT_GT(2 * filter_bytes, properties->filter_size) << file;
      }
      if (properties->num_filter_entries > 0) {
        EXPECT_EQ(filter.at("keys"), properties->num_filter_entries) << file;
      }
      kinds.insert(filter.at("kind").get<std::string>());
      entries += properties->num_entries;
      bytes += filter_bytes;
      ++compared;
    }
  }
  EXPECT_EQ(compared, files.size());
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"winnow-ribbon", "winnow-bloom", "builtin-bloom",
                                              "builtin-ribbon", "none"}));
  EXPECT_EQ(document.at("summary").at("all").at("entries"), entries);
  EXPECT_EQ(document["summary"]["all"].at("bytes"), bytes);
}

}  // namespace verb_inspect_test
}  // namespace winnow
