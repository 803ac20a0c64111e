#include "tools/winnow/findings/file_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace winnow::inspect {
namespace file_columns_test {

using ::testing::ElementsAre;

// Returns a report with all fields set, although no file has all of them.
SstReport WithAll() {
  SstReport file;
  file.path = "a\xff.sst";
  file.level = 2;
  file.column_family = "family";
  file.database = "db";
  file.file_bytes = 100;
  file.entries = 7'000;
  file.error = "an error";
  FilterSummary& filter = file.filter.emplace();
  filter.kind = std::string(kWinnowRibbon);
  filter.keys = 6;
  filter.bytes = 5;
  filter.stored_bytes = 9;
  filter.bits_per_key = 6.5;
  filter.expected_fpr = 0.25;
  filter.partitions = 3;
  filter.kinds = {{filter.kind, 3}};
  filter.bloom.blocks = 1;
  filter.detail = "detail";
  filter.policy_name = "policy";
  filter.fault = "a fault";
  filter.built_for = BuiltFor{4, 0.5, "auto", 1.5};
  filter.parameters =
      FilterParameters{"format", 1, "hash", 8, 10, 512, 640, 7.5, {"a", "b"}, 0.1, 0.9};
  filter.range = RangeSummary{"positions", 3, 6, 4, 5.5, 15, 8, true, true, 5, 3, 1, 2, "a fault"};
  return file;
}

TEST(FileColumnsTest, AnOutputNamesAColumnOnceAndHasACellForIt) {
  for (const Output output : {Output::kCsv, Output::kTable, Output::kPage}) {
    std::set<std::string> names;
    for (const Column& column : ColumnsOf(output)) {
      EXPECT_TRUE(names.insert(column.title).second) << column.title;
    }
    EXPECT_EQ(CellsOf(WithAll(), output).size(), names.size());
    EXPECT_EQ(CellsOf(SstReport(), output).size(), names.size());
  }
}

TEST(FileColumnsTest, WhatIsKnownIsInEveryOutput) {
  const SstReport file = WithAll();
  EXPECT_THAT(CellsOf(file, Output::kCsv), ::testing::Each(::testing::Not(::testing::IsEmpty())));
  EXPECT_THAT(CellsOf(file, Output::kTable),
              ElementsAre("a\\xff.sst", "2", "7000", "winnow-ribbon", "6", "5", "6.50", "25 %",
                          "FAULT: see below"));
  EXPECT_THAT(CellsOf(file, Output::kPage),
              ElementsAre("a\\xff.sst", "2", "family", "7,000", "winnow-ribbon", "6", "5", "6.50",
                          "25 %", "fault: a fault"));
  const nlohmann::ordered_json flat = ToJson(file).flatten();
  for (const auto& [place, value] : flat.items()) {
    EXPECT_FALSE(value.is_null()) << place;
  }
  EXPECT_EQ(flat.at("/path_hex"), "61ff2e737374");
  EXPECT_EQ(flat.at("/filter/built_for/level"), 4);
  EXPECT_EQ(flat.at("/filter/parameters/layers/1"), "b");
  EXPECT_EQ(ToJson(*file.filter).count("stored_bytes"), 0u);
}

TEST(FileColumnsTest, NothingIsSaidOfAFilterThatWasNotRead) {
  SstReport file;
  file.path = "a.sst";
  file.error = "it can't be read";
  EXPECT_THAT(CellsOf(file, Output::kTable),
              ElementsAre("a.sst", "-", "-", "-", "-", "-", "-", "-", "NOT READ"));
  EXPECT_THAT(CellsOf(file, Output::kPage), ElementsAre("a.sst", "-", "", "-", "not read", "-", "-",
                                                        "-", "-", "it can't be read"));
  EXPECT_THAT(CellsOf(file, Output::kCsv), ::testing::Not(::testing::Contains("-")));
  EXPECT_EQ(ToJson(file).dump(),
            R"({"path":"a.sst","database":null,"level":null,"column_family":null,"entries":0,)"
            R"("file_bytes":0,"filter":null,"error":"it can't be read"})");
}

}  // namespace file_columns_test
}  // namespace winnow::inspect
