// Creates fixture databases in a folder, for tests and by hand:
//   make_fixtures FOLDER [NAME…]
// Creates all databases, or the named ones; "make_fixtures --list" prints the names.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/fixture_databases.h"

namespace {

using winnow::testing::Fixture;
using winnow::testing::Fixtures;

int Make(const std::string& folder, const std::vector<std::string>& names) {
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  for (const std::string& name : names) {
    const auto found = std::find_if(Fixtures().begin(), Fixtures().end(),
                                    [&name](const Fixture& each) { return each.name == name; });
    if (found == Fixtures().end()) {
      std::fprintf(stderr, "make_fixtures: there is no %s; see --list\n", name.c_str());
      return 2;
    }
    winnow::testing::MakeFixture(*found);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments.front() == "--list") {
    for (const Fixture& fixture : Fixtures()) {
      std::printf("%-20s %s\n", fixture.name.c_str(), fixture.description.c_str());
    }
    return 0;
  }
  if (arguments.empty() || arguments.front().compare(0, 1, "-") == 0) {
    std::fprintf(stderr, "make_fixtures: right is: make_fixtures FOLDER [NAME...]\n");
    return 2;
  }
  const std::string folder = arguments.front();
  arguments.erase(arguments.begin());
  if (arguments.empty()) {
    for (const Fixture& fixture : Fixtures()) {
      arguments.push_back(fixture.name);
    }
  }
  try {
    const int code = Make(folder, arguments);
    // Code shared with tests reports failures by GoogleTest.
    return testing::UnitTest::GetInstance()->Failed() ? 2 : code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_fixtures: %s\n", error.what());
    return 2;
  }
}
