// `winnow probe` on the command line: the files that it names, their contents, and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/advise/advised_databases.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_probe_test {

using nlohmann::json;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyOf;
using testing::kRangePolicy;
using testing::MakeOptions;
using testing::MakeWithRangeFilter;
using testing::OpenDatabase;
using testing::PartitionedTableWith;
using testing::PutAndFlush;
using testing::RunTool;
using testing::TableWith;
using testing::WriteSst;

class VerbProbeTest : public testing::VerbTest {
 protected:
  VerbProbeTest() : VerbTest("probe") {}

  // Writes a list of the keys, and returns the flag that names it.
  std::string KeysIn(const std::string& name, const std::vector<std::string>& keys) {
    std::string lines;
    for (const std::string& key : keys) lines += key + "\n";
    testing::WriteFile(folder_ / name, lines);
    return " '--keys=" + folder_ / name + "' ";
  }
};

// A name with a comma is no list if a column family has this name.
TEST_F(VerbProbeTest, FamiliesAreNamedAndChosenByEveryVerb) {
  {
    const Options options = MakeOptions(TableWith("winnow:10"));
    const auto database = OpenDatabase(options, folder_ / "db");
    PutAndFlush(database.get(), {100});
    testing::PutInFamily(database.get(), options, "my cf,x", {{100}});
    testing::PutInFamily(database.get(), options, "other", {{100}});
  }
  for (const std::string& command :
       {"inspect" + Quoted("db"), "verify" + Quoted("db"), "probe" + Quoted("db") + KeyOf(1)}) {
    const auto files_of = [&](const std::string& flags) {
      return testing::JsonOf(RunTool(command + " --json " + flags), 0).at("files");
    };
    const json chosen = files_of("'--cf=my cf,x'");
    ASSERT_EQ(chosen.size(), 1u) << command;
    EXPECT_EQ(chosen[0].at("column_family"), "my cf,x");
    EXPECT_EQ(files_of("'--cf=my cf,x' --cf=default").size(), 2u) << command;
    EXPECT_EQ(files_of("--cf=other,default").size(), 2u) << command;
    const ChildResult none = RunTool(command + " --cf=another");
    EXPECT_EQ(none.status, 2) << command;
    EXPECT_THAT(none.errors, HasSubstr("there are: default, my cf,x, other")) << command;
  }
  const json advice =
      testing::JsonOf(RunTool("advise" + Quoted("db") + " --draws=100 --json '--cf=my cf,x'"), 0);
  ASSERT_EQ(advice.at("families").size(), 1u);
  EXPECT_EQ(advice["families"][0].at("name"), "my cf,x");
}

TEST_F(VerbProbeTest, AMistypedPathIsNoKey) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  const ChildResult outcome = Run(Quoted("a.sst") + Quoted("no folder") + KeyOf(1));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_THAT(outcome.errors, HasSubstr("there is no file or folder '" + folder_ / "no folder'"));
  // The last argument is always a key, and so is every argument after a key.
  EXPECT_EQ(Run(Quoted("a.sst") + "a/b").status, 0);
  EXPECT_EQ(RunJson(Quoted("a.sst") + "a a/b c", 0).at("keys").size(), 3u);
  // A missing path before a key is an error, in any folder.
  EXPECT_EQ(Run(Quoted("a.sst") + "sp/nosuchdb " + KeyOf(1)).status, 2);
  // Keys may be paths, also in a list.
  const std::string list = KeysIn("keys", {"usr/bin/env", "usr/bin/false"});
  EXPECT_EQ(RunJson(Quoted("a.sst") + list, 0).at("keys").size(), 2u);
}

