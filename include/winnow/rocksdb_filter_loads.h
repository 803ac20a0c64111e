// Filter loads: filters that RocksDB reads through a Winnow policy, and alarms if the block cache
// has no room for them, so that RocksDB reads the same filters repeatedly.
//
// RocksDB asks a policy for a reader each time that a filter block enters its block cache or, if
// filters are outside the cache, each time that a table is opened. Each of these is a load.
// Counting adds less than 100 ns to a load; lookups are not counted and cost nothing more.
//
// An alarm is raised if the same filters are loaded repeatedly. It is one of the process, for the
// sum of all policies: filters of several evict each other, and an OPTIONS file makes one policy
// per family. A line is written immediately
// - to stderr, with WINNOW_LOG=1 in the environment;
// - to the LOG of each open database that the preload library or a listener (rocksdb_listener.h,
//   from the first flush or compaction on) has shown; to other LOGs when the next filter is built.
// The program's callback (SetFilterLoadAlarm) is called when the next filter is loaded through its
// policy, for ten minutes.
//
// Loads may have other causes than a small cache, which RocksDB does not tell: tables or databases
// that are reopened (max_open_files, DB::VerifyChecksum), memory-mapped files (allow_mmap_reads), a
// secondary cache, which returns blocks without reading a file, and since RocksDB 8.3 reads with
// fill_cache=false. The alarm names them after what helps a small cache.
//
// Requires the library of NewFilterPolicy (rocksdb_policy.h) and reports on its policies, including
// those of options strings and of the preload library. A program that has the library twice, linked
// and preloaded, reads the counters of one of them. All functions are thread-safe, throw nothing,
// and may be called while databases are in use.

#ifndef WINNOW_ROCKSDB_FILTER_LOADS_H_
#define WINNOW_ROCKSDB_FILTER_LOADS_H_

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "winnow/version.h"

namespace winnow {

// Counters of filter loads. Bytes are those of the uncompressed filter blocks. RocksDB's ticker
// rocksdb.block.cache.filter.bytes.insert counts allocated memory, a few percent more for small
// blocks, and omits blocks that are not put into the cache.
//
// A filter is identified by a hash of Winnow's tail, which has the checksum of all bytes, or of
// some 200 bytes of RocksDB's own filters. Two filters of the same keys, such as those of a
// database and its copy, count as one.
//
// Later versions may add members (winnow/version.h).
struct FilterLoads {
  // Loads since the policy was made, including loads of policies that SetOptions replaced by it.
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  // Reloads among these: loads of filters that had been loaded in the previous ten minutes.
  uint64_t blocks_again = 0;
  uint64_t bytes_again = 0;

  // Counters of the last minute, which begins 55 to 60 s ago.
  uint64_t minute_blocks = 0;
  uint64_t minute_bytes = 0;
  uint64_t minute_blocks_again = 0;
  uint64_t minute_bytes_again = 0;
  uint64_t minute_filters_again = 0;  // distinct filters among minute_blocks_again

  // Distinct filters loaded in the last ten minutes and their size: the room, besides that for
  // data, that a cache needs for all of them. Filters that stayed in the cache are not counted;
  // filters of files that compactions have deleted since are counted.
  uint64_t filters = 0;
  uint64_t filter_bytes = 0;
  uint64_t largest_filter_bytes = 0;

  // Sampling factor. 1: all filters are known, up to 100,000 in ten minutes. With more filters, one
  // in 2, 4, … is sampled by its hash, and counts of filters and of reloads are multiplied by this
  // factor. Never decreases.
  uint64_t counted_one_of = 1;
  // Loads that could not be classified as first loads or reloads because memory ran out.
  uint64_t blocks_unknown = 0;

  uint64_t alarms = 0;       // number of alarms of the process since the policy was made
  uint64_t meter_bytes = 0;  // memory in bytes used for these counters; up to 7 MiB

