// `winnow advise` on the command line: its output, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/trace_reader_writer.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/database/table_list.h"
#include "src/sst/sst_filters.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/forgetful_policy.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_advise_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonOf;
using testing::KeyOf;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::PutAndFlush;
using testing::ReadFile;
using testing::RunProgram;
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
    return JsonOf(Run(arguments + " --json"), code);
  }

  void MakeDatabase(const std::string& name, const std::string& policy, uint64_t keys) {
    const auto database = OpenDatabase(MakeOptions(TableWith(policy)), folder_ / name);
    PutAndFlush(database.get(), {keys});
  }

  // Creates a large column family on one level, and a small one with six files on level 0.
  void MakeFamilies() {
    const Options options = MakeOptions(TableWith("bloomfilter:10"));
    const auto database = OpenDatabase(options, folder_ / "db");
    PutAndFlush(database.get(), {40'000});
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, "small", &family));
    for (uint64_t file = 0; file < 6; ++file) {
      PutAndFlush(database.get(), {12'000, file, 6}, family);
    }
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
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

TEST_F(VerbAdviseTest, RecordedLookupsAreLearnedFrom) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    for (uint64_t i = 0; i < 10'000; ++i) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(database->CompactRange({}, nullptr, nullptr));
  }
  std::string lookups;
  for (uint64_t i = 0; i < 20'000; ++i) lookups += KeyOf(i * 7919 % 9'999) + "x\n";
  WriteFile(folder_ / "keys", lookups);
  const std::string arguments = Quoted("db") + " --lookups=" + folder_ / "keys";
  const json document = RunJson(arguments, 0);
  EXPECT_EQ(document.at("learned").at("lookups"), 10'000);
  EXPECT_EQ(document.at("learned").at("judged_by"), 10'000);
  EXPECT_TRUE(document.at("learned").at("problem").is_null());
  const json rows = document.at("rows");
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const json& row) {
    return row.at("policy") == "winnow:10" && row.at("filter_bytes") > 0;
  }));
  const json made_up = RunJson(Quoted("db"), 0).at("learned");
  EXPECT_EQ(made_up.at("lookups"), 0);
  EXPECT_TRUE(made_up.at("problem").is_null());
}

TEST_F(VerbAdviseTest, TellsWhatThereIsAndWhatWouldBe) {
  MakeDatabase("db", "bloomfilter:10", 30'000);
  const ChildResult text = Run(Quoted("db"));
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_THAT(text.errors, IsEmpty());
  EXPECT_THAT(text.output, AllOf(HasSubstr("\nwinnow:10 "), HasSubstr("filter_policy=winnow:")));
  EXPECT_THAT(Run(Quoted("db") + " --all").output, HasSubstr("\nribbonfilter:12:-1 "));
  const json document = RunJson(Quoted("db"), 0);
  EXPECT_EQ(document.at("schema"), "winnow.advise/2");
  EXPECT_EQ(document.at("families").at(0).at("name"), "default");
  EXPECT_EQ(document.at("families").at(0).at("keys"), 30'000);
  EXPECT_EQ(document.at("families").at(0).at("keys_by_level").at(0).at("level"), 0);
  EXPECT_TRUE(document.at("tried").is_null());
  EXPECT_TRUE(document.at("budget").is_null());
  EXPECT_EQ(document.at("curve").size(), 9u * 3);
  const json& rows = document.at("rows");
  EXPECT_EQ(rows.at(0).at("title"), "now");
  EXPECT_TRUE(rows.at(0).at("policy").is_null());
  double bytes = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GE(rows[i].at("filter_bytes"), bytes);
    bytes = rows[i].at("filter_bytes");
    for (const char* member : {"interval", "counted_false_reads", "build_ns_per_key",
                               "expected_bytes", "expected_false_reads_per_lookup"}) {
      EXPECT_TRUE(rows[i].at(member).is_null()) << member;
    }
    if (rows[i].at("policy") == "bloomfilter:10") {
      EXPECT_NEAR(rows[i].at("bytes_to_now").get<double>(), 1, 0.01);
      EXPECT_LE(rows[0].at("interval").at(0), rows[i].at("false_reads_per_lookup"));
      EXPECT_GE(rows[0].at("interval").at(1), rows[i].at("false_reads_per_lookup"));
    }
  }
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

TEST_F(VerbAdviseTest, SplitsABudgetOverFamilies) {
  MakeFamilies();
  const json document = RunJson(Quoted("db") + " --budget=40KB", 0);
  ASSERT_EQ(document.at("families").size(), 2u);
  const json& budget = document.at("budget");
  EXPECT_EQ(budget.at("bytes"), 40'000);
  EXPECT_EQ(budget.at("fits"), true);
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
  for (const json& row : document.at("rows")) {
    if (row.at("title") == "budget") {
      EXPECT_NEAR(row.at("filter_bytes").get<double>() / 40'000, 1, 0.02);
      EXPECT_EQ(row.at("policies").size(), 2u);
      EXPECT_TRUE(row.at("policy").is_null());
    }
  }
}

// Two column families with equally many keys in one file each get equal bits, hence one policy.
TEST_F(VerbAdviseTest, FamiliesThatAreAlikeGetOnePolicyOfABudget) {
  const Options options = MakeOptions(TableWith("bloomfilter:10"));
  {
    const auto database = OpenDatabase(options, folder_ / "db");
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, "other", &family));
    for (uint64_t i = 0; i < 20'000; ++i) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), KeyOf(2 * i), "value"));
      ASSERT_STATUS_OK(database->Put(WriteOptions(), family, KeyOf(2 * i + 1), "value"));
    }
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }
  for (const char* bytes : {"30KB", "41KB", "55KB"}) {
    const json document = RunJson(Quoted("db") + " --budget=" + bytes, 0);
    const json& parts = document.at("budget").at("parts");
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].at("policy"), parts[1].at("policy")) << bytes;
    EXPECT_EQ(document.at("choice"), parts[0].at("policy"));
  }
}

TEST_F(VerbAdviseTest, OfABudgetOnePolicyIsOfferedBesideTheSplit) {
  MakeFamilies();
  const json document = RunJson(Quoted("db") + " --budget=40KB", 0);
  const json& one = document.at("budget").at("one_policy");
  EXPECT_TRUE(std::any_of(document["rows"].begin(), document["rows"].end(), [&](const json& row) {
    return row.at("policy") == one && row.at("filter_bytes") <= 40'000;
  }));
  EXPECT_EQ(document["budget"].at("rest_buys_nothing"), false);
  const json large = RunJson(Quoted("db") + " --budget=40MB", 0);
  EXPECT_EQ(large.at("budget").at("rest_buys_nothing"), true);
  EXPECT_LT(large["budget"].at("taken_bytes"), 200'000);
}

TEST_F(VerbAdviseTest, AFamilyTooSmallToBeDrawnFromGetsBitsAsWell) {
  MakeDatabase("db", "bloomfilter:10", 50'000);
  {
    const Options options = MakeOptions(TableWith("bloomfilter:10"));
    std::vector<ColumnFamilyHandle*> handles;
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::Open(options, folder_ / "db", {{"default", options}},
                                                 &handles, &opened));
    const auto database = rocksdb_abi::Own(std::move(opened));
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, "tiny", &family));
    PutAndFlush(database.get(), {200}, family);
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
    for (ColumnFamilyHandle* handle : handles) {
      ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(handle));
    }
  }
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
  const ChildResult outcome = Run(Quoted("db") + " --lookups=" + folder_ / "keys");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--cf=NAME"));
  EXPECT_THAT(outcome.output, IsEmpty());
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

