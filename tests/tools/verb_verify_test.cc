// `winnow verify` on the command line: its output, JSON and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/fixture_databases.h"
#include "tests/tools/forgetful_policy.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_verify_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::MakeOptions;
using ::testing::Not;
using testing::OpenDatabase;
using testing::TableWith;
using testing::WriteSst;

class VerbVerifyTest : public testing::VerbTest {
 protected:
  VerbVerifyTest() : VerbTest("verify") {}

  void MakeDatabase(const Options& options, uint64_t keys = 10'000) {
    testing::PutAndFlush(OpenDatabase(options, folder_ / "db").get(), {keys});
  }
};

// Column family names are in the file's properties, so no database is needed.
TEST_F(VerbVerifyTest, AFileAloneHasItsFamily) {
  MakeDatabase(MakeOptions(TableWith("winnow:10")), 1'000);
  fs::copy(testing::SstFilesIn(folder_ / "db").at(0), folder_ / "alone.sst");
  const Options options = MakeOptions(TableWith("bloomfilter:10"));
  testing::PutInFamily(OpenDatabase(options, folder_ / "other").get(), options, "o\xff", {{1}});
  const std::string both = Quoted("alone.sst") + Quoted("other") + "--samples=0";
  const json files = RunJson(both, 0).at("files");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at(1).at("column_family_hex"), "6fff");
  const json chosen = RunJson(both + " --cf=default", 0).at("files");
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen.at(0).at("path"), folder_ / "alone.sst");
}

TEST_F(VerbVerifyTest, AFileThatCanNotBeReadIsNamedWhicheverFamilyIsAskedFor) {
  testing::WriteFile(folder_ / "bad.sst", "no table");
  MakeDatabase(MakeOptions(TableWith("winnow:10")), 1'000);
  const json files =
      RunJson(Quoted("bad.sst") + Quoted("db") + "--cf=default --samples=0", 2).at("files");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_TRUE(files.at(0).at("column_family").is_null());
  EXPECT_FALSE(files.at(0).at("error").is_null());
}

// VerifyFileTest has more.
TEST_F(VerbVerifyTest, AKeyThatAPolicyLostIsOneAndNamed) {
  auto table = testing::PartitionedTableWith("winnow:10");
  table.filter_policy = testing::ForgetfulPolicy(table.filter_policy, testing::KeyOf(4'321));
  MakeDatabase(MakeOptions(table));
  const std::string hex = "30303030303034332e303231";  // 00000043.021
  const ChildResult text = Run(Quoted("db"));
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.output, AllOf(HasSubstr("\nfault: "), HasSubstr(".sst: the filter denies 1"),
                                 HasSubstr("the key 0x" + hex), HasSubstr(" in partition ")));
  const json file = RunJson(Quoted("db"), 1).at("files").at(0);
  EXPECT_EQ(file.at("false_negatives"), 1);
  EXPECT_EQ(file.at("denied_keys").at(0).at("key_hex"), hex);
  EXPECT_EQ(file.at("ok"), false);
}

TEST_F(VerbVerifyTest, AFlippedBitWithoutChecksumIsOneAndItsFileNamed) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  WriteSst(table, 5'000, folder_ / "a.sst");
  WriteSst(table, 5'000, folder_ / "b.sst");
  const ChildResult good = Run(Quoted("a.sst") + Quoted("b.sst"));
  EXPECT_EQ(good.status, 0);
  EXPECT_THAT(good.output, HasSubstr("2 of 2 good"));
  testing::FlipFilterBit(folder_ / "b.sst");
  const ChildResult outcome = Run(Quoted("a.sst") + Quoted("b.sst"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("\nfault: " + folder_ / "b.sst"),
                                    Not(HasSubstr("fault: " + folder_ / "a.sst"))));
}

// golden_outputs_test has keys without timestamps.
TEST_F(VerbVerifyTest, UnderAnUnknownComparatorKeysAreTriedWithAndWithoutTimestamps) {
  for (const std::string timestamp : {"12345678", "1234"}) {
    SCOPED_TRACE(timestamp);
    fs::remove_all(folder_ / "db");
    const testing::ShorterFirst comparator(timestamp.size());
    Options options = MakeOptions(TableWith("winnow:10"));
    options.comparator = &comparator;
    {
      const auto database = OpenDatabase(options, folder_ / "db");
      for (uint64_t i = 0; i < 5'000; ++i) {
        ASSERT_STATUS_OK(database->Put(WriteOptions(), std::to_string(i), timestamp, "value"));
      }
      ASSERT_STATUS_OK(database->Flush(ROCKSDB_NAMESPACE::FlushOptions()));
    }
    const bool is_known = timestamp.size() == 8;
    const json file = RunJson(Quoted("db"), is_known ? 0 : 2).at("files").at(0);
    EXPECT_EQ(file.at("ok"), is_known);
    EXPECT_THAT(file.at("faults"), ::testing::IsEmpty());
    if (is_known) continue;
    EXPECT_THAT(file.at("error").get<std::string>(),
                AllOf(HasSubstr("can't be verified"), HasSubstr("neither 0 nor 8 bytes")));
  }
}

TEST_F(VerbVerifyTest, NamesAreShownEscaped) {
  const std::string good = "a\x1b[31m\xff\n.sst";
  WriteSst(TableWith("winnow:10"), 100, folder_ / good);
  testing::WriteFile(folder_ / "b\x1b\n.sst", "nothing");
  const std::string arguments = Quoted(good) + Quoted("b\x1b\n.sst");
  for (const std::string verb : {"verify", "policy winnow:10"}) {
    const ChildResult outcome = testing::RunTool(verb + arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.errors;
    for (const std::string& text : {outcome.output, outcome.errors}) {
      EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("b\n.sst")),
                              HasSubstr("b\\x1b\\n.sst")));
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
  for (uint64_t i = 0; i < 30; ++i) {
    const std::string name = "f" + std::to_string(i) + ".sst";
    WriteSst(TableWith("winnow:10"), 100 + 500 * (i % 5), folder_ / name);
    paths += Quoted(name);
  }
  const json files = RunJson(paths + " --jobs=4", 0).at("files");
  ASSERT_EQ(files.size(), 30u);
  for (size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(files[i].at("path"), folder_ / "f" + std::to_string(i) + ".sst");
    EXPECT_EQ(files[i].at("keys"), 100 + 500 * (i % 5));
  }
}

}  // namespace verb_verify_test
}  // namespace winnow
