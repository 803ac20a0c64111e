// Tests that all kernels of the machine return the same answers and bytes as the portable one.

#include "src/simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "src/core/bloom.h"
#include "src/core/format.h"
#include "src/core/ribbon.h"
#include "src/simd/cpu.h"
#include "tests/support/random_hashes.h"
#include "tests/support/usable_kernels.h"

namespace winnow::simd {
namespace {

TEST(KernelsTest, PortableIsAlwaysThereAndOthersOnlyWithTheirCpu) {
  ASSERT_FALSE(testing::UsableKernels().empty());
  EXPECT_STREQ(testing::UsableKernels().back()->name, "portable");
  const CpuFeatures cpu = DetectCpuFeatures();
#if defined(__x86_64__)
  EXPECT_EQ(FindKernels("avx2", nullptr) != nullptr, cpu.avx2);
  EXPECT_EQ(FindKernels("gfni", nullptr) != nullptr, cpu.gfni);
  EXPECT_EQ(FindKernels("avx512", nullptr) != nullptr, cpu.avx512);
  EXPECT_EQ(cpu.avx2, __builtin_cpu_supports("avx2") != 0);
#else
  EXPECT_FALSE(cpu.avx2);
#if defined(__aarch64__)
  EXPECT_STREQ(testing::UsableKernels().front()->name, "neon");
#endif
#endif
}

TEST(KernelsTest, NamesThatCanNotBeUsedHaveAReason) {
  const char* reason = nullptr;
  EXPECT_EQ(FindKernels("sse9", &reason), nullptr);
  ASSERT_NE(reason, nullptr);
  EXPECT_NE(std::string(reason).find("portable, avx2"), std::string::npos);
}

TEST(KernelsTest, HashOfBytesAgreesWithPortable) {
  testing::RandomHashes random(testing::TestSeed());
  std::vector<unsigned char> bytes(20'000);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.Next());
  // XXH3 has different code paths up to 16, 128 and 240 bytes, and stripes of 1024.
  std::vector<size_t> sizes = {4095, 4096, 4097, 16'384, 19'999};
  for (size_t size = 0; size <= 1300; ++size) sizes.push_back(size);
  for (const Kernels* kernels : testing::UsableKernels()) {
    for (const size_t size : sizes) {
      ASSERT_EQ(kernels->hash_bytes(bytes.data() + 1, size),
                kPortableKernels.hash_bytes(bytes.data() + 1, size))
          << kernels->name << ", " << size << " bytes";
    }
  }
}

TEST(KernelsTest, BloomAgreesWithPortable) {
  testing::RandomHashes random(testing::TestSeed());
  for (const Kernels* kernels : testing::UsableKernels()) {
    for (unsigned probes = 1; probes <= kBloomMaxProbes; ++probes) {
      for (const uint32_t blocks : {1u, 2u, 3u, 100u, 4097u}) {
        const std::vector<uint64_t> hashes = [&] {
          std::vector<uint64_t> values(blocks * 40);
          for (uint64_t& value : values) value = random.Next();
          return values;
        }();
        // Misaligned by one byte, since a filter may have any address.
        std::vector<unsigned char> expected(blocks * kBloomBlockBytes + 1);
        std::vector<unsigned char> got(expected.size());
        const uint16_t* words = core::BloomWordSets(probes);
        kPortableKernels.bloom_add(expected.data() + 1, blocks, words, hashes.data(),
                                   hashes.size());
        kernels->bloom_add(got.data() + 1, blocks, words, hashes.data(), hashes.size());
        ASSERT_EQ(got, expected) << kernels->name << ", " << probes << " probes";
        const BloomLayer layer{{}, got.data() + 1, blocks, words};
        for (int i = 0; i < 2000; ++i) {
          const uint64_t hash = i % 2 == 0 ? random.Next() : hashes[random.Below(hashes.size())];
          ASSERT_EQ(kernels->bloom_probe(layer, hash), kPortableKernels.bloom_probe(layer, hash))
              << kernels->name;
          ASSERT_TRUE(i % 2 == 0 || kernels->bloom_probe(layer, hash));
        }
        for (const size_t n : {size_t{0}, size_t{1}, size_t{33}, hashes.size()}) {
          for (const bool asks_ahead : {false, true}) {
            const std::unique_ptr<bool[]> results(new bool[n]());
            kernels->bloom_probe_many(layer, hashes.data(), n, asks_ahead, results.get());
            ASSERT_TRUE(std::all_of(results.get(), results.get() + n, [](bool b) { return b; }));
          }
        }
      }
    }
  }
}

// A layer that counts bumped hashes and answers by the lowest bit of the hash.
struct BumpedLayer : RibbonLayer {
  mutable uint64_t bumped = 0;

  static bool Count(const RibbonLayer& layer, uint64_t hash) noexcept {
    ++static_cast<const BumpedLayer&>(layer).bumped;
    return hash % 2 == 0;
  }
};

// Words and thresholds are random: kernels must agree even if there is no solution.
TEST(KernelsTest, RibbonAgreesWithPortable) {
  testing::RandomHashes random(testing::TestSeed());
  uint64_t matches = 0;
  uint64_t bumped = 0;
  for (unsigned packed = 0; packed < 16 * 4096 - 4095; packed += 1365) {
    const core::Columns columns = core::UnpackColumns(static_cast<uint16_t>(packed));
    // Kernels prefetch in the largest layer.
    for (const unsigned shard_bits : {0u, 2u, 5u, 15u}) {
      const bool is_large = shard_bits == 15;
      const core::BumpedLayout layout = core::LayOut(shard_bits, 3, columns);
      // One extra byte before the layer; reads beyond the allowed bytes behind are detected by the
      // address sanitizer.
      const size_t used = layout.words_bytes + std::max<size_t>(layout.thresholds_bytes, 8);
      std::vector<unsigned char> bytes(1 + used);
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.Next());
      BumpedLayer layer;
      static_cast<RibbonLayer&>(layer) =
          core::LayerForKernels(shard_bits, 3, columns, bytes.data() + 1);
      layer.if_bumped = BumpedLayer::Count;
      for (int i = 0; i < 50; ++i) {
        std::vector<uint64_t> hashes(random.Below(100));
        for (uint64_t& hash : hashes) hash = random.Next();
        const std::unique_ptr<bool[]> results(new bool[hashes.size()]);
        for (const Kernels* kernels : testing::UsableKernels()) {
          kernels->ribbon_probe_many(layer, nullptr, hashes.data(), hashes.size(), results.get());
          for (size_t j = 0; j < hashes.size(); ++j) {
            ASSERT_EQ(results[j], kPortableKernels.ribbon_probe(layer, hashes[j]))
                << kernels->name << ", columns " << packed << ", hash " << hashes[j];
          }
        }
      }
      for (int i = 0; i < (is_large ? 100 : 3000); ++i) {
        const uint64_t hash = random.Next();
        layer.bumped = 0;
        const bool expected = kPortableKernels.ribbon_probe(layer, hash);
        const uint64_t expected_bumped = layer.bumped;
        bumped += expected_bumped;
        matches += expected && expected_bumped == 0;
        for (const Kernels* kernels : testing::UsableKernels()) {
          layer.bumped = 0;
          ASSERT_EQ(kernels->ribbon_probe(layer, hash), expected)
              << kernels->name << ", columns " << packed << ", hash " << hash;
          ASSERT_EQ(layer.bumped, expected_bumped) << kernels->name;
          if (expected_bumped == 0) {
            unsigned in_block = 0;
            const uint32_t value = kernels->ribbon_retrieve(layer, hash, &in_block);
            unsigned in_portable = 0;
            ASSERT_EQ(value, kPortableKernels.ribbon_retrieve(layer, hash, &in_portable))
                << kernels->name << ", columns " << packed << ", hash " << hash;
            ASSERT_EQ(in_block, in_portable) << kernels->name;
            ASSERT_TRUE(in_block == columns.whole || in_block == columns.most());
            const uint64_t differing = value ^ formulas::Fingerprint(hash, columns.most());
            ASSERT_EQ((differing & ((uint64_t{1} << in_block) - 1)) == 0, expected);
          }
          if (columns.most() > 8) continue;
          ASSERT_EQ(kernels->ribbon_probe_narrow(layer, hash), expected)
              << kernels->name << ", columns " << packed << ", hash " << hash;
        }
      }
    }
  }
  EXPECT_GT(matches, 1000u);
  EXPECT_GT(bumped, 1000u);
}

// Two layers as in a filter: the first one's function asks the second.
struct FirstLayer : RibbonLayer {
  BumpedLayer second;