// A trace is read like a list of the lookups in the column family of --cf, or in the default one.
TEST_F(VerbAdviseTest, ATraceOfRocksDbIsAListOfLookups) {
  MakeFamilies();
  const std::string trace = folder_ / "trace";
  {
    std::vector<ColumnFamilyHandle*> families;
    const Options options = MakeOptions(TableWith("bloomfilter:10"));
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DB::Open(
        options, folder_ / "db", {{"default", options}, {"small", options}}, &families, &opened));
    const auto database = rocksdb_abi::Own(std::move(opened));
    std::unique_ptr<ROCKSDB_NAMESPACE::TraceWriter> writer;
    ASSERT_STATUS_OK(NewFileTraceWriter(ROCKSDB_NAMESPACE::Env::Default(), {}, trace, &writer));
    ASSERT_STATUS_OK(database->StartTrace({}, std::move(writer)));
    std::string lines;
    ROCKSDB_NAMESPACE::PinnableSlice value;
    for (uint64_t i = 0; i < 9'000; ++i) {
      const std::string key = KeyOf(i * 7919 % 3'000) + (i % 2 == 0 ? "" : "x");
      lines += key + "\n";
      value.Reset();
      database->Get({}, families[1], key, &value);
      value.Reset();
      if (i % 9 == 0) database->Get({}, families[0], KeyOf(i), &value);
    }
    ASSERT_STATUS_OK(database->EndTrace());
    WriteFile(folder_ / "lines", lines);
    for (ColumnFamilyHandle* family : families) {
      ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
    }
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
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr(says)) << arguments;
  }
  const ChildResult piped = RunProgram(
      {"/bin/sh", "-c",
       "cat " + trace + " | '" WINNOW_TOOL "' advise" + Quoted("db") + " --cf=small --lookups=-"});
  EXPECT_EQ(piped.status, 2);
  EXPECT_THAT(piped.errors, HasSubstr("read from a regular file only"));
}

