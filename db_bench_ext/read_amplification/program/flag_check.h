// Flags on the command line, checked before Abseil reads them, and their values afterwards.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_

#include <absl/status/status.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace winnow::bench {

// The numbers that a flag can have.
struct FlagRange {
  const char* flag;
  double least;
  double most;
};

// An error that names the flag, and the one that was meant or the range, if a word is a flag that
// there is not, has no value, or a number out of its range. Abseil's words for these say neither.
absl::Status CheckFlagWords(const std::vector<std::string>& words,
                            const std::vector<FlagRange>& ranges);

// The same of the values that the flags have now, wherever they come from (--flagfile).
absl::Status CheckFlagValues(const std::vector<FlagRange>& ranges);

using GivenFlags = std::set<std::string, std::less<>>;  // names without dashes

// The flags that a person gave, as against those that have their default: what the words of a
// command line name, the program's first, and what has another value than its default (from
// --flagfile and its like). To be called after the words were parsed. Abseil knows it too but has
// no public function for it.
GivenFlags FindGivenFlags(const std::vector<std::string>& words);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_FLAG_CHECK_H_
