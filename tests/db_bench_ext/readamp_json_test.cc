// Tests that the JSON has exactly the fields of its schema. json_schema_test.sh checks their types.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

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

// Adds the names of all fields, with [] for elements and .* for names that depend on the run.
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

// Resolves a reference to one of the schema's definitions.
const json& Resolved(const json& document, const json& schema) {
  const auto reference = schema.find("$ref");
  return reference == schema.end()
             ? schema
             : document.at(json::json_pointer(reference->get<std::string>().substr(1)));
}

// Adds the names of fields in a schema in the same form; each field must have a description.
void AddDescribed(const json& document, const std::string& path, const json& schema,
                  std::set<std::string>* fields) {
  const json& resolved = Resolved(document, schema);
  const json none = json::object();
  const json items = resolved.value("items", none);
  if (resolved.contains("properties")) {
    for (const json* part : {&resolved, &schema}) {
      const json properties = part->value("properties", none);
      for (const auto& [name, member] : properties.items()) {
        const std::string member_path = path.empty() ? name : path + "." + name;
        EXPECT_NE(Resolved(document, member).value("description", ""), "") << member_path;
        AddDescribed(document, member_path, member, fields);
      }
    }
  } else if (resolved.contains("additionalProperties")) {
    fields->insert(path + ".*");
  } else if (Resolved(document, items).contains("properties")) {
    AddDescribed(document, path + "[]", items, fields);
  } else {
    fields->insert(path);
  }
}

TEST(ReadampJsonTest, EveryFieldIsInTheSchemaAndNoneBeside) {
  std::set<std::string> written;
  AddFields("", Document(testing::ExampleReadAmplification()), &written);
  std::set<std::string> described;
  const json schema = json::parse(testing::ReadFile(WINNOW_READAMP_SCHEMA));
  AddDescribed(schema, "", schema, &described);
  EXPECT_EQ(written, described);
  EXPECT_GT(described.size(), 90u);
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
