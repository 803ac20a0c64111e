#include "tests/fuzz/traits.h"

#include "tests/fuzz/fuzz_target.h"

namespace winnow::fuzz {

Counts counts;
std::vector<uint64_t> traits;

// Traits beyond the capacity are dropped.
void NoteTrait(uint64_t trait) noexcept {
  if (traits.size() < traits.capacity()) traits.push_back(trait);
}

}  // namespace winnow::fuzz
