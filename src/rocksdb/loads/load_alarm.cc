#include "src/rocksdb/loads/load_alarm.h"

#include <algorithm>

#include "src/rocksdb/messages/size_text.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {
namespace {

std::string Size(uint64_t bytes) { return SizeText(static_cast<double>(bytes)); }

bool IsFull(const PlaceOfFilters& place) { return place.usage >= place.capacity / 10 * 9; }

// Returns the mean capacity of a shard; 0 if unknown.
uint64_t ShardOf(const PlaceOfFilters& place) {
  return place.shards == 0 ? 0 : place.capacity / place.shards;
}

// Returns whether all known databases use mmap.
bool IsMapped(const PlaceOfFilters& place) { return place.is_mapped && !place.is_read; }

// Returns whether the cache has no room for all filters, or too little free space for one more
// filter in one shard. If there are several caches, one full cache is enough, as it is unknown
// which filters each one holds.
bool HasNoRoom(const FilterLoads& loads, const PlaceOfFilters& place) {
  if (IsFull(place) || place.full_caches > 0 || place.capacity < loads.filter_bytes) return true;
  const uint64_t left = place.capacity - place.usage;
  return left / std::max<uint64_t>(place.shards, 1) < loads.largest_filter_bytes;
}

// Returns, for example, "the block cache (256 MiB, full) has".
std::string Caches(const PlaceOfFilters& place) {
  const std::string used = IsFull(place) ? "full" : Size(place.usage) + " of it used";
  if (place.caches == 1) return "the block cache (" + Size(place.capacity) + ", " + used + ") has";
  const std::string all =
      std::to_string(place.caches) + " block caches (together " + Size(place.capacity) + ", ";
  if (place.full_caches == 0 || place.full_caches == place.caches) {
    return "the " + all + used + ") have";
  }
  return "of " + all + used + ") " + std::to_string(place.full_caches) +
         (place.full_caches == 1 ? " is full and has" : " are full and have");
}

// Describes why tables may be reopened. DB::VerifyChecksum is named as it opens each table once
// more.
std::string OpenedAgain(const PlaceOfFilters& place) {
  constexpr char kBegin[] = "tables are opened again and again";
  constexpr char kOthers[] = "with their database, or by DB::VerifyChecksum, which opens them all";
  if (!place.max_open_files) return std::string(kBegin) + ", by max_open_files, " + kOthers;
  if (*place.max_open_files == -1) return std::string(kBegin) + ", " + kOthers;
  return std::string(kBegin) + ": max_open_files=" + std::to_string(*place.max_open_files) +
         " is too small for them, or they are opened " + kOthers;
}

// RocksDB does not cache blocks that it reads by mmap, not even pinned partitions.
constexpr char kMapped[] =
    "with allow_mmap_reads RocksDB keeps no filter in the block cache, whatever its size, and each "
    "lookup reads a filter with all its bytes: set allow_mmap_reads=false, or "
    "cache_index_and_filter_blocks=false for filters that are not partitioned";

// Describes the possible causes if the cache has room.
std::string OtherCauses(const PlaceOfFilters& place) {
  std::string text =
      " room for them, so that the cause is another: a database that is opened again "
      "and again";
  if (place.has_secondary) {
    text += ", the secondary cache, from which they come without being read from a file";
  }
  if (rocksdb_abi::kFillCacheConcernsFilters) text += ", lookups with fill_cache=false";
  return text;
}

std::string Cause(const FilterLoads& loads, const PlaceOfFilters& place) {
  if (place.is_without_cache && !place.is_in_cache) {
    return "there is no block cache (no_block_cache) for their partitions";
  }
  if (!place.is_in_cache && place.is_outside) {
    return "they lie outside of the block cache, with their tables, and " + OpenedAgain(place);
  }
  if (IsMapped(place)) return kMapped;
  if (place.caches == 0)
    return "the block cache, which this policy does not know, may have no room for them";
  if (!HasNoRoom(loads, place)) return Caches(place) + OtherCauses(place);
  std::string text = Caches(place) + " no room for them";
  if (const uint64_t shard = ShardOf(place); shard > 0 && shard < loads.largest_filter_bytes) {
    text += ", as a filter of " + Size(loads.largest_filter_bytes) + " is larger than " +
            (place.shards == 1 ? "all of it"
                               : "each of its " + std::to_string(place.shards) + " shards");
  } else if (place.capacity >= loads.filter_bytes) {
    // A full cache does not prove that it is too small, as data fills any cache.
    text += " beside what else it holds, or they are read past it, by ";
    if (rocksdb_abi::kFillCacheConcernsFilters) text += "lookups with fill_cache=false or ";
    text += "a database that is opened again and again";
  }
  if (place.has_secondary) {
    text += " (some may come from the secondary cache, without being read from a file)";
  }
  return text;
}

// Returns the end of "filters read through ...", such as "this policy".
std::string Policies(const AlarmSubject& subject) {
  if (subject.is_of_one) return "this policy";
  return subject.policies == 1 ? "one of the process's policies"
                               : std::to_string(subject.policies) + " policies";
}

// Returns, for example, "in the last 60 s 1.9 GiB of them were read again, each 5 times".
std::string ReadAgain(const AlarmSubject& subject) {
  const FilterLoads& loads = subject.loads;
  const uint64_t bytes = subject.is_slow ? loads.ten_minutes_bytes_again : loads.minute_bytes_again;
  const uint64_t times =
      subject.is_slow ? loads.ten_minutes_bytes_again : loads.minute_blocks_again;
  const uint64_t of =
      std::max<uint64_t>(subject.is_slow ? loads.filter_bytes : loads.minute_filters_again, 1);
  return "in the last " + std::string(subject.is_slow ? "ten minutes " : "60 s ") + Size(bytes) +
         " of them were read again, each " + std::to_string((times + of / 2) / of) + " times";
}

// Returns, for example, " for /data/a /data/b", as the alarm is also in the LOG of other databases.
std::string Databases(const AlarmSubject& subject) {
  constexpr size_t kMaxNamed = 8;
  std::string text;
  size_t named = 0;
  for (const auto& [folder, blocks] : subject.databases) {
    if (named++ == kMaxNamed) return text + " …";
    text += (named == 1 ? " for " : " ") + folder;
  }
  return text;
}

// Returns the number of shard bits with which each shard has room for four of the largest filters,
// as chance puts several into one shard.
int ShardBitsFor(uint64_t capacity, uint64_t largest) {
  int bits = 0;
  while (bits < 6 && capacity >> (bits + 1) >= 4 * std::max<uint64_t>(largest, 1)) ++bits;
  return bits;
}

// Returns what helps: the cache that has room for filters, indexes and as much of data, and what
// takes less of it.
std::string Remedy(const AlarmSubject& subject) {
  const PlaceOfFilters& place = subject.place;
  BlockBytes blocks;
  for (const auto& [folder, of_database] : subject.databases) {
    blocks.filters += of_database.filters;
    blocks.indexes += of_database.indexes;
  }
  const bool are_listed = blocks.indexes > 0 && blocks.filters >= subject.loads.filter_bytes;
  if (!are_listed) blocks = {subject.loads.filter_bytes, 0};
  const uint64_t needed = blocks.filters + blocks.indexes;
  const std::string parts =
      "filters of " + Size(blocks.filters) +
      (are_listed ? ", indexes of " + Size(blocks.indexes) : ", the indexes of their files");
  const uint64_t capacity = std::max(place.caches == 1 ? place.capacity : 0, 2 * needed);
  const bool is_larger = capacity > place.capacity || place.caches != 1;
  const int bits = ShardBitsFor(capacity, subject.loads.largest_filter_bytes);
  const bool has_fewer = place.caches == 1 && place.shards > uint64_t{1} << bits;
  std::string text = "; what helps" + Databases(subject) + ": ";
  if (is_larger || has_fewer) {
    text += "a block cache of " + Size(capacity);
    if (has_fewer) text += " with num_shard_bits=" + std::to_string(bits);
    text += " (" + parts + ", and data), or ";
  }
  // Partitions are in the block cache with each value of cache_index_and_filter_blocks.
  const bool are_partitions = !place.is_whole && (place.is_in_cache || place.is_without_cache);
  if (are_partitions) {
    return text + "metadata_cache_options={partition_pinning=kAll} (" + parts + ", pinned in it)";
  }
  return text + "cache_index_and_filter_blocks=false (" + parts +
         ", outside of the cache), or in new files partition_filters=true with "
         "index_type=kTwoLevelIndexSearch";
}

// Returns whether a larger cache, or other filters, can help.
bool IsAboutCache(const FilterLoads& loads, const PlaceOfFilters& place) {
  if (!place.is_in_cache) return !place.is_outside;
  return !IsMapped(place) && (place.caches == 0 || HasNoRoom(loads, place));
}

}  // namespace

bool IsCacheWithoutRoom(const FilterLoads& loads, const PlaceOfFilters& place) {
  return place.caches > 0 && (IsMapped(place) || HasNoRoom(loads, place));
}

std::string AlarmText(const AlarmSubject& subject) {
  const PlaceOfFilters& place = subject.place;
  std::string text = "filters read through " + Policies(subject) + " take " +
                     Size(subject.loads.filter_bytes) + "; " + ReadAgain(subject) + ": " +
                     Cause(subject.loads, place);
  if (place.is_in_cache && place.is_without_cache) {
    text += "; partitions of column families with no_block_cache are read for each lookup";
  }
  if (place.is_in_cache && place.is_outside) {
    text += "; filters of column families without cache_index_and_filter_blocks are read where " +
            OpenedAgain(place);
  }
  if (place.is_in_cache && place.is_mapped && place.is_read) {
    text += std::string("; ") + kMapped;
  }
  return IsAboutCache(subject.loads, place) ? text + Remedy(subject) : text;
}

}  // namespace winnow::plugin
