// distributed_stress: a database with remote compactions in other processes. Every answer is
// compared with a model and every filter with a rebuilt one. --help lists flags and exit statuses.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "tests/distributed/fleet.h"
#include "tests/distributed/worker.h"
#include "tests/stress/blame/ask_again.h"
#include "tests/stress/model.h"
#include "tests/support/flag_help.h"
#include "winnow/rocksdb_policy.h"

ABSL_FLAG(uint64_t, keys, 20000, "keys of all threads and families together");
ABSL_FLAG(uint64_t, operations, 10000,
          "of all threads together between two openings of a database");
ABSL_FLAG(uint64_t, sessions, 2, "openings to write; with kills, as many as it takes");
ABSL_FLAG(uint32_t, threads, 2, "of the primary, each with keys of its own");
ABSL_FLAG(uint32_t, workers, 4, "processes that compact");
ABSL_FLAG(std::string, policy, "winnow:10", "the database's filter policy");
ABSL_FLAG(
    std::string, worker_policy, "job",
    "what workers build filters by: job (winnow::PrepareOpenAndCompact), none (a table factory "
    "without a policy), null (no table factory), bloom (RocksDB's policy)");
ABSL_FLAG(uint64_t, worker_kills, 0, "kills of workers to make");
ABSL_FLAG(uint64_t, primary_kills, 0, "kills of the primary to make");
ABSL_FLAG(uint32_t, primary_life, 4000, "milliseconds until a kill of the primary, at most");
ABSL_FLAG(uint32_t, patience, 10000, "milliseconds that a job waits for a worker to take it");
ABSL_FLAG(uint64_t, seed, 1,
          "seed of all that is chosen at random, but for the order of processes");
ABSL_FLAG(std::string, folder, "", "where all is kept, in a folder fleet, which is emptied first");
ABSL_FLAG(uint64_t, least_remote, 5, "fewer files from workers are a failure");
ABSL_FLAG(bool, progress, false, "tells every ten seconds how far it is");
ABSL_FLAG(
    std::string, plant, "",
    "a fault that must be found: lost_keys (workers lose one key in 1000), failing_jobs (workers "
    "fail one job in two), lost_text (workers don't use what came of the tree), other_filter (each "
    "filter is compared with one of another key)");

