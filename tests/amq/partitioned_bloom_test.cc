#include "winnow/amq/partitioned_bloom.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/amq/filter_testing.h"

namespace winnow::amq {
namespace {

using testing::ExpectAgreesWithASet;
using testing::ExpectContainsAll;
using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

TEST(PartitionedBloom, WithoutKeysContainsNothing) {
  const PartitionedBloom filter({0, 0.5});
  EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
  EXPECT_EQ(filter.expected_fpr(), 0);
}

TEST(PartitionedBloom, ContainsWhatWasAdded) {
  for (const uint64_t capacity : {0u, 1u, 2u, 3u, 100u, 10'000u}) {
    for (const double rate : {0.5, 0.01, 1e-15}) {
      PartitionedBloom filter({capacity, rate});
      const std::vector<KeyHash> keys = RandomHashes(2).Take(capacity);
      for (const KeyHash key : keys) filter.Add(key);
      ExpectContainsAll(filter, keys);
      EXPECT_EQ(filter.part_bits() * filter.parts(), filter.size_bytes() * 8);
    }
  }
}

TEST(PartitionedBloom, AgreesWithASet) {
  PartitionedBloom roomy({10'000, 1e-6});
  ExpectAgreesWithASet(&roomy, 50'000, 5000, TestSeed());
  PartitionedBloom overloaded({100, 0.01});
  ExpectAgreesWithASet(&overloaded, 50'000, 5000, TestSeed());
}

TEST(PartitionedBloom, EachKeySetsOneBitOfEachPart) {
  PartitionedBloom filter({1000, 1e-4});
  filter.Add({12345});
  for (unsigned part = 0; part < filter.parts(); ++part) {
    EXPECT_EQ(filter.fill_ratio(part), 1 / static_cast<double>(filter.part_bits()));
  }
}

// Parts whose positions follow from one another would have more false positives than the product of
// their shares.
TEST(PartitionedBloom, PartsAreIndependent) {
  PartitionedBloom filter({1000, 1e-6});
  for (const KeyHash key : RandomHashes(3).Take(1000)) filter.Add(key);
  ExpectReportedRate(filter, 100'000'000, 4);
}

TEST(PartitionedBloom, ReportsTheRateOfMoreKeysThanPlanned) {
  PartitionedBloom filter({10'000, 0.01});
  EXPECT_LE(filter.planned_fpr(), 0.01);
  for (const KeyHash key : RandomHashes(3).Take(20'000)) filter.Add(key);
  EXPECT_GT(filter.expected_fpr(), 0.1);
  ExpectReportedRate(filter, 1'000'000, 4);
}

}  // namespace
}  // namespace winnow::amq
