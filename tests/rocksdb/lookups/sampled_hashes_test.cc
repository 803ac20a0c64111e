#include "src/rocksdb/lookups/sampled_hashes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace winnow::plugin {
namespace sampled_hashes_test {

constexpr uint64_t kSeed = 20260305;

// Returns the sampled fraction of random hashes.
double SampledShare() {
  constexpr int kHashes = 1'000'000;
  std::mt19937_64 random(kSeed);
  int sampled = 0;
  for (int i = 0; i < kHashes; ++i) sampled += IsSampled(random()) ? 1 : 0;
  return static_cast<double>(sampled) / kHashes;
}

TEST(SampledHashesTest, SamplesWhileAnyoneWantsIt) {
  EXPECT_EQ(SampledShare(), 0) << "seed " << kSeed;
  auto one = std::make_unique<SamplingUse>();
  SamplingUse other;
  EXPECT_FALSE(IsSampling());
  one->Set(true);
  one->Set(true);
  other.Set(true);
  EXPECT_TRUE(IsSampling());
  EXPECT_NEAR(SampledShare(), 1 / 64.0, 0.001) << "seed " << kSeed;
  other.Set(false);
  EXPECT_TRUE(IsSampling());
  one.reset();
  EXPECT_FALSE(IsSampling());
  EXPECT_EQ(SampledShare(), 0) << "seed " << kSeed;
}

TEST(SampledHashesTest, SamplesOneInAPowerOfTwo) {
  SamplingUse use;
  use.Set(true);
  for (const unsigned shift : {6u, 8u, 16u}) {
    SetSamplingShift(shift);
    EXPECT_EQ(SamplingMask(), (uint64_t{1} << shift) - 1);
    EXPECT_NEAR(SampledShare(), 1.0 / static_cast<double>(1 << shift), 0.001) << "seed " << kSeed;
  }
  SetSamplingShift(60);
  EXPECT_EQ(SamplingMask(), 65535u);
  SetSamplingShift(0);
  EXPECT_EQ(SamplingMask(), 63u);
}

TEST(SampledHashesTest, TakesEveryKeyInItsTurn) {
  SamplingUse use;
  use.Set(true);
  constexpr uint64_t kHash = 0x123456789abcdef0;
  for (int turn = 0; turn < 3; ++turn) {
    int sampled = 0;
    for (int i = 0; i < 64; ++i) {
      ChangeSalt();
      sampled += IsSampled(kHash) ? 1 : 0;
    }
    EXPECT_EQ(sampled, 1);
  }
}

TEST(SampledHashesTest, CountsUsersOfAllThreads) {
  SamplingUse shared;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared] {
      SamplingUse own;
      for (int i = 0; i < 10'000; ++i) {
        own.Set(i % 2 == 0);
        shared.Set(i % 3 == 0);
        ChangeSalt();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared.Set(false);
  EXPECT_FALSE(IsSampling());
  shared.Set(true);
  EXPECT_TRUE(IsSampling());
}

// The sampling rate doubles or halves until samples come at the target pace.
TEST(SampledHashesTest, SamplesKeepAPace) {
  SamplingUse use;
  use.Set(true);
  SetSamplingShift(kMinSamplingShift);
  std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
  const auto mask_after = [&](std::chrono::milliseconds pace) {
    now += pace;
    KeepPace(now);
    return SamplingMask();
  };
  mask_after(kSlowPace);
  EXPECT_EQ(mask_after(kFastPace), 63u);
  EXPECT_EQ(mask_after(kFastPace / 2), 127u);
  EXPECT_EQ(mask_after(kFastPace / 2), 255u);
  EXPECT_EQ(mask_after(kSlowPace), 255u);
  EXPECT_EQ(mask_after(2 * kSlowPace), 127u);
  EXPECT_EQ(mask_after(2 * kSlowPace), 63u);
  EXPECT_EQ(mask_after(2 * kSlowPace), 63u);
  for (int i = 0; i < 30; ++i) mask_after(kFastPace / 2);
  EXPECT_EQ(SamplingMask(), (uint64_t{1} << kMaxSamplingShift) - 1);
  SetSamplingShift(kMinSamplingShift);
}

}  // namespace sampled_hashes_test
}  // namespace winnow::plugin
