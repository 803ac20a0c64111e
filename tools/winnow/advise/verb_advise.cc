// The verb `winnow advise`, which compares filter policies on existing files.

#include <absl/algorithm/container.h>
#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/progress.h"
#include "src/policy_trial/trial_filter.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_json.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/gone_files.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/findings/traced_keys.h"

WINNOW_TAKES(advise, kJsonFlag);
WINNOW_TAKES(advise, kPathFlag);
WINNOW_TAKES(advise, kJobsFlag);
WINNOW_FLAG(
    advise, std::string, lookups, "", TextValue("FILE"),
    "a file of recorded lookups: a RocksDB trace, or one key per line, plain or compressed by "
    "LZ4; - reads standard input");
WINNOW_TAKES(advise, kHexFlag);
WINNOW_FLAG(advise, std::optional<uint64_t>, draws, std::nullopt, WholeValue("N", 1, 1e7),
            "number of lookups to make up if none are recorded (default: 200000)");
WINNOW_FLAG(advise, std::optional<double>, absent_share, std::nullopt, NumberValue("S", 0, 1),
            "share of the made-up lookups whose key is in no file (default: 1)");
WINNOW_FLAG(
    advise, std::string, budget, "", BytesValue("BYTES", 1, 1e15),
    "memory for all filters together, as 256MiB or 64KB: find the policy with the fewest false "
    "reads within it");
WINNOW_FLAG(
    advise, uint64_t, sample, 10'000'000, WholeValue("N", 0, 1e15),
    "read all keys of some files at even distances, which have about so many together, to draw "
    "lookups, and parts of the others; 0: read all files");
WINNOW_TAKES(advise, kFamilyFlag);
WINNOW_FLAG(advise, std::string, try_policy, "", TextValue("POLICY"),
            "one more filter policy to try, as an options string");
WINNOW_FLAG(advise, std::string, by, "memory", TextValue("memory|reads", "memory reads"),
            "sort the rows by filter memory or false reads");
WINNOW_SWITCH(advise, all,
              "show the curve of memory against false reads, by policies of 4 to 20 bits");
WINNOW_FLAG(advise, std::string, chart, "", TextValue("FILE"),
            "draw the curve of memory against false reads as an SVG file");

namespace winnow::tools {
namespace {

// Maximum number of recorded lookups.
constexpr size_t kMaxLookups = 2'000'000;

struct Input {
  std::vector<inspect::ListedTable> tables;
  std::vector<inspect::FileError> errors;  // paths without SST files
  std::vector<std::string> warnings;
  bool trees_read = true;

  // Returns false if all paths are errors.
  bool HasFiles() const { return !tables.empty() || errors.empty(); }
};

Input Find(const std::vector<std::string>& paths) {
  Input input;
  Tables tables = TablesOf(paths);
  input.trees_read = tables.trees_read;
  input.warnings = std::move(tables.warnings);
  const std::set<std::string> names = KnownFamilies(tables.tables);
  for (inspect::ListedTable& table : tables.tables) {
    if (!table.error) {
      input.tables.push_back(std::move(table));
    } else if (!IsOfOtherFamily(table, names)) {
      input.errors.push_back({table.path, table.error});
    }
  }
  return input;
}

constexpr size_t kMaxScans = 100'000;

// A uniform sample of a stream of unknown length by reservoir sampling (Vitter 1985, algorithm R).
template <typename Member>
class Reservoir {
 public:
  explicit Reservoir(size_t most) : most_(most) {}

  void Add(Member member) {
    ++seen_;
    if (kept_.size() < most_) {
      kept_.push_back(std::move(member));
    } else {
      const uint64_t at = random_() % seen_;
      if (at < most_) kept_[at] = std::move(member);
    }
  }

  uint64_t seen() const { return seen_; }
  std::vector<Member> kept() && { return std::move(kept_); }

