#include "src/rocksdb/lookups/recent_filters.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace winnow::plugin {
namespace recent_filters_test {

constexpr size_t kNear = 1 << 20;

// Fixture with a zero-initialized RecentFilters, like a new thread's.
class RecentFiltersTest : public ::testing::Test {
 protected:
  // Notes a lookup of filter `number`. Filters are 4 KiB apart, as an allocator places them.
  bool Note(size_t number, size_t size) {
    return recent_.Note(memory_.data() + number * 4096 + 16, size, kNear);
  }

 private:
  std::vector<char> memory_ = std::vector<char>(size_t{4096} * 1024);
  RecentFilters recent_ = {};
};

TEST_F(RecentFiltersTest, OneThatWasNotAskedIsFar) {
  for (size_t i = 0; i < 1024; ++i) EXPECT_FALSE(Note(i, 64)) << i;
}

TEST_F(RecentFiltersTest, OneThatIsAskedAgainAndAgainIsNear) {
  EXPECT_FALSE(Note(3, 100'000));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(Note(3, 100'000));
}

TEST_F(RecentFiltersTest, OneThatTheCacheHasNoRoomForIsFar) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(Note(3, kNear));
    EXPECT_EQ(Note(4, kNear - 64), false) << "the other one was between";
  }
  EXPECT_TRUE(Note(4, kNear - 64));
}

TEST_F(RecentFiltersTest, AFewThatTheCacheHasRoomForAreNear) {
  constexpr size_t kFew = 4;
  for (size_t i = 0; i < kFew; ++i) EXPECT_FALSE(Note(i, kNear / 8));
  for (size_t i = 0; i < 10 * kFew; ++i) EXPECT_TRUE(Note(i % kFew, kNear / 8)) << i;
}

TEST_F(RecentFiltersTest, ManyInTurnAreFar) {
  for (size_t i = 0; i < 1000; ++i) EXPECT_FALSE(Note(i % 100, kNear / 8)) << i;
}

TEST_F(RecentFiltersTest, AHundredGibibytesLaterAFilterIsFarStill) {
  EXPECT_FALSE(Note(3, 4096));
  for (size_t i = 0; i < 100 * 1024; ++i) Note(500, kNear);
  EXPECT_FALSE(Note(3, 4096));
}

}  // namespace recent_filters_test
}  // namespace winnow::plugin
