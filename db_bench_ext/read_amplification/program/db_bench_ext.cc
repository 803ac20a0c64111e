// db_bench_ext: compares what lookups read from a tree with different filter policies.

#include <absl/flags/flag.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "db_bench_ext/read_amplification/keys/read_only_database.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/lookups/existing_database.h"
#include "db_bench_ext/read_amplification/lookups/lookups.h"
#include "db_bench_ext/read_amplification/lookups/record_lookups.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/program/command_line.h"
#include "db_bench_ext/read_amplification/program/flag_rules.h"
#include "db_bench_ext/read_amplification/program/run.h"
#include "db_bench_ext/read_amplification/program/run_forecast.h"
#include "db_bench_ext/read_amplification/program/run_keys.h"
#include "db_bench_ext/read_amplification/program/tree_flags.h"
#include "db_bench_ext/read_amplification/program/workload_flags.h"
#include "db_bench_ext/read_amplification/report/report.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"
#include "db_bench_ext/read_amplification/system/free_room.h"
#include "db_bench_ext/read_amplification/system/whole_file.h"
#include "db_bench_ext/read_amplification/system/work_folder.h"
#include "db_bench_ext/read_amplification/trees/policies.h"
#include "db_bench_ext/read_amplification/trees/tree.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"
#include "src/cli/flags.h"
#include "src/cli/help.h"
#include "src/cli/interruption.h"
#include "src/cli/progress.h"
#include "src/text/machine.h"
#include "winnow/rocksdb_policy.h"
#include "winnow/version.h"

WINNOW_PROGRAM_FLAG(
    compared, std::string, policies, "none,bloomfilter:10,ribbonfilter:10,winnow:10",
    TextValue("POLICIES"),
    "filter policies to compare, with commas between them, each as in an options string of "
    "RocksDB: '{id=winnow;bits_per_key=10}'. 'none' is no policy. Commas in braces belong to "
    "a policy");
WINNOW_PROGRAM_FLAG(
    compared, std::string, db, "", TextValue("FOLDER"),
    "folder in which the databases are made; its other files stay. Empty: a temporary folder");
WINNOW_PROGRAM_FLAG(
    compared, bool, use_existing_db, false, FlagValue(),
    "measure the database in --db as it is, with lookups of its own keys and of near misses. "
    "It is opened read-only, and nothing in it changes");
WINNOW_PROGRAM_FLAG(compared, bool, keep, false, FlagValue(),
                    "do not remove the databases at the end");

WINNOW_PROGRAM_FLAG(reports, std::string, json, "", TextValue("FILE"),
                    "file to write the results to as JSON, schema winnow.readamp/2");
WINNOW_PROGRAM_FLAG(
    reports, std::string, html, "", TextValue("FILE"),
    "file to write the results to as an HTML page with charts, which needs no network");
WINNOW_PROGRAM_FLAG(
    reports, std::string, summary, "", TextValue("FILE"),
    "file to write a short table of the results to, with explanations for new readers");

