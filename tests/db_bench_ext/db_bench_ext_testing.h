// Helpers that run the benchmark program.

#ifndef WINNOW_TESTS_DB_BENCH_EXT_DB_BENCH_EXT_TESTING_H_
#define WINNOW_TESTS_DB_BENCH_EXT_DB_BENCH_EXT_TESTING_H_

#include <string>
#include <vector>

#include "tests/support/child_process.h"

namespace winnow::bench {

inline testing::ChildResult RunBench(std::vector<std::string> flags,
                                     const std::vector<std::string>& environment = {}) {
  flags.insert(flags.begin(), WINNOW_DB_BENCH_EXT);
  return testing::RunProgram(flags, environment);
}

// Returns the flags of a run that takes a second or two.
inline std::vector<std::string> Small(const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"--num=20000", "--reads=20000", "--timed_reads=5000",
                                    "--timed_rounds=3", "--write_buffer_size=200000"};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

}  // namespace winnow::bench

#endif  // WINNOW_TESTS_DB_BENCH_EXT_DB_BENCH_EXT_TESTING_H_
