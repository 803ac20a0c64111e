// The tool on the command line: its output, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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
using testing::MakeOptions;
using testing::OpenDatabase;
using testing::RunProgram;
using ::testing::StartsWith;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class WinnowToolTest : public testing::VerbTest {
 protected:
  WinnowToolTest() : VerbTest("") {}

  // Makes a database with one file of `keys` keys.
  void MakeDatabase(uint64_t keys) {
    testing::PutAndFlush(OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db").get(),
                         {keys});
  }

  fs::path Manifest() const {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "db")) {
      if (entry.path().filename().string().rfind("MANIFEST-", 0) == 0) return entry.path();
    }
    return {};
  }
};

TEST_F(WinnowToolTest, HelpIsAskedForInAnyWay) {
  for (const char* arguments : {"--help", "help", "-h"}) {
    EXPECT_EQ(Run(arguments).status, 0) << arguments;
  }
  for (const char* arguments : {"help inspect", "inspect --help", "--help inspect"}) {
    const ChildResult help = Run(arguments);
    EXPECT_EQ(help.status, 0) << arguments;
    EXPECT_THAT(help.output, StartsWith("winnow inspect")) << arguments;
  }
}

TEST_F(WinnowToolTest, TheKernelCanBeForced) {
  EXPECT_THAT(RunProgram({WINNOW_TOOL, "--version"}, {"WINNOW_KERNEL=portable"}).output,
              HasSubstr("kernel portable"));
}

// Flags and arguments of every verb, but `run` and `adopt`. FILE stands for a good file.
TEST_F(WinnowToolTest, WrongUsageIsTwoAndSaysWhatIsRight) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"", {"", "inspct x", "help inspct", "--json", "version x", "version --json"}},
      {"inspect",
       {"", "--jsn x", "--json=maybe x", "FILE --sort=size", "FILE --limit=-1", "FILE --limit=x",
        "FILE --level=x", "FILE --level=-1", "FILE --jobs=-1", "FILE --csv --json",
        "FILE --summary --csv", "FILE --summary --limit=3", "FILE --path=", "FILE --path x"}},
      {"verify",
       {"", "--samples=many x", "--samples=-1 x", "--jobs=-1 x", "--jobs=5000 x", "--samples x",
        "--samples=1000000000000 x"}},
      {"probe",
       {"", "FILE", "nowhere key", "FILE nowhere.sst key", "FILE key --jobs=-1", "FILE --from=a",
        "FILE --from=a --to=a", "FILE --from=a --to=b --hex", "FILE --keys", "FILE --keyz=x",
        "FILE --keys=/nosuch/list", "FILE abc --hex", "FILE 0xzz --hex"}},
      {"policy",
       {"", "a b", "winnow:10 --keys=0", "winnow:10 --keys=100000000000", "winnow:10 --keys=many",
        "winnow:10 --keys=100 --level=7", "winnow:10 --keys=100 --level=-1", "winnow:10 --level=1",
        "winnow:10 FILE --keys=100", "FILE FILE"}},
      {"advise",
       {"", "--budget=lots x", "--budget=0 x", "--draws=0 x", "--absent_share=2 x",
        "--absent_share=nan x", "--jobs=-1 x", "--by=size x", "--sample=-1 x", "--budget x"}}};
  for (const auto& [verb, all] : cases) {
    for (const std::string& arguments : all) {
      testing::ExpectWrongUsage(verb + " " + testing::Replaced(arguments, "FILE", Quoted("a.sst")));
    }
  }
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

TEST_F(WinnowToolTest, ATreeThatCanNotBeReadIsTwoAndItsFilesAreShown) {
  uint64_t cut_at_a_record = 0;  // RocksDB reads the rest of the MANIFEST as an empty database
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    cut_at_a_record = fs::file_size(Manifest());
    testing::PutAndFlush(database.get(), {1});
  }
  EXPECT_EQ(Run("inspect" + Quoted("db")).status, 0);
  ASSERT_GT(fs::file_size(Manifest()), cut_at_a_record);
  for (const auto& [bytes, said] :
       {std::pair(cut_at_a_record, "levels are unknown: the MANIFEST names no SST file"),
        {uint64_t{20}, "levels are unknown"}}) {
    fs::resize_file(Manifest(), bytes);
    const ChildResult outcome = Run("inspect" + Quoted("db"));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr(said));
    // The database may have had more files, which are missing.
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("winnow-bloom"),
                      HasSubstr("\nconverted: not known, as a database's tree could not")));
    const json document = RunJson("inspect" + Quoted("db"), 2);
    EXPECT_EQ(document.at("files").size(), 1u);
    EXPECT_EQ(document.at("converted").at("trees_read"), false);
    const ChildResult verified = Run("verify" + Quoted("db"));
    EXPECT_EQ(verified.status, 2);
    EXPECT_THAT(verified.output, HasSubstr("may be files that were not verified"));
    EXPECT_THAT(Run("probe" + Quoted("db") + "zzz").output,
                HasSubstr("zzz (0x7a7a7a): not known: there may be more files, as a database's"));
    EXPECT_EQ(RunJson("probe" + Quoted("db") + "zzz", 2).at("keys").at(0).at("answer"),
              "not known");
  }
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
}

