// Prints costs and savings of level plans, compared to uniform filters of equal memory on trees
// grown by RocksDB's own compaction, as Markdown tables. The constants of src/core/level_plan.cc
// and src/rocksdb/trees/context.cc were chosen from them, and the guarantees of "auto" are verified
// by them.
//
//   tune_levels --folder=DIR [--keys=4000000] [--plans=auto,learned] [--scenarios=random,moved_30]
//   tune_levels --folder=DIR --keys=600000 --plans=uniform,auto --scenarios=mixgraph,zipf
//       --repeats=5
//   tune_levels --folder=DIR --keys=600000 --divide_sizes=512 --plans=auto,learned
//       --scenarios=tenants --tenants=4 --prefix_bytes=62
//   tune_levels --folder=DIR --filter_memory=256KiB --divide_sizes=512
//   tune_levels --folder=DIR --paired --keys=600000 --divide_sizes=256 --repeats=5
//       --plans=uniform,auto

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <rocksdb/cache.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/system/progress.h"
#include "db_bench_ext/tuning/heat_run.h"
#include "db_bench_ext/tuning/heat_scenarios.h"
#include "db_bench_ext/tuning/level_scenarios.h"
#include "db_bench_ext/tuning/level_tree.h"
#include "db_bench_ext/tuning/memory_run.h"
#include "db_bench_ext/tuning/paired_policies.h"
#include "db_bench_ext/tuning/paired_run.h"
#include "db_bench_ext/tuning/plan_table.h"
#include "db_bench_ext/tuning/tree_cost.h"
#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/policy_options.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

ABSL_FLAG(std::string, folder, "", "folder in which databases are made and removed again");
ABSL_FLAG(uint64_t, keys, 4'000'000, "number of keys in a tree");
ABSL_FLAG(std::vector<std::string>, plans, (std::vector<std::string>{"auto"}),
          "values of level_plan to try, with commas between them");
ABSL_FLAG(std::vector<std::string>, scenarios, {},
          "scenarios to try, with commas between them; empty: all");
ABSL_FLAG(
    uint64_t, repeats, 1,
    "number of runs of each scenario. Plans take turns; scenarios with lookups get other keys "
    "in each run. Above 1, means and standard deviations follow");
ABSL_FLAG(double, lookups, 2.5,
          "lookups per written key while a tree grows, in scenarios with lookups");
ABSL_FLAG(std::string, looks, "",
          "file to write a CSV to, with each look at a growing tree that the tables sum up");
ABSL_FLAG(bool, cache, false,
          "keep filters in the block cache, which holds 5 % of a tree with lookups");
ABSL_FLAG(bool, partitioned, false, "make partitioned filters");
ABSL_FLAG(bool, listener, false,
          "use Winnow's listener, which tells the policy all files of a tree with lookups, or with "
          "--paired of any tree");
ABSL_FLAG(bool, paired, false,
          "compare the plans within one tree: it has the filters of the first one, and the others "
          "build theirs beside these. Without lookups");
ABSL_FLAG(uint64_t, tenants, 1,
          "groups of keys in trees with lookups; each group has its own prefix");
ABSL_FLAG(uint64_t, prefix_bytes, 0, "bytes of the prefix of keys in trees with lookups");
ABSL_FLAG(
    uint64_t, divide_sizes, 64,
    "divide RocksDB's default sizes by this number, 1 to 1024; files then have some 26,000 keys "
    "at 64, and some 3,200 at 512");
ABSL_FLAG(double, bits_per_key, 10, "bits_per_key of the policies");
ABSL_FLAG(
    std::string, filter_memory, "",
    "filter_memory of the policies, as 256KiB. Only this is tried: trees grow from a tenth of "
    "the keys to ten times the keys for which that memory is bits_per_key");
ABSL_FLAG(
    double, pace, 0,
    "with --filter_memory: number of files that compactions may take in for each flushed file; "
    "below 10, writes outrun compactions. 0: all compactions end before each look");
