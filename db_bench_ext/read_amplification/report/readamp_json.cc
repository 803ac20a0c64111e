#include <rocksdb/version.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "db_bench_ext/read_amplification/report/readamp_comparison.h"
#include "db_bench_ext/read_amplification/report/report.h"
#include "src/text/rate_interval.h"
#include "winnow/version.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Interval& interval) { return {interval.low, interval.high}; }

Json ToJson(const LevelCounts& counts, uint64_t lookups, double files_considered) {
  return {
      {"level", counts.level},
      {"filter_checks", counts.filter_checks},
      {"useful", counts.useful},
      {"false_positive_block_reads", counts.false_positive_block_reads},
      {"blocks_accessed", counts.blocks_accessed},
      {"blocks_read", counts.blocks_read},
      {"files_considered_per_lookup", files_considered},
      {"false_positive_block_reads_per_lookup", Ratio(counts.false_positive_block_reads, lookups)},
      {"false_positive_block_reads_per_lookup_interval",
       ToJson(PoissonInterval(counts.false_positive_block_reads, lookups))},
      {"false_positives_per_filter_check",
       Ratio(counts.false_positive_block_reads, counts.filter_checks)},
      {"false_positives_per_filter_check_interval",
       ToJson(WilsonInterval(counts.false_positive_block_reads, counts.filter_checks))}};
}

Json ToJson(const BlockLoads& loads, uint64_t lookups) {
  return {{"misses", loads.misses},
          {"blocks_added", loads.blocks},
          {"bytes_added", loads.bytes},
          {"bytes_added_per_lookup", Ratio(loads.bytes, lookups)}};
}

// Adds what a workload loaded into the block cache.
void AddLoads(const WorkloadCounts& counts, Json* json) {
  (*json)["block_cache"] = {{"filter", ToJson(counts.loads.filter, counts.lookups)},
                            {"index", ToJson(counts.loads.index, counts.lookups)},
                            {"data", ToJson(counts.loads.data, counts.lookups)}};
  (*json)["lookups_that_read_a_filter"] = counts.filter_reading_lookups;
  (*json)["lookups_that_read_a_filter_share"] =
      Ratio(counts.filter_reading_lookups, counts.lookups);
}

Json OrNull(const std::optional<uint64_t>& count) { return count ? Json(*count) : Json(nullptr); }

// Adds the workload fields that are new in schema version 2: shares, rates and their intervals.
void AddRates(const WorkloadCounts& counts, Json* json) {
  const bool absent = AllAbsent(counts);
  (*json)["absent_share"] = Ratio(counts.lookups - counts.found, counts.lookups);
  (*json)["false_positive_block_reads_per_lookup_interval"] = ToJson(FalseReadsInterval(counts));
  (*json)["false_positive_block_reads_per_absent_key"] =
      absent ? Json(FalseReads(counts)) : Json(nullptr);
  (*json)["false_positives_per_filter_check_interval"] =
      ToJson(WilsonInterval(counts.false_positive_block_reads, DecidedChecks(counts)));
  (*json)["data_blocks_accessed_per_lookup"] = Ratio(counts.data_blocks_accessed, counts.lookups);
  (*json)["data_blocks_read_per_lookup"] = Ratio(counts.data_blocks_read, counts.lookups);
  (*json)["data_blocks_read_per_lookup_interval"] =
      ToJson(PoissonInterval(counts.data_blocks_read, counts.lookups));
  (*json)["bytes_read_per_lookup"] = Ratio(counts.bytes_read, counts.lookups);
  (*json)["read_amplification"] =
      counts.value_bytes == 0 ? Json(nullptr) : Json(Ratio(counts.bytes_read, counts.value_bytes));
}

