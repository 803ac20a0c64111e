#include "src/database/database.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "src/database/backup_folder.h"
#include "src/database/new_ends.h"
#include "src/database/read_tables.h"
#include "src/database/tree_levels.h"
#include "src/sst/sst_filters.h"
#include "src/sst/unreadable_table.h"
#include "src/workers/wire.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

using ReportsByPath = std::map<std::string, SstReport>;

bool IsTableFile(const fs::path& path) { return path.extension() == ".sst"; }

// Adds the SST files of the folder to *paths.
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

// Returns the name of a MANIFEST in the folder, or an empty string.
std::string AnyManifest(const std::string& folder) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    std::string name = entry->path().filename().string();
    if (name.compare(0, 9, "MANIFEST-") == 0) {
      return name;
    }
  }
  return std::string();
}

void ReadAll(const std::vector<std::string>& paths, const TableReading& reading,
             ReportsByPath* reports) {
  for (SstReport& report : ReadTables(paths, reading)) {
    reports->emplace(report.path, std::move(report));
  }
}

bool LiesIn(const std::string& folder, const std::string& path) {
  return fs::path(path).parent_path() == (fs::path(folder) / "x").lexically_normal().parent_path();
}

// Returns the comparator of each column family. Files in the database's own folder take precedence,
// since the other folders may have files of other databases.
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

// Reads files of the tree that were missing when the folder was listed. Files that are still
// missing get an error.
void ReadMissing(const TreeLevels& tree, const TableReading& reading, ReportsByPath* reports) {
  std::vector<std::string> found_now;
  for (const auto& [path, position] : tree.files) {
    if (reports->count(path) > 0) {
      continue;
    }
    if (position.not_found.empty()) {
      found_now.push_back(path);
    } else {
      SstReport& report = (*reports)[path];
      report.path = path;
      report.error = position.not_found;
    }
  }
  if (!found_now.empty()) {
    TableReading in_silence = reading;
    in_silence.progress = nullptr;
    ReadAll(found_now, in_silence, reports);
  }
}

// Calls ReadTreeLevels(), in a child process if SST files are read by workers.
TreeLevels ReadTree(const std::string& database,
                    const std::map<std::string, std::string>& comparators,
                    const std::vector<std::string>& folders, int workers) {
  constexpr std::chrono::minutes kLongest(10);
  if (workers == 0) {
    return ReadTreeLevels(database, comparators, folders);
  }
  std::string problem;
  std::optional<TreeLevels> tree = Unpack<TreeLevels>(
      AskChild([&] { return Pack(ReadTreeLevels(database, comparators, folders)); }, kLongest),
      &problem);
  if (!tree) {
    tree.emplace().problem =
        absl::StrCat("the process that opened the database did not get through: ", problem);
  }
  return *std::move(tree);
}

bool NothingIsMissing(const ReportsByPath& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const auto& entry) {
    std::error_code code;
    return !entry.second.error || fs::exists(entry.first, code);
  });
}

// Drops unreadable files that were deleted while they were read and are no longer in the tree, as
// happens in a running database.
void DropDeleted(const TreeLevels& tree, ReportsByPath* reports) {
  for (auto entry = reports->begin(); entry != reports->end();) {
    std::error_code code;
    // A dangling symbolic link counts as existing.
    const bool deleted = entry->second.error &&
                         !fs::exists(fs::symlink_status(entry->first, code)) &&
                         tree.files.count(entry->first) == 0;
    entry = deleted ? reports->erase(entry) : std::next(entry);
  }
}

// Rereads unreadable files that are in the tree by now, and drops others, which are no part of the
// database: a running database writes a file before it adds the file to the tree. Returns the
// number of dropped files.
size_t SettleUnread(const TreeLevels& tree, const TableReading& reading, ReportsByPath* reports) {
  size_t taken_away = 0;
  std::vector<std::string> again;
  for (auto entry = reports->begin(); entry != reports->end();) {
    if (!entry->second.error) {
      ++entry;
      continue;
    }
    const bool named = tree.files.count(entry->first) > 0;
    std::error_code code;
    const bool is_there = fs::exists(entry->first, code);
    // A dangling symbolic link is no file that is being written; its error is kept.
    const bool is_link = fs::is_symlink(fs::symlink_status(entry->first, code));
    if (!is_there && (named || is_link)) {
      ++entry;
      continue;
    }
    if (named) {
      again.push_back(entry->first);
    } else {
      ++taken_away;
    }
    entry = reports->erase(entry);
  }
  TableReading in_silence = reading;
  in_silence.progress = nullptr;
  ReadAll(again, in_silence, reports);
  return taken_away;
}

