// `winnow verify` on the command line: its output, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "src/sst/sst_filters.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/forgetful_policy.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_verify_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyOf;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::PartitionedTableWith;
using testing::PutAndFlush;
using testing::ReadFile;
using testing::RunProgram;
using testing::TableWith;
using testing::WriteFile;
using testing::WriteSst;

class VerbVerifyTest : public testing::VerbTest {
 protected:
  VerbVerifyTest() : VerbTest("verify") {}

  void MakeDatabase(const Options& options, uint64_t keys = 10'000) {
    const auto database = OpenDatabase(options, folder_ / "db");
    PutAndFlush(database.get(), {keys});
  }

  // Flips a bit in the middle of the file's first filter block.
  void FlipFilterBit(const std::string& path) {
    std::string error;
    const std::string block = inspect::ReadFilterBlocks(path, &error).at(0);
    std::string bytes = ReadFile(path);
    const size_t start = bytes.find(block);
    ASSERT_NE(start, std::string::npos);
    char& byte = bytes[start + block.size() / 2];
    byte = static_cast<char>(byte ^ 8);
    WriteFile(path, bytes);
  }
};

TEST_F(VerbVerifyTest, FamiliesAreNamedAndChosen) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")), 1'000);
  const json one = RunJson(Quoted("db") + "--samples=0", 0);
  EXPECT_EQ(one.at("files").at(0).at("column_family"), "default");
  // Column family names are in the file's properties, so no database is needed.
  for (const auto& entry : fs::directory_iterator(folder_ / "db")) {
    if (entry.path().extension() == ".sst") {
      fs::copy(entry.path(), folder_ / "alone.sst");
    }
  }
  {
    const Options options = MakeOptions(TableWith("bloomfilter:10"));
    const auto database = OpenDatabase(options, folder_ / "other");
    ColumnFamilyHandle* family = nullptr;
    ASSERT_STATUS_OK(database->CreateColumnFamily(options, "o\xff", &family));
    ASSERT_STATUS_OK(database->Put(WriteOptions(), family, KeyOf(1), "value"));
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
    ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
  }
  const std::string both = Quoted("alone.sst") + Quoted("other") + "--samples=0";
  const json files = RunJson(both, 0).at("files");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at(1).at("column_family_hex"), "6fff");
  const json chosen = RunJson(both + " --cf=default", 0).at("files");
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen.at(0).at("path"), folder_ / "alone.sst");
  const ChildResult none = Run(both + " --cf=defalt");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.output, IsEmpty());
  EXPECT_THAT(none.errors, HasSubstr("no file is of the column family defalt; there are: default"));
}

