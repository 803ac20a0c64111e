#include "src/rocksdb/loads/load_table.h"

#include <gtest/gtest.h>

#include <string>

#include "src/rocksdb/loads/loaded_filter.h"
#include "tests/support/counted_memory.h"
#include "tests/support/sanitized.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace load_table_test {

using std::chrono::seconds;

// Returns the time `second` seconds after the machine's start.
LoadTable::Time At(int64_t second) { return LoadTable::Time(seconds(second)); }

FilterLoads Recent(const LoadTable& table, LoadTable::Time now) {
  FilterLoads sums;
  table.AddRecent(now, &sums);
  return sums;
}

// Returns an identifier of a filter, distinct for each number.
uint64_t Filter(uint64_t number) { return HashKey(std::to_string(number)).value; }

TEST(LoadTableTest, CountsLoadsBytesAndThoseAgain) {
  LoadTable table;
  table.Note(Filter(1), 1000, At(100));
  table.Note(Filter(2), 300, At(100));
  table.Note(Filter(1), 1000, At(102));
  table.Note(Filter(1), 1000, At(103));
  const FilterLoads loads = table.Read(At(104));
  EXPECT_EQ(loads.blocks, 4u);
  EXPECT_EQ(loads.bytes, 3300u);
  EXPECT_EQ(loads.blocks_again, 2u);
  EXPECT_EQ(loads.bytes_again, 2000u);
  EXPECT_EQ(loads.minute_blocks, 4u);
  EXPECT_EQ(loads.minute_bytes, 3300u);
  EXPECT_EQ(loads.minute_blocks_again, 2u);
  EXPECT_EQ(loads.minute_bytes_again, 2000u);
  EXPECT_EQ(loads.minute_filters_again, 1u);
  EXPECT_EQ(loads.filters, 2u);
  EXPECT_EQ(loads.filter_bytes, 1300u);
  EXPECT_EQ(loads.largest_filter_bytes, 1000u);
  EXPECT_EQ(loads.counted_one_of, 1u);
  EXPECT_EQ(loads.blocks_unknown, 0u);
  EXPECT_GT(loads.meter_bytes, 0u);
}

TEST(LoadTableTest, TakesNoMemoryBeforeTheFirstLoad) {
  const size_t before = testing::bytes_in_use;
  LoadTable table;
  EXPECT_EQ(table.Read(At(100)).meter_bytes, 0u);
  EXPECT_EQ(testing::bytes_in_use, before);
}

