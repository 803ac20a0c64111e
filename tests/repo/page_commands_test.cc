// Tests that commands in the documentation use existing programs, verbs and flags, and valid
// policies.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/repo/pages.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/matches.h"

namespace winnow {
namespace {

using testing::AllMatches;
using testing::ChildResult;
using testing::IndentedBlocks;
using testing::InlineCode;
using testing::InstalledPages;
using testing::Page;
using testing::RunProgram;
using Words = std::vector<std::string>;

struct Command {
  std::string page;
  Words words;  // words after variable assignments
};

// Returns the commands of a line, split at shell operators, without a comment after #.
std::vector<Words> CommandsOf(std::string line) {
  line = line.substr(0, line.find(" #"));
  static const std::regex part(R"([^|;&<>()]+)");
  std::vector<Words> commands;
  for (const std::string& text : AllMatches(line, part)) {
    std::istringstream in(text);
    Words words;
    for (std::string word; in >> word;) {
      static const std::regex before(
          R"(env|exec|export|sudo|nice|tools/emulated\.sh|arm64|[A-Z_]+=.*)");
      if (!words.empty() || !std::regex_match(word, before)) words.push_back(word);
    }
    // The program that `winnow run` starts is a separate command.
    static const std::regex tool(R"((.*/)?winnow)");
    const bool is_run = words.size() > 1 && std::regex_match(words[0], tool) && words[1] == "run";
    auto program = words.begin() + (is_run ? 2 : 0);
    while (is_run && program != words.end() && program->rfind("--", 0) == 0) ++program;
    if (program != words.begin()) commands.emplace_back(words.begin(), program);
    if (program != words.end()) commands.emplace_back(program, words.end());
  }
  return commands;
}

std::vector<Command> AllCommands() {
  static const std::regex continued(R"(\\\n\s*)");
  std::vector<Command> commands;
  for (const Page& page : InstalledPages()) {
    // These two name flags of earlier versions.
    if (page.path == "CHANGELOG.md" || page.path == "docs/upgrade.md") continue;
    std::string lines;
    for (const std::string& block : IndentedBlocks(page.text)) {
      lines += std::regex_replace(block, continued, "") + "\n";
    }
    for (const std::string& piece : InlineCode(page.text)) lines += piece + "\n";
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
      for (const Words& words : CommandsOf(line)) commands.push_back({page.path, words});
    }
  }
  return commands;
}

// Returns the program's help; memoized.
const ChildResult& HelpOf(const Words& command) {
  static std::map<Words, ChildResult> known;
  const auto found = known.find(command);
  return found != known.end() ? found->second : known[command] = RunProgram(command);
}

void ExpectFlags(const Command& command, const std::string& help) {
  static const std::regex flag(R"((--[a-z][a-z0-9_-]*)(=.*|\[.*)?)");
  for (const std::string& word : command.words) {
    std::smatch match;
    if (!std::regex_match(word, match, flag) || word == "--help") continue;
    const std::regex named(match[1].str() + R"((?![a-z0-9_-]))");
    EXPECT_TRUE(std::regex_search(help, named))
        << command.page << ": " << command.words[0] << " has no " << match[1];
  }
}

TEST(PageCommandsTest, TheToolHasTheirVerbsAndFlags) {
  int commands = 0;
  for (const Command& command : AllCommands()) {
    static const std::regex tool(R"((.*/bin/)?winnow)");
    static const std::regex verb("[a-z]+");
    if (!std::regex_match(command.words[0], tool) || command.words.size() < 2 ||
        !std::regex_match(command.words[1], verb)) {
      continue;
    }
    // this build has no interposer
    if (command.words[1] == "run" && std::string(WINNOW_PRELOAD).empty()) continue;
    const ChildResult help = HelpOf({WINNOW_TOOL, "help", command.words[1]});
    EXPECT_EQ(help.status, 0) << command.page << ": winnow " << command.words[1] << "\n"
                              << help.errors;
    ExpectFlags(command, help.output);
    ++commands;
  }
  EXPECT_GT(commands, 50);
}

TEST(PageCommandsTest, TheProgramsOfTheBuildHaveTheirFlags) {
  const std::string folder = std::filesystem::path(WINNOW_TOOL).parent_path().string() + "/";
  int commands = 0;
  for (const Command& command : AllCommands()) {
    static const std::regex program(
        "(?:build/release/bin/)?(db_bench_ext|filter_bench|filter_family|paired_trees|tune_fuse)");
    std::smatch match;
    if (!std::regex_match(command.words[0], match, program)) continue;
    ASSERT_TRUE(std::filesystem::exists(folder + match[1].str()))
        << command.page << ": " << match[1];
    if (command.words.size() > 1)
      ExpectFlags(command, HelpOf({folder + match[1].str(), "--help"}).output);
    ++commands;
  }
  EXPECT_GT(commands, 20);
}

TEST(PageCommandsTest, TheScriptsHaveTheirFlags) {
  int commands = 0;
  for (const Command& command : AllCommands()) {
    static const std::regex script(R"(tools/[a-z0-9_]+\.(sh|py))");
    if (!std::regex_match(command.words[0], script)) continue;
    ExpectFlags(command, testing::ReadFile(WINNOW_SOURCE_DIR "/" + command.words[0]));
    ++commands;
  }
  EXPECT_GT(commands, 30);
}

// CMake options, presets, and environment variables.
TEST(PageCommandsTest, SwitchesPresetsAndVariablesExist) {
  const auto root = std::filesystem::path(WINNOW_SOURCE_DIR);
  std::string sources = testing::ReadFile(root / "CMakeLists.txt");
  for (const char* folder : {"src", "streams", "tests", "tools", "third_party"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string end = entry.path().extension().string();
      if (end == ".cc" || end == ".h" || end == ".cmake" || end == ".sh" || end == ".txt") {
        sources += testing::ReadFile(entry.path().string());
      }
    }
  }
  const std::string presets = testing::ReadFile(root / "CMakePresets.json");
  std::set<std::string> names;
  for (const Page& page : InstalledPages()) {
    static const std::regex name(R"(WINNOW_[A-Z][A-Z_]*[A-Z])");
    for (const std::string& variable : AllMatches(page.text, name)) {
      EXPECT_NE(sources.find(variable), std::string::npos) << page.path << ": " << variable;
      names.insert(variable);
    }
    static const std::regex option(R"(--preset ([a-z]+))");
    for (const std::string& preset : AllMatches(page.text, option, 1)) {
      EXPECT_NE(presets.find("\"name\": \"" + preset + "\""), std::string::npos)
          << page.path << ": " << preset;
    }
  }
  EXPECT_GT(names.size(), 12u);
}

TEST(PageCommandsTest, TheirPoliciesWork) {
  std::set<std::string> policies;
  for (const Page& page : InstalledPages()) {
    static const std::regex policy(R"(\{id=winnow[;}][^}\n]*\}?|\bwinnow:[0-9]+(\.[0-9]+)?\b)");
    for (const std::string& text : AllMatches(page.text, policy)) policies.insert(text);
  }
  EXPECT_GT(policies.size(), 12u);
  for (const std::string& policy : policies) {
    const ChildResult result =
        RunProgram({WINNOW_TOOL, "policy", "filter_policy=" + policy, "--keys=100"});
    EXPECT_EQ(result.status, 0) << policy << "\n" << result.output << result.errors;
  }
}

}  // namespace
}  // namespace winnow
