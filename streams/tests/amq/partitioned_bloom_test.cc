#include "winnow/amq/partitioned_bloom.h"

#include <gtest/gtest.h>

#include "streams/tests/amq/filter_testing.h"

namespace winnow::amq {
namespace partitioned_bloom_test {

using testing::ExpectReportedRate;
using testing::RandomHashes;

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

}  // namespace partitioned_bloom_test
}  // namespace winnow::amq
