// Which filters RocksDB loads through a policy of Winnow, and whether it loads the same ones again
// and again, as where a block cache has no room for them.
//
// RocksDB asks a policy for a reader each time that a filter block comes into its block cache, and,
// where filters lie outside the cache, each time that a table is opened. Each of these is a load
// here. Lookups are not counted, and cost nothing more; a load costs less than 100 ns more.
//
// Where the same filters are loaded again and again, there is an alarm: with WINNOW_LOG=1 in the
// environment stderr has a line at once, and for ten minutes from then on
// - a function of the program's (SetFilterLoadAlarm) is called when the next filter is loaded
//   through its policy: at once, if that is the busy one;
// - a database's LOG gets the line at the same time, where the preload or a listener
//   (rocksdb_listener.h, from the first flush or compaction on) showed it to the policy; else when
//   the next filter is built.
//
// Policies whose column families share a block cache have their alarms together, as filters of all
// of them push each other out: an OPTIONS file makes a policy for each family. One through which
// nothing is loaded for a while has its call, and its LOG the line, so much later.
//
// A load may have another cause than a small cache, which RocksDB does not tell: a table that is
// opened again (max_open_files, DB::VerifyChecksum), a database that is, files that are mapped into
// memory (allow_mmap_reads), a secondary cache, from which a block comes without being read from a
// file, and from RocksDB 8.3 on reads with fill_cache=false. The alarm names those that can be the
// cause by what is known of the cache and the options.
//
// Needs NewFilterPolicy's library (rocksdb_policy.h), of whose policies it speaks, in options
// strings and of the preload too. A program that has it twice, linked and preloaded, reads the
// figures of one of them. All functions are safe from any thread, throw nothing, and may be called
// while databases are in use.

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

// Bytes are those of the filter blocks, uncompressed. The ticker
// rocksdb.block.cache.filter.bytes.insert has what memory was allocated for them, some per cent
// more where they are small, and no blocks that are not put into the cache.
//
// A filter is known by a hash: of Winnow's tail, with the checksum of all its bytes, or of some 200
// bytes of RocksDB's own. Two filters of the same keys, as of a database and its copy, are one.
//
// It grows (winnow/version.h).
struct FilterLoads {
  // Loaded since the policy was made, or in its place the one before it (SetOptions).
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  // Reloads among these: loads of filters that were loaded already in the ten minutes before.
  uint64_t blocks_again = 0;
  uint64_t bytes_again = 0;

  // The same in the last minute, which begins 55 to 60 s ago.
  uint64_t minute_blocks = 0;
  uint64_t minute_bytes = 0;
  uint64_t minute_blocks_again = 0;
  uint64_t minute_bytes_again = 0;
  uint64_t minute_filters_again = 0;  // different ones among minute_blocks_again

  // Different filters that were loaded in the last ten minutes, and what they take: what a cache
  // would need for them all, besides data. Filters that stayed in the cache all that time are not
  // among them; those of files that compactions have deleted since are.
  uint64_t filters = 0;
  uint64_t filter_bytes = 0;
  uint64_t largest_filter_bytes = 0;

  // 1: all filters are known one by one, up to 100,000 of ten minutes. Of more, those of one in
  // 2, 4, … are, by their hash, and what is said of filters, and loads again, is that many times
  // what they have. It does not fall again.
  uint64_t counted_one_of = 1;
  // Loads of filters that could not be remembered, as memory was short: not known whether again.
  uint64_t blocks_unknown = 0;

  uint64_t alarms = 0;       // so often was there one
  uint64_t meter_bytes = 0;  // memory that these figures take; up to 7 MiB

  // Since 1.1: as minute_bytes_again, in the last ten minutes, which begin 9 to 10 minutes ago.
  uint64_t ten_minutes_bytes_again = 0;
};

// Sets as many bytes of *loads as are told, for the functions below.
WINNOW_EXPORT bool FillFilterLoads(const ROCKSDB_NAMESPACE::FilterPolicy* policy,
                                   FilterLoads* loads, size_t size) noexcept;

