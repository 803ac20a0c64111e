// The tool on the command line: its output, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace winnow_tool_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class WinnowToolTest : public ::testing::Test {
 protected:
  // Runs the tool. The caller quotes the arguments for the shell.
  ChildResult Run(const std::string& arguments) {
    return RunProgram({"sh", "-c", environment_ + " '" WINNOW_TOOL "' " + arguments});
  }

  std::string Quoted(const std::string& name) { return " '" + folder_ / name + "' "; }

  json RunJson(const std::string& arguments, int code) {
    return testing::JsonOf(Run(arguments + " --json"), code);
  }

  std::string environment_;
  testing::TemporaryFolder folder_;
};

TEST_F(WinnowToolTest, HelpIsAskedForInAnyWay) {
  for (const char* arguments : {"--help", "help", "-h"}) {
    const ChildResult help = Run(arguments);
    EXPECT_EQ(help.status, 0) << arguments;
  }
  for (const char* arguments : {"help inspect", "inspect --help", "--help inspect"}) {
    const ChildResult help = Run(arguments);
    EXPECT_EQ(help.status, 0) << arguments;
    EXPECT_EQ(help.output.rfind("winnow inspect", 0), 0u) << arguments;
  }
}

TEST_F(WinnowToolTest, TheKernelCanBeForced) {
  environment_ = "WINNOW_KERNEL=portable";
  EXPECT_THAT(Run("--version").output, HasSubstr("kernel portable"));
}

TEST_F(WinnowToolTest, WrongUsageIsTwoAndSaysWhatIsRight) {
  for (const char* arguments : {"", "inspect", "policy", "policy a b", "inspct x", "help inspct",
                                "inspect --jsn x", "inspect --json=maybe x", "--json"}) {
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr("winnow")) << arguments;
  }
}

