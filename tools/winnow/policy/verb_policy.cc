// The verb `winnow policy`, which shows how RocksDB reads a policy's options string or an OPTIONS
// file.

#include <absl/flags/flag.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "src/cli/flags.h"
#include "src/database/options_path.h"
#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/policy_check.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "src/text/text_table.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/each_file.h"
#include "tools/winnow/findings/gone_files.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/policy/policy_files.h"
#include "tools/winnow/policy/policy_json.h"
#include "winnow/rocksdb_policy.h"

WINNOW_TAKES(policy, kJsonFlag);
WINNOW_FLAG(policy, std::optional<uint64_t>, keys, std::nullopt,
            WholeValue("N", 1, 1e7),  // a filter is built for each level
            "build the filter of a file with so many keys");
WINNOW_FLAG(
    policy, std::optional<int>, level, std::nullopt, WholeValue("N", 0, inspect::kLastTrialLevel),
    "the level to which the file is written, 0 to 6, where 0 means by a flush (default: the "
    "last level; for SST files, the level of each)");
WINNOW_TAKES(policy, kJobsFlag);
WINNOW_TAKES(policy, kPathFlag);

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::Bits;
using inspect::FamilyPolicy;
using inspect::FileUnderPolicy;
using inspect::OptionsFileReport;
using inspect::Percent;
using inspect::PolicyTrial;
using inspect::PolicyVerdict;
using inspect::TextTable;
using inspect::TrialFile;

std::vector<std::string> Cells(std::string first, const PolicyTrial& trial) {
  if (!trial.filter) {
    return {std::move(first), "none", "-", "-", "-", ""};
  }
  return {std::move(first),
          trial.filter->kind,
          absl::StrCat(trial.filter->bytes),
          Bits(trial.filter->bits_per_key),
          Percent(trial.filter->expected_fpr),
          trial.filter->detail};
}

std::string TrialTable(const std::string& title, Align align,
                       const std::vector<std::vector<std::string>>& rows) {
  return TextTable({{title, align},
                    {"filter", Align::kLeft},
                    {"bytes"},
                    {"bits/key"},
                    {"expected fpr"},
                    {"", Align::kLeft}},
                   rows)
      .ToString();
}

bool SameFilter(const PolicyTrial& a, const PolicyTrial& b) {
  return a.situation == b.situation && a.filter.has_value() == b.filter.has_value() &&
         (!a.filter || (a.filter->kind == b.filter->kind && a.filter->bytes == b.filter->bytes &&
                        a.filter->expected_fpr == b.filter->expected_fpr &&
                        a.filter->detail == b.filter->detail));
}

size_t EndOfEqual(const std::vector<PolicyTrial>& trials, size_t begin) {
  size_t end = begin + 1;
  while (end < trials.size() && SameFilter(trials[begin], trials[end])) {
    ++end;
  }
  return end;
}

std::string Situation(const PolicyTrial& first, const PolicyTrial& last) {
  if (first.level < 0) {
    return first.situation;
  }
  return first.level == last.level
             ? absl::StrCat(first.situation, " to level ", first.level)
             : absl::StrCat(first.situation, " to levels ", first.level, " to ", last.level);
}

std::string LevelTable(const PolicyVerdict& verdict) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < verdict.by_level.size();) {
    const size_t end = EndOfEqual(verdict.by_level, i);
    rows.push_back(
        Cells(Situation(verdict.by_level[i], verdict.by_level[end - 1]), verdict.by_level[i]));
    i = end;
  }
  return TrialTable("file from", Align::kLeft, rows);
}

// Returns a sentence if RocksDB builds no filters on the last level, whatever the policy.
std::string AboutLastLevel(const PolicyVerdict& verdict) {
  if (verdict.last_level_has_filters) return "";
  return "With optimize_filters_for_hits=true RocksDB builds no filters in compactions to the "
         "last\n"
         "level, whatever the policy.\n\n";
}

std::string KeyTable(const PolicyVerdict& verdict) {
  if (!verdict.last_level_has_filters) return "";
  std::vector<std::vector<std::string>> rows;
  for (const PolicyTrial& trial : verdict.by_keys) {
    rows.push_back(Cells(absl::StrCat(trial.keys), trial));
  }
  return absl::StrCat("Built by a compaction to the last level, by number of keys:\n\n",
                      TrialTable("keys", Align::kRight, rows), "\n");
}

