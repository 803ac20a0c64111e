// Tests that each target's sources compile as one unit: names in their anonymous namespaces are
// distinct. The build compiles groups of sixteen files, which change with each new file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace {

struct Target {
  std::string name;     // folder in the build folder
  std::string command;  // compile command without source and output
  std::vector<std::string> sources;
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

// Returns the product's libraries and programs that this build compiles in several units.
std::vector<Target> Targets() {
  static const std::regex parts(
      R"((.*) -o (\S+)/CMakeFiles/(\S+)\.dir/\S+ -c (\S+/Unity/\S+\.cxx)( .*)?)");
  static const std::regex elsewhere(
      "(streams/)?tests(/.*)?|src/c_api|db_bench_ext/(filter|tuning).*");
  std::map<std::string, std::map<std::string, std::vector<std::string>>> sources;
  for (const nlohmann::json& one :
       nlohmann::json::parse(testing::ReadFile(WINNOW_BUILD "/compile_commands.json"))) {
    const std::string command = one.at("command");
    std::smatch match;
    if (std::regex_match(command, match, parts) && !std::regex_match(match[2].str(), elsewhere)) {
      sources[match[2].str() + "/" + match[3].str()][match[1]].push_back(match[4]);
    }
  }
  std::vector<Target> targets;
  for (auto& [name, by_command] : sources) {
    const auto most = std::max_element(
        by_command.begin(), by_command.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::sort(most->second.begin(), most->second.end());
    if (most->second.size() > 1) targets.push_back({name, most->first, most->second});
  }
  return targets;
}

class UnityTest : public ::testing::TestWithParam<Target> {};

TEST_P(UnityTest, TheSourcesOfATargetCompileAsOne) {
  const testing::TemporaryFolder folder;
  std::string one;
  for (const std::string& source : GetParam().sources) one += "#include \"" + source + "\"\n";
  testing::WriteFile(folder / "one.cc", one);
  const testing::ChildResult outcome =
      testing::RunProgram({"sh", "-c",
                           "cd '" WINNOW_BUILD "' && " + GetParam().command +
                               " -w -fsyntax-only '" + folder.path() + "/one.cc'"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors
                               << "\nthe demo compiles several of these at once: give what is "
                                  "named twice two names, or one place";
}

std::string NameOf(const ::testing::TestParamInfo<Target>& target) {
  return std::regex_replace(target.param.name, std::regex("[^A-Za-z0-9]"), "_");
}

INSTANTIATE_TEST_SUITE_P(Targets, UnityTest, ::testing::ValuesIn(Targets()), NameOf);

}  // namespace
}  // namespace winnow
