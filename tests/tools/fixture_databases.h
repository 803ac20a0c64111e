// Small databases with all sorts of filters, made by RocksDB, the same ones each time: what the
// golden outputs of the tool (tests/golden) are of.

#ifndef WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_
#define WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_

#include <string>
#include <vector>

namespace winnow::testing {

struct Fixture {
  std::string name;         // of its folder
  std::string description;  // a few words, for people
  void (*make)(const std::string& path);
};

// All there are.
const std::vector<Fixture>& Fixtures();

// Makes the database `fixture.name` in the current folder, where nothing of that name may be. Files
// get the same names, levels, keys and filters each time with one version of RocksDB; their bytes
// differ by the identities and times that RocksDB writes into them. Paths that the database records
// are relative. Throws std::runtime_error if it fails.
void MakeFixture(const Fixture& fixture);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_