std::string FileSentence(const PolicyTrial& file) {
  const std::string subject =
      absl::StrCat("A file of ", file.keys, " keys that is written to level ", file.level);
  return file.filter
             ? absl::StrCat(subject, " has ", file.filter->kind, " of ", file.filter->bytes,
                            " bytes, ", Bits(file.filter->bits_per_key),
                            " bits per key, expected fpr ", Percent(file.filter->expected_fpr),
                            " (", file.filter->detail, ").\n\n")
             : absl::StrCat(subject, " has no filter.\n\n");
}

std::string Trials(const PolicyVerdict& verdict) {
  const inspect::PolicyTree& tree = *verdict.tree;
  return absl::StrCat(
      AboutLastLevel(verdict), verdict.file ? FileSentence(*verdict.file) : KeyTable(verdict),
      "Built for a file of ", verdict.by_level.front().keys,
      " keys, in a tree with keys on levels 1 to ", inspect::kLastTrialLevel, ":\n\n",
      LevelTable(verdict),
      absl::StrFormat(
          "\nAll such levels full, each with %g times the keys of the one above: %.2f "
          "bits per key, and %.3g\nfalse reads expected of a lookup of an absent key.\n",
          tree.size_ratio, tree.bits_per_key, tree.false_reads));
}

std::vector<std::string> FileCells(const FileUnderPolicy& file) {
  if (file.error) {
    return {inspect::Printable(file.path), "-", "-", "-", "-", "-", "-", "not read", "-", "-", "-"};
  }
  std::vector<std::string> cells = {
      inspect::Printable(file.path), file.level ? absl::StrCat(*file.level) : "-",
      absl::StrCat(file.then.keys),  file.now->kind,
      absl::StrCat(file.now->bytes), Percent(file.now->expected_fpr)};
  const std::vector<std::string> then = Cells(absl::StrCat("level ", file.then.level), file.then);
  cells.insert(cells.end(), then.begin(), then.end() - 1);
  return cells;
}

std::string FileTable(const std::vector<FileUnderPolicy>& files, bool trees_read) {
  TextTable table({{"file", Align::kLeft},
                   {"level"},
                   {"keys"},
                   {"filter", Align::kLeft},
                   {"bytes"},
                   {"expected fpr"},
                   {"built for", Align::kLeft},
                   {"with the policy", Align::kLeft},
                   {"bytes"},
                   {"bits/key"},
                   {"expected fpr"}});
  table.Underline();
  uint64_t keys = 0, now = 0, then = 0;
  uint64_t unread = 0;
  for (const FileUnderPolicy& file : files) {
    table.AddRow(FileCells(file));
    keys += file.then.keys;
    now += file.now ? file.now->bytes : 0;
    then += file.then.filter ? file.then.filter->bytes : 0;
    unread += file.error ? 1 : 0;
  }
  const double bits = keys == 0 ? 0 : 8.0 * static_cast<double>(then) / static_cast<double>(keys);
  table.AddRow({"all", "", absl::StrCat(keys), "", absl::StrCat(now), "", "", "",
                absl::StrCat(then), Bits(bits), ""});
  std::string text = table.ToString();
  if (unread > 0) {
    absl::StrAppend(&text, "\n", unread, " of ", files.size(),
                    files.size() == 1 ? " file" : " files",
                    " could not be read, and the sums are without them\n");
  }
  if (!trees_read) {
    text += "\nThere may be more files, as a database's tree could not be read\n";
  }
  return text;
}

bool IsBuiltin(const PolicyTrial& trial) {
  return trial.filter && absl::StartsWith(trial.filter->kind, "builtin-");
}

// Returns a remark on a valid policy for databases that have filters of both families.
absl::string_view AboutOtherFilters(const PolicyVerdict& verdict) {
  if (!verdict.reads_winnow) {
    return ". It does not read Winnow's filters: every lookup reads from files that have them, "
           "until these are compacted";
  }
  return std::any_of(verdict.by_level.begin(), verdict.by_level.end(), IsBuiltin)
             ? ". It builds RocksDB's own filters, and reads them and Winnow's"
             : "";
}

// Returns a remark on filter_memory, which the trial databases don't apply, as they have no
// listener.
absl::string_view AboutMemory(const PolicyVerdict& verdict) {
  return absl::StrContains(verdict.in_force, "filter_memory=")
             ? ". filter_memory needs Winnow's listener in the database: the following is for "
               "bits_per_key, which is in force until then"
             : "";
}

