// `winnow policy`: what RocksDB makes of a policy's options string, or of an OPTIONS file.

#include <absl/flags/flag.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "src/inspect/filter_json.h"
#include "src/inspect/options_file.h"
#include "src/inspect/options_path.h"
#include "src/inspect/policy_check.h"
#include "src/inspect/text_table.h"
#include "tools/cells.h"
#include "tools/flags.h"
#include "tools/print.h"
#include "tools/verbs.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::tools {
namespace {

using inspect::Align;
using inspect::FamilyPolicy;
using inspect::OptionsFileReport;
using inspect::PolicyOutcome;
using inspect::PolicyTrial;
using inspect::PolicyVerdict;
using inspect::TextTable;

std::vector<std::string> Cells(std::string first, const PolicyTrial& trial) {
  if (!trial.filter) {
    return {std::move(first), "none", "-", "-", "-", ""};
  }
  return {std::move(first),
          trial.filter->kind,
          Count(trial.filter->bytes),
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
                        a.filter->expected_fpr == b.filter->expected_fpr));
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

std::string Trials(const PolicyVerdict& verdict) {
  std::vector<std::vector<std::string>> by_keys;
  for (const PolicyTrial& trial : verdict.by_keys) {
    by_keys.push_back(Cells(Count(trial.keys), trial));
  }
  std::vector<std::vector<std::string>> by_level;
  for (size_t i = 0; i < verdict.by_level.size();) {
    const size_t end = EndOfEqual(verdict.by_level, i);
    by_level.push_back(
        Cells(Situation(verdict.by_level[i], verdict.by_level[end - 1]), verdict.by_level[i]));
    i = end;
  }
  return absl::StrCat("Built by a compaction to the last level, by number of keys:\n\n",
                      TrialTable("keys", Align::kRight, by_keys), "\nBuilt for a file of ",
                      verdict.by_level.front().keys, " keys:\n\n",
                      TrialTable("file from", Align::kLeft, by_level));
}

bool IsBuiltin(const PolicyTrial& trial) {
  return trial.filter && absl::StartsWith(trial.filter->kind, "builtin-");
}

// What to know of a policy that works, where files have filters of both families.
absl::string_view AboutOtherFilters(const PolicyVerdict& verdict) {
  if (!verdict.reads_winnow) {
    return ". It does not read Winnow's filters: every lookup reads from files that have them, "
           "until these are compacted";
  }
  return std::any_of(verdict.by_level.begin(), verdict.by_level.end(), IsBuiltin)
             ? ". It builds RocksDB's own filters, and reads them and Winnow's"
             : "";
}

// The verdict on what was asked for, without the trials. `aside` is said of a policy with a
// problem.
std::string Sentence(const PolicyVerdict& verdict, absl::string_view aside = "") {
  if (verdict.problem.empty()) {
    return absl::StrCat("'", verdict.asked, "' works: RocksDB uses ", verdict.in_force,
                        AboutOtherFilters(verdict), "\n");
  }
  return absl::StrCat(
      "'", verdict.asked, "'", aside, " ",
      verdict.outcome == PolicyOutcome::kDependsOnPlace ? "does not work everywhere: "
                                                        : "gives no such filter: ",
      verdict.problem,
      verdict.suggestion.empty() ? std::string()
                                 : absl::StrCat(" Did you mean '", verdict.suggestion, "'?"),
      "\n");
}

// What may have been the name of a file that is not there.
absl::string_view TakenForPolicy(absl::string_view argument) {
  return argument.empty() || absl::StrContains(argument, '=')
             ? ""
             : ", taken for a policy, as there is no file of that name,";
}

int ReportString(const Verb& verb, const std::string& options_string) {
  const PolicyVerdict verdict = inspect::CheckPolicy(options_string, /*with_trials=*/true);
  const bool works = verdict.problem.empty();
  if (!works) {
    absl::FPrintF(stderr, "winnow policy: %s", Sentence(verdict, TakenForPolicy(options_string)));
  }
  std::string text;
  if (absl::GetFlag(FLAGS_json)) {
    text = inspect::PolicyJson(verdict);
  } else if (works) {
    text = absl::StrCat(Sentence(verdict), "\n", Trials(verdict));
  }
  return !Print(verb.name, text) ? kCouldNotRead : works ? kAllGood : kFaultFound;
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

int ExitCode(const OptionsFileReport& report) {
  const bool refused =
      std::any_of(report.families.begin(), report.families.end(),
                  [](const FamilyPolicy& family) { return !family.verdict.problem.empty(); });
  const bool no_filters =
      std::all_of(report.families.begin(), report.families.end(),
                  [](const FamilyPolicy& family) { return family.no_filter_asked_for; });
  return refused || no_filters ? kFaultFound : kAllGood;
}

int ReportFile(const Verb& verb, const std::string& path) {
  OptionsFileReport report = inspect::CheckOptionsFile(path, /*with_trials=*/true);
  if (!report.error.empty() && inspect::SignOfPath(path).empty()) {
    absl::StrAppend(&report.error, " (taken for the file of that name; for the policy, write ",
                    "filter_policy=", path, ")");
  }
  const bool json = absl::GetFlag(FLAGS_json);
  const bool printed = !json || Print(verb.name, inspect::OptionsFileJson(report));
  if (!report.error.empty()) {
    absl::FPrintF(stderr, "winnow policy: %s\n", report.error);
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
    if (works) {
      absl::StrAppend(&text, "\n", Trials(family.verdict), "\n");
    }
  }
  return Print(verb.name, text) ? code : kCouldNotRead;
}

int RunPolicy(const Verb& verb, const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    return WrongUsage(verb, arguments.empty() ? "which policy or OPTIONS file?"
                                              : "one policy or OPTIONS file at a time");
  }
  // Linked, the plugin has registered itself; this says on stderr if it could not.
  winnow_rocksdb_register();
  const std::string& argument = arguments.front();
  std::error_code code;
  const bool is_path = !absl::StartsWith(argument, "filter_policy=") &&
                       (std::filesystem::exists(std::filesystem::symlink_status(argument, code)) ||
                        !inspect::SignOfPath(argument).empty());
  return is_path ? ReportFile(verb, argument) : ReportString(verb, argument);
}

}  // namespace

Verb PolicyVerb() {
  return {"policy",
          "'STRING'|OPTIONS-FILE [--json]",
          "Says what RocksDB would do with a filter policy, or why it would silently drop it",
          "STRING is the value of filter_policy: winnow:10, bloomfilter:10,\n"
          "{id=winnow;bits_per_key=10} and so on. Databases in memory are opened with it,\n"
          "written in an options string and in an OPTIONS file, and the policy is made to\n"
          "build filters of up to a million keys.\n"
          "With an OPTIONS file, or a database's folder for its latest one, every column\n"
          "family is judged. What has a slash or is called like an OPTIONS file is a path. A\n"
          "file of the same name goes before a policy; filter_policy=STRING is always a\n"
          "policy.\n",
          {"json"},
          RunPolicy,
          {{"winnow policy winnow:10", "what RocksDB builds with it, by keys and by level"},
           {"winnow policy '{id=winnow;bits_per_key=8;level_plan=auto}'", "one with options"},
           {"winnow policy OPTIONS", "the policies of all column families of a database"}}};
}

}  // namespace winnow::tools
