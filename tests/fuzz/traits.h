// Traits of the current input, for driver.cc.

#ifndef WINNOW_TESTS_FUZZ_TRAITS_H_
#define WINNOW_TESTS_FUZZ_TRAITS_H_

#include <cstdint>
#include <vector>

namespace winnow::fuzz {

// Traits of the current input. The driver reserves room, and clears them before each input.
extern std::vector<uint64_t> traits;

}  // namespace winnow::fuzz

#endif  // WINNOW_TESTS_FUZZ_TRAITS_H_
