// Keys of trees that are grown to judge level plans.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_LEVEL_KEYS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_LEVEL_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/random.h"

namespace winnow::bench {

// Upper bound of the numbers of random keys.
inline constexpr uint64_t kLevelKeysEnd = uint64_t{1} << 62;

// Key prefixes before the number: one for all keys, or one for each of several tenants, which have
// equal ranges of the numbers below kLevelKeysEnd, in order. All have the same length.
class LevelPrefixes {
 public:
  LevelPrefixes(std::string of_all = {}) : prefixes_({std::move(of_all)}) {}  // NOLINT

  // Returns prefixes of at most 1000 tenants with at least 3 bytes each: the tenant's number, and
  // further letters.
  static LevelPrefixes OfTenants(uint64_t tenants, size_t bytes) {
    LevelPrefixes made;
    made.prefixes_.clear();
    for (uint64_t tenant = 0; tenant < tenants; ++tenant) {
      std::string prefix = std::to_string(1000 + tenant).substr(1);
      Random random(Mix(tenant));
      while (prefix.size() < bytes) {
        prefix.push_back(static_cast<char>('a' + RandomBelow(&random, 26)));
      }
      made.prefixes_.push_back(std::move(prefix));
    }
    return made;
  }

  size_t size() const { return prefixes_.front().size(); }  // bytes
  const std::string& Of(uint64_t number) const {
    const uint64_t width = kLevelKeysEnd / prefixes_.size();
    return prefixes_[number / width < prefixes_.size() ? number / width : prefixes_.size() - 1];
  }

 private:
  std::vector<std::string> prefixes_;
};

// A key to look up, by its number.
struct AskedKey {
  uint64_t number;
  bool present;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_LEVEL_KEYS_H_
