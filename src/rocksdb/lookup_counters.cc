// Counters of lookups for programs (winnow/rocksdb_policy.h). A file of its own: the tool has a
// copy of the counters, but not of functions that the plugin's library exports.

#include <cstddef>

#include "src/core/struct_size.h"
#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/lookups/kept_key.h"
#include "src/rocksdb/ranges/transformed_keys.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {

void FillLookupCounters(LookupCounters* counters, size_t size) noexcept {
  const plugin::LookupCounts counts = plugin::CurrentLookupCounts();
  LookupCounters known;
  known.lookups = counts.computed + counts.shared;
  known.hashes_computed = counts.computed;
  known.hashes_shared = counts.shared;
  const plugin::RangeCounts ranges = plugin::CurrentRangeCounts();
  known.ranges_asked = ranges.asked;
  known.ranges_denied = ranges.denied;
  core::ForCaller(known, counters, size);
}

void FillSampleCounters(SampleCounters* counters, size_t size) noexcept {
  SampleCounters known;
  known.lookups_sampled = plugin::CurrentSampledLookups();
  known.filters_learned = plugin::CurrentLearnedFilters();
  core::ForCaller(known, counters, size);
}

}  // namespace winnow
