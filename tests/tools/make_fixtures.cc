// Creates fixture databases in a folder, for tests and by hand:
//   make_fixtures FOLDER [NAME…]
// Creates all databases, or the named ones.

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <string>

#include "tests/tools/fixture_databases.h"

int main(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "make_fixtures: right is: make_fixtures FOLDER [NAME...]\n");
    return 2;
  }
  const std::set<std::string> names(argv + 2, argv + argc);
  size_t made = 0;
  try {
    std::filesystem::create_directories(argv[1]);
    std::filesystem::current_path(argv[1]);
    for (const winnow::testing::Fixture& fixture : winnow::testing::Fixtures()) {
      if (!names.empty() && names.count(fixture.name) == 0) continue;
      fixture.make(fixture.name);
      ++made;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_fixtures: %s\n", error.what());
    return 2;
  }
  // Code shared with tests reports failures by GoogleTest.
  return made < names.size() || testing::UnitTest::GetInstance()->Failed() ? 2 : 0;
}
