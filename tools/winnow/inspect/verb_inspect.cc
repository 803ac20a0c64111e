// The verb `winnow inspect`, which shows the filter of each SST file.

#include <absl/algorithm/container.h>
#include <absl/flags/flag.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/help.h"
#include "src/cli/progress.h"
#include "src/database/database.h"
#include "src/database/read_tables.h"
#include "src/database/table_paths.h"
#include "src/sst/sst_filters.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/terminal.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/each_file.h"
#include "tools/winnow/findings/families.h"
#include "tools/winnow/findings/file_columns.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/inspect/inspect_report.h"

namespace winnow::tools {
namespace {

using inspect::FileOrder;

struct LevelList {
  std::vector<int> levels;
};

bool AbslParseFlag(absl::string_view text, LevelList* list, std::string* error) {
  static auto* all = new std::vector<int>;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int level = -1;
    if (!absl::SimpleAtoi(word, &level) || level < 0) {
      *error = absl::StrCat("'", word, "' is no level; levels are 0, 1, 2, ...");
      return false;
    }
    if (!absl::c_linear_search(*all, level)) all->push_back(level);
  }
  list->levels = *all;
  return true;
}

std::string AbslUnparseFlag(const LevelList& list) { return absl::StrJoin(list.levels, ","); }

struct Order {
  FileOrder order = FileOrder::kAsRead;
};

// Values of --sort; the last two are names of the JSON.
constexpr std::pair<absl::string_view, FileOrder> kOrders[] = {
    {"path", FileOrder::kPath},         {"level", FileOrder::kLevel},
    {"entries", FileOrder::kEntries},   {"bytes", FileOrder::kBytes},
    {"bits", FileOrder::kBits},         {"fpr", FileOrder::kFpr},
    {"bits_per_key", FileOrder::kBits}, {"expected_fpr", FileOrder::kFpr}};

bool AbslParseFlag(absl::string_view text, Order* order, std::string* error) {
  for (const auto& [name, value] : kOrders) {
    if (text == name) {
      order->order = value;
      return true;
    }
  }
  *error =
      "it can be path, level, entries, bytes, bits (bits_per_key in JSON) or fpr (expected_fpr)";
  return text.empty();
}

std::string AbslUnparseFlag(const Order& order) {
  for (const auto& [name, value] : kOrders) {
    if (order.order == value) {
      return std::string(name);
    }
  }
  return std::string();
}

}  // namespace
}  // namespace winnow::tools

WINNOW_SWITCH(inspect, summary, "list no files; the last line says how much is converted");
WINNOW_TAKES(inspect, kFamilyFlag);
WINNOW_FLAG(inspect, winnow::tools::LevelList, level, {},
            WholeListValue("N", 0, std::numeric_limits<int>::max()),
            "only files of this level; several as for --cf");
WINNOW_FLAG(inspect, winnow::tools::Order, sort, {},
            TextValue("FIELD", "path level entries bytes bits fpr"),
            "sort the files by path or level, or by entries, bytes, bits (per key) or fpr with the "
            "highest first; by default by level and path");
WINNOW_FLAG(inspect, std::optional<uint64_t>, limit, std::nullopt, WholeValue("N", 0, 1e15),
            "list so many files at most; sums are over all files");
WINNOW_TAKES(inspect, kJsonFlag);
WINNOW_SWITCH(inspect, csv, "write comma-separated values (RFC 4180), one line a file");
WINNOW_FLAG(inspect, std::string, html, "", TextValue("FILE"),
            "also write an HTML page of sums, charts and files to this file; it needs no network");
WINNOW_TAKES(inspect, kPathFlag);
WINNOW_TAKES(inspect, kJobsFlag);

