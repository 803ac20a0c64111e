// The JSON has what its page says, and nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "db_bench_ext/read_amplification/report/report.h"
#include "tests/db_bench_ext/readamp_testing.h"
#include "tests/support/files.h"

namespace winnow::inspect {
namespace readamp_json_test {

using nlohmann::json;

const Machine kMachine = {"a processor", 2, 1 << 30, "Linux"};

json Document(const ReadAmplification& run) {
  return json::parse(ReadAmplificationJson(run, kMachine));
}

// The names of all fields, [] for elements and .* for what a run names.
void AddFields(const std::string& path, const json& value, std::set<std::string>* fields) {
  if (value.is_object()) {
    const bool named_by_run = path == "settings" || std::regex_search(path, std::regex("filters$"));
    for (const auto& [name, member] : value.items()) {
      AddFields(path.empty() ? name : path + "." + (named_by_run ? "*" : name), member, fields);
    }
  } else if (value.is_array() && !value.empty() && value[0].is_object()) {
    for (const json& element : value) AddFields(path + "[]", element, fields);
  } else {
    fields->insert(path);
  }
}

std::set<std::string> FieldsOfPage() {
  std::set<std::string> fields;
  std::istringstream lines(testing::ReadFile(WINNOW_READAMP_JSON_MD));
  const std::regex row("^\\| `([^`]+)` \\|.*");
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, match, row)) continue;
    EXPECT_TRUE(fields.insert(match[1]).second) << match[1] << " comes twice";
  }
  return fields;
}

TEST(ReadampJsonTest, EveryFieldIsOnThePageAndNoneBeside) {
  std::set<std::string> fields;
  AddFields("", Document(testing::ExampleReadAmplification()), &fields);
  // Elements of the frontier have the fields of a policy, which the page does not list again.
  for (auto field = fields.begin(); field != fields.end();) {
    const std::string tail = field->rfind("frontier[].", 0) == 0 ? field->substr(11) : "";
    const bool same = !tail.empty() && fields.count("policies[]." + tail) > 0;
    field = same ? fields.erase(field) : std::next(field);
  }
  EXPECT_EQ(fields, FieldsOfPage());
}

TEST(ReadampJsonTest, TheFieldsOfTheFirstSchemaAreThere) {
  const json document = Document(testing::ExampleReadAmplification());
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
}

TEST(ReadampJsonTest, RatesHaveIntervalsAboutThem) {
  const json document = Document(testing::ExampleReadAmplification());
  const json& workload = document.at("policies")[2].at("workloads")[0];
  for (const char* rate : {"false_positive_block_reads_per_lookup",
                           "false_positives_per_filter_check", "data_blocks_read_per_lookup"}) {
    const json& interval = workload.at(std::string(rate) + "_interval");
    EXPECT_LT(interval[0], workload.at(rate)) << rate;
    EXPECT_GT(interval[1], workload.at(rate)) << rate;
  }
}

TEST(ReadampJsonTest, WhatCannotBeToldOfMixedLookupsIsNull) {
  const json document = Document(testing::ExampleReadAmplification());
  const json& workloads = document.at("policies")[2].at("workloads");
  EXPECT_DOUBLE_EQ(workloads[0].at("false_positive_block_reads_per_absent_key"), 0.05);
  EXPECT_TRUE(workloads[0].at("read_amplification").is_null()) << "no values came back";
  EXPECT_DOUBLE_EQ(workloads[1].at("absent_share"), 0.4);
  EXPECT_TRUE(workloads[1].at("false_positive_block_reads_per_absent_key").is_null());
  EXPECT_DOUBLE_EQ(workloads[1].at("read_amplification"), 0.5);
  EXPECT_TRUE(document.at("policies")[0].at("build_ns_per_key").is_null());
}

TEST(ReadampJsonTest, SettingsKeepTheirTypes) {
  const json settings = Document(testing::ExampleReadAmplification()).at("settings");
  EXPECT_TRUE(settings.at("block_size").is_number_integer());
  EXPECT_TRUE(settings.at("compression_type").is_string());
  EXPECT_TRUE(settings.at("level_compaction_dynamic_level_bytes").is_boolean());
  EXPECT_TRUE(settings.at("max_bytes_for_level_multiplier").is_number_float());
}

}  // namespace readamp_json_test
}  // namespace winnow::inspect