  static bool AskSecond(const RibbonLayer& first, uint64_t hash) noexcept {
    const RibbonLayer& second = static_cast<const FirstLayer&>(first).second;
    return kPortableKernels.ribbon_probe(second, formulas::NextLayerHash(hash));
  }
};

enum class Bumps { kNone, kSome, kAll };

// Returns random bytes; a layer's thresholds follow its words.
std::vector<unsigned char> RandomLayer(unsigned shard_bits, core::Columns columns, Bumps bumps,
                                       testing::RandomHashes* random) {
  const core::BumpedLayout layout = core::LayOut(shard_bits, 3, columns);
  std::vector<unsigned char> bytes(layout.words_bytes +
                                   std::max<size_t>(layout.thresholds_bytes, 8));
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random->Next());
  if (bumps == Bumps::kSome) return bytes;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(layout.words_bytes), bytes.end(),
            bumps == Bumps::kAll ? 0 : 0xff);
  return bytes;
}

// Batches have sizes around the number of hashes in flight, in small layers and in layers with
// prefetching, with few, many and only bumped hashes. Answers must be those of single lookups.
TEST(KernelsTest, RibbonBatchesAskBumpedHashesOfTheNextLayer) {
  testing::RandomHashes random(testing::TestSeed());
  for (const Kernels* kernels : testing::UsableKernels()) {
    for (const unsigned packed : {4096 * 4 + 999u, 4096 * 10 + 77u}) {
      const core::Columns columns = core::UnpackColumns(static_cast<uint16_t>(packed));
      for (const unsigned shard_bits : {1u, 15u}) {
        for (const Bumps bumps : {Bumps::kNone, Bumps::kSome, Bumps::kAll}) {
          const auto first_bytes = RandomLayer(shard_bits, columns, bumps, &random);
          const auto second_bytes = RandomLayer(shard_bits / 2, columns, Bumps::kSome, &random);
          FirstLayer layer;
          static_cast<RibbonLayer&>(layer) =
              core::LayerForKernels(shard_bits, 3, columns, first_bytes.data());
          layer.if_bumped = FirstLayer::AskSecond;
          static_cast<RibbonLayer&>(layer.second) =
              core::LayerForKernels(shard_bits / 2, 3, columns, second_bytes.data());
          layer.second.if_bumped = BumpedLayer::Count;
          for (const size_t n : {0u, 1u, 4u, 5u, 31u, 32u, 33u, 63u, 64u, 65u, 96u, 97u, 1000u}) {
            std::vector<uint64_t> hashes(n);
            for (uint64_t& hash : hashes) hash = random.Next();
            const auto results_by = [&](const RibbonLayer* next) {
              const std::unique_ptr<bool[]> results(new bool[n]);
              kernels->ribbon_probe_many(layer, next, hashes.data(), n, results.get());
              return std::vector<bool>(results.get(), results.get() + n);
            };
            layer.second.bumped = 0;
            std::vector<bool> expected;
            for (const uint64_t hash : hashes) {
              expected.push_back(kPortableKernels.ribbon_probe(layer, hash));
            }
            const uint64_t bumped_twice = layer.second.bumped;
            ASSERT_TRUE(bumps != Bumps::kNone || bumped_twice == 0);
            ASSERT_TRUE(bumps != Bumps::kAll || n < 31 || bumped_twice > 0);
            layer.second.bumped = 0;
            ASSERT_EQ(results_by(&layer.second), expected) << kernels->name << ", " << n;
            ASSERT_EQ(layer.second.bumped, bumped_twice) << kernels->name << ", " << n;
            ASSERT_EQ(results_by(nullptr), expected) << kernels->name << ", " << n;
          }
        }
      }
    }
  }
}

