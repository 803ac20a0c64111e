// Tests that all block kernels give the answers and bytes of single additions and lookups.

#include "streams/amq/block_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::amq {
namespace block_kernels_test {

using testing::RandomHashes;
using testing::TestSeed;

struct alignas(64) Block {
  uint64_t words[kBlockWords];
};

std::vector<const BlockKernels*> Usable() {
  const BlockKernels* usable[kMaxBlockKernels];
  const size_t count = UsableBlockKernels(usable);
  return {usable, usable + count};
}

TEST(BlockKernels, ThePlainOnesAreAlwaysThereAndLast) {
  const auto usable = Usable();
  ASSERT_FALSE(usable.empty());
  EXPECT_EQ(usable.back()->name, std::string("plain"));
  EXPECT_EQ(&ChosenBlockKernels(), usable.front());
  for (const BlockKernels* kernels : usable) std::cout << kernels->name << "\n";
}

// Many keys in few blocks, so that keys collide with their own blocks and with those of nearby
// keys.
TEST(BlockKernels, DoTheSameAsOneKeyAfterTheOther) {
  RandomHashes random(TestSeed());
  for (const BlockKernels* kernels : Usable()) {
    for (unsigned blocks_per_key = 1; blocks_per_key <= kMaxBlocksPerKey; ++blocks_per_key) {
      for (unsigned bits = 1; bits <= kBlockWords; ++bits) {
        for (const uint64_t num_blocks : {1u, 3u, 200u}) {
          BlockedBloom one(BlockedShape{num_blocks, blocks_per_key, bits}, 100);
          std::vector<Block> blocks(num_blocks, Block{});
          const BlockArray array = {blocks.front().words, num_blocks, blocks_per_key, bits};
          BatchAdded sum;
          for (const size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 64u, 100u}) {
            std::vector<KeyHash> keys = random.Take(n);
            if (n > 20) keys[20] = keys[3] = keys[2];
            // The byte behind the results must not change.
            const auto results = std::make_unique<bool[]>(n + 1);
            results[n] = true;
            // Adds in one step, or in two.
            std::vector<BlockPlace> places(n * blocks_per_key);
            BringBlocks(array, keys.data(), n, places.data());
            const BatchAdded added =
                n % 2 == 0 ? kernels->add(array, keys.data(), n, results.get())
                           : kernels->add_placed(array, places.data(), n, results.get());
            sum.bits += added.bits;
            sum.keys += added.keys;
            for (size_t i = 0; i < n; ++i) {
              ASSERT_EQ(results[i], one.Add(keys[i])) << kernels->name << ", key " << i;
            }
            for (size_t i = 0; i < n; i += 2) keys[i].value = random.Next();
            kernels->ask(array, keys.data(), n, results.get());
            for (size_t i = 0; i < n; ++i) {
              ASSERT_EQ(results[i], one.MayContain(keys[i])) << kernels->name << ", key " << i;
            }
            ASSERT_TRUE(results[n]);
          }
          EXPECT_EQ(sum.keys, one.num_added());
          const double chance = kernels->sum_chances(array) / static_cast<double>(num_blocks);
          EXPECT_NEAR(std::pow(chance, blocks_per_key), one.expected_fpr(), 1e-12) << bits;
          EXPECT_GT(chance, 0);
          EXPECT_EQ(static_cast<double>(sum.bits) / (512.0 * static_cast<double>(num_blocks)),
                    one.fill_ratio())
              << kernels->name;
        }
      }
    }
  }
}

}  // namespace block_kernels_test
}  // namespace winnow::amq
