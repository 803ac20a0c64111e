// Helpers for tests of filter sets.

#ifndef WINNOW_TESTS_CORE_FILTER_SET_TESTING_H_
#define WINNOW_TESTS_CORE_FILTER_SET_TESTING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/filter.h"
#include "winnow/filter_set.h"

namespace winnow::testing {

inline std::string BuildBytes(FilterKind kind, double bits_per_key,
                              const std::vector<KeyHash>& hashes) {
  return std::string(Build(OptionsOf(kind, bits_per_key), hashes).bytes());
}

// Filter blocks of a test's files.
struct Blocks {
  std::vector<std::string> bytes;
  std::vector<KeyHash> present;  // some keys, each in one of the blocks
};

// Makes blocks of all kinds, and many of each, as in a tree whose options were changed.
inline Blocks MakeBlocks(size_t count, RandomHashes& random) {
  constexpr double kAccuracies[] = {10, 10, 10, 7.5, 1, 32};
  Blocks blocks;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t sort = random.Below(20);
    const size_t keys = sort < 16 ? 1 + random.Below(sort % 4 == 0 ? 3000 : 300) : 0;
    const std::vector<KeyHash> hashes = random.Take(keys);
    blocks.bytes.push_back(
        BuildBytes(kKinds[sort % kKinds.size()], kAccuracies[random.Below(6)], hashes));
    std::string& bytes = blocks.bytes.back();
    if (sort == 17) bytes.assign(random.Below(200), 'x');  // foreign or empty
    if (sort == 18) bytes[bytes.size() - 20] ^= 1;         // damaged
    if (sort < 16) {
      blocks.present.insert(blocks.present.end(), hashes.begin(),
                            hashes.begin() + static_cast<ptrdiff_t>(std::min<size_t>(keys, 5)));
    }
  }
  return blocks;
}

inline std::vector<size_t> Indices(const CandidateList& list) { return {list.begin(), list.end()}; }

// Words with arbitrary initial values, for lookups that must not depend on these, followed by a
// canary.
class Words {
 public:
  static constexpr uint64_t kCanary = 0x5a5a5a5a5a5a5a5a;
  explicit Words(size_t words) : words_(words + 1, kCanary) {}
  uint64_t* data() { return words_.data(); }
  size_t size() const { return words_.size() - 1; }
  uint64_t& operator[](size_t i) { return words_[i]; }
  bool IsIntact() const { return words_.back() == kCanary; }

 private:
  std::vector<uint64_t> words_;
};

// Returns the expected answer, by asking the filters one by one.
inline std::vector<size_t> Expected(const std::vector<FilterView>& views, KeyHash hash,
                                    size_t first, size_t last) {
  std::vector<size_t> indices;
  for (size_t i = first; i < last; ++i) {
    if (views[i].MayContain(hash)) indices.push_back(i);
  }
  return indices;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_FILTER_SET_TESTING_H_