namespace winnow::bench {
namespace {

using cli::StopAsked;

// Output files; empty: none.
struct ReportOptions {
  std::string json;
  std::string summary;
  std::string html;
};

absl::StatusOr<std::vector<Policy>> PoliciesOfFlags() {
  absl::StatusOr<std::vector<std::string>> asked = SplitPolicies(absl::GetFlag(FLAGS_policies));
  if (!asked.ok()) return asked.status();
  std::vector<Policy> policies;
  for (const std::string& text : *asked) {
    absl::StatusOr<Policy> policy = MakePolicy(text);
    if (!policy.ok()) return policy.status();
    policies.push_back(*std::move(policy));
  }
  return policies;
}

absl::Status Print(const std::string& text) {
  errno = 0;
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("can't write to standard output: ", std::strerror(errno)));
}

// Writes files first, so that they are not lost if writing to standard output fails.
absl::Status WriteReports(const inspect::ReadAmplification& results, const ReportOptions& report) {
  const inspect::Machine machine = inspect::ThisMachine();
  absl::Status status;
  if (!report.json.empty()) {
    status.Update(WriteWhole(report.json, inspect::ReadAmplificationJson(results, machine)));
  }
  if (!report.summary.empty()) {
    status.Update(WriteWhole(report.summary, ShortReport(results)));
  }
  if (!report.html.empty()) {
    status.Update(WriteWhole(report.html, inspect::ReadAmplificationHtml(results, machine)));
  }
  status.Update(Print(FullReport(results)));
  return status;
}

// Task requested by the flags, as far as known before any work.
struct Task {
  WorkloadRequest request;
  RunOptions options;
  ReportOptions report;
  std::vector<Policy> policies;
  std::vector<std::string> notes;  // notes for stderr and the report
  bool plan_only = false;
};

// Checks the flags of a run on an existing database; refuses other runs in a folder with a
// database.
absl::Status CheckUseOfDatabase(const GivenFlags& given) {
  const std::string path = absl::GetFlag(FLAGS_db);
  const bool existing = absl::GetFlag(FLAGS_use_existing_db);
  absl::Status status = FirstOf({
      {!existing && !path.empty() && IsDatabase(path),
       absl::StrCat("there is a database in --db=", path,
                    " already: --use_existing_db measures it as it is; to make new ones, give "
                    "another folder")},
      {existing && path.empty(), "--use_existing_db needs the database's folder: --db=FOLDER"},
  });
  if (existing) status.Update(CheckOnExisting(given));
  return status;
}

// Returns an error for workloads that are incompatible with other flags.
absl::Status CheckWorkloads(const WorkloadRequest& request) {
  const std::vector<Benchmark>& writes = request.benchmarks.writes;
  if (writes.empty() || !absl::GetFlag(FLAGS_use_existing_db)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--benchmarks: '", writes.front().name,
      "' writes, but --use_existing_db measures a database as it is, and nothing in it "
      "changes"));
}

absl::StatusOr<Task> TaskOfFlags(const GivenFlags& given) {
  if (absl::Status status = CheckUseOfDatabase(given); !status.ok()) return status;
  absl::StatusOr<WorkloadRequest> workloads = WorkloadRequestOfFlags(given);
  if (!workloads.ok()) return workloads.status();
  absl::StatusOr<TreeRequest> tree = TreeRequestOfFlags(given, workloads->keys.from_db);
  if (!tree.ok()) return tree.status();
  if (absl::Status status = CheckWorkloads(*workloads); !status.ok()) return status;
  absl::StatusOr<std::vector<Policy>> policies = PoliciesOfFlags();
  if (!policies.ok()) return policies.status();
  const ReportOptions report = {absl::GetFlag(FLAGS_json), absl::GetFlag(FLAGS_summary),
                                absl::GetFlag(FLAGS_html)};
  for (const std::string& path :
       {report.json, report.summary, report.html, workloads->record_lookups}) {
    if (tree->plan_only) break;  // --plan writes no files
    if (path.empty()) continue;
    if (absl::Status status = CheckCanWrite(path); !status.ok()) return status;
  }

  Task task;
  task.request = *std::move(workloads);
  task.options.tree = tree->options;
  task.options.tree.value_size = task.request.value_size;
  task.options.tree.seed = task.request.choices.seed;
  task.notes = tree->notes;
  task.plan_only = tree->plan_only;
  task.options.timed_reads = task.request.timed_reads;
  task.options.timed_seconds = task.request.timed_seconds;
  task.options.timed_rounds = task.request.timed_rounds;
  task.options.threads = task.request.threads;
  task.report = report;
  task.policies = *std::move(policies);
  return task;
}

