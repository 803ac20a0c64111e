// Every kind of filter has the size that its own formula gives, and the rate that it reports.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "src/amq/block_sizing.h"
#include "tests/amq/filter_testing.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/partitioned_bloom.h"
#include "winnow/amq/standard_bloom.h"
#include "winnow/amq/xor_filter.h"

namespace winnow::amq {
namespace {

using testing::ExpectReportedRate;
using testing::RandomHashes;

constexpr double kRates[] = {0.1, 0.01, 0.001};
constexpr uint64_t kCounts[] = {700'000, 1'000'000, 1'300'000};

// Lookups that give ten thousand false positives.
uint64_t Lookups(double rate) { return static_cast<uint64_t>(1e4 / rate); }

void ExpectSize(size_t bytes, uint64_t keys, double bits_a_key, double rate) {
  EXPECT_NEAR(static_cast<double>(bytes) * 8 / static_cast<double>(keys), bits_a_key,
              0.02 * bits_a_key)
      << "bits a key of " << keys << " keys at " << rate;
}

// Filters that keys are added to, made of a plan.
template <typename Filter, typename BitsAKey>
void ExpectSizesAndRates(BitsAKey bits_a_key) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      Filter filter({keys, rate});
      ExpectSize(filter.size_bytes(), keys, bits_a_key(rate), rate);
      for (const KeyHash key : RandomHashes(keys).Take(keys)) filter.Add(key);
      EXPECT_LE(filter.planned_fpr(), rate);
      EXPECT_NEAR(filter.expected_fpr(), filter.planned_fpr(), 0.02 * filter.planned_fpr());
      if (keys == 1'000'000) ExpectReportedRate(filter, Lookups(rate), 77);
    }
  }
}

double StandardBits(double rate) { return std::log2(1 / rate) / std::log(2); }

TEST(SizesAndRates, OfStandardBloom) { ExpectSizesAndRates<StandardBloom>(StandardBits); }

// At the most patterns a block, in very many blocks, that have the rate.
double BlockedBits(double rate) {
  const BlockedShape shape = BlockedBloom::ShapeFor({uint64_t{1} << 30, rate});
  const double load =
      LoadForPatternRate(std::pow(rate, 1.0 / shape.blocks_per_key), shape.bits_per_block);
  return 512 * shape.blocks_per_key / load;
}

TEST(SizesAndRates, OfBlockedBloom) { ExpectSizesAndRates<BlockedBloom>(BlockedBits); }

// Of one block a key, whatever the rate.
double ConcurrentBits(double rate) {
  double most_load = LoadForPatternRate(rate, {2, 1});
  for (unsigned words = 2; words <= 5; ++words) {
    most_load = std::max(most_load, LoadForPatternRate(rate, {words, 2}));
  }
  return 512 / most_load;
}

TEST(SizesAndRates, OfConcurrentBloom) { ExpectSizesAndRates<ConcurrentBloom>(ConcurrentBits); }

TEST(SizesAndRates, OfCountingBloom) {
  ExpectSizesAndRates<CountingBloom>([](double rate) { return 4 * StandardBits(rate); });
}

// As many bits as give the rate in 8 slots of which 95 % are taken.
TEST(SizesAndRates, OfCuckooFilter) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      CuckooFilter filter({keys, rate});
      ExpectSize(filter.size_bytes(), keys, std::ceil(std::log2(1 + 7.6 / rate)) / 0.95, rate);
      for (const KeyHash key : RandomHashes(keys).Take(keys)) ASSERT_TRUE(filter.Insert(key));
      EXPECT_LE(filter.planned_fpr(), rate);
      EXPECT_NEAR(filter.expected_fpr(), filter.planned_fpr(), 0.02 * filter.planned_fpr());
      if (keys == 1'000'000) ExpectReportedRate(filter, Lookups(rate), 77);
    }
  }
}

// Filters that are made of all their keys, with the least whole bits of fingerprint.
template <typename Make, typename SlotsAKey>
void ExpectStaticSizesAndRates(Make make, SlotsAKey slots_a_key) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      const auto filter = make(RandomHashes(keys).Take(keys), rate);
      const double bits = std::max(4.0, std::ceil(std::log2(1 / rate)));
      ExpectSize(filter.size_bytes(), keys, slots_a_key(static_cast<double>(keys)) * bits, rate);
      EXPECT_LE(filter.planned_fpr(), rate);
      if (keys == 1'000'000) ExpectReportedRate(filter, Lookups(rate), 77);
    }
  }
}

TEST(SizesAndRates, OfXorFilter) {
  ExpectStaticSizesAndRates([](const std::vector<KeyHash>& keys,
                               double rate) { return XorFilter(keys.data(), keys.size(), rate); },
                            [](double) { return 1.23; });
}

TEST(SizesAndRates, OfBinaryFuseFilter) {
  ExpectStaticSizesAndRates(
      [](const std::vector<KeyHash>& keys, double rate) {
        return BinaryFuseFilter(keys.data(), keys.size(), rate);
      },
      [](double n) { return std::max(1.125, 0.875 + 0.25 * std::log(1e6) / std::log(n)); });
}

TEST(SizesAndRates, OfBinaryFuseFilterWithFourSlots) {
  ExpectStaticSizesAndRates(
      [](const std::vector<KeyHash>& keys, double rate) {
        return BinaryFuseFilter(keys.data(), keys.size(), rate, FuseArity::kFour);
      },
      [](double n) { return std::max(1.075, 0.77 + 0.305 * std::log(6e5) / std::log(n)); });
}

TEST(SizesAndRates, OfPartitionedBloom) { ExpectSizesAndRates<PartitionedBloom>(StandardBits); }

}  // namespace
}  // namespace winnow::amq
