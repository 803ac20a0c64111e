// `winnow inspect`: which filters are in these files.

#include <absl/flags/flag.h>
#include <absl/strings/str_format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/inspect/filter_json.h"
#include "src/inspect/inspect_report.h"
#include "src/inspect/read_tables.h"
#include "src/inspect/sst_filters.h"
#include "tools/flags.h"
#include "tools/inspect_flags.h"
#include "tools/inspect_table.h"
#include "tools/print.h"
#include "tools/table_arguments.h"
#include "tools/table_folders.h"
#include "tools/terminal.h"
#include "tools/verbs.h"

namespace winnow::tools {
namespace {

using inspect::SstReport;

constexpr size_t kFilesWorthProgress = 20;

void ShowProgress(size_t done, size_t total) {
  if (total < kFilesWorthProgress || isatty(STDERR_FILENO) == 0) {
    return;
  }
  if (done < total) {
    absl::FPrintF(stderr, "\r%d of %d files", done, total);
  } else {
    std::fputs("\r\033[K", stderr);
  }
  std::fflush(stderr);
}

struct Findings {
  std::vector<SstReport> files;
  std::vector<std::string> warnings;
  bool trees_read = true;
};

SstReport Unreadable(const std::string& path, const std::string& error) {
  SstReport report;
  report.path = path;
  report.error = error;
  return report;
}

void ReadFolder(const std::string& path, int jobs, Findings* findings) {
  inspect::DatabaseReport database =
      inspect::ReadDatabase(path, ShowProgress, TableFolders(), jobs);
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

// In the order of the paths; what are no folders is read together.
Findings ReadPaths(const std::vector<std::string>& paths, int jobs) {
  const auto is_folder = [](const std::string& path) {
    std::error_code code;
    return std::filesystem::is_directory(path, code);
  };
  std::vector<std::string> files;
  std::remove_copy_if(paths.begin(), paths.end(), std::back_inserter(files), is_folder);
  inspect::TableReading reading;
  reading.workers = jobs;
  reading.progress = ShowProgress;
  std::vector<SstReport> reports = inspect::ReadTables(files, reading);
  Findings findings;
  auto next = reports.begin();
  for (const std::string& path : paths) {
    if (next != reports.end() && path == next->path) {
      findings.files.push_back(std::move(*next++));
    } else {
      ReadFolder(path, jobs, &findings);
    }
  }
  return findings;
}

int ExitCode(const inspect::InspectReport& report, bool trees_read) {
  int code = trees_read ? kAllGood : kCouldNotRead;
  for (const SstReport& file : report.files) {
    if (file.error) {
      return kCouldNotRead;
    }
    if (file.filter->fault && code == kAllGood) {
      code = kFaultFound;
    }
  }
  return code;
}

int RunInspect(const Verb& verb, const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return WrongUsage(verb, "which files or database folders?");
  }
  std::string problem;
  const int jobs = Jobs(&problem);
  if (!problem.empty()) {
    return WrongUsage(verb, problem);
  }
  Findings findings = ReadPaths(paths, jobs);
  for (const std::string& warning : findings.warnings) {
    absl::FPrintF(stderr, "winnow inspect: %s\n", warning);
  }
  const inspect::FileSelection selection = SelectionOfFlags();
  problem = inspect::UnknownFamilies(findings.files, selection);
  if (!problem.empty()) {
    absl::FPrintF(stderr, "winnow inspect: %s\n", problem);
    return kCouldNotRead;
  }
  const inspect::InspectReport report = inspect::MakeInspectReport(
      std::move(findings.files), std::move(findings.warnings), selection);
  const std::string text = absl::GetFlag(FLAGS_json) ? inspect::InspectJson(report)
                                                     : InspectTable(report, OutputWidth());
  return Print(verb.name, text) ? ExitCode(report, findings.trees_read) : kCouldNotRead;
}

}  // namespace

Verb InspectVerb() {
  return {
      "inspect",
      "PATH... [--cf=NAME] [--level=N] [--sort=FIELD] [--limit=N] [--jobs=N] [--path=FOLDER] "
      "[--json]",
      "Shows which filter was built in each table file, its size and expected rate",
      "A PATH is a table file (*.sst) or a database's folder. Sums over all files come first, by\n"
      "column family, level and filter: winnow-bloom, winnow-ribbon, builtin-bloom,\n"
      "builtin-ribbon, none, or unknown. The expected rate (fpr) is the share of absent keys for\n"
      "which the filter says \"may be here\", in sums the mean over keys; \"over bound\" is what\n"
      "filters take beyond n log2(1/fpr) bits for n keys, the least that is possible. The line\n"
      "\"converted\", as in JSON, tells how much of the data has Winnow's filters. Advice says "
      "what\n"
      "could be done. Then there is a row for each file. Files are read in several processes: one\n"
      "that RocksDB does not get through is named, and the others are shown. Nothing is written,\n"
      "and the database may be in use.\n",
      {"cf", "level", "sort", "limit", "json", "path", "jobs"},
      RunInspect,
      {{"winnow inspect DB", "the filter of every table file of a database, and sums"},
       {"winnow inspect FILE.sst", "that of one file"},
       {"winnow inspect DB --json", "the same for a script"}}};
}

}  // namespace winnow::tools