// Returns a remark on options of Winnow's that have no effect.
std::string AboutOptions(const PolicyVerdict& verdict) {
  const std::string text = inspect::OptionsWithoutEffect(verdict.in_force);
  return text.empty() ? text : absl::StrCat(". ", text);
}

std::string AboutRanges(const PolicyVerdict& verdict) {
  const std::string why = inspect::WhyKindHasNoEffect(verdict.in_force);
  if (!why.empty()) return absl::StrCat(". ", why);
  const double bits = inspect::RangeBitsOf(verdict.in_force);
  if (bits == 0) return "";
  const bool is_single = inspect::RangeKindOf(verdict.in_force) == RangeKind::kSingle;
  return absl::StrFormat(
      ". range_bits=%g adds range filters, of about %.1f bits per key if they are positions, in "
      "column families with prefix_extractor=winnow.range, and none in others: the following is "
      "for filters of single keys%s",
      bits, inspect::RangeBitsPerKey(bits),
      is_single ? ", which files with keys of one length do not have beside theirs" : "");
}

// Returns the verdict on a policy without its trials.
std::string Sentence(const PolicyVerdict& verdict) {
  if (verdict.problem.empty()) {
    return absl::StrCat("'", verdict.asked, "' works: RocksDB uses ", verdict.in_force,
                        AboutOtherFilters(verdict), AboutOptions(verdict), AboutMemory(verdict),
                        AboutRanges(verdict), "\n");
  }
  return absl::StrCat("'", verdict.asked, "' gives no such filter: ", verdict.problem,
                      verdict.suggestion.empty()
                          ? std::string()
                          : absl::StrCat(" Did you mean '", verdict.suggestion, "'?"),
                      "\n");
}

// Returns the beginning of a sentence on an argument that may be the path of a missing file or
// folder.
std::string NoSuchPath(absl::string_view argument) {
  return argument.empty() || absl::StrContains(argument, '=')
             ? std::string()
             : absl::StrCat("there is no file or folder '", argument, "'; as a policy, ");
}

int ReportString(const Verb& verb, const std::string& options_string,
                 const std::optional<TrialFile>& file) {
  const PolicyVerdict verdict = inspect::CheckPolicy(options_string, /*with_trials=*/true, file);
  const bool works = verdict.problem.empty();
  if (!works) {
    absl::FPrintF(stderr, "winnow policy: %s%s", NoSuchPath(options_string), Sentence(verdict));
  }
  std::string text;
  if (absl::GetFlag(FLAGS_json)) {
    text = inspect::PolicyJson(verdict);
  } else if (works) {
    text = absl::StrCat(Sentence(verdict), "\n", Trials(verdict));
  }
  return !Print(verb.name, text) ? kCouldNotRead : works ? kAllGood : kFaultFound;
}

// The last level with files of each column family, of databases by their folders.
class LastLevels {
 public:
  explicit LastLevels(const std::vector<inspect::ListedTable>& tables) {
    for (const inspect::ListedTable& table : tables) {
      int& last = last_[KeyOf(table)];
      last = std::max(last, table.level.value_or(0));
    }
  }

  bool Have(const inspect::ListedTable& table) const {
    const auto found = last_.find(KeyOf(table));
    return found != last_.end() && found->second > 0 && table.level == found->second;
  }

 private:
  static std::pair<std::string, std::string> KeyOf(const inspect::ListedTable& table) {
    return {std::filesystem::path(table.path).parent_path().string(), table.column_family};
  }

  std::map<std::pair<std::string, std::string>, int> last_;
};

int ReportTables(const Verb& verb, const std::string& options_string,
                 const std::vector<std::string>& paths) {
  const PolicyVerdict verdict = inspect::CheckPolicy(options_string, /*with_trials=*/false);
  if (!verdict.problem.empty()) {
    return ReportString(verb, options_string, std::nullopt);
  }
  Tables tables = TablesOf(paths);
  const LastLevels last_levels(tables.tables);
  const std::optional<int> level = absl::GetFlag(FLAGS_policy_level);
  FileWork<FileUnderPolicy> work;
  work.read = [&](const inspect::ListedTable& table, const inspect::WorkerReport&) {
    return inspect::TryTable(table, level, !level && last_levels.Have(table), verdict);
  };
  std::vector<FileUnderPolicy> files = ReadEach(tables.tables, work);
  DropGone(paths, &files, &tables.warnings);
  SayWarnings(verb.name, tables.warnings);
  const bool printed =
      Print(verb.name, absl::GetFlag(FLAGS_json)
                           ? inspect::PolicyFilesJson(verdict, files, tables.warnings)
                           : absl::StrCat(Sentence(verdict), "\n", AboutLastLevel(verdict),
                                          FileTable(files, tables.trees_read)));
  for (const FileUnderPolicy& file : files) {
    if (file.fault) {
      absl::FPrintF(stderr, "winnow policy: fault: %s: %s\n", inspect::Printable(file.path),
                    inspect::Printable(*file.fault));
    }
  }
  SayAllUnread(verb.name, files);
  return ExitCodeOf(files, printed && tables.trees_read,
                    [](const FileUnderPolicy& file) { return file.fault.has_value(); });
}