TEST_F(WinnowToolTest, FilesThatTheTreeDoesNotNameAreNoticed) {
  MakeDatabase(1);
  EXPECT_TRUE(RunJson("inspect" + Quoted("db"), 0).at("warnings").empty());
  const std::string folder = folder_ / "db";
  WriteSst(TableWith("winnow:10"), 100, folder + "/stray1.sst");
  EXPECT_THAT(Run("verify" + Quoted("db")).errors,
              HasSubstr("1 SST file in " + folder +
                        " is not in the database's tree: stray1.sst; it is shown"));
  const json document = RunJson("inspect" + Quoted("db"), 0);
  EXPECT_EQ(document.at("files").size(), 2u);
  EXPECT_EQ(document.at("warnings").size(), 1u);
}

TEST_F(WinnowToolTest, FilesInOtherFoldersAreReadWhereTheFolderIsNamed) {
  auto options = MakeOptions(TableWith("winnow:10"));
  options.db_paths = {{folder_ / "fast", 1 << 30}, {folder_ / "slow", 1 << 30}};
  testing::PutAndFlush(OpenDatabase(options, folder_ / "db").get(), {1});
  const std::string paths = " '--path=" + folder_ / "slow" + "' '--path=" + folder_ / "fast" + "'";
  for (const std::string verb : {"inspect", "verify"}) {
    EXPECT_THAT(RunJson(verb + Quoted("db"), 2).at("files").at(0).at("error"),
                HasSubstr("--path=FOLDER"));
    const json document = RunJson(verb + Quoted("db") + paths, 0);
    ASSERT_EQ(document.at("files").size(), 1u);
    EXPECT_THAT(document["files"][0].at("path"), HasSubstr("fast/"));
  }
}

// Verbs may run beside the database.
TEST_F(WinnowToolTest, NothingIsWritten) {
  MakeDatabase(10'000);
  const auto list = [this] {
    std::map<std::string, fs::file_time_type> listing;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      listing[entry.path()] = entry.last_write_time();
    }
    return listing;
  };
  const auto before = list();
  for (const std::string verb : {"advise --draws=1000", "inspect", "policy winnow", "verify"}) {
    EXPECT_EQ(Run(verb + Quoted("db")).status, 0) << verb;
  }
  EXPECT_EQ(Run("probe" + Quoted("db") + "key --exact").status, 0);
  EXPECT_EQ(list(), before);
}

TEST_F(WinnowToolTest, AFaultIsOne) {
  auto table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 5'000, folder_ / "a.sst");
  testing::FlipBits(folder_ / "a.sst", testing::ReadFile(folder_ / "a.sst").find("Wnow"));
  const json document = RunJson("inspect" + Quoted("a.sst"), 1);
  EXPECT_EQ(document.at("files").at(0).at("filter").at("kind"), "unknown");
  EXPECT_TRUE(document["files"][0]["filter"].at("fault").is_string());
  EXPECT_TRUE(document["files"][0].at("error").is_null());
  EXPECT_THAT(Run("inspect" + Quoted("a.sst")).output, HasSubstr("\nfault: "));
}

TEST_F(WinnowToolTest, PolicyThatDoesNotWorkIsOneAndHelps) {
  const std::pair<const char*, const char*> cases[] = {
      {"winow:12", "Did you mean 'winnow'?"},
      {"winnow:99", "1 to 32"},
      {"'{id=winnow;bits=3}'", "Did you mean 'bits_per_key'?"},
      {"''", "winnow policy: "},
      {"winnow:ten", "winnow policy: "},
      {"bloomfilter:ten", "winnow policy: "},
      {"nullptr", "winnow policy: "},
      {"-- -winnow:10", "drops it"},
      {"'id=winnow;bits_per_key=10'", "does not open"},
  };
  for (const auto& [policy, said] : cases) {
    const ChildResult outcome = Run(std::string("policy ") + policy);
    EXPECT_EQ(outcome.status, 1) << policy;
    EXPECT_THAT(outcome.errors, HasSubstr(said)) << policy;
  }
  EXPECT_EQ(Run("policy '{id=winnow;filter_memory=256MiB}'").status, 0);
  const json document = RunJson("policy winow:12", 1);
  EXPECT_EQ(document.at("ok"), false);
  EXPECT_EQ(document.at("suggestion"), "winnow");
  EXPECT_EQ(document.at("outcome"), "no_policy");
  EXPECT_TRUE(RunJson("policy winnow:99", 1).at("suggestion").is_null());
  EXPECT_EQ(RunJson("policy '{id=winnow;bits=3}'", 1).at("outcome"), "does_not_open");
  EXPECT_EQ(RunJson("policy 'winnow:10;block_size=8192'", 0).at("outcome"), "works");
}

