// Counters of lookups for programs (winnow/rocksdb_policy.h). A file of its own: the tool has a
// copy of the counters, but not of functions that the plugin's library exports.

#include <cstddef>

#include "src/core/struct_size.h"
#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "winnow/rocksdb_policy.h"

namespace winnow {

void FillLookupCounters(LookupCounters* counters, size_t size) noexcept {
  const plugin::Counters now = plugin::CurrentCounters();
  core::ForCaller(LookupCounters{now.lookups, now.hashes, now.hashes_shared, now.ranges_asked,
                                 now.ranges_denied},
                  counters, size);
}

void FillSampleCounters(SampleCounters* counters, size_t size) noexcept {
  SampleCounters known;
  known.lookups_sampled = plugin::CurrentSampledLookups();
  known.filters_learned = plugin::CurrentLearnedFilters();
  core::ForCaller(known, counters, size);
}

}  // namespace winnow