RunSize SizeOf(const Task& task, uint64_t keys, uint64_t key_bytes) {
  RunSize size;
  size.keys = keys;
  size.key_bytes = key_bytes;
  const uint64_t workloads = task.request.benchmarks.lookups.size();
  const uint64_t reads = task.request.choices.reads;
  const double rounds = static_cast<double>(workloads * task.options.timed_rounds);
  size.lookups = workloads * reads;
  const bool heated = task.request.benchmarks.Find(IsHeated) != nullptr;
  if (heated) {
    const WriteSequence writes(keys, 0, task.request.writes);
    size.lookups += static_cast<uint64_t>(task.request.choices.lookups_per_write *
                                          static_cast<double>(writes.size()));
  }
  if (task.options.timed_seconds > 0) {
    size.timed_seconds = rounds * task.options.timed_seconds;
  } else {
    size.timed_lookups =
        workloads * std::min(reads, task.options.timed_reads) * task.options.timed_rounds;
  }
  size.key_memory = KeyMemory(task.request.keys, keys, key_bytes,
                              heated || task.request.benchmarks.Find(WritesDrawn));
  size.policies = task.policies.size();
  return size;
}

Room FreeRoom() {
  Room room;
  room.memory = AvailableMemory();
  room.folder = absl::GetFlag(FLAGS_db);
  if (room.folder.empty()) {
    std::error_code error;
    room.folder = std::filesystem::temp_directory_path(error).string();
  }
  room.disk = FreeDisk(room.folder);
  return room;
}

std::string SmallFiles(const Task& task, uint64_t keys, uint64_t key_bytes,
                       const std::vector<inspect::LevelShape>& tree) {
  return SmallFilesWarning(tree, MeanBytes(keys, key_bytes, task.options.tree.value_size));
}

// Says what the run needs, on standard output and with notes if that is all that was asked for, or
// returns an error if there is no room for the run.
absl::Status CheckForecast(const Task& task, uint64_t keys, uint64_t key_bytes) {
  const TreeOptions scaled = ScaleTree(task.options.tree, keys, key_bytes);
  const RunNeeds needs = ForecastRun(scaled, SizeOf(task, keys, key_bytes));
  const Room room = FreeRoom();
  const absl::Status enough = CheckRoom(needs, room);
  std::string text = absl::StrCat("db_bench_ext: ", NeedsText(needs, room), "\n");
  if (!task.plan_only) {
    if (enough.ok()) std::fputs(text.c_str(), stderr);
    return enough;
  }
  std::vector<std::string> notes = task.notes;
  const std::vector<WriteStep>& writes = task.request.writes;
  if (writes.size() != 1 || writes.front().kind != WriteKind::kOnce) {
    notes.push_back("The forecast is that of filluniquerandom; other writes take other times.");
  }
  const uint64_t files =
      DivideUp(keys, KeysPerFile(scaled, MeanBytes(keys, key_bytes, scaled.value_size)));
  const std::string small = SmallFiles(task, keys, key_bytes, {{1, files, keys, 0}});
  if (!small.empty()) notes.push_back(small);
  if (!enough.ok()) {
    notes.push_back(absl::StrCat("This run would be refused: ", enough.message(), "."));
  }
  for (const std::string& note : notes) absl::StrAppend(&text, "\nNote: ", note, "\n");
  return Print(text);
}

// Prints a note to stderr and records it for the report.
void Note(const std::string& sentence, std::vector<std::string>* notes) {
  std::fprintf(stderr, "db_bench_ext: note: %s\n", sentence.c_str());
  notes->push_back(sentence);
}

// Returns notes on the workloads for readers of the results.
std::vector<std::string> WorkloadNotes(const WorkloadRequest& request, const TreeOptions& tree) {
  std::vector<std::string> notes;
  const bool prefixes =
      tree.prefix_size > 0 || (tree.file && tree.file->database.prefix_extractor != nullptr);
  if (const Benchmark* const seeks = request.benchmarks.Find(Seeks);
      seeks != nullptr && !prefixes) {
    notes.push_back(absl::StrCat(seeks->name, kSeeksAskNothing));
  }
  return notes;
}

std::vector<double> HeatByPart(const HeatModel& model, uint64_t keys) {
  const Heat heat = model.at(1, keys);
  std::vector<double> shares;
  for (size_t part = 0; part < inspect::kParts; ++part) {
    const auto below = [&](size_t parts) {
      return heat.ShareBelow(keys * parts / inspect::kParts);
    };
    shares.push_back(below(part + 1) - below(part));
  }
  return shares;
}

