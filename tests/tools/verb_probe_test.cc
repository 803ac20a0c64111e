// `winnow probe` on the command line: the files that it names, their contents, and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_probe_test {

using nlohmann::json;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
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
using testing::PartitionedTableWith;
using testing::PutAndFlush;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class VerbProbeTest : public testing::VerbTest {
 protected:
  VerbProbeTest() : VerbTest("probe") {}

  std::string KeysIn(const std::string& name) { return " '--keys=" + folder_ / name + "' "; }

  void WriteKeys(const std::string& name, const std::vector<std::string>& keys) {
    std::string lines;
    for (const std::string& key : keys) {
      lines += key + "\n";
    }
    WriteFile(folder_ / name, lines);
  }
};

TEST_F(VerbProbeTest, FamiliesAreNamedAndChosen) {
  {
    const Options options = MakeOptions(TableWith("winnow:10"));
    const auto database = OpenDatabase(options, folder_ / "db");
    PutAndFlush(database.get(), {100});
    ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, "other", &family));
    PutAndFlush(database.get(), {100}, family);
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }
  const json other = RunJson(Quoted("db") + "--cf=other " + KeyOf(7), 0);
  ASSERT_EQ(other.at("files").size(), 1u);
  EXPECT_EQ(other.at("files").at(0).at("column_family"), "other");
  EXPECT_EQ(RunJson(Quoted("db") + "--cf=other,default " + KeyOf(7), 0).at("files").size(), 2u);
  const ChildResult none = Run(Quoted("db") + "--cf=another " + KeyOf(7));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("there are: default, other"));
}