// Sets *loads to those of this policy, and of the ones before it in whose place SetOptions made it.
// False, and *loads is as new, where it is none of Winnow's. May take a millisecond with 100,000
// filters.
WINNOW_HIDDEN inline bool CurrentFilterLoads(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                             FilterLoads* loads) noexcept {
  *loads = FilterLoads();
  return FillFilterLoads(&policy, loads, sizeof *loads);
}

// The sums over all policies of the process, those that are gone included; of largest_filter_bytes
// and counted_one_of, the largest. A filter that two policies read counts twice, an alarm that
// policies have together once.
WINNOW_HIDDEN inline FilterLoads CurrentFilterLoads() noexcept {
  FilterLoads loads;
  FillFilterLoads(nullptr, &loads, sizeof loads);
  return loads;
}

// Lives as long as the call. It grows at the end of `loads`, which is last (winnow/version.h): a
// program sees of it what it was compiled with.
struct FilterLoadAlarm {
  // For people: "filters read through this policy take 412 MiB; in the last 60 s 1.9 GiB of them
  // were read again, each 5 times: the block cache (256 MiB, full) has no room for them; …". Where
  // policies share a cache, of all of them that loaded filters, with the folders of their databases
  // as far as they are known: the same for each, and as it was when the alarm was raised. The other
  // members are of this policy, as it is at the call.
  std::string text;
  // Bytes, of the block caches of the policy's column families, as far as they are known; 0: none
  // is. They are known from the opening of a database to be written on, of the preload also of
  // others, and else from the first filter that is built.
  uint64_t cache_capacity = 0;
  uint64_t cache_usage = 0;
  FilterLoads loads;
};

// From now on calls the function when there is an alarm; an empty function: none. False where the
// policy is not Winnow's, where memory is short, and where the program was compiled with a later
// Winnow, whose FilterLoadAlarm is larger.
//
// A policy has at most one alarm in ten minutes. Once a second, as filters are loaded, it is looked
// whether there is one:
// - where at least 64 MiB of filters were loaded again in the last minute (see minute_blocks), each
//   of these filters more than three times on average: a database that is opened thrice a minute
//   has none;
// - or where lookups wait for the disk, and load less: at least 640 MiB were loaded again in the
//   last ten minutes, five times what the filters of that time take (filter_bytes), some of it in
//   the last minute, and a block cache that was known all that time has no room for them.
//
// Policies whose families share a cache count together, and so do those that share one with a third
// policy; one of them that reaches the bounds alone is enough. A cache is known from the opening of
// a database to be written on, as cache_capacity is.
//
// The function is called once for an alarm, by the first thread that loads a filter through this
// policy after it. Where the policy is idle, as one of several that share a cache may be, that is
// up to ten minutes later, and the call for the next alarm may follow soon; after ten minutes there
// is no call, and the figures alone have the alarm. A function that several policies have may be
// called by several threads at once.
//
// It is called from inside of RocksDB, which may hold locks: it must return soon and must not call
// RocksDB. It may call the functions of this header. What it throws is dropped. It is not called
// for a policy that is gone. It may still be running in another thread when this returns. It is
// kept until the policy is gone, and those that SetOptions made in its place.
WINNOW_EXPORT bool SetFilterLoadAlarm(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                      std::function<void(const FilterLoadAlarm&)> alarm,
                                      size_t size_of_alarm) noexcept;
WINNOW_HIDDEN inline bool SetFilterLoadAlarm(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy,
    std::function<void(const FilterLoadAlarm&)> alarm) noexcept {
  return SetFilterLoadAlarm(policy, std::move(alarm), sizeof(FilterLoadAlarm));
}

// All counters of the process, those of rocksdb_policy.h and of CurrentFilterLoads() among them, in
// Prometheus' text format 0.0.4: for whoever serves them as "text/plain; version=0.0.4". Names,
// types and labels are a contract; later versions may add some. Empty where memory is short.
WINNOW_EXPORT std::string CountersAsPrometheusText() noexcept;

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_FILTER_LOADS_H_
