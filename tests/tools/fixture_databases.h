// Small reproducible databases with all kinds of filters, for the tool's golden outputs
// (tests/golden).

#ifndef WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_
#define WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_

#include <rocksdb/comparator.h>

#include <functional>
#include <string>
#include <vector>

namespace winnow::testing {

struct Fixture {
  std::string name;  // name of the folder
  // Creates the database in a new folder of this name. Files get equal names, levels, keys and
  // filters each time with one version of RocksDB; their bytes differ by the identities and times
  // that RocksDB writes. Paths recorded in the database are those of `path`. Throws
  // std::runtime_error on failure, or fails a test.
  std::function<void(const std::string& path)> make;
};

// Returns all fixtures.
const std::vector<Fixture>& Fixtures();

// An order of keys that nobody else knows.
class ShorterFirst final : public ROCKSDB_NAMESPACE::Comparator {
 public:
  explicit ShorterFirst(size_t timestamp_bytes) : Comparator(timestamp_bytes) {}
  const char* Name() const override { return "fixture.ShorterFirst"; }
  int Compare(const ROCKSDB_NAMESPACE::Slice& a, const ROCKSDB_NAMESPACE::Slice& b) const override {
    return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
  }
  int CompareWithoutTimestamp(const ROCKSDB_NAMESPACE::Slice& a, bool a_has,
                              const ROCKSDB_NAMESPACE::Slice& b, bool b_has) const override {
    const auto without = [this](const ROCKSDB_NAMESPACE::Slice& key, bool has) {
      return ROCKSDB_NAMESPACE::Slice(key.data(), key.size() - (has ? timestamp_size() : 0));
    };
    return Compare(without(a, a_has), without(b, b_has));
  }
  int CompareTimestamp(const ROCKSDB_NAMESPACE::Slice& a,
                       const ROCKSDB_NAMESPACE::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const ROCKSDB_NAMESPACE::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FIXTURE_DATABASES_H_
