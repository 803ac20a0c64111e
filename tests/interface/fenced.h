// A struct of the contract headers as a program may have it in its memory: with something behind
// it.

#ifndef WINNOW_TESTS_INTERFACE_FENCED_H_
#define WINNOW_TESTS_INTERFACE_FENCED_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace winnow::testing {

// Canary value behind the struct, in no option's range.
constexpr uint64_t kFence = 0x7ff4fe4ce0000001;

template <typename Struct>
struct Fenced {
  Struct own;
  uint64_t behind[4] = {kFence, kFence, kFence, kFence};

  bool IsIntact() const {
    for (const uint64_t word : behind) {
      if (word != kFence) return false;
    }
    return true;
  }
};

// Ends the program with a sentence unless it holds.
inline void Expect(bool holds, const char* what, const char* found = "") {
  if (holds) return;
  std::fprintf(stderr, "expected that %s%s%s\n", what, *found != 0 ? ", but found: " : "", found);
  std::exit(1);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_INTERFACE_FENCED_H_
