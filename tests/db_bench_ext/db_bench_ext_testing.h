// Helpers that run the benchmark program.

#ifndef WINNOW_TESTS_DB_BENCH_EXT_DB_BENCH_EXT_TESTING_H_
#define WINNOW_TESTS_DB_BENCH_EXT_DB_BENCH_EXT_TESTING_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"

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

class BenchProgramTest : public ::testing::Test {
 protected:
  // Returns the JSON of a run, which must succeed.
  nlohmann::json Run(std::vector<std::string> flags) {
    flags.push_back("--json=" + json_);
    ran_ = RunBench(flags);
    EXPECT_EQ(ran_.status, 0) << ran_.errors;
    return ran_.status == 0 ? nlohmann::json::parse(testing::ReadFile(json_)) : nlohmann::json();
  }

  // Makes a database of a run with these flags and returns its folder.
  std::string MakeDatabase(const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--num=5000",      "--policies=none",
                                      "--keep",          "--reads=10",
                                      "--timed_reads=0", "--db=" + (folder_ / "made")};
    flags.insert(flags.end(), more.begin(), more.end());
    EXPECT_EQ(RunBench(flags).status, 0);
    return folder_ / "made/1-none";
  }

  const testing::TemporaryFolder folder_;
  const std::string json_ = folder_ / "run.json";
  testing::ChildResult ran_;  // of the last Run()
};

}  // namespace winnow::bench

#endif  // WINNOW_TESTS_DB_BENCH_EXT_DB_BENCH_EXT_TESTING_H_
