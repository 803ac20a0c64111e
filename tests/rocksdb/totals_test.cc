#include "src/rocksdb/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/keeping_logger.h"

namespace winnow::plugin {
namespace totals_test {

using ::testing::HasSubstr;

TEST(LogTotalsTest, WritesToEachLogAtMostOnceAMinute) {
  testing::KeepingLogger one, other;
  const std::chrono::steady_clock::time_point start;
  const auto after = [&start](int seconds) { return start + std::chrono::seconds(seconds); };
  LogTotals(nullptr, start);
  LogTotals(&one, start);
  LogTotals(&one, after(59));
  EXPECT_EQ(one.lines.size(), 0u) << "a minute has not passed since the first file";
  LogTotals(&other, after(59));
  LogTotals(&one, after(60));
  EXPECT_EQ(one.lines.size(), 1u);
  EXPECT_THAT(one.lines.back(),
              HasSubstr("[winnow] this process has built no filters of Winnow's; "));
  LogTotals(&one, after(119));
  EXPECT_EQ(one.lines.size(), 1u);
  LogTotals(&one, after(500));
  EXPECT_EQ(one.lines.size(), 2u);
  EXPECT_EQ(other.lines.size(), 0u);
  LogTotals(&other, after(120));
  EXPECT_EQ(other.lines.size(), 1u);
}

// Zeros would look like a failure if RocksDB builds its own filters, and what is rare is said only
// where it happened.
TEST(TotalsLineTest, SaysWhatWasBuiltLoadedAndAsked) {
  Counters totals;
  EXPECT_EQ(TotalsLine(totals),
            "built no filters of Winnow's; 0 lookups with 0 hashes computed and 0 shared");
  totals.empty_filters = 2;
  totals.unbuilt_filters = 1;
  EXPECT_EQ(TotalsLine(totals),
            "built 0 Bloom filters and 0 Ribbon filters and 2 empty filters of 0 keys in 0 bytes; "
            "memory was too short for 1 filter; 0 lookups with 0 hashes computed and 0 shared");
  totals = Counters();
  totals.bloom_filters = 3;
  totals.bloom_bytes = 400;
  totals.bloom_bytes_as_ribbons = 300;
  totals.ribbon_filters = 1;
  totals.keys = 1000;
  totals.bytes = 1250;
  totals.lookups = 12;
  totals.hashes = 1;
  totals.hashes_shared = 11;
  totals.loaded_winnow = 1;
  totals.loaded_builtin = 20;
  totals.loaded_unusable = 3;
  totals.ranges_asked = 20;
  totals.ranges_denied = 7;
  EXPECT_EQ(TotalsLine(totals),
            "built 3 Bloom filters and 1 Ribbon filter of 1000 keys in 1250 bytes (10.00 bits per "
            "key); 400 bytes of them are Bloom filters, which would take 300 as Ribbon filters; "
            "loaded 1 filter of Winnow's and 20 of RocksDB's own and 3 of Winnow's that can't be "
            "used and let every key through (winnow inspect says why); 12 lookups with 1 hash "
            "computed and 11 shared; range filters were asked 20 times, and 7 of these spared the "
            "read of a file");
}

}  // namespace totals_test
}  // namespace winnow::plugin
