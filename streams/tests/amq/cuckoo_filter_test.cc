#include "winnow/amq/cuckoo_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace cuckoo_filter_test {

using testing::ExpectReportedRate;
using testing::RandomHashes;
using testing::TestSeed;

// About one in 100,000 filters with few keys refuses a key. Measured with 6 million keys in filters
// of each size (from 1 to 2000 keys).
TEST(CuckooFilter, HardlyAnyFilterRefusesAKeyOfItsPlan) {
  RandomHashes random(TestSeed());
  uint64_t refusals = 0;
  uint64_t filters = 0;
  for (const uint64_t capacity :
       {5u, 11u, 19u, 30u, 38u, 53u, 76u, 100u, 150u, 300u, 600u, 1000u, 2000u}) {
    for (uint64_t i = 0; i < 100'000 / capacity; ++i, ++filters) {
      CuckooFilter filter({capacity, 0.01});
      bool all = true;
      for (uint64_t key = 0; key < capacity; ++key) all &= filter.Insert({random.Next()});
      refusals += !all;
    }
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