Json ToJson(const WorkloadResult& workload) {
  const WorkloadCounts& counts = workload.counts;
  Json json = {{"name", workload.name},
               {"lookups", counts.lookups},
               {"found", counts.found},
               {"files_considered_per_lookup", workload.files_considered_per_lookup},
               {"filter_checks", counts.filter_checks},
               {"useful", counts.useful},
               {"false_positive_block_reads", counts.false_positive_block_reads},
               {"false_positive_block_reads_per_lookup", FalseReads(counts)},
               {"false_positives_per_filter_check", FalsePositiveRate(counts)},
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
  for (const LevelCounts& level : counts.levels) {
    const auto files = workload.files_considered_by_level.find(level.level);
    json["levels"].push_back(
        ToJson(level, counts.lookups,
               files == workload.files_considered_by_level.end() ? 0 : files->second));
  }
  AddRates(counts, &json);
  json["remark"] = workload.remark;
  json["decided_lookups"] = DecidedLookups(counts);
  json["decided_filter_checks"] = DecidedChecks(counts);
  AddLoads(counts, &json);
  json["percentiles"] = Json::array();
  for (const Percentile& percentile : workload.times.percentiles) {
    json["percentiles"].push_back(
        {{"percent", percentile.percent}, {"ns", percentile.nanoseconds}});
  }
  return json;
}

// Returns a list per counter, with a number per interval.
Json ToJson(const std::vector<GrowthInterval>& growth) {
  const auto all = [&](auto figure) {
    Json list = Json::array();
    for (const GrowthInterval& interval : growth) list.push_back(figure(interval));
    return list;
  };
  using Of = const GrowthInterval&;
  return {
      {"written", all([](Of of) { return of.written; })},
      {"lookups", all([](Of of) { return of.counts.lookups; })},
      {"found", all([](Of of) { return of.counts.found; })},
      {"filter_checks", all([](Of of) { return of.counts.filter_checks; })},
      {"false_positive_block_reads",
       all([](Of of) { return of.counts.false_positive_block_reads; })},
      {"false_positive_block_reads_per_lookup", all([](Of of) { return FalseReads(of.counts); })},
      {"data_blocks_read", all([](Of of) { return of.counts.data_blocks_read; })},
      {"filter_bytes", all([](Of of) { return of.filter_bytes; })},
      {"filter_bits_per_key", all([](Of of) { return FilterBitsPerKey(of); })}};
}

Json ToJson(const RangeOfLevel& range) {
  Json json = {
      {"level", range.level}, {"keys", Json::array()}, {"filter_bits_per_key", Json::array()}};
  for (size_t part = 0; part < range.keys.size(); ++part) {
    json["keys"].push_back(std::round(range.keys[part]));
    json["filter_bits_per_key"].push_back(
        range.keys[part] > 0 ? Json(8 * range.filter_bytes[part] / range.keys[part])
                             : Json(nullptr));
  }
  return json;
}

Json ToJson(const PolicyResult& policy, const PolicyResult& reference) {
  Json json = {{"policy", policy.policy},
               {"in_force", policy.in_force},
               {"keys", policy.keys},
               {"files", policy.files},
               {"file_bytes", policy.file_bytes},
               {"filter_bytes", policy.filter_bytes},
               {"filter_bits_per_key", FilterBitsPerKey(policy)},
               {"filter_bytes_to_reference", Ratio(policy.filter_bytes, reference.filter_bytes)},
               {"filters", policy.filters},
               {"load_seconds", policy.load_seconds},
               {"tree", Json::array()},
               {"workloads", Json::array()}};
  for (const LevelShape& shape : policy.tree) {
    json["tree"].push_back({{"level", shape.level},
                            {"files", shape.files},
                            {"keys", shape.keys},
                            {"filter_bytes", shape.filter_bytes},
                            {"filter_bits_per_key", FilterBitsPerKey(shape)},
                            {"filters", shape.filters}});
  }
  json["build_ns_per_key"] = policy.build ? Json(policy.build->ns_per_key) : Json(nullptr);
  json["build_keys"] = policy.build ? Json(policy.build->keys) : Json(nullptr);
  json["tree_difference"] = LevelDifference(policy.tree, reference.tree);
  for (const WorkloadResult& workload : policy.workloads) {
    json["workloads"].push_back(ToJson(workload));
  }
  json["growth"] = ToJson(policy.growth);
  json["range"] = Json::array();
  for (const RangeOfLevel& range : policy.range) json["range"].push_back(ToJson(range));
  return json;
}

}  // namespace

std::string ReadAmplificationJson(const ReadAmplification& run, const Machine& machine) {
  const Comparison comparison = Compare(run.policies);
  const PolicyResult& reference = run.policies[comparison.reference];
  Json json = {
      {"schema", "winnow.readamp/2"},
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
      {"lookups_drawn", run.lookups_drawn},
      {"notes", run.notes},
      {"reference", reference.policy},
      {"trees_agree", comparison.TreesAgree()},
      {"largest_level_difference", comparison.largest_level_difference},
      {"largest_files_considered_difference", comparison.largest_files_considered_difference},
      {"policies", Json::array()}};
  for (const PolicyResult& policy : run.policies) {
    json["policies"].push_back(ToJson(policy, reference));
  }
  json["date"] = run.date;
  json["seed"] = run.seed;
  json["kernel"] = KernelName();
  json["settings"] = Json::object();
  for (const auto& [name, value] : run.settings) {
    std::visit([&, &name = name](const auto& v) { json["settings"][name] = v; }, value);
  }
  json["interval_percent"] = 95;
  json["heat"] = run.heat;
  // Command-line arguments are bytes, but JSON must be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace winnow::inspect
