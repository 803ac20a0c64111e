// Helpers for tests of `winnow dedup`: running the tool, and expected results computed with a set.

#ifndef WINNOW_STREAMS_TESTS_DEDUP_DEDUP_TESTING_H_
#define WINNOW_STREAMS_TESTS_DEDUP_DEDUP_TESTING_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"

namespace winnow::testing {

// Runs `winnow dedup`. The caller quotes the arguments for the shell; `environment` is as for
// RunProgram().
inline ChildResult RunDedup(const std::string& arguments,
                            const std::vector<std::string>& environment = {}) {
  return RunProgram({"sh", "-c", "'" WINNOW_TOOL "' dedup " + arguments}, environment);
}

// Runs `winnow dedup`, which must end with this status, and returns its messages.
inline std::string ErrorsOf(const std::string& arguments, int status = 2,
                            const std::vector<std::string>& environment = {}) {
  const ChildResult outcome = RunDedup(arguments, environment);
  EXPECT_EQ(outcome.status, status) << arguments << ": " << outcome.errors;
  return outcome.errors;
}

// Runs `winnow dedup`, which must print no line and end with status 2, and returns its messages.
inline std::string Refusal(const std::string& arguments) {
  const ChildResult outcome = RunDedup(arguments);
  EXPECT_EQ(outcome.status, 2) << arguments;
  EXPECT_EQ(outcome.output, "") << arguments;
  return outcome.errors;
}

inline std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

inline std::string TextOf(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Returns n random lines, chosen from `distinct` lines.
inline std::vector<std::string> RandomLines(uint64_t n, uint64_t distinct, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> lines;
  for (uint64_t i = 0; i < n; ++i) {
    lines.push_back("line " + std::to_string(random() % distinct) + " of " + std::to_string(seed));
  }
  return lines;
}

// Returns the first occurrence of each line, in order; or all other occurrences.
inline std::vector<std::string> FirstOfEach(const std::vector<std::string>& lines,
                                            bool others = false) {
  std::unordered_set<std::string> seen;
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    if (seen.insert(line).second != others) kept.push_back(line);
  }
  return kept;
}

inline std::vector<std::string> Numbered(int from, int to) {
  std::vector<std::string> lines;
  for (int i = from; i < to; ++i) lines.push_back("line " + std::to_string(i));
  return lines;
}

// Returns the peak memory of the whole process, in bytes.
inline uint64_t PeakOfMemory(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib << 10;
  }
  ADD_FAILURE() << "no VmHWM of " << process;
  return 0;
}

// Starts `winnow dedup` with its output in this file, and its messages in the file with `.errors`.
inline std::unique_ptr<Started> StartDedup(const std::string& arguments, const std::string& out) {
  const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  auto tool = std::make_unique<Started>("dedup " + arguments, file, out + ".errors");
  close(file);
  return tool;
}

// Fixture for runs that continue from each other.
class DedupStateTest : public ::testing::Test {
 protected:
  ChildResult Run(const std::vector<std::string>& lines, const std::string& flags = "") {
    WriteFile(folder_ / "in", TextOf(lines));
    return RunDedup("'" + folder_ / "in" + "' --state='" + state_ + "' " + flags);
  }

  // Expects that a run prints no line and ends with status 2, and returns its messages.
  std::string Refusal(const std::vector<std::string>& lines, const std::string& flags = "") {
    const ChildResult outcome = Run(lines, flags);
    EXPECT_EQ(outcome.status, 2) << flags;
    EXPECT_EQ(outcome.output, "") << flags;
    return outcome.errors;
  }

  TemporaryFolder folder_;
  const std::string state_ = folder_ / "state";
};

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_DEDUP_DEDUP_TESTING_H_
