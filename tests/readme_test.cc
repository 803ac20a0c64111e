// The README shows code that is compiled and run: parts of an example.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/files.h"

namespace winnow {
namespace {

using ::testing::HasSubstr;
using testing::ReadFile;

// What stands between lines "// [README: NAME]" and "// [end]". Markdown wants code four columns to
// the right, which is how far the bodies of these functions are.
std::vector<std::string> SnippetsOf(const std::string& source) {
  const std::string begin = "    // [README: ";
  const std::string end = "    // [end]\n";
  std::vector<std::string> snippets;
  for (size_t at = source.find(begin); at != std::string::npos; at = source.find(begin, at)) {
    at = source.find('\n', at) + 1;
    const size_t last = source.find(end, at);
    if (last == std::string::npos) {
      ADD_FAILURE() << "a snippet has no end: " << source.substr(at, 200);
      break;
    }
    snippets.push_back(source.substr(at, last - at));
  }
  return snippets;
}

TEST(ReadmeTest, ShowsTheExampleAsItIs) {
  const std::string readme = ReadFile(WINNOW_SOURCE_DIR "/README.md");
  const std::vector<std::string> snippets =
      SnippetsOf(ReadFile(WINNOW_SOURCE_DIR "/tests/lsm_store_example.cc"));
  ASSERT_EQ(snippets.size(), 3u);
  for (const std::string& snippet : snippets) {
    EXPECT_GT(snippet.size(), 100u);
    EXPECT_THAT(readme, HasSubstr("\n\n" + snippet + "\n"));
  }
}

}  // namespace
}  // namespace winnow