inspect::ReadAmplification Heading(const Task& task, const RunKeys& keys,
                                   const std::string& command) {
  inspect::ReadAmplification results;
  results.command = command;
  results.keys_from = keys.from;
  results.keys = keys.keys.range->size();
  results.duplicates = keys.duplicates;
  results.key_bytes = keys.keys.range->total_bytes();
  results.value_size = task.options.tree.value_size;
  results.cache_size = task.options.tree.cache_size;
  if (!keys.note.empty()) Note(keys.note, &results.notes);
  for (const std::string& note : task.notes) Note(note, &results.notes);
  for (const std::string& note : WorkloadNotes(task.request, task.options.tree)) {
    Note(note, &results.notes);
  }
  results.settings = SettingsOf(task.options.tree);
  for (auto& setting : WorkloadSettings(task.request, false)) results.settings.push_back(setting);
  results.seed = task.options.tree.seed;
  results.date = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  results.lookups_drawn = LookupsDrawn(task.request);
  if (task.request.benchmarks.Find(IsHeated) != nullptr) {
    results.heat = HeatByPart(*task.request.choices.heat, results.keys);
  }
  return results;
}

// Creates the keys and checks whether there is room for the run; for computed keys, the check comes
// first.
absl::StatusOr<RunKeys> KeysOfTask(Task* task, bool* planned) {
  const KeysRequest& request = task->request.keys;
  const bool computed = request.list.empty() && request.from_db.empty();
  if (computed) {
    absl::Status status = CheckForecast(*task, request.num, request.num * request.key_size);
    if (!status.ok()) return status;
  }
  cli::ProgressLine progress("db_bench_ext");
  absl::StatusOr<RunKeys> keys = MakeRunKeys(request, &progress, StopAsked());
  if (!keys.ok()) return keys.status();
  if (keys->value_size && !task->request.value_size_given) {
    task->options.tree.value_size = static_cast<size_t>(*keys->value_size);
  }
  if (!computed) {
    absl::Status status =
        CheckForecast(*task, keys->keys.range->size(), keys->keys.range->total_bytes());
    if (!status.ok()) return status;
  }
  *planned = task->plan_only;
  if (*planned) return keys;
  absl::StatusOr<std::shared_ptr<const KeySet>> recorded = RecordedLookups(request);
  if (!recorded.ok()) return recorded.status();
  keys->keys.recorded = *std::move(recorded);
  const std::vector<Benchmark>& lookups = task->request.benchmarks.lookups;
  if (std::any_of(lookups.begin(), lookups.end(), [&](const Benchmark& benchmark) {
        return AsksForAbsentKeys(benchmark, task->request.choices);
      })) {
    absl::Status status = AddAbsentKeys(request, &*keys, &progress, StopAsked());
    if (!status.ok()) return status;
  }
  return keys;
}

absl::StatusOr<WrittenKeys> FindWrittenKeys(const WriteSequence& writes) {
  cli::ProgressLine progress("db_bench_ext");
  return WrittenKeys::Of(writes, [&](uint64_t looked_at) {
    progress.Set("looking which keys are written", looked_at, writes.size());
    return !*StopAsked();
  });
}

