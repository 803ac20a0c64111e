#include "src/rocksdb/counters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace winnow::plugin {
namespace {

TEST(Counters, AddUpFiltersByKind) {
  const Counters before = CurrentCounters();
  CountFilter(FilterKind::kEmpty, 0, 32);
  CountFilter(FilterKind::kBloom, 10, 100);
  CountFilter(FilterKind::kBloom, 20, 200);
  CountFilter(FilterKind::kRibbon, 3000, 2600);
  CountUnbuiltFilter();
  const Counters after = CurrentCounters();
  EXPECT_EQ(after.empty_filters - before.empty_filters, 1u);
  EXPECT_EQ(after.bloom_filters - before.bloom_filters, 2u);
  EXPECT_EQ(after.ribbon_filters - before.ribbon_filters, 1u);
  EXPECT_EQ(after.unbuilt_filters - before.unbuilt_filters, 1u);
  EXPECT_EQ(after.keys - before.keys, 3030u);
  EXPECT_EQ(after.bytes - before.bytes, 2932u);
  EXPECT_EQ(after.lookups, before.lookups);
}

TEST(Counters, LoseNoLookupOfThreadsThatRunOrEnded) {
  const Counters before = CurrentCounters();
  CountLookups(5, 2);
  constexpr uint64_t kThreads = 8;
  constexpr uint64_t kRounds = 3;
  constexpr uint64_t kLookups = 20000;
  for (uint64_t round = 0; round < kRounds; ++round) {
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([] {
        for (uint64_t lookup = 0; lookup < kLookups; ++lookup) {
          CountLookups(2, 1);
        }
      });
    }
    uint64_t last = before.lookups;
    for (int i = 0; i < 100; ++i) {
      const uint64_t now = CurrentCounters().lookups;
      EXPECT_GE(now, last);
      last = now;
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  const Counters after = CurrentCounters();
  EXPECT_EQ(after.lookups - before.lookups, 5 + kRounds * kThreads * kLookups * 2);
  EXPECT_EQ(after.hashes - before.hashes, 2 + kRounds * kThreads * kLookups);
}

TEST(Counters, OfThreadsThatEndedAreUsedAgain) {
  ThreadCounters* first = nullptr;
  ThreadCounters* second = nullptr;
  std::thread([&first] {
    CountLookups(1, 1);
    first = this_thread_counters;
  }).join();
  std::thread([&second] {
    CountLookups(1, 1);
    second = this_thread_counters;
  }).join();
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace winnow::plugin
