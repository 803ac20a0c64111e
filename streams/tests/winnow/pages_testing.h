// Keys of tests of `winnow pages`.

#ifndef WINNOW_STREAMS_TESTS_WINNOW_PAGES_TESTING_H_
#define WINNOW_STREAMS_TESTS_WINNOW_PAGES_TESTING_H_

#include <cstdint>
#include <string>

namespace winnow::testing {

inline std::string KeyNumber(uint64_t i) { return "key-" + std::to_string(i); }

// Returns a list of the keys from first to last - 1.
inline std::string KeyLines(uint64_t first, uint64_t last) {
  std::string lines;
  for (uint64_t i = first; i < last; ++i) lines += KeyNumber(i) + "\n";
  return lines;
}

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_WINNOW_PAGES_TESTING_H_
