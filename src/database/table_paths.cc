#include "src/database/table_paths.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "src/database/backup_folder.h"
#include "src/sst/unreadable_table.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

bool IsThere(const std::string& name) {
  std::error_code code;
  return fs::exists(fs::symlink_status(name, code));
}

bool IsPattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

// Returns true if a folder's listing failed for a reason other than that it was just deleted.
bool IsWorthNaming(const std::error_code& code) {
  return code && code != std::errc::no_such_file_or_directory && code != std::errc::not_a_directory;
}

struct PatternMatches {
  std::vector<std::string> names;
  std::vector<TablePath> unread;  // folders that could not be listed and may have matches
};

// Passes the result to glob()'s callback, which has no context argument.
thread_local std::vector<TablePath>* unread_of_glob = nullptr;

int KeepUnread(const char* folder, int error) {
  const std::error_code code(error, std::generic_category());
  if (IsWorthNaming(code)) {
    unread_of_glob->push_back({folder, false, WhyNotListed(folder, code)});
  }
  return 0;
}

PatternMatches Matches(const std::string& pattern) {
  PatternMatches matches;
  glob_t found{};
  unread_of_glob = &matches.unread;
  if (glob(pattern.c_str(), 0, KeepUnread, &found) == 0) {
    matches.names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return matches;
}

// Contents of a folder: databases and SST files, as ReadDatabase() recognizes them, and subfolders.
// A MANIFEST without a CURRENT is part of a database, too.
struct FolderContents {
  bool database = false;
  bool tables = false;
  // Sorted, without symbolic links; includes paths whose type is unknown.
  std::vector<fs::path> folders;
  std::error_code code;  // error after which there may be more
};

FolderContents ContentsOf(const fs::path& folder) {
  FolderContents contents;
  for (fs::directory_iterator entry(folder, contents.code);
       !contents.code && entry != fs::directory_iterator(); entry.increment(contents.code)) {
    const std::string name = entry->path().filename().string();
    contents.database =
        contents.database || name == "CURRENT" || absl::StartsWith(name, "MANIFEST-");
    contents.tables = contents.tables || absl::EndsWith(name, ".sst");
    std::error_code code;
    const fs::file_status status = entry->symlink_status(code);
    if (fs::is_directory(status) || IsWorthNaming(code)) {
      contents.folders.push_back(entry->path());
    }
  }
  std::sort(contents.folders.begin(), contents.folders.end());
  return contents;
}

// Adds the folder if it has a database or SST files, and, unless it has a database, searches its
// subfolders. Folders that can't be listed are added, too, so that their reader reports the error.
void FindDatabases(const fs::path& folder, int depth, std::vector<std::string>* found) {
  const FolderContents contents = ContentsOf(folder);
  const bool unread = IsWorthNaming(contents.code);
  // A folder with a backup's MANIFEST only is skipped: the backup's SST files are in another
  // folder. If the folder itself was named, its reader reports that.
  if (depth > 0 && !unread && IsBackupWithoutTables(folder.string())) {
    return;
  }
  if (contents.database || contents.tables || unread) {
    found->push_back(folder.string());
  }
  if (contents.database || depth == kDeepestDatabase) {
    return;
  }
  for (const fs::path& inner : contents.folders) {
    FindDatabases(inner, depth + 1, found);
  }
}

class Expansion {
 public:
  void Add(const std::string& name) {
    std::error_code code;
    if (!fs::is_directory(name, code)) {
      AddOnce({name, false, std::string()});
      return;
    }
    std::vector<std::string> databases;
    FindDatabases(name, 0, &databases);
    if (databases.empty()) {
      AddOnce({name, true, std::string()});  // its reader reports that nothing was found
    }
    for (const std::string& database : databases) {
      AddOnce({database, true, std::string()});
    }
  }

  void AddOnce(TablePath path) {
    if (known_.insert(real_paths_.Of(path.path)).second) {
      paths_.push_back(std::move(path));
    }
  }

  std::vector<TablePath> Take() { return std::move(paths_); }

 private:
  std::vector<TablePath> paths_;
  std::set<std::string> known_;
  RealPaths real_paths_;
};

}  // namespace

std::vector<TablePath> ExpandPaths(const std::vector<std::string>& names) {
  Expansion expansion;
  for (const std::string& name : names) {
    if (IsThere(name) || !IsPattern(name)) {
      expansion.Add(name);
      continue;
    }
    PatternMatches matches = Matches(name);
    for (const std::string& match : matches.names) {
      expansion.Add(match);
    }
    for (TablePath& folder : matches.unread) {
      expansion.AddOnce(std::move(folder));
    }
    if (matches.names.empty() && matches.unread.empty()) {
      expansion.AddOnce(
          {name, false, absl::StrCat("no file or folder matches the pattern ", name)});
    }
  }
  return expansion.Take();
}

bool NamesPath(const std::string& name) {
  if (IsThere(name) || !IsPattern(name)) {
    return IsThere(name);
  }
  const PatternMatches matches = Matches(name);
  return !matches.names.empty() || !matches.unread.empty();
}

std::vector<std::string> FamiliesNamed(const std::vector<std::string>& texts,
                                       const std::set<std::string>& names) {
  std::vector<std::string> named;
  for (const std::string& text : texts) {
    if (names.count(text) > 0) {
      named.push_back(text);
      continue;
    }
    for (const absl::string_view name : absl::StrSplit(text, ',', absl::SkipEmpty())) {
      named.emplace_back(name);
    }
  }
  return named;
}

std::string RealPaths::Of(const std::string& path) {
  std::error_code code;
  const fs::path given(path);
  const fs::file_status status = fs::symlink_status(given, code);
  if (!fs::is_regular_file(status)) {
    const fs::path real = fs::canonical(given, code);
    return code ? path : real.string();
  }
  const std::string folder = given.has_parent_path() ? given.parent_path().string() : ".";
  if (last_real_.empty() || folder != last_folder_) {
    const fs::path real = fs::canonical(folder, code);
    last_folder_ = folder;
    last_real_ = code ? folder : real.string();
  }
  return absl::StrCat(last_real_, "/", given.filename().string());
}

}  // namespace winnow::inspect
