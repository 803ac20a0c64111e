#include "src/cache_trial/cache_replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace winnow::inspect {
namespace cache_replay_test {

constexpr uint32_t kKeys = 1000;
constexpr uint64_t kData = 4000;

// Returns lookups in one file with every other key; each key is looked up once, in order.
TimedLookups OneFile() {
  TimedLookups lookups;
  lookups.files.resize(1);
  lookups.files[0].data_charge = kData;
  lookups.begin.push_back(0);
  for (uint32_t i = 0; i < kKeys; ++i) {
    Visit visit;
    visit.place = static_cast<float>(i) / kKeys;
    visit.data_block = i / 10;
    visit.found = visit.ends = i % 2 == 0;
    visit.may_contain = visit.found || i % 100 == 1;
    lookups.files[0].visits.push_back(visit);
    lookups.asks.push_back({0, i});
    lookups.begin.push_back(i + 1);
    lookups.order.push_back(i);
  }
  return lookups;
}

ReplayOptions With(const BlockSet& filter, uint64_t cache) {
  ReplayOptions options;
  options.cache.capacity = cache;
  options.cache.shard_bits = 0;
  FileForm form;
  form.filter = filter;
  form.index = {1, 500, 0, true, true, false};
  form.has_stored_answers = true;
  options.forms = {form};
  return options;
}

ReplayFigures Play(const TimedLookups& lookups, const ReplayOptions& options) {
  return Replay(lookups, options, [](double) {});
}

TEST(CacheReplayTest, AWholeFilterThatDoesNotFitIsReadForEachLookup) {
  const ReplayFigures figures = Play(OneFile(), With({1, 100'000, 0, false, false, false}, 50'000));
  EXPECT_EQ(figures.lookups, kKeys);
  EXPECT_EQ(figures.filter_blocks, kKeys);
  EXPECT_EQ(figures.filter_bytes, 100'000u * kKeys);
  EXPECT_EQ(figures.read_filters, kKeys);
  EXPECT_EQ(figures.false_reads, 10u);
  EXPECT_EQ(figures.data_bytes, figures.data_blocks * kData);
  EXPECT_EQ(figures.index_bytes, 0u);
  EXPECT_EQ(figures.pinned_bytes, 500u);
}

// RocksDB then skips the filter: the key may be present.
TEST(CacheReplayTest, AFilterThatAStrictLimitHasNoRoomForDeniesNothing) {
  ReplayOptions options = With({1, 100'000, 0, false, false, false}, 50'000);
  options.cache.strict = true;
  const ReplayFigures figures = Play(OneFile(), options);
  EXPECT_EQ(figures.no_room, kKeys);
  EXPECT_EQ(figures.false_reads, kKeys / 2);
  options.cache.capacity = 400'000;
  const ReplayFigures larger = Play(OneFile(), options);
  EXPECT_EQ(larger.no_room, 0u);
  EXPECT_EQ(larger.false_reads, 10u);
}

TEST(CacheReplayTest, PartitionsAreReadOnceEachInTheOrderOfKeys) {
  const ReplayFigures figures = Play(OneFile(), With({20, 5000, 300, false, true, false}, 50'000));
  EXPECT_EQ(figures.filter_blocks, 20u);
  EXPECT_EQ(figures.filter_bytes, 20u * 5000);
  EXPECT_EQ(figures.read_filters, 20u);
  EXPECT_EQ(figures.data_blocks, kKeys / 10);
  EXPECT_EQ(figures.pinned_bytes, 800u);
}

TEST(CacheReplayTest, TheIndexOverPartitionsIsReadUnlessItIsPinned) {
  const ReplayFigures figures =
      Play(OneFile(), With({20, 5000, 300, false, false, false}, 400'000));
  EXPECT_EQ(figures.filter_blocks, 1u + 20);
  EXPECT_EQ(figures.filter_bytes, 300u + 20 * 5000);
  EXPECT_EQ(figures.read_filters, 20u);
}

TEST(CacheReplayTest, PinnedAndOtherMemoryIsReadByNoLookup) {
  const ReplayFigures pinned = Play(OneFile(), With({1, 100'000, 0, true, false, false}, 400'000));
  EXPECT_EQ(pinned.filter_blocks, 0u);
  EXPECT_EQ(pinned.pinned_bytes, 100'500u);
  EXPECT_EQ(pinned.beside_bytes, 0u);
  const ReplayFigures beside = Play(OneFile(), With({1, 100'000, 0, false, false, true}, 50'000));
  EXPECT_EQ(beside.filter_blocks, 0u);
  EXPECT_EQ(beside.beside_bytes, 100'000u);
  EXPECT_EQ(beside.false_reads, 10u);
}

// RocksDB's behavior if cache_index_and_filter_blocks is off.
TEST(CacheReplayTest, PartitionsAreInTheCacheAlsoWhereTheirIndexIsBesideIt) {
  const ReplayFigures figures = Play(OneFile(), With({20, 5000, 300, false, false, true}, 50'000));
  EXPECT_EQ(figures.filter_blocks, 20u);
  EXPECT_EQ(figures.beside_bytes, 300u);
}

TEST(CacheReplayTest, WhatIsLetThroughFollowsTheRateAndIsTheSameForAKey) {
  ReplayOptions options = With({1, 1000, 0, false, false, false}, 1 << 20);
  options.forms[0].has_stored_answers = false;
  uint64_t last = 0;
  for (const double rate : {0.0, 0.1, 0.5, 1.0}) {
    options.forms[0].rate = rate;
    const ReplayFigures figures = Play(OneFile(), options);
    EXPECT_NEAR(static_cast<double>(figures.false_reads), rate * kKeys / 2, 40);
    EXPECT_GE(figures.false_reads, last);
    EXPECT_EQ(Play(OneFile(), options).false_reads, figures.false_reads);
    last = figures.false_reads;
  }
}

TEST(CacheReplayTest, WithoutAFilterEachFileIsRead) {
  const ReplayFigures figures = Play(OneFile(), With(BlockSet(), 1 << 20));
  EXPECT_EQ(figures.false_reads, kKeys / 2);
  EXPECT_EQ(figures.filter_bytes, 0u);
}

TEST(CacheReplayTest, WhatFillsTheCacheIsNotCounted) {
  TimedLookups lookups = OneFile();
  lookups.order.insert(lookups.order.end(), lookups.order.begin(), lookups.order.end());
  ReplayOptions options = With({20, 5000, 300, false, true, false}, 4 << 20);
  options.warm_up = kKeys;
  const ReplayFigures figures = Play(lookups, options);
  EXPECT_EQ(figures.lookups, kKeys);
  EXPECT_EQ(figures.filter_blocks, 0u);
  EXPECT_EQ(figures.data_blocks, 0u);
  EXPECT_GT(figures.usage_at_count, 100'000u);
}

// Groups the lookups into MultiGets of `keys` keys.
TimedLookups InMultiGets(TimedLookups lookups, size_t keys) {
  for (size_t i = 0; i < lookups.order.size(); ++i) {
    lookups.joins.push_back(i % keys != 0);
  }
  lookups.SortMultiGets();
  return lookups;
}

TEST(CacheReplayTest, AMultiGetTakesAFilterOnceFor32KeysOfAFile) {
  const ReplayOptions options = With({1, 100'000, 0, false, false, false}, 50'000);
  const ReplayFigures single = Play(OneFile(), options);
  for (const auto& [keys, parts] : std::vector<std::pair<size_t, uint64_t>>{
           {1, 1000}, {10, 100}, {32, 32}, {40, 50}, {100, 40}, {1000, 32}}) {
    const ReplayFigures figures = Play(InMultiGets(OneFile(), keys), options);
    EXPECT_EQ(figures.lookups, kKeys) << keys;
    EXPECT_EQ(figures.filter_blocks, parts) << keys;
    EXPECT_EQ(figures.filter_bytes, 100'000 * parts) << keys;
    EXPECT_EQ(figures.read_filters, kKeys) << keys;  // one read per key of the MultiGet
    EXPECT_EQ(figures.false_reads, single.false_reads) << keys;
  }
}

TEST(CacheReplayTest, AMultiGetTakesEachBlockOnceWhateverTheOrderOfItsKeys) {
  TimedLookups lookups = OneFile();
  std::mt19937 random(1);
  std::shuffle(lookups.order.begin(), lookups.order.end(), random);
  ReplayOptions options = With({20, 5000, 300, false, true, false}, 0);  // no block stays
  options.forms[0].index = {10, 700, 0, false, false, false};
  const ReplayFigures single = Play(lookups, options);
  EXPECT_EQ(single.filter_blocks, kKeys);
  const ReplayFigures figures = Play(InMultiGets(lookups, 20), options);
  EXPECT_LE(figures.filter_blocks, 13 * kKeys / 20);  // 20 keys access 12.8 of 20 partitions
  EXPECT_GE(figures.filter_blocks, 12 * kKeys / 20);
  EXPECT_LE(figures.index_blocks, 10 * kKeys / 20);
  EXPECT_LT(figures.data_blocks, single.data_blocks);
  EXPECT_EQ(figures.false_reads, single.false_reads);
}

// Files are processed one after the other, as in RocksDB.
TEST(CacheReplayTest, AMultiGetEndsWithAFileBeforeTheNextOneBegins) {
  TimedLookups lookups = OneFile();
  lookups.files.push_back(lookups.files[0]);
  lookups.asks.clear();
  for (uint32_t i = 0; i < kKeys; ++i) {
    lookups.begin[i] = lookups.asks.size();
    lookups.asks.push_back({0, i});
    if (!lookups.files[0].visits[i].ends) {
      lookups.asks.push_back({1, i});
    }
  }
  lookups.begin[kKeys] = lookups.asks.size();
  // The cache has room for one filter.
  ReplayOptions options = With({1, 100'000, 0, false, false, false}, 150'000);
  options.forms.push_back(options.forms[0]);
  EXPECT_GE(Play(lookups, options).filter_blocks, kKeys - 1);
  EXPECT_EQ(Play(InMultiGets(lookups, 10), options).filter_blocks, 2 * kKeys / 10);
}

TEST(CacheReplayTest, AKeyBetweenTwoBlocksReadsBoth) {
  TimedLookups lookups = OneFile();
  for (Visit& visit : lookups.files[0].visits) {
    visit.data_block = 0;
    visit.two_blocks = true;
  }
  EXPECT_EQ(Play(lookups, With(BlockSet(), 1 << 20)).data_blocks, 2u);
}

}  // namespace cache_replay_test
}  // namespace winnow::inspect
