#include "src/rocksdb/counters.h"

#include <gtest/gtest.h>
#include <rocksdb/slice.h>

#include <cstdint>
#include <thread>

#include "tests/rocksdb/lookups/kept_key_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace counters_test {

TEST(Counters, AddUpFiltersByKind) {
  const Counters before = CurrentCounters();
  CountFilter(FilterKind::kEmpty, 0, 32, 0.01);
  CountFilter(FilterKind::kBloom, 1000, 1317, 0.01);
  CountFilter(FilterKind::kBloom, 20, 200, 0.01);
  CountFilter(FilterKind::kRibbon, 3000, 2600, 0.01);
  CountUnbuiltFilter();
  const Counters after = CurrentCounters();
  EXPECT_EQ(after.empty_filters - before.empty_filters, 1u);
  EXPECT_EQ(after.bloom_filters - before.bloom_filters, 2u);
  EXPECT_EQ(after.ribbon_filters - before.ribbon_filters, 1u);
  EXPECT_EQ(after.unbuilt_filters - before.unbuilt_filters, 1u);
  EXPECT_EQ(after.keys - before.keys, 4020u);
  EXPECT_EQ(after.bytes - before.bytes, 4149u);
  EXPECT_EQ(after.bloom_bytes - before.bloom_bytes, 1517u);
  EXPECT_GT(after.bloom_bytes_as_ribbons - before.bloom_bytes_as_ribbons, 950u);
  EXPECT_LT(after.bloom_bytes_as_ribbons - before.bloom_bytes_as_ribbons, 1100u);
  EXPECT_EQ(after.lookups, before.lookups);
}

TEST(Counters, HaveTheLookupsByWhetherTheyNeededAHash) {
  const Counters before = CurrentCounters();
  std::thread([] { Asker().Ask("key", 5); }).join();
  const Counters after = CurrentCounters();
  EXPECT_EQ(after.lookups - before.lookups, 5u);
  EXPECT_EQ(after.hashes - before.hashes, 1u);
  EXPECT_EQ(after.hashes_shared - before.hashes_shared, 4u);

  const LookupCounters of_program = CurrentLookupCounters();
  EXPECT_EQ(of_program.lookups, after.lookups);
  EXPECT_EQ(of_program.hashes_computed, after.hashes);
  EXPECT_EQ(of_program.hashes_shared, after.hashes_shared);
  EXPECT_EQ(of_program.ranges_asked, after.ranges_asked);
  EXPECT_EQ(of_program.ranges_denied, after.ranges_denied);
}

}  // namespace counters_test
}  // namespace winnow::plugin