TEST_F(VerbVerifyTest, TheJsonTellsOfRangeFilters) {
  testing::MakeWithRangeFilter(folder_ / "db", TableWith(testing::kRangePolicy), {1'000});
  const json range = RunJson(Quoted("db"), 0).at("files").at(0).at("range");
  EXPECT_EQ(range, json({{"keys", 1'000}, {"false_negatives", 0}, {"denied_keys", json::array()}}));
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  EXPECT_EQ(RunJson(Quoted("a.sst"), 0).at("files").at(0).count("range"), 0u);
}

TEST_F(VerbVerifyTest, AFileThatCanNotBeReadIsNamedWhicheverFamilyIsAskedFor) {
  WriteFile(folder_ / "bad.sst", "no table");
  MakeDatabase(MakeOptions(TableWith("winnow:10")), 1'000);
  const json files =
      RunJson(Quoted("bad.sst") + Quoted("db") + "--cf=default --samples=0", 2).at("files");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_TRUE(files.at(0).at("column_family").is_null());
  EXPECT_FALSE(files.at(0).at("error").is_null());
}

TEST_F(VerbVerifyTest, AGoodDatabaseOfAllKindsIsZero) {
  {
    const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder_ / "db");
    Options prefix = MakeOptions(TableWith("winnow:10"));
    prefix.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
    Options reverse = MakeOptions(PartitionedTableWith("winnow:10"));
    reverse.comparator = ROCKSDB_NAMESPACE::ReverseBytewiseComparator();
    const std::map<std::string, Options> families = {
        {"bloom", MakeOptions(TableWith("bloomfilter:10"))},
        {"ribbon", MakeOptions(TableWith("ribbonfilter:10:-1"))},
        {"winnow bloom", MakeOptions(TableWith("{id=winnow;bloom_before_level=2147483647}"))},
        {"partitioned", MakeOptions(PartitionedTableWith("winnow:10"))},
        {"partitioned bloom", MakeOptions(PartitionedTableWith("bloomfilter:10"))},
        {"prefix", prefix},
        {"reverse", reverse},
    };
    for (const auto& [name, options] : families) {
      ColumnFamilyHandle* family = nullptr;
      ASSERT_STATUS_OK(database->CreateColumnFamily(options, name, &family));
      for (uint64_t i = 0; i < 10'000; ++i) {
        ASSERT_STATUS_OK(database->Put(WriteOptions(), family, KeyOf(i), "value"));
      }
      ASSERT_STATUS_OK(database->Delete(WriteOptions(), family, KeyOf(5'000)));
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions(), family));
      ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
    }
  }
  const json document = RunJson(Quoted("db"), 0);
  EXPECT_EQ(document.at("schema"), "winnow.verify/1");
  ASSERT_EQ(document.at("files").size(), 7u);
  for (const json& file : document["files"]) {
    EXPECT_TRUE(fs::exists(file.at("path").get<std::string>()));
    EXPECT_GE(file.at("keys"), 10'000);
    EXPECT_EQ(file.at("false_negatives"), 0);
    EXPECT_EQ(file.at("samples"), 10'000);
    EXPECT_EQ(file.at("ok"), true) << file;
    EXPECT_TRUE(file.at("error").is_null());
    EXPECT_NEAR(file.at("measured_fpr").get<double>(), file.at("expected_fpr").get<double>(),
                0.006);
    EXPECT_EQ(file.at("measured_fpr").get<double>(),
              file.at("false_positives").get<double>() / 10'000);
  }
  const ChildResult text = Run(Quoted("db"));
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.errors, IsEmpty());
  EXPECT_THAT(text.output, AllOf(HasSubstr("7 of 7 good"), Not(HasSubstr("fault"))));
}

TEST_F(VerbVerifyTest, AKeyThatAPolicyLostIsOneAndNamed) {
  for (const bool partitioned : {false, true}) {
    fs::remove_all(folder_ / "db");
    BlockBasedTableOptions table =
        partitioned ? PartitionedTableWith("winnow:10") : TableWith("winnow:10");
    table.filter_policy = testing::ForgetfulPolicy(table.filter_policy, KeyOf(4'321));
    MakeDatabase(MakeOptions(table));
    const std::string hex = "30303030303034332e303231";  // 00000043.021
    const ChildResult text = Run(Quoted("db"));
    EXPECT_EQ(text.status, 1);
    EXPECT_THAT(text.output, AllOf(HasSubstr("\nfault: "), HasSubstr(".sst: the filter denies 1"),
                                   HasSubstr("the key 0x" + hex)));
    EXPECT_EQ(text.output.find(" in partition ") != std::string::npos, partitioned);
    const json file = RunJson(Quoted("db"), 1).at("files").at(0);
    EXPECT_EQ(file.at("false_negatives"), 1);
    EXPECT_EQ(file.at("denied_keys").at(0).at("key_hex"), hex);
    EXPECT_EQ(file.at("ok"), false);
  }
}

TEST_F(VerbVerifyTest, AFlippedBitWithoutChecksumIsOneAndItsFileNamed) {
  BlockBasedTableOptions table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 5'000, folder_ / "a.sst");
  WriteSst(table, 5'000, folder_ / "b.sst");
  EXPECT_EQ(Run(Quoted("a.sst") + Quoted("b.sst")).status, 0);
  FlipFilterBit(folder_ / "b.sst");
  const ChildResult outcome = Run(Quoted("a.sst") + Quoted("b.sst"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("\nfault: " + folder_ / "b.sst"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("fault: " + folder_ / "a.sst")));
}

TEST_F(VerbVerifyTest, WhatCanNotBeReadIsTwoAndTheRestIsVerified) {
  WriteSst(TableWith("winnow:10"), 5'000, folder_ / "a.sst");
  WriteFile(folder_ / "b.sst", ReadFile(folder_ / "a.sst").substr(0, 1'000));
  WriteFile(folder_ / "c", "");
  fs::create_directory(folder_ / "d");
  const json document =
      RunJson(Quoted("b.sst") + Quoted("c") + Quoted("d") + Quoted("missing") + Quoted("a.sst"), 2);
  ASSERT_EQ(document.at("files").size(), 5u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(document["files"][i].at("ok"), false) << i;
    EXPECT_TRUE(document["files"][i].at("error").is_string()) << i;
  }
  EXPECT_EQ(document["files"][4].at("ok"), true);
  EXPECT_EQ(document["files"][4].at("keys"), 5'000);
  EXPECT_THAT(Run(Quoted("missing")).output,
              AllOf(HasSubstr("NOT VERIFIED"), HasSubstr("\n1 of 1 file could not be verified")));
}

TEST_F(VerbVerifyTest, DamageUnderAChecksumIsOne) {
  WriteSst(TableWith("winnow:10"), 20'000, folder_ / "a.sst");
  std::string bytes = ReadFile(folder_ / "a.sst");
  bytes[bytes.size() / 3] = static_cast<char>(bytes[bytes.size() / 3] ^ 1);
  WriteFile(folder_ / "a.sst", bytes);
  EXPECT_EQ(Run(Quoted("a.sst")).status, 1);
  EXPECT_THAT(Run(Quoted("a.sst")).output, HasSubstr("checksum"));
}

class ShorterFirst final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  explicit ShorterFirst(size_t timestamp_bytes) : Comparator(timestamp_bytes) {}
  const char* Name() const override { return "test.ShorterFirst"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
  }
  int CompareWithoutTimestamp(const Slice& a, bool a_has, const Slice& b,
                              bool b_has) const override {
    const auto without = [this](const Slice& key, bool has) {
      return Slice(key.data(), key.size() - (has ? timestamp_size() : 0));
    };
    return Compare(without(a, a_has), without(b, b_has));
  }
  int CompareTimestamp(const Slice& a, const Slice& b) const override { return a.compare(b); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST_F(VerbVerifyTest, UnderAnUnknownComparatorKeysAreTriedWithAndWithoutTimestamps) {
  for (const size_t timestamp_bytes : {0, 8}) {
    fs::remove_all(folder_ / "db");
    const ShorterFirst comparator(timestamp_bytes);
    Options options = MakeOptions(TableWith("winnow:10"));
    options.comparator = &comparator;
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      for (uint64_t i = 0; i < 5'000; ++i) {
        ASSERT_STATUS_OK(
            timestamp_bytes == 0
                ? database->Put(WriteOptions(), std::to_string(i), "value")
                : database->Put(WriteOptions(), std::to_string(i), "12345678", "value"));
      }
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
    const ChildResult outcome = Run(Quoted("db"));
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_THAT(outcome.errors, HasSubstr("test.ShorterFirst"));
    EXPECT_THAT(outcome.output, HasSubstr("1 of 1 good"));
  }
}

TEST_F(VerbVerifyTest, UnderAnUnknownComparatorWithOtherTimestampsItIsNoFault) {
  const ShorterFirst comparator(/*timestamp_bytes=*/4);
  Options options = MakeOptions(TableWith("winnow:10"));
  options.comparator = &comparator;
  {
    const auto database = OpenDatabase(options, folder_ / "db");
    for (uint64_t i = 0; i < 5'000; ++i) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), std::to_string(i), "1234", "value"));
    }
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  const json file = RunJson(Quoted("db"), 2).at("files").at(0);
  EXPECT_THAT(file.at("error").get<std::string>(),
              AllOf(HasSubstr("can't be verified"), HasSubstr("neither 0 nor 8 bytes")));
  EXPECT_THAT(file.at("faults"), IsEmpty());
}

TEST_F(VerbVerifyTest, UnderAnUnknownComparatorPartitionsCanNotBeVerified) {
  const ShorterFirst comparator(0);
  Options options = MakeOptions(PartitionedTableWith("winnow:10"));
  options.comparator = &comparator;
  MakeDatabase(options);
  const ChildResult outcome = Run(Quoted("db"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("can't be verified"), HasSubstr("ShorterFirst")));
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("NOT VERIFIED"), Not(HasSubstr("fault: "))));
}

TEST_F(VerbVerifyTest, KnownTimestampsAreLeftOut) {
  Options options = MakeOptions(PartitionedTableWith("winnow:10"));
  ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Comparator::CreateFromString(
      testing::StrictConfig(), "leveldb.BytewiseComparator.u64ts", &options.comparator));
  {
    const auto database = OpenDatabase(options, folder_ / "db");
    for (uint64_t i = 0; i < 10'000; ++i) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), KeyOf(i), "12345678", "value"));
    }
    ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
  }
  const json file = RunJson(Quoted("db"), 0).at("files").at(0);
  EXPECT_EQ(file.at("keys"), 10'000);
  EXPECT_GT(file.at("partitions"), 5);
}

TEST_F(VerbVerifyTest, FilesInOtherFoldersAreVerifiedAndNothingIsWritten) {
  Options options = MakeOptions(TableWith("winnow:10"));
  options.db_paths = {{folder_ / "fast", 1 << 30}, {folder_ / "slow", 1 << 30}};
  MakeDatabase(options);
  std::map<std::string, fs::file_time_type> before;
  const auto list = [this] {
    std::map<std::string, fs::file_time_type> listing;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      listing[entry.path()] = entry.last_write_time();
    }
    return listing;
  };
  before = list();
  EXPECT_EQ(Run(Quoted("db")).status, 2);
  EXPECT_THAT(Run(Quoted("db")).errors, HasSubstr("--path=FOLDER"));
  EXPECT_EQ(RunJson(Quoted("db") + "'--path=" + folder_ / "fast" + "'", 0).at("files").size(), 1u);
  EXPECT_EQ(list(), before);
}

TEST_F(VerbVerifyTest, AFileGivenTwiceCountsOnce) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  fs::create_symlink(folder_ / "db", folder_ / "link");
  EXPECT_EQ(RunJson(Quoted("db") + Quoted("link") + Quoted("db"), 0).at("files").size(), 1u);
}

TEST_F(VerbVerifyTest, PatternsAndFoldersOfDatabasesArePaths) {
  for (const char* name : {"shelf/one", "shelf/two"}) {
    fs::create_directories(folder_ / name);
    WriteSst(TableWith("winnow:10"), 100, folder_ / name + "/a.sst");
    WriteSst(TableWith("winnow:10"), 100, folder_ / name + "/b.sst");
  }
  EXPECT_EQ(RunJson(Quoted("shelf"), 0).at("files").size(), 4u);
  EXPECT_EQ(RunJson(Quoted("shelf/*/a.sst"), 0).at("files").size(), 2u);
  EXPECT_EQ(RunJson(Quoted("shelf/*/a.sst") + Quoted("shelf/one"), 0).at("files").size(), 3u);
  const ChildResult none = Run(Quoted("shelf/*.sst"));
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("no file or folder matches the pattern"));
}

TEST_F(VerbVerifyTest, AStrayFileHidesNoDatabase) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")));
  fs::create_directories(folder_ / "shelf");
  fs::rename(folder_ / "db", folder_ / "shelf/db");
  WriteSst(TableWith("winnow:10"), 100, folder_ / "shelf/export.sst");
  const json files = RunJson(Quoted("shelf"), 0).at("files");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_THAT(files.at(0).at("path"), HasSubstr("shelf/export.sst"));
  EXPECT_THAT(files.at(1).at("path"), HasSubstr("shelf/db/"));
}

TEST_F(VerbVerifyTest, NamesAreShownEscaped) {
  const std::string good = "a\x1b[31m\xff\n.sst";
  WriteSst(TableWith("winnow:10"), 100, folder_ / good);
  WriteFile(folder_ / "b\x1b\n.sst", "nothing");
  const std::string arguments = Quoted(good) + Quoted("b\x1b\n.sst");
  for (const char* of_policy : {"", "policy winnow:10 "}) {
    const bool is_verify = *of_policy == '\0';
    const ChildResult outcome =
        is_verify ? Run(arguments)
                  : RunProgram({"sh", "-c",
                                std::string("exec '" WINNOW_TOOL "' ") + of_policy + arguments});
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    for (const std::string& text : {outcome.output, outcome.errors}) {
      EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      EXPECT_THAT(text, Not(HasSubstr("b\n.sst")));
      EXPECT_THAT(text, HasSubstr("b\\x1b\\n.sst"));
    }
    EXPECT_THAT(outcome.output, HasSubstr("a\\x1b[31m\\xff\\n.sst"));
  }
  const json files = RunJson(arguments, 2).at("files");
  EXPECT_THAT(files.at(0).at("path_hex"), HasSubstr("611b5b33316dff0a"));
  EXPECT_FALSE(files.at(1).contains("path_hex"));
}

TEST_F(VerbVerifyTest, WithoutSamplesThereIsNoRate) {
  WriteSst(TableWith("winnow:10"), 5'000, folder_ / "a.sst");
  const json file = RunJson(Quoted("a.sst") + " --samples=0", 0).at("files").at(0);
  EXPECT_EQ(file.at("samples"), 0);
  EXPECT_TRUE(file.at("measured_fpr").is_null());
  EXPECT_TRUE(file.at("measured_fpr_interval").is_null());
  const json more = RunJson(Quoted("a.sst") + " --samples=100000", 0).at("files").at(0);
  EXPECT_EQ(more.at("samples"), 100'000);
  EXPECT_LT(more.at("measured_fpr_interval").at(1).get<double>() -
                more.at("measured_fpr_interval").at(0).get<double>(),
            0.002);
}

TEST_F(VerbVerifyTest, ManyFilesAtOnceAreInOrder) {
  std::string paths;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "f" + std::to_string(i) + ".sst";
    WriteSst(TableWith("winnow:10"), static_cast<uint64_t>(100 + 500 * (i % 5)), folder_ / name);
    paths += Quoted(name);
  }
  const json document = RunJson(paths + " --jobs=4", 0);
  ASSERT_EQ(document.at("files").size(), 30u);
  for (size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(document["files"][i].at("path"), (folder_ / "f") + std::to_string(i) + ".sst");
    EXPECT_EQ(document["files"][i].at("keys"), 100 + 500 * (i % 5));
  }
}

TEST_F(VerbVerifyTest, OutputThatIsNotWholeIsAnError) {
  WriteSst(TableWith("winnow:10"), 100, folder_ / "a.sst");
  for (const char* to : {" >/dev/full", " >&-"}) {
    const ChildResult outcome = Run(Quoted("a.sst") + to);
    EXPECT_EQ(outcome.status, 2) << to;
    EXPECT_THAT(outcome.errors, HasSubstr("could not be written in full")) << to;
  }
}

TEST_F(VerbVerifyTest, WrongUsageIsTwo) {
  for (const char* arguments : {"", "--samples=many x", "--samples=-1 x", "--jobs=-1 x",
                                "--jobs=5000 x", "--samples x", "--samples=1000000000000 x"}) {
    const ChildResult outcome = Run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty()) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr("winnow")) << arguments;
  }
}

}  // namespace verb_verify_test
}  // namespace winnow
