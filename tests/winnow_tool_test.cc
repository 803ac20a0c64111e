// The command line tool as people and scripts run it: what it prints, its JSON and its exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/inspect_testing.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

struct Outcome {
  int code = -1;
  std::string out;
  std::string error;
};

class WinnowToolTest : public ::testing::Test {
 protected:
  // The arguments are quoted for the shell by the caller.
  Outcome Run(const std::string& arguments) {
    const std::string out = folder_.File("stdout");
    const std::string error = folder_.File("stderr");
    const std::string command =
        environment_ + " '" WINNOW_TOOL "' " + arguments + " >'" + out + "' 2>'" + error + "'";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << command;
    return {WEXITSTATUS(status), ReadFile(out), ReadFile(error)};
  }

  std::string Quoted(const std::string& name) { return " '" + folder_.File(name) + "' "; }

  json RunJson(const std::string& arguments, int code) {
    const Outcome outcome = Run(arguments + " --json");
    EXPECT_EQ(outcome.code, code) << outcome.error;
    json document = json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(document.is_object()) << outcome.out;
    return document;
  }

  std::string environment_;
  testing::TemporaryFolder folder_;
};

TEST_F(WinnowToolTest, HelpAndVersion) {
  for (const char* arguments : {"--help", "help", "-h"}) {
    const Outcome help = Run(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_THAT(help.out, HasSubstr("winnow inspect"));
    EXPECT_THAT(help.out, HasSubstr("winnow policy"));
  }
  for (const char* arguments : {"help inspect", "inspect --help", "--help inspect"}) {
    const Outcome help = Run(arguments);
    EXPECT_EQ(help.code, 0) << arguments;
    EXPECT_THAT(help.out, HasSubstr("--json"));
    EXPECT_THAT(help.out, HasSubstr("Exit codes"));
  }
  const Outcome version = Run("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, HasSubstr("winnow 0."));
  EXPECT_THAT(version.out, HasSubstr("RocksDB "));
}

TEST_F(WinnowToolTest, TheKernelCanBeForced) {
  environment_ = "WINNOW_KERNEL=portable";
  EXPECT_THAT(Run("--version").out, HasSubstr("kernel portable"));
}

TEST_F(WinnowToolTest, WrongUsageIsTwoAndSaysWhatIsRight) {
  for (const char* arguments : {"", "inspect", "policy", "policy a b", "inspct x", "help inspct",
                                "inspect --jsn x", "inspect --json=maybe x", "--json"}) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.error, HasSubstr("winnow")) << arguments;
  }
  EXPECT_THAT(Run("inspct x").error, HasSubstr("inspect, policy"));
  EXPECT_THAT(Run("inspect").error, HasSubstr("winnow inspect PATH"));
}

