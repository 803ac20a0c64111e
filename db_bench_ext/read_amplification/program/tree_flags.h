// Flags of the tree's shape and of the databases' options.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_TREE_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_TREE_FLAGS_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/program/flag_rules.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

struct TreeRequest {
  TreeOptions options;             // the caller sets seed and value_size
  std::vector<std::string> notes;  // sentences for stderr and the report
  bool plan_only = false;          // print the plan and do nothing else
};

// Checks the flags, separately and in combination, and the --options_file, by default that of the
// database in the folder `like`, if any. Flags override the file. Errors name the flag and the
// requirement.
absl::StatusOr<TreeRequest> TreeRequestOfFlags(const GivenFlags& given, const std::string& like);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_TREE_FLAGS_H_
