// `winnow advise` on the command line: its output, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/database/table_list.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/recorded_trace.h"
#include "tests/tools/forgetful_policy.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_advise_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using testing::ExpectWrongUsage;
using ::testing::HasSubstr;
using testing::KeyOf;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::PutAndFlush;
using testing::ReadFile;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class VerbAdviseTest : public testing::VerbTest {
 protected:
  VerbAdviseTest() : VerbTest("advise") {}

  ChildResult Run(const std::string& arguments) const {
    const bool recorded = arguments.find("--lookups=") != std::string::npos;
    return VerbTest::Run((recorded ? " " : " --draws=20000 ") + arguments);
  }
  json RunJson(const std::string& arguments, int code) const {
    return testing::JsonOf(Run(arguments + " --json"), code);
  }

  void MakeDatabase(const std::string& name, const std::string& policy, uint64_t keys) {
    const auto database = OpenDatabase(MakeOptions(TableWith(policy)), folder_ / name);
    PutAndFlush(database.get(), {keys});
  }

  // Creates a large column family on one level, and a small one with six files on level 0.
  void MakeFamilies() {
    const ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("bloomfilter:10"));
    const auto database = OpenDatabase(options, folder_ / "db");
    PutAndFlush(database.get(), {40'000});
    std::vector<testing::KeyNumbers> files;
    for (uint64_t file = 0; file < 6; ++file) files.push_back({12'000, file, 6});
    testing::PutInFamily(database.get(), options, "small", files);
  }
};

// A preloaded library builds Winnow's filters, while OPTIONS has the program's policy.
TEST_F(VerbAdviseTest, APreloadedDatabaseIsComparedWithThePolicyInForce) {
  constexpr char kTaken[] = "The policy in force is taken to be about ";
  const auto make = [&](const std::string& name, const std::string& policy) {
    auto table = TableWith("");
    table.filter_policy = testing::DisguisedPolicy(testing::MakePolicyFrom(policy));
    {
      const auto database = OpenDatabase(MakeOptions(table), folder_ / name);
      PutAndFlush(database.get(), {30'000});
      ASSERT_STATUS_OK(database->CompactRange({}, nullptr, nullptr));
      PutAndFlush(database.get(), {30'000, 0, 10});
    }
    OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / name);
  };
  const auto now = [](const json& document) { return document.at("rows").at(0); };
  for (const std::string& policy : {std::string("{id=winnow;bits_per_key=12}"),
                                    std::string("{id=winnow;bits_per_key=8;level_plan=uniform}")}) {
    fs::remove_all(folder_ / "db");
    make("db", policy);
    const json preloaded = RunJson(Quoted("db") + " --try_policy='" + policy + "'", 0);
    const json& rows = preloaded.at("rows");
    const auto tried = std::find_if(rows.begin(), rows.end(),
                                    [&](const json& row) { return row.at("policy") == policy; });
    ASSERT_NE(tried, rows.end());
    const double in_force = now(preloaded).at("compacted").at("false_reads_per_lookup");
    EXPECT_NEAR(in_force / tried->at("compacted").at("false_reads_per_lookup").get<double>(), 1,
                0.15)
        << policy;
    EXPECT_THAT(preloaded.at("assumptions").dump(),
                AllOf(HasSubstr(kTaken), HasSubstr("the OPTIONS file has bloomfilter:10")));
  }

  // The newest file has RocksDB's filter again.
  PutAndFlush(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get(), {10});
  EXPECT_THAT(RunJson(Quoted("db"), 0).at("assumptions").dump(), Not(HasSubstr(kTaken)));
  MakeDatabase("named", "winnow:10", 10'000);
  EXPECT_THAT(RunJson(Quoted("named"), 0).at("assumptions").dump(), Not(HasSubstr(kTaken)));
}

// golden_outputs_test has the JSON.
TEST_F(VerbAdviseTest, TellsWhatThereIsAndWhatWouldBe) {
  MakeDatabase("db", "bloomfilter:10", 30'000);
  const ChildResult text = Run(Quoted("db"));
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_THAT(text.errors, ::testing::IsEmpty());
  EXPECT_THAT(text.output, AllOf(HasSubstr("\nwinnow:10 "), HasSubstr("filter_policy=winnow:")));
  EXPECT_THAT(Run(Quoted("db") + " --all").output, HasSubstr("\nribbonfilter:12:-1 "));
}

TEST_F(VerbAdviseTest, SortsAsItIsAsked) {
  MakeDatabase("db", "bloomfilter:10", 30'000);
  for (const auto& [by, member] : std::map<std::string, std::string>{
           {"memory", "filter_bytes"}, {"reads", "false_reads_per_lookup"}}) {
    const json rows = RunJson(Quoted("db") + " --by=" + by, 0).at("rows");
    EXPECT_EQ(rows.at(0).at("title"), "now");
    for (size_t i = 2; i < rows.size(); ++i) {
      EXPECT_LE(rows[i - 1].at(member), rows[i].at(member)) << by << " " << i;
    }
  }
}

TEST_F(VerbAdviseTest, DrawsTheCurve) {
  MakeDatabase("db", "bloomfilter:10", 30'000);
  EXPECT_EQ(Run(Quoted("db") + " --chart=" + folder_ / "a.svg").status, 0);
  EXPECT_THAT(ReadFile(folder_ / "a.svg"), AllOf(HasSubstr("<svg xmlns="), HasSubstr("</svg>")));
  const ChildResult full = Run(Quoted("db") + " --chart=/dev/full");
  EXPECT_EQ(full.status, 2) << full.errors;
}

// AdviceRowsTest has more on the split.
TEST_F(VerbAdviseTest, SplitsABudgetOverFamiliesAndOffersOnePolicyBesideThat) {
  MakeFamilies();
  const json document = RunJson(Quoted("db") + " --budget=40KB", 0);
  ASSERT_EQ(document.at("families").size(), 2u);
  const json& budget = document.at("budget");
  EXPECT_EQ(budget.at("bytes"), 40'000);
  EXPECT_EQ(budget.at("fits"), true);
  EXPECT_EQ(budget.at("rest_buys_nothing"), false);
  ASSERT_EQ(budget.at("parts").size(), 2u);
  double sum = 0;
  for (const json& part : budget["parts"]) {
    sum += part.at("filter_bytes").get<double>();
    EXPECT_THAT(part.at("policy").get<std::string>(), HasSubstr("winnow"));
  }
  EXPECT_LE(sum, 40'000);
  EXPECT_GT(sum, 39'000);
  // Both families have the same lookups per key, but `small` checks six files per lookup.
  EXPECT_EQ(budget["parts"][0].at("family"), "default");
  EXPECT_NE(budget["parts"][0].at("policy"), budget["parts"][1].at("policy"));
  const json& rows = document.at("rows");
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const json& row) {
    return row.at("policy") == budget.at("one_policy") && row.at("filter_bytes") <= 40'000;
  }));
  const json large = RunJson(Quoted("db") + " --budget=40MB", 0).at("budget");
  EXPECT_EQ(large.at("rest_buys_nothing"), true);
  EXPECT_LT(large.at("taken_bytes"), 200'000);
}

TEST_F(VerbAdviseTest, AFamilyTooSmallToBeDrawnFromGetsBitsAsWell) {
  MakeDatabase("db", "bloomfilter:10", 50'000);
  const ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("bloomfilter:10"));
  testing::PutInFamily(OpenDatabase(options, folder_ / "db").get(), options, "tiny", {{200}});
  const json document = RunJson(Quoted("db") + " --draws=100 --budget=60KB", 0);
  ASSERT_EQ(document.at("families").size(), 2u);
  EXPECT_EQ(document["families"][1].at("lookups"), 0);
  const json& tiny = document.at("budget").at("parts").at(1);
  EXPECT_EQ(tiny.at("family"), "tiny");
  EXPECT_NE(tiny.at("policy"), "winnow:2");
}

// Formulas are a few bytes off for filters of few keys, so the built filters count.
TEST_F(VerbAdviseTest, TheFiltersOfABudgetFitIntoIt) {
  MakeFamilies();
  for (int bytes = 22'000; bytes < 60'000; bytes += 3'100) {
    const json document =
        RunJson(Quoted("db") + " --draws=2000 --budget=" + std::to_string(bytes), 0);
    const json& budget = document.at("budget");
    EXPECT_EQ(budget.at("fits"), true) << bytes;
    EXPECT_LE(budget.at("taken_bytes").get<double>(), bytes);
    EXPECT_GE(budget.at("taken_bytes").get<double>(), 0.95 * bytes);
  }
}

TEST_F(VerbAdviseTest, ABudgetThatIsTooSmallIsOne) {
  MakeDatabase("db", "bloomfilter:10", 30'000);
  const ChildResult outcome = Run(Quoted("db") + " --budget=1KiB");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("The budget is too small: even with 2 bits per key"));
}

TEST_F(VerbAdviseTest, RecordedLookupsAreOfOneFamily) {
  MakeFamilies();
  WriteFile(folder_ / "keys", KeyOf(1) + "\n" + KeyOf(2) + "x\n" + KeyOf(2) + "x\nzzz\n");
  ExpectWrongUsage("advise" + Quoted("db") + " --lookups=" + folder_ / "keys", "--cf=NAME");
  const json document = RunJson(Quoted("db") + " --cf=small --lookups=" + folder_ / "keys", 0);
  EXPECT_EQ(document.at("families").size(), 1u);
  EXPECT_EQ(
      document.at("lookups"),
      json({{"recorded", true}, {"count", 4}, {"absent", 3}, {"left_out", 0}, {"dropped", 0}}));
  WriteFile(folder_ / "hex", "0x61\n6162\n");
  EXPECT_EQ(RunJson(Quoted("db") + " --cf=small --hex --lookups=" + folder_ / "hex", 0)
                .at("lookups")
                .at("count"),
            2);
  EXPECT_EQ(Run(Quoted("db") + " --cf=small --hex --lookups=" + folder_ / "keys").status, 2);
  EXPECT_EQ(Run(Quoted("db") + " --cf=small --lookups=" + folder_ / "missing").status, 2);
}

// Each database is a tree of its own, however it is named.
TEST_F(VerbAdviseTest, SeveralDatabasesAreSeveralTrees) {
  MakeDatabase("db1", "bloomfilter:10", 20'000);
  MakeDatabase("db2", "winnow:8", 10'000);
  const json one = RunJson(Quoted("db1"), 0);
  const json named = RunJson(Quoted("db1") + Quoted("db2"), 0);
  ASSERT_EQ(named.at("families").size(), 2u);
  EXPECT_EQ(named.at("families")[1].at("database"), folder_ / "db2");
  EXPECT_EQ(named.at("families")[1].at("keys"), 10'000);
  for (const std::string& arguments : {Quoted("db[12]"), Quoted("")}) {
    const json document = RunJson(arguments, 0);
    EXPECT_EQ(document.at("families"), named.at("families")) << arguments;
    EXPECT_EQ(document.at("rows"), named.at("rows")) << arguments;
    // The policy in force is known from each database's OPTIONS file.
    EXPECT_FALSE(document.at("rows")[0].at("compacted").is_null()) << arguments;
  }
  EXPECT_EQ(one.at("families").size(), 1u);
}

// Lookups and scans are made in each database, and their counts are sums.
TEST_F(VerbAdviseTest, RecordedLookupsAreMadeInEachDatabase) {
  const std::string trace = folder_ / "trace";
  MakeDatabase("db1", "bloomfilter:10", 20'000);
  MakeDatabase("db2", "bloomfilter:6", 20'000);
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db1");
    testing::RecordTrace(database.get(), trace, [&] {
      std::string value;
      for (uint64_t i = 0; i < 4'000; ++i) database->Get({}, KeyOf(4 * i) + "x", &value);
      for (uint64_t i = 0; i < 1'000; ++i) {
        const std::string end = KeyOf(4 * i) + "y";
        const ROCKSDB_NAMESPACE::Slice bound(end);
        ROCKSDB_NAMESPACE::ReadOptions read;
        read.iterate_upper_bound = &bound;
        std::unique_ptr<ROCKSDB_NAMESPACE::Iterator>(database->NewIterator(read))
            ->Seek(KeyOf(4 * i) + "x");
      }
    });
  }
  json alone[2];
  for (const int i : {0, 1}) {
    alone[i] = RunJson(Quoted(i == 0 ? "db1" : "db2") + " --lookups=" + trace, 0);
  }
  const auto counted = [](const json& document) {
    return document.at("rows")[0].at("counted_false_reads").get<uint64_t>();
  };
  for (const std::string& arguments : {Quoted("db1") + Quoted("db2"), Quoted("db?")}) {
    const json both = RunJson(arguments + " --cf=default --lookups=" + trace, 0);
    ASSERT_EQ(both.at("families").size(), 2u) << arguments;
    EXPECT_EQ(both.at("lookups").at("count"), 8'000);
    EXPECT_EQ(counted(both), counted(alone[0]) + counted(alone[1]));
    EXPECT_LT(counted(alone[0]), counted(alone[1]));
    for (const int i : {0, 1}) {
      EXPECT_EQ(both.at("families")[i], alone[i].at("families")[0]) << arguments << i;
    }
    const json& scans = both.at("scans");
    EXPECT_EQ(scans.at("followed"), 2'000);
    EXPECT_EQ(scans.at("empty"), 2'000);
    EXPECT_EQ(scans.at("all").at("keys"), 40'000);
    EXPECT_EQ(scans.at("all").at("filters")[0].at("bytes").get<uint64_t>(),
              2 * alone[0].at("scans").at("all").at("filters")[0].at("bytes").get<uint64_t>());
    EXPECT_EQ(scans.at("all").at("in_vain_per_scan"), 1);
  }
  // Two families are two sets of keys.
  const ROCKSDB_NAMESPACE::Options options = MakeOptions(TableWith("bloomfilter:10"));
  testing::PutInFamily(OpenDatabase(options, folder_ / "db2").get(), options, "small", {{200}});
  ExpectWrongUsage("advise" + Quoted("db?") + " --lookups=" + trace, "--cf=NAME");
  EXPECT_EQ(
      RunJson(Quoted("db?") + " --cf=default --lookups=" + trace, 0).at("lookups").at("count"),
      8'000);
}

// A trace is read like a list of the lookups in the column family of --cf, or in the default one.
TEST_F(VerbAdviseTest, ATraceOfRocksDbIsAListOfLookups) {
  MakeFamilies();
  const std::string trace = folder_ / "trace";
  {
    testing::OpenFamilies open;
    Open(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db", {"default", "small"}, &open);
    std::string lines;
    testing::RecordTrace(open.database.get(), trace, [&] {
      std::string value;
      for (uint64_t i = 0; i < 9'000; ++i) {
        const std::string key = KeyOf(i * 7919 % 3'000) + (i % 2 == 0 ? "" : "x");
        lines += key + "\n";
        open.database->Get({}, open.handles[1], key, &value);
        if (i % 9 == 0) open.database->Get({}, open.handles[0], KeyOf(i), &value);
      }
    });
    WriteFile(folder_ / "lines", lines);
  }
  const std::string small = Quoted("db") + " --cf=small --lookups=";
  const json traced = RunJson(small + trace, 0);
  const json listed = RunJson(small + folder_ / "lines", 0);
  EXPECT_EQ(traced.at("lookups").at("count"), 9'000);
  EXPECT_EQ(traced.at("lookups"), listed.at("lookups"));
  EXPECT_EQ(traced.at("rows").at(0), listed.at("rows").at(0));
  EXPECT_THAT(traced.at("warnings").dump(), HasSubstr("1000 lookups of other column families"));
  EXPECT_EQ(RunJson(Quoted("db") + " --cf=default --lookups=" + trace, 0).at("lookups").at("count"),
            1'000);

  const std::string whole = ReadFile(trace);
  WriteFile(trace, whole.substr(0, whole.size() / 2));
  const ChildResult cut = Run(small + trace);
  EXPECT_EQ(cut.status, 0);
  EXPECT_THAT(cut.errors, AllOf(HasSubstr("the trace is cut off"), HasSubstr("read up to there")));

  for (const auto& [arguments, says] : std::vector<std::pair<std::string, std::string>>{
           {small + trace + " --hex", "--hex is for lists of lines"},
           {small + trace + " --cf=default", "--cf is there several times"},
           {Quoted("db") + " --cf=nosuch --lookups=" + trace, "number of 'nosuch' is not known"}}) {
    ExpectWrongUsage("advise" + arguments, says);
  }
  const ChildResult piped = testing::RunProgram(
      {"sh", "-c", "cat " + trace + " | '" WINNOW_TOOL "' advise" + small + "-"});
  EXPECT_EQ(piped.status, 2);
  EXPECT_THAT(piped.errors, HasSubstr("read from a regular file only"));
}

TEST_F(VerbAdviseTest, TriesWhatItIsGiven) {
  WriteSst(TableWith("bloomfilter:10"), 20'000, folder_ / "1.sst");
  const json rows = RunJson(Quoted("1.sst") + " --try_policy=bloomfilter:13", 0).at("rows");
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const json& row) {
    return row.at("policy") == "bloomfilter:13" && row.at("filter_bytes") > 32'000;
  }));
  ExpectWrongUsage("advise" + Quoted("1.sst") + " --try_policy=bloom:13", "bloom:13");
}

TEST_F(VerbAdviseTest, WhatCanNotBeReadIsTwoAndNamedAndTheRestIsUsed) {
  auto table = TableWith("winnow:10");
  WriteSst(table, 20'000, folder_ / "a.sst");
  WriteFile(folder_ / "short.sst", ReadFile(folder_ / "a.sst").substr(0, 1'000));
  fs::copy(folder_ / "a.sst", folder_ / "block.sst");
  testing::FlipBits(folder_ / "block.sst", ReadFile(folder_ / "a.sst").size() / 3);
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 20'000, folder_ / "filter.sst");
  testing::FlipFilterBit(folder_ / "filter.sst");
  const struct {
    const char* name;
    const char* said;
    const char* used;
  } cases[] = {{"short.sst", "", "20000 keys"},
               {"block.sst", "checksum", "40000 keys"},
               {"filter.sst", "damaged", "20000 keys"}};
  for (const auto& [name, said, used] : cases) {
    const ChildResult outcome = Run(Quoted("a.sst") + Quoted(name));
    EXPECT_EQ(outcome.status, 2) << name;
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr(folder_ / name), HasSubstr(said)));
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr(used), HasSubstr("There is no verdict: "), Not(HasSubstr("Take "))))
        << name;
  }
}

TEST_F(VerbAdviseTest, AFileOfAnotherFamilyThanTheOneThatIsAskedForKeepsNoVerdictBack) {
  MakeFamilies();
  for (const inspect::ListedTable& table : inspect::ListTables(folder_ / "db", {}, 1).tables) {
    if (table.column_family == "small") WriteFile(table.path, "damaged");
  }
  const json all = RunJson(Quoted("db"), 2);
  EXPECT_EQ(all.at("errors").size(), 6u);
  EXPECT_THAT(all.at("recommendation"), HasSubstr("There is no verdict: 6 files"));
  EXPECT_TRUE(all.at("assumptions").empty());
  const json one = RunJson(Quoted("db") + " --cf=default", 0);
  EXPECT_TRUE(one.at("errors").empty());
  EXPECT_THAT(one.at("recommendation"), HasSubstr("filter_policy="));
}

TEST_F(VerbAdviseTest, WhereNothingCanBeSaidNothingIsPrinted) {
  MakeDatabase("empty", "bloomfilter:10", 0);
  WriteFile(folder_ / "no.sst", "");
  fs::create_directory(folder_ / "folder");
  const ChildResult empty = Run(Quoted("empty"));
  EXPECT_EQ(empty.status, 0) << empty.errors;
  EXPECT_THAT(empty.output, HasSubstr("There are no SST files"));
  EXPECT_THAT(RunJson(Quoted("empty"), 0).at("rows"), ::testing::IsEmpty());
  for (const char* path : {"no.sst", "folder", "missing"}) {
    ExpectWrongUsage("advise" + Quoted(path), "winnow advise: ");
    EXPECT_THAT(Run(Quoted(path)).errors, Not(HasSubstr("not a regular file"))) << path;
  }
  MakeDatabase("db", "bloomfilter:10", 1'000);
  ExpectWrongUsage("advise" + Quoted("db") + " --cf=none", "column family 'none'");
}

}  // namespace verb_advise_test
}  // namespace winnow
