#include "streams/amq/xored_slots.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/random_hashes.h"

namespace winnow::amq {
namespace xored_slots_test {

using testing::RandomHashes;

TEST(DistinctHashes, AreSortedAndEachOnce) {
  const KeyHash hashes[] = {{3}, {1}, {3}, {UINT64_MAX}, {0}, {1}};
  EXPECT_EQ(DistinctHashes(hashes, 6), (std::vector<KeyHash>{{0}, {1}, {3}, {UINT64_MAX}}));
  EXPECT_TRUE(DistinctHashes(nullptr, 0).empty());
}

TEST(FingerprintBits, AreTheFewestThatReachTheRate) {
  EXPECT_EQ(FingerprintBits(0.0625), 4u);
  EXPECT_EQ(FingerprintBits(0.0624), 5u);
  EXPECT_EQ(FingerprintBits(0.01), 7u);
  EXPECT_EQ(FingerprintBits(0.0001), 14u);
  EXPECT_EQ(FingerprintBits(1e-12), 32u);
}

// All keys have equal slots: no seed helps.
TEST(FillSlots, RefusesWhatCantBePlacedAndLeavesTheBytes) {
  const auto same = [](uint64_t) { return std::array<uint64_t, 3>{0, 5, 9}; };
  for (const size_t n : {2u, 3u, 300u}) {  // 300 exceeds the key count of a slot
    const std::vector<KeyHash> hashes = RandomHashes(n).Take(n);
    std::vector<unsigned char> bytes(PackedBytes(10, 7));
    EXPECT_FALSE(FillSlots(hashes.data(), n, 1, 10, 7, same, bytes.data()));
    EXPECT_EQ(bytes, std::vector<unsigned char>(bytes.size()));
  }
}

TEST(ThrowUnbuildable, SaysWhatToDo) {
  try {
    ThrowUnbuildable("XorFilter", 12, 64);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "XorFilter: 12 keys could not be placed with any of 64 seeds, which is very rare: a "
              "BlockedBloom takes any keys");
  }
}

TEST(PackedSlots, KeepTheirNeighbours) {
  RandomHashes random(1);
  for (unsigned bits = 4; bits <= 32; ++bits) {
    std::vector<unsigned char> bytes(PackedBytes(100, bits));
    std::vector<uint64_t> expected(100);
    for (int i = 0; i < 1000; ++i) {
      const uint64_t slot = random.Below(100);
      expected[slot] = random.Next() & LowBits(bits);
      SetSlot(bytes.data(), slot, bits, expected[slot]);
    }
    for (uint64_t slot = 0; slot < 100; ++slot) {
      ASSERT_EQ(GetSlot(bytes.data(), slot, bits), expected[slot]) << bits;
    }
  }
}

}  // namespace xored_slots_test
}  // namespace winnow::amq
