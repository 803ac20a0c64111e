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

// Adds to *paths what lies in the folder.
void ListTableFiles(const std::string& folder, std::set<std::string>* paths,
                    std::error_code* code) {
  fs::directory_iterator entry(folder, *code);
  while (!*code && entry != fs::directory_iterator()) {
    if (IsTableFile(entry->path())) {
      paths->insert(entry->path().lexically_normal().string());
    }
    entry.increment(*code);
  }
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

bool LiesIn(const std::string& folder, const std::string& path) {
  return fs::path(path).parent_path() == (fs::path(folder) / "x").lexically_normal().parent_path();
}

// The database's own folder counts first: the others may have files of other databases as well.
std::map<std::string, std::string> Comparators(const std::string& database,
                                               const ReportsByPath& reports) {
  std::map<std::string, std::string> comparators;
  for (const bool own : {true, false}) {
    for (const auto& [path, report] : reports) {
      if (!report.error && !report.comparator.empty() && LiesIn(database, path) == own) {
        comparators.emplace(report.column_family, report.comparator);
      }
    }
  }
  return comparators;
}

SstReport ReadNamedFile(const std::string& path, const TreePosition& position) {
  if (position.not_found.empty()) {
    return ReadSst(path);
  }
  SstReport report;
  report.path = path;
  report.error = position.not_found;
  return report;
}

// Files that the tree names and that were not there, or not yet, when the folder was listed.
void ReadMissing(const TreeLevels& tree, ReportsByPath* reports) {
  for (const auto& [path, position] : tree.files) {
    if (reports->count(path) == 0) {
      reports->emplace(path, ReadNamedFile(path, position));
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

// Of the folders beside the database's own, which may be those of other databases as well.
void DropStrangers(const std::string& database, const TreeLevels& tree, ReportsByPath* reports) {
  for (auto entry = reports->begin(); entry != reports->end();) {
    const bool stranger = tree.files.count(entry->first) == 0 && !LiesIn(database, entry->first);
    entry = stranger ? reports->erase(entry) : std::next(entry);
  }
}

TreeLevels ReadTreeOf(const std::string& database, const std::vector<std::string>& folders,
                      ReportsByPath* reports) {
  constexpr int kAttempts = 3;
  TreeLevels tree;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    tree = ReadTreeLevels(database, Comparators(database, *reports), folders);
    ReadMissing(tree, reports);
    DropDeleted(tree, reports);
    if (!tree.files.empty()) {
      DropStrangers(database, tree, reports);
    }
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

DatabaseReport ReadDatabase(const std::string& path, const Progress& progress,
                            const std::vector<std::string>& table_folders) {
  DatabaseReport database;
  std::error_code code;
  std::set<std::string> listed;
  ListTableFiles(path, &listed, &code);
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
  for (const std::string& folder : table_folders) {
    ListTableFiles(folder, &listed, &code);
    if (code) {
      database.error =
          absl::StrCat("can't list the folder ", folder, " of table files: ", code.message());
      return database;
    }
  }
  ReportsByPath reports = ReadAll(listed, progress);
  if (is_database) {
    const TreeLevels tree = ReadTreeOf(path, table_folders, &reports);
    Place(tree, &reports);
    if (!tree.problem.empty()) {
      database.warning = absl::StrCat("levels are unknown: ", tree.problem);
    }
    if (!tree.remark.empty()) {
      database.remark = tree.remark;
    }
  }
  for (auto& [file_path, report] : reports) {
    database.files.push_back(std::move(report));
  }
  std::stable_sort(database.files.begin(), database.files.end(), ByLevelThenPath);
  return database;
}

}  // namespace winnow::inspect