TEST_F(VerbAdviseTest, TakesTableFiles) {
  WriteSst(TableWith("ribbonfilter:10:-1"), 20'000, folder_ / "1.sst");
  WriteSst(TableWith("ribbonfilter:10:-1"), 20'000, folder_ / "2.sst");
  const json document = RunJson(Quoted("1.sst") + Quoted("2.sst"), 0);
  EXPECT_EQ(document.at("families").size(), 1u);
  EXPECT_TRUE(document["families"][0].at("database").is_null());
  EXPECT_EQ(document["families"][0].at("files"), 2);
  EXPECT_TRUE(document["families"][0].at("keys_by_level").at(0).at("level").is_null());
}

TEST_F(VerbAdviseTest, TriesWhatItIsGiven) {
  WriteSst(TableWith("bloomfilter:10"), 20'000, folder_ / "1.sst");
  const json rows = RunJson(Quoted("1.sst") + " --try_policy=bloomfilter:13", 0).at("rows");
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const json& row) {
    return row.at("policy") == "bloomfilter:13" && row.at("filter_bytes") > 32'000;
  }));
  const ChildResult outcome = Run(Quoted("1.sst") + " --try_policy=bloom:13");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("bloom:13"));
}

TEST_F(VerbAdviseTest, WhatCanNotBeReadIsTwoAndNamedAndTheRestIsUsed) {
  WriteSst(TableWith("bloomfilter:10"), 20'000, folder_ / "a.sst");
  WriteFile(folder_ / "b.sst", ReadFile(folder_ / "a.sst").substr(0, 1'000));
  const ChildResult outcome = Run(Quoted("a.sst") + Quoted("b.sst"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr(folder_ / "b.sst"));
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("20000 keys"), HasSubstr("There is no verdict: "),
                                    Not(HasSubstr("Take "))));
  // Damages a data block.
  std::string bytes = ReadFile(folder_ / "a.sst");
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);
  WriteFile(folder_ / "c.sst", bytes);
  const ChildResult damaged = Run(Quoted("a.sst") + Quoted("c.sst"));
  EXPECT_EQ(damaged.status, 2);
  EXPECT_THAT(damaged.errors, AllOf(HasSubstr(folder_ / "c.sst"), HasSubstr("checksum")));
  EXPECT_THAT(damaged.output, HasSubstr("There is no verdict: "));
  // Damages a filter in a file without checksums.
  auto table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 20'000, folder_ / "d.sst");
  std::string error;
  const std::string block = inspect::ReadFilterBlocks(folder_ / "d.sst", &error).at(0);
  bytes = ReadFile(folder_ / "d.sst");
  const size_t at = bytes.find(block) + block.size() / 2;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  WriteFile(folder_ / "d.sst", bytes);
  const ChildResult forged = Run(Quoted("d.sst"));
  EXPECT_EQ(forged.status, 2);
  EXPECT_THAT(forged.errors, AllOf(HasSubstr("d.sst"), HasSubstr("damaged")));
}

TEST_F(VerbAdviseTest, AFileOfAnotherFamilyThanTheOneThatIsAskedForKeepsNoVerdictBack) {
  MakeFamilies();
  for (const inspect::ListedTable& table : inspect::ListTables(folder_ / "db", {}, 1).tables) {
    if (table.column_family == "small") WriteFile(table.path, "damaged");
  }
  const json all = RunJson(Quoted("db"), 2);
  EXPECT_EQ(all.at("errors").size(), 6u);
  EXPECT_THAT(all.at("recommendation"), HasSubstr("There is no verdict: 6 files"));
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
  EXPECT_THAT(RunJson(Quoted("empty"), 0).at("rows"), IsEmpty());
  for (const char* path : {"no.sst", "folder", "missing"}) {
    const ChildResult outcome = Run(Quoted(path));
    EXPECT_EQ(outcome.status, 2) << path;
    EXPECT_THAT(outcome.output, IsEmpty()) << path;
    EXPECT_THAT(outcome.errors, HasSubstr("winnow advise: ")) << path;
    EXPECT_THAT(outcome.errors, Not(HasSubstr("not a regular file"))) << path;
  }
  for (const char* path : {"folder"}) {
    const std::string said =
        RunProgram({"sh", "-c", "exec '" WINNOW_TOOL "' inspect" + Quoted(path)}).errors;
    const std::string fault = said.substr(std::string("winnow inspect").size());
    EXPECT_EQ(Run(Quoted(path)).errors, "winnow advise" + fault);
  }
  MakeDatabase("db", "bloomfilter:10", 1'000);
  const ChildResult outcome = Run(Quoted("db") + " --cf=none");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("column family 'none'"));
}

TEST_F(VerbAdviseTest, NothingIsWritten) {
  MakeDatabase("db", "bloomfilter:10", 10'000);
  const auto list = [this] {
    std::map<std::string, fs::file_time_type> listing;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      listing[entry.path()] = entry.last_write_time();
    }
    return listing;
  };
  const auto before = list();
  EXPECT_EQ(Run(Quoted("db")).status, 0);
  EXPECT_EQ(list(), before);
}

TEST_F(VerbAdviseTest, OutputThatIsNotWholeIsAnError) {
  WriteSst(TableWith("winnow:10"), 1'000, folder_ / "a.sst");
  for (const char* to : {" >/dev/full", " >&-"}) {
    const ChildResult outcome = Run(Quoted("a.sst") + to);
    EXPECT_EQ(outcome.status, 2) << to;
    EXPECT_THAT(outcome.errors, HasSubstr("could not be written in full")) << to;
  }
}

TEST_F(VerbAdviseTest, FlagsThatWouldDoNothingAreRefused) {
  MakeDatabase("db", "bloomfilter:10", 1'000);
  WriteFile(folder_ / "keys", "61\n");
  const std::string lookups = Quoted("db") + " --lookups=" + folder_ / "keys";
  for (const auto& [arguments, said] : std::map<std::string, std::string>{
           {lookups + " --draws=200000", "--draws is the number of made-up lookups"},
           {lookups + " --absent_share=1", "--absent_share is for made-up lookups"},
           {Quoted("db") + " --hex", "--hex says how --lookups=FILE"}}) {
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr(said));
  }
  EXPECT_EQ(Run(lookups + " --hex").status, 0);
}

TEST_F(VerbAdviseTest, WrongUsageIsTwo) {
  for (const char* arguments :
       {"", "--budget=lots x", "--budget=0 x", "--draws=0 x", "--absent_share=2 x",
        "--absent_share=nan x", "--jobs=-1 x", "--by=size x", "--sample=-1 x", "--budget x"}) {
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr("winnow")) << arguments;
  }
}

}  // namespace verb_advise_test
}  // namespace winnow
