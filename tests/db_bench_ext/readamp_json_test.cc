// Tests of the JSON's figures. json_schema_test.sh checks its fields and their types.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "db_bench_ext/read_amplification/report/report.h"
#include "tests/db_bench_ext/readamp_testing.h"

namespace winnow::inspect {
namespace readamp_json_test {

using nlohmann::json;

json Document() {
  return json::parse(ReadAmplificationJson(testing::ExampleReadAmplification(),
                                           {"a processor", 2, 1 << 30, "Linux"}));
}

TEST(ReadampJsonTest, RatesAreThoseOfTheCountsWithIntervalsAboutThem) {
  const json document = Document();
  EXPECT_EQ(document.at("schema"), "winnow.readamp/2");
  const json& policy = document.at("policies")[2];
  EXPECT_EQ(policy.at("filter_bytes"), 87'500);
  EXPECT_DOUBLE_EQ(policy.at("filter_bits_per_key"), 7.0);
  EXPECT_DOUBLE_EQ(policy.at("filter_bytes_to_reference"), 0.7);
  const json& workload = policy.at("workloads")[0];
  EXPECT_EQ(workload.at("false_positive_block_reads"), 500);
  EXPECT_DOUBLE_EQ(workload.at("false_positive_block_reads_per_lookup"), 0.05);
  EXPECT_DOUBLE_EQ(workload.at("false_positives_per_filter_check"), 0.02);
  EXPECT_EQ(workload.at("levels")[0].at("filter_checks"), 25'000);
  for (const char* rate : {"false_positive_block_reads_per_lookup",
                           "false_positives_per_filter_check", "data_blocks_read_per_lookup"}) {
    const json& interval = workload.at(std::string(rate) + "_interval");
    EXPECT_LT(interval[0], workload.at(rate)) << rate;
    EXPECT_GT(interval[1], workload.at(rate)) << rate;
  }
}

TEST(ReadampJsonTest, WhatCannotBeToldOfMixedLookupsIsNull) {
  const json document = Document();
  const json& workloads = document.at("policies")[2].at("workloads");
  EXPECT_DOUBLE_EQ(workloads[0].at("false_positive_block_reads_per_absent_key"), 0.05);
  EXPECT_TRUE(workloads[0].at("read_amplification").is_null()) << "no values came back";
  EXPECT_DOUBLE_EQ(workloads[1].at("absent_share"), 0.4);
  EXPECT_TRUE(workloads[1].at("false_positive_block_reads_per_absent_key").is_null());
  EXPECT_DOUBLE_EQ(workloads[1].at("read_amplification"), 0.5);
  EXPECT_TRUE(document.at("policies")[0].at("build_ns_per_key").is_null());
}

}  // namespace readamp_json_test
}  // namespace winnow::inspect
