#include "src/rocksdb/counters.h"

#include <atomic>
#include <type_traits>

#include "src/core/sizing.h"
#include "src/rocksdb/lookups/kept_key.h"
#include "src/rocksdb/ranges/transformed_keys.h"

namespace winnow::plugin {

namespace {

struct FilterCounters {
  std::atomic<uint64_t> empty{0};
  std::atomic<uint64_t> bloom{0};
  std::atomic<uint64_t> ribbon{0};
  std::atomic<uint64_t> unbuilt{0};
  std::atomic<uint64_t> keys{0};
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> bloom_bytes{0};
  std::atomic<uint64_t> bloom_bytes_as_ribbons{0};
  std::atomic<uint64_t> loaded[3] = {};  // indexed by LoadedFilter
};

// Filters may be built and checked after main() returns, so this must be trivially destructible.
FilterCounters filter_counters;
static_assert(std::is_trivially_destructible_v<FilterCounters>);

}  // namespace

void CountFilter(FilterKind kind, uint64_t keys, size_t bytes, double rate) noexcept {
  switch (kind) {
    case FilterKind::kEmpty:
      filter_counters.empty.fetch_add(1, std::memory_order_relaxed);
      break;
    case FilterKind::kBloom:
      filter_counters.bloom.fetch_add(1, std::memory_order_relaxed);
      filter_counters.bloom_bytes.fetch_add(bytes, std::memory_order_relaxed);
      filter_counters.bloom_bytes_as_ribbons.fetch_add(core::EstimateRibbonBytes(keys, rate),
                                                       std::memory_order_relaxed);
      break;
    case FilterKind::kRibbon:
      filter_counters.ribbon.fetch_add(1, std::memory_order_relaxed);
      break;
  }
  filter_counters.keys.fetch_add(keys, std::memory_order_relaxed);
  filter_counters.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void CountUnbuiltFilter() noexcept {
  filter_counters.unbuilt.fetch_add(1, std::memory_order_relaxed);
}

void CountLoadedFilter(LoadedFilter which) noexcept {
  filter_counters.loaded[static_cast<size_t>(which)].fetch_add(1, std::memory_order_relaxed);
}

Counters CurrentCounters() noexcept {
  Counters sum;
  sum.empty_filters = filter_counters.empty.load(std::memory_order_relaxed);
  sum.bloom_filters = filter_counters.bloom.load(std::memory_order_relaxed);
  sum.ribbon_filters = filter_counters.ribbon.load(std::memory_order_relaxed);
  sum.unbuilt_filters = filter_counters.unbuilt.load(std::memory_order_relaxed);
  sum.keys = filter_counters.keys.load(std::memory_order_relaxed);
  sum.bytes = filter_counters.bytes.load(std::memory_order_relaxed);
  sum.bloom_bytes = filter_counters.bloom_bytes.load(std::memory_order_relaxed);
  sum.bloom_bytes_as_ribbons =
      filter_counters.bloom_bytes_as_ribbons.load(std::memory_order_relaxed);
  const auto loaded = [](LoadedFilter which) {
    return filter_counters.loaded[static_cast<size_t>(which)].load(std::memory_order_relaxed);
  };
  sum.loaded_winnow = loaded(LoadedFilter::kWinnow);
  sum.loaded_builtin = loaded(LoadedFilter::kBuiltin);
  sum.loaded_unusable = loaded(LoadedFilter::kUnusable);
  const LookupCounts lookups = CurrentLookupCounts();
  sum.lookups = lookups.computed + lookups.shared;
  sum.hashes = lookups.computed;
  sum.hashes_shared = lookups.shared;
  const RangeCounts ranges = CurrentRangeCounts();
  sum.ranges_asked = ranges.asked;
  sum.ranges_denied = ranges.denied;
  return sum;
}

}  // namespace winnow::plugin
