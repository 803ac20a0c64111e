// Reads a database's folder, as tests see it: without the code that the tools use.

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
  uint64_t entries = 0;     // of the file
  std::string policy_name;  // in the file's properties; empty if there was none
  std::string block;        // empty if the file has no (whole) filter
};

// One for each SST file in the folder, but for those that are known, in the order of their names.
// Throws std::runtime_error if one can't be read.
std::vector<FileFilter> ReadFilters(const std::string& database,
                                    const std::set<std::string>& known = {});

// "none", "winnow bloom", "winnow ribbon", "winnow empty", "built-in bloom", "built-in ribbon" or
// "other".
std::string KindOf(const std::string& block);

// How many of the database's files have a filter of which kind.
std::map<std::string, int> KindsOfFilters(const std::string& database);

// The path and the text of the newest OPTIONS file in the folder. Throws std::runtime_error if
// there is none.
std::string NewestOptionsPath(const std::string& database);
std::string NewestOptionsFile(const std::string& database);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_DATABASE_FILES_H_
