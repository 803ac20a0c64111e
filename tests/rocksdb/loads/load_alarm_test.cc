#include "src/rocksdb/loads/load_alarm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::plugin {
namespace load_alarm_test {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
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
  place.is_in_cache = true;
  place.caches = 1;
  place.capacity = capacity;
  place.usage = usage;
  place.shards = 16;
  place.is_whole = true;
  return place;
}

std::string Text(const FilterLoads& loads, const PlaceOfFilters& place, const std::string& folder,
                 const BlockBytes& blocks = {}) {
  AlarmSubject subject;
  subject.loads = loads;
  subject.place = place;
  if (!folder.empty()) subject.databases[folder] = blocks;
  return AlarmText(subject);
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

TEST(IsCacheWithoutRoomTest, IsOneThatIsFullOrTooSmallOrFilesThatAreMapped) {
  const FilterLoads loads = Thrashing();
  EXPECT_TRUE(IsCacheWithoutRoom(loads, InCache(256 * kMiB, kMiB)));
  EXPECT_TRUE(IsCacheWithoutRoom(loads, InCache(1024 * kMiB, 1000 * kMiB)));
  PlaceOfFilters place = InCache(1024 * kMiB, kMiB);
  EXPECT_FALSE(IsCacheWithoutRoom(loads, place));
  place.is_mapped = true;
  EXPECT_TRUE(IsCacheWithoutRoom(loads, place));
  EXPECT_FALSE(IsCacheWithoutRoom(loads, PlaceOfFilters())) << "none is known";
}

TEST(AlarmTextTest, SaysWhatIsReadWhyAndWhatToDo) {
  EXPECT_EQ(Text(Thrashing(), InCache(256 * kMiB, 255 * kMiB), "/data/db", {420 * kMiB, 80 * kMiB}),
            "filters read through this policy take 411 MiB; in the last 60 s 1.9 GiB of them were "
            "read again, each 5 times: the block cache (256 MiB, full) has no room for them; what "
            "helps for /data/db: a block cache of 1.0 GiB (filters of 420 MiB, indexes of 80 MiB, "
            "and data), or cache_index_and_filter_blocks=false (filters of 420 MiB, indexes of "
            "80 MiB, outside of the cache), or in new files partition_filters=true with "
            "index_type=kTwoLevelIndexSearch");
}

TEST(AlarmTextTest, OfSeveralCachesOneThatIsFullIsEnough) {
  PlaceOfFilters place = InCache(2048 * kMiB, 276 * kMiB);
  place.caches = 8;
  place.shards = 8 * 64;
  place.full_caches = 1;
  FilterLoads loads = Thrashing();
  loads.largest_filter_bytes = kMiB;
  EXPECT_THAT(
      Text(loads, place, "/data/my db's"),
      AllOf(HasSubstr(": of 8 block caches (together 2.0 GiB, 276 MiB of it used) 1 is full "
                      "and has no room for them"),
            HasSubstr("; what helps for /data/my db's: a block cache of 822 MiB (filters of 411 "
                      "MiB, the indexes of their files, and data), or ")));
}

TEST(AlarmTextTest, OfACacheThatDataMayFillNamesWhatReadsPastIt) {
  EXPECT_THAT(
      Text(Thrashing(), InCache(4096 * kMiB, 4000 * kMiB), "db"),
      AllOf(HasSubstr("the block cache (4.0 GiB, full) has no room for them beside what else "
                      "it holds, or they are read past it, by "),
            HasSubstr("a database that is opened again and again; what helps for db: "
                      "cache_index_and_filter_blocks=false (")))
      << "a larger cache fills as well";
}

TEST(AlarmTextTest, OfAnUnknownCacheAndFolderSaysSo) {
  EXPECT_THAT(Text(Thrashing(), PlaceOfFilters(), ""),
              EndsWith(": the block cache, which this policy does not know, may have no room for "
                       "them; what helps: a block cache of 822 MiB (filters of 411 MiB, the "
                       "indexes of their files, and data), or "
                       "cache_index_and_filter_blocks=false (filters of 411 MiB, the indexes of "
                       "their files, outside of the cache), or in new files "
                       "partition_filters=true with index_type=kTwoLevelIndexSearch"));
}

TEST(AlarmTextTest, NamesShardsThatAreSmallerThanAFilter) {
  PlaceOfFilters place = InCache(32 * kMiB, kMiB);
  place.shards = 64;
  EXPECT_THAT(Text(Thrashing(), place, "db"),
              HasSubstr(": the block cache (32 MiB, 1.0 MiB of it used) has no room for them, as a "
                        "filter of 3.0 MiB is larger than each of its 64 shards; what helps for "
                        "db: a block cache of 822 MiB (filters of 411 MiB"))
      << "of which a shard has room for four filters";
  FilterLoads loads = Thrashing();
  loads.filter_bytes = 8 * kMiB;
  EXPECT_THAT(
      Text(loads, place, "db"),
      HasSubstr("; what helps for db: a block cache of 32 MiB with num_shard_bits=1 (filters "
                "of 8.0 MiB, the indexes of their files, and data), or "))
      << "the same size in fewer shards";
}

TEST(AlarmTextTest, NamesAFilterThatIsLargerThanTheCache) {
  PlaceOfFilters place = InCache(2 * kMiB, kMiB);
  place.shards = 1;
  EXPECT_THAT(Text(Thrashing(), place, "db"),
              HasSubstr("no room for them, as a filter of 3.0 MiB is larger than all of it; "));
}

TEST(AlarmTextTest, OfACacheWithRoomNamesOtherCauses) {
  PlaceOfFilters place = InCache(1024 * kMiB, 100 * kMiB);
  const std::string text = Text(Thrashing(), place, "db");
  EXPECT_THAT(text,
              HasSubstr("the block cache (1.0 GiB, 100 MiB of it used) has room for them, so "
                        "that the cause is another: a database that is opened again and again"));
  EXPECT_THAT(text, Not(HasSubstr("secondary")));
  EXPECT_THAT(text, Not(HasSubstr("what helps")));
  EXPECT_THAT(Text(Thrashing(), InCache(400 * kMiB, 100 * kMiB), "db"),
              HasSubstr("the block cache (400 MiB, 100 MiB of it used) has no room for them;"))
      << "not for all";
  place.has_secondary = true;
  EXPECT_THAT(
      Text(Thrashing(), place, "db"),
      HasSubstr("the secondary cache, from which they come without being read from a file"));
  place.usage = place.capacity;
  EXPECT_THAT(Text(Thrashing(), place, "db"),
              HasSubstr(" opened again and again (some may come from the secondary cache, without "
                        "being read from a file); what helps for db: "));
}

TEST(AlarmTextTest, OfFiltersOutsideOfTheCacheNamesTheTables) {
  PlaceOfFilters place;
  place.is_outside = true;
  place.max_open_files = 100;
  const std::string text = Text(Thrashing(), place, "db");
  EXPECT_THAT(text,
              HasSubstr(": they lie outside of the block cache, with their tables, and tables "
                        "are opened again and again: max_open_files=100 is too small"));
  EXPECT_THAT(text, Not(HasSubstr("has no room")));
  EXPECT_THAT(text, Not(HasSubstr("what helps")));
  place.max_open_files = -1;
  EXPECT_THAT(Text(Thrashing(), place, "db"), Not(HasSubstr("max_open_files")));
}

TEST(AlarmTextTest, OfFamiliesOfBothKindsNamesBoth) {
  PlaceOfFilters place = InCache(256 * kMiB, 256 * kMiB);
  place.is_outside = true;
  place.max_open_files = 100;
  EXPECT_THAT(Text(Thrashing(), place, "db"),
              AllOf(HasSubstr("full) has no room for them; filters of column families without "
                              "cache_index_and_filter_blocks are read where tables are opened"),
                    HasSubstr("max_open_files=100")));
}

TEST(AlarmTextTest, OfPartitionsWithoutACacheSaysSo) {
  PlaceOfFilters place;
  place.is_without_cache = true;
  EXPECT_THAT(Text(Thrashing(), place, "db"),
              AllOf(HasSubstr("there is no block cache"),
                    EndsWith("; what helps for db: a block cache of 822 MiB (filters of 411 MiB, "
                             "the indexes of their files, and data), or "
                             "metadata_cache_options={partition_pinning=kAll} (filters of 411 "
                             "MiB, the indexes of their files, pinned in it)")))
      << "cache_index_and_filter_blocks does not concern partitions";
}

TEST(AlarmTextTest, OfMappedFilesNamesWhatMapsThem) {
  PlaceOfFilters place = InCache(256 * kMiB, 255 * kMiB);
  place.is_mapped = true;
  const std::string text = Text(Thrashing(), place, "db");
  EXPECT_THAT(text, EndsWith(" each 5 times: with allow_mmap_reads RocksDB keeps no filter in the "
                             "block cache, whatever its size, and each lookup reads a filter with "
                             "all its bytes: set allow_mmap_reads=false, or "
                             "cache_index_and_filter_blocks=false for filters that are not "
                             "partitioned"));
  place.is_read = true;
  EXPECT_THAT(Text(Thrashing(), place, "db"),
              AllOf(HasSubstr("the block cache (256 MiB, full) has no room for them; with "
                              "allow_mmap_reads RocksDB keeps no filter"),
                    HasSubstr("; what helps for db: a block cache of 822 MiB")))
      << "of another database";
}

TEST(AlarmTextTest, OfTenMinutesSaysSo) {
  AlarmSubject subject;
  subject.loads.filter_bytes = 60 * kMiB;
  subject.loads.ten_minutes_bytes_again = 1100 * kMiB;
  subject.place = InCache(32 * kMiB, 32 * kMiB);
  subject.is_slow = true;
  EXPECT_EQ(AlarmText(subject),
            "filters read through this policy take 60 MiB; in the last ten minutes 1.1 GiB of them "
            "were read again, each 18 times: the block cache (32 MiB, full) has no room for them; "
            "what helps: a block cache of 120 MiB (filters of 60 MiB, the indexes of their files, "
            "and data), or cache_index_and_filter_blocks=false (filters of 60 MiB, the indexes of "
            "their files, outside of the cache), or in new files partition_filters=true with "
            "index_type=kTwoLevelIndexSearch");
}

TEST(AlarmTextTest, OfSeveralPoliciesCountsThemAndNamesTheFolders) {
  AlarmSubject subject;
  subject.loads = Thrashing();
  subject.place = InCache(256 * kMiB, 255 * kMiB);
  subject.is_of_one = false;
  subject.policies = 1;
  EXPECT_THAT(AlarmText(subject),
              StartsWith("filters read through one of the process's policies take"));
  subject.policies = 20;
  for (int i = 10; i < 18; ++i) {
    subject.databases["/db/" + std::to_string(i)] = {100 * kMiB, 10 * kMiB};
  }
  EXPECT_THAT(AlarmText(subject),
              AllOf(StartsWith("filters read through 20 policies take"),
                    HasSubstr("; what helps for /db/10 /db/11 /db/12 /db/13 /db/14 /db/15 /db/16 "
                              "/db/17: a block cache of 1.7 GiB (filters of 800 MiB, indexes of 80 "
                              "MiB, and data), or ")));
  subject.databases["/db/18"] = {};
  EXPECT_THAT(AlarmText(subject), HasSubstr(" /db/17 …: a block cache of 1.7 GiB"));
}

TEST(AlarmTextTest, OfTablesThatAreOpenedAgainNamesVerifyChecksum) {
  PlaceOfFilters place;
  place.is_outside = true;
  for (const auto most : {std::optional<int>(), std::optional<int>(-1), std::optional<int>(100)}) {
    place.max_open_files = most;
    EXPECT_THAT(Text(Thrashing(), place, "db"), HasSubstr("DB::VerifyChecksum"));
  }
}

ROCKSDB_NAMESPACE::DBOptions Opening(int max_open_files) {
  ROCKSDB_NAMESPACE::DBOptions options;
  options.max_open_files = max_open_files;
  return options;
}

TEST(TablesSeenTest, ReadsCachesThatAreAlive) {
  TablesSeen tables;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.cache_index_and_filter_blocks = true;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(8 * kMiB, 3);
  tables.See(table, KnownTables::Time());
  tables.See(table, KnownTables::Time());
  tables.See(Opening(-1));
  PlaceOfFilters place = tables.Known().Read();
  EXPECT_TRUE(place.is_in_cache);
  EXPECT_FALSE(place.is_outside);
  EXPECT_EQ(place.caches, 1u);
  EXPECT_EQ(place.capacity, 8 * kMiB);
  EXPECT_EQ(place.shards, 8u);
  EXPECT_FALSE(place.has_secondary);
  EXPECT_EQ(place.max_open_files, -1);
  tables.See(Opening(100));
  tables.See(Opening(-1));
  EXPECT_EQ(tables.Known().Read().max_open_files, 100);
  const auto first = table.block_cache;
#if WINNOW_ROCKSDB_AT_LEAST(7, 2)  // earlier secondary caches differ
  ROCKSDB_NAMESPACE::LRUCacheOptions options(4 * kMiB, 0, false, 0.5);
  ROCKSDB_NAMESPACE::CompressedSecondaryCacheOptions secondary;
  secondary.capacity = kMiB;
  options.secondary_cache = ROCKSDB_NAMESPACE::NewCompressedSecondaryCache(secondary);
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(options);
  tables.See(table, KnownTables::Time());
  place = tables.Known().Read();
  EXPECT_EQ(place.caches, 2u);
  EXPECT_EQ(place.capacity, 12 * kMiB);
  EXPECT_TRUE(place.has_secondary);
#endif
  table.block_cache = nullptr;
  place = tables.Known().Read();
  EXPECT_EQ(place.caches, 1u);
  EXPECT_FALSE(place.has_secondary);
  EXPECT_FALSE(place.is_outside);
  table.cache_index_and_filter_blocks = false;
  tables.See(table, KnownTables::Time());
  EXPECT_TRUE(tables.Known().Read().is_outside);
  EXPECT_FALSE(tables.Known().Read().is_without_cache);
  table.partition_filters = true;
  tables.See(table, KnownTables::Time());
  EXPECT_TRUE(tables.Known().Read().is_without_cache);
}

}  // namespace load_alarm_test
}  // namespace winnow::plugin
