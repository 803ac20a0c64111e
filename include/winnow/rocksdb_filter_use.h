// Filter use of a running process, by policy, column family and level: queries, negatives and
// expected false positives. It shows which column families and levels waste reads, and which
// filters are useless.
//
// A filter's family is known once its database has built a filter of that family, or has Winnow's
// listener, if the filter was built since or has a note (tree_notes). Other filters count for all
// families of their policy.
//
// Queries are sampled at random gaps, independently of their keys, one in 1,024 on average, or more
// often in threads that ask less, so all counts of queries are estimates. False positives are
// expected values: a filter with the rate p has p/(1-p) of them per negative. That holds for
// varying keys; a single absent key that is queried repeatedly is either always a false positive of
// a filter or never.
//
// CountersAsPrometheusText (rocksdb_filter_loads.h) has the same figures as text, FilterUseAsJson
// as JSON, and each database's LOG as a table, at most once in ten minutes while there are lookups,
// flushes or compactions (docs/filter-use.md says which LOGs). rocksdb_c.h has them for other
// languages.
//
// Requires the library of NewFilterPolicy (rocksdb_policy.h). Counts Winnow's filters only, not
// RocksDB's own, which a policy reads too. A program that has the library twice, linked and
// preloaded, reads the counters of one of them. All functions are thread-safe, throw nothing but
// std::bad_alloc, may be called while databases are in use, and do not block lookups. Since 1.1.

#ifndef WINNOW_ROCKSDB_FILTER_USE_H_
#define WINNOW_ROCKSDB_FILTER_USE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "winnow/version.h"

namespace winnow {

// Use of the filters of one policy, column family and level, since the policy was made, including
// the use through policies that SetOptions replaced by it. Later versions may add members
// (winnow/version.h).
struct FilterUse {
  // Level recorded in the filters; -1: none, as for SstFileWriter and blocks with a fault. A file
  // that is moved to another level without being rewritten keeps its filter and the level recorded
  // there.
  int64_t level = -1;
  double seconds = 0;  // since the policy was made

  // Keys and prefixes that filters were asked for, counted once per filter or partition, and
  // negatives among these. Estimated from the sampled counts asks_counted and denied_counted.
  double asks = 0;
  double denied = 0;
  uint64_t asks_counted = 0;
  uint64_t denied_counted = 0;

  // Expected false positives among asks - denied, and the bounds of their 95% confidence interval,
  // by the rates of the filters. 0 if there were no negatives.
  double false_positives = 0;
  double false_positives_low = 0;
  double false_positives_high = 0;

  // Filters, or partitions of filters, that are currently open or in a block cache, with their keys
  // and bytes; bytes * 8 / keys is bits per key.
  uint64_t filters = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;

  // Seeks with an upper bound that asked range filters, and those for which the filter saved the
  // read of the file. Each seek is counted; none is among asks. A filter that denies nothing is
  // asked rarely (docs/range-filters.md).
  uint64_t ranges_asked = 0;
  uint64_t ranges_denied = 0;
};

// Callback for one FilterUse. The strings are valid during the call.
using FilterUseVisitor = void (*)(void* state, const char* policy, const char* databases,
                                  const char* families, const FilterUse* use);

// Calls the visitor for each policy, family and level that has filters or was asked, with the first
// `size` bytes of FilterUse. Returns false after visiting fewer if out of memory. For the function
// below.
WINNOW_EXPORT bool VisitFilterUse(FilterUseVisitor visitor, void* state, size_t size) noexcept;

struct NamedFilterUse {
  std::string policy;  // bits_per_key and other options that are not defaults, as in an options
                       // string
  // Folders of the policy's databases, known with the listener only (rocksdb_listener.h), and the
  // name of the column family. If that is unknown, all known families of the policy: a family is
  // known once a filter is built for it or, with the listener, once the database is opened. Names
  // are sorted and joined by a comma and a space; empty if unknown.
  std::string databases;
  std::string families;
  FilterUse use;
};

WINNOW_HIDDEN inline std::vector<NamedFilterUse> CurrentFilterUse() {
  struct Rows {
    std::vector<NamedFilterUse> all;
    bool is_complete = true;
  } rows;
  const FilterUseVisitor add = [](void* state, const char* policy, const char* databases,
                                  const char* families, const FilterUse* use) {
    auto* const to = static_cast<Rows*>(state);
    try {
      to->all.push_back({policy, databases, families, *use});
    } catch (...) {
      to->is_complete = false;
    }
  };
  const bool all_visited = VisitFilterUse(add, &rows, sizeof(FilterUse));
  if (!all_visited || !rows.is_complete) throw std::bad_alloc();
  return std::move(rows.all);
}

// Returns filter use as JSON of the schema winnow.filter_use/1 (docs/filter-use.md). Empty if out
// of memory.
WINNOW_EXPORT std::string FilterUseAsJson() noexcept;

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_FILTER_USE_H_
