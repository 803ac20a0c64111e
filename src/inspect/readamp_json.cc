#include "src/inspect/readamp_json.h"

#include <rocksdb/version.h>

#include <nlohmann/json.hpp>

#include "src/inspect/readamp_comparison.h"
#include "winnow/version.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const LevelCounts& counts) {
  return {{"level", counts.level},
          {"filter_checks", counts.filter_checks},
          {"useful", counts.useful},
          {"false_positive_block_reads", counts.false_positive_block_reads},
          {"blocks_accessed", counts.blocks_accessed}};
}

Json OrNull(const std::optional<uint64_t>& count) { return count ? Json(*count) : Json(nullptr); }

Json ToJson(const WorkloadResult& workload) {
  const WorkloadCounts& counts = workload.counts;
  Json json = {{"name", workload.name},
               {"lookups", counts.lookups},
               {"found", counts.found},
               {"files_considered_per_lookup", workload.files_considered_per_lookup},
               {"filter_checks", counts.filter_checks},
               {"useful", counts.useful},
               {"false_positive_block_reads", counts.false_positive_block_reads},
               {"false_positive_block_reads_per_lookup",
                Ratio(counts.false_positive_block_reads, counts.lookups)},
               {"false_positives_per_filter_check",
                Ratio(counts.false_positive_block_reads, counts.filter_checks)},
               {"data_blocks_accessed", counts.data_blocks_accessed},
               {"data_blocks_read", counts.data_blocks_read},
               {"bytes_read", counts.bytes_read},
               {"value_bytes", counts.value_bytes},
               {"hashes", OrNull(counts.hashes)},
               {"hashes_shared", OrNull(counts.hashes_shared)},
               {"timed_lookups", workload.times.lookups},
               {"ops_per_second", workload.times.ops_per_second},
               {"p50_ns", workload.times.p50_ns},
               {"p99_ns", workload.times.p99_ns},
               {"timed_rounds", workload.times.ops_per_second_by_round.size()},
               {"ops_per_second_by_round", workload.times.ops_per_second_by_round},
               {"levels", Json::array()}};
  for (const LevelCounts& level : counts.levels) json["levels"].push_back(ToJson(level));
  return json;
}

Json ToJson(const PolicyResult& policy, const PolicyResult& reference) {
  Json json = {{"policy", policy.policy},
               {"in_force", policy.in_force},
               {"keys", policy.keys},
               {"files", policy.files},
               {"file_bytes", policy.file_bytes},
               {"filter_bytes", policy.filter_bytes},
               {"filter_bits_per_key", 8 * Ratio(policy.filter_bytes, policy.keys)},
               {"filter_bytes_to_reference", Ratio(policy.filter_bytes, reference.filter_bytes)},
               {"filters", policy.filters},
               {"load_seconds", policy.load_seconds},
               {"tree", Json::array()},
               {"workloads", Json::array()}};
  for (const LevelShape& shape : policy.tree) {
    json["tree"].push_back({{"level", shape.level},
                            {"files", shape.files},
                            {"keys", shape.keys},
                            {"filter_bytes", shape.filter_bytes}});
  }
  for (const WorkloadResult& workload : policy.workloads) {
    json["workloads"].push_back(ToJson(workload));
  }
  return json;
}

}  // namespace

std::string ReadAmplificationJson(const ReadAmplification& run, const Machine& machine) {
  const Comparison comparison = Compare(run.policies);
  const PolicyResult& reference = run.policies[comparison.reference];
  Json json = {
      {"schema", "winnow.readamp/1"},
      {"command", run.command},
      {"rocksdb_version", rocksdb::GetRocksVersionAsString()},
      {"winnow_version", Version()},
      {"machine",
       {{"processor", machine.processor},
        {"threads", machine.threads},
        {"memory_bytes", machine.memory_bytes},
        {"system", machine.system}}},
      {"keys_from", run.keys_from},
      {"keys", run.keys},
      {"duplicates_dropped", run.duplicates},
      {"key_bytes", run.key_bytes},
      {"value_size", run.value_size},
      {"cache_size", run.cache_size},
      {"notes", run.notes},
      {"reference", reference.policy},
      {"trees_agree", comparison.TreesAgree()},
      {"largest_level_difference", comparison.largest_level_difference},
      {"largest_files_considered_difference", comparison.largest_files_considered_difference},
      {"policies", Json::array()}};
  for (const PolicyResult& policy : run.policies) {
    json["policies"].push_back(ToJson(policy, reference));
  }
  // Arguments are bytes; JSON has to be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace winnow::inspect
