// Tests that extract the code in docs/roll-out.md and use it.

#include "tests/repo/rollout_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/utilities/options_util.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/preload/preload_setup.h"
#include "tests/repo/pages.h"
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
using testing::RolloutPage;
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

// Opens a new database with only the options file, and has it build a filter.
Kinds KindsBuiltBy(const std::string& options_file) {
  const TemporaryFolder folder;
  WriteFile(folder / "OPTIONS", options_file);
  DBOptions database_options;
  std::vector<ColumnFamilyDescriptor> families;
  // Strict mode rejects what RocksDB does not know.
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
  const Kinds kinds = KindsBuiltBy(
      std::regex_replace(OptionsFile(), std::regex("build=bloomfilter"), "build=winnow"));
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_THAT(kinds.begin()->first, ::testing::StartsWith("winnow "));
}

// The page's code for programs, verbatim.
TEST(RolloutPageTest, ItsCodeDoesWhatThePageSays) {
  const TemporaryFolder folder;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  {
    rocksdb::ConfigOptions config;
    config.ignore_unsupported_options = false;  // default: true
    std::shared_ptr<const rocksdb::FilterPolicy> policy;
    rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(config, "winnow:10", &policy);
    ASSERT_STATUS_OK(status);
    table_options.filter_policy = policy;
  }
  const std::vector<ColumnFamilyDescriptor> families = {
      {"default", testing::MakeOptions(table_options)}};
  {
    const auto* table =
        families[0].options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    const bool has_policy = table != nullptr && table->filter_policy != nullptr;
    EXPECT_TRUE(has_policy);
  }
  table_options.filter_policy = testing::MakePolicyFrom("{id=winnow;build=bloomfilter}");
  const auto db = testing::OpenDatabase(testing::MakeOptions(table_options), folder / "database");
  ASSERT_NE(db, nullptr);
  const auto status =
      db->SetOptions({{"block_based_table_factory", "{filter_policy={build=winnow}}"}});
  ASSERT_STATUS_OK(status);
  EXPECT_TRUE(db->Put(WriteOptions(), "key", "value").ok());
  EXPECT_TRUE(db->Flush(FlushOptions()).ok());
  EXPECT_EQ(KindsOfFilters(folder / "database"), (Kinds{{"winnow bloom", 1}}));
}

// Runs a page's commands, with the programs of this RocksDB first in the PATH.
testing::ChildResult RunCommands(const std::string& commands,
                                 std::vector<std::string> environment = {}) {
  if (testing::kSanitized) environment.emplace_back("ASAN_OPTIONS=verify_asan_link_order=0");
  const std::string programs = ROCKSDB_PROGRAMS;
  const std::string path = programs.empty() ? "" : "PATH='" + programs + "':$PATH\n";
  return testing::RunProgram({"sh", "-ec", path + commands}, environment);
}

// Patterns and their replacements.
using Changes = std::vector<std::pair<std::string, std::string>>;

std::string Changed(std::string commands, const Changes& changes) {
  for (const auto& [pattern, text] : changes) {
    EXPECT_TRUE(std::regex_search(commands, std::regex(pattern))) << pattern << " in " << commands;
    commands = std::regex_replace(commands, std::regex(pattern), text);
  }
  return commands;
}

// Runs the command that the drop-in has systemd start, after changes: the tool of this build, with
// a client that writes.
testing::ChildResult StartByDropIn(const std::string& path, Changes changes = {}) {
  std::string command;
  for (const std::string& line : CodeThatBegins("[Service]")) command = line;
  changes.insert(changes.begin(), {{"^ExecStart=", ""},
                                   {"/usr/local/bin/winnow", WINNOW_TOOL},
                                   {"/usr/bin/PROGRAM ARGUMENTS",
                                    PRELOAD_CLIENT " write '" + path + "' bloom:10 1000"}});
  return RunCommands(Changed(command, changes));
}

TEST(DropInTest, LeavesTheProgramsFiltersAndSaysSo) {
  if (std::string(WINNOW_TOOL).empty()) GTEST_SKIP() << "skipped: the tool is not built";
  const TemporaryFolder folder;
  const testing::ChildResult result = StartByDropIn(folder / "database");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(KindsOfFilters(folder / "database"), (Kinds{{"built-in bloom", 2}}));
  const std::vector<std::string> said =
      LinesThatBegin(RolloutPage(), "    winnow: in force in NAME (2984): Winnow ");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(LinesThatBegin(result.errors, "winnow: in force"),
              ElementsAre(HasSubstr(said[0].substr(said[0].find("; ")))));
}