std::string FamilySentence(const FamilyPolicy& family) {
  if (!family.no_filter_asked_for) {
    return Sentence(family.verdict);
  }
  return family.verdict.asked.empty()
             ? "no filter: the file names no filter_policy\n"
             : absl::StrCat("no filter: the file says filter_policy=", family.verdict.asked,
                            ", as RocksDB writes it when none was asked for, and also when it has "
                            "dropped a policy that it did not know\n");
}

// Returns lines on the range filters that the family requests, and whether they are built.
std::string RangeSentences(const FamilyPolicy& family) {
  const inspect::RangeOptions& ranges = family.ranges;
  std::string text;
  const auto say = [&](const std::string& clause) {
    absl::StrAppend(&text, "column family '", family.name, "': ", clause, "\n");
  };
  if (ranges.work()) {
    say(
        absl::StrFormat("range filters by range_bits=%g and prefix_extractor=winnow.range, for "
                        "scans with an upper bound",
                        ranges.range_bits));
  }
  for (const std::string& problem : ranges.problems) say(problem);
  for (const std::string& note : ranges.notes) say(note);
  return text;
}

int ExitCode(const OptionsFileReport& report) {
  const bool refused =
      std::any_of(report.families.begin(), report.families.end(), [](const FamilyPolicy& family) {
        return !family.verdict.problem.empty() || !family.ranges.problems.empty();
      });
  const bool no_filters =
      std::all_of(report.families.begin(), report.families.end(),
                  [](const FamilyPolicy& family) { return family.no_filter_asked_for; });
  return refused || no_filters ? kFaultFound : kAllGood;
}

int ReportFile(const Verb& verb, const std::string& path, const std::optional<TrialFile>& file) {
  OptionsFileReport report = inspect::CheckOptionsFile(path, /*with_trials=*/true, file);
  if (!report.error.empty() && inspect::SignOfPath(path).empty()) {
    absl::StrAppend(&report.error, " (taken for the file of that name; for the policy, write ",
                    "filter_policy=", path, ")");
  }
  const bool json = absl::GetFlag(FLAGS_json);
  const bool printed = !json || Print(verb.name, inspect::OptionsFileJson(report));
  if (!report.error.empty()) {
    absl::FPrintF(stderr, "winnow policy: %s\n", inspect::Printable(report.error));
    return kCouldNotRead;
  }
  const int code = ExitCode(report);
  if (json) {
    return printed ? code : kCouldNotRead;
  }
  std::string text;
  for (const FamilyPolicy& family : report.families) {
    const bool works = !family.no_filter_asked_for && family.verdict.problem.empty();
    const std::string sentence =
        absl::StrCat("column family '", family.name, "': ", FamilySentence(family));
    if (works || code == kAllGood) {
      absl::StrAppend(&text, sentence);
    } else {
      absl::FPrintF(stderr, "%s", sentence);
    }
    if (family.ranges.problems.empty()) {
      absl::StrAppend(&text, RangeSentences(family));
    } else {
      absl::FPrintF(stderr, "%s", RangeSentences(family));
    }
    if (works) {
      absl::StrAppend(&text, "\n", Trials(family.verdict), "\n");
    }
  }
  return Print(verb.name, text) ? code : kCouldNotRead;
}

// Returns an error message if the flags contradict each other, else an empty string.
std::string FlagProblem(const Verb& verb, bool has_tables) {
  const std::optional<uint64_t> keys = absl::GetFlag(FLAGS_policy_keys);
  const std::optional<int> level = absl::GetFlag(FLAGS_policy_level);
  if (keys && has_tables) {
    return "the files have their number of keys: leave out --keys";
  }
  for (const absl::string_view flag : {"path", "jobs"}) {
    if (!has_tables && IsSet(verb, flag)) {
      return absl::StrCat("--", flag, " needs SST files: give a PATH as well");
    }
  }
  return level && !keys && !has_tables ? "--level needs --keys=N or SST files" : std::string();
}

