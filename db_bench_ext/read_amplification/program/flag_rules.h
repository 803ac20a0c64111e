// Rules of combinations of flags.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_RULES_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_RULES_H_

#include <absl/status/status.h>

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/benchmarks.h"

namespace winnow::bench {

using GivenFlags = std::set<std::string, std::less<>>;  // names on the command line

// Return an error for a given flag that has no effect with --use_existing_db, or that requires a
// benchmark not in the list.
absl::Status CheckOnExisting(const GivenFlags& given);
absl::Status CheckFollowed(const GivenFlags& given, const BenchmarkList& benchmarks);

// Condition under which flags are refused, and its message.
struct Refusal {
  bool applies;
  std::string why;
};

// Returns the first refusal that applies as an error, else OK.
absl::Status FirstOf(std::initializer_list<Refusal> refusals);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_RULES_H_
