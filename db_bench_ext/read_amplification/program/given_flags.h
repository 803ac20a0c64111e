// Which flags a person gave, as against those that have their default.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_GIVEN_FLAGS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_GIVEN_FLAGS_H_

#include <set>
#include <string>
#include <vector>

namespace winnow::bench {

using GivenFlags = std::set<std::string, std::less<>>;  // names without dashes

// The flags that the words of a command line name, the program's first, and those that have another
// value than their default (from --flagfile and its like). To be called after the words were
// parsed. Abseil knows it too but has no public function for it.
GivenFlags FindGivenFlags(const std::vector<std::string>& words);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_PROGRAM_GIVEN_FLAGS_H_