TEST_F(WinnowToolTest, InspectJsonHasTheFieldsThatOthersRead) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    testing::PutAndFlush(database.get(), {1'000});
  }
  const json document = RunJson("inspect" + Quoted("db"), 0);
  EXPECT_EQ(document.at("schema"), "winnow.inspect/1");
  ASSERT_EQ(document.at("files").size(), 1u);
  const json& file = document["files"][0];
  EXPECT_THAT(file.at("path").get<std::string>(), HasSubstr(".sst"));
  EXPECT_TRUE(fs::exists(file["path"].get<std::string>()));
  EXPECT_TRUE(file.at("level").is_number_integer());
  EXPECT_EQ(file["level"], 0);
  EXPECT_EQ(file.at("entries"), 1'000);
  EXPECT_TRUE(file.at("error").is_null());
  const json& filter = file.at("filter");
  EXPECT_EQ(filter.at("kind"), "winnow-ribbon");
  EXPECT_TRUE(filter.at("keys").is_number_unsigned());
  EXPECT_EQ(filter["keys"], 1'000);
  EXPECT_TRUE(filter.at("bytes").is_number_unsigned());
  EXPECT_NEAR(filter.at("bits_per_key").get<double>(), 8 * filter["bytes"].get<double>() / 1'000,
              1e-9);
  EXPECT_GT(filter.at("expected_fpr").get<double>(), 0.005);
  EXPECT_LT(filter["expected_fpr"].get<double>(), 0.011);
  EXPECT_EQ(filter.count("partitions"), 0u);
}

TEST_F(WinnowToolTest, InspectTellsHowMuchIsConverted) {
  WriteSst(TableWith("winnow:10"), 3'000, folder_ / "a.sst");
  WriteSst(TableWith("bloomfilter:10"), 6'000, folder_ / "b.sst");
  WriteSst(TableWith(""), 1'000, folder_ / "c.sst");
  const std::string files = Quoted("a.sst") + Quoted("b.sst") + Quoted("c.sst");
  EXPECT_THAT(Run("inspect" + files).output,
              HasSubstr("\nconverted: 30.0 % of the entries are in files with Winnow's filters "
                        "(1 of 3), 60.0 % in files with RocksDB's own filters (1), 10.0 % in "
                        "files with no filter (1)\n"));
  const json document = RunJson("inspect" + files, 0);
  const json& converted = document.at("converted");
  EXPECT_NEAR(converted.at("winnow_share_of_entries").get<double>(), 0.3, 1e-9);
  EXPECT_EQ(converted.at("winnow").at("files"), 1);
  EXPECT_EQ(converted["winnow"].at("keys"), 3'000);
  EXPECT_EQ(converted.at("builtin").at("entries"), 6'000);
  EXPECT_GT(converted["builtin"].at("filter_bytes"), 7'000);
  EXPECT_EQ(converted.at("none").at("files"), 1);
  EXPECT_EQ(converted.at("unknown").at("files"), 0);
}

// The last small file counts: a user who removes the plugin because of this line must not lose a
// filter.
TEST_F(WinnowToolTest, InspectSaysAllAndNoneOnlyWhereItIsSo) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  WriteSst(TableWith("bloomfilter:10"), 300'000, folder_ / "b.sst");
  WriteFile(folder_ / "c.sst", "no table");
  EXPECT_THAT(Run("inspect" + Quoted("a.sst") + Quoted("b.sst")).output,
              HasSubstr("\nconverted: less than 0.1 % of the entries are in files with Winnow's "
                        "filters (1 of 2), more than 99.9 % in files with RocksDB's own filters "
                        "(1)\n"));
  EXPECT_THAT(
      Run("inspect" + Quoted("b.sst") + Quoted("c.sst")).output,
      HasSubstr("\nconverted: not known, as 1 of 2 files could not be read; of what was read "
                "0.0 % of the entries are in files with Winnow's filters (0 of 1), 100.0 % in "
                "files with RocksDB's own filters (1)\n"));
  // No file was readable.
  EXPECT_THAT(Run("inspect" + Quoted("c.sst")).output,
              HasSubstr("\nconverted: not known, as 1 of 1 file could not be read\n"));
}

TEST_F(WinnowToolTest, InspectJsonSumsPartitions) {
  WriteSst(testing::PartitionedTableWith("winnow:10"), 20'000, folder_ / "a.sst");
  const json document = RunJson("inspect" + Quoted("a.sst"), 0);
  const json& file = document.at("files").at(0);
  EXPECT_TRUE(file.at("level").is_null());
  EXPECT_GT(file.at("filter").at("partitions"), 1);
  EXPECT_EQ(file["filter"].at("keys"), 20'000);
}

TEST_F(WinnowToolTest, InspectSaysHowMuchIsBloomAndWhatThatWouldTakeAsRibbons) {
  WriteSst(testing::PartitionedTableWith("bloomfilter:10"), 20'000, folder_ / "a.sst");
  WriteSst(TableWith("{id=winnow;bloom_before_level=2147483647}"), 10'000, folder_ / "b.sst");
  WriteSst(TableWith("winnow:10"), 10'000, folder_ / "c.sst");
  const std::string paths = Quoted("a.sst") + Quoted("b.sst") + Quoted("c.sst");
  const json bloom = RunJson("inspect" + paths, 0).at("bloom");
  EXPECT_EQ(bloom.at("files"), 1);
  EXPECT_GT(bloom.at("partitions"), 1);
  EXPECT_EQ(bloom.at("blocks"), bloom["files"].get<int>() + bloom["partitions"].get<int>());
  EXPECT_EQ(bloom.at("keys"), 30'000);
  const double share = bloom.at("bytes_as_ribbons").get<double>() / bloom.at("bytes").get<double>();
  EXPECT_GT(share, 0.65);
  EXPECT_LT(share, 0.8);
}

TEST_F(WinnowToolTest, WhatCanNotBeReadIsTwoAndTheRestIsShown) {
  WriteSst(TableWith("winnow:10"), 5'000, folder_ / "a.sst");
  WriteFile(folder_ / "b.sst", ReadFile(folder_ / "a.sst").substr(0, 1'000));
  WriteFile(folder_ / "c", "no table");
  fs::create_directory(folder_ / "d");
  const json document = RunJson(
      "inspect" + Quoted("b.sst") + Quoted("c") + Quoted("d") + Quoted("missing") + Quoted("a.sst"),
      2);
  ASSERT_EQ(document.at("files").size(), 5u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(document["files"][i].at("filter").is_null()) << i;
    EXPECT_THAT(document["files"][i].at("error").get<std::string>(), Not(IsEmpty())) << i;
  }
  EXPECT_EQ(document["files"][4].at("filter").at("kind"), "winnow-ribbon");
  const ChildResult text = Run("inspect" + Quoted("b.sst") + Quoted("a.sst"));
  EXPECT_EQ(text.status, 2);
  EXPECT_THAT(text.output, HasSubstr("  NOT READ\n"));
  EXPECT_THAT(text.output, HasSubstr("winnow-ribbon"));
}

TEST_F(WinnowToolTest, ATreeThatCanNotBeReadIsTwoAndItsFilesAreShown) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), "key", "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  EXPECT_EQ(Run("inspect" + Quoted("db")).status, 0);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
    if (entry.path().filename().string().rfind("MANIFEST-", 0) == 0) {
      fs::resize_file(entry.path(), 20);
    }
  }
  const ChildResult outcome = Run("inspect" + Quoted("db"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("levels are unknown"));
  EXPECT_THAT(outcome.output, HasSubstr("winnow-bloom"));
  EXPECT_EQ(RunJson("inspect" + Quoted("db"), 2).at("files").size(), 1u);
  // The database may have had more files, which are missing.
  EXPECT_THAT(outcome.output, HasSubstr("\nconverted: not known, as a database's tree could not"));
  EXPECT_EQ(RunJson("inspect" + Quoted("db"), 2).at("converted").at("trees_read"), false);
  EXPECT_THAT(Run("verify" + Quoted("db")).output,
              HasSubstr("may be files that were not verified"));
  EXPECT_THAT(Run("probe" + Quoted("db") + "zzz").output,
              HasSubstr("zzz (0x7a7a7a): not known: there may be more files, as a database's"));
  EXPECT_EQ(RunJson("probe" + Quoted("db") + "zzz", 2).at("keys").at(0).at("answer"), "not known");
}

// An incomplete copy may leave this.
TEST_F(WinnowToolTest, ADatabaseOfNothingButACurrentIsNotKnown) {
  fs::create_directory(folder_ / "db");
  WriteFile(folder_ / "db/CURRENT", "MANIFEST-000005\n");
  for (const char* command : {"inspect --summary", "verify", "probe"}) {
    const std::string arguments = command + Quoted("db") + (command[0] == 'p' ? "key" : "");
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.output, HasSubstr("a database's tree could not be read")) << command;
    EXPECT_THAT(outcome.errors, HasSubstr("MANIFEST-000005")) << command;
  }
  EXPECT_THAT(Run("inspect --summary" + Quoted("db")).output, HasSubstr("\nconverted: not known"));
}

TEST_F(WinnowToolTest, FilesThatTheTreeDoesNotNameAreNoticed) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), "key", "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  EXPECT_TRUE(RunJson("inspect" + Quoted("db"), 0).at("warnings").empty());
  WriteSst(TableWith("winnow:10"), 100, folder_ / "db/stray1.sst");
  const ChildResult one = Run("verify" + Quoted("db"));
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.errors, HasSubstr("1 SST file in " + folder_ / "db" +
                                    " is not in the database's tree: stray1.sst; it is shown"));
  WriteSst(TableWith("winnow:10"), 100, folder_ / "db/stray2.sst");
  const json document = RunJson("inspect" + Quoted("db"), 0);
  EXPECT_EQ(document.at("files").size(), 3u);
  ASSERT_EQ(document.at("warnings").size(), 1u);
  EXPECT_THAT(document["warnings"][0], HasSubstr("2 SST files in "));
  EXPECT_THAT(document["warnings"][0], HasSubstr("tree: stray1.sst, ...; they are shown"));
}

// RocksDB reads the rest of the MANIFEST as an empty database.
TEST_F(WinnowToolTest, AManifestCutAtARecordsEndIsTwo) {
  const auto manifest = [this] {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
      if (entry.path().filename().string().rfind("MANIFEST-", 0) == 0) {
        return entry.path();
      }
    }
    return fs::path();
  };
  uint64_t before = 0;
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    before = fs::file_size(manifest());
    ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), "key", "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  ASSERT_GT(fs::file_size(manifest()), before);
  fs::resize_file(manifest(), before);
  for (const char* verb : {"inspect", "verify"}) {
    const ChildResult outcome = Run(verb + Quoted("db"));
    EXPECT_EQ(outcome.status, 2) << verb;
    EXPECT_THAT(outcome.errors, HasSubstr("levels are unknown: the MANIFEST names no SST file"));
    EXPECT_THAT(outcome.output, HasSubstr("winnow-bloom"));
  }
}

TEST_F(WinnowToolTest, InspectReadsFilesInOtherFolders) {
  {
    auto options = MakeOptions(TableWith("winnow:10"));
    options.db_paths = {{folder_ / "fast", 1 << 30}, {folder_ / "slow", 1 << 30}};
    const auto database = OpenDatabase(options, folder_ / "db");
    ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), "key", "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  const json without = RunJson("inspect" + Quoted("db"), 2);
  EXPECT_THAT(without.at("files").at(0).at("error").get<std::string>(), HasSubstr("--path=FOLDER"));
  const std::string paths = " '--path=" + folder_ / "slow" + "' '--path=" + folder_ / "fast" + "'";
  const json document = RunJson("inspect" + Quoted("db") + paths, 0);
  ASSERT_EQ(document.at("files").size(), 1u);
  EXPECT_EQ(document["files"][0].at("level"), 0);
  EXPECT_THAT(document["files"][0].at("path").get<std::string>(), HasSubstr("fast/"));
  EXPECT_EQ(Run("inspect" + Quoted("db") + " --path" + Quoted("fast")).status, 2);
  EXPECT_EQ(Run("inspect" + Quoted("db") + " --path=").status, 2);
}

TEST_F(WinnowToolTest, AFaultIsOne) {
  auto table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 5'000, folder_ / "a.sst");
  std::string bytes = ReadFile(folder_ / "a.sst");
  const size_t magic = bytes.find("Wnow");
  ASSERT_NE(magic, std::string::npos);
  bytes[magic] = 'V';
  WriteFile(folder_ / "a.sst", bytes);
  const json document = RunJson("inspect" + Quoted("a.sst"), 1);
  EXPECT_EQ(document.at("files").at(0).at("filter").at("kind"), "unknown");
  EXPECT_TRUE(document["files"][0]["filter"].at("fault").is_string());
  EXPECT_TRUE(document["files"][0].at("error").is_null());
  EXPECT_THAT(Run("inspect" + Quoted("a.sst")).output, HasSubstr("\nfault: "));
}

TEST_F(WinnowToolTest, PolicyThatWorks) {
  const ChildResult outcome = Run("policy 'winnow:10'");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, IsEmpty());
  const json document = RunJson("policy 'winnow:10'", 0);
  EXPECT_EQ(document.at("schema"), "winnow.policy/1");
  EXPECT_EQ(document.at("ok"), true);
  EXPECT_EQ(document.at("by_keys").size(), 5u);
}

TEST_F(WinnowToolTest, PolicyTellsWhoseFiltersAreBuiltAndWhoReadsWinnows) {
  EXPECT_THAT(Run("policy '{id=winnow;build=bloomfilter}'").output,
              AllOf(HasSubstr("builtin-bloom"), Not(HasSubstr("winnow-"))));
  EXPECT_EQ(RunJson("policy '{id=winnow;build=bloomfilter}'", 0).at("reads_winnow"), true);
  EXPECT_EQ(RunJson("policy bloomfilter:10", 0).at("reads_winnow"), false);
}

TEST_F(WinnowToolTest, PolicyThatDoesNotWorkIsOneAndHelps) {
  const ChildResult typo = Run("policy winow:12");
  EXPECT_EQ(typo.status, 1);
  EXPECT_THAT(typo.errors, HasSubstr("drops it"));
  EXPECT_THAT(typo.errors, HasSubstr("Did you mean 'winnow'?"));
  EXPECT_THAT(Run("policy winnow:99").errors, HasSubstr("1 to 32"));
  const ChildResult option = Run("policy '{id=winnow;bits=3}'");
  EXPECT_THAT(option.errors, HasSubstr("does not open"));
  EXPECT_THAT(option.errors, HasSubstr("Did you mean 'bits_per_key'?"));
  EXPECT_EQ(Run("policy '{id=winnow;filter_memory=256MiB}'").status, 0);
  for (const char* policy : {"''", "winnow:99", "winnow:ten", "bloomfilter:ten", "nullptr"}) {
    const ChildResult outcome = Run(std::string("policy ") + policy);
    EXPECT_EQ(outcome.status, 1) << policy;
    EXPECT_THAT(outcome.errors, Not(IsEmpty())) << policy;
  }
  const json document = RunJson("policy winow:12", 1);
  EXPECT_EQ(document.at("ok"), false);
  EXPECT_EQ(document.at("suggestion"), "winnow");
  EXPECT_TRUE(RunJson("policy winnow:99", 1).at("suggestion").is_null());
  EXPECT_EQ(document.at("outcome"), "no_policy");
  EXPECT_EQ(RunJson("policy '{id=winnow;bits=3}'", 1).at("outcome"), "does_not_open");
}

TEST_F(WinnowToolTest, PolicyThatWorksInOnePlaceIsOneAndTellsThePlaces) {
  EXPECT_THAT(Run("policy 'winnow:10;block_size=8192'").errors,
              HasSubstr("does not work everywhere"));
  const json document = RunJson("policy 'winnow:10;block_size=8192'", 1);
  EXPECT_EQ(document.at("outcome"), "depends_on_place");
  EXPECT_TRUE(document.at("in_force").is_null());
  ASSERT_EQ(document.at("by_place").size(), 3u);
  EXPECT_EQ(document["by_place"][0].at("place"), "a table-options string");
  EXPECT_EQ(document["by_place"][0].at("outcome"), "works");
  EXPECT_EQ(document["by_place"][2].at("place"), "an OPTIONS file");
  EXPECT_EQ(document["by_place"][2].at("outcome"), "does_not_open");
}

TEST_F(WinnowToolTest, PolicyOfAnOptionsFile) {
  const std::string head =
      "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
      "[CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\n  filter_policy=";
  WriteFile(folder_ / "good", head + "winnow:10\n");
  WriteFile(folder_ / "typo", head + "winow:10\n");
  WriteFile(folder_ / "none", head + "nullptr\n");
  WriteFile(folder_ / "one", head + "winnow:10\n[CFOptions \"other\"]\n");
  WriteFile(folder_ / "other", "something else\n");
  EXPECT_EQ(Run("policy" + Quoted("good")).status, 0);
  EXPECT_EQ(Run("policy" + Quoted("one")).status, 0);
  const ChildResult typo = Run("policy" + Quoted("typo"));
  EXPECT_EQ(typo.status, 1);
  EXPECT_THAT(typo.errors, HasSubstr("column family 'default'"));
  EXPECT_THAT(typo.errors, HasSubstr("Did you mean 'winnow'?"));
  EXPECT_EQ(Run("policy" + Quoted("none")).status, 1);
  EXPECT_EQ(Run("policy" + Quoted("other")).status, 2);
  const json document = RunJson("policy" + Quoted("one"), 0);
  ASSERT_EQ(document.at("column_families").size(), 2u);
  EXPECT_EQ(document["column_families"][0].at("ok"), true);
  EXPECT_EQ(document["column_families"][1].at("no_filter_asked_for"), true);
}

TEST_F(WinnowToolTest, AMissingPathIsTwoAndNoPolicy) {
  for (const std::string& path :
       {std::string("db/000007"), std::string("/tmp/nosuch/OPTIONS-000007"),
        std::string("OPTIONS-000007"), std::string("options.ini"),
        "'" + folder_ / "missing" + "'"}) {
    const ChildResult outcome = Run("policy " + path);
    EXPECT_EQ(outcome.status, 2) << path;
    EXPECT_THAT(outcome.errors, HasSubstr("there is no file or folder")) << path;
    EXPECT_THAT(outcome.errors, HasSubstr("taken for a path")) << path;
    EXPECT_THAT(outcome.errors, Not(HasSubstr("Did you mean"))) << path;
  }
  const json document = RunJson("policy db/000007", 2);
  EXPECT_EQ(document.at("taken_for"), "path");
  EXPECT_EQ(document.at("path"), "db/000007");
  EXPECT_THAT(document.at("error").get<std::string>(), HasSubstr("there is no file or folder"));
}

TEST_F(WinnowToolTest, ItIsSaidWhatAnArgumentWasTakenFor) {
  for (const char* argument : {"winow", "nodb", "winnow:99"}) {
    EXPECT_THAT(Run(std::string("policy ") + argument).errors,
                StartsWith("winnow policy: there is no file or folder '" + std::string(argument) +
                           "'; as a policy, '" + argument + "' gives no such filter: "));
  }
  EXPECT_THAT(Run("policy '{id=winow}'").errors, Not(HasSubstr("no file or folder")));
  EXPECT_EQ(RunJson("policy winow", 1).at("taken_for"), "policy");

  WriteFile(folder_ / "winnow", "no options");
  environment_ = "cd" + Quoted("") + "&&";
  const ChildResult file = Run("policy winnow");
  EXPECT_EQ(file.status, 2);
  EXPECT_THAT(file.errors, HasSubstr("not a RocksDB options file"));
  EXPECT_THAT(file.errors, HasSubstr("for the policy, write filter_policy=winnow"));
  EXPECT_EQ(RunJson("policy winnow", 2).at("taken_for"), "path");
  WriteFile(folder_ / "filter_policy=winnow", "no options");
  EXPECT_EQ(Run("policy filter_policy=winnow").status, 0);
}

// `timeout` ends a tool that waits for input from the pipe, even on a slow machine.
TEST_F(WinnowToolTest, SpecialFilesAreTwoAtOnce) {
  environment_ = "timeout 60";
  ASSERT_EQ(std::system(("mkfifo" + Quoted("pipe")).c_str()), 0);
  fs::create_directory(folder_ / "folder");
  const ChildResult pipe = Run("policy" + Quoted("pipe"));
  EXPECT_EQ(pipe.status, 2);
  EXPECT_THAT(pipe.errors, HasSubstr("is a pipe; expected is an OPTIONS file"));
  EXPECT_THAT(RunJson("policy" + Quoted("pipe"), 2).at("error").get<std::string>(),
              HasSubstr("is a pipe"));
  EXPECT_EQ(Run("policy /dev/zero").status, 2);
  EXPECT_THAT(Run("policy /dev/zero").errors, HasSubstr("is a device"));
  EXPECT_EQ(Run("policy" + Quoted("folder")).status, 2);
  EXPECT_THAT(Run("policy" + Quoted("folder")).errors, HasSubstr("no OPTIONS file in the folder"));
}

TEST_F(WinnowToolTest, ArgumentsMayBeginWithADash) {
  const ChildResult outcome = Run("policy -- -winnow:10");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("drops it"));
}

}  // namespace winnow_tool_test
}  // namespace winnow
