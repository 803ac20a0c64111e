#include "src/core/hash_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "src/core/hash_chunks.h"

namespace winnow::core {
namespace hash_blocks_test {

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

TEST(HashBlocksTest, GivesTheRoomBehindTheLastHashAwayOnce) {
  HashBlocks blocks;
  EXPECT_EQ(blocks.TakeRoom(512).begin, nullptr);
  for (uint64_t i = 0; i < HashBlock::kHashes + 1000; ++i) blocks.Add(i);
  const HashBlocks::Room room = blocks.TakeRoom(512);
  ASSERT_NE(room.begin, nullptr);
  // 1001 words of the last block are in use, including the link.
  EXPECT_EQ(room.end - room.begin, 8192 - 1024);
  std::fill(room.begin, room.end, ~uint64_t{0});
  EXPECT_EQ(blocks.TakeRoom(512).begin, nullptr);
  uint64_t next = 0;
  blocks.ForEach([&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(hashes[i], next++);
  });
  EXPECT_EQ(next, HashBlock::kHashes + 1000);
}

TEST(HashBlocksTest, BinsHoldWhatWasDrainedIntoThem) {
  HashBlocks blocks;
  constexpr uint64_t kHashes = 20000;
  for (uint64_t i = 0; i < kHashes; ++i) blocks.Add(i);
  HashChunkPool pool;
  HashBin bins[7];
  uint64_t next = 0;
  pool.Drain(&blocks, [&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(hashes[i], next++);
      pool.Add(&bins[hashes[i] % 7], hashes[i]);
    }
  });
  EXPECT_EQ(next, kHashes);
  EXPECT_EQ(blocks.size(), 0u);
  std::vector<bool> found(kHashes);
  for (uint64_t bin = 0; bin < 7; ++bin) {
    EXPECT_EQ(bins[bin].size(), (kHashes + 6 - bin) / 7);
    pool.DrainOneByOne(&bins[bin], [&](uint64_t hash) {
      ASSERT_LT(hash, kHashes);
      EXPECT_EQ(hash % 7, bin);
      EXPECT_FALSE(found[hash]);
      found[hash] = true;
    });
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), true), static_cast<ptrdiff_t>(kHashes));
}

TEST(HashBlocksTest, AThreadKeepsABoundedAmount) {
  std::thread([] {
    EXPECT_EQ(KeptHashBlockBytes(), 0u);
    for (int round = 0; round < 3; ++round) {
      HashBlocks blocks;
      for (uint64_t i = 0; i < 3'000'000; ++i) blocks.Add(i);
    }
    EXPECT_LE(KeptHashBlockBytes(), kMaxKeptBytes);
    EXPECT_GT(KeptHashBlockBytes(), kMaxKeptBytes - 2 * sizeof(HashBlock));
    FreeKeptHashBlocks();
    EXPECT_EQ(KeptHashBlockBytes(), 0u);
  }).join();
}

}  // namespace hash_blocks_test
}  // namespace winnow::core
