// Small reproducible databases with all kinds of filters, for the tool's golden outputs
// (tests/golden).

#ifndef WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_
#define WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_

#include <string>
#include <vector>

namespace winnow::testing {

struct Fixture {
  std::string name;         // name of the folder
  std::string description;  // a short description
  void (*make)(const std::string& path);
};

// Returns all fixtures.
const std::vector<Fixture>& Fixtures();

// Creates the database `fixture.name` in the current folder, which must not have a file of this
// name. Files get equal names, levels, keys and filters each time with one version of RocksDB;
// their bytes differ by the identities and times that RocksDB writes. Paths recorded in the
// database are relative. Throws std::runtime_error on failure.
void MakeFixture(const Fixture& fixture);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_