TEST_F(WinnowToolTest, PolicyOfAnOptionsFile) {
  const std::string head =
      "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
      "[CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\n  filter_policy=";
  const struct {
    std::string text;
    int status;
    const char* said;
  } cases[] = {
      {head + "winnow:10\n", 0, ""},
      {head + "winow:10\n", 1, "column family 'default'"},
      {head + "nullptr\n", 1, ""},
      {"something else\n", 2, ""},
      {head + "winnow:10\n[CFOptions \"other\"]\n", 0, ""},
  };
  for (const auto& [text, status, said] : cases) {
    WriteFile(folder_ / "options", text);
    const ChildResult outcome = Run("policy" + Quoted("options"));
    EXPECT_EQ(outcome.status, status) << text;
    EXPECT_THAT(outcome.errors, HasSubstr(said)) << text;
  }
  const json document = RunJson("policy" + Quoted("options"), 0);
  ASSERT_EQ(document.at("column_families").size(), 2u);
  EXPECT_EQ(document["column_families"][0].at("ok"), true);
  EXPECT_EQ(document["column_families"][1].at("no_filter_asked_for"), true);
}

TEST_F(WinnowToolTest, AMissingPathIsTwoAndNoPolicy) {
  for (const std::string path :
       {"db/000007", "/tmp/nosuch/OPTIONS-000007", "OPTIONS-000007", "options.ini"}) {
    const ChildResult outcome = Run("policy " + path);
    EXPECT_EQ(outcome.status, 2) << path;
    EXPECT_THAT(outcome.errors,
                AllOf(HasSubstr("there is no file or folder"), HasSubstr("taken for a path"),
                      ::testing::Not(HasSubstr("Did you mean"))))
        << path;
  }
  const json document = RunJson("policy db/000007", 2);
  EXPECT_EQ(document.at("taken_for"), "path");
  EXPECT_EQ(document.at("path"), "db/000007");
  EXPECT_THAT(document.at("error"), HasSubstr("there is no file or folder"));
}

TEST_F(WinnowToolTest, ItIsSaidWhatAnArgumentWasTakenFor) {
  for (const char* argument : {"winow", "nodb", "winnow:99"}) {
    EXPECT_THAT(Run(std::string("policy ") + argument).errors,
                StartsWith("winnow policy: there is no file or folder '" + std::string(argument) +
                           "'; as a policy, '" + argument + "' gives no such filter: "));
  }
  EXPECT_THAT(Run("policy '{id=winow}'").errors, ::testing::Not(HasSubstr("no file or folder")));
  EXPECT_EQ(RunJson("policy winow", 1).at("taken_for"), "policy");

  // A policy's name may be a file's.
  const auto run_there = [this](const std::string& arguments) {
    return RunProgram({"sh", "-c", "cd" + Quoted("") + "&& '" WINNOW_TOOL "' policy " + arguments});
  };
  WriteFile(folder_ / "winnow", "no options");
  const ChildResult file = run_there("winnow");
  EXPECT_EQ(file.status, 2);
  EXPECT_THAT(file.errors, AllOf(HasSubstr("not a RocksDB options file"),
                                 HasSubstr("for the policy, write filter_policy=winnow")));
  EXPECT_EQ(testing::JsonOf(run_there("winnow --json"), 2).at("taken_for"), "path");
  WriteFile(folder_ / "filter_policy=winnow", "no options");
  EXPECT_EQ(run_there("filter_policy=winnow").status, 0);
}

// `timeout` ends a tool that waits for input from the pipe, even on a slow machine.
TEST_F(WinnowToolTest, SpecialFilesAreTwoAtOnce) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder_ / "folder");
  const std::pair<std::string, const char*> cases[] = {
      {folder_ / "pipe", "is a pipe; expected is an OPTIONS file"},
      {"/dev/zero", "is a device"},
      {folder_ / "folder", "no OPTIONS file in the folder"}};
  for (const auto& [path, said] : cases) {
    const ChildResult outcome =
        RunProgram({"timeout", "60", WINNOW_TOOL, "policy", path, "--json"});
    EXPECT_THAT(testing::JsonOf(outcome, 2).at("error"), HasSubstr(said)) << path;
  }
}

}  // namespace winnow_tool_test
}  // namespace winnow
