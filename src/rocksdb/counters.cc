#include "src/rocksdb/counters.h"

#include <type_traits>

#include "src/core/sizing.h"
#include "src/rocksdb/lookups/kept_key.h"
#include "src/rocksdb/ranges/transformed_keys.h"

namespace winnow::plugin {

namespace {

// Filters may be built and checked after main() returns, so this must be trivially destructible.
// Members are added to and read by the functions below alone.
Counters counted;
static_assert(std::is_trivially_destructible_v<Counters>);

void Add(uint64_t Counters::*counter, uint64_t more) noexcept {
  __atomic_fetch_add(&(counted.*counter), more, __ATOMIC_RELAXED);
}

}  // namespace

void CountFilter(FilterKind kind, uint64_t keys, size_t bytes, double rate) noexcept {
  switch (kind) {
    case FilterKind::kEmpty:
      Add(&Counters::empty_filters, 1);
      break;
    case FilterKind::kBloom:
      Add(&Counters::bloom_filters, 1);
      Add(&Counters::bloom_bytes, bytes);
      Add(&Counters::bloom_bytes_as_ribbons, core::EstimateRibbonBytes(keys, rate));
      break;
    case FilterKind::kRibbon:
      Add(&Counters::ribbon_filters, 1);
      break;
  }
  Add(&Counters::keys, keys);
  Add(&Counters::bytes, bytes);
}

void CountUnbuiltFilter() noexcept { Add(&Counters::unbuilt_filters, 1); }

void CountLoadedFilter(uint64_t Counters::*which) noexcept { Add(which, 1); }

Counters CurrentCounters() noexcept {
  Counters sum;
  for (uint64_t Counters::*const counter :
       {&Counters::empty_filters, &Counters::bloom_filters, &Counters::ribbon_filters,
        &Counters::unbuilt_filters, &Counters::keys, &Counters::bytes, &Counters::bloom_bytes,
        &Counters::bloom_bytes_as_ribbons, &Counters::loaded_winnow, &Counters::loaded_builtin,
        &Counters::loaded_unusable}) {
    sum.*counter = __atomic_load_n(&(counted.*counter), __ATOMIC_RELAXED);
  }
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