ABSL_FLAG(double, level_size_ratio, 0, "level_size_ratio of the policies; 0: auto");
ABSL_FLAG(double, absent_share, 1, "absent_share of the policies");

namespace winnow::bench {
namespace {

absl::StatusOr<LevelPlan> PlanOf(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, plan] : kLevelPlanOption.values) {
    if (known == name) return plan;
    names.emplace_back(known);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no plan '", name, "', but ", absl::StrJoin(names, ", ")));
}

PolicyOptions PolicyOf(LevelPlan plan) {
  PolicyOptions policy;
  policy.bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  policy.level_plan = plan;
  policy.level_size_ratio = absl::GetFlag(FLAGS_level_size_ratio);
  policy.absent_share = plan == LevelPlan::kUniform ? 1 : absl::GetFlag(FLAGS_absent_share);
  return policy;
}

// Returns RocksDB's default sizes, divided by --divide_sizes.
rocksdb::Options SmallFiles() {
  const uint64_t divisor = absl::GetFlag(FLAGS_divide_sizes);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.level_compaction_dynamic_level_bytes = true;
  options.write_buffer_size = (64 << 20) / divisor;
  options.target_file_size_base = (64 << 20) / divisor;
  options.max_bytes_for_level_base = (256 << 20) / divisor;
  options.max_background_jobs = 2;
  return options;
}

absl::StatusOr<rocksdb::BlockBasedTableOptions> TableOf(LevelPlan plan) {
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status made = NewFilterPolicy(PolicyOf(plan), &table.filter_policy);
  if (!made.ok()) return absl::InvalidArgumentError(made.ToString());
  table.cache_index_and_filter_blocks = absl::GetFlag(FLAGS_cache);
  if (absl::GetFlag(FLAGS_partitioned)) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
  }
  return table;
}

LevelPrefixes Prefixes() {
  const uint64_t bytes = absl::GetFlag(FLAGS_prefix_bytes);
  return bytes == 0 ? LevelPrefixes()
                    : LevelPrefixes::OfTenants(absl::GetFlag(FLAGS_tenants), bytes);
}

std::vector<HeatScenario> AllHeatScenarios() {
  std::vector<HeatScenario> scenarios = HeatScenarios();
  scenarios.push_back(TenantScenario(absl::GetFlag(FLAGS_tenants)));
  return scenarios;
}

std::string PathOf(const std::string& scenario) {
  return absl::StrCat(absl::GetFlag(FLAGS_folder), "/", scenario);
}

std::string JobOf(const std::string& scenario, LevelPlan plan) {
  return absl::StrCat(scenario, " with ", std::string(ToString(plan)));
}

std::string LevelsText(const TreeCost& cost) {
  std::vector<std::string> levels;
  for (size_t level = 0; level < cost.keys_by_level.size(); ++level) {
    if (cost.keys_by_level[level] == 0) continue;
    levels.push_back(absl::StrFormat("%d: %dk × %.1f (%.2f)", level,
                                     cost.keys_by_level[level] / 1000, cost.bits_by_level[level],
                                     cost.files_by_level[level]));
  }
  return absl::StrJoin(levels, ", ");
}

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

// Number of observations during growth.
constexpr uint64_t kLooks = 40;

