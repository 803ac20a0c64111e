// What docs/roll-out.md shows, taken out of it and used.

#include "tests/house/rollout_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/utilities/options_util.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::CodeThatBegins;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using testing::ReadFile;
using testing::Replaced;
using testing::RunClient;
using testing::StrictConfig;
using testing::TemporaryFolder;
using testing::WriteFile;
using Kinds = std::map<std::string, int>;

std::string OptionsFile() {
  std::string text;
  for (const std::string& line : CodeThatBegins("[Version]")) {
    text += line + "\n";
  }
  return text;
}

// Opens a new database with nothing but the file, and has it build a filter.
Kinds KindsBuiltBy(const std::string& options_file) {
  const TemporaryFolder folder;
  WriteFile(folder / "OPTIONS", options_file);
  DBOptions database_options;
  std::vector<ColumnFamilyDescriptor> families;
  // Which refuses what RocksDB doesn't know.
  const auto loaded = ROCKSDB_NAMESPACE::LoadOptionsFromFile(StrictConfig(), folder / "OPTIONS",
                                                             &database_options, &families);
  EXPECT_TRUE(loaded.ok()) << loaded.ToString();
  if (!loaded.ok() || families.size() != 1) {
    return {};
  }
  const auto database =
      testing::OpenDatabase(Options(database_options, families[0].options), folder / "database");
  if (database == nullptr) {
    return {};
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(database->Put(WriteOptions(), "key" + std::to_string(i), "value").ok());
  }
  EXPECT_TRUE(database->Flush(FlushOptions()).ok());
  EXPECT_THAT(testing::NewestOptionsFile(folder / "database"), HasSubstr("id=winnow.Filter;"));
  return KindsOfFilters(folder / "database");
}

TEST(RolloutPageTest, TheOptionsFileOpensADatabaseAndBuildsRocksDBsFilters) {
  EXPECT_EQ(KindsBuiltBy(OptionsFile()), (Kinds{{"built-in bloom", 1}}));
}

TEST(RolloutPageTest, TheNextStepsChangeOneWord) {
  const Kinds kinds = KindsBuiltBy(Replaced(OptionsFile(), "build=bloomfilter", "build=winnow"));
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_THAT(kinds.begin()->first, ::testing::StartsWith("winnow "));
}

// RocksDB's strictest settings don't tell.
TEST(RolloutPageTest, AMissingPolicyLoadsAsThePageSays) {
  const TemporaryFolder folder;
  WriteFile(folder / "OPTIONS", Replaced(OptionsFile(), "id=winnow;", "id=winow;"));
  DBOptions database_options;
  std::vector<ColumnFamilyDescriptor> families;
  ROCKSDB_NAMESPACE::ConfigOptions config = StrictConfig();
  config.ignore_unknown_options = false;
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::LoadOptionsFromFile(config, folder / "OPTIONS",
                                                          &database_options, &families));
  const auto* table =
      families.at(0).options.table_factory->GetOptions<ROCKSDB_NAMESPACE::BlockBasedTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->filter_policy, nullptr);
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;
  EXPECT_TRUE(ROCKSDB_NAMESPACE::FilterPolicy::CreateFromString(config, "winow:10", &policy)
                  .IsNotSupported());
}

// The environment of the drop-in, with the library of this build.
std::vector<std::string> DropIn() {
  std::vector<std::string> environment;
  for (const std::string& line : CodeThatBegins("[Service]")) {
    const std::string start = "Environment=";
    if (line.rfind(start, 0) == 0) {
      environment.push_back(line.substr(start.size()));
    }
  }
  EXPECT_EQ(environment.size(), 3u);
  environment[0] = Replaced(environment[0], "/usr/local/lib/libwinnow_preload.so", PRELOAD_LIBRARY);
  if (testing::kSanitized) {
    environment.emplace_back("ASAN_OPTIONS=verify_asan_link_order=0");
  }
  return environment;
}

