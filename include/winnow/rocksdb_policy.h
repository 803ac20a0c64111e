// Winnow's filter policy for RocksDB. Of the contract headers only this one, rocksdb_listener.h
// and rocksdb_huge_pages.h name RocksDB.
//
// Linking libwinnow_rocksdb.so or preloading libwinnow_preload.so is enough for
// `filter_policy=winnow:10` in an options string or OPTIONS file; this header is for programs that
// set the policy in code.
//
// RocksDB drops in silence what is wrong with a filter policy in table options and OPTIONS files. A
// bad option of Winnow therefore makes DB::Open fail, with InvalidArgument that names option, value
// and range. SetOptions of an open database changes the options for the files that are written from
// then on; what it refuses leaves them as they were, and RocksDB from 9.8 on, which drops that
// error too, says OK (the database's LOG tells). A misspelt name of the policy, or a Winnow that is
// not loaded, still means no filter: FilterPolicy::CreateFromString with
// ignore_unsupported_options=false tells.

#ifndef WINNOW_ROCKSDB_POLICY_H_
#define WINNOW_ROCKSDB_POLICY_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "winnow/options.h"
#include "winnow/version.h"

namespace winnow {

// Filters that a policy builds: Winnow's or RocksDB's own. It reads both in any case: so a policy
// that builds RocksDB's makes readers of Winnow's filters before anything writes them, and is the
// way back, on which the filters that were written stay in use.
enum class Build : uint8_t {
  kWinnow = 0,        // "winnow"
  kBloomFilter = 1,   // "bloomfilter": those of RocksDB's policy bloomfilter:BITS
  kRibbonFilter = 2,  // "ribbonfilter": those of ribbonfilter:BITS:BLOOM_BEFORE_LEVEL
};

// The kinds of range filters that a policy builds (winnow/range_filter.h).
enum class RangeKind : uint8_t {
  kAuto = 0,       // "auto"
  kPositions = 1,  // "positions"
  kTrees = 2,      // "trees"
  kBoth = 3,       // "both"
};

// A level_size_ratio that is not a number: max_bytes_for_level_multiplier of the column families
// that were opened with the policy where these agree, else 10. "auto" in text.
inline constexpr double kSizeRatioOfFamilies = 0;

// The options of the policy, by the names that an options string uses:
//   filter_policy=winnow:10
//   filter_policy={id=winnow;bits_per_key=10;ribbon_min_keys=50000}
// In text, whole numbers may end in k, m, g or t, for powers of 1024, as in RocksDB's own options;
// sizes also in KiB, MiB, GiB or TiB.
// It grows (winnow/version.h).
struct PolicyOptions {
  // Memory: the filters of a tree take together what they take with level_plan "uniform". There
  // each filter has the rate of a Bloom filter with so many bits a key (winnow/options.h). 1 to 32,
  // fractions count; 10 unless given. filter_memory replaces it.
  double bits_per_key = FilterOptions().bits_per_key;

  // Files (and partitions of a filter) with fewer keys get a Bloom filter, others a Ribbon filter;
  // kRibbonWhereItSaves, which is "auto" in text, unless given.
  uint64_t ribbon_min_keys = FilterOptions().ribbon_min_keys;

  // Files written to a level below this one get a Bloom filter, with RocksDB's meaning of the same
  // option of NewRibbonFilterPolicy: a flush counts as level -1, so that 0 makes Bloom filters for
  // flushes only, and -1 for none; 2147483647 for all files, whatever their level. At least -1; -1
  // unless given.
  int bloom_before_level = FilterOptions().bloom_before_level;

  // Filters to build; Winnow's unless given. RocksDB's own are built by RocksDB, byte for byte as
  // its policy of that name does with these bits_per_key, of which it takes three decimals; a
  // Ribbon policy has this bloom_before_level, with its meaning here (2147483647 means less to
  // RocksDB before 8.7), and ribbon_min_keys is Winnow's alone. With optimize_filters_for_memory, a
  // Ribbon policy's sizes may differ: RocksDB balances rounding over Bloom and Ribbon filters
  // together, here over each kind. Files keep the policy's name, winnow.Filter, in their
  // properties, and a RocksDB without Winnow reads their filters as its own.
  Build build = Build::kWinnow;

