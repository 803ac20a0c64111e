// Interface of a fuzz target, for libFuzzer, and for driver.cc, which replaces it for compilers
// other than clang.

#ifndef WINNOW_TESTS_FUZZ_FUZZ_TARGET_H_
#define WINNOW_TESTS_FUZZ_FUZZ_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// ---- Defined by each fuzz target

// Runs one input. Returns 0; aborts if an answer is wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Mutates an input in place, with knowledge of its structure. Returns the new size, at most
// `max_size`. Deterministic for a seed.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed);

// ---- Defined by libFuzzer or driver.cc

// Mutates bytes without knowledge of their structure.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace winnow::fuzz {

// Maximum input size. Larger filters have no other forms, and the stand-alone reader is slow.
inline constexpr size_t kMaxInputBytes = size_t{1} << 14;

// Counts over all inputs, to detect a run that only had blocks that were refused.
struct Counts {
  uint64_t blocks = 0;   // blocks passed to the library
  uint64_t usable = 0;   // blocks without a fault
  uint64_t answers = 0;  // answers compared with those of the stand-alone reader
  uint64_t absent = 0;   // negative answers among these
};
extern Counts counts;

// Records a trait of the current input. The driver keeps inputs with a new trait; libFuzzer
// measures code coverage instead.
void NoteTrait(uint64_t trait) noexcept;

}  // namespace winnow::fuzz

// Aborts if the condition is false.
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
