/* Counters of the plugin for RocksDB, for C (C99) and for all languages that can call C: Rust, Go,
   Java, Python. The same figures as by the C++ headers beside this one, which say what each of them
   means; of the whole process. In libwinnow_rocksdb, and in all that has Winnow's plugin inside.

   A policy itself is made by its name, as filter_policy=winnow:10 in an options string, through
   RocksDB's own interface of the language.

   All functions are safe from any thread, and never end the process. What is declared here stays:
   functions are added, and members at the ends of structs, each 8 bytes wide. So each function that
   fills a struct is told the size that the caller's has: members that only the caller knows stay as
   they are. Since 1.1. */

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

/* FilterLoads of rocksdb_filter_loads.h: the sums over all policies. */
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

/* FilterUse of rocksdb_filter_use.h: of one policy and one level. */
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

/* Texts are UTF-8, end with a 0, and live as long as the call, as the struct does. It must not
   throw, nor leave by longjmp. */
typedef void (*winnow_rocksdb_filter_use_visitor)(void* state, const char* policy,
                                                  const char* databases, const char* families,
                                                  const winnow_rocksdb_filter_use* use);

/* Calls the visitor for each policy and level, in this thread. 0, or -1 where memory is short, and
   less is visited. */
WINNOW_EXPORT int winnow_rocksdb_visit_filter_use(winnow_rocksdb_filter_use_visitor visitor,
                                                  void* state, size_t size);

/* The same as JSON, and all counters in Prometheus' text format. The caller's, for
   winnow_rocksdb_free_text. NULL where memory is short. */
WINNOW_EXPORT char* winnow_rocksdb_filter_use_json(void);
WINNOW_EXPORT char* winnow_rocksdb_prometheus_text(void);

/* NULL is allowed. */
WINNOW_EXPORT void winnow_rocksdb_free_text(char* text);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */

#endif /* WINNOW_ROCKSDB_C_H_ */
