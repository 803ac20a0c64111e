#include "src/rocksdb/loads/loaded_filter.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "src/core/format.h"
#include "winnow/hash.h"

namespace winnow::plugin {

uint64_t HashOfTail(std::string_view block) noexcept {
  return HashKey(block.substr(block.size() - std::min(block.size(), core::kTailBytes))).value;
}

uint64_t HashOfSomeBytes(std::string_view block) noexcept {
  constexpr size_t kPlaces = 4;
  constexpr size_t kAtAPlace = 32;
  constexpr size_t kAtTheEnd = 64;
  char bytes[sizeof(uint64_t) + kPlaces * kAtAPlace + kAtTheEnd];
  if (block.size() <= sizeof bytes) return HashKey(block).value;
  const uint64_t size = block.size();
  char* end = bytes;
  const auto add = [&end](const void* from, size_t n) {
    std::memcpy(end, from, n);
    end += n;
  };
  add(&size, sizeof size);
  for (size_t place = 0; place < kPlaces; ++place) {
    add(block.data() + place * (block.size() / kPlaces), kAtAPlace);
  }
  add(block.data() + block.size() - kAtTheEnd, kAtTheEnd);
  return HashKey({bytes, sizeof bytes}).value;
}

}  // namespace winnow::plugin
