#include "src/rocksdb/loads/tables_seen.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

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

// Does not lock the weak pointers: the lock could become the cache's last owner and destroy the
// cache.
bool IsSame(const KnownTables::Cache& one, const KnownTables::Cache& other) {
  return one.address == other.address && !one.cache.owner_before(other.cache) &&
         !other.cache.owner_before(one.cache);
}

// Keeps the minimum. Compared as unsigned, so that -1, no limit, is the largest.
void SeeMaxOpenFiles(int max_open_files, PlaceOfFilters* place) {
  if (!place->max_open_files ||
      static_cast<unsigned>(max_open_files) < static_cast<unsigned>(*place->max_open_files)) {
    place->max_open_files = max_open_files;
  }
}

}  // namespace

const ROCKSDB_NAMESPACE::BlockBasedTableOptions* TableOptionsOf(
    const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  return family.table_factory == nullptr
             ? nullptr
             : family.table_factory->GetOptions<ROCKSDB_NAMESPACE::BlockBasedTableOptions>();
}

void KnownTables::Add(const KnownTables& other) {
  place.is_in_cache = place.is_in_cache || other.place.is_in_cache;
  place.is_outside = place.is_outside || other.place.is_outside;
  place.is_without_cache = place.is_without_cache || other.place.is_without_cache;
  place.is_whole = place.is_whole || other.place.is_whole;
  place.is_mapped = place.is_mapped || other.place.is_mapped;
  place.is_read = place.is_read || other.place.is_read;
  if (other.place.max_open_files) SeeMaxOpenFiles(*other.place.max_open_files, &place);
  for (const Cache& added : other.caches) {
    const auto known = std::find_if(caches.begin(), caches.end(),
                                    [&added](const Cache& cache) { return IsSame(cache, added); });
    if (known == caches.end()) {
      caches.push_back(added);
    } else {
      known->since = std::min(known->since, added.since);
    }
  }
}

PlaceOfFilters KnownTables::Read(Time seen_by) const {
  PlaceOfFilters read = place;
  bool knows_shards = true;
  for (const Cache& seen : caches) {
    if (seen.since > seen_by) continue;
    const std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache = seen.cache.lock();
    if (cache == nullptr) continue;
    const std::string options = rocksdb_abi::CacheOptionsText(*cache);
    const uint64_t shards = ShardsOf(options);
    const uint64_t capacity = rocksdb_abi::CacheCapacity(*cache);
    const uint64_t usage = rocksdb_abi::CacheUsage(*cache);
    ++read.caches;
    read.capacity += capacity;
    read.usage += usage;
    if (usage >= capacity / 10 * 9) ++read.full_caches;
    read.shards += shards;
    knows_shards = knows_shards && shards > 0;
    read.has_secondary =
        read.has_secondary || options.find("secondary_cache:") != std::string::npos;
  }
  if (!knows_shards) read.shards = 0;
  return read;
}

void TablesSeen::See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table,
                     KnownTables::Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!table.partition_filters) known_.place.is_whole = true;
  if (!table.cache_index_and_filter_blocks && !table.partition_filters) {
    known_.place.is_outside = true;
    return;
  }
  if (table.block_cache == nullptr) {
    known_.place.is_without_cache = true;
    return;
  }
  known_.place.is_in_cache = true;
  std::vector<KnownTables::Cache>& caches = known_.caches;
  const KnownTables::Cache cache{table.block_cache, table.block_cache.get(), now};
  if (std::any_of(caches.begin(), caches.end(),
                  [&cache](const auto& seen) { return IsSame(seen, cache); })) {
    return;
  }
  caches.erase(std::remove_if(caches.begin(), caches.end(),
                              [](const auto& seen) { return seen.cache.expired(); }),
               caches.end());
  if (caches.size() == kMaxCaches) return;
  caches.push_back(cache);
}

void TablesSeen::See(const ROCKSDB_NAMESPACE::DBOptions& database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  SeeMaxOpenFiles(database.max_open_files, &known_.place);
  (database.allow_mmap_reads ? known_.place.is_mapped : known_.place.is_read) = true;
}

KnownTables TablesSeen::Known() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return known_;
}

}  // namespace winnow::plugin
