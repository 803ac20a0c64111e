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
#include <vector>

#include "src/inspect/filter_json.h"
#include "src/inspect/read_tables.h"
#include "src/inspect/sst_filters.h"
#include "tools/flags.h"
#include "tools/inspect_table.h"
#include "tools/print.h"
#include "tools/table_arguments.h"
#include "tools/table_folders.h"
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

int ExitCode(const Findings& findings) {
  int code = findings.trees_read ? kAllGood : kCouldNotRead;
  for (const SstReport& file : findings.files) {
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
  const Findings findings = ReadPaths(paths, jobs);
  for (const std::string& warning : findings.warnings) {
    absl::FPrintF(stderr, "winnow inspect: %s\n", warning);
  }
  const std::string text = absl::GetFlag(FLAGS_json)
                               ? inspect::InspectJson(findings.files, findings.warnings)
                               : InspectTable(findings.files);
  return Print(verb.name, text) ? ExitCode(findings) : kCouldNotRead;
}

}  // namespace

Verb InspectVerb() {
  return {
      "inspect",
      "PATH... [--jobs=N] [--path=FOLDER] [--json]",
      "Shows which filter was built in each table file, its size and expected rate",
      "A PATH is a table file (*.sst) or a database's folder. For each file: its level if it is\n"
      "known, its entries, and its filter: winnow-bloom, winnow-ribbon, builtin-bloom,\n"
      "builtin-ribbon, none, or unknown. The expected rate is the share of absent keys for which\n"
      "the filter says \"may be here\". The last line, and \"converted\" in JSON, tell how much "
      "of\n"
      "the data has Winnow's filters. Nothing is written, and the database may be in use.\n",
      {"json", "path", "jobs"},
      RunInspect};
}

}  // namespace winnow::tools
