#include "src/rocksdb/hash_guard.h"

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "src/rocksdb/messages/stderr_line.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

// XXH3 hashes of known keys: byte i of each key is 7 i mod 256. XXH3 uses a different code path for
// each of these lengths.
constexpr struct {
  size_t length;
  uint64_t hash;
} kHashes[] = {
    {0, 0x2d06800538d394c2},   {3, 0xc3489259e968ad9e},    {8, 0xb88dee77f6bf6980},
    {16, 0x9da23836adf2be1e},  {40, 0x1bdcd3399cc64d80},   {200, 0x7c64f3b17285e96a},
    {300, 0xe2558afb5598da2a}, {1025, 0xe1d9cd946277ae26},
};

std::string FindProblem() {
  char bytes[1025];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<char>(7 * i);
  for (const auto& [length, expected] : kHashes) {
    const uint64_t found = HashKey(std::string_view(bytes, length)).value;
    if (found == expected) continue;
    char numbers[120];
    std::snprintf(numbers, sizeof numbers,
                  "a key of %zu bytes: found 0x%016" PRIx64 ", expected 0x%016" PRIx64, length,
                  found, expected);
    return "this Winnow hashes keys in another way than its filters' format says (" +
           std::string(numbers) +
           "), so it builds none of its filters, and those of files \"may contain\" every key: "
           "build it with xxHash 0.8.0 or later";
  }
  return {};
}

}  // namespace

const std::string& HashProblem() {
  // Never destroyed: a policy may be made while the program exits.
  static const std::string& problem = *[] {
    const auto* const found = new std::string(FindProblem());
    if (!found->empty()) SayOnceOnStderr(*found);
    return found;
  }();
  return problem;
}

}  // namespace winnow::plugin
