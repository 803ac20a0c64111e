#include <gtest/gtest.h>

#include "src/preload/report.h"

namespace winnow::preload {
namespace {

TEST(TotalsLineTest, SaysFiltersByKindKeysBytesLookupsAndHashes) {
  plugin::Counters totals;
  totals.bloom_filters = 3;
  totals.ribbon_filters = 1;
  totals.keys = 1000;
  totals.bytes = 1250;
  totals.lookups = 12;
  totals.hashes = 1;
  totals.hashes_shared = 11;
  EXPECT_EQ(TotalsLine(totals),
            "built 3 Bloom filters and 1 Ribbon filter of 1000 keys in 1250 bytes (10.00 bits a "
            "key); 12 lookups with 1 hash computed and 11 shared");
}

TEST(TotalsLineTest, SaysZerosToo) {
  EXPECT_EQ(TotalsLine(plugin::Counters()),
            "built 0 Bloom filters and 0 Ribbon filters of 0 keys in 0 bytes; 0 lookups with 0 "
            "hashes computed and 0 shared");
}

TEST(TotalsLineTest, SaysWhatIsRareOnlyWhereItHappened) {
  plugin::Counters totals;
  totals.empty_filters = 2;
  totals.unbuilt_filters = 1;
  EXPECT_EQ(TotalsLine(totals),
            "built 0 Bloom filters and 0 Ribbon filters and 2 empty filters of 0 keys in 0 bytes; "
            "memory was too short for 1 filter; 0 lookups with 0 hashes computed and 0 shared");
}

TEST(SayOnceTest, WritesEachLineOnce) {
  testing::internal::CaptureStderr();
  SayOnce("a line");
  SayOnce("another line");
  SayOnce("a line");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "winnow: a line\nwinnow: another line\n");
}

TEST(EndProgramDeathTest, SaysTheReasonAndExitsWithOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(EndProgram("the reason"), testing::ExitedWithCode(1), "^winnow: the reason\n$");
}

}  // namespace
}  // namespace winnow::preload