  // The rule by which files share the memory; of Winnow's filters only. "uniform" unless given, but
  // "auto" for text, which is an options string or an OPTIONS file.
  //   "auto": a file has the rate lambda * (its keys) / (the tree's keys in its range), with one
  //     lambda for the tree, at which its filters take about the memory of uniform ones. In leveled
  //     compaction, a file that lies over others of which none is known is uniform. One of up to 64
  //     keys, or of more than all others together, goes by its level.
  //   "learned": begins as "auto"; then files that lookups of absent keys reach get the bits of
  //     those that they don't reach. A filter's bytes depend on the lookups that came before it.
  //     Keeps in memory where samples of lookups lie among the keys, and for that the first and the
  //     last keys of some thousand files, whole ones of up to 512 bytes behind what all keys of the
  //     family begin with; the next file after a change of the plan ends that. As "auto" before
  //     there are samples, where a family of the policy has another comparator than RocksDB's
  //     bytewise one, and where keys of many files are not told apart by these 512 bytes: the LOG
  //     then says so, and SampleCounters::files_not_told_apart counts the files.
  //   "by_level": "auto". In version 1.0 it went by levels alone.
  // SstFileWriter and databases without a logger: uniform. Where a plan is not followed, the
  // database's LOG says so.
  LevelPlan level_plan = FilterOptions().level_plan;

  // Keys of a level to those of the one above, 2 to 100, for the plan; kSizeRatioOfFamilies unless
  // given.
  double level_size_ratio = kSizeRatioOfFamilies;

  // The share of lookups whose key is nowhere, 0 to 1, for the plan: see FilterOptions. 1 unless
  // given. At 0, files of the last level have no filters, as with optimize_filters_for_hits.
  double absent_share = FilterOptions().absent_share;

  // In place of bits_per_key: the bytes into which the filters of all column families of the
  // policy, in all its databases, are to fit, whatever the number of their keys; 0, unless given:
  // off. All files share it by one lambda, as those of one tree with level_plan "auto"; with
  // "uniform" they have one rate. Rates rise as the trees grow, from 1/65,536 to that of
  // bits_per_key=1, and then some files have no filters, as the database's LOG says. Rates count
  // for files that are written from then on. So it is aimed at and not a limit: trees that grow by
  // random writes take up to 5 % more at times, and where files hold more and are not rewritten,
  // the LOG says how much. Of Winnow's filters only.
  //
  // It needs to know all live files, of which NewListener of winnow/rocksdb_listener.h tells, in
  // the options of each database of the policy. Until they are known, and without a listener,
  // bits_per_key counts, and the LOG says so.
  uint64_t filter_memory = 0;

  // Bits of range filters, which also tell which scans find nothing in a file: 0, unless given, for
  // none; 1 to 32 is the w of range_kind. They take about w + 2.5 to w + 12 bits a key more. The
  // column family also needs the prefix extractor winnow.range (NewRangeExtractor) and the bytewise
  // comparator. Where a file gets none, the database's LOG says why. With a level_plan other than
  // "uniform", and without filter_memory, it is the mean of a tree's files: small levels have more
  // bits and the last one fewer, by the rule of "auto", whatever lookups there are. Of Winnow's
  // filters only.
  double range_bits = 0;

  // 1, unless given: a filter has a note about its file (src/core/FORMAT.md), by which a process
  // that opens the database later knows the tree without a listener: the tree's id, the beginnings
  // of the file's first and last key, at most 64 bytes together, and why the filter has its rate. A
  // note takes at most 1/64 of its filter; filters in partitions have none, and those of level_plan
  // "uniform" only with range_bits. Every Winnow reads the filter beside it. 0: no notes. Of
  // Winnow's filters only.
  uint64_t tree_notes = 1;

