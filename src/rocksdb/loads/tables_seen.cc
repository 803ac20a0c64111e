#include "src/rocksdb/loads/tables_seen.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::Cache;

// 0: the cache does not say.
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

void TablesSeen::See(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!table.cache_index_and_filter_blocks && !table.partition_filters) {
    place_.is_outside = true;
    return;
  }
  if (table.block_cache == nullptr) {
    place_.is_without_cache = true;
    return;
  }
  place_.is_in_cache = true;
  for (const std::weak_ptr<Cache>& cache : caches_) {
    if (cache.lock() == table.block_cache) return;
  }
  caches_.erase(std::remove_if(caches_.begin(), caches_.end(),
                               [](const std::weak_ptr<Cache>& cache) { return cache.expired(); }),
                caches_.end());
  if (caches_.size() == kMostCaches) caches_.erase(caches_.begin());
  caches_.push_back(table.block_cache);
}

void TablesSeen::SeeMaxOpenFiles(int max_open_files) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // As unsigned, -1 is the most.
  if (!place_.max_open_files ||
      static_cast<unsigned>(max_open_files) < static_cast<unsigned>(*place_.max_open_files)) {
    place_.max_open_files = max_open_files;
  }
}

PlaceOfFilters TablesSeen::Read() const {
  PlaceOfFilters place;
  std::vector<std::shared_ptr<Cache>> caches;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    place = place_;
    for (const std::weak_ptr<Cache>& weak : caches_) {
      if (std::shared_ptr<Cache> cache = weak.lock()) caches.push_back(std::move(cache));
    }
  }
  bool knows_shards = true;
  for (const std::shared_ptr<Cache>& cache : caches) {
    const std::string options = rocksdb_abi::CacheOptionsText(*cache);
    const uint64_t shards = ShardsOf(options);
    const uint64_t capacity = rocksdb_abi::CacheCapacity(*cache);
    const uint64_t usage = rocksdb_abi::CacheUsage(*cache);
    ++place.caches;
    place.capacity += capacity;
    place.usage += usage;
    if (usage >= capacity / 10 * 9) ++place.full_caches;
    place.shards += shards;
    knows_shards = knows_shards && shards > 0;
    place.has_secondary =
        place.has_secondary || options.find("secondary_cache:") != std::string::npos;
  }
  if (!knows_shards) place.shards = 0;
  return place;
}

}  // namespace winnow::plugin
