#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "src/inspect/sst_filters.h"
#include "src/inspect/tree_levels.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

using ReportsByPath = std::map<std::string, SstReport>;

bool IsTableFile(const fs::path& path) { return path.extension() == ".sst"; }

std::set<std::string> ListTableFiles(const std::string& folder, std::error_code* code) {
  std::set<std::string> paths;
  fs::directory_iterator entry(folder, *code);
  while (!*code && entry != fs::directory_iterator()) {
    if (IsTableFile(entry->path())) {
      paths.insert(entry->path().lexically_normal().string());
    }
    entry.increment(*code);
  }
  return paths;
}

ReportsByPath ReadAll(const std::set<std::string>& paths, const Progress& progress) {
  ReportsByPath reports;
  for (const std::string& path : paths) {
    if (progress) {
      progress(reports.size(), paths.size());
    }
    reports.emplace(path, ReadSst(path));
  }
  if (progress) {
    progress(reports.size(), paths.size());
  }
  return reports;
}

std::map<std::string, std::string> Comparators(const ReportsByPath& reports) {
  std::map<std::string, std::string> comparators;
  for (const auto& [path, report] : reports) {
    if (!report.error && !report.comparator.empty()) {
      comparators[report.column_family] = report.comparator;
    }
  }
  return comparators;
}

// Files that the tree names and that were not there, or not yet, when the folder was listed.
void ReadMissing(const TreeLevels& tree, ReportsByPath* reports) {
  for (const auto& [path, position] : tree.files) {
    if (reports->count(path) == 0) {
      reports->emplace(path, ReadSst(path));
    }
  }
}

bool NothingIsMissing(const ReportsByPath& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const auto& entry) {
    std::error_code code;
    return !entry.second.error || fs::exists(entry.first, code);
  });
}

// A database that is in use replaces its files while we read: those that were deleted meanwhile and
// that its tree no longer names were not part of it.
void DropDeleted(const TreeLevels& tree, ReportsByPath* reports) {
  for (auto entry = reports->begin(); entry != reports->end();) {
    std::error_code code;
    const bool deleted = entry->second.error && !fs::exists(entry->first, code) &&
                         tree.files.count(entry->first) == 0;
    entry = deleted ? reports->erase(entry) : std::next(entry);
  }
}

TreeLevels ReadTreeOf(const std::string& folder, ReportsByPath* reports) {
  constexpr int kAttempts = 3;
  TreeLevels tree;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    tree = ReadTreeLevels(folder, Comparators(*reports));
    ReadMissing(tree, reports);
    DropDeleted(tree, reports);
    if (tree.problem.empty() && NothingIsMissing(*reports)) {
      break;
    }
  }
  return tree;
}

void Place(const TreeLevels& tree, ReportsByPath* reports) {
  for (auto& [path, report] : *reports) {
    const auto found = tree.files.find(path);
    if (found != tree.files.end()) {
      report.level = found->second.level;
      report.column_family = found->second.column_family;
    }
  }
}

bool ByLevelThenPath(const SstReport& a, const SstReport& b) {
  if (a.level != b.level) {
    return a.level && (!b.level || *a.level < *b.level);
  }
  return a.path < b.path;
}

}  // namespace

DatabaseReport ReadDatabase(const std::string& path, const Progress& progress) {
  DatabaseReport database;
  std::error_code code;
  const std::set<std::string> listed = ListTableFiles(path, &code);
  if (code) {
    database.error = absl::StrCat("can't list the folder ", path, ": ", code.message());
    return database;
  }
  const bool is_database = fs::exists(fs::path(path) / "CURRENT", code);
  if (listed.empty() && !is_database) {
    database.error = absl::StrCat(
        "neither table files (*.sst) nor a database (a file CURRENT) are in the folder ", path);
    return database;
  }
  ReportsByPath reports = ReadAll(listed, progress);
  if (is_database) {
    const TreeLevels tree = ReadTreeOf(path, &reports);
    Place(tree, &reports);
    if (!tree.problem.empty()) {
      database.warning = absl::StrCat("levels are unknown: ", tree.problem);
    }
  }
  for (auto& [file_path, report] : reports) {
    database.files.push_back(std::move(report));
  }
  std::stable_sort(database.files.begin(), database.files.end(), ByLevelThenPath);
  return database;
}

}  // namespace winnow::inspect