absl::StatusOr<PlanRow> Try(const LevelScenario& scenario, LevelPlan plan) {
  absl::StatusOr<rocksdb::BlockBasedTableOptions> table = TableOf(plan);
  if (!table.ok()) return table.status();
  rocksdb::Options options = SmallFiles();
  if (scenario.change_options) scenario.change_options(&options);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(*table));
  LevelTree tree(options, PathOf(scenario.name), scenario.prefix);
  const double bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  Progress progress("tune_levels");
  uint64_t looks = 0;
  FilterReader reader;
  std::vector<FilterFile> files;
  MostMemory most(bits_per_key);
  const auto look = [&]() -> absl::Status {
    progress.Set(JobOf(scenario.name, plan), looks++, kLooks);
    absl::StatusOr<std::vector<FilterFile>> read = reader.Read(tree);
    if (!read.ok()) return read.status();
    files = WithFilters(*std::move(read));
    most.See(files);
    return absl::OkStatus();
  };
  tree.Watch(std::max<uint64_t>(1, absl::GetFlag(FLAGS_keys) / kLooks), look);
  absl::Status status = tree.Open();
  if (status.ok()) status = scenario.grow(&tree, absl::GetFlag(FLAGS_keys));
  if (status.ok()) status = look();
  if (status.ok() && files.empty()) status = absl::InternalError("the tree has no filters");
  if (!status.ok()) return status;
  const TreeCost cost = CostOf(files, EvenLookups(files), bits_per_key);
  return PlanRow{{cost.MemoryToUniform(), most.share(), cost.false_reads, cost.uniform_false_reads,
                  Ratio(cost.false_reads, cost.uniform_false_reads)},
                 LevelsText(cost)};
}

// Runs paired plans; returns a row per plan.
absl::StatusOr<std::vector<PlanRow>> TryPaired(const LevelScenario& scenario,
                                               const std::vector<LevelPlan>& plans) {
  std::vector<std::shared_ptr<const rocksdb::FilterPolicy>> policies;
  rocksdb::BlockBasedTableOptions table;
  for (const LevelPlan plan : plans) {
    absl::StatusOr<rocksdb::BlockBasedTableOptions> made = TableOf(plan);
    if (!made.ok()) return made.status();
    table = *std::move(made);
    policies.push_back(table.filter_policy);
  }
  const PairedPolicies paired(policies, absl::GetFlag(FLAGS_listener));
  table.filter_policy = paired.policy();
  rocksdb::Options options = SmallFiles();
  if (scenario.change_options) scenario.change_options(&options);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.listeners.push_back(paired.listener());
  LevelTree tree(options, PathOf(scenario.name), scenario.prefix);
  if (absl::Status status = tree.Open(); !status.ok()) return status;
  Progress progress("tune_levels");
  const PairedSettings settings{plans.size(), absl::GetFlag(FLAGS_keys), kLooks,
                                absl::GetFlag(FLAGS_bits_per_key)};
  absl::StatusOr<std::vector<PairedCost>> costs =
      RunPaired(scenario, settings, paired, &tree,
                [&](uint64_t done, uint64_t of) { progress.Set(scenario.name, done, of); });
  if (!costs.ok()) return costs.status();
  std::vector<PlanRow> rows;
  for (const PairedCost& cost : *costs) {
    rows.push_back({{cost.last.MemoryToUniform(), cost.mean_memory, cost.most_memory, cost.to_first,
                     cost.to_first_by_range, cost.to_uniform, cost.to_best},
                    LevelsText(cost.last)});
  }
  return rows;
}

// Appends lines to the file of --looks.
absl::Status WriteLooks(const std::string& lines, const char* mode) {
  const std::string path = absl::GetFlag(FLAGS_looks);
  if (path.empty()) return absl::OkStatus();
  std::FILE* const file = std::fopen(path.c_str(), mode);
  const bool wrote = file != nullptr && std::fputs(lines.c_str(), file) >= 0;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (wrote && closed) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("can't write --looks=", path));
}

std::string LooksText(const std::string& scenario, LevelPlan plan, uint64_t repeat,
                      const HeatResult& result) {
  std::string lines;
  for (const HeatLook& look : result.looks) {
    absl::StrAppendFormat(&lines, "%s,%s,%d,%d,%.4f,%.6f,%.6f\n", scenario,
                          std::string(ToString(plan)), repeat, look.written, look.memory,
                          look.false_reads, look.uniform_false_reads);
  }
  return lines;
}

// Approximate bytes of an SST file per key.
constexpr uint64_t kBytesAKey = 40;

