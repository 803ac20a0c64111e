#include "winnow/amq/standard_bloom.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace standard_bloom_test {

using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;

TEST(StandardBloom, WithoutKeysContainsNothing) {
  for (const uint64_t capacity : {0u, 1u, 1000u}) {
    const StandardBloom filter({capacity, 0.01});
    EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
    EXPECT_EQ(filter.fill_ratio(), 0);
    EXPECT_EQ(filter.expected_fpr(), 0);
  }
}

TEST(StandardBloom, ContainsWhatWasAdded) {
  testing::ExpectContainsWhatWasAdded<StandardBloom>(
      {0.5, 0.01, 1e-15}, [](const StandardBloom* filter, const std::vector<KeyHash>&) {
        EXPECT_EQ(filter->num_bits(), filter->size_bytes() * 8);
      });
}

TEST(StandardBloom, AgreesWithASet) {
  testing::ExpectRoomyAndOverloadedAgreeWithASet<StandardBloom>(1e-6, 0.01, 50'000);
}

TEST(StandardBloom, ValuesOutOfRangeAreTheNearestValidOnes) {
  EXPECT_EQ(StandardBloom({10, 7.0}).probes(), StandardBloom({10, 0.5}).probes());
  EXPECT_EQ(StandardBloom({10, std::numeric_limits<double>::quiet_NaN()}).size_bytes(),
            StandardBloom({10, 1e-15}).size_bytes());
}

TEST(StandardBloom, ReportsTheRateOfMoreKeysThanPlanned) {
  StandardBloom filter({10'000, 0.01});
  EXPECT_LE(filter.planned_fpr(), 0.01);
  for (const KeyHash key : RandomHashes(3).Take(20'000)) filter.Add(key);
  EXPECT_GT(filter.expected_fpr(), 0.1);
  EXPECT_NEAR(static_cast<double>(filter.num_added()), 20'000, 1200);
  ExpectReportedRate(filter, 1'000'000, 4);
}

// A filter that reduces h1 and h2 to m first, as many libraries do. In a small filter at a low
// rate, keys then agree in all positions more often than bits are set by chance.
class ReducedBefore {
 public:
  ReducedBefore(uint64_t bits, unsigned probes) : bits_(bits), probes_(probes) {}
  void Add(KeyHash hash) {
    for (unsigned i = 0; i < probes_; ++i) bits_[Position(hash, i)] = true;
  }
  bool MayContain(KeyHash hash) const {
    for (unsigned i = 0; i < probes_; ++i) {
      if (!bits_[Position(hash, i)]) return false;
    }
    return true;
  }

 private:
  uint64_t Position(KeyHash hash, uint64_t i) const {
    const uint64_t h1 = (hash.value >> 32) % bits_.size();
    const uint64_t h2 = (hash.value & 0xffffffff) % bits_.size();
    return (h1 + i * h2) % bits_.size();
  }
  std::vector<bool> bits_;
  unsigned probes_;
};

TEST(StandardBloom, AThousandKeysAtOneInTenMillionHaveThatRate) {
  constexpr uint64_t kFew = 30'000'000;  // lookups at a rate ten times as high
  constexpr uint64_t kLookups = 200'000'000;
  StandardBloom filter({1000, 1e-7});
  for (const KeyHash key : RandomHashes(5).Take(1000)) filter.Add(key);
  EXPECT_EQ(filter.probes(), 23u);
  // The rate of one filter differs from the mean by its random number of set bits.
  EXPECT_NEAR(filter.expected_fpr(), 1e-7, 0.4e-7);
  ExpectReportedRate(filter, kLookups, 6);

  ReducedBefore naive(filter.num_bits(), filter.probes());
  for (const KeyHash key : RandomHashes(5).Take(1000)) naive.Add(key);
  EXPECT_GT(static_cast<double>(FalsePositives(naive, kFew, 6)) / kFew, 8 * filter.expected_fpr());
}

}  // namespace standard_bloom_test
}  // namespace winnow::amq
