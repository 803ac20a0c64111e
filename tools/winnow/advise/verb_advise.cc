// `winnow advise`: what another policy would do on these files.

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "src/policy_trial/trial_filter.h"
#include "src/text/printable.h"
#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_json.h"
#include "tools/winnow/cli/byte_count.h"
#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/progress_line.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/gone_files.h"
#include "tools/winnow/findings/key_arguments.h"
#include "tools/winnow/findings/table_arguments.h"

WINNOW_TAKES(advise, kJsonFlag);
WINNOW_TAKES(advise, kPathFlag);
WINNOW_TAKES(advise, kJobsFlag);
WINNOW_FLAG(advise, std::string, lookups, "", TextValue("FILE"),
            "a file of recorded lookups, one key a line, plain or LZ4; - is standard input");
WINNOW_TAKES(advise, kHexFlag);
WINNOW_FLAG(advise, std::optional<uint64_t>, draws, std::nullopt, WholeValue("N", 1, 1e7),
            "lookups to make up where none are recorded (default: 200000)");
WINNOW_FLAG(advise, std::optional<double>, absent_share, std::nullopt, NumberValue("S", 0, 1),
            "share of the made-up lookups whose key is nowhere (default: 1); the others "
            "find theirs");
WINNOW_FLAG(
    advise, std::string, budget, "", BytesValue("BYTES", 1, 1e15),
    "the most memory for all filters together, as 256MiB or 64KB: say what is best within it");
WINNOW_FLAG(advise, uint64_t, sample, 10'000'000, WholeValue("N", 0, 1e15),
            "build filters for files of so many keys together, chosen by their size, and work out "
            "the others by formulas; 0: for all");
WINNOW_FLAG(advise, double, seconds, 60, NumberValue("S", 0, 1e6),
            "begin to build filters for no further file after so long, and work out those that are "
            "left by formulas; 0: no bound");
WINNOW_TAKES(advise, kFamilyFlag);
WINNOW_FLAG(advise, std::string, try_policy, "", TextValue("POLICY"),
            "a further filter policy to try, as an options string");
WINNOW_FLAG(advise, std::string, by, "memory", TextValue("memory|reads|build"),
            "what the rows are sorted by: memory, reads (false ones) or build (time)");
WINNOW_SWITCH(advise, all, "show all candidates that were worked out by formulas");

namespace winnow::tools {
namespace {

// Recorded lookups beyond so many are thinned out, each as likely to stay.
constexpr size_t kMostLookups = 2'000'000;

struct Input {
  std::vector<inspect::AdviceTable> tables;
  std::vector<inspect::FileError> errors;  // paths that have no table files
  std::vector<std::string> warnings;
  bool trees_read = true;
};

Input Find(const std::vector<std::string>& paths) {
  Input input;
  std::set<std::string> known;
  for (const std::string& path : paths) {
    std::error_code code;
    const bool is_folder = std::filesystem::is_directory(path, code);
    const Tables tables = TablesOf({path});
    input.trees_read = input.trees_read && tables.trees_read;
    input.warnings.insert(input.warnings.end(), tables.warnings.begin(), tables.warnings.end());
    for (const inspect::ListedTable& table : tables.tables) {
      if (table.error) {
        input.errors.push_back({table.path, table.error});
        continue;
      }
      const std::filesystem::path real = std::filesystem::canonical(table.path, code);
      if (known.insert(code ? table.path : real.string()).second) {
        input.tables.push_back({is_folder ? path : std::string(), table.path, table.level});
      }
    }
  }
  return input;
}

// Keeps a part of a list of any length of which each member is as likely to be there.
class Reservoir {
 public:
  void Add(std::string_view key) {
    ++seen_;
    if (kept_.size() < kMostLookups) {
      kept_.emplace_back(key);
      return;
    }
    state_ = state_ * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX
    const uint64_t at = (state_ >> 16) % seen_;
    if (at < kept_.size()) {
      kept_[at] = std::string(key);
    }
  }

  uint64_t seen() const { return seen_; }
  std::vector<std::string> kept() && { return std::move(kept_); }