TEST(LoadTableTest, SaysWhatMemoryItTakes) {
  if (testing::kSanitized) GTEST_SKIP() << "skipped: sanitizers have an operator new of their own";
  const size_t before = testing::bytes_in_use;
  LoadTable table;
  for (uint64_t i = 0; i < 100'000; ++i) table.Note(Filter(i), 4096, At(100));
  const FilterLoads loads = table.Read(At(100));
  EXPECT_EQ(loads.filters, 100'000u) << "one by one";
  const auto taken = static_cast<double>(testing::bytes_in_use - before);
  EXPECT_NEAR(static_cast<double>(loads.meter_bytes), taken, 0.02 * taken);
  EXPECT_LT(loads.meter_bytes, uint64_t{7} << 20);
  RecordProperty("meter_bytes", std::to_string(loads.meter_bytes));
}

// The last minute begins 55 to 60 s ago, and filters are remembered for ten minutes.
TEST(LoadTableTest, ForgetsAfterAMinuteAndAfterTen) {
  LoadTable table;
  table.Note(Filter(1), 1000, At(1000));
  table.Note(Filter(1), 1000, At(1001));
  EXPECT_EQ(table.Read(At(1055)).minute_blocks, 2u);
  EXPECT_EQ(table.Read(At(1055)).minute_filters_again, 1u);
  EXPECT_EQ(Recent(table, At(1055)).minute_bytes_again, 1000u);
  const FilterLoads later = table.Read(At(1060));
  EXPECT_EQ(later.minute_blocks, 0u);
  EXPECT_EQ(later.minute_bytes, 0u);
  EXPECT_EQ(later.minute_blocks_again, 0u);
  EXPECT_EQ(later.minute_filters_again, 0u);
  EXPECT_EQ(later.filters, 1u);
  EXPECT_EQ(later.blocks, 2u);
  EXPECT_EQ(Recent(table, At(1060)).minute_bytes_again, 0u);
  EXPECT_EQ(table.Read(At(1595)).filters, 1u);
  EXPECT_EQ(table.Read(At(1600)).filters, 0u);
  table.Note(Filter(1), 1000, At(1600));
  EXPECT_EQ(table.Read(At(1600)).blocks_again, 1u) << "ten minutes after the last load";
  table.Note(Filter(1), 1000, At(2195));
  EXPECT_EQ(table.Read(At(2195)).blocks_again, 2u);
}

TEST(LoadTableTest, KnowsWhatWasLoadedAgainInTenMinutes) {
  LoadTable table;
  for (int64_t second = 1200; second < 2400; second += 30) {
    table.Note(Filter(1), 1000, At(second));
  }
  EXPECT_EQ(table.Read(At(2399)).ten_minutes_bytes_again, 20'000u);
  EXPECT_EQ(Recent(table, At(2399)).ten_minutes_bytes_again, 20'000u);
  EXPECT_EQ(Recent(table, At(2400)).ten_minutes_bytes_again, 19'000u) << "595 seconds";
  EXPECT_EQ(Recent(table, At(2970)).ten_minutes_bytes_again, 0u);
  EXPECT_EQ(table.Read(At(10'000)).ten_minutes_bytes_again, 0u);
}

TEST(LoadTableTest, KnowsTheFirstSecondsOfAMachine) {
  LoadTable table;
  EXPECT_EQ(table.Read(At(0)).minute_blocks, 0u);
  table.Note(Filter(1), 1000, At(0));
  const FilterLoads loads = table.Read(At(1));
  EXPECT_EQ(loads.blocks_again, 0u);
  EXPECT_EQ(loads.filters, 1u);
  EXPECT_EQ(loads.minute_blocks, 1u);
  EXPECT_EQ(loads.minute_filters_again, 0u);
}

TEST(LoadTableTest, CountsAThreadWhoseClockIsBehind) {
  LoadTable table;
  table.Note(Filter(1), 1000, At(700));
  table.Note(Filter(1), 1000, At(695));
  table.Note(Filter(1), 1000, At(100));  // the current interval reuses the slot
  const FilterLoads loads = table.Read(At(700));
  EXPECT_EQ(loads.blocks_again, 2u);
  EXPECT_EQ(loads.minute_blocks, 3u);
}

TEST(LoadTableTest, OfMoreFiltersCountsSomeForAll) {
  LoadTable table(1000);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < 20'000; ++i) table.Note(Filter(i), 4096, At(100 + round));
  }
  const FilterLoads loads = table.Read(At(102));
  EXPECT_EQ(loads.blocks, 40'000u);
  EXPECT_EQ(loads.counted_one_of, 32u);
  EXPECT_NEAR(static_cast<double>(loads.filters), 20'000, 3'000);
  EXPECT_NEAR(static_cast<double>(loads.filter_bytes), 20'000 * 4096., 3'000 * 4096.);
  EXPECT_NEAR(static_cast<double>(loads.minute_filters_again), 20'000, 3'000);
  EXPECT_NEAR(static_cast<double>(loads.blocks_again), 20'000, 3'000);
  EXPECT_NEAR(static_cast<double>(loads.bytes_again), 20'000 * 4096., 3'000 * 4096.);
}

// Filters of deleted files must not trigger sampling, where one filter stands for several.
TEST(LoadTableTest, ForgetsOldFiltersBeforeItCountsSomeForAll) {
  LoadTable table(1000);
  for (uint64_t i = 0; i < 20'000; ++i) {
    table.Note(Filter(i), 4096, At(static_cast<int64_t>(i)));
  }
  const FilterLoads loads = table.Read(At(20'000));
  EXPECT_EQ(loads.counted_one_of, 1u);
  EXPECT_NEAR(static_cast<double>(loads.filters), 600, 5);
}

TEST(LoadTableTest, SaysWhatMemoryWasTooShortFor) {
  if (testing::kSanitized) GTEST_SKIP() << "skipped: sanitizers have an operator new of their own";
  LoadTable table;
  testing::allocations_left = 0;
  table.Note(Filter(1), 1000, At(100));
  testing::allocations_left = 1;  // enough for the table, not for its filters
  table.Note(Filter(1), 1000, At(100));
  testing::allocations_left = -1;
  table.Note(Filter(1), 1000, At(100));
  table.Note(Filter(1), 1000, At(100));
  const FilterLoads loads = table.Read(At(100));
  EXPECT_EQ(loads.blocks, 4u);
  EXPECT_EQ(loads.bytes, 4000u);
  EXPECT_EQ(loads.blocks_unknown, 2u);
  EXPECT_EQ(loads.blocks_again, 1u);
}

TEST(LoadedFilterTest, ATailOrSomeBytesTellFiltersApart) {
  const std::string block(100'000, 'x');
  EXPECT_EQ(HashOfSomeBytes(block), HashOfSomeBytes(std::string(block)));
  EXPECT_NE(HashOfSomeBytes(block), HashOfSomeBytes(block + "x"));
  for (const size_t at : {size_t{0}, size_t{31}, size_t{25'000}, size_t{75'031}, size_t{99'936}}) {
    std::string other = block;
    other[at] = 'y';
    EXPECT_NE(HashOfSomeBytes(block), HashOfSomeBytes(other)) << at;
  }
  std::string other = block;
  other[99'968] = 'y';
  EXPECT_NE(HashOfTail(block), HashOfTail(other));
  EXPECT_EQ(HashOfTail("short"), HashOfTail("short"));
  EXPECT_NE(HashOfSomeBytes("short"), HashOfSomeBytes("shorT"));
  EXPECT_EQ(HashOfSomeBytes(""), HashOfSomeBytes(""));
}

}  // namespace load_table_test
}  // namespace winnow::plugin
