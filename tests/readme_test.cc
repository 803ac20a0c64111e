// The README shows code that is compiled and run: parts of an example.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/files.h"

namespace winnow {
namespace {

using ::testing::HasSubstr;
using testing::ReadFile;

// What stands between lines "// [README: NAME]" and "// [end]", which are `indent` columns to the
// right; Markdown wants code four columns to the right.
std::vector<std::string> SnippetsOf(const std::string& source, size_t indent) {
  const std::string begin = "\n" + std::string(indent, ' ') + "// [README: ";
  const std::string end = "\n" + std::string(indent, ' ') + "// [end]\n";
  std::vector<std::string> snippets;
  for (size_t at = source.find(begin); at != std::string::npos; at = source.find(begin, at)) {
    at = source.find('\n', at + 1) + 1;
    const size_t last = source.find(end, at);
    if (last == std::string::npos) {
      ADD_FAILURE() << "a snippet has no end: " << source.substr(at, 200);
      break;
    }
    std::string snippet;
    std::istringstream lines(source.substr(at, last - at));
    for (std::string line; std::getline(lines, line);) {
      snippet += line.empty() ? "\n" : std::string(4 - indent, ' ') + line + "\n";
    }
    snippets.push_back(snippet);
  }
  return snippets;
}

void ExpectInReadme(const std::vector<std::string>& snippets) {
  const std::string readme = ReadFile(WINNOW_SOURCE_DIR "/README.md");
  for (const std::string& snippet : snippets) {
    EXPECT_GT(snippet.size(), 100u);
    EXPECT_THAT(readme, HasSubstr("\n\n" + snippet + "\n"));
  }
}

TEST(ReadmeTest, ShowsTheExampleAsItIs) {
  const std::vector<std::string> snippets =
      SnippetsOf(ReadFile(WINNOW_SOURCE_DIR "/tests/lsm_store_example.cc"), 4);
  ASSERT_EQ(snippets.size(), 3u);
  ExpectInReadme(snippets);
}

TEST(ReadmeTest, ShowsTheExampleInCAsItIs) {
  const std::vector<std::string> snippets =
      SnippetsOf(ReadFile(WINNOW_SOURCE_DIR "/tests/c_example.c"), 2);
  ASSERT_EQ(snippets.size(), 1u);
  ExpectInReadme(snippets);
}

}  // namespace
}  // namespace winnow