 private:
  uint64_t seen_ = 0;
  uint64_t state_ = 1;
  std::vector<std::string> kept_;
};

// Empty, or a sentence that says why the list can't be read.
std::string ReadLookups(const std::string& path, inspect::AdviceOptions* options,
                        std::vector<std::string>* warnings) {
  Reservoir reservoir;
  const std::string problem = VisitListedKeys(
      path, [&reservoir](std::string_view key) { reservoir.Add(key); }, warnings);
  if (problem.empty() && reservoir.seen() > kMostLookups) {
    warnings->push_back(absl::StrCat(path, ": of ", reservoir.seen(), " lookups ", kMostLookups,
                                     " were taken, by chance"));
  }
  const bool has_all = reservoir.seen() <= kMostLookups;
  options->recorded = std::move(reservoir).kept();
  options->recorded_in_time =
      has_all && !std::is_sorted(options->recorded->begin(), options->recorded->end());
  return problem;
}

// False if there is no such order. Rows may be null; the first one stays where it is.
bool SortBy(const std::string& by, std::vector<inspect::AdviceRow>* rows) {
  const auto key = [&by](const inspect::AdviceRow& row) {
    return by == "memory"  ? row.bytes
           : by == "reads" ? row.false_reads
                           : row.nanoseconds_a_key.value_or(0);
  };
  if (rows != nullptr && !rows->empty()) {
    std::stable_sort(rows->begin() + 1, rows->end(),
                     [&key](const auto& a, const auto& b) { return key(a) < key(b); });
  }
  return by == "memory" || by == "reads" || by == "build";
}

std::string WhyWrong(const std::vector<std::string>& paths, inspect::AdviceOptions* options) {
  options->jobs = Jobs();
  const std::optional<uint64_t> draws = absl::GetFlag(FLAGS_advise_draws);
  const std::optional<double> absent_share = absl::GetFlag(FLAGS_advise_absent_share);
  options->lookups = draws.value_or(options->lookups);
  options->absent_share = absent_share.value_or(options->absent_share);
  options->sample_keys = absl::GetFlag(FLAGS_advise_sample);
  options->seconds = absl::GetFlag(FLAGS_advise_seconds);
  options->families = FamiliesOfFlags();
  const std::string budget = absl::GetFlag(FLAGS_advise_budget);
  if (!budget.empty()) {
    options->budget_bytes = ParseByteCount(budget);
  }
  const std::string policy = absl::GetFlag(FLAGS_advise_try_policy);
  std::string refusal;
  if (!policy.empty()) {
    options->policies.push_back(policy);
    inspect::PolicyOfText(policy, &refusal);
  }
  const bool recorded = !absl::GetFlag(FLAGS_advise_lookups).empty();
  return paths.empty() ? "which files or database folders?"
         : recorded && draws
             ? "--draws is the number of made-up lookups, but --lookups has recorded ones: leave "
               "one of the two away"
         : recorded && absent_share
             ? "--absent_share is of made-up lookups, but --lookups has recorded ones: leave one "
               "of the two away"
         : !recorded && absl::GetFlag(FLAGS_hex)
             ? "--hex says how --lookups=FILE writes its keys, and there is no --lookups"
         : !refusal.empty()                                ? absl::StrCat("--try_policy: ", refusal)
         : SortBy(absl::GetFlag(FLAGS_advise_by), nullptr) ? std::string()
                                                           : "--by can be memory, reads or build";
}

int ExitCode(const Input& input, const inspect::Advice& advice) {
  if (!input.trees_read || !advice.errors.empty()) {
    return kCouldNotRead;
  }
  const bool fits = !advice.budget_bytes ||
                    (!advice.budget.empty() && advice.budget_taken <= *advice.budget_bytes);
  return fits ? kAllGood : kFaultFound;
}

int RunAdvise(const Verb& verb, const std::vector<std::string>& paths) {
  inspect::AdviceOptions options;
  if (const std::string wrong = WhyWrong(paths, &options); !wrong.empty()) {
    return WrongUsage(verb, wrong);
  }
  Input input = Find(paths);
  const std::string list = absl::GetFlag(FLAGS_advise_lookups);
  std::string problem = list.empty() ? std::string() : ReadLookups(list, &options, &input.warnings);
  inspect::Advice advice;
  if (problem.empty() && (!input.tables.empty() || input.errors.empty())) {
    ProgressLine line;
    std::chrono::steady_clock::time_point begun;
    advice = inspect::Advise(
        input.tables, options,
        [&](const inspect::AdviceStep& step) {
          const auto now = std::chrono::steady_clock::now();
          begun = step.done == 0 && step.share == 0 ? now : begun;
          const std::string text =
              AdviseProgressText(step, std::chrono::duration<double>(now - begun).count());
          if (step.done == step.files || (step.done == 0 && step.share == 0)) {
            line.ShowNow(text);
          } else {
            line.Show(text);
          }
        },
        &problem);
    line.Clear();
    DropGone(paths, &advice.errors, &input.warnings);
  }
  advice.errors.insert(advice.errors.begin(), input.errors.begin(), input.errors.end());
  SayWarnings(verb.name, input.warnings);
  for (const inspect::FileError& error : advice.errors) {
    absl::FPrintF(stderr, "winnow advise: %s: %s\n", inspect::Printable(error.path), *error.error);
  }
  if (!problem.empty()) {
    absl::FPrintF(stderr, "winnow advise: %s\n", problem);
    return kCouldNotRead;
  }
  if (input.tables.empty() && !input.errors.empty()) {
    return kCouldNotRead;
  }
  SortBy(absl::GetFlag(FLAGS_advise_by), &advice.rows);
  const bool printed = Print(verb.name, absl::GetFlag(FLAGS_json)
                                            ? inspect::AdviceJson(advice, input.warnings)
                                            : AdviseText(advice, absl::GetFlag(FLAGS_advise_all)));
  return printed ? ExitCode(input, advice) : kCouldNotRead;
}

}  // namespace

Verb AdviseVerb() {
  return {
      "advise",
      "PATH... [--lookups [--hex]] [FLAGS] [--cf] [--path] [--jobs] [--json]",
      "Tells what another filter policy would do on this data: memory and false reads",
      "A PATH is a table file (*.sst) or a database's folder. Lookups are followed through the\n"
      "files as RocksDB does: a false read is a file that is read in vain, as its filter lets a\n"
      "key through that it does not have. What all candidates take and let through is worked\n"
      "out by formulas, RocksDB's Bloom and Ribbon filters and Winnow's, with and without plans\n"
      "by level, at 4 to 20 bits; the filters of the shortlist are built from the files' own\n"
      "keys, by the policies themselves, and asked. \"Once compacted\" is what lookups read in\n"
      "vain after a full compaction, which leaves a column family one level: a plan by level\n"
      "saves nothing there. With --budget each column family gets bits of its own, such that\n"
      "lookups read least in vain. Nothing is written, and the database may be in use.\n"
      "\n"
      "Without --lookups keys are made up: near misses of the files' keys. Recorded lookups are\n"
      "one key a line, as often as it was looked up, of one column family (--cf): a log of the\n"
      "program's, or a trace of RocksDB's. A program writes a trace from DB::StartTrace on to\n"
      "DB::EndTrace (db_bench: --trace_file=TRACE). RocksDB's own trace_analyzer makes lines of\n"
      "it: a key as hexadecimal digits, 0 for a Get or 8 for one of a MultiGet, and the number\n"
      "of the column family, for which 0 stands here:\n"
      "  trace_analyzer --trace_path=TRACE --output_dir=TEXT --analyze_get \\\n"
      "    --analyze_multiget --convert_to_human_readable_trace\n"
      "  awk '($2 == 0 || $2 == 8) && $3 == 0 {print $1}' \\\n"
      "    TEXT/trace-human_readable_trace.txt | winnow advise DB --lookups=- --hex\n"
      "The list is best in the order of time. The plan learned then learns from its first half,\n"
      "and is judged by the other; in a list that is sorted chance makes the halves.\n",
      RunAdvise,
      {{"winnow advise DB", "what other filter policies would take and save here"},
       {"winnow advise DB --budget=64MiB", "the best for so much memory, by column family"},
       {"winnow advise DB --lookups=KEYS", "for the lookups that were recorded in a file"},
       {"winnow advise DB --draws=20000 --json", "with fewer lookups, for a script"}}};
}

}  // namespace winnow::tools
