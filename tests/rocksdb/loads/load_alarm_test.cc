#include "src/rocksdb/loads/load_alarm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <map>
#include <string>

namespace winnow::plugin {
namespace load_alarm_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kMiB = uint64_t{1} << 20;

// Returns counts for 137 filters of 3 MiB, each loaded again five times.
FilterLoads Thrashing() {
  FilterLoads loads;
  loads.filters = 137;
  loads.filter_bytes = 137 * 3 * kMiB;
  loads.largest_filter_bytes = 3 * kMiB;
  loads.minute_filters_again = 130;
  loads.minute_blocks_again = 650;
  loads.minute_bytes_again = 650 * 3 * kMiB;
  return loads;
}

PlaceOfFilters InCache(uint64_t capacity, uint64_t usage) {
  PlaceOfFilters place;
  place.caches = 1;
  place.capacity = capacity;
  place.usage = usage;
  place.shards = 16;
  place.is_whole = true;
  return place;
}

std::string Text(const FilterLoads& loads, const PlaceOfFilters& place,
                 const std::map<std::string, BlockBytes>& databases = {{"db", {}}}) {
  return AlarmText(loads, place, databases, false);
}

TEST(IsAlarmTest, NeedsBytesAndTimesEach) {
  FilterLoads loads = Thrashing();
  EXPECT_TRUE(IsAlarm(loads));
  loads.minute_bytes_again = 64 * kMiB;
  EXPECT_TRUE(IsAlarm(loads));
  loads.minute_bytes_again = 64 * kMiB - 1;
  EXPECT_FALSE(IsAlarm(loads)) << "too few bytes";
  loads = Thrashing();
  loads.minute_blocks_again = 3 * loads.minute_filters_again;
  EXPECT_FALSE(IsAlarm(loads)) << "as of a database that is opened thrice";
  ++loads.minute_blocks_again;
  EXPECT_TRUE(IsAlarm(loads));
  EXPECT_FALSE(IsAlarm(FilterLoads()));
}

TEST(IsSlowAlarmTest, NeedsBytesAndTimesAllFilters) {
  FilterLoads loads;
  loads.filter_bytes = 128 * kMiB;
  loads.ten_minutes_bytes_again = 640 * kMiB;
  EXPECT_TRUE(MayBeAlarm(loads));
  EXPECT_FALSE(IsSlowAlarm(loads)) << "it has ended";
  loads.minute_bytes_again = 1;
  EXPECT_TRUE(IsSlowAlarm(loads));
  ++loads.filter_bytes;
  EXPECT_FALSE(IsSlowAlarm(loads)) << "less than five times";
  loads.filter_bytes = kMiB;
  --loads.ten_minutes_bytes_again;
  EXPECT_FALSE(IsSlowAlarm(loads)) << "too few bytes";
  EXPECT_FALSE(MayBeAlarm(loads));
}

TEST(AlarmTextTest, HasWhatIsReadTheCacheAndWhatToDo) {
  EXPECT_THAT(
      Text(Thrashing(), InCache(256 * kMiB, 255 * kMiB),
           {{"/data/a", {320 * kMiB, 50 * kMiB}}, {"/data/b", {100 * kMiB, 30 * kMiB}}}),
      StartsWith("filters that Winnow's policies read take 411 MiB; in the last 60 s 1.9 GiB of "
                 "them were read again, each 5 times; the block cache has 256 MiB in 16 shards, "
                 "255 MiB of it used, and the largest filter 3.0 MiB; what helps for /data/a "
                 "/data/b: a block cache of 1.0 GiB (filters of 420 MiB, indexes of 80 MiB, and "
                 "data), or cache_index_and_filter_blocks=false (filters of 420 MiB, indexes of "
                 "80 MiB, outside of the cache), or in new files partition_filters=true with "
                 "index_type=kTwoLevelIndexSearch; other causes: databases or tables that are "
                 "opened again and again, DB::VerifyChecksum, allow_mmap_reads"));
}

TEST(AlarmTextTest, OfTenMinutesSaysSo) {
  FilterLoads loads;
  loads.filter_bytes = 60 * kMiB;
  loads.ten_minutes_bytes_again = 1100 * kMiB;
  EXPECT_THAT(AlarmText(loads, InCache(32 * kMiB, 32 * kMiB), {}, true),
              HasSubstr("; in the last ten minutes 1.1 GiB of them were read again, each 18 times; "
                        "the block cache has 32 MiB in 16 shards, 32 MiB of it used"));
}

TEST(AlarmTextTest, OfUnknownCachesAndFoldersSaysSo) {
  EXPECT_THAT(Text(Thrashing(), PlaceOfFilters(), {}),
              HasSubstr("; no block cache is known; what helps: a block cache of 822 MiB (filters "
                        "of 411 MiB, the indexes of their files, and data), or "));
}

TEST(AlarmTextTest, NamesFewerShardsForLargeFilters) {
  PlaceOfFilters place = InCache(32 * kMiB, kMiB);
  place.shards = 64;
  FilterLoads loads = Thrashing();
  loads.filter_bytes = 8 * kMiB;
  EXPECT_THAT(
      Text(loads, place),
      HasSubstr("; what helps for db: a block cache of 32 MiB with num_shard_bits=1 (filters "
                "of 8.0 MiB, the indexes of their files, and data), or "));
  place.shards = 2;
  EXPECT_THAT(Text(loads, place),
              HasSubstr("; what helps for db: cache_index_and_filter_blocks=false ("))
      << "a larger cache fills as well";
}

TEST(AlarmTextTest, OfPartitionsNamesPinning) {
  PlaceOfFilters place;
  place.is_partitioned = true;
  EXPECT_THAT(Text(Thrashing(), place),
              HasSubstr(", or metadata_cache_options={partition_pinning=kAll} (filters of 411 MiB, "
                        "the indexes of their files, pinned in it); "))
      << "cache_index_and_filter_blocks does not concern partitions";
  place.is_whole = true;
  EXPECT_THAT(Text(Thrashing(), place), HasSubstr("cache_index_and_filter_blocks=false"));
}

TEST(AlarmTextTest, OfFiltersOutsideOfTheCacheNamesMaxOpenFiles) {
  PlaceOfFilters place;
  place.is_outside = true;
  place.max_open_files = 100;
  EXPECT_THAT(Text(Thrashing(), place),
              AllOf(HasSubstr("; what helps for db: max_open_files=-1 for filters outside of the "
                              "cache, or "),
                    HasSubstr("opened again and again (max_open_files=100), ")));
}

TEST(AlarmTextTest, NamesAtMostEightFolders) {
  std::map<std::string, BlockBytes> databases;
  for (int i = 10; i < 19; ++i) databases["/db/" + std::to_string(i)] = {};
  EXPECT_THAT(Text(Thrashing(), PlaceOfFilters(), databases), HasSubstr(" /db/16 /db/17 …: a "));
}

ROCKSDB_NAMESPACE::BlockBasedTableOptions InCacheOf(size_t bytes, int shard_bits) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(bytes, shard_bits);
  return table;
}

