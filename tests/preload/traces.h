// Files and output that a program leaves, for comparison with a run without Winnow.

#ifndef WINNOW_TESTS_PRELOAD_TRACES_H_
#define WINNOW_TESTS_PRELOAD_TRACES_H_

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/database_files.h"

namespace winnow::testing {

struct Traces {
  int status;
  std::string output;
  std::string errors;
  std::vector<std::string> filters;
  std::string options;

  bool operator==(const Traces& other) const {
    return status == other.status && output == other.output && errors == other.errors &&
           filters == other.filters && options == other.options;
  }
};

// Returns the traces of the program that wrote the database and had this result.
inline Traces TracesOf(const ChildResult& result, const std::string& database) {
  Traces traces{result.status, result.output, result.errors, {}, NewestOptionsFile(database)};
  for (const FileFilter& file : ReadFilters(database)) {
    traces.filters.push_back(file.policy_name + ": " + file.block);
  }
  return traces;
}

// Returns whether there are filters, and all are Winnow's.
inline bool AllAreWinnows(const std::map<std::string, int>& kinds) {
  return !kinds.empty() && std::all_of(kinds.begin(), kinds.end(), [](const auto& kind) {
    return kind.first.rfind("winnow ", 0) == 0;
  });
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_PRELOAD_TRACES_H_