// Multiples of 10 are on level 1, numbers that end with 3 in five files of level 0; all others are
// absent.
TEST_F(VerbProbeTest, HitsAreThoseOfGets) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(partitioned);
    std::filesystem::remove_all(folder_ / "db");
    Options options = MakeOptions(testing::TableOf("winnow:5", partitioned));
    options.target_file_size_base = 4'000;
    std::vector<std::string> present;
    std::vector<std::string> absent;
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      PutAndFlush(database.get(), {50'000, 0, 10});
      ROCKSDB_NAMESPACE::CompactRangeOptions rewrite;
      rewrite.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
      ASSERT_STATUS_OK(database->CompactRange(rewrite, nullptr, nullptr));
      for (uint64_t file = 0; file < 5; ++file) {
        PutAndFlush(database.get(), {50'000 + 3 + 10 * file, 3 + 10 * file, 50});
      }
    }
    for (uint64_t i = 0; i < 1'000; ++i) {
      present.push_back(KeyOf(i % 2 == 0 ? i * 20 : 3 + 10 * i));
      absent.push_back(KeyOf(5 + i * 47) + "x");
    }
    const uint64_t expected = inspect::FalsePositives(options, folder_ / "db", absent);
    ASSERT_GT(expected, 100u);
    const json misses = RunJson(Quoted("db") + "--exact " + KeysIn("absent", absent), 0);
    ASSERT_EQ(misses.at("keys").size(), 1'000u);
    ASSERT_GT(misses.at("files").size(), 7u);
    for (const char* count : {"hits", "false_positives"}) {
      uint64_t sum = 0;
      for (const json& file : misses.at("files")) sum += file.at(count).get<uint64_t>();
      EXPECT_EQ(sum, expected) << count;
    }

    const json found = RunJson(Quoted("db") + "--exact " + KeysIn("present", present), 0);
    for (size_t i = 0; i < 1'000; ++i) {
      const json& key = found.at("keys").at(i);
      ASSERT_EQ(key.at("contains").size(), 1u) << present[i];
      EXPECT_GE(key.at("may_contain").size(), 1u);
      EXPECT_EQ(key.at("entries").at(0).at("type"), "value");
      EXPECT_EQ(key.at("entries").at(0).at("value_bytes"), 5);
    }
  }
}

TEST_F(VerbProbeTest, ExactTellsWhatIsThere) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db");
    ASSERT_STATUS_OK(database->Put(WriteOptions(), "kept", "four"));
    ASSERT_STATUS_OK(database->Put(WriteOptions(), "gone", "value"));
    const ROCKSDB_NAMESPACE::Snapshot* snapshot = database->GetSnapshot();
    ASSERT_STATUS_OK(database->Delete(WriteOptions(), "gone"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    database->ReleaseSnapshot(snapshot);
  }
  EXPECT_THAT(Run(Quoted("db") + "kept gone --exact").output,
              AllOf(HasSubstr("builtin-bloom  present: value, sequence number 1, value of 4 bytes"),
                    HasSubstr("present: deletion, sequence number 3, value of 0 bytes"),
                    HasSubstr("\n2 keys in 1 file: 2 hits, 2 present, 0 false positives\n")));
  EXPECT_THAT(Run(Quoted("db") + "kept").output, ::testing::Not(HasSubstr("present")));
  EXPECT_TRUE(RunJson(Quoted("db") + "kept", 0).at("keys").at(0).at("contains").is_null());
  // A pattern with matches is a path, one without is a key.
  EXPECT_EQ(RunJson(Quoted("d?") + Quoted("db/*.sst") + "kept 'k*pt'", 0).at("keys").size(), 2u);
}

// Lookups of a key end at a range deletion, whatever the filters answer.
TEST_F(VerbProbeTest, ExactTellsOfDeletedRanges) {
  const ROCKSDB_NAMESPACE::Comparator* reverse = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
  for (const auto* comparator : {ROCKSDB_NAMESPACE::BytewiseComparator(), reverse}) {
    std::filesystem::remove_all(folder_ / "db");
    Options options = MakeOptions(TableWith("winnow:10"));
    options.comparator = comparator;
    const bool upwards = comparator != reverse;
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      ASSERT_STATUS_OK(database->Put(WriteOptions(), "f", "value"));
      const auto delete_range = [&](const std::string& a, const std::string& b) {
        return database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(),
                                     upwards ? a : b, upwards ? b : a);
      };
      ASSERT_STATUS_OK(delete_range("c", "h"));
      ASSERT_STATUS_OK(delete_range("d", "e"));
      ASSERT_STATUS_OK(database->Put(WriteOptions(), "d2", "value"));
      ASSERT_STATUS_OK(database->Put(WriteOptions(), "z", "value"));
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
    const json keys = RunJson(Quoted("db") + "b d d2 g z --exact", 0).at("keys");
    EXPECT_THAT(keys.at(0).at("range_deletions"), IsEmpty());
    // A range's end is not in the range.
    EXPECT_EQ(keys.at(1).at("range_deletions").at(0).at("sequence"), upwards ? 3 : 2);
    EXPECT_EQ(keys.at(2).at("range_deletions").at(0).at("sequence"), 3);
    EXPECT_EQ(keys.at(2).at("entries").at(0).at("sequence"), 4);  // a later write
    EXPECT_EQ(keys.at(3).at("range_deletions").at(0).at("sequence"), 2);
    EXPECT_THAT(keys.at(4).at("range_deletions"), IsEmpty());
    EXPECT_TRUE(RunJson(Quoted("db") + "g", 0).at("keys").at(0).at("range_deletions").is_null());
  }
}

TEST_F(VerbProbeTest, AFileOfNothingButADeletedRangeIsLookedAt) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    ASSERT_STATUS_OK(
        database->DeleteRange(WriteOptions(), database->DefaultColumnFamily(), "a", "c"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  const json document = RunJson(Quoted("db") + "b --exact", 0);
  EXPECT_EQ(document.at("keys").at(0).at("range_deletions").size(), 1u);
  EXPECT_THAT(document["keys"][0].at("may_contain"), IsEmpty());
}

TEST_F(VerbProbeTest, KeysMayBeDigitsAndInAFile) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  const std::string hex = "30303030303030302e303037";  // 00000000.007
  const std::string list = KeysIn("keys", {hex, "0x" + hex});
  for (const std::string& key : {hex, "0x" + hex}) {
    const json keys = RunJson(Quoted("a.sst") + key + " --hex --exact" + list, 0).at("keys");
    ASSERT_EQ(keys.size(), 3u);
    EXPECT_EQ(keys[0].at("key_hex"), hex);
    EXPECT_EQ(keys[0].at("contains").size(), 1u);
  }
  testing::ExpectWrongUsage("probe" + Quoted("a.sst") + "'12 3x' --hex", "hexadecimal digits");
}

TEST_F(VerbProbeTest, WhatADamagedBlockHasIsNoFalsePositive) {
  WriteSst(TableWith("winnow:10"), 20'000, folder_ / "a.sst");
  testing::FlipBits(folder_ / "a.sst", 100);
  const std::string keys = KeysIn("keys", {KeyOf(1'000), KeyOf(10'000)});
  const std::string damaged_block = KeyOf(5);
  const json document = RunJson(Quoted("a.sst") + damaged_block + " --exact " + keys, 2);
  const json& file = document.at("files").at(0);
  EXPECT_TRUE(file.at("error").is_string());
  EXPECT_EQ(document.at("keys").at(0).at("may_contain").size(), 1u);
  EXPECT_EQ(document["keys"][0].at("contains").size(), 0u);
  EXPECT_EQ(document["keys"][2].at("contains").size(), 1u);  // the other blocks are read
  EXPECT_EQ(file.at("false_positives"), 0) << document;
}

TEST_F(VerbProbeTest, ADamagedFilterIsOneAndNamed) {
  for (const bool checksums : {true, false}) {
    auto table = TableWith("winnow:10");
    if (!checksums) table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
    WriteSst(table, 5'000, folder_ / "a.sst");
    EXPECT_TRUE(RunJson(Quoted("a.sst") + KeyOf(7), 0)["files"][0].at("fault").is_null());
    testing::FlipFilterBit(folder_ / "a.sst");
    const ChildResult text = Run(Quoted("a.sst") + KeyOf(7));
    EXPECT_EQ(text.status, 1) << text.errors;
    EXPECT_THAT(text.output, HasSubstr("fault: " + folder_ / "a.sst"));
    // A damaged filter's answer is ignored.
    EXPECT_EQ(RunJson(Quoted("a.sst") + KeyOf(7) + "x", 1)["keys"][0].at("answer"),
              "may be in some");
    EXPECT_TRUE(RunJson(Quoted("a.sst") + KeyOf(7), 1)["files"][0].at("fault").is_string());
  }
}

// Range filters are used like in a scan: a range between keys passes at the filter's rate.
TEST_F(VerbProbeTest, ARangeIsAskedOfRangeFilters) {
  MakeWithRangeFilter(folder_ / "db", TableWith(kRangePolicy), {50'000, 0, 100});
  const std::string empty = "--from=" + KeyOf(1'201) + " --to=" + KeyOf(1'203);
  const json none = RunJson(Quoted("db") + empty, 0);
  EXPECT_TRUE(none.at("keys").empty());
  EXPECT_EQ(none.at("range").at("answer"), "in none");
  EXPECT_EQ(none["range"].at("to_hex").get<std::string>().size(), 2 * KeyOf(1).size());
  EXPECT_TRUE(none["range"].at("may_contain").empty());
  const std::string full = "--from=" + KeyOf(1'201) + " --to=" + KeyOf(1'401);
  const json some = RunJson(Quoted("db") + full + " --exact", 0).at("range");
  EXPECT_EQ(some.at("answer"), "may be in some");
  EXPECT_EQ(some.at("may_contain").size(), 1u);
  EXPECT_EQ(some.at("by_filter"), some["may_contain"]);
  EXPECT_EQ(some.at("contains"), some["may_contain"]);
  EXPECT_EQ(some.at("entries").at(0).at("type"), "value");
  const json key = RunJson(Quoted("db") + KeyOf(1'300) + " " + full, 0);
  EXPECT_EQ(key.at("keys").size(), 1u);
  EXPECT_EQ(key.at("files").at(0).at("hits"), 2);
  EXPECT_EQ(RunJson(Quoted("db") + "--to=" + KeyOf(0), 0).at("range").at("answer"), "in none");
  EXPECT_EQ(RunJson(Quoted("db") + "--hex --from=00 --to=ff", 0).at("range").at("from_hex"), "00");
}

// Without a range filter, the order of the keys tells.
TEST_F(VerbProbeTest, ARangeIsAskedOfFilesOfEachKind) {
  const std::string none = "--from=" + KeyOf(7) + "x --to=" + KeyOf(7) + "y --exact";
  for (const std::string policy : {"", "bloomfilter:10", "ribbonfilter:10:-1", "winnow:10"}) {
    for (const auto& table : {TableWith(policy), PartitionedTableWith(policy)}) {
      WriteSst(table, 1'000, folder_ / "a.sst");
      const auto range = [this](const std::string& flags) {
        return RunJson(Quoted("a.sst") + flags, 0).at("range");
      };
      const json found = range("--exact --from=" + KeyOf(7) + " --to=" + KeyOf(9));
      EXPECT_EQ(found.at("answer"), "may be in some") << policy;
      EXPECT_TRUE(found.at("by_filter").empty()) << policy;
      EXPECT_EQ(found.at("contains").size(), 1u) << policy;
      EXPECT_EQ(range("--from=x --to=y").at("answer"), "in none");
      EXPECT_EQ(range(none).at("answer"), "may be in some") << policy;
      EXPECT_THAT(range(none).at("contains"), IsEmpty());
    }
  }
}

TEST_F(VerbProbeTest, EachPartitionIsAskedForTheRangesThatBeginInIt) {
  MakeWithRangeFilter(folder_ / "db", PartitionedTableWith(kRangePolicy), {50'000, 0, 100});
  int passed = 0;
  for (int i = 0; i < 10; ++i) {
    const std::string from = "--from=" + KeyOf(4'800 * i + 101) + " --to=";
    passed +=
        RunJson(Quoted("db") + from + KeyOf(4'800 * i + 103), 0)["range"]["answer"] != "in none";
    EXPECT_EQ(RunJson(Quoted("db") + from + KeyOf(4'800 * i + 201), 0)["range"]["answer"],
              "may be in some");
  }
  // Ranges after the last key of a partition may pass.
  EXPECT_LE(passed, 3);
}

}  // namespace verb_probe_test
}  // namespace winnow
