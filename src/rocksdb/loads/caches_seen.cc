#include "src/rocksdb/loads/caches_seen.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Cache;

// Returns the number of shards from a cache's printable options; 0 if unknown.
uint64_t ShardsOf(std::string_view options) {
  constexpr std::string_view kName = "num_shard_bits : ";
  const size_t at = options.find(kName);
  int bits = -1;
  if (at == std::string_view::npos) return 0;
  const std::string_view number = options.substr(at + kName.size());
  std::from_chars(number.data(), number.data() + number.size(), bits);
  return bits < 0 || bits > 20 ? 0 : uint64_t{1} << bits;
}

}  // namespace

const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  return family.table_factory == nullptr
             ? nullptr
             : family.table_factory->GetOptions<ROCKSDB_NAMESPACE::BlockBasedTableOptions>();
}

void CachesSeen::See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, Time now) {
  const bool is_in_cache = table.cache_index_and_filter_blocks || table.partition_filters;
  (table.partition_filters ? place_.is_partitioned : place_.is_whole) = true;
  if (!is_in_cache) place_.is_outside = true;
  if (!is_in_cache || table.block_cache == nullptr) return;
  // Does not lock the weak pointers: the lock could become a cache's last owner and destroy it.
  const std::weak_ptr<Cache> cache = table.block_cache;
  for (const Seen& seen : caches_) {
    if (seen.address == table.block_cache.get() && !seen.cache.owner_before(cache) &&
        !cache.owner_before(seen.cache)) {
      return;
    }
  }
  caches_.erase(std::remove_if(caches_.begin(), caches_.end(),
                               [](const Seen& seen) { return seen.cache.expired(); }),
                caches_.end());
  if (caches_.size() < kMaxCaches) caches_.push_back({cache, table.block_cache.get(), now});
}

void CachesSeen::See(const ROCKSDB_NAMESPACE::DBOptions& database) noexcept {
  // Compared as unsigned, so that -1, no limit, is the largest.
  const auto most = static_cast<unsigned>(database.max_open_files);
  if (!place_.max_open_files || most < static_cast<unsigned>(*place_.max_open_files)) {
    place_.max_open_files = database.max_open_files;
  }
}

PlaceOfFilters CachesSeen::Read(const FilterLoads& loads, Time seen_by) const {
  PlaceOfFilters read = place_;
  bool knows_shards = true;
  for (const Seen& seen : caches_) {
    if (seen.since > seen_by) continue;
    const std::shared_ptr<Cache> cache = seen.cache.lock();
    if (cache == nullptr) continue;
    const uint64_t shards = ShardsOf(rocksdb_abi::CacheOptionsText(*cache));
    const uint64_t capacity = rocksdb_abi::CacheCapacity(*cache);
    const uint64_t usage = rocksdb_abi::CacheUsage(*cache);
    ++read.caches;
    read.capacity += capacity;
    read.usage += usage;
    read.shards += shards;
    knows_shards = knows_shards && shards > 0;
    // Without room for all filters, or for one more in a shard.
    read.has_no_room =
        read.has_no_room || usage >= capacity / 10 * 9 || capacity < loads.filter_bytes ||
        (capacity - usage) / std::max<uint64_t>(shards, 1) < loads.largest_filter_bytes;
  }
  if (!knows_shards) read.shards = 0;
  return read;
}

}  // namespace winnow::plugin
