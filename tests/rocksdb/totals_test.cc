#include "src/rocksdb/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdarg>

namespace winnow::plugin {
namespace totals_test {

using ::testing::HasSubstr;

class CountingLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[1000];
    std::vsnprintf(line, sizeof line, format, arguments);
    last = line;
    ++count;
  }
  std::string last;
  int count = 0;
};

TEST(LogTotalsTest, WritesToEachLogAtMostOnceAMinute) {
  CountingLogger one, other;
  const std::chrono::steady_clock::time_point start;
  const auto after = [&start](int seconds) { return start + std::chrono::seconds(seconds); };
  LogTotals(nullptr, start);
  LogTotals(&one, start);
  LogTotals(&one, after(59));
  EXPECT_EQ(one.count, 0) << "a minute has not passed since the first file";
  LogTotals(&other, after(59));
  LogTotals(&one, after(60));
  EXPECT_EQ(one.count, 1);
  EXPECT_THAT(one.last, HasSubstr("[winnow] this process has built no filters of Winnow's; "));
  LogTotals(&one, after(119));
  EXPECT_EQ(one.count, 1);
  LogTotals(&one, after(500));
  EXPECT_EQ(one.count, 2);
  EXPECT_EQ(other.count, 0);
  LogTotals(&other, after(120));
  EXPECT_EQ(other.count, 1);
}

TEST(TotalsLineTest, SaysFiltersByKindKeysBytesLookupsAndHashes) {
  Counters totals;
  totals.bloom_filters = 3;
  totals.bloom_bytes = 400;
  totals.bloom_bytes_as_ribbons = 300;
  totals.ribbon_filters = 1;
  totals.keys = 1000;
  totals.bytes = 1250;
  totals.lookups = 12;
  totals.hashes = 1;
  totals.hashes_shared = 11;
  EXPECT_EQ(TotalsLine(totals),
            "built 3 Bloom filters and 1 Ribbon filter of 1000 keys in 1250 bytes (10.00 bits per "
            "key); 400 bytes of them are Bloom filters, which would take 300 as Ribbon filters; 12 "
            "lookups with 1 hash computed and 11 shared");
}

TEST(TotalsLineTest, SaysWhatRangeFiltersSpared) {
  Counters totals;
  EXPECT_THAT(TotalsLine(totals), ::testing::Not(HasSubstr("range filters")));
  totals.ranges_asked = 20;
  totals.ranges_denied = 7;
  EXPECT_THAT(TotalsLine(totals), HasSubstr(" shared; range filters were asked 20 times, and 7 of "
                                            "these spared the read of a file"));
}

TEST(TotalsLineTest, SaysWhoseFiltersWereLoaded) {
  Counters totals;
  totals.loaded_winnow = 1;
  totals.loaded_builtin = 20;
  EXPECT_THAT(TotalsLine(totals), HasSubstr("; loaded 1 filter of Winnow's and 20 of RocksDB's "
                                            "own; 0 lookups"));
  totals.loaded_unusable = 3;
  EXPECT_THAT(TotalsLine(totals),
              HasSubstr("; loaded 1 filter of Winnow's and 20 of RocksDB's own and 3 of Winnow's "
                        "that can't be used and let every key through (winnow inspect says why)"));
}

// Zeros would look like a failure if RocksDB builds its own filters.
TEST(TotalsLineTest, SaysThatNoFiltersOfWinnowsWereBuilt) {
  Counters totals;
  EXPECT_EQ(TotalsLine(totals),
            "built no filters of Winnow's; 0 lookups with 0 hashes computed and 0 shared");
  totals.unbuilt_filters = 2;
  EXPECT_EQ(TotalsLine(totals),
            "built no filters of Winnow's; memory was too short for 2 filters; 0 lookups with 0 "
            "hashes computed and 0 shared");
}

TEST(TotalsLineTest, SaysWhatIsRareOnlyWhereItHappened) {
  Counters totals;
  totals.empty_filters = 2;
  totals.unbuilt_filters = 1;
  EXPECT_EQ(TotalsLine(totals),
            "built 0 Bloom filters and 0 Ribbon filters and 2 empty filters of 0 keys in 0 bytes; "
            "memory was too short for 1 filter; 0 lookups with 0 hashes computed and 0 shared");
}

}  // namespace totals_test
}  // namespace winnow::plugin
