#include "winnow/amq/partitioned_bloom.h"

#include <gtest/gtest.h>

#include <vector>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace partitioned_bloom_test {

using testing::ExpectReportedRate;
using testing::FalsePositives;
using testing::RandomHashes;

TEST(PartitionedBloom, WithoutKeysContainsNothing) {
  const PartitionedBloom filter({0, 0.5});
  EXPECT_EQ(FalsePositives(filter, 10'000, 1), 0u);
  EXPECT_EQ(filter.expected_fpr(), 0);
}

TEST(PartitionedBloom, ContainsWhatWasAdded) {
  testing::ExpectContainsWhatWasAdded<PartitionedBloom>(
      {0.5, 0.01, 1e-15}, [](const PartitionedBloom* filter, const std::vector<KeyHash>&) {
        EXPECT_EQ(filter->part_bits() * filter->parts(), filter->size_bytes() * 8);
      });
}

TEST(PartitionedBloom, AgreesWithASet) {
  testing::ExpectRoomyAndOverloadedAgreeWithASet<PartitionedBloom>(1e-6, 0.01, 50'000);
}

TEST(PartitionedBloom, EachKeySetsOneBitOfEachPart) {
  PartitionedBloom filter({1000, 1e-4});
  filter.Add({12345});
  for (unsigned part = 0; part < filter.parts(); ++part) {
    EXPECT_EQ(filter.fill_ratio(part), 1 / static_cast<double>(filter.part_bits()));
  }
}

// Positions derived from one another would give more false positives than the product of the parts'
// shares.
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

}  // namespace partitioned_bloom_test
}  // namespace winnow::amq
