#include "src/inspect/table_paths.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "src/inspect/backup_folder.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

bool IsThere(const std::string& name) {
  std::error_code code;
  return fs::exists(fs::symlink_status(name, code));
}

bool IsPattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

std::vector<std::string> Matches(const std::string& pattern) {
  std::vector<std::string> matches;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    matches.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return matches;
}

// What ReadDatabase finds in a folder. A MANIFEST is part of a database whose CURRENT is gone.
struct FolderContents {
  bool database = false;
  bool tables = false;
};

FolderContents ContentsOf(const fs::path& folder) {
  FolderContents contents;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    contents.database =
        contents.database || name == "CURRENT" || absl::StartsWith(name, "MANIFEST-");
    contents.tables = contents.tables || absl::EndsWith(name, ".sst");
  }
  return contents;
}

// What there is to read in the folder itself and, where that is no database, in those in it.
void FindDatabases(const fs::path& folder, int depth, std::vector<std::string>* found) {
  // What it has besides its MANIFEST is found beside it. Where it is what was named, its reader
  // says so.
  if (depth > 0 && IsBackupWithoutTables(folder.string())) {
    return;
  }
  const FolderContents contents = ContentsOf(folder);
  if (contents.database || contents.tables) {
    found->push_back(folder.string());
  }
  if (contents.database || depth == kDeepestDatabase) {
    return;
  }
  std::vector<fs::path> folders;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator();
       entry.increment(code)) {
    std::error_code ignored;
    if (!entry->is_symlink(ignored) && entry->is_directory(ignored)) {
      folders.push_back(entry->path());
    }
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& inner : folders) {
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
      AddOnce({name, true, std::string()});  // whose reader says what is missing
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
    const std::vector<std::string> matches = Matches(name);
    for (const std::string& match : matches) {
      expansion.Add(match);
    }
    if (matches.empty()) {
      expansion.AddOnce(
          {name, false, absl::StrCat("no file or folder matches the pattern ", name)});
    }
  }
  return expansion.Take();
}

bool NamesPath(const std::string& name) {
  return IsThere(name) || (IsPattern(name) && !Matches(name).empty());
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