// Drops files outside of the database's own folder that are not in the tree: they may belong to
// other databases.
void DropStrangers(const std::string& database, const TreeLevels& tree, ReportsByPath* reports) {
  for (auto entry = reports->begin(); entry != reports->end();) {
    const bool stranger = tree.files.count(entry->first) == 0 && !LiesIn(database, entry->first);
    entry = stranger ? reports->erase(entry) : std::next(entry);
  }
}

// Returns the number of SST files in the database's folder if the tree is empty, else 0. RocksDB
// reads a MANIFEST that is truncated at the end of a record without an error.
size_t FilesOfLostTree(const std::string& database, const TreeLevels& tree,
                       const ReportsByPath& reports) {
  if (!tree.problem.empty() || !tree.remark.empty() || !tree.files.empty()) {
    return 0;
  }
  return static_cast<size_t>(std::count_if(reports.begin(), reports.end(), [&](const auto& entry) {
    return LiesIn(database, entry.first);
  }));
}

TreeLevels ReadTreeOf(const std::string& database, const std::vector<std::string>& folders,
                      const TableReading& reading, ReportsByPath* reports) {
  constexpr int kAttempts = 3;
  TreeLevels tree;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    tree = ReadTree(database, Comparators(database, *reports), folders, reading.workers);
    ReadMissing(tree, reading, reports);
    DropDeleted(tree, reports);
    if (!tree.files.empty()) {
      DropStrangers(database, tree, reports);
    }
    // An empty tree is read again: a new database may have written its first file before its
    // MANIFEST.
    if (tree.problem.empty() && NothingIsMissing(*reports) &&
        FilesOfLostTree(database, tree, *reports) == 0) {
      break;
    }
  }
  return tree;
}

// Reports a file whose size differs from the MANIFEST as an error, even if it is readable: RocksDB
// refuses to open the database with the file. `advice` is what to do then.
void CompareSize(uint64_t bytes, const std::string& advice, SstReport* report) {
  std::error_code code;
  const uint64_t there = fs::file_size(report->path, code);
  if (code || there == bytes) {
    return;
  }
  const std::string sizes = absl::StrCat("the MANIFEST says ", bytes, " bytes, and it has ", there);
  if (report->error) {
    absl::StrAppend(&*report->error, there < bytes ? "; it is cut off: " : "; ", sizes);
    return;
  }
  SstReport refused;
  refused.path = report->path;
  refused.level = report->level;
  refused.column_family = report->column_family;
  refused.error = absl::StrCat(
      "it is not the file that the database wrote: ", sizes,
      "; RocksDB does not open the database with it, so it counts as not read: ", advice);
  *report = std::move(refused);
}

void Place(const TreeLevels& tree, const std::string& advice, ReportsByPath* reports) {
  for (auto& [path, report] : *reports) {
    const auto found = tree.files.find(path);
    if (found != tree.files.end()) {
      report.level = found->second.level;
      report.place = found->second.place;
      report.column_family = found->second.column_family;
      if (found->second.not_found.empty()) {
        CompareSize(found->second.bytes, advice, &report);
      }
    }
  }
}

// Returns a sentence on files that are not in the tree, such as copied files; empty if there are
// none.
std::string SayUnnamed(const std::string& database, const TreeLevels& tree,
                       const ReportsByPath& reports) {
  size_t unnamed = 0;
  std::string first;
  for (const auto& [path, report] : reports) {
    if (tree.files.count(path) == 0 && unnamed++ == 0) {
      first = fs::path(path).filename().string();
    }
  }
  if (unnamed == 0) {
    return std::string();
  }
  const bool one = unnamed == 1;
  return absl::StrCat(unnamed, one ? " SST file in " : " SST files in ", database,
                      one ? " is" : " are", " not in the database's tree: ", first,
                      one ? "; it is" : ", ...; they are", " shown without a level");
}

// Adds a sentence to the remark.
void Remark(const std::string& sentence, DatabaseReport* database) {
  if (!sentence.empty()) {
    database->remark =
        database->remark ? absl::StrCat(*database->remark, "; ", sentence) : sentence;
  }
}