  // Reloaded bytes of the last ten minutes, which begin 9 to 10 minutes ago. Since 1.1.
  uint64_t ten_minutes_bytes_again = 0;
};

// Sets the first `size` bytes of *loads, for the functions below.
WINNOW_EXPORT bool FillFilterLoads(const ROCKSDB_NAMESPACE::FilterPolicy* policy,
                                   FilterLoads* loads, size_t size) noexcept;

// Sets *loads to the counters of this policy and of those that SetOptions replaced by it. Returns
// false and resets *loads if the policy is not Winnow's. May take a millisecond with 100,000
// filters.
WINNOW_HIDDEN inline bool CurrentFilterLoads(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                             FilterLoads* loads) noexcept {
  *loads = FilterLoads();
  return FillFilterLoads(&policy, loads, sizeof *loads);
}

// Returns the sums over all policies of the process, including deleted ones; for
// largest_filter_bytes and counted_one_of, the maximum. A filter that two policies read counts
// twice, a shared alarm once.
WINNOW_HIDDEN inline FilterLoads CurrentFilterLoads() noexcept {
  FilterLoads loads;
  FillFilterLoads(nullptr, &loads, sizeof loads);
  return loads;
}

// An alarm, as passed to the callback; valid during the call. Later versions may add members at the
// end of `loads`, which is last (winnow/version.h); a program sees those that it was compiled with.
struct FilterLoadAlarm {
  // Message for people: "filters that Winnow's policies read take 412 MiB; in the last 60 s 1.9 GiB
  // of them were read again, each 5 times; the block cache has 256 MiB in 16 shards, …; what helps
  // for /data/db: …". It is that of the process at the time of the alarm, with the known folders of
  // open databases.
  std::string text;
  // Capacity and usage in bytes of the block caches that are known in the process; 0 if none is. A
  // cache is known once a database is opened for writing (with the preload library, any database),
  // otherwise once a filter is built.
  uint64_t cache_capacity = 0;
  uint64_t cache_usage = 0;
  FilterLoads loads;  // of this policy, at the time of the call
};

// Sets the callback for alarms; an empty function removes it. Returns false if the policy is not
// Winnow's, if out of memory, and if the program was compiled with a later Winnow, whose
// FilterLoadAlarm is larger.
//
// There is at most one alarm in ten minutes. The conditions are checked once per second, as filters
// are loaded through any of the process's policies, for their sum:
// - at least 64 MiB of filters were reloaded in the last minute (see minute_blocks), each of these
//   filters more than three times on average; a database that is opened three times per minute
//   raises no alarm;
// - or, for slow disks that limit the loads, at least 640 MiB were reloaded in the last ten
//   minutes, five times the size of the filters of that time (filter_bytes), some of it in the last
//   minute, and a block cache that was known all that time has no room for these filters. A cache
//   is known once a database is opened for writing, as for cache_capacity.
//
// The callback is called once per alarm, by the first thread that loads a filter through this
// policy after the alarm. An idle policy may call it up to ten minutes later, so that the call for
// the next alarm may follow soon; after ten minutes it is not called, and only the counters have
// the alarm. A callback of several policies may be called by several threads at once.
//
// The callback runs inside RocksDB, which may hold locks: it must return soon and must not call
// RocksDB, but may call the functions of this header. Its exceptions are dropped. It is not called
// for a deleted policy. The former callback may still be running in another thread when this
// function returns. The callback is kept until the policy, and those that SetOptions made in its
// place, are deleted.
WINNOW_EXPORT bool SetFilterLoadAlarm(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                      std::function<void(const FilterLoadAlarm&)> alarm,
                                      size_t size_of_alarm) noexcept;
WINNOW_HIDDEN inline bool SetFilterLoadAlarm(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy,
    std::function<void(const FilterLoadAlarm&)> alarm) noexcept {
  return SetFilterLoadAlarm(policy, std::move(alarm), sizeof(FilterLoadAlarm));
}

// Returns all counters of the process, including those of rocksdb_policy.h and of
// CurrentFilterLoads(), in Prometheus' text format 0.0.4, to be served as "text/plain;
// version=0.0.4". Names, types and labels are stable; later versions may add some. Empty if out of
// memory.
WINNOW_EXPORT std::string CountersAsPrometheusText() noexcept;

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_FILTER_LOADS_H_