namespace winnow::distributed {
namespace {

constexpr int kTooLittle = 8;
constexpr int kWrongFilters = 9;

constexpr char kUsage[] =
    "A primary writes to a RocksDB database whose compactions go to worker processes by a folder "
    "of\n"
    "jobs. Every answer is compared with a model, and the filter of every file that a worker "
    "wrote\n"
    "with one built anew from the file's keys. Statuses:\n\n"
    "  0  every answer was the model's, and every filter as the worker's policy makes it\n"
    "  1, 3, 4, 5, 6  an answer was not: as winnow_stress has them\n"
    "  2  wrong usage, or the folder can't be used\n"
    "  7  a process ended abnormally\n"
    "  8  too little was tested: fewer files from workers, or kills, than asked for\n"
    "  9  a file has another filter, or has none and nothing is said; or jobs failed, or plans "
    "knew\n"
    "     nothing of the tree, in workers with the policy of the job\n\n"
    "Flags, with what they are if they are not given:\n\n";

int Usage(const std::string& what) {
  std::fprintf(stderr, "distributed_stress: %s; see --help\n", what.c_str());
  return 2;
}

void Print(const char* what, uint64_t number) {
  std::printf("  %-54s %12llu\n", what, static_cast<unsigned long long>(number));
}

void PrintSummary(const FleetPlan& plan, const FleetResult& result) {
  const auto count = [&result](Event event) { return result.events.at(event); };
  std::printf("%u workers with --worker_policy=%s, policy %s, %.0f seconds:\n", plan.workers,
              plan.worker_policy.c_str(), plan.primary.policy.c_str(), result.seconds);
  Print("operations", result.operations);
  Print("answers compared", result.answers);
  Print("openings of the database", count(Event::kOpened));
  Print("kills of workers", result.worker_kills);
  Print("kills of the primary", result.primary_kills);
  for (const auto& [how, number] : result.worker_ends)
    Print(("workers that " + how).c_str(), number);
  Print("compactions by workers", count(Event::kDone));
  Print("left to the primary, as no worker took them", count(Event::kNotTaken));
  Print("left to the primary, as their worker died", count(Event::kDied));
  Print("left to the primary, as their worker gave an error", count(Event::kFailed));
  Print("files by workers, with the filter that their keys give", count(Event::kEqual));
  Print("files by workers, with another filter of Winnow's", count(Event::kDifferent));
  Print("files by workers, with a filter of RocksDB's", count(Event::kForeign));
  Print("files by workers, without a filter", count(Event::kNone));
  Print("files at the end, with the filter that their keys give", count(Event::kRight));
  Print("files at the end, with another or none, named in a LOG", count(Event::kNamed));
  Print("files at the end, with another or none, not named", count(Event::kUnnamed));
  Print("lines about such files in LOGs", count(Event::kSaid));
  Print("compactions by workers whose plan knew nothing", count(Event::kUntold));
}

uint64_t FilesOf(const FleetResult& result) {
  uint64_t files = 0;
  for (const Event event : {Event::kEqual, Event::kDifferent, Event::kForeign, Event::kNone}) {
    files += result.events.at(event);
  }
  return files;
}

// Returns an error message if the workers' files or exits do not match their policy, else an empty
// string.
std::string Objection(const FleetPlan& plan, WorkerPolicy policy, const FleetResult& result) {
  const auto has = [&result](Event event) { return result.events.at(event) > 0; };
  if (has(Event::kDifferent)) return "a file has another filter than its keys give";
  switch (policy) {
    case WorkerPolicy::kJob:
      if (has(Event::kForeign) || has(Event::kNone)) return "a worker left out Winnow's filter";
      if (has(Event::kNamed) || has(Event::kUnnamed)) return "a file lacks its filter at the end";
      if (!result.worker_ends.empty()) return "a worker ended by itself";
      if (has(Event::kUntold)) return "a worker's plan knew nothing of the tree";
      // A killed primary may remove the database that a worker opens.
      if (has(Event::kFailed) && plan.primary_kills == 0) return "a worker's job failed";
      break;
    case WorkerPolicy::kNull:
      if (FilesOf(result) > 0) return "a worker without a table factory wrote a file";
      if (result.worker_ends.empty()) return "no worker without a table factory ended";
      if (has(Event::kNamed) || has(Event::kUnnamed)) return "a file lacks its filter at the end";
      break;
    case WorkerPolicy::kNone:
    case WorkerPolicy::kBloom:
      if (has(Event::kEqual)) return "a worker without Winnow's policy built its filter";
      if (!has(Event::kSaid)) return "nothing is said of files without Winnow's filter";
      break;
  }
  return "";
}

int StatusOf(const FleetPlan& plan, WorkerPolicy policy, const FleetResult& result) {
  if (result.status != 0) return result.status;
  if (const std::string objection = Objection(plan, policy, result); !objection.empty()) {
    std::printf("%s: see %s\n", objection.c_str(), EventsIn(plan.primary.folder).c_str());
    return kWrongFilters;
  }
  const uint64_t least = policy == WorkerPolicy::kNull ? 0 : absl::GetFlag(FLAGS_least_remote);
  if (FilesOf(result) < least || result.worker_kills < plan.worker_kills ||
      result.primary_kills < plan.primary_kills) {
    std::printf("too little was tested: %llu files by workers, and has to be %llu\n",
                static_cast<unsigned long long>(FilesOf(result)),
                static_cast<unsigned long long>(least));
    return kTooLittle;
  }
  std::printf("Every answer was the model's.\n");
  return 0;
}

FleetPlan PlanOfFlags() {
  FleetPlan plan;
  plan.primary.program = std::filesystem::read_symlink("/proc/self/exe").string();
  plan.primary.folder = std::filesystem::absolute(absl::GetFlag(FLAGS_folder)).string() + "/fleet";
  plan.primary.policy = absl::GetFlag(FLAGS_policy);
  plan.primary.seed = absl::GetFlag(FLAGS_seed);
  plan.primary.threads = absl::GetFlag(FLAGS_threads);
  plan.primary.keys = absl::GetFlag(FLAGS_keys) / plan.primary.threads / stress::kFamilies;
  plan.primary.operations = absl::GetFlag(FLAGS_operations) / plan.primary.threads;
  plan.primary.sessions = absl::GetFlag(FLAGS_sessions);
  plan.primary.patience = absl::GetFlag(FLAGS_patience);
  plan.primary.with_another_key = absl::GetFlag(FLAGS_plant) == "other_filter";
  plan.workers = absl::GetFlag(FLAGS_workers);
  plan.worker_policy = absl::GetFlag(FLAGS_worker_policy);
  plan.worker_plant = absl::GetFlag(FLAGS_plant);
  plan.worker_kills = absl::GetFlag(FLAGS_worker_kills);
  plan.primary_kills = absl::GetFlag(FLAGS_primary_kills);
  plan.primary_life = absl::GetFlag(FLAGS_primary_life);
  plan.progress = absl::GetFlag(FLAGS_progress);
  return plan;
}

int Main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (winnow_rocksdb_register() != 0) return 2;
  if (argc > 1 && words[1] == "--primary-of") return RunPrimaryOf(argc, argv);
  if (argc > 1 && words[1] == "--worker-of") return RunWorkerOf(argc, argv);
  if (argc > 1 && words[1] == "--ask") return stress::AskInThisProcess(argc, argv);
  if (std::any_of(words.begin(), words.end(), cli::AsksForHelp)) {
    std::printf("%s%s", kUsage,
                testing::FlagHelp("tests/distributed/distributed_stress.cc").c_str());
    return 0;
  }
  absl::SetProgramUsageMessage("see --help");
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) return Usage("'" + std::string(rest[1]) + "' is no flag");
  if (absl::GetFlag(FLAGS_folder).empty()) return Usage("--folder is missing");
  const auto policy = WorkerPolicyNamed(absl::GetFlag(FLAGS_worker_policy));
  if (!policy) return Usage("--worker_policy has to be job, none, null or bloom");
  const std::string plant = absl::GetFlag(FLAGS_plant);
  if (!plant.empty() && plant != "other_filter" && WorkerPlantNamed(plant) == WorkerPlant::kNone) {
    return Usage("--plant names no fault");
  }
  const uint32_t threads = absl::GetFlag(FLAGS_threads);
  if (threads < 1 || threads > 24) return Usage("--threads has to be 1 to 24");
  if (absl::GetFlag(FLAGS_primary_life) == 0) return Usage("--primary_life has to be 1 or more");
  const FleetPlan plan = PlanOfFlags();
  if (plan.primary.keys < 20 || plan.primary.keys > 900'000) {
    return Usage("--keys has to be 60 to 2700000 for each of --threads");
  }
  if (plan.workers == 0 && plan.worker_kills > 0) return Usage("--worker_kills needs --workers");
  std::filesystem::remove_all(plan.primary.folder);
  const FleetResult result = RunFleet(plan);
  PrintSummary(plan, result);
  return StatusOf(plan, *policy, result);
}

}  // namespace
}  // namespace winnow::distributed

int main(int argc, char** argv) {
  try {
    return winnow::distributed::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "distributed_stress: %s\n", error.what());
    return 2;
  }
}
