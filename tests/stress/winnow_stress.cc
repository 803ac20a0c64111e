// winnow_stress: random operations on RocksDB databases with Winnow's filters, with every answer
// compared to a model. tools/stress.sh builds and runs it; --help lists flags and exit statuses.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "src/simd/kernels.h"
#include "tests/stress/blame/ask_again.h"
#include "tests/stress/counts.h"
#include "tests/stress/summary.h"
#include "tests/stress/supervisor.h"
#include "tests/support/flag_help.h"
#include "tests/support/usable_kernels.h"
#include "winnow/rocksdb_policy.h"

ABSL_FLAG(double, seconds, 60, "how long to begin new processes, each of which may take --life");
ABSL_FLAG(uint64_t, lives, 0, "how many processes to run instead; 0: by --seconds");
ABSL_FLAG(uint64_t, seed, 1, "seed of all that is chosen at random, but for the order of threads");
ABSL_FLAG(uint32_t, processes, 1, "processes at a time, each with a database of its own");
ABSL_FLAG(uint32_t, threads, 3, "threads in each that write and read; one more only reads");
ABSL_FLAG(uint64_t, keys, 2000, "keys of each thread in each of three column families");
ABSL_FLAG(uint64_t, operations, 4000,
          "of each thread between two openings of a database, on an average");
ABSL_FLAG(double, life, 10, "seconds that a process goes on, if it is not killed before");
ABSL_FLAG(uint64_t, sessions, 0, "openings of the database by each process; 0: by --life");
ABSL_FLAG(
    bool, plans, false,
    "families share a policy of Winnow's, kept while databases are opened again, and SetOptions "
    "changes its level plan and bits all the time");
ABSL_FLAG(bool, kill, true, "ends three of four processes by SIGKILL, at random times");
ABSL_FLAG(std::string, kernels, "",
          "values of WINNOW_KERNEL for the processes in turn, with commas, or all that the machine "
          "has; none: not set");
ABSL_FLAG(std::string, folder, "",
          "where databases are made, in folders process0 and on, which are emptied first");
ABSL_FLAG(std::string, json, "", "file to which the summary is added, as one line of JSON");
ABSL_FLAG(bool, progress, false, "tells every ten seconds how far it is");
ABSL_FLAG(double, least_lookups, 200,
          "fewer lookups in Winnow filters for each second that it ran are a failure");
ABSL_FLAG(double, least_ranges, 0.1,
          "the same of seeks in whose range a filter says there is no key");
ABSL_FLAG(double, least_shared, 10, "the same of lookups that shared the hash of another one");
ABSL_FLAG(double, least_reopenings, 0.02, "the same of openings of databases");
ABSL_FLAG(double, least_learned, 0, "the same of filters whose rates follow from lookups");
ABSL_FLAG(
    std::string, plant, "",
    "a fault that must be found: denied_keys (filters lack one key in 100,000), denied_in_one "
    "(the third filter of some file lacks one key), denied_range (range filters lack one key in "
    "50), denied_by_builtin (built-in filters lack one key in 100,000), stale_hash (one answer is "
    "by another key's hash), lost_write (20 writes are not made), misheard (one answer is taken "
    "for "
    "another), signal (a process is ended by one)");

