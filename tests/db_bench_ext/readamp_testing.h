// A run with a value in every field, for tests of reports.

#ifndef WINNOW_TESTS_DB_BENCH_EXT_READAMP_TESTING_H_
#define WINNOW_TESTS_DB_BENCH_EXT_READAMP_TESTING_H_

#include <string>
#include <utility>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::testing {

inline inspect::WorkloadResult ExampleWorkload(const std::string& name, uint64_t found,
                                               uint64_t false_reads) {
  inspect::WorkloadResult workload;
  workload.name = name;
  inspect::WorkloadCounts& counts = workload.counts;
  counts.lookups = 10'000;
  counts.found = found;
  counts.filter_checks = false_reads == 0 ? 0 : 25'000;
  counts.useful = counts.filter_checks - false_reads;
  counts.false_positive_block_reads = false_reads;
  counts.data_blocks_accessed = found + false_reads;
  counts.data_blocks_read = 77;
  counts.bytes_read = 300'000;
  counts.value_bytes = found * 100;
  counts.hashes = 10'000;
  counts.hashes_shared = 15'000;
  counts.levels = {{1, counts.filter_checks, counts.useful, false_reads / 4, 500, 30},
                   {2, 0, 0, false_reads - false_reads / 4, 600, 40}};
  counts.loads = {{11, 12, 13'000}, {21, 22, 23'000}, {31, 32, 33'000}};
  counts.filter_reading_lookups = 1234;
  workload.times = {1000, 123'456.7,   800,
                    9000, {123'456.7}, {{50, 800}, {99, 9000}, {100, 99'000}}};
  workload.files_considered_per_lookup = 2.5;
  workload.files_considered_by_level = {{1, 1.0}, {2, 1.5}};
  return workload;
}

inline inspect::PolicyResult ExamplePolicy(const std::string& policy, const std::string& in_force,
                                           uint64_t filter_bytes, uint64_t false_reads) {
  inspect::PolicyResult result;
  result.policy = policy;
  result.in_force = in_force;
  result.keys = 100'000;
  result.files = 7;
  result.file_bytes = 5'000'000;
  result.filter_bytes = filter_bytes;
  const std::string kind = filter_bytes == 0 ? "none" : "some-kind";
  result.filters = {{kind, 7}};
  result.tree = {{1, 2, 10'000, filter_bytes / 10, {{kind, 2}}},
                 {2, 5, 90'000, filter_bytes - filter_bytes / 10, {{kind, 5}}}};
  result.load_seconds = 1.5;
  result.workloads = {ExampleWorkload("readabsent", 0, false_reads),
                      ExampleWorkload("readmixed", 6'000, false_reads / 2)};
  inspect::GrowthInterval half;
  half.written = half.keys = 50'000;
  half.filter_bytes = filter_bytes / 2;
  half.counts = ExampleWorkload("", 4'000, false_reads).counts;
  inspect::GrowthInterval whole = half;
  whole.written = whole.keys = 100'000;
  whole.filter_bytes = filter_bytes;
  whole.counts.false_positive_block_reads /= 2;
  result.growth = {half, whole};
  const auto bytes = static_cast<double>(filter_bytes);
  result.range = {{2, std::vector<double>(inspect::kParts, 100), {}}};
  for (size_t part = 0; part < inspect::kParts; ++part) {
    result.range[0].filter_bytes.push_back(bytes / 1000 + static_cast<double>(part));
  }
  if (filter_bytes > 0) result.build = inspect::BuildCost{200'000, 33.25};
  return result;
}

inline inspect::ReadAmplification ExampleReadAmplification() {
  inspect::ReadAmplification run;
  run.command = "db_bench_ext '--policies=a b' <&>";
  run.keys_from = "keys \"<1>\".lz4";
  run.keys = 100'000;
  run.duplicates = 3;
  run.key_bytes = 1'600'000;
  run.value_size = 100;
  run.cache_size = 8 << 20;
  run.policies = {ExamplePolicy("none", "", 0, 0),
                  ExamplePolicy("bloomfilter:10", "bloomfilter", 125'000, 1000),
                  ExamplePolicy("winnow:10", "winnow.Filter", 87'500, 500)};
  run.settings = {{"block_size", int64_t{4096}},
                  {"compression_type", std::string("lz4")},
                  {"level_compaction_dynamic_level_bytes", false},
                  {"max_bytes_for_level_multiplier", 10.0}};
  run.seed = 42;
  run.date = "2024-02-29T13:05:00Z";
  run.heat = std::vector<double>(inspect::kParts, 1.0 / inspect::kParts);
  return run;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_DB_BENCH_EXT_READAMP_TESTING_H_
