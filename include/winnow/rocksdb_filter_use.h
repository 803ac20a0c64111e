// Answers of the filters in a process that runs, by policy and by level: how often they are asked,
// how often they say "no", and how many of their other answers are false positives. It tells which
// column families and levels waste reads, and where filters are of no use.
//
// A policy counts for all column families that it serves, as a filter does not know its family. So
// give each family that you want to see by itself a policy of its own: RocksDB makes one for each
// where options come from a string or an OPTIONS file, but families that the program made with one
// table factory share one.
//
// Asks are counted one by one after random gaps, whatever their key, one in 2,048 on average: what
// is said of asks is an estimate. False positives are expected ones: a filter with the rate
// p has p/(1-p) of them for each "no". That is right for keys that differ. A single absent key that
// is asked again and again is always a false positive of a filter, or never.
//
// The same is in the text of CountersAsPrometheusText (rocksdb_filter_loads.h), as JSON here, and
// as a table in each database's LOG, with the first flush or compaction after ten minutes, and then
// at most once in ten minutes. rocksdb_c.h has it for other languages.
//
// Needs NewFilterPolicy's library (rocksdb_policy.h). Only Winnow's filters are asked here;
// RocksDB's own, which a policy reads too, count nothing. A program that has the library twice,
// linked and preloaded, reads the figures of one of them. All functions are safe from any thread,
// throw nothing but std::bad_alloc, and may be called while databases are in use: the lookups don't
// wait. Since 1.1.

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

// Use of the filters of one policy and one level, over all its column families, since the policy
// was made, or in its place the one before it (SetOptions). It grows (winnow/version.h).
struct FilterUse {
  // Level that the filters state; -1: none, as those of SstFileWriter, and of blocks with a fault.
  // A file that is moved to another level as it is keeps its filter, and the level that this
  // states.
  int64_t level = -1;
  double seconds = 0;  // since the policy was made

  // Keys and prefixes that filters were asked for, once for each filter or partition; and of these,
  // those of which a filter said that its file lacks them. Estimates, from as many asks as were
  // counted.
  double asks = 0;
  double denied = 0;
  uint64_t asks_counted = 0;
  uint64_t denied_counted = 0;

  // Expected, among asks - denied; and bounds, between which 95 of 100 such estimates have what the
  // rates of the filters make of the absent keys that were asked for. 0 where none was denied.
  double false_positives = 0;
  double false_positives_low = 0;
  double false_positives_high = 0;

  // Filters, or partitions of filters, that are held open or in a block cache now, with their keys
  // and bytes: bytes * 8 / keys are bits a key.
  uint64_t filters = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;

  // Seeks with a bound that range filters were asked for, and of these those that they spared the
  // read of the file. Each one is counted; none is among asks. A filter that denies nothing is
  // asked for few (docs/range-filters.md).
  uint64_t ranges_asked = 0;
  uint64_t ranges_denied = 0;
};

// One of them, with the names that it has. They live as long as the call.
using FilterUseVisitor = void (*)(void* state, const char* policy, const char* databases,
                                  const char* families, const FilterUse* use);

// Calls the visitor for each policy and level that has filters or was asked, with as many bytes of
// FilterUse as are told. False, and less is visited, where memory is short. For the function below.
WINNOW_EXPORT bool VisitFilterUse(FilterUseVisitor visitor, void* state, size_t size) noexcept;

struct NamedFilterUse {
  std::string policy;  // bits_per_key and what differs from its default in an options string
  // The folders of its databases, and the names of its column families, in order, with ", " between
  // them. Families are known from the first filter that is built for them on, or with the listener
  // (rocksdb_listener.h), which tells the databases too, from an open on; else empty.
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

// The same as JSON, of the schema winnow.filter_use/1 (docs/filter-use.md). Empty where memory is
// short.
WINNOW_EXPORT std::string FilterUseAsJson() noexcept;

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_FILTER_USE_H_
