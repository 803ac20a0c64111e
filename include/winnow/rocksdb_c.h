/* Counters of the RocksDB plugin for C (C99) and for languages that can call C: Rust, Go, Java,
   Python. They are the same as in the C++ headers beside this one, which define them, and count
   for the whole process. libwinnow_rocksdb exports these functions, as does every library that
   contains Winnow's plugin.

   A policy is made by name, as filter_policy=winnow:10 in an options string, through the
   language's own RocksDB interface.

   All functions are thread-safe and never end the process. Declarations are stable: functions
   are added, and members are added at the end of structs, each 8 bytes wide. A function that
   fills a struct therefore takes the size of the caller's struct; members that only the caller
   knows are unchanged. Since 1.1. */

#ifndef WINNOW_ROCKSDB_C_H_
#define WINNOW_ROCKSDB_C_H_

/* NOLINTBEGIN(modernize-*): it is C */
#include <stddef.h>
#include <stdint.h>

#include "winnow/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* LookupCounters of rocksdb_policy.h. */
typedef struct winnow_rocksdb_lookup_counters {
  uint64_t lookups;
  uint64_t hashes_computed;
  uint64_t hashes_shared;
  uint64_t ranges_asked;
  uint64_t ranges_denied;
} winnow_rocksdb_lookup_counters;
WINNOW_EXPORT void winnow_rocksdb_get_lookup_counters(winnow_rocksdb_lookup_counters* counters,
                                                      size_t size);

/* SampleCounters of rocksdb_policy.h. */
typedef struct winnow_rocksdb_sample_counters {
  uint64_t lookups_sampled;
  uint64_t filters_learned;
  uint64_t trees_learned;
  uint64_t files_not_told_apart;
} winnow_rocksdb_sample_counters;
WINNOW_EXPORT void winnow_rocksdb_get_sample_counters(winnow_rocksdb_sample_counters* counters,
                                                      size_t size);

/* FilterLoads of rocksdb_filter_loads.h, summed over all policies. */
typedef struct winnow_rocksdb_filter_loads {
  uint64_t blocks;
  uint64_t bytes;
  uint64_t blocks_again;
  uint64_t bytes_again;
  uint64_t minute_blocks;
  uint64_t minute_bytes;
  uint64_t minute_blocks_again;
  uint64_t minute_bytes_again;
  uint64_t minute_filters_again;
  uint64_t filters;
  uint64_t filter_bytes;
  uint64_t largest_filter_bytes;
  uint64_t counted_one_of;
  uint64_t blocks_unknown;
  uint64_t alarms;
  uint64_t meter_bytes;
  uint64_t ten_minutes_bytes_again;
} winnow_rocksdb_filter_loads;
WINNOW_EXPORT void winnow_rocksdb_get_filter_loads(winnow_rocksdb_filter_loads* loads, size_t size);

/* FilterUse of rocksdb_filter_use.h, for one policy, one column family if it is known, and one
 * level. */
typedef struct winnow_rocksdb_filter_use {
  int64_t level;
  double seconds;
  double asks;
  double denied;
  uint64_t asks_counted;
  uint64_t denied_counted;
  double false_positives;
  double false_positives_low;
  double false_positives_high;
  uint64_t filters;
  uint64_t keys;
  uint64_t bytes;
  uint64_t ranges_asked;
  uint64_t ranges_denied;
} winnow_rocksdb_filter_use;

/* Callback for the use of the filters of one policy, family and level. Strings are UTF-8 and end
   with a 0; they and `use` are valid during the call. The callback must not throw or leave by
   longjmp. */
typedef void (*winnow_rocksdb_filter_use_visitor)(void* state, const char* policy,
                                                  const char* databases, const char* families,
                                                  const winnow_rocksdb_filter_use* use);

/* Calls the visitor for each policy, family and level, in this thread. Returns 0, or -1 after
   visiting fewer if out of memory. */
WINNOW_EXPORT int winnow_rocksdb_visit_filter_use(winnow_rocksdb_filter_use_visitor visitor,
                                                  void* state, size_t size);

/* Return filter use as JSON, and all counters in Prometheus' text format. The caller frees the
   text with winnow_rocksdb_free_text. NULL if out of memory. */
WINNOW_EXPORT char* winnow_rocksdb_filter_use_json(void);
WINNOW_EXPORT char* winnow_rocksdb_prometheus_text(void);

/* Frees a text of the functions above; NULL is allowed. */
WINNOW_EXPORT void winnow_rocksdb_free_text(char* text);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */

#endif /* WINNOW_ROCKSDB_C_H_ */