TEST_F(WinnowToolTest, InspectPrintsATable) {
  WriteSst(TableWith("winnow:10"), 5'000, folder_.File("a.sst"));
  WriteSst(TableWith("bloomfilter:10"), 5'000, folder_.File("b.sst"));
  const Outcome outcome = Run("inspect" + Quoted("a.sst") + Quoted("b.sst"));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.error, IsEmpty());
  EXPECT_THAT(outcome.out, HasSubstr("winnow-ribbon"));
  EXPECT_THAT(outcome.out, HasSubstr("builtin-bloom"));
  EXPECT_THAT(outcome.out, HasSubstr("\nall"));
}

TEST_F(WinnowToolTest, InspectJsonHasTheFieldsThatOthersRead) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_.File("db"));
    for (uint64_t i = 0; i < 1'000; ++i) {
      ASSERT_STATUS_OK(
          database->Put(ROCKSDB_NAMESPACE::WriteOptions(), testing::KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
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
  EXPECT_EQ(filter.at("kind"), "winnow-bloom");
  EXPECT_TRUE(filter.at("keys").is_number_unsigned());
  EXPECT_EQ(filter["keys"], 1'000);
  EXPECT_TRUE(filter.at("bytes").is_number_unsigned());
  EXPECT_NEAR(filter.at("bits_per_key").get<double>(), 8 * filter["bytes"].get<double>() / 1'000,
              1e-9);
  EXPECT_GT(filter.at("expected_fpr").get<double>(), 0.005);
  EXPECT_LT(filter["expected_fpr"].get<double>(), 0.011);
  EXPECT_EQ(filter.count("partitions"), 0u);
}

TEST_F(WinnowToolTest, InspectJsonSumsPartitions) {
  WriteSst(testing::PartitionedTableWith("winnow:10"), 20'000, folder_.File("a.sst"));
  const json document = RunJson("inspect" + Quoted("a.sst"), 0);
  const json& file = document.at("files").at(0);
  EXPECT_TRUE(file.at("level").is_null());
  EXPECT_GT(file.at("filter").at("partitions"), 1);
  EXPECT_EQ(file["filter"].at("keys"), 20'000);
}

TEST_F(WinnowToolTest, WhatCanNotBeReadIsTwoAndTheRestIsShown) {
  WriteSst(TableWith("winnow:10"), 5'000, folder_.File("a.sst"));
  WriteFile(folder_.File("b.sst"), ReadFile(folder_.File("a.sst")).substr(0, 1'000));
  WriteFile(folder_.File("c"), "no table");
  fs::create_directory(folder_.File("d"));
  const json document = RunJson(
      "inspect" + Quoted("b.sst") + Quoted("c") + Quoted("d") + Quoted("missing") + Quoted("a.sst"),
      2);
  ASSERT_EQ(document.at("files").size(), 5u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(document["files"][i].at("filter").is_null()) << i;
    EXPECT_THAT(document["files"][i].at("error").get<std::string>(), Not(IsEmpty())) << i;
  }
  EXPECT_EQ(document["files"][4].at("filter").at("kind"), "winnow-ribbon");
  const Outcome text = Run("inspect" + Quoted("b.sst") + Quoted("a.sst"));
  EXPECT_EQ(text.code, 2);
  EXPECT_THAT(text.out, HasSubstr("not read: "));
  EXPECT_THAT(text.out, HasSubstr("winnow-ribbon"));
}

TEST_F(WinnowToolTest, ATreeThatCanNotBeReadIsTwoAndItsFilesAreShown) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_.File("db"));
    ASSERT_STATUS_OK(database->Put(ROCKSDB_NAMESPACE::WriteOptions(), "key", "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  EXPECT_EQ(Run("inspect" + Quoted("db")).code, 0);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.File("db"))) {
    if (entry.path().filename().string().rfind("MANIFEST-", 0) == 0) {
      fs::resize_file(entry.path(), 20);
    }
  }
  const Outcome outcome = Run("inspect" + Quoted("db"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("levels are unknown"));
  EXPECT_THAT(outcome.out, HasSubstr("winnow-bloom"));
  EXPECT_EQ(RunJson("inspect" + Quoted("db"), 2).at("files").size(), 1u);
}

TEST_F(WinnowToolTest, AFaultIsOne) {
  auto table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 5'000, folder_.File("a.sst"));
  std::string bytes = ReadFile(folder_.File("a.sst"));
  const size_t magic = bytes.find("Wnow");
  ASSERT_NE(magic, std::string::npos);
  bytes[magic] = 'V';
  WriteFile(folder_.File("a.sst"), bytes);
  const json document = RunJson("inspect" + Quoted("a.sst"), 1);
  EXPECT_EQ(document.at("files").at(0).at("filter").at("kind"), "unknown");
  EXPECT_TRUE(document["files"][0]["filter"].at("fault").is_string());
  EXPECT_TRUE(document["files"][0].at("error").is_null());
  EXPECT_THAT(Run("inspect" + Quoted("a.sst")).out, HasSubstr("\nfault: "));
}

TEST_F(WinnowToolTest, PolicyThatWorks) {
  const Outcome outcome = Run("policy 'winnow:10'");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("winnow-ribbon"));
  EXPECT_THAT(outcome.out, HasSubstr("flush to level 0"));
  EXPECT_THAT(outcome.error, IsEmpty());
  const json document = RunJson("policy 'winnow:10'", 0);
  EXPECT_EQ(document.at("schema"), "winnow.policy/1");
  EXPECT_EQ(document.at("ok"), true);
  EXPECT_EQ(document.at("by_keys").size(), 5u);
}

TEST_F(WinnowToolTest, PolicyThatDoesNotWorkIsOneAndHelps) {
  const Outcome typo = Run("policy winow:12");
  EXPECT_EQ(typo.code, 1);
  EXPECT_THAT(typo.error, HasSubstr("drops it"));
  EXPECT_THAT(typo.error, HasSubstr("Did you mean 'winnow:12'?"));
  EXPECT_THAT(Run("policy winnow:99").error, HasSubstr("1 to 32"));
  EXPECT_THAT(Run("policy winnow:99").error, HasSubstr("Did you mean 'winnow:32'?"));
  EXPECT_THAT(Run("policy '{id=winnow;bits=3}'").error,
              HasSubstr("Did you mean '{id=winnow;bits_per_key=3}'?"));
  for (const char* policy : {"''", "winnow:99", "winnow:ten", "bloomfilter:ten", "nullptr"}) {
    const Outcome outcome = Run(std::string("policy ") + policy);
    EXPECT_EQ(outcome.code, 1) << policy;
    EXPECT_THAT(outcome.error, Not(IsEmpty())) << policy;
  }
  const json document = RunJson("policy winow:12", 1);
  EXPECT_EQ(document.at("ok"), false);
  EXPECT_EQ(document.at("suggestion"), "winnow:12");
}

TEST_F(WinnowToolTest, PolicyOfAnOptionsFile) {
  const std::string head =
      "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n[DBOptions]\n"
      "[CFOptions \"default\"]\n[TableOptions/BlockBasedTable \"default\"]\n  filter_policy=";
  WriteFile(folder_.File("good"), head + "winnow:10\n");
  WriteFile(folder_.File("typo"), head + "winow:10\n");
  WriteFile(folder_.File("none"), head + "nullptr\n");
  WriteFile(folder_.File("one"), head + "winnow:10\n[CFOptions \"other\"]\n");
  WriteFile(folder_.File("other"), "something else\n");
  EXPECT_EQ(Run("policy" + Quoted("good")).code, 0);
  EXPECT_EQ(Run("policy" + Quoted("one")).code, 0);
  const Outcome typo = Run("policy" + Quoted("typo"));
  EXPECT_EQ(typo.code, 1);
  EXPECT_THAT(typo.error, HasSubstr("column family 'default'"));
  EXPECT_THAT(typo.error, HasSubstr("Did you mean 'winnow:10'?"));
  EXPECT_EQ(Run("policy" + Quoted("none")).code, 1);
  EXPECT_EQ(Run("policy" + Quoted("other")).code, 2);
  const json document = RunJson("policy" + Quoted("one"), 0);
  ASSERT_EQ(document.at("column_families").size(), 2u);
  EXPECT_EQ(document["column_families"][0].at("ok"), true);
  EXPECT_EQ(document["column_families"][1].at("no_filter_asked_for"), true);
}

TEST_F(WinnowToolTest, ArgumentsMayBeginWithADash) {
  const Outcome outcome = Run("policy -- -winnow:10");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.error, HasSubstr("drops it"));
}

}  // namespace
}  // namespace winnow