absl::StatusOr<PlanRow> Try(const HeatScenario& scenario, LevelPlan plan, uint64_t seed) {
  absl::StatusOr<rocksdb::BlockBasedTableOptions> table = TableOf(plan);
  if (!table.ok()) return table.status();
  HeatSettings settings;
  settings.keys = absl::GetFlag(FLAGS_keys);
  settings.seed = seed;
  settings.lookups_a_write = absl::GetFlag(FLAGS_lookups);
  settings.bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  settings.looks = kLooks;
  table->block_cache =
      rocksdb::NewLRUCache(static_cast<size_t>(settings.keys * kBytesAKey / 20), 0);
  rocksdb::Options options = SmallFiles();
  options.statistics = rocksdb::CreateDBStatistics();
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(*table));
  if (absl::GetFlag(FLAGS_listener)) options.listeners.push_back(NewListener(table->filter_policy));
  LevelTree tree(options, PathOf(scenario.name), Prefixes());
  if (absl::Status status = tree.Open(); !status.ok()) return status;
  Progress progress("tune_levels");
  const std::string job = JobOf(scenario.name, plan);
  absl::StatusOr<HeatResult> result =
      RunHeat(scenario, settings, *options.statistics, &tree,
              [&](uint64_t done, uint64_t of) { progress.Set(job, done, of); });
  if (!result.ok()) return result.status();
  const absl::Status wrote = WriteLooks(LooksText(scenario.name, plan, seed, *result), "a");
  if (!wrote.ok()) return wrote;
  const TreeCost& cost = result->cost;
  return PlanRow{{cost.MemoryToUniform(), result->most_memory, cost.false_reads,
                  cost.uniform_false_reads, Ratio(cost.false_reads, cost.uniform_false_reads),
                  result->counted_false_reads, result->counted_blocks, result->grown_false_reads,
                  Ratio(result->grown_false_reads, result->grown_uniform_false_reads)},
                 LevelsText(cost)};
}

void Print(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

// bits_per_key of the trees that filter_memory is compared with.
constexpr double kRivals[] = {1.5, 3, 6, 12, 24};

absl::StatusOr<Growth> GrowWith(const LevelScenario& scenario, const PolicyOptions& policy,
                                uint64_t keys, double memory, const std::string& job) {
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status made = NewFilterPolicy(policy, &table.filter_policy);
  if (!made.ok()) return absl::InvalidArgumentError(made.ToString());
  rocksdb::Options options = SmallFiles();
  if (scenario.change_options) scenario.change_options(&options);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (policy.filter_memory > 0) options.listeners.push_back(NewListener(table.filter_policy));
  const double files_a_flush = absl::GetFlag(FLAGS_pace);
  const auto pace = files_a_flush > 0 ? std::make_shared<CompactionPace>(files_a_flush) : nullptr;
  if (pace != nullptr) {
    options.listeners.push_back(pace);
    // No write stalls by files on level 0: only `pace` limits compactions.
    options.level0_slowdown_writes_trigger = 1 << 20;
    options.level0_stop_writes_trigger = 1 << 20;
  }
  LevelTree tree(options, PathOf(scenario.name), scenario.prefix);
  if (absl::Status status = tree.Open(); !status.ok()) return status;
  Progress progress("tune_levels");
  return Grow(scenario, keys, memory, pace.get(), &tree,
              [&](uint64_t done, uint64_t of) { progress.Set(job, done, of); });
}

// Returns the number of keys whose uniform filters at bits_per_key take the memory.
uint64_t KeysOf(uint64_t memory) {
  FilterOptions form;
  form.bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  constexpr uint64_t kKeysOfAFile = 10'000;
  const auto bytes =
      static_cast<double>(core::EstimateBytes(kKeysOfAFile, core::ForBuilding(form)));
  return static_cast<uint64_t>(static_cast<double>(memory) * kKeysOfAFile / bytes);
}

std::string EndText(const Growth& growth) {
  const GrowthLook& last = growth.looks.back();
  return absl::StrFormat("%dk × %.1f at the end", static_cast<uint64_t>(last.keys) / 1000,
                         8 * Ratio(last.filter_bytes, last.keys));
}

PlanRow LaggingRow(const Growth& growth) {
  return {{growth.most, growth.most_with_small_level_0, growth.looks_with_small_level_0,
           static_cast<double>(growth.without_filters),
           static_cast<double>(growth.all_without_filters), growth.mean},
          EndText(growth)};
}

absl::StatusOr<PlanRow> TryMemory(const LevelScenario& scenario, LevelPlan plan, uint64_t memory) {
  const uint64_t keys = KeysOf(memory);
  const auto bytes = static_cast<double>(memory);
  const std::string job = JobOf(scenario.name, plan);
  PolicyOptions policy = PolicyOf(plan);
  policy.filter_memory = memory;
  absl::StatusOr<Growth> growth = GrowWith(scenario, policy, keys, bytes, job);
  if (!growth.ok()) return growth.status();
  std::vector<std::vector<GrowthLook>> rivals;
  if (absl::GetFlag(FLAGS_pace) > 0) return LaggingRow(*growth);
  for (const double bits_per_key : kRivals) {
    PolicyOptions rival = PolicyOf(plan);
    rival.bits_per_key = bits_per_key;
    absl::StatusOr<Growth> grown =
        GrowWith(scenario, rival, keys, bytes, absl::StrCat(job, " and ", bits_per_key, " bits"));
    if (!grown.ok()) return grown.status();
    rivals.push_back(std::move(grown->looks));
  }
  const GrowthComparison reads = Compare(growth->looks, rivals);
  return PlanRow{{growth->most, growth->mean, growth->least, reads.false_reads, reads.rivals,
                  Ratio(reads.false_reads, reads.rivals)},
                 EndText(*growth)};
}

bool IsWanted(const std::string& scenario) {
  const std::vector<std::string> wanted = absl::GetFlag(FLAGS_scenarios);
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), scenario) != wanted.end();
}

