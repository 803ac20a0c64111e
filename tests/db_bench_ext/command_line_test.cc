// Tests that a shell parses quoted commands back to the original words.

#include "db_bench_ext/read_amplification/program/command_line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/child_process.h"

namespace winnow::bench {
namespace command_line_test {

TEST(CommandLineTest, BashReadsTheSameWords) {
  const std::vector<std::string> words = {"plain",
                                          "",
                                          "two words",
                                          "it's",
                                          "$HOME `id` \"x\" \\",
                                          "*?[a]~",
                                          "a\nb\tc",
                                          "-n",
                                          "#no",
                                          "\xc3\xa4"
                                          "b",
                                          "\xff\x01"
                                          "1f",
                                          "!x",
                                          "'\\\x7f\\'",
                                          "{a,b};c&d|e"};
  std::string printed;
  for (const std::string& word : words) printed += "<" + word + ">";
  const testing::ChildResult result = testing::RunProgram(
      {"bash", "-c", "words=(" + ShellCommand(words) + "); printf '<%s>' \"${words[@]}\""});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, printed);
  const std::string command = ShellCommand(words);
  EXPECT_TRUE(std::all_of(command.begin(), command.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

}  // namespace command_line_test
}  // namespace winnow::bench