TEST(KernelsTest, CellsAreThoseOfStartPositions) {
  testing::RandomHashes random(testing::TestSeed());
  constexpr size_t kMax = 70;
  constexpr uint16_t kUntouched = 0xabcd;
  for (unsigned round = 0; round < 300; ++round) {
    RibbonGrid grid;
    grid.shard_bits = round % 13;
    grid.shard_starts = static_cast<uint32_t>(1 + random.Below(256)) * kRibbonBucketSlots;
    grid.cell_bits = round % 2 == 0 ? 3 : 12;
    grid.shard_cells = (grid.shard_starts + (1u << grid.cell_bits) - 1) >> grid.cell_bits;
    const auto shard = static_cast<uint32_t>(random.Below(uint64_t{1} << grid.shard_bits));
    grid.first_cell = shard * grid.shard_cells;
    const size_t n = round % kMax;
    std::vector<uint64_t> hashes;
    for (size_t i = 0; i < n; ++i) hashes.push_back(random.Next() >> 8 * random.Below(3));
    std::vector<uint16_t> expected;
    for (const uint64_t hash : hashes) {
      const uint32_t start = formulas::StartPosition(hash, grid.shard_starts << grid.shard_bits);
      const uint32_t cell = start / grid.shard_starts * grid.shard_cells +
                            (start % grid.shard_starts >> grid.cell_bits);
      expected.push_back(static_cast<uint16_t>(cell - grid.first_cell));
    }
    expected.push_back(kUntouched);
    for (const Kernels* kernels : testing::UsableKernels()) {
      std::vector<uint16_t> cells(n + 1, kUntouched);
      kernels->ribbon_cells(grid, hashes.data(), n, cells.data());
      ASSERT_EQ(cells, expected) << kernels->name << ", " << n << " hashes, " << grid.shard_bits
                                 << " bits of sub-shard";
    }
  }
}

