// The keys of a set as strings.

#ifndef WINNOW_TESTS_DB_BENCH_EXT_KEYS_KEY_STRINGS_H_
#define WINNOW_TESTS_DB_BENCH_EXT_KEYS_KEY_STRINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_set.h"

namespace winnow::bench {

inline std::vector<std::string> Strings(const KeySet& keys) {
  std::vector<std::string> strings;
  std::string room;
  for (uint64_t i = 0; i < keys.size(); ++i) strings.emplace_back(keys.Get(i, &room));
  return strings;
}

}  // namespace winnow::bench

#endif  // WINNOW_TESTS_DB_BENCH_EXT_KEYS_KEY_STRINGS_H_