// The exit statuses named by the page, of the start and of the trial before it.
TEST(DropInTest, ATypoKeepsTheServiceFromStartingAndIsSeenBefore) {
  if (std::string(WINNOW_TOOL).empty()) GTEST_SKIP() << "skipped: the tool is not built";
  const TemporaryFolder folder;
  const std::string path = folder / "database";
  const auto status = [&](Changes typo, bool is_trial) {
    if (is_trial) typo.emplace_back("--log", "--dry_run");
    const testing::ChildResult result = StartByDropIn(path, typo);
    EXPECT_THAT(result.errors, HasSubstr("Nothing was started"));
    return result.status;
  };
  for (const bool is_trial : {false, true}) {
    EXPECT_EQ(status({{"--policy=read", "--policy=raed"}}, is_trial), 125);
    EXPECT_EQ(status({{PRELOAD_CLIENT, PRELOAD_CLIENT "s"}}, is_trial), 127);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  const testing::ChildResult trial = StartByDropIn(path, {{"--log", "--dry_run"}});
  EXPECT_EQ(trial.status, 0) << trial.errors;
  EXPECT_THAT(trial.output,
              HasSubstr("policy       what the program asks for; Winnow's filters are read"));
  EXPECT_THAT(trial.output, HasSubstr(": reached by"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Fixture with three column families of one file each, opened with options in text form, which the
// OPTIONS file keeps.
class ConversionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WINNOW_SKIP_WITHOUT("ldb");
    if (std::string(WINNOW_TOOL).empty()) GTEST_SKIP() << "skipped: the tool is not built";
  }

  void MakeDatabase(const std::string& policy) const {
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(policy);
    const Options options = testing::MakeOptions(table);
    const auto database = testing::OpenDatabase(options, path_);
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

  // Runs the page's commands after changes.
  testing::ChildResult Convert(Changes changes = {}) const {
    std::string commands;
    for (const std::string& block : testing::IndentedBlocks(RolloutPage())) {
      if (block.find("list_column_families") != std::string::npos) commands = block;
    }
    EXPECT_NE(commands, "");
    changes.insert(changes.begin(), {"FOLDER", path_});
    const std::string tool = std::filesystem::path(WINNOW_TOOL).parent_path().string();
    return RunCommands("PATH=$PATH:'" + tool + "'\n" + Changed(commands, changes));
  }

  bool OptionsHave(const std::string& text) const {
    return testing::NewestOptionsFile(path_).find(text) != std::string::npos;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
};

// ldb compacts only one column family at a time.
TEST_F(ConversionTest, ReachesEveryColumnFamilyThereAndBack) {
  MakeDatabase("bloomfilter:10");
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"built-in bloom", 3}}));
  const testing::ChildResult there = Convert();
  EXPECT_EQ(there.status, 0) << there.errors;
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"winnow bloom", 3}})) << there.errors;
  const testing::ChildResult back = Convert({{"--policy=winnow", "--policy=read"}});
  EXPECT_EQ(back.status, 0) << back.errors;
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"built-in bloom", 3}})) << back.errors;
}

TEST_F(ConversionTest, KeepsThePolicyOfTheOptionsFile) {
  MakeDatabase("winnow:12");
  const testing::ChildResult result = Convert();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"winnow bloom", 3}})) << result.errors;
  EXPECT_TRUE(OptionsHave("bits_per_key=12"));
}

// The program's merge operator and comparator are its own.
TEST_F(ConversionTest, ADatabaseThatLdbDoesNotKnowStaysAsItIs) {
  ASSERT_EQ(RunClient({"count", "families@" + path_, "bloom:10", "100"}, {"OWN_ORDER=1"}).status,
            0);
  const std::string options = testing::NewestOptionsFile(path_);
  const Kinds kinds = KindsOfFilters(path_);
  for (const char* policy : {"--policy=winnow", "--policy=read"}) {
    const testing::ChildResult result = Convert({{"--policy=winnow", policy}});
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.errors, HasSubstr("Nothing was changed. Let the service"));
  }
  EXPECT_EQ(testing::NewestOptionsFile(path_), options);
  EXPECT_EQ(KindsOfFilters(path_), kinds);
  EXPECT_EQ(RunClient({"counted", "families@" + path_, "bloom:10", "100"}, {"OWN_ORDER=1"}).output,
            "wrong=0\n");
}

// Paths, names and versions that are wrong in the commands: WithAWrongNameNoFilterIsLost of
// installed_pages_test.
TEST_F(ConversionTest, WithANameMisspeltInTheOptionsFileNothingIsLost) {
  MakeDatabase("winnow:10");
  const std::string options = testing::NewestOptionsPath(path_);
  static const std::regex policy(R"(filter_policy=\{[^}]*\})");
  WriteFile(options, std::regex_replace(ReadFile(options), policy, "filter_policy=winow:10"));
  const testing::ChildResult result = Convert();
  EXPECT_NE(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(result.output + result.errors, HasSubstr("winow"));
  EXPECT_EQ(KindsOfFilters(path_), (Kinds{{"winnow bloom", 3}}));
  EXPECT_TRUE(OptionsHave("filter_policy=winow:10"));
}

}  // namespace
}  // namespace winnow
