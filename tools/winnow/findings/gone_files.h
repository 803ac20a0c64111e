// Files that a running database deletes while they are read, and the files that replace them.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_GONE_FILES_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_GONE_FILES_H_

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/table_arguments.h"

namespace winnow::tools {

// Returns those of the `unread` paths that were deleted by a database among the arguments: files
// that no longer exist, lay in a database's folder and are not in its current tree. Such files
// need no error message. Reads these databases again if any such path exists.
std::set<std::string> GoneFiles(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& unread);

// Returns a message for stderr, "2 files were deleted …": that the files in their place were not
// read, or that they were.
std::string AboutGoneFiles(size_t files);
std::string AboutReplacedFiles(size_t files);

// Returns the paths of deleted files among results, each of which has a path and an error.
template <typename File>
std::set<std::string> GoneOf(const std::vector<std::string>& arguments,
                             const std::vector<File>& files) {
  std::vector<std::string> unread;
  for (const File& file : files) {
    if (file.error) {
      unread.push_back(file.path);
    }
  }
  return unread.empty() ? std::set<std::string>() : GoneFiles(arguments, unread);
}

// Removes the results of deleted files, and adds a warning about them.
template <typename File>
void DropGone(const std::vector<std::string>& arguments, std::vector<File>* files,
              std::vector<std::string>* warnings) {
  const std::set<std::string> gone = GoneOf(arguments, *files);
  files->erase(std::remove_if(files->begin(), files->end(),
                              [&gone](const File& file) { return gone.count(file.path) > 0; }),
               files->end());
  if (!gone.empty()) {
    warnings->push_back(AboutGoneFiles(gone.size()));
  }
}

// Reads the tables of the arguments, which TablesOfFamilies selects, into *tables; returns nullopt
// on failure. `read` returns a result with path and error for each table. If files were deleted
// meanwhile, the databases are listed again and new files are read, so that all results belong to
// one state of each database, the state in *tables. After kMaxTimes attempts the errors of deleted
// files stay. Prints all warnings.
template <typename File, typename Read>
std::optional<std::vector<File>> ReadInPlaceOfGone(const Verb& verb,
                                                   const std::vector<std::string>& arguments,
                                                   const Read& read, Tables* tables) {
  constexpr int kMaxTimes = 5;
  std::string wrong;
  *tables = TablesOfFamilies(arguments, &wrong);
  if (!wrong.empty()) {
    tables->warnings.push_back(wrong);
    SayWarnings(verb.name, tables->warnings);
    return std::nullopt;
  }
  std::map<std::string, File> known;
  std::vector<File> files;
  std::set<std::string> all_gone;
  for (int time = 0; time < kMaxTimes; ++time) {
    std::vector<inspect::ListedTable> fresh;
    for (const inspect::ListedTable& table : tables->tables) {
      if (known.count(table.path) == 0) {
        fresh.push_back(table);
      }
    }
    for (File& file : read(fresh)) {
      const std::string path = file.path;
      known.emplace(path, std::move(file));
    }
    files.clear();
    for (const inspect::ListedTable& table : tables->tables) {
      files.push_back(known.at(table.path));
    }
    const std::set<std::string> gone = GoneOf(arguments, files);
    if (gone.empty()) {
      break;
    }
    for (const std::string& path : gone) {
      known.erase(path);
    }
    all_gone.insert(gone.begin(), gone.end());
    std::string problem;
    Tables now = TablesOfFamilies(arguments, &problem);
    if (!problem.empty()) {
      break;
    }
    *tables = std::move(now);
  }
  if (!all_gone.empty()) {
    tables->warnings.push_back(AboutReplacedFiles(all_gone.size()));
  }
  SayWarnings(verb.name, tables->warnings);
  return files;
}

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_GONE_FILES_H_
