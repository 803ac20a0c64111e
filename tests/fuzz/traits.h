// The traits of the input that is running, for the driver.

#ifndef WINNOW_TESTS_FUZZ_TRAITS_H_
#define WINNOW_TESTS_FUZZ_TRAITS_H_

#include <cstdint>
#include <vector>

namespace winnow::fuzz {

// Whoever wants them reserves room, and clears them before each input.
extern std::vector<uint64_t> traits;

}  // namespace winnow::fuzz

#endif  // WINNOW_TESTS_FUZZ_TRAITS_H_
