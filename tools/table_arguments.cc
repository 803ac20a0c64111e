#include "tools/table_arguments.h"

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "src/inspect/printable.h"
#include "src/inspect/table_paths.h"
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
  inspect::RealPaths real_paths;
  const int workers = ProcessesFor(absl::GetFlag(FLAGS_jobs));
  for (const inspect::TablePath& path : inspect::ExpandPaths(paths)) {
    if (!path.error.empty()) {
      tables.tables.push_back({path.path, std::nullopt, path.error});
      continue;
    }
    inspect::TableList list = inspect::ListTables(path.path, TableFolders(), workers);
    tables.trees_read = tables.trees_read && list.warnings.empty();
    for (const auto* sentences : {&list.warnings, &list.remarks}) {
      std::transform(sentences->begin(), sentences->end(), std::back_inserter(tables.warnings),
                     [](const std::string& sentence) { return inspect::Printable(sentence); });
    }
    for (inspect::ListedTable& table : list.tables) {
      if (known.insert(real_paths.Of(table.path)).second) {
        tables.tables.push_back(std::move(table));
      }
    }
  }
  return tables;
}

bool IsPathArgument(const std::string& argument) { return inspect::NamesPath(argument); }

int Jobs(std::string* problem) {
  constexpr int kMostJobs = 1024;
  const int jobs = absl::GetFlag(FLAGS_jobs);
  if (jobs < 0 || jobs > kMostJobs) {
    *problem = absl::StrCat("--jobs can be 0 to ", kMostJobs);
  }
  return ProcessesFor(jobs);
}

}  // namespace winnow::tools