// Returns a sentence on a run of `winnow refilter` that has not ended; empty if there is none.
std::string AboutUnendedRefilter(const std::string& path) {
  if (!HasRefilterJournal(ROCKSDB_NAMESPACE::Env::Default(), path)) return std::string();
  return absl::StrCat("the file ", kRefilterJournal,
                      " is of a run of 'winnow refilter' that has not ended: if none is at work, "
                      "run it again, with any policy, before anything else opens or repairs the "
                      "database");
}

bool ByLevelThenPath(const SstReport& a, const SstReport& b) {
  if (a.level != b.level) {
    return a.level && (!b.level || *a.level < *b.level);
  }
  return a.path < b.path;
}

DatabaseReport ReadDatabaseBy(const TableReading& reading, const std::string& path,
                              const std::vector<std::string>& table_folders) {
  DatabaseReport database;
  std::error_code code;
  std::set<std::string> listed;
  ListTableFiles(path, &listed, &code);
  if (code) {
    database.error = WhyNotListed(path, code);
    return database;
  }
  if (table_folders.empty() && IsBackupWithoutTables(path)) {
    database.error = AboutBackupWithoutTables(path);
    return database;
  }
  if (HasTablesOfBackups(path)) {
    Remark(AboutTablesOfBackups(), &database);
  }
  const bool is_database = fs::exists(fs::path(path) / "CURRENT", code);
  const std::error_code current = code;  // not set if the file is known to be missing
  const std::string manifest = is_database ? std::string() : AnyManifest(path);
  if (listed.empty() && !is_database && manifest.empty()) {
    database.error = absl::StrCat(
        "neither SST files (*.sst) nor a database (a file CURRENT) are in the folder ", path);
    return database;
  }
  for (const std::string& folder : table_folders) {
    ListTableFiles(folder, &listed, &code);
    if (code) {
      database.error = absl::StrCat(WhyNotListed(folder, code), " (it was named with --path)");
      return database;
    }
  }
  const std::string unended = AboutUnendedRefilter(path);
  ReportsByPath reports;
  std::vector<std::string> paths(listed.begin(), listed.end());
  listed.clear();
  ReadAll(std::exchange(paths, {}), reading, &reports);
  if (is_database) {
    const TreeLevels tree = ReadTreeOf(path, table_folders, reading, &reports);
    if (!tree.problem.empty()) {
      database.warning = absl::StrCat("levels are unknown: ", tree.problem);
    }
    Remark(tree.remark, &database);
    const size_t unfinished =
        tree.problem.empty() && !tree.files.empty() ? SettleUnread(tree, reading, &reports) : 0;
    if (unfinished > 0) {
      Remark(absl::StrCat(
                 unfinished,
                 unfinished == 1
                     ? " file that the database does not name was left out, as it can't be read"
                     : " files that the database does not name were left out, as they can't be "
                       "read",
                 ": being written, or left over"),
             &database);
    }
    if (const size_t files = FilesOfLostTree(path, tree, reports); files > 0) {
      database.warning =
          absl::StrCat("levels are unknown: the MANIFEST names no SST file, though the folder has ",
                       files, ": the MANIFEST is cut off, or they are left over");
    } else if (!tree.files.empty()) {
      Remark(SayUnnamed(path, tree, reports), &database);
    }
    Place(tree, unended.empty() ? "bring back the right file" : unended, &reports);
  }
  if (!unended.empty()) database.warning = unended;
  if (!manifest.empty() && current) {
    database.warning = absl::StrCat(
        "levels are unknown: can't look at the file CURRENT, which names the "
        "MANIFEST in force: ",
        current.message());
  } else if (!manifest.empty()) {
    database.warning = absl::StrCat(
        "levels are unknown: there is a ", manifest,
        ", but no file CURRENT, which names the MANIFEST in force: RocksDB can't open the "
        "database, which may have been copied in part");
  }
  for (auto& [file_path, report] : reports) {
    report.database = path;
    database.files.push_back(std::move(report));
  }
  std::stable_sort(database.files.begin(), database.files.end(), ByLevelThenPath);
  return database;
}

}  // namespace

DatabaseReport ReadDatabase(const std::string& path, const Progress& progress,
                            const std::vector<std::string>& table_folders, int workers) {
  TableReading reading;
  reading.workers = workers;
  reading.progress = progress;
  return ReadDatabaseBy(reading, path, table_folders);
}

DatabaseReport ListDatabase(const std::string& path, const std::vector<std::string>& table_folders,
                            int workers) {
  TableReading reading;
  reading.workers = workers;
  reading.read = ReadSstWithoutItsFilter;
  return ReadDatabaseBy(reading, path, table_folders);
}

}  // namespace winnow::inspect
