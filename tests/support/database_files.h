// Reads the files of a database, independently of the code that the tools use.

#ifndef WINNOW_TESTS_SUPPORT_DATABASE_FILES_H_
#define WINNOW_TESTS_SUPPORT_DATABASE_FILES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace winnow::testing {

struct FileFilter {
  std::string file;
  uint64_t entries = 0;     // entries of the file
  std::string policy_name;  // from the table properties; empty if there is none
  std::string block;        // empty if the file has no (full) filter
};

// Returns the filters of all SST files in the folder that are not in `known`, ordered by file name.
// Throws std::runtime_error if a file can't be read.
std::vector<FileFilter> ReadFilters(const std::string& database,
                                    const std::set<std::string>& known = {});

// Returns "none", "winnow bloom", "winnow ribbon", "winnow empty", "built-in bloom", "built-in
// ribbon" or "other".
std::string KindOf(const std::string& block);

// Returns the number of the database's files by kind of filter.
std::map<std::string, int> KindsOfFilters(const std::string& database);

// Return the path and the text of the newest OPTIONS file in the folder. Throw std::runtime_error
// if there is none.
std::string NewestOptionsPath(const std::string& database);
std::string NewestOptionsFile(const std::string& database);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_DATABASE_FILES_H_