namespace winnow::tools {
namespace {

using inspect::SstReport;

constexpr size_t kFilesWorthProgress = 20;

inspect::Progress ShownOn(cli::ProgressLine* line) {
  return [line](size_t done, size_t total) {
    if (done == total) {
      line->Clear();
    } else if (total >= kFilesWorthProgress) {
      line->Show(absl::StrCat(done, " of ", total, " files"));
    }
  };
}

struct Findings {
  std::vector<SstReport> files;
  std::vector<std::string> warnings;
  bool trees_read = true;
  bool found = false;  // some path is a file or folder
};

SstReport Unreadable(const std::string& path, const std::string& error) {
  SstReport report;
  report.path = path;
  report.error = error;
  return report;
}

void ReadFolder(const std::string& path, int jobs, const inspect::Progress& progress,
                Findings* findings) {
  inspect::DatabaseReport database = inspect::ReadDatabase(path, progress, TableFolders(), jobs);
  if (database.error) {
    findings->files.push_back(Unreadable(path, *database.error));
  }
  if (database.warning) {
    findings->warnings.push_back(path + ": " + *database.warning);
    findings->trees_read = false;
  }
  if (database.remark) {
    findings->warnings.push_back(path + ": " + *database.remark);
  }
  std::move(database.files.begin(), database.files.end(), std::back_inserter(findings->files));
}

// Drops repeated files and keeps the position of the first one, with the report that knows the
// database.
void DropRepeated(std::vector<SstReport>* files) {
  std::map<std::string, size_t> places;
  inspect::RealPaths real_paths;
  std::vector<SstReport> once;
  for (SstReport& file : *files) {
    const auto [place, is_new] = places.emplace(real_paths.Of(file.path), once.size());
    if (is_new) {
      once.push_back(std::move(file));
    } else if (once[place->second].database.empty()) {
      once[place->second] = std::move(file);
    }
  }
  *files = std::move(once);
}

// Reads the paths and returns files in the order of the paths. Paths that are files are read
// together by the workers.
Findings ReadPaths(const std::vector<std::string>& names, int jobs) {
  const std::vector<inspect::TablePath> paths = inspect::ExpandPaths(names);
  const auto is_file = [](const inspect::TablePath& path) {
    return !path.is_folder && path.error.empty();
  };
  std::vector<std::string> files;
  for (const inspect::TablePath& path : paths) {
    if (is_file(path)) {
      files.push_back(path.path);
    }
  }
  inspect::TableReading reading;
  reading.workers = jobs;
  cli::ProgressLine line;
  reading.progress = ShownOn(&line);
  std::vector<SstReport> reports = inspect::ReadTables(files, reading);
  Findings findings;
  auto next = reports.begin();
  for (const inspect::TablePath& path : paths) {
    std::error_code code;
    findings.found = findings.found || std::filesystem::exists(path.path, code);
    if (is_file(path)) {
      findings.files.push_back(std::move(*next++));
    } else if (path.is_folder) {
      ReadFolder(path.path, jobs, reading.progress, &findings);
    } else {
      findings.files.push_back(Unreadable(path.path, path.error));
    }
  }
  if (paths.size() > 1) {
    DropRepeated(&findings.files);
  }
  return findings;
}

std::string Text(const inspect::InspectReport& report) {
  if (absl::GetFlag(FLAGS_json)) {
    return inspect::InspectJson(report);
  }
  if (!absl::GetFlag(FLAGS_inspect_csv)) {
    const bool cut = OutputIsTerminal() && !absl::GetFlag(FLAGS_inspect_limit);
    const std::string about_others =
        absl::GetFlag(FLAGS_inspect_summary) ? std::string()
        : cut                                ? absl::StrCat(": --limit=", report.files.size(),
                                                            " lists all here, and a pipe or a file gets all")
                                             : absl::StrCat(" (--limit=", report.listed, ")");
    return InspectTable(report, OutputWidth(), cut ? kRowsOnTerminal : report.listed, about_others);
  }
  if (report.left_out() > 0) {
    absl::FPrintF(stderr, "winnow inspect: %d files are not listed (--limit=%d)\n",
                  report.left_out(), report.listed);
  }
  return inspect::InspectCsv(report);
}

// Returns the selection set by --cf, --level, --sort, --limit and --summary.
inspect::FileSelection SelectionOfFlags() {
  inspect::FileSelection selection;
  selection.families = FamiliesOfFlags();
  selection.levels = absl::GetFlag(FLAGS_inspect_level).levels;
  selection.order = absl::GetFlag(FLAGS_inspect_sort).order;
  selection.limit = absl::GetFlag(FLAGS_inspect_summary) ? std::optional<uint64_t>(0)
                                                         : absl::GetFlag(FLAGS_inspect_limit);
  return selection;
}

int RunInspect(const Verb& verb, const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return WrongUsage(verb, "which files or database folders?");
  }
  if (absl::GetFlag(FLAGS_json) && absl::GetFlag(FLAGS_inspect_csv)) {
    return WrongUsage(verb, "--json or --csv, not both");
  }
  if (absl::GetFlag(FLAGS_inspect_summary) &&
      (absl::GetFlag(FLAGS_inspect_csv) || absl::GetFlag(FLAGS_inspect_limit))) {
    return WrongUsage(verb, "--summary lists no files, which --csv and --limit are about");
  }
  const int jobs = Jobs();
  Findings findings = ReadPaths(paths, jobs);
  for (const std::string& warning : findings.warnings) {
    absl::FPrintF(stderr, "winnow inspect: %s\n", inspect::Printable(warning));
  }
  inspect::FileSelection selection = SelectionOfFlags();
  const std::set<std::string> names = inspect::FamiliesOf(findings.files);
  selection.families = inspect::FamiliesNamed(selection.families, names);
  const std::string problem = inspect::UnknownFamilies(names, selection.families);
  if (!problem.empty()) {
    absl::FPrintF(stderr, "winnow inspect: %s\n", problem);
    return kCouldNotRead;
  }
  inspect::InspectReport report = inspect::MakeInspectReport(
      std::move(findings.files), std::move(findings.warnings), selection);
  report.trees_read = findings.trees_read;
  const std::string html = absl::GetFlag(FLAGS_inspect_html);
  const bool written =
      html.empty() || PrintToFile(verb.name, html, inspect::InspectHtml(report, paths));
  // If no path exists, a table with zero files would mislead.
  const bool is_empty =
      !findings.found && !absl::GetFlag(FLAGS_json) && !absl::GetFlag(FLAGS_inspect_csv);
  return Report(verb, is_empty ? "" : Text(report), report.files, written && report.trees_read,
                [](const SstReport& file) { return file.filter && file.filter->fault; });
}

// Returns the names of all kinds: "winnow-bloom, winnow-ribbon, ..., or unknown".
std::string KindNames() {
  std::string names;
  for (const inspect::KindRow& row : inspect::kKindRows) {
    names += names.empty() ? "" : &row == std::end(inspect::kKindRows) - 1 ? ", or " : ", ";
    names += row.name;
  }
  return names;
}

std::string HelpOfInspect() {
  const std::string of_sums_and_files = absl::StrCat(
      "column family, level and filter: ", KindNames(),
      ". The expected rate (fpr) is the false-positive rate; in sums it is the mean over keys. "
      "\"over bound\" is what filters take beyond n log2(1/fpr) bits for n keys, the least "
      "possible. Keys are what a filter was built from, each once: whole keys, prefixes, or both. "
      "Entries are what an SST file holds: values, deletions, merges and older versions. So there "
      "can be fewer keys than entries, or more. Advice says what could be improved. The line "
      "\"converted\", as in JSON, says how much of the data has Winnow's filters; with --summary "
      "it is the last. Then there is a row for each file, on a terminal for the first 40. Files "
      "are read in several processes: if RocksDB fails on a file, that file is named and the "
      "others are shown. Nothing is written, and the database may be in use.");
  return absl::StrCat(
      cli::Paragraph("A PATH is an SST file (*.sst), a database's folder, a folder with such "
                     "folders in it, or "
                     "a quoted pattern such as 'db/*.sst'; a file named twice counts once. "
                     "Sums over all files "
                     "come first, by " +
                         of_sums_and_files,
                     0),
      "\n"
      "The fields of --json, schema winnow.inspect/1. Rates and shares go from 0 to 1; null is\n"
      "unknown. Names that are not UTF-8 are also there in hexadecimal, with _hex. Lines of --csv\n"
      "have fields of these names.\n",
      inspect::FileFieldsHelp(),
      "  files_left_out   how many --limit left out of files\n"
      "  summary          all, by_column_family, by_level, by_kind, each: files,\n"
      "                   files_not_read, files_without_filter, entries,\n"
      "                   entries_without_filter, file_bytes, keys, bytes, bits_per_key,\n"
      "                   mean_expected_fpr (by keys), bound_bytes, bytes_above_bound,\n"
      "                   range_bytes (of range filters, if there are any)\n"
      "  bloom            of all files: files, partitions, blocks, keys, bytes, bytes_as_ribbons\n"
      "  learned          column families whose bits follow lookups and differ within a\n"
      "                   level: database, column_family, levels, each: level, files,\n"
      "                   least_bits_per_key, bits_per_key, most_bits_per_key (of a file);\n"
      "                   last_level_tenths: bits_per_key in each tenth of the last level's keys\n"
      "  converted        winnow_share_of_entries (of what was read), files_not_read, trees_read\n"
      "                   (false: databases may have more files); winnow, builtin, none and\n"
      "                   unknown, each: files, entries, keys, filter_bytes\n"
      "  advice, warnings sentences\n");
}

}  // namespace

Verb InspectVerb() {
  static const auto* const help = new std::string(HelpOfInspect());
  return {
      "inspect",
      "PATH... [FLAGS] [--jobs] [--path] [--json|--csv] [--html]",
      "Shows which filter each SST file has, its size and expected rate",
      *help,
      RunInspect,
      {{"winnow inspect DB", "the filter of every SST file of a database, and sums"},
       {"winnow inspect DB --summary", "only the sums, and how much is converted"},
       {"winnow inspect FILE.sst", "the filter of one file"},
       {"winnow inspect DB --json", "the same for a script"},
       {"winnow inspect DB --level=6 --sort=fpr --limit=10", "the ten worst filters of level 6"},
       {"winnow inspect DB --csv", "a line for each file, for a spreadsheet"}}};
}

}  // namespace winnow::tools