absl::StatusOr<std::vector<LevelPlan>> Plans() {
  std::vector<LevelPlan> plans;
  for (const std::string& name : absl::GetFlag(FLAGS_plans)) {
    absl::StatusOr<LevelPlan> plan = PlanOf(name);
    if (!plan.ok()) return plan.status();
    plans.push_back(*plan);
  }
  return plans;
}

// Calls try_all, which prints a row per plan, --repeats times, and then prints the means if
// --repeats is above 1.
template <typename TryAll>
absl::Status PrintRepeats(const std::string& scenario, const std::vector<PlanColumn>& columns,
                          TryAll try_all) {
  const std::vector<std::string> names = absl::GetFlag(FLAGS_plans);
  const uint64_t repeats = absl::GetFlag(FLAGS_repeats);
  std::vector<std::vector<PlanRow>> all(names.size());
  for (uint64_t repeat = 1; repeat <= repeats; ++repeat) {
    absl::StatusOr<std::vector<PlanRow>> rows = try_all(repeat);
    if (!rows.ok()) return rows.status();
    for (size_t i = 0; i < names.size(); ++i) all[i].push_back(std::move((*rows)[i]));
  }
  for (size_t i = 0; repeats > 1 && i < names.size(); ++i) {
    Print(PlanTableMean(scenario, names[i], columns, all[i]));
  }
  return absl::OkStatus();
}

// Prints the rows of the plans one after the other.
template <typename TryOne>
absl::Status PrintRowsOf(const std::string& scenario, const std::vector<PlanColumn>& columns,
                         TryOne try_one) {
  const absl::StatusOr<std::vector<LevelPlan>> plans = Plans();
  if (!plans.ok()) return plans.status();
  return PrintRepeats(
      scenario, columns, [&](uint64_t repeat) -> absl::StatusOr<std::vector<PlanRow>> {
        std::vector<PlanRow> rows;
        for (const LevelPlan plan : *plans) {
          absl::StatusOr<PlanRow> tried = try_one(plan, repeat);
          if (!tried.ok()) return tried.status();
          Print(PlanTableRow(scenario, std::string(ToString(plan)), columns, *tried));
          rows.push_back(*std::move(tried));
        }
        return rows;
      });
}