absl::Status Execute(Task task, const std::string& command) {
  bool planned = false;
  absl::StatusOr<RunKeys> keys = KeysOfTask(&task, &planned);
  if (!keys.ok() || planned) return keys.status();
  const KeySet& range = *keys->keys.range;
  const WriteSequence writes(range.size(), task.request.choices.seed, task.request.writes);
  absl::StatusOr<WrittenKeys> written_keys = FindWrittenKeys(writes);
  if (!written_keys.ok()) return written_keys.status();
  const auto written = std::make_shared<WrittenKeys>(*std::move(written_keys));
  if (written->count() < range.size()) keys->keys.written = written;
  const std::vector<Lookups> workloads = MakeWorkloads(task.request, keys->keys);
  if (const std::string& path = task.request.record_lookups; !path.empty()) {
    cli::ProgressLine progress("db_bench_ext");
    const absl::Status status = RecordLookups(workloads, path, [&](uint64_t done) {
      progress.Set("recording lookups", done, task.request.choices.reads * workloads.size());
      return !*StopAsked();
    });
    if (!status.ok()) return status;
  }
  task.options.tree = ScaleTree(task.options.tree, range.size(), range.total_bytes());
  inspect::ReadAmplification results = Heading(task, *keys, command);
  const GrowthHeat heat{keys->keys, task.request.choices};
  const bool heated = task.request.benchmarks.Find(IsHeated) != nullptr;
  const RunData data{range, writes, *written, workloads, heated ? &heat : nullptr};

  const bool keep = absl::GetFlag(FLAGS_keep);
  absl::StatusOr<std::unique_ptr<WorkFolder>> folder =
      WorkFolder::Open(absl::GetFlag(FLAGS_db), keep);
  if (!folder.ok()) return folder.status();
  {
    cli::ProgressLine progress("db_bench_ext");
    absl::StatusOr<std::vector<inspect::PolicyResult>> policies =
        Run(task.options, task.policies, data, folder->get(), &progress, StopAsked());
    if (!policies.ok()) return policies.status();
    results.policies = *std::move(policies);
  }
  const std::string small =
      SmallFiles(task, results.keys, results.key_bytes, results.policies.front().tree);
  if (!small.empty()) Note(small, &results.notes);
  if (keep) std::fprintf(stderr, "The databases are in %s\n", (*folder)->path().c_str());
  return WriteReports(results, task.report);
}

absl::Status ExecuteOnExisting(const Task& task, const std::string& command) {
  ExistingOptions options;
  options.workloads = task.request.benchmarks.lookups;
  options.choices = task.request.choices;
  options.record_lookups = task.request.record_lookups;
  absl::StatusOr<std::shared_ptr<const KeySet>> recorded = RecordedLookups(task.request.keys);
  if (!recorded.ok()) return recorded.status();
  options.recorded = *std::move(recorded);
  options.timed_reads = task.options.timed_reads;
  options.timed_seconds = task.options.timed_seconds;
  options.timed_rounds = task.options.timed_rounds;
  options.threads = task.options.threads;
  options.cache_size = task.options.tree.cache_size;
  cli::ProgressLine progress("db_bench_ext");
  absl::StatusOr<inspect::ReadAmplification> results =
      MeasureExisting(absl::GetFlag(FLAGS_db), options, &progress, StopAsked());
  if (!results.ok()) return results.status();
  results->command = command;
  results->settings = WorkloadSettings(task.request, true);
  results->date = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  results->lookups_drawn = absl::StrCat(
      "lookups: ",
      options.choices.zipf > 0 ? absl::StrCat("Zipf-skewed with exponent ", options.choices.zipf)
                               : "uniform",
      ", of a sample of the database's own keys, seed ", options.choices.seed,
      "; absent keys: near misses of them, one byte changed, appended or removed, that it does not "
      "have; what is in its write-ahead log alone is not seen");
  return WriteReports(*results, task.report);
}