// A name with a comma is no list if a column family has this name.
TEST_F(VerbProbeTest, AFamilyWithACommaInItsNameCanBeChosen) {
  {
    const Options options = MakeOptions(TableWith("winnow:10"));
    const auto database = OpenDatabase(options, folder_ / "db");
    PutAndFlush(database.get(), {100});
    ROCKSDB_NAMESPACE::ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, "my cf,x", &family));
    ASSERT_STATUS_OK(database->Put(WriteOptions(), family, KeyOf(1), "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }
  for (const std::string& command :
       {"inspect" + Quoted("db"), "verify" + Quoted("db"), "probe" + Quoted("db") + KeyOf(1)}) {
    const std::string chosen = command + " --json '--cf=my cf,x'";
    EXPECT_EQ(testing::JsonOf(testing::RunTool(chosen), 0).at("files").size(), 1u) << command;
    EXPECT_EQ(testing::JsonOf(testing::RunTool(chosen + " --cf=default"), 0).at("files").size(), 2u)
        << command;
  }
  const json advice = testing::JsonOf(
      testing::RunTool("advise" + Quoted("db") + " --draws=100 --json '--cf=my cf,x'"), 0);
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
  WriteFile(folder_ / "keys", "usr/bin/env\nusr/bin/false\n");
  EXPECT_EQ(RunJson(Quoted("a.sst") + "--keys=" + Quoted("keys").substr(1), 0).at("keys").size(),
            2u);
}

// Multiples of 10 are on level 1, numbers that end with 3 in five files of level 0; all others are
// absent.
TEST_F(VerbProbeTest, HitsAreThoseOfGets) {
  for (const bool partitioned : {false, true}) {
    SCOPED_TRACE(partitioned);
    std::filesystem::remove_all(folder_ / "db");
    Options options =
        MakeOptions(partitioned ? PartitionedTableWith("winnow:5") : TableWith("winnow:5"));
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
      absent.push_back(KeyOf(5 + i * 47));
      absent.back() += "x";
    }
    WriteKeys("present", present);
    WriteKeys("absent", absent);

    uint64_t expected = 0;
    {
      options.create_if_missing = false;
      options.statistics = ROCKSDB_NAMESPACE::CreateDBStatistics();
      rocksdb_abi::OpenedDB opened{};
      ASSERT_STATUS_OK(DB::OpenForReadOnly(options, folder_ / "db", &opened));
      const auto database = rocksdb_abi::Own(std::move(opened));
      std::string value;
      for (const std::string& key : absent) {
        ASSERT_TRUE(database->Get(ReadOptions(), key, &value).IsNotFound());
      }
      const auto count = [&options](ROCKSDB_NAMESPACE::Tickers ticker) {
        return options.statistics->getTickerCount(ticker);
      };
      expected = count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) -
                 count(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE);
      ASSERT_GT(expected, 100u);
    }

    const json misses = RunJson(Quoted("db") + "--exact " + KeysIn("absent"), 0);
    ASSERT_EQ(misses.at("keys").size(), 1'000u);
    ASSERT_GT(misses.at("files").size(), 7u);
    uint64_t hits = 0;
    uint64_t false_positives = 0;
    for (const json& file : misses.at("files")) {
      hits += file.at("hits").get<uint64_t>();
      false_positives += file.at("false_positives").get<uint64_t>();
    }
    EXPECT_EQ(hits, expected);
    EXPECT_EQ(false_positives, expected);

    const json found = RunJson(Quoted("db") + "--exact " + KeysIn("present"), 0);
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
  const ChildResult exact = Run(Quoted("db") + "kept gone --exact");
  EXPECT_EQ(exact.status, 0);
  EXPECT_THAT(exact.errors, IsEmpty());
  EXPECT_THAT(exact.output,
              AllOf(HasSubstr("builtin-bloom  present: value, sequence number 1, value of 4 bytes"),
                    HasSubstr("present: deletion, sequence number 3, value of 0 bytes"),
                    HasSubstr("\n2 keys in 1 file: 2 hits, 2 present, 0 false positives\n")));
  EXPECT_THAT(Run(Quoted("db") + "kept").output, Not(HasSubstr("present")));
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

TEST_F(VerbProbeTest, PrefixFiltersAreAskedForPrefixes) {
  auto table = PartitionedTableWith("winnow:10");
  table.whole_key_filtering = false;
  Options options = MakeOptions(table);
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
  WriteSst(options, 50'000, folder_ / "a.sst");
  const std::string same_prefix = KeyOf(12'345) + "x";
  const json document = RunJson(Quoted("a.sst") + same_prefix + " 00000077-else short --exact", 0);
  EXPECT_EQ(document.at("keys").at(0).at("may_contain").size(), 1u);
  EXPECT_EQ(document["keys"][0].at("contains").size(), 0u);
  EXPECT_EQ(document["keys"][2].at("may_contain").size(), 0u);  // sorts after the last key
  EXPECT_EQ(document.at("files").at(0).at("false_positives"), 2);
}

TEST_F(VerbProbeTest, KeysAreGivenWithoutTimestamps) {
  for (const bool partitioned : {false, true}) {
    std::filesystem::remove_all(folder_ / "db");
    Options options =
        MakeOptions(partitioned ? PartitionedTableWith("winnow:16") : TableWith("winnow:16"));
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Comparator::CreateFromString(
        testing::StrictConfig(), "leveldb.BytewiseComparator.u64ts", &options.comparator));
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      for (uint64_t i = 0; i < 10'000; ++i) {
        ASSERT_STATUS_OK(database->Put(WriteOptions(), KeyOf(i), "12345678", "value"));
      }
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < 10'000; i += 13) {
      keys.push_back(KeyOf(i));
    }
    keys.push_back(KeyOf(0));
    keys.push_back(KeyOf(9'999));
    WriteKeys("keys", keys);
    const json document = RunJson(Quoted("db") + "--exact " + KeysIn("keys"), 0);
    EXPECT_EQ(document.at("files").at(0).at("present"), keys.size());
  }
}

TEST_F(VerbProbeTest, KeysMayBeDigitsAndInAFile) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  const std::string hex = "30303030303030302e303037";  // 00000000.007
  for (const std::string& key : {hex, "0x" + hex}) {
    const json document = RunJson(Quoted("a.sst") + key + " --hex --exact", 0);
    EXPECT_EQ(document.at("keys").at(0).at("key_hex"), hex);
    EXPECT_EQ(document["keys"][0].at("contains").size(), 1u);
  }
  WriteFile(folder_ / "keys", hex + "\n0x" + hex + "\n");
  EXPECT_EQ(RunJson(Quoted("a.sst") + hex + " --hex " + KeysIn("keys"), 0).at("keys").size(), 3u);
  for (const char* wrong : {"abc", "0xzz", "12 3x"}) {
    const ChildResult outcome = Run(Quoted("a.sst") + wrong + " --hex");
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_THAT(outcome.errors, HasSubstr("hexadecimal digits")) << wrong;
  }
}

class BackwardsBytes final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  const char* Name() const override { return "test.BackwardsBytes"; }
  int Compare(const Slice& a, const Slice& b) const override {
    const std::string x = a.ToString();
    const std::string y = b.ToString();
    return std::string(x.rbegin(), x.rend()).compare(std::string(y.rbegin(), y.rend()));
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST_F(VerbProbeTest, UnderAnUnknownComparatorTheFilterAloneTells) {
  const BackwardsBytes comparator;
  for (const bool partitioned : {false, true}) {
    std::filesystem::remove_all(folder_ / "db");
    Options options =
        MakeOptions(partitioned ? PartitionedTableWith("winnow:16") : TableWith("winnow:16"));
    options.comparator = &comparator;
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      PutAndFlush(database.get(), {10'000});
    }
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < 10'000; i += 17) {
      keys.push_back(KeyOf(i));
    }
    WriteKeys("keys", keys);
    const json document = RunJson(Quoted("db") + "--exact " + KeysIn("keys"), 0);
    EXPECT_EQ(document.at("files").at(0).at("hits"), keys.size());
    EXPECT_TRUE(document["files"][0].at("present").is_null());
    EXPECT_THAT(document["files"][0].at("remark").get<std::string>(),
                HasSubstr("test.BackwardsBytes"));
    if (!partitioned) {
      EXPECT_EQ(RunJson(Quoted("db") + "nothing-like-it", 0).at("files").at(0).at("hits"), 0);
    }
  }
}

TEST_F(VerbProbeTest, AFileWithoutAFilterTellsByItsRange) {
  WriteSst(TableWith(""), 100, folder_ / "a.sst");
  const json keys = RunJson(Quoted("a.sst") + KeyOf(7) + "x zzz --exact", 0).at("keys");
  EXPECT_EQ(keys.at(0).at("answer"), "may be in some");
  EXPECT_THAT(keys[0].at("contains"), IsEmpty());
  EXPECT_EQ(keys.at(1).at("answer"), "in none");
}

TEST_F(VerbProbeTest, WhatCanNotBeReadIsTwoAndTheRestIsAsked) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  WriteFile(folder_ / "b.sst", "no table");
  const json document = RunJson(Quoted("b.sst") + Quoted("a.sst") + KeyOf(7), 2);
  EXPECT_EQ(document.at("keys").at(0).at("may_contain").size(), 1u);
  EXPECT_TRUE(document.at("files").at(0).at("error").is_string());
  EXPECT_EQ(Run(Quoted("a.sst") + KeysIn("missing")).status, 2);
}

TEST_F(VerbProbeTest, WhatADamagedBlockHasIsNoFalsePositive) {
  WriteSst(TableWith("winnow:10"), 20'000, folder_ / "a.sst");
  std::string bytes = testing::ReadFile(folder_ / "a.sst");
  bytes[100] = static_cast<char>(bytes[100] ^ 1);
  WriteFile(folder_ / "a.sst", bytes);
  WriteKeys("keys", {KeyOf(1'000), KeyOf(10'000)});
  const std::string damaged_block = KeyOf(5);
  const json document = RunJson(Quoted("a.sst") + damaged_block + " --exact " + KeysIn("keys"), 2);
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
    if (!checksums) {
      table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
    }
    WriteSst(table, 5'000, folder_ / "a.sst");
    EXPECT_TRUE(RunJson(Quoted("a.sst") + KeyOf(7), 0)["files"][0].at("fault").is_null());
    std::string error;
    const std::string block = inspect::ReadFilterBlocks(folder_ / "a.sst", &error).at(0);
    std::string bytes = testing::ReadFile(folder_ / "a.sst");
    char& byte = bytes[bytes.find(block) + block.size() / 2];
    byte = static_cast<char>(byte ^ 8);
    WriteFile(folder_ / "a.sst", bytes);
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

TEST_F(VerbProbeTest, ARangeIsAskedInTheOrderOfKeysWhereNoFilterTells) {
  WriteSst(TableWith("winnow:10"), 1'000, folder_ / "a.sst");
  const std::string range = "--from=" + KeyOf(7) + "x --to=" + KeyOf(7) + "y";
  EXPECT_EQ(RunJson(Quoted("a.sst") + range, 0)["range"].at("answer"), "may be in some");
  EXPECT_THAT(RunJson(Quoted("a.sst") + range + " --exact", 0)["range"].at("contains"), IsEmpty());
  EXPECT_EQ(RunJson(Quoted("a.sst") + "--from=x --to=y", 0)["range"].at("answer"), "in none");
  EXPECT_TRUE(RunJson(Quoted("a.sst") + range, 0)["range"].at("by_filter").empty());
}

TEST_F(VerbProbeTest, ARangeIsAskedOfFilesOfEachKind) {
  for (const std::string policy : {"", "bloomfilter:10", "ribbonfilter:10:-1", "winnow:10"}) {
    for (const auto& table : {TableWith(policy), PartitionedTableWith(policy)}) {
      WriteSst(table, 1'000, folder_ / "a.sst");
      const json outcome =
          RunJson(Quoted("a.sst") + "--exact --from=" + KeyOf(7) + " --to=" + KeyOf(9), 0);
      EXPECT_EQ(outcome.at("range").at("answer"), "may be in some") << policy;
      EXPECT_TRUE(outcome["range"].at("by_filter").empty()) << policy;
      EXPECT_EQ(outcome["range"].at("contains").size(), 1u) << policy;
      EXPECT_EQ(RunJson(Quoted("a.sst") + "--from=x --to=y", 0)["range"]["answer"], "in none");
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

TEST_F(VerbProbeTest, WrongUsageIsTwo) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  const std::string file = Quoted("a.sst");
  for (const std::string& arguments :
       {std::string(), file, std::string("nowhere key"), file + "nowhere.sst key",
        file + "key --jobs=-1", file + "--from=a", file + "--from=a --to=a",
        file + "--from=a --to=b --hex", file + "--keys", file + "--keyz=x"}) {
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr("winnow")) << arguments;
  }
  EXPECT_THAT(Run("nowhere key").errors, HasSubstr("'nowhere'"));
}

}  // namespace verb_probe_test
}  // namespace winnow
