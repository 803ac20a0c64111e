#include "winnow/amq/cuckoo_filter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace cuckoo_filter_test {

using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

TEST(CuckooFilter, WithoutKeysContainsNothing) {
  const CuckooFilter filter({0, 0.5});
  EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
  EXPECT_EQ(filter.expected_fpr(), 0);
}

TEST(CuckooFilter, TakesAsManyKeysAsPlanned) {
  for (const uint64_t capacity : {0u, 1u, 2u, 3u, 5u, 10u, 100u, 10'000u, 300'000u}) {
    for (const double rate : {0.5, 0.01, 1e-15}) {
      CuckooFilter filter({capacity, rate});
      const std::vector<KeyHash> keys = RandomHashes(2).Take(capacity);
      for (const KeyHash key : keys) ASSERT_TRUE(filter.Insert(key)) << capacity << " " << rate;
      ExpectContainsAll(filter, keys);
      EXPECT_EQ(filter.num_keys(), capacity);
      for (const KeyHash key : keys) ASSERT_TRUE(filter.Remove(key));
      EXPECT_EQ(filter.expected_fpr(), 0);
      EXPECT_EQ(filter.fill_ratio(), 0);
    }
  }
}

// About one in 100,000 filters with few keys refuses a key. Measured with 6 million keys in filters
// of each size (from 1 to 2000 keys); WINNOW_CUCKOO_KEYS=6000000 repeats the measurement.
TEST(CuckooFilter, HardlyAnyFilterRefusesAKeyOfItsPlan) {
  const char* const given = std::getenv("WINNOW_CUCKOO_KEYS");
  const uint64_t keys = given != nullptr ? std::strtoull(given, nullptr, 0) : 100'000;
  RandomHashes random(TestSeed());
  uint64_t refusals = 0;
  uint64_t filters = 0;
  for (const uint64_t capacity :
       {5u, 11u, 19u, 30u, 38u, 53u, 76u, 100u, 150u, 300u, 600u, 1000u, 2000u}) {
    const uint64_t of_capacity = keys / capacity;
    uint64_t refused = 0;
    for (uint64_t i = 0; i < of_capacity; ++i) {
      CuckooFilter filter({capacity, 0.01});
      bool all = true;
      for (uint64_t key = 0; key < capacity; ++key) all &= filter.Insert({random.Next()});
      refused += !all;
    }
    if (given != nullptr) {
      std::cout << capacity << " keys: " << refused << " of " << of_capacity << " filters\n";
    }
    refusals += refused;
    filters += of_capacity;
  }
  EXPECT_LE(refusals, 5 + filters / 20'000);
}

// All widths are tested, since widths up to 16 bits have another implementation.
TEST(CuckooFilter, EveryWidthAnswersBatchesAndHasItsRate) {
  for (double rate = 0.4; rate > 1e-9; rate /= 2) {
    CuckooFilter filter({2000, rate});
    const std::vector<KeyHash> keys = RandomHashes(5).Take(2000);
    for (const KeyHash key : keys) ASSERT_TRUE(filter.Insert(key)) << rate;
    testing::ExpectBatchesAsOneByOne(filter, keys);
    if (filter.fingerprint_bits() <= 17) ExpectReportedRate(filter, 2'000'000, 6);
  }
}

// The filter is large enough for prefetching.
TEST(CuckooFilter, LargeBatchesAreTheSameAsOneByOne) {
  CuckooFilter filter({1'500'000, 0.0019});
  const std::vector<KeyHash> keys = RandomHashes(6).Take(1'500'000);
  for (const KeyHash key : keys) ASSERT_TRUE(filter.Insert(key));
  EXPECT_EQ(filter.fingerprint_bits(), 12u);
  EXPECT_GT(filter.size_bytes(), size_t{2} << 20);
  testing::ExpectBatchesAsOneByOne(filter, keys);
}

TEST(CuckooFilter, HasTheBitsThatTheRateWants) {
  const auto bits = [](double rate) { return CuckooFilter({1000, rate}).fingerprint_bits(); };
  EXPECT_EQ(bits(0.5), 5u);
  EXPECT_EQ(bits(0.01), 10u);
  EXPECT_EQ(bits(0.001), 13u);
  EXPECT_EQ(bits(1e-4), 17u);
  EXPECT_EQ(bits(1e-15), 32u);
}

TEST(CuckooFilter, AgreesWithAMultiset) {
  for (const double rate : {0.3, 1e-3, 1e-9}) {
    CuckooFilter roomy({20'000, rate});
    testing::ExpectAgreesWithAMultiset(
        &roomy, [](CuckooFilter* filter, KeyHash key) { return filter->Insert(key); }, 200'000,
        3000, TestSeed());
    ExpectReportedRate(roomy, 1'000'000, 3);
  }
}

TEST(CuckooFilter, OverloadedTenfoldAgreesWithAMultiset) {
  for (const double rate : {0.3, 1e-3, 1e-9}) {
    CuckooFilter full({500, rate});
    testing::ExpectAgreesWithAMultiset(
        &full, [](CuckooFilter* filter, KeyHash key) { return filter->Insert(key); }, 100'000, 3000,
        TestSeed());
  }
}

TEST(CuckooFilter, ARefusedInsertionLeavesTheBytesAsTheyWere) {
  for (const double rate : {0.3, 1e-3, 1e-9}) {
    CuckooFilter filter({1000, rate});
    RandomHashes random(4);
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      const std::string before(filter.bytes());
      const uint64_t keys = filter.num_keys();
      if (filter.Insert({random.Next()})) continue;
      ++refused;
      ASSERT_EQ(filter.bytes(), before);
      ASSERT_EQ(filter.num_keys(), keys);
    }
    EXPECT_GT(refused, 400);
    EXPECT_GT(filter.fill_ratio(), 0.95);
  }
}

TEST(CuckooFilter, TakesEightCopiesOfAKey) {
  CuckooFilter filter({1000, 1e-3});
  const KeyHash key = {42};
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(filter.Insert(key)) << i;
  const std::string before(filter.bytes());
  EXPECT_FALSE(filter.Insert(key));
  EXPECT_EQ(filter.bytes(), before);
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(filter.MayContain(key));
    EXPECT_TRUE(filter.Remove(key)) << i;
  }
  EXPECT_FALSE(filter.MayContain(key));
  EXPECT_FALSE(filter.Remove(key));
}

}  // namespace cuckoo_filter_test
}  // namespace winnow::amq
