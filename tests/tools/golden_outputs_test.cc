// Compares each verb's JSON for each fixture database with tests/golden.
//
// After an intended change, this rewrites the files (with a filter like
// --gtest_filter='*/inspect_*' only those of one verb), so that `git diff` shows the changes:
//   WINNOW_UPDATE_GOLDEN=1 build/release/tests/golden_outputs_test
//
// The files are from RocksDB 7.8. Other versions give files other numbers and built-in filters
// other sizes, so only exit statuses are compared.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/tools/fixture_databases.h"
#include "tests/tools/tool_testing.h"

namespace winnow::testing {
namespace {

constexpr bool kSameVersion = ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8;

struct Golden {
  std::string verb;
  const Fixture* fixture;

  std::string Name() const { return verb + "_" + fixture->name; }
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.Name(); }

// Returns keys that are present in most fixtures, absent between present ones, and outside of all
// ranges.
std::string ProbedKeys() {
  return KeyOf(0) + " " + KeyOf(133) + " " + KeyOf(1'999) + " " + KeyOf(19'999) + " " + KeyOf(7) +
         "x " + KeyOf(150) + "x " + KeyOf(1'234) + "x 1234 zzz";
}

// Returns the arguments of winnow, as typed in the databases' folder.
std::string CommandOf(const Golden& golden) {
  const std::string& name = golden.fixture->name;
  std::string line = golden.verb + " " + name;
  if (golden.verb == "probe") {
    line += name == "ranges" ? " --from=" + KeyOf(3) + " --to=" + KeyOf(9) + "9"
                             : " " + ProbedKeys() + " --exact";
  }
  if (name == "db_paths") line += " --path=db_paths.fast --path=db_paths.slow";
  if (golden.verb == "advise") line += " --draws=20000";
  return line + " --json";
}

int StatusOf(const Golden& golden) {
  static const std::map<std::string, int> others = {{"advise_unknown_comparator", 2},
                                                    {"policy_files", 2},
                                                    {"policy_none", 1},
                                                    {"verify_unknown_comparator", 2}};
  const auto found = others.find(golden.Name());
  return found == others.end() ? 0 : found->second;
}

// Shortens numbers, since the math library's results differ between processors in the last bits.
std::string WithShorterNumbers(const std::string& text) {
  static const std::regex number("[0-9]+\\.[0-9]{7,}(e-?[0-9]+)?");
  std::string shorter;
  auto rest = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.7g", std::strtod(at->str().c_str(), nullptr));
    shorter.append(rest, text.begin() + at->position());
    shorter += digits;
    rest = text.begin() + at->position() + at->length();
  }
  return shorter.append(rest, text.end());
}

// Replaces parts that differ between machines and runs.
std::string Normalized(std::string text, const std::string& folder) {
  text = std::regex_replace(text, std::regex("(\"tree\": \")[0-9a-f]{16}"), "$1TREE");
  text = WithShorterNumbers(text);
  text = Replaced(text, folder, "FOLDER");
  return Replaced(text, ROCKSDB_NAMESPACE::GetRocksVersionAsString(), "ROCKSDB_VERSION");
}

// Returns false for fixtures with winnow:10, for which `winnow policy` has one output.
bool HasAPolicyOfItsOwn(const std::string& name) {
  static const std::set<std::string> names = {
      "builtin_bloom", "builtin_ribbon", "column_families", "files",        "none",
      "ranges",        "winnow_bloom",   "winnow_levels",   "winnow_rates", "winnow_ribbon"};
  return names.count(name) > 0;
}

std::vector<Golden> AllGoldens() {
  std::vector<Golden> goldens;
  for (const char* verb : {"advise", "inspect", "policy", "probe", "verify"}) {
    for (const Fixture& fixture : Fixtures()) {
      if (std::string(verb) != "policy" || HasAPolicyOfItsOwn(fixture.name)) {
        goldens.push_back({verb, &fixture});
      }
    }
  }
  return goldens;
}

std::string PathOf(const std::string& file) { return WINNOW_GOLDEN_FOLDER "/" + file; }

void CompareOrUpdate(const std::string& file, const std::string& text) {
  if (std::getenv("WINNOW_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(kSameVersion) << "the golden outputs are those of RocksDB 7.8";
    WriteFile(PathOf(file), text);
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(PathOf(file)))
      << file << " is missing; see the top of this test";
  if (!kSameVersion) return;
  EXPECT_EQ(text, ReadFile(PathOf(file))) << "if that is meant, see the top of this test";
}

class GoldenOutputsTest : public ::testing::TestWithParam<Golden> {
 protected:
  // Runs the tool in the databases' folder, so that paths are short and constant.
  ChildResult Run(const std::string& line) {
    return RunProgram({"sh", "-c",
                       "unset COLUMNS WINNOW_KERNEL; cd '" + folder_.path() + "' && exec '" +
                           WINNOW_TOOL + "' " + line});
  }

  const TemporaryFolder folder_;
};

TEST_P(GoldenOutputsTest, AreAsBefore) {
  const Golden& golden = GetParam();
  const ChildResult made = RunProgram({WINNOW_MAKE_FIXTURES, folder_.path(), golden.fixture->name});
  ASSERT_EQ(made.status, 0) << made.errors;
  const ChildResult result = Run(CommandOf(golden));
  EXPECT_EQ(result.status, StatusOf(golden)) << result.errors;
  CompareOrUpdate(golden.Name() + ".json", Normalized(result.output, folder_.path()));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, GoldenOutputsTest, ::testing::ValuesIn(AllGoldens()),
                         [](const auto& parameter) { return parameter.param.Name(); });

}  // namespace
}  // namespace winnow::testing
