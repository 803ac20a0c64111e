#include "src/core/hash_blocks.h"

#include <gtest/gtest.h>

#include <thread>

namespace winnow::core {
namespace {

TEST(HashBlocksTest, KeepsOrderAndCount) {
  HashBlocks blocks;
  for (uint64_t i = 0; i < 30000; ++i) {
    EXPECT_EQ(blocks.size(), i);
    blocks.Add(i);
  }
  uint64_t next = 0;
  blocks.ForEach([&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(hashes[i], next++);
  });
  EXPECT_EQ(next, 30000u);
  size_t n = 0;
  HashBlock* first = blocks.TakeFirst(&n);
  EXPECT_EQ(n, HashBlock::kHashes);
  EXPECT_EQ(blocks.size(), 30000 - HashBlock::kHashes);
  first->next = nullptr;
  ReleaseHashBlocks(first);
}

TEST(HashBlocksTest, AThreadKeepsABoundedAmount) {
  std::thread([] {
    EXPECT_EQ(KeptHashBlockBytes(), 0u);
    for (int round = 0; round < 3; ++round) {
      HashBlocks blocks;
      for (uint64_t i = 0; i < 3'000'000; ++i) blocks.Add(i);
    }
    EXPECT_LE(KeptHashBlockBytes(), kMostKeptBytes);
    EXPECT_GT(KeptHashBlockBytes(), kMostKeptBytes - 2 * sizeof(HashBlock));
    FreeKeptHashBlocks();
    EXPECT_EQ(KeptHashBlockBytes(), 0u);
  }).join();
}

}  // namespace
}  // namespace winnow::core