namespace winnow::stress {
namespace {

constexpr int kTooLittle = 8;

constexpr char kUsage[] =
    "Random operations on RocksDB databases with filters of Winnow's, built-in ones and none, "
    "every\n"
    "answer compared with a model. Each database is opened again and again with other options,\n"
    "and its processes are killed. At the first difference it says whose fault it is, leaves the\n"
    "database, and ends with one of these statuses:\n\n"
    "  0  every answer was the model's\n"
    "  1  a Winnow filter denies a key that its file holds\n"
    "  2  wrong usage, or the folder can't be used\n"
    "  3  a built-in filter denies a key that its file holds\n"
    "  4  RocksDB gives the same wrong answer without filters\n"
    "  5  a filter was asked with another key's hash: only with shared hashes\n"
    "  6  unexplained: ours until shown otherwise\n"
    "  7  a process ended abnormally; its core and its database are left\n"
    "  8  too little was tested: less than the flags --least_... ask for\n\n"
    "Flags, with what they are if they are not given:\n\n";

bool ParseFault(const std::string& text, Fault* fault) {
  if (text.empty()) return true;
  static constexpr struct {
    const char* name;
    Fault fault;
  } kFaults[] = {
      {"denied_keys", Fault::kDeniedKeys},   {"denied_in_one", Fault::kDeniedInOne},
      {"denied_range", Fault::kDeniedRange}, {"denied_by_builtin", Fault::kDeniedByBuiltin},
      {"stale_hash", Fault::kStaleHash},     {"lost_write", Fault::kLostWrite},
      {"misheard", Fault::kMisheard},        {"signal", Fault::kSignal}};
  for (const auto& one : kFaults) {
    if (text == one.name) *fault = one.fault;
  }
  return *fault != Fault::kNone;
}

// Returns the kernels of a comma-separated list; "all" means those that the machine supports.
std::vector<std::string> ParseKernels(const std::string& text) {
  if (text.empty()) return {};
  if (text != "all") return absl::StrSplit(text, ',');
  std::vector<std::string> names;
  for (const simd::Kernels* kernel : testing::UsableKernels()) names.emplace_back(kernel->name);
  return names;
}

StressPlan PlanOfFlags(Fault fault) {
  StressPlan plan;
  plan.life.program = std::filesystem::read_symlink("/proc/self/exe").string();
  plan.life.seed = absl::GetFlag(FLAGS_seed);
  plan.life.threads = absl::GetFlag(FLAGS_threads);
  plan.life.keys = absl::GetFlag(FLAGS_keys);
  plan.life.operations = absl::GetFlag(FLAGS_operations);
  plan.life.sessions = absl::GetFlag(FLAGS_sessions);
  plan.life.seconds = absl::GetFlag(FLAGS_life);
  plan.life.plans = absl::GetFlag(FLAGS_plans);
  plan.life.fault = fault;
  plan.folder = std::filesystem::absolute(absl::GetFlag(FLAGS_folder)).string();
  plan.seconds = absl::GetFlag(FLAGS_seconds);
  plan.lives = absl::GetFlag(FLAGS_lives);
  plan.processes = absl::GetFlag(FLAGS_processes);
  plan.kill = absl::GetFlag(FLAGS_kill);
  plan.progress = absl::GetFlag(FLAGS_progress);
  plan.kernels = ParseKernels(absl::GetFlag(FLAGS_kernels));
  return plan;
}

// A run that tested too little must fail.
bool IsEnough(const StressResult& result) {
  const struct {
    Count count;
    double least;
  } floors[] = {{Count::kLookups, absl::GetFlag(FLAGS_least_lookups)},
                {Count::kRangesDenied, absl::GetFlag(FLAGS_least_ranges)},
                {Count::kHashesShared, absl::GetFlag(FLAGS_least_shared)},
                {Count::kReopenings, absl::GetFlag(FLAGS_least_reopenings)},
                {Count::kLearned, absl::GetFlag(FLAGS_least_learned)}};
  bool is_enough = true;
  for (const auto& [count, least] : floors) {
    const uint64_t sum = result.Total().counts[static_cast<size_t>(count)];
    if (static_cast<double>(sum) >= least * result.seconds) continue;
    is_enough = false;
    std::printf("too little was tested: %s is %llu in %.0f seconds, and has to be %g a second\n",
                Name(count), static_cast<unsigned long long>(sum), result.seconds, least);
  }
  return is_enough;
}

int Usage(const std::string& what) {
  std::fprintf(stderr, "winnow_stress: %s; see --help\n", what.c_str());
  return 2;
}

int Main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (winnow_rocksdb_register() != 0) return 2;
  if (argc > 1 && words[1] == "--live-in") return RunLifeOf(argc, argv);
  if (argc > 1 && words[1] == "--ask") return AskInThisProcess(argc, argv);
  if (std::any_of(words.begin(), words.end(), cli::AsksForHelp)) {
    std::printf("%s%s", kUsage, testing::FlagHelp("tests/stress/winnow_stress.cc").c_str());
    return 0;
  }
  absl::SetProgramUsageMessage("see --help");
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) return Usage("'" + std::string(rest[1]) + "' is no flag");
  Fault fault = Fault::kNone;
  if (!ParseFault(absl::GetFlag(FLAGS_plant), &fault)) return Usage("--plant names no fault");
  if (absl::GetFlag(FLAGS_folder).empty()) return Usage("--folder is missing");
  for (const std::string& kernel : ParseKernels(absl::GetFlag(FLAGS_kernels))) {
    const char* reason = nullptr;
    if (simd::FindKernels(kernel.c_str(), &reason) == nullptr) {
      return Usage("--kernels: " + kernel + " can't be used: " + reason);
    }
  }
  const uint32_t threads = absl::GetFlag(FLAGS_threads);
  if (threads < 1 || threads > 24) return Usage("--threads has to be 1 to 24");
  const uint64_t keys = absl::GetFlag(FLAGS_keys);
  if (keys < 20 || keys > 900'000) return Usage("--keys has to be 20 to 900000");

  const StressResult result = RunStress(PlanOfFlags(fault));
  std::printf("%s", Table(result).c_str());
  int status = result.status;
  if (status == 0 && !IsEnough(result)) status = kTooLittle;
  if (status == 0) std::printf("Every answer was the model's.\n");
  if (const std::string path = absl::GetFlag(FLAGS_json); !path.empty()) {
    StressResult with_status = result;
    with_status.status = status;
    std::ofstream out(path, std::ios::app);
    out << JsonLine(with_status, absl::StrJoin(words, " "), absl::GetFlag(FLAGS_seed)) << "\n";
    out.close();
    if (out.fail()) return Usage("--json: " + path + " could not be written");
  }
  return status;
}

}  // namespace
}  // namespace winnow::stress

int main(int argc, char** argv) {
  try {
    return winnow::stress::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "winnow_stress: %s\n", error.what());
    return 2;
  }
}