TEST(CachesSeenTest, ReadsCachesThatAreAlive) {
  const CachesSeen::Time start{};
  CachesSeen caches;
  auto first = InCacheOf(8 * kMiB, 3);
  caches.See(first, start);
  caches.See(first, start);
  PlaceOfFilters place = caches.Read({});
  EXPECT_EQ(place.caches, 1u);
  EXPECT_EQ(place.capacity, 8 * kMiB);
  EXPECT_EQ(place.shards, 8u);
  EXPECT_TRUE(place.is_whole);
  EXPECT_FALSE(place.is_outside);
  const auto second = InCacheOf(4 * kMiB, 0);
  caches.See(second, start + std::chrono::minutes(1));
  EXPECT_EQ(caches.Read({}).capacity, 12 * kMiB);
  EXPECT_EQ(caches.Read({}).shards, 9u);
  EXPECT_EQ(caches.Read({}, start).capacity, 8 * kMiB) << "the second is later";
  first.block_cache = nullptr;
  EXPECT_EQ(caches.Read({}).capacity, 4 * kMiB);
  ROCKSDB_NAMESPACE::BlockBasedTableOptions other;
  other.block_cache = nullptr;
  caches.See(other, start);
  EXPECT_TRUE(caches.Read({}).is_outside);
  other.partition_filters = true;
  caches.See(other, start);
  EXPECT_TRUE(caches.Read({}).is_partitioned);
}

TEST(CachesSeenTest, KeepsTheLeastLimitOfOpenFiles) {
  CachesSeen caches;
  ROCKSDB_NAMESPACE::DBOptions database;
  for (const int most : {-1, 100, -1, 200}) {
    database.max_open_files = most;
    caches.See(database);
  }
  EXPECT_EQ(caches.Read({}).max_open_files, 100);
}

TEST(CachesSeenTest, KnowsWhetherOneHasNoRoom) {
  FilterLoads loads;
  const auto has_no_room = [&loads](size_t bytes, int shard_bits) {
    CachesSeen caches;
    const auto table = InCacheOf(bytes, shard_bits);
    caches.See(table, {});
    return caches.Read(loads).has_no_room;
  };
  EXPECT_FALSE(CachesSeen().Read(loads).has_no_room) << "none is known";
  EXPECT_FALSE(has_no_room(64 * kMiB, 4));
  loads.largest_filter_bytes = 3 * kMiB;
  EXPECT_FALSE(has_no_room(64 * kMiB, 4));
  EXPECT_TRUE(has_no_room(64 * kMiB, 5)) << "a shard is smaller than a filter";
  loads.filter_bytes = 65 * kMiB;
  EXPECT_TRUE(has_no_room(64 * kMiB, 4));
  EXPECT_TRUE(has_no_room(0, 0)) << "full";
}

}  // namespace load_alarm_test
}  // namespace winnow::plugin
