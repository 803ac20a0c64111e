// Prints what level plans cost and save on trees that RocksDB's own compaction grows, against
// uniform filters of the same memory, in Markdown: what the constants of src/core/level_plan.cc and
// src/rocksdb/context.cc were chosen from, and whether "auto" holds what it has to.
//
//   tune_levels --folder=DIR [--keys=4000000] [--plans=by_level,auto] [--scenarios=random,moved_30]

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/level_scenarios.h"
#include "db_bench_ext/tuning/tree_cost.h"
#include "winnow/rocksdb_policy.h"

ABSL_FLAG(std::string, folder, "", "where the databases are made, and removed again");
ABSL_FLAG(uint64_t, keys, 4'000'000, "keys of a tree");
ABSL_FLAG(std::vector<std::string>, plans, (std::vector<std::string>{"by_level", "auto"}),
          "plans to try, with commas");
ABSL_FLAG(std::vector<std::string>, scenarios, {}, "scenarios to try, with commas; none: all");
ABSL_FLAG(double, bits_per_key, 10, "of the policies");
ABSL_FLAG(double, level_size_ratio, 0, "of the policies; 0: auto");
ABSL_FLAG(double, absent_share, 1, "of the policies");

namespace winnow::bench {
namespace {

constexpr char kIntroduction[] =
    "# What level plans cost and save\n\n"
    "Printed by `build/release/bin/tune_levels --folder=DIR > docs/results/level-plans.md`. Trees "
    "of "
    "RocksDB's own "
    "compaction, with\n"
    "its default sizes divided by 64: flushes and files of 1 MiB (some 26,000 keys), 4 MiB on the "
    "base level. "
    "Threads decide when\n"
    "compactions come, so that two runs grow two trees, and a row is one of many that might have "
    "been.\n\n"
    "*Memory to uniform* is that of the filters to that of `winnow:10` in the same files, *at any "
    "time* the most that it was while the tree grew. *False reads* are "
    "the sum of the\n"
    "rates that the filters of all files state in whose range a key lies, on an average over "
    "absent keys "
    "between the least and the\n"
    "greatest; *uniform, same memory* is what filters of one rate would have in the same files, at "
    "the "
    "bits_per_key that take what\n"
    "the plan's took. By level: keys, bits a key, and in brackets the files in whose range an "
    "absent key "
    "lies: RocksDB's small\n"
    "levels have gaps where files were merged down, and where they cover little, there is little "
    "to "
    "save.\n\n";

absl::StatusOr<LevelPlan> PlanOf(const std::string& name) {
  for (const LevelPlan plan : {LevelPlan::kUniform, LevelPlan::kByLevel, LevelPlan::kAuto}) {
    if (ToString(plan) == name) return plan;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no plan '", name, "', but uniform, by_level and auto"));
}

// RocksDB's defaults, divided by 64.
rocksdb::Options SmallFiles() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.level_compaction_dynamic_level_bytes = true;
  options.write_buffer_size = 1 << 20;
  options.target_file_size_base = 1 << 20;
  options.max_bytes_for_level_base = 4 << 20;
  options.max_background_jobs = 2;
  return options;
}

// Times that a tree is looked at while it grows.
constexpr uint64_t kLooks = 40;

struct Tried {
  TreeCost cost;
  double most_memory;  // to uniform, at any time
};

absl::StatusOr<Tried> Try(const LevelScenario& scenario, LevelPlan plan) {
  PolicyOptions policy;
  policy.bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  policy.level_plan = plan;
  policy.level_size_ratio = absl::GetFlag(FLAGS_level_size_ratio);
  policy.absent_share = plan == LevelPlan::kUniform ? 1 : absl::GetFlag(FLAGS_absent_share);
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status made = NewFilterPolicy(policy, &table.filter_policy);
  if (!made.ok()) return absl::InvalidArgumentError(made.ToString());
  rocksdb::Options options = SmallFiles();
  if (scenario.change_options) scenario.change_options(&options);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  LevelTree tree(options, absl::StrCat(absl::GetFlag(FLAGS_folder), "/", scenario.name),
                 scenario.prefix);
  MostMemory most(policy.bits_per_key);
  tree.Watch(std::max<uint64_t>(1, absl::GetFlag(FLAGS_keys) / kLooks),
             [&] { return most.Look(tree); });
  absl::Status status = tree.Open();
  if (status.ok()) status = scenario.grow(&tree, absl::GetFlag(FLAGS_keys));
  if (status.ok()) status = most.Look(tree);
  if (!status.ok()) return status;
  absl::StatusOr<TreeCost> cost = MeasureTree(tree, policy.bits_per_key);
  if (!cost.ok()) return cost.status();
  return Tried{*std::move(cost), most.share()};
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

void PrintRow(const LevelScenario& scenario, const std::string& plan, const Tried& tried) {
  const TreeCost& cost = tried.cost;
  std::printf("%s\n",
              absl::StrFormat(
                  "| %s | %s | %.3f | %.3f | %.5f | %.5f | %.3f | %s |", scenario.name, plan,
                  static_cast<double>(cost.filter_bytes) / static_cast<double>(cost.uniform_bytes),
                  tried.most_memory, cost.false_reads, cost.uniform_false_reads,
                  cost.false_reads / cost.uniform_false_reads, LevelsText(cost))
                  .c_str());
  std::fflush(stdout);
}

absl::Status Run() {
  if (absl::GetFlag(FLAGS_folder).empty()) return absl::InvalidArgumentError("--folder is missing");
  std::printf("%s", kIntroduction);
  std::printf(
      "| shape | plan | memory to uniform | at any time | false reads a lookup | uniform, same "
      "memory | ratio | keys and bits a key by level |\n|---|---|---:|---:|---:|---:|---:|---|\n");
  const std::vector<std::string> wanted = absl::GetFlag(FLAGS_scenarios);
  for (const LevelScenario& scenario : LevelScenarios()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), scenario.name) == wanted.end()) {
      continue;
    }
    for (const std::string& name : absl::GetFlag(FLAGS_plans)) {
      absl::StatusOr<LevelPlan> plan = PlanOf(name);
      if (!plan.ok()) return plan.status();
      absl::StatusOr<Tried> tried = Try(scenario, *plan);
      if (!tried.ok()) return tried.status();
      PrintRow(scenario, name, *tried);
    }
  }
  std::printf("\n| shape | |\n|---|---|\n");
  for (const LevelScenario& scenario : LevelScenarios()) {
    std::printf("| %s | %s |\n", scenario.name.c_str(), scenario.meaning.c_str());
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "compares plans of rates by level within one tree that RocksDB grows; level-plans.md has "
      "results.");
  if (const auto rest = absl::ParseCommandLine(argc, argv); rest.size() > 1) {
    std::fprintf(stderr, "tune_levels: takes flags alone, found '%s'\n", rest[1]);
    return 2;
  }
  const absl::Status status = winnow::bench::Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "tune_levels: %s\n", std::string(status.message()).c_str());
  return 1;
}
