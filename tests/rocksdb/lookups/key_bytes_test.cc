#include "src/rocksdb/lookups/key_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace winnow::plugin {
namespace key_bytes_test {

constexpr uint64_t kSeed = 20260211;
constexpr size_t kMaxBytes = 300;

// Returns a copy in an allocation of its exact size, so that AddressSanitizer finds reads past the
// end.
std::unique_ptr<char[]> Exactly(const std::string& bytes) {
  std::unique_ptr<char[]> memory(new char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), memory.get());
  return memory;
}

std::string RandomBytes(size_t size, std::mt19937_64* random) {
  std::string bytes(size, '\0');
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>((*random)()); });
  return bytes;
}

void Keep(char* kept, const char* key, size_t n) {
  if (n <= kMaxShortBytes) {
    KeepShort(kept, key, n);
  } else {
    std::memcpy(kept, key, n);
  }
}

bool IsKept(const char* kept, const char* key, size_t n) {
  return n <= kMaxShortBytes ? IsKeptShort(kept, key, n) : IsKeptLong(kept, key, n);
}

TEST(KeyBytes, KnowAKeyAgainAndNoneThatDiffersInOneBit) {
  std::mt19937_64 random(kSeed);
  for (size_t n = 1; n <= kMaxBytes; ++n) {
    const std::string bytes = RandomBytes(n, &random);
    const auto key = Exactly(bytes);
    std::vector<char> kept(std::max(n, kMaxShortBytes), '\x5a');
    Keep(kept.data(), key.get(), n);
    EXPECT_TRUE(IsKept(kept.data(), key.get(), n)) << n << " bytes, seed " << kSeed;
    for (size_t bit = 0; bit < 8 * n; ++bit) {
      const auto other = Exactly(bytes);
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
      ASSERT_FALSE(IsKept(kept.data(), other.get(), n))
          << n << " bytes, bit " << bit << ", seed " << kSeed;
    }
  }
}

TEST(KeyBytes, NeedNoMoreRoomThanTheySay) {
  std::mt19937_64 random(kSeed);
  for (size_t n = 1; n <= kMaxShortBytes; ++n) {
    const size_t room = n > 32 ? 64 : n > 16 ? 32 : 16;
    const std::unique_ptr<char[]> kept(new char[room]);
    const auto key = Exactly(RandomBytes(n, &random));
    KeepShort(kept.get(), key.get(), n);
    EXPECT_TRUE(IsKeptShort(kept.get(), key.get(), n)) << n << " bytes, seed " << kSeed;
  }
}

}  // namespace key_bytes_test
}  // namespace winnow::plugin