std::optional<TrialFile> FileOfFlags() {
  const std::optional<uint64_t> keys = absl::GetFlag(FLAGS_policy_keys);
  return keys ? std::optional<TrialFile>(
                    {*keys, absl::GetFlag(FLAGS_policy_level).value_or(inspect::kLastTrialLevel)})
              : std::nullopt;
}

int RunPolicy(const Verb& verb, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return WrongUsage(verb, "which policy or OPTIONS file?");
  }
  const std::vector<std::string> tables(arguments.begin() + 1, arguments.end());
  std::string problem = FlagProblem(verb, !tables.empty());
  const std::string& argument = arguments.front();
  std::error_code code;
  const bool is_path =
      !absl::StartsWith(argument, "filter_policy=") &&
      (std::filesystem::exists(std::filesystem::symlink_status(argument, code)) ||
       (!inspect::SignOfPath(argument).empty() && !inspect::IsOptionsString(argument)));
  for (const std::string& table : tables) {
    if (!absl::EndsWith(table, ".sst") && !absl::StrContains(table, '/') &&
        !std::filesystem::exists(std::filesystem::symlink_status(table, code))) {
      problem = absl::StrCat("one policy at a time, and there is no file or folder '", table, "'");
    }
  }
  if (is_path && !tables.empty()) {
    problem = absl::StrCat("one policy at a time can be tried on SST files: '", argument,
                           "' is a path, and a policy is expected first");
  }
  if (!problem.empty()) {
    return WrongUsage(verb, problem);
  }
  // The linked plugin registers itself at startup; this call prints an error if that failed.
  winnow_rocksdb_register();
  return is_path          ? ReportFile(verb, argument, FileOfFlags())
         : tables.empty() ? ReportString(verb, argument, FileOfFlags())
                          : ReportTables(verb, argument, tables);
}

}  // namespace

Verb PolicyVerb() {
  return {"policy",
          "'STRING' [--keys] [--level] | 'STRING' PATH... [--level] [--jobs] [--path] | "
          "OPTIONS-FILE [--keys] [--level] [FLAGS]",
          "Says what RocksDB would do with a filter policy, or why it would silently drop it",
          "STRING is a value of filter_policy: winnow:10, bloomfilter:10,\n"
          "{id=winnow;bits_per_key=10} and so on; or the options of a table, a column family or\n"
          "a database, as block_based_table_factory={filter_policy=winnow:10;block_size=8k}.\n"
          "With optimize_filters_for_hits=true among them, or in an OPTIONS file, RocksDB builds\n"
          "no filters in compactions to the last level, and winnow policy neither.\n"
          "winnow policy opens a database in memory with these. A policy alone is taken as an\n"
          "options string has it; an OPTIONS file differs in braces and semicolons, so try that,\n"
          "too, if you edit one. Then the policy builds filters: for files of up to a million\n"
          "keys, or for the file that --keys and --level describe, and for files of one size on\n"
          "each level of a tree. Bits go by level there, as without a listener; with one they\n"
          "follow from the files of the database.\n"
          "With PATHs of SST files or databases, the policy builds a filter from the keys of each\n"
          "SST file. The table shows it beside the filter in the file. Damaged filters are\n"
          "reported, with exit code 1.\n"
          "With an OPTIONS file, the policy of each column family is checked. For a database's\n"
          "folder, that is its latest OPTIONS file. It is a fault (exit code 1), too, if\n"
          "range_bits or prefix_extractor=winnow.range has no effect there. An argument is a path\n"
          "if it has a slash, is named like an OPTIONS file, or names an existing file.\n"
          "filter_policy=STRING, alone or among other options, is never a path.\n",
          RunPolicy,
          {{"winnow policy winnow:10",
            "the filters that RocksDB builds with it, by number of keys and by level"},
           {"winnow policy '{id=winnow;bits_per_key=8;range_bits=15}'", "a policy with options"},
           {"winnow policy winnow:12 --keys=250000 --level=4",
            "the filter of one file, and filters by level"},
           {"winnow policy bloomfilter:10 DB", "its filters beside those of a database"},
           {"winnow policy OPTIONS", "the policies of all column families of a database"}}};
}

}  // namespace winnow::tools