cli::Command About() {
  return {
      "db_bench_ext",
      "[FLAGS]",
      "Counts what lookups read from an LSM tree, for each of several filter policies",
      "db_bench_ext makes a new RocksDB database for each policy and writes the same keys in the\n"
      "same order. The trees are the same, too (with --growth=rocksdb they may differ). Then it\n"
      "looks up keys: once to count reads, and in several rounds to measure times. The policies\n"
      "take turns in each round, so that other work on the machine slows all of them; the report\n"
      "has the round of median speed. A policy that RocksDB did not use is not reported.\n",
      {cli::FlagSection("What to compare", "compared"),
       cli::FlagSection("What is loaded and looked up", "workloads"),
       cli::FlagSection("The tree and its databases", "tree"),
       cli::FlagSection("Reports", "reports"),
       {"Examples",
        {{"db_bench_ext --num=1000000 --policies=bloomfilter:10,winnow:10",
          "what lookups read with each of two policies"},
         {"db_bench_ext --keys=paths.lz4 --json=readamp.json --html=readamp.html",
          "the same with keys of your own, and as a page"},
         {"db_bench_ext --from_db=FOLDER --absent_lookups=0.1 --policies=bloomfilter:10,winnow:10",
          "with the keys and the options of a database, and a tenth of lookups for absent keys"},
         {"db_bench_ext --benchmarks=fillrandom,compact,readrandom,readmissing",
          "with workloads of db_bench"},
         {"db_bench_ext --policies=bloomfilter:8,bloomfilter:12,winnow:8,winnow:12 "
          "--html=page.html",
          "with several numbers of bits per key"},
         {"db_bench_ext --heat=mixgraph --policies=bloomfilter:10,winnow:10",
          "with key ranges that are asked for more than others"},
         {"db_bench_ext --use_existing_db --db=FOLDER", "a database as it is"}}},
       {"Exit status",
        {{"0", "everything was measured"},
         {"1", "a run failed"},
         {"2", "the command line is wrong"},
         {"130", "it was interrupted by Ctrl-C (SIGINT); 143 by SIGTERM"}}}},
      {"winnow"}};
}

const std::vector<std::string>& FlagGroups() {
  static const auto* const groups =
      new std::vector<std::string>{"compared", "workloads", "tree", "reports"};
  return *groups;
}

// Returns the answer to a query about the program itself, such as --help, or nullopt.
std::optional<std::string> AnswerAboutItself(const std::vector<std::string>& words) {
  if (std::any_of(words.begin(), words.end(), cli::AsksForHelp)) return cli::HelpText(About());
  if (words.size() != 1) return std::nullopt;
  if (words[0] == "--version") return absl::StrCat("db_bench_ext ", Version(), "\n");
  if (words[0] == "--man") return cli::ManPage(About());
  if (words[0] == "--completion") {
    return cli::BashCompletion("db_bench_ext", "--help --version --man --completion",
                               "db_bench_ext --completion", {{"", FlagGroups()}});
  }
  return std::nullopt;
}

constexpr int kWrongUsage = 2;

// Prints the error and returns the exit status, which is that of a signal if one was received.
int Failed(const absl::Status& status, int exit_status) {
  std::fprintf(stderr, "db_bench_ext: %s\n", std::string(status.message()).c_str());
  return cli::StopStatus() != 0 ? cli::StopStatus() : exit_status;
}

int PrintAndEnd(const std::string& text) {
  const absl::Status status = Print(text);
  return status.ok() ? 0 : Failed(status, 1);
}

int Main(int argc, char** argv) {
  const std::vector<std::string> command(argv, argv + argc);
  winnow_rocksdb_register();
  cli::CatchStopSignals();
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (const auto answer = AnswerAboutItself(words)) return PrintAndEnd(*answer);
  const cli::CommandLine line = cli::ReadFlags(
      {"db_bench_ext", {FlagGroups().begin(), FlagGroups().end()}, /*is_program=*/true}, words);
  std::string wrong = line.problem;
  if (wrong.empty() && !line.arguments.empty()) {
    wrong = absl::StrCat("'", line.arguments.front(), "' is no flag");
  }
  if (!wrong.empty()) {
    return Failed(absl::InvalidArgumentError(wrong + " (see --help)"), kWrongUsage);
  }

  absl::StatusOr<Task> task = TaskOfFlags(line.given);
  if (!task.ok()) return Failed(task.status(), kWrongUsage);
  const absl::Status status = absl::GetFlag(FLAGS_use_existing_db)
                                  ? ExecuteOnExisting(*task, ShellCommand(command))
                                  : Execute(*std::move(task), ShellCommand(command));
  return status.ok() ? 0 : Failed(status, 1);
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) { return winnow::bench::Main(argc, argv); }
