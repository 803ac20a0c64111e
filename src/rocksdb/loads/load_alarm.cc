#include "src/rocksdb/loads/load_alarm.h"

#include <algorithm>
#include <cstddef>

#include "src/rocksdb/messages/size_text.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {
namespace {

std::string Size(uint64_t bytes) { return SizeText(static_cast<double>(bytes)); }

// Returns, for example, "in the last 60 s 1.9 GiB of them were read again, each 5 times".
std::string ReadAgain(const FilterLoads& loads, bool is_slow) {
  const uint64_t bytes = is_slow ? loads.ten_minutes_bytes_again : loads.minute_bytes_again;
  const uint64_t times = is_slow ? bytes : loads.minute_blocks_again;
  const uint64_t of =
      std::max<uint64_t>(is_slow ? loads.filter_bytes : loads.minute_filters_again, 1);
  return std::string(is_slow ? "in the last ten minutes " : "in the last 60 s ") + Size(bytes) +
         " of them were read again, each " + std::to_string((times + of / 2) / of) + " times";
}

// Returns, for example, "the block cache has 256 MiB in 16 shards, 255 MiB of it used, and the
// largest filter 3.0 MiB".
std::string Caches(const FilterLoads& loads, const PlaceOfFilters& place) {
  if (place.caches == 0) return "no block cache is known";
  std::string text = place.caches == 1 ? "the block cache has "
                                       : std::to_string(place.caches) + " block caches have ";
  text += Size(place.capacity);
  if (place.shards > 0) text += " in " + Counted(place.shards, "shard");
  return text + ", " + Size(place.usage) + " of it used, and the largest filter " +
         Size(loads.largest_filter_bytes);
}

// Returns, for example, " for /data/a /data/b".
std::string Folders(const std::map<std::string, BlockBytes>& databases) {
  constexpr size_t kMaxNamed = 8;
  std::string text;
  size_t named = 0;
  for (const auto& [folder, blocks] : databases) {
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

// Returns the options that keep filters in memory, and what takes less of it. A cache has room for
// filters, indexes and as much of data.
std::string Remedies(const FilterLoads& loads, const PlaceOfFilters& place, BlockBytes blocks) {
  const bool are_listed = blocks.indexes > 0 && blocks.filters >= loads.filter_bytes;
  if (!are_listed) blocks = {loads.filter_bytes, 0};
  const std::string parts =
      "filters of " + Size(blocks.filters) +
      (are_listed ? ", indexes of " + Size(blocks.indexes) : ", the indexes of their files");
  const uint64_t capacity =
      std::max(place.caches == 1 ? place.capacity : 0, 2 * (blocks.filters + blocks.indexes));
  const int bits = ShardBitsFor(capacity, loads.largest_filter_bytes);
  const bool has_fewer = place.caches == 1 && place.shards > uint64_t{1} << bits;
  std::string text;
  if (place.is_outside) text += "max_open_files=-1 for filters outside of the cache, or ";
  if (capacity > place.capacity || place.caches != 1 || has_fewer) {
    text += "a block cache of " + Size(capacity);
    if (has_fewer) text += " with num_shard_bits=" + std::to_string(bits);
    text += " (" + parts + ", and data), or ";
  }
  // Partitions are in the block cache with each value of cache_index_and_filter_blocks.
  if (place.is_partitioned && !place.is_whole) {
    return text + "metadata_cache_options={partition_pinning=kAll} (" + parts + ", pinned in it)";
  }
  return text + "cache_index_and_filter_blocks=false (" + parts +
         ", outside of the cache), or in new files partition_filters=true with "
         "index_type=kTwoLevelIndexSearch";
}

}  // namespace

std::string AlarmText(const FilterLoads& loads, const PlaceOfFilters& place,
                      const std::map<std::string, BlockBytes>& databases, bool is_slow) {
  BlockBytes blocks;
  for (const auto& [folder, of_database] : databases) {
    blocks.filters += of_database.filters;
    blocks.indexes += of_database.indexes;
  }
  return "filters that Winnow's policies read take " + Size(loads.filter_bytes) + "; " +
         ReadAgain(loads, is_slow) + "; " + Caches(loads, place) + "; what helps" +
         Folders(databases) + ": " + Remedies(loads, place, blocks) +
         "; other causes: databases or tables that are opened again and again" +
         (place.max_open_files.value_or(-1) == -1
              ? std::string()
              : " (max_open_files=" + std::to_string(*place.max_open_files) + ")") +
         ", DB::VerifyChecksum, allow_mmap_reads" +
         (rocksdb_abi::kFillCacheConcernsFilters ? ", fill_cache=false" : "") +
         ", a secondary cache";
}

}  // namespace winnow::plugin