  // The kind of range filters that files get, with range_bits w; "auto" unless given. Since 1.2.
  //   "positions": a scan of a range of L keys in which the file has none reads it in vain with a
  //     probability of at most L / 2^w. For scans that begin close behind a key; of all keys with
  //     some prefix, L is mostly too many. For keys of the length that most of the first ones have;
  //     others are trees.
  //   "trees": for scans of all keys with some prefix, of any length. Nearly all scans that begin
  //     close behind a key read the file.
  //   "both": both, which share w by what scans asked for; in a compaction worker, half each.
  //   "auto": positions where a file's keys have mostly one length and differ in at most 8 bytes;
  //     else trees. Once some 32 ranges are sampled that scans asked of the tree's range filters,
  //     the kind that denies more of them. 128 of them are kept, in memory alone, of at most 64
  //     bytes an end.
  RangeKind range_kind = RangeKind::kAuto;
};

inline constexpr NumberOption<uint64_t> kFilterMemoryOption{
    "filter_memory", 0, std::numeric_limits<uint64_t>::max(), std::nullopt, kBytes};

inline constexpr NumberOption<double> kRangeBitsOption{"range_bits", 0, 32, std::nullopt};

inline constexpr NumberOption<uint64_t> kTreeNotesOption{"tree_notes", 0, 1, std::nullopt};

inline constexpr NamedOption<RangeKind, 4> kRangeKindOption{"range_kind",
                                                            {{{"auto", RangeKind::kAuto},
                                                              {"positions", RangeKind::kPositions},
                                                              {"trees", RangeKind::kTrees},
                                                              {"both", RangeKind::kBoth}}},
                                                            RangeKind::kAuto};

// The one table of the policy's options, as that of FilterOptions in winnow/options.h: calls
// visit(option, member) with the name and the values of each, and the pointer to its field. All
// that reads, checks or shows the policy's options goes by this, in this order.
template <typename Visit>
constexpr void ForEachPolicyOption(const Visit& visit) {
  visit(kBitsPerKeyOption, &PolicyOptions::bits_per_key);
  visit(kRibbonMinKeysOption, &PolicyOptions::ribbon_min_keys);
  visit(kBloomBeforeLevelOption, &PolicyOptions::bloom_before_level);
  // Every reader knows RocksDB's own filters, whatever somebody meant who wrote none of the names.
  visit(NamedOption<Build, 3>{"build",
                              {{{"winnow", Build::kWinnow},
                                {"bloomfilter", Build::kBloomFilter},
                                {"ribbonfilter", Build::kRibbonFilter}}},
                              Build::kBloomFilter},
        &PolicyOptions::build);
  visit(kLevelPlanOption, &PolicyOptions::level_plan);
  visit(NumberOption<double>{kLevelSizeRatioOption.name, kLevelSizeRatioOption.least,
                             kLevelSizeRatioOption.most, kSizeRatioOfFamilies},
        &PolicyOptions::level_size_ratio);
  visit(kAbsentShareOption, &PolicyOptions::absent_share);
  visit(kFilterMemoryOption, &PolicyOptions::filter_memory);
  visit(kRangeBitsOption, &PolicyOptions::range_bits);
  visit(kTreeNotesOption, &PolicyOptions::tree_notes);
  visit(kRangeKindOption, &PolicyOptions::range_kind);
}

// For the function of the same name below.
WINNOW_EXPORT ROCKSDB_NAMESPACE::Status NewFilterPolicy(
    const PolicyOptions* options, size_t size,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Makes a policy. InvalidArgument names the option that is out of range, and the range;
// NotSupported says that the RocksDB that is loaded is not the one this library was built for, or
// has no reader for the built-in filters of existing files, or can't make the built-in policy that
// is to build, or that the program was compiled with more options than the library that is loaded
// has. *policy is then unchanged.
// The policy is safe from any number of threads and may serve any number of column families and
// databases.
WINNOW_HIDDEN inline ROCKSDB_NAMESPACE::Status NewFilterPolicy(
    const PolicyOptions& options, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy) {
  return NewFilterPolicy(&options, sizeof options, policy);
}

// The prefix extractor winnow.range, by which the filters of a policy with range_bits learn the
// bounds of a seek; prefix_extractor=winnow.range in an options string. All keys have the
// empty prefix, so that scans of all modes give the rows that they give without an extractor. A
// scan needs iterate_upper_bound to be filtered, and no mode. Without whole_key_filtering, and with
// a memtable that needs prefixes, the empty prefix is of no use: leave these as they are by
// default. Since 1.1. Safe from any number of threads; may serve any number of column families.
WINNOW_EXPORT std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> NewRangeExtractor();

// The filters of the files that one Get asks, or one MultiGet, share the hash of a key: a thread
// keeps the last keys with their hashes (up to 1024 bytes of each; up to 64 keys of MultiGet, for
// which it then allocates between 5 and 70 KiB, and 2 KiB for keys of more than 64 bytes, until it
// ends). Threads whose lookups ask one or two filters stop that by themselves. The environment
// variable WINNOW_SHARED_HASH=off, looked at once in a process, makes every filter hash the key
// again.

// Lookup counters of this process, over all policies and databases, since it began. It grows
// (winnow/version.h).
struct LookupCounters {
  uint64_t lookups = 0;          // keys asked of Winnow filters, once for each filter
  uint64_t hashes_computed = 0;  // for these
  uint64_t hashes_shared =
      0;  // lookups that needed none: lookups = hashes_computed + hashes_shared
  // Since 1.1: seeks with a bound that range filters were asked for, once for each filter; and of
  // these, those that a filter spared the read of its file.
  uint64_t ranges_asked = 0;
  uint64_t ranges_denied = 0;
};

// Sets as many bytes of *counters as are told, for the function below.
WINNOW_EXPORT void FillLookupCounters(LookupCounters* counters, size_t size) noexcept;

// The sums over all threads, those that ended included. While others look something up, each number
// is one that it had during the call, and none is less than an earlier call's. Threads may lose
// counts where memory is short for the kilobyte that each has. Safe from any thread; takes some
// microseconds for a hundred threads, and costs the lookups nothing. A program that has the library
// twice, linked and preloaded, reads the counters of one of them.
WINNOW_HIDDEN inline LookupCounters CurrentLookupCounters() noexcept {
  LookupCounters counters;
  FillLookupCounters(&counters, sizeof counters);
  return counters;
}

// Counters of level_plan=learned in this process, over all policies and databases. It grows
// (winnow/version.h).
struct SampleCounters {
  uint64_t lookups_sampled = 0;  // since the process began; of a MultiGet, each key is a lookup
  uint64_t filters_learned = 0;  // since then, for which a rate was learned; partitions of one file
                                 // count once
  uint64_t trees_learned = 0;    // column families that got such rates and are remembered now, with
                                 // cuts between their keys
  // Files that got rates of "auto" in place of learned ones, as keys of their column family begin
  // with too many of the same bytes; partitions of one file count once. Since 1.1.
  uint64_t files_not_told_apart = 0;
};

// Sets as many bytes of *counters as are told, for the function below.
WINNOW_EXPORT void FillSampleCounters(SampleCounters* counters, size_t size) noexcept;

// Each number is one that it had during the call. Safe from any thread, never waits, and costs the
// lookups nothing.
WINNOW_HIDDEN inline SampleCounters CurrentSampleCounters() noexcept {
  SampleCounters counters;
  FillSampleCounters(&counters, sizeof counters);
  return counters;
}

}  // namespace winnow

// Registers the policy's name with RocksDB's object registry; for programs that dlopen() the
// library, since linking and preloading do it by themselves. May be called again, from any thread.
// 0, or -1 if the RocksDB that is loaded is not the one this library was built for (or memory is
// short); the reason is then on stderr, once.
extern "C" WINNOW_EXPORT int winnow_rocksdb_register(void);

#endif  // WINNOW_ROCKSDB_POLICY_H_
