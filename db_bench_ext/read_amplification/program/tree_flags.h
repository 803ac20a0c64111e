// The flags of the tree's shape and of the databases' options.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_TREE_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_TREE_FLAGS_H_

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/program/cache_sizes.h"
#include "db_bench_ext/read_amplification/program/flag_check.h"
#include "db_bench_ext/read_amplification/trees/tree_options.h"

namespace winnow::bench {

// As FlagHelp takes it.
inline constexpr char kTreeFlagsFile[] = "db_bench_ext/read_amplification/program/tree_flags.cc";

struct TreeRequest {
  TreeOptions options;             // seed and value_size are left to the caller
  std::vector<std::string> notes;  // sentences for stderr and the report
  bool plan_only = false;          // say what would be done, and do nothing
  std::vector<CacheSize> cache_sweep;
  uint64_t sweep_reads = 0;
};

// Checks the flags, each and together, and the --options_file; without one, that of the database in
// the folder `like`, if it has one. A given flag wins over the file. An error names the flag and
// says what it has to be. CheckFlagValues is called before.
absl::StatusOr<TreeRequest> TreeRequestOfFlags(const GivenFlags& given, const std::string& like);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_TREE_FLAGS_H_