TEST(KernelsTest, BackSubstitutionAgreesWithPortable) {
  testing::RandomHashes random(testing::TestSeed());
  for (unsigned packed = 0; packed < 16 * 4096 - 4095; packed += 1365) {
    const core::Columns columns = core::UnpackColumns(static_cast<uint16_t>(packed));
    for (unsigned shards = 1; shards <= kRibbonMostShards; ++shards) {
      constexpr uint64_t kBlocks = 5;
      constexpr uint64_t kFirstBlock = 3;
      std::vector<std::vector<uint64_t>> tables(shards);
      const uint64_t* rows[kRibbonMostShards] = {};
      for (unsigned shard = 0; shard < shards; ++shard) {
        for (uint64_t slot = 0; slot < kBlocks * 64; ++slot) {
          tables[shard].push_back(slot % 9 == 0 ? 0 : random.Next() | 1);
        }
        rows[shard] = tables[shard].data();
      }
      const size_t bytes = (kFirstBlock + shards * kBlocks) * columns.most() * 8;
      for (const uint64_t split : {uint64_t{0}, kFirstBlock + shards * kBlocks / 2, bytes}) {
        std::vector<unsigned char> expected(bytes);
        kPortableKernels.ribbon_solve(rows, shards, kBlocks, kFirstBlock, columns.whole,
                                      columns.most(), split, expected.data());
        for (const Kernels* kernels : testing::UsableKernels()) {
          std::vector<unsigned char> got(bytes);
          kernels->ribbon_solve(rows, shards, kBlocks, kFirstBlock, columns.whole, columns.most(),
                                split, got.data());
          ASSERT_EQ(got, expected) << kernels->name << ", columns " << packed << ", " << shards
                                   << " sub-shards, split " << split;
        }
      }
    }
  }
}

// ribbon_elimination_test compares the results.
TEST(KernelsTest, PortableEliminatesRowByRowAndOthersSlotBySlot) {
  for (const Kernels* kernels : testing::UsableKernels()) {
    const std::string name = kernels->name;
    EXPECT_EQ(kernels->ribbon_elimination != nullptr, name != "portable") << name;
  }
}

TEST(KernelsTest, EnvironmentForcesAKernel) {
  const char* wanted = std::getenv("WINNOW_KERNEL");
  if (wanted == nullptr) GTEST_SKIP() << "WINNOW_KERNEL is not set";
  EXPECT_STREQ(ActiveKernels().name, FindKernels(wanted, nullptr) != nullptr ? wanted : "portable");
}

}  // namespace
}  // namespace winnow::simd
