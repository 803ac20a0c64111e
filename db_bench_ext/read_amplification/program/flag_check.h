// The rules of flags, by which they are checked: on the command line before Abseil reads them,
// their values afterwards, and with one another.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_

#include <absl/status/status.h>

#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/lookups/benchmarks.h"

namespace winnow::bench {

// An error that names the flag, and the one that was meant or the range, if a word is a flag that
// there is not, has no value, or a number out of its range. Abseil's words for these say neither.
absl::Status CheckFlagWords(const std::vector<std::string>& words);

// The same of the values that the flags have now, wherever they come from (--flagfile).
absl::Status CheckFlagValues();

using GivenFlags = std::set<std::string, std::less<>>;  // names without dashes

// The flags that a person gave, as against those that have their default: what the words of a
// command line name, the program's first, and what has another value than its default (from
// --flagfile and its like). To be called after the words were parsed. Abseil knows it too but has
// no public function for it.
GivenFlags FindGivenFlags(const std::vector<std::string>& words);

// An error for a flag that has no meaning with --use_existing_db, or without a workload that is not
// among these.
absl::Status CheckOnExisting(const GivenFlags& given);
absl::Status CheckFollowed(const GivenFlags& given, const BenchmarkList& benchmarks);

// Refusal of what can't be done or has no meaning, and the sentence that says so.
struct Refusal {
  bool applies;
  std::string why;
};

// The first that applies, as an error.
absl::Status FirstOf(std::initializer_list<Refusal> refusals);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_