absl::Status PrintPairedTable() {
  const std::vector<PlanColumn> columns = {
      {"memory to uniform", 3}, {"mean", 3},       {"at any time", 3}, {"to the first", 3},
      {"by range", 3},          {"to uniform", 3}, {"to exp(H)/R", 3}};
  const absl::StatusOr<std::vector<LevelPlan>> plans = Plans();
  if (!plans.ok()) return plans.status();
  std::printf("%s", kPairedIntroduction);
  Print(PlanTableHead("shape", columns));
  for (const LevelScenario& scenario : LevelScenarios()) {
    if (!IsWanted(scenario.name)) continue;
    const absl::Status status = PrintRepeats(scenario.name, columns, [&](uint64_t) {
      absl::StatusOr<std::vector<PlanRow>> rows = TryPaired(scenario, *plans);
      for (size_t i = 0; rows.ok() && i < plans->size(); ++i) {
        Print(PlanTableRow(scenario.name, std::string(ToString((*plans)[i])), columns, (*rows)[i]));
      }
      return rows;
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename Scenario, typename TryOne>
absl::Status PrintTable(const char* introduction, const char* first,
                        const std::vector<Scenario>& all, const std::vector<PlanColumn>& columns,
                        TryOne try_one) {
  std::vector<Scenario> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted),
               [](const Scenario& scenario) { return IsWanted(scenario.name); });
  if (wanted.empty()) return absl::OkStatus();
  std::printf("%s", introduction);
  Print(PlanTableHead(first, columns));
  for (const Scenario& scenario : wanted) {
    const absl::Status status = PrintRowsOf(
        scenario.name, columns,
        [&](LevelPlan plan, uint64_t repeat) { return try_one(scenario, plan, repeat); });
    if (!status.ok()) return status;
  }
  std::printf("\n| %s | |\n|---|---|\n", first);
  for (const Scenario& scenario : wanted) {
    std::printf("| %s | %s |\n", scenario.name.c_str(), scenario.meaning.c_str());
  }
  return absl::OkStatus();
}

// Returns the memory budget for filters of growing trees; 0 if not requested.
absl::StatusOr<uint64_t> FilterMemory() {
  PolicyOptions options;
  const std::string text = absl::GetFlag(FLAGS_filter_memory);
  if (text.empty()) return 0;
  const rocksdb::Status parsed = plugin::ParsePolicyOption("filter_memory", text, &options);
  if (!parsed.ok()) return absl::InvalidArgumentError(parsed.getState());
  return options.filter_memory;
}

absl::Status PrintMemoryTable(uint64_t memory) {
  const std::vector<PlanColumn> columns = {{"memory, most", 3}, {"mean", 3},
                                           {"least", 3},        {"false reads a lookup", 5},
                                           {"bits_per_key", 5}, {"ratio", 3}};
  const std::vector<PlanColumn> lagging = {{"memory, most", 3},
                                           {"level 0 small: most", 3},
                                           {"looks", 0},
                                           {"files of it without filters", 0},
                                           {"of all levels, at any time", 0},
                                           {"mean", 3}};
  const bool is_paced = absl::GetFlag(FLAGS_pace) > 0;
  std::printf("%s", is_paced ? kLaggingIntroduction : kMemoryIntroduction);
  const std::vector<PlanColumn>& all = is_paced ? lagging : columns;
  Print(PlanTableHead("shape", all));
  for (const LevelScenario& scenario : LevelScenarios()) {
    if (!IsWanted(scenario.name)) continue;
    const absl::Status status = PrintRowsOf(scenario.name, all, [&](LevelPlan plan, uint64_t) {
      return TryMemory(scenario, plan, memory);
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

template <typename Number>
absl::Status CheckRange(const char* flag, Number value, Number least, Number most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, " is ", value, ", not ", least, " to ", most));
}

absl::Status CheckFlags() {
  if (absl::GetFlag(FLAGS_folder).empty()) return absl::InvalidArgumentError("--folder is missing");
  if (absl::Status status = Plans().status(); !status.ok()) return status;
  if (absl::GetFlag(FLAGS_plans).empty()) return absl::InvalidArgumentError("--plans is empty");
  if (absl::GetFlag(FLAGS_paired) && absl::GetFlag(FLAGS_partitioned)) {
    return absl::InvalidArgumentError("--paired is for filters without partitions");
  }
  std::vector<std::string> scenarios;
  for (const LevelScenario& scenario : LevelScenarios()) scenarios.push_back(scenario.name);
  for (const HeatScenario& scenario : AllHeatScenarios()) scenarios.push_back(scenario.name);
  for (const std::string& name : absl::GetFlag(FLAGS_scenarios)) {
    if (std::find(scenarios.begin(), scenarios.end(), name) == scenarios.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no scenario '", name, "', but ", absl::StrJoin(scenarios, ", ")));
    }
  }
  const uint64_t tenants = absl::GetFlag(FLAGS_tenants);
  const uint64_t prefix = absl::GetFlag(FLAGS_prefix_bytes);
  absl::Status status = CheckRange<double>("lookups", absl::GetFlag(FLAGS_lookups), 0, 1000);
  if (status.ok()) status = FilterMemory().status();
  if (status.ok()) status = CheckRange<uint64_t>("tenants", tenants, 1, 1000);
  if (!status.ok()) return status;
  if ((tenants > 1 && prefix < 3) || prefix > 10'000) {
    return absl::InvalidArgumentError(
        absl::StrCat("--prefix_bytes is ", prefix, ", not 3 to 10000, or 0 for one tenant"));
  }
  if (absl::GetFlag(FLAGS_repeats) < 1) return absl::InvalidArgumentError("--repeats is 0");
  // The maximum divisor gives RocksDB's minimum write buffer.
  return CheckRange<uint64_t>("divide_sizes", absl::GetFlag(FLAGS_divide_sizes), 1, 1024);
}

absl::Status Run() {
  if (absl::Status status = CheckFlags(); !status.ok()) return status;
  if (const uint64_t memory = *FilterMemory(); memory > 0) return PrintMemoryTable(memory);
  if (absl::GetFlag(FLAGS_paired)) return PrintPairedTable();
  absl::Status status = WriteLooks(
      "lookups,plan,repeat,written,memory_to_uniform,false_reads,uniform_false_reads\n", "w");
  if (!status.ok()) return status;
  const std::vector<PlanColumn> columns = {{"memory to uniform", 3},
                                           {"at any time", 3},
                                           {"false reads a lookup", 5},
                                           {"uniform, same memory", 5},
                                           {"ratio", 3}};
  status = PrintTable(
      kIntroduction, "shape", LevelScenarios(), columns,
      [](const LevelScenario& scenario, LevelPlan plan, uint64_t) { return Try(scenario, plan); });
  if (!status.ok()) return status;
  std::vector<PlanColumn> heat_columns = columns;
  heat_columns.insert(heat_columns.end(),
                      {{"counted", 5}, {"blocks", 4}, {"growing", 5}, {"growing, ratio", 3}});
  return PrintTable(kHeatIntroduction, "lookups", AllHeatScenarios(), heat_columns,
                    [](const HeatScenario& scenario, LevelPlan plan, uint64_t repeat) {
                      return Try(scenario, plan, repeat);
                    });
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "compares plans of rates by level within one tree that RocksDB grows, alone and under "
      "lookups; level-plans.md has results.");
  if (const auto rest = absl::ParseCommandLine(argc, argv); rest.size() > 1) {
    std::fprintf(stderr, "tune_levels: takes flags alone, found '%s'\n", rest[1]);
    return 2;
  }
  const absl::Status status = winnow::bench::Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "tune_levels: %s\n", std::string(status.message()).c_str());
  return 1;
}
