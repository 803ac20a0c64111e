#include "tools/table_arguments.h"

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "tools/table_folders.h"

ABSL_FLAG(int, jobs, 0, "files to read at once; 0: as many as the machine has processors");

namespace winnow::tools {

namespace {

int ProcessesFor(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Tables TablesOf(const std::vector<std::string>& paths) {
  Tables tables;
  std::set<std::string> known;
  const int workers = ProcessesFor(absl::GetFlag(FLAGS_jobs));
  for (const std::string& path : paths) {
    inspect::TableList list = inspect::ListTables(path, TableFolders(), workers);
    tables.trees_read = tables.trees_read && list.warnings.empty();
    for (const auto* sentences : {&list.warnings, &list.remarks}) {
      tables.warnings.insert(tables.warnings.end(), sentences->begin(), sentences->end());
    }
    for (inspect::ListedTable& table : list.tables) {
      std::error_code code;
      const std::filesystem::path real = std::filesystem::canonical(table.path, code);
      if (known.insert(code ? table.path : real.string()).second) {
        tables.tables.push_back(std::move(table));
      }
    }
  }
  return tables;
}

bool IsDeletedMeanwhile(const inspect::ListedTable& table) {
  std::error_code code;
  return table.from_folder && !table.error && !std::filesystem::exists(table.path, code);
}

void WarnOfDeleted(size_t files, Tables* tables) {
  if (files > 0) {
    tables->warnings.push_back(
        absl::StrCat(files, files == 1 ? " file was" : " files were",
                     " deleted while others were read, as a database in use does; the files that "
                     "took their place were not read"));
  }
}

int Jobs(std::string* problem) {
  constexpr int kMostJobs = 1024;
  const int jobs = absl::GetFlag(FLAGS_jobs);
  if (jobs < 0 || jobs > kMostJobs) {
    *problem = absl::StrCat("--jobs can be 0 to ", kMostJobs);
  }
  return ProcessesFor(jobs);
}

}  // namespace winnow::tools