 private:
  const size_t most_;
  uint64_t seen_ = 0;
  std::mt19937_64 random_;
  std::vector<Member> kept_;
};

// Reads a sample of recorded lookups, and the seeks of a trace. If a trace has only seeks, lookups
// are drawn. Returns a sentence if the list can't be read, else an empty string.
std::string ReadLookups(const std::string& path, const std::vector<std::string>& databases,
                        inspect::AdviceOptions* options, std::vector<std::string>* warnings) {
  Reservoir<std::string> lookups(kMaxLookups);
  Reservoir<inspect::RecordedScan> scans(kMaxScans);
  inspect::RecordedScans recorded;
  const std::string problem = VisitListedKeys(
      path, [&](std::string_view key) { lookups.Add(std::string(key)); }, warnings, databases,
      [&](const inspect::TracedSeek& seek) {
        ++recorded.seeks;
        if (!seek.upper_bound.empty()) {
          scans.Add({std::string(seek.key), std::string(seek.upper_bound)});
        }
      });
  if (recorded.seeks > 0) {
    recorded.with_bound = scans.seen();
    recorded.scans = std::move(scans).kept();
    options->recorded_scans = std::move(recorded);
    if (problem.empty() && lookups.seen() == 0) {
      warnings->push_back(absl::StrCat(path, " has no lookups, so they are made up"));
      return problem;
    }
  }
  const bool has_all = lookups.seen() <= kMaxLookups;
  if (problem.empty() && !has_all) {
    warnings->push_back(absl::StrCat(path, ": of ", lookups.seen(), " lookups ", kMaxLookups,
                                     " were taken, by chance"));
  }
  options->recorded = std::move(lookups).kept();
  options->recorded_in_time = has_all && !absl::c_is_sorted(*options->recorded);
  return problem;
}

std::string WhyWrong(const std::vector<std::string>& paths, inspect::AdviceOptions* options) {
  options->jobs = Jobs();
  const std::optional<uint64_t> draws = absl::GetFlag(FLAGS_advise_draws);
  const std::optional<double> absent_share = absl::GetFlag(FLAGS_advise_absent_share);
  options->lookups = draws.value_or(options->lookups);
  options->absent_share = absent_share.value_or(options->absent_share);
  options->sample_keys = absl::GetFlag(FLAGS_advise_sample);
  options->families = FamiliesOfFlags();
  const std::string budget = absl::GetFlag(FLAGS_advise_budget);
  if (!budget.empty()) {
    options->budget_bytes = cli::ParseByteCount(budget);
  }
  const std::string policy = absl::GetFlag(FLAGS_advise_try_policy);
  std::string refusal;
  if (!policy.empty()) {
    options->policies.push_back(policy);
    inspect::PolicyOfText(policy, &refusal);
  }
  const std::string by = absl::GetFlag(FLAGS_advise_by);
  const bool recorded = !absl::GetFlag(FLAGS_advise_lookups).empty();
  const std::pair<bool, std::string> faults[] = {
      {paths.empty(), "which files or database folders?"},
      {recorded && draws,
       "--draws is the number of made-up lookups, but --lookups has recorded ones: leave out "
       "one of the two"},
      {recorded && absent_share,
       "--absent_share is for made-up lookups, but --lookups has recorded ones: leave out one of "
       "the two"},
      {!recorded && absl::GetFlag(FLAGS_hex),
       "--hex says how --lookups=FILE writes its keys, and there is no --lookups"},
      {!refusal.empty(), absl::StrCat("--try_policy: ", refusal)},
      {by != "memory" && by != "reads", "--by can be memory or reads"}};
  for (const auto& [is_so, says] : faults) {
    if (is_so) return says;
  }
  return std::string();
}

int ExitCode(const Input& input, const inspect::Advice& advice) {
  if (!input.trees_read || !advice.errors.empty()) return kCouldNotRead;
  return !advice.budget_bytes || advice.FitsBudget() ? kAllGood : kFaultFound;
}

void ShowStep(const inspect::AdviceStep& step, std::chrono::steady_clock::time_point* begun,
              cli::ProgressLine* line) {
  const auto now = std::chrono::steady_clock::now();
  const bool begins = step.done == 0 && step.share == 0;
  *begun = begins ? now : *begun;
  const std::string text =
      AdviseProgressText(step, std::chrono::duration<double>(now - *begun).count());
  if (step.done == step.files || begins) {
    line->ShowNow(text);
  } else {
    line->Show(text);
  }
}

// Returns advice on the files that were found, unless there is a problem already, and takes the
// verdict back if not all could be read. Sets *problem to a sentence if no advice is possible.
inspect::Advice Advise(const std::vector<std::string>& paths, const inspect::AdviceOptions& options,
                       Input* input, std::string* problem) {
  inspect::Advice advice;
  if (problem->empty() && input->HasFiles()) {
    cli::ProgressLine line;
    std::chrono::steady_clock::time_point begun;
    advice = inspect::Advise(
        input->tables, options,
        [&](const inspect::AdviceStep& step) { ShowStep(step, &begun, &line); }, problem);
    line.Clear();
    DropGone(paths, &advice.errors, &input->warnings);
  }
  advice.errors.insert(advice.errors.begin(), input->errors.begin(), input->errors.end());
  if (!input->trees_read || !advice.errors.empty()) inspect::TakeBackVerdict(&advice);
  return advice;
}

// Prints the JSON or text, and writes the chart if requested. Returns false on failure.
bool PrintAdvice(const Verb& verb, const inspect::Advice& advice,
                 const std::vector<std::string>& warnings) {
  const bool printed = Print(verb.name, absl::GetFlag(FLAGS_json)
                                            ? inspect::AdviceJson(advice, warnings)
                                            : AdviseText(advice, absl::GetFlag(FLAGS_advise_all)));
  const std::string chart = absl::GetFlag(FLAGS_advise_chart);
  return (chart.empty() || PrintToFile(verb.name, chart, CurveChart(advice))) && printed;
}

int RunAdvise(const Verb& verb, const std::vector<std::string>& paths) {
  inspect::AdviceOptions options;
  if (const std::string wrong = WhyWrong(paths, &options); !wrong.empty()) {
    return WrongUsage(verb, wrong);
  }
  Input input = Find(paths);
  const std::string list = absl::GetFlag(FLAGS_advise_lookups);
  std::string problem;
  if (!list.empty()) problem = ReadLookups(list, paths, &options, &input.warnings);
  inspect::Advice advice = Advise(paths, options, &input, &problem);
  if (absl::GetFlag(FLAGS_advise_by) == "reads" && !advice.rows.empty()) {
    std::stable_sort(advice.rows.begin() + 1, advice.rows.end(),
                     [](const auto& a, const auto& b) { return a.false_reads < b.false_reads; });
  }
  SayWarnings(verb.name, input.warnings);
  const bool printed =
      problem.empty() && input.HasFiles() && PrintAdvice(verb, advice, input.warnings);
  SayAllUnread(verb.name, advice.errors);
  if (!problem.empty()) absl::FPrintF(stderr, "winnow advise: %s\n", problem);
  return printed ? ExitCode(input, advice) : kCouldNotRead;
}

}  // namespace

Verb AdviseVerb() {
  return {
      "advise",
      "PATH... [--lookups [--hex]] [FLAGS] [--cf] [--path] [--jobs] [--json]",
      "Tells what another filter policy would do on this data: memory and false reads",
      "A PATH is an SST file (*.sst) or a database's folder. winnow advise follows lookups\n"
      "through the files, as RocksDB does. A false read is a data block read for an absent key:\n"
      "the file lacks the key, but its filter answers \"maybe\". Present false reads\n"
      "are counted. For other policies, they and the memory are predicted: for Winnow's filters "
      "by\n"
      "the policy's own code, for RocksDB's by a few filters that it builds. --all shows a curve\n"
      "of memory against false reads, at 4 to 20 bits per key, and --chart=FILE draws it.\n"
      "\"Once compacted\" has the false reads after a full compaction, which leaves one level in\n"
      "a column family: rates by file save nothing there. With --budget, each column family gets\n"
      "its own bits per key, such that false reads are fewest. If a file can't be read, nothing\n"
      "is recommended; exit code 2. winnow advise writes nothing, and the database may be in use.\n"
      "\n"
      "Without --lookups, keys are made up: near misses of the files' keys. Recorded\n"
      "lookups belong to one column family (--cf), and are made in each database. They are a\n"
      "list of keys, one per line, or a RocksDB trace, which a program writes between\n"
      "DB::StartTrace and DB::EndTrace (db_bench: --trace_file=TRACE). A key counts as often as\n"
      "it is in the list. Of a trace, each Get and each key of a MultiGet counts; a truncated\n"
      "trace counts up to its end. Keep lists in the order of time: Winnow's filters learn from\n"
      "the first half and are judged by the second one. A sorted list is split at random.\n"
      "\n"
      "Not counted: block caches, in which a false read may find its block; filters that are not\n"
      "pinned and are read from disk; range deletions; what a scan reads after its seek.\n"
      "\n"
      "If a trace has seeks of iterators, range filters are built, too, with 10, 15 and 20\n"
      "range_bits, and asked for the ranges from each seek to its upper bound. The output says\n"
      "how many data blocks the seeks of a scan read, how many of them in vain, what range\n"
      "filters would spare and take, and which options to set; or why not. --sample counts for\n"
      "these filters, too. If a trace has seeks and no lookups, lookups are made up.\n"
      "Memory of filters is without range filters, which have columns of their own.\n",
      RunAdvise,
      {{"winnow advise DB", "memory and false reads of other filter policies on this database"},
       {"winnow advise DB --budget=64MiB",
        "the best policy of each column family for so much memory"},
       {"winnow advise DB --all --chart=CURVE.svg", "memory against false reads, also as a chart"},
       {"winnow advise DB --lookups=KEYS", "the same for lookups that were recorded in a file"},
       {"winnow advise DB --draws=20000 --json", "with fewer lookups, as JSON for a script"}}};
}

}  // namespace winnow::tools
