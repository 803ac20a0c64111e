// The code that the README shows is whole programs, which tests compile and run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace winnow {
namespace {

using ::testing::IsSupersetOf;
using testing::ReadFile;

// What a Markdown page has four columns to the right, without these.
std::vector<std::string> IndentedBlocks(const std::string& page) {
  std::vector<std::string> blocks;
  std::istringstream lines(page);
  std::string block;
  std::string blank;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      blank += "\n";
    } else if (line.rfind("    ", 0) == 0) {
      block += (block.empty() ? "" : blank) + line.substr(4) + "\n";
      blank.clear();
    } else {
      if (!block.empty()) blocks.push_back(block);
      block.clear();
      blank.clear();
    }
  }
  return blocks;
}

TEST(ReadmeTest, ItsCodeIsThatOfTheExamples) {
  const std::string folder = WINNOW_SOURCE_DIR "/tests/examples/";
  std::vector<std::string> examples;
  for (const char* name : {"filter_example.cc", "c_example.c", "filter_set_example.cc"}) {
    examples.push_back(ReadFile(folder + name));
  }
  // Of C and C++; commands and options have no such ends of lines.
  const std::regex code_line(R"([;{][ ]*(//[^\n]*)?\n)");
  std::vector<std::string> code;
  for (const std::string& block : IndentedBlocks(ReadFile(WINNOW_SOURCE_DIR "/README.md"))) {
    if (std::regex_search(block, code_line)) code.push_back(block);
  }
  EXPECT_THAT(code, IsSupersetOf(examples));
  EXPECT_THAT(examples, IsSupersetOf(code)) << "the README has code that no test compiles";
}

}  // namespace
}  // namespace winnow
