// Interface of a fuzz target, for libFuzzer and for the driver beside this file, which takes its
// place where the compiler is not clang.

#ifndef WINNOW_TESTS_FUZZ_FUZZ_TARGET_H_
#define WINNOW_TESTS_FUZZ_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// ---- Defined by each target

// One input. Returns 0; ends the process where an answer is wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Changes an input in place, knowing its structure; returns the new size, at most `max_size`. The
// same seed gives the same change.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed);

// ---- Defined by libFuzzer or the driver

// Changes bytes without knowing what they are.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace winnow::fuzz {

// The longest input. Larger filters have no other forms, and the stand-alone reader is slow.
inline constexpr size_t kMaxInputBytes = size_t{1} << 14;

// Counts of the inputs, so that a run which only ever saw blocks that are refused is not taken for
// a good one.
struct Counts {
  uint64_t blocks = 0;   // handed to the library
  uint64_t usable = 0;   // that had no fault
  uint64_t answers = 0;  // compared with the stand-alone reader's
  uint64_t absent = 0;   // of these, "absent"
};
extern Counts counts;

// A trait of the input that is running. The driver keeps inputs that have one which no other had:
// libFuzzer sees for itself where they went.
void NoteTrait(uint64_t trait) noexcept;

}  // namespace winnow::fuzz

// Ends the process if it does not hold.
#define WINNOW_FUZZ_CHECK(condition, ...)                                  \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      std::fprintf(stderr, __VA_ARGS__);                                   \
      std::fputc('\n', stderr);                                            \
      std::abort();                                                        \
    }                                                                      \
  } while (false)

#endif  // WINNOW_TESTS_FUZZ_FUZZ_TARGET_H_
