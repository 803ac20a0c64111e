// C API (winnow/rocksdb_c.h) over the functions of the C++ headers. Its structs have the layout of
// the C++ structs.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "winnow/rocksdb_c.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_filter_use.h"
#include "winnow/rocksdb_policy.h"

using winnow::FilterLoads;
using winnow::FilterUse;
using winnow::LookupCounters;
using winnow::SampleCounters;

// Checks that the C structs have the layout of the C++ structs: all members are 8 bytes wide, in
// the same order.
static_assert(sizeof(winnow_rocksdb_lookup_counters) == sizeof(LookupCounters) &&
              offsetof(winnow_rocksdb_lookup_counters, ranges_denied) ==
                  offsetof(LookupCounters, ranges_denied));
static_assert(sizeof(winnow_rocksdb_sample_counters) == sizeof(SampleCounters) &&
              offsetof(winnow_rocksdb_sample_counters, files_not_told_apart) ==
                  offsetof(SampleCounters, files_not_told_apart));
static_assert(sizeof(winnow_rocksdb_filter_loads) == sizeof(FilterLoads) &&
              offsetof(winnow_rocksdb_filter_loads, ten_minutes_bytes_again) ==
                  offsetof(FilterLoads, ten_minutes_bytes_again));
static_assert(sizeof(winnow_rocksdb_filter_use) == sizeof(FilterUse) &&
              offsetof(winnow_rocksdb_filter_use, false_positives) ==
                  offsetof(FilterUse, false_positives) &&
              offsetof(winnow_rocksdb_filter_use, ranges_denied) ==
                  offsetof(FilterUse, ranges_denied));

namespace {

// Returns a copy from malloc, or null if `text` is empty or out of memory.
char* Copied(const std::string& text) noexcept {
  auto* const copy = text.empty() ? nullptr : static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

struct Visit {
  winnow_rocksdb_filter_use_visitor visitor;
  void* state;
};

}  // namespace

void winnow_rocksdb_get_lookup_counters(winnow_rocksdb_lookup_counters* counters, size_t size) {
  winnow::FillLookupCounters(reinterpret_cast<LookupCounters*>(counters), size);
}

void winnow_rocksdb_get_sample_counters(winnow_rocksdb_sample_counters* counters, size_t size) {
  winnow::FillSampleCounters(reinterpret_cast<SampleCounters*>(counters), size);
}

void winnow_rocksdb_get_filter_loads(winnow_rocksdb_filter_loads* loads, size_t size) {
  winnow::FillFilterLoads(nullptr, reinterpret_cast<FilterLoads*>(loads), size);
}

int winnow_rocksdb_visit_filter_use(winnow_rocksdb_filter_use_visitor visitor, void* state,
                                    size_t size) {
  Visit visit{visitor, state};
  const winnow::FilterUseVisitor pass_on = [](void* to, const char* policy, const char* databases,
                                              const char* families, const FilterUse* use) {
    const auto* const its = static_cast<const Visit*>(to);
    its->visitor(its->state, policy, databases, families,
                 reinterpret_cast<const winnow_rocksdb_filter_use*>(use));
  };
  return winnow::VisitFilterUse(pass_on, &visit, size) ? 0 : -1;
}

char* winnow_rocksdb_filter_use_json(void) { return Copied(winnow::FilterUseAsJson()); }

char* winnow_rocksdb_prometheus_text(void) { return Copied(winnow::CountersAsPrometheusText()); }

void winnow_rocksdb_free_text(char* text) { std::free(text); }