TEST(RolloutPageTest, TheDropInLeavesTheProgramsFiltersAndSaysSo) {
  const TemporaryFolder folder;
  const testing::ChildResult result =
      RunClient({"write", folder / "database", "bloom:10", "1000"}, DropIn());
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(KindsOfFilters(folder / "database"), (Kinds{{"built-in bloom", 2}}));
  // The page has the very words.
  const std::vector<std::string> said = CodeThatBegins(
      "winnow: in force in NAME (2984): Winnow 0.1.0, RocksDB 7.8.3; built-in policies build what "
      "the program asks for, and read Winnow's filters too");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: in force"),
              ElementsAre(HasSubstr(said[0].substr(said[0].find("; ")))));
}

// ldb compacts one column family at a time.
TEST(RolloutPageTest, TheLoopCompactsEveryColumnFamily) {
  WINNOW_SKIP_WITHOUT("ldb");
  const TemporaryFolder folder;
  const std::string path = folder / "database";
  {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom("bloomfilter:10");
    const Options options = testing::MakeOptions(table);
    const auto database = testing::OpenDatabase(options, path);
    ASSERT_NE(database, nullptr);
    ASSERT_TRUE(database->Put(WriteOptions(), "key", "value").ok());
    ASSERT_TRUE(database->Flush(FlushOptions()).ok());
    for (const char* name : {"second", "with a space"}) {
      ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
      ASSERT_STATUS_OK(database->CreateColumnFamily(options, name, &family));
      EXPECT_TRUE(database->Put(WriteOptions(), family, "key", "value").ok());
      EXPECT_TRUE(database->Flush(FlushOptions(), family).ok());
      EXPECT_TRUE(database->DestroyColumnFamilyHandle(family).ok());
    }
  }
  EXPECT_EQ(KindsOfFilters(path), (Kinds{{"built-in bloom", 3}}));
  std::string loop;
  for (
      const std::string& line : CodeThatBegins(
          R"(ldb --db=FOLDER list_column_families | sed -n 's/^{\(.*\)}$/\1/p' | sed 's/, /\n/g' |)")) {
    loop += line + "\n";
  }
  loop = Replaced(Replaced(loop, "FOLDER", path), "FOLDER", path);
  loop = Replaced(loop, "/usr/local/lib/libwinnow_preload.so", PRELOAD_LIBRARY);
  std::vector<std::string> environment = {"WINNOW_POLICY=winnow"};
  if (testing::kSanitized) {
    environment.emplace_back("ASAN_OPTIONS=verify_asan_link_order=0");
  }
  const std::string programs = ROCKSDB_PROGRAMS;
  const testing::ChildResult result = testing::RunProgram(
      {"sh", "-c", (programs.empty() ? "" : "PATH='" + programs + "':$PATH\n") + loop},
      environment);
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(KindsOfFilters(path), (Kinds{{"winnow bloom", 3}})) << result.errors;
}

// What a missing plugin looks like: a program without it opens the database that had it.
TEST(RolloutPageTest, AMissingPluginLooksAsThePageSays) {
  const TemporaryFolder folder;
  const std::string database = folder / "database";
  EXPECT_EQ(RunClient({"write", database, "string:filter_policy=winnow:10", "1000"},
                      testing::Preloading({}))
                .status,
            0);
  EXPECT_EQ(RunClient({"overwrite", database, "saved", "1000"}, {}).status, 0);
  EXPECT_THAT(ReadFile(database + "/LOG"), HasSubstr("filter_policy: nullptr\n"));
  EXPECT_THAT(ReadFile(database + "/LOG"), HasSubstr("\"filter_policy\": \"\""));
  EXPECT_THAT(ReadFile(database + "/LOG"), ::testing::Not(HasSubstr("[winnow]")));
  EXPECT_THAT(testing::NewestOptionsFile(database), HasSubstr("filter_policy=nullptr"));
  EXPECT_EQ(KindsOfFilters(database).at("none"), 1);
  // Nor with the plugin back, as the OPTIONS file has forgotten it.
  EXPECT_THAT(RunClient({"read", database, "saved", "1000"}, testing::Preloading({})).output,
              HasSubstr("missing=0 invented=0 newer=500 useful=0 "));
}

}  // namespace
}  // namespace winnow
