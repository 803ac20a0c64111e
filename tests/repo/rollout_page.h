// Helpers for tests of the code in docs/roll-out.md and docs/many-machines.md.

#ifndef WINNOW_TESTS_REPO_ROLLOUT_PAGE_H_
#define WINNOW_TESTS_REPO_ROLLOUT_PAGE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace winnow::testing {

inline std::string RolloutPage() { return ReadFile(WINNOW_SOURCE_DIR "/docs/roll-out.md"); }
inline std::string ManyMachinesPage() {
  return ReadFile(WINNOW_SOURCE_DIR "/docs/many-machines.md");
}

// Returns the lines of the code block that begins with `first`, without the indentation by four
// columns.
inline std::vector<std::string> CodeThatBegins(const std::string& first,
                                               const std::string& page = RolloutPage()) {
  const std::string indent = "    ";
  std::vector<std::string> lines;
  size_t at = page.find("\n" + indent + first + "\n");
  EXPECT_NE(at, std::string::npos) << "the page has no code that begins with " << first;
  while (at != std::string::npos && page.compare(at + 1, indent.size(), indent) == 0) {
    const size_t end = page.find('\n', at + 1);
    lines.push_back(page.substr(at + 1 + indent.size(), end - at - 1 - indent.size()));
    at = end;
  }
  return lines;
}

inline std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_REPO_ROLLOUT_PAGE_H_
