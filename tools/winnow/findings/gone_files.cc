#include "tools/winnow/findings/gone_files.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "src/database/table_paths.h"

namespace winnow::tools {
namespace {

namespace fs = std::filesystem;

bool IsDatabase(const std::string& path) {
  std::error_code code;
  return fs::exists(fs::path(path) / "CURRENT", code);
}

std::string WereDeleted(size_t files) {
  return absl::StrCat(files, files == 1 ? " file was" : " files were",
                      " deleted while others were read, as a database in use does; the files that "
                      "took their place");
}

// Returns true also if the path exists but can't be accessed.
bool IsThere(const std::string& path) {
  std::error_code code;
  return fs::symlink_status(path, code).type() != fs::file_type::not_found;
}

bool LiesIn(const std::string& folder, const std::string& path) {
  return fs::path(path).parent_path().lexically_normal() ==
         (fs::path(folder) / "x").lexically_normal().parent_path();
}

}  // namespace

std::string AboutGoneFiles(size_t files) {
  return absl::StrCat(WereDeleted(files), " were not read");
}

std::string AboutReplacedFiles(size_t files) {
  return absl::StrCat(WereDeleted(files), " were read");
}

std::set<std::string> GoneFiles(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& unread) {
  std::set<std::string> gone;
  std::remove_copy_if(unread.begin(), unread.end(), std::inserter(gone, gone.end()), IsThere);
  std::vector<std::string> databases;
  for (const inspect::TablePath& argument : inspect::ExpandPaths(arguments)) {
    if (gone.erase(argument.path) == 0 && IsDatabase(argument.path)) {
      databases.push_back(argument.path);
    } else {
      // The files that belong to a folder are known only if it is a database.
      for (auto path = gone.begin(); path != gone.end();) {
        path = LiesIn(argument.path, *path) ? gone.erase(path) : std::next(path);
      }
    }
  }
  if (gone.empty()) {
    return gone;
  }
  if (databases.empty()) {
    return {};
  }
  const Tables now = TablesOf(databases);
  if (!now.trees_read) {
    return {};
  }
  for (const inspect::ListedTable& table : now.tables) {
    gone.erase(table.path);
  }
  return gone;
}

}  // namespace winnow::tools
