// Rules of flags: checks on the command line before Abseil parses it, of values afterwards, and of
// combinations.

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

// Returns an error if a word is an unknown flag, a flag without its value, or a number out of
// range. The message names the flag and the probable intention or the range, which Abseil's
// messages do not.
absl::Status CheckFlagWords(const std::vector<std::string>& words);

// Checks the current values of the flags, from any source, including --flagfile.
absl::Status CheckFlagValues();

using GivenFlags = std::set<std::string, std::less<>>;  // names without dashes

// Returns the flags given by the user, in contrast to defaults: those named in the words of the
// command line, of which the first is the program, and those with other values than their defaults
// (from --flagfile and similar sources). Call after parsing. Abseil has no public function for
// this.
GivenFlags FindGivenFlags(const std::vector<std::string>& words);

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

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_
