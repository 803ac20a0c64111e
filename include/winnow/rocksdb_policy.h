// Winnow's filter policy for RocksDB.
//
// `filter_policy=winnow:10` in an options string or OPTIONS file needs no more than linking
// libwinnow_rocksdb.so or preloading libwinnow_preload.so; this header is for programs that set the
// policy in code.
//
// RocksDB silently ignores errors of a filter policy in table options and OPTIONS files. An invalid
// Winnow option therefore makes DB::Open fail with InvalidArgument, which names the option, the
// value and the range. SetOptions of an open database changes the options of files written from
// then on; invalid options leave the former ones in place, and RocksDB 9.8 and later, which ignores
// this error too, returns OK (the database's LOG has the error). A misspelled policy name, or a
// Winnow that is not loaded, still means no filter, which FilterPolicy::CreateFromString with
// ignore_unsupported_options=false detects.

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

// Filters that a policy builds: Winnow's or RocksDB's own. The policy reads both in any case. A
// policy that builds RocksDB's filters thus prepares readers for Winnow's filters before any is
// written, and is the way back, on which existing filters stay in use.
enum class Build : uint8_t {
  kWinnow = 0,        // "winnow"
  kBloomFilter = 1,   // "bloomfilter": filters of RocksDB's policy bloomfilter:BITS
  kRibbonFilter = 2,  // "ribbonfilter": filters of ribbonfilter:BITS:BLOOM_BEFORE_LEVEL
};

// Kinds of range filters that a policy builds (winnow/range_filter.h).
enum class RangeKind : uint8_t {
  kAuto = 0,       // "auto"
  kPositions = 1,  // "positions"
  kTrees = 2,      // "trees"
  kBoth = 3,       // "both": kAuto since 2.0
  kSingle = 4,     // "single"
};

// Default of level_size_ratio. Its text is "auto".
inline constexpr double kSizeRatioOfFamilies = 0;

// Options of the policy, by their names in an options string:
//   filter_policy=winnow:10
//   filter_policy={id=winnow;bits_per_key=10;ribbon_min_keys=50000}
// Integers in text may end in k, m, g or t, for powers of 1024, as in RocksDB's own options, and
// sizes also in KiB, MiB, GiB or TiB. Later versions may add members (winnow/version.h).
struct PolicyOptions {
  // Memory budget: the filters of a tree take together as much as with level_plan "uniform", where
  // each filter has the false-positive rate of a Bloom filter with this many bits per key
  // (winnow/options.h). 1 to 32, fractions are allowed; default 10. Overridden by filter_memory.
  double bits_per_key = FilterOptions().bits_per_key;

  // Minimum number of keys of a Ribbon filter; files, or partitions of a filter, with fewer keys
  // get a Bloom filter. Default kRibbonWhereItSaves, which is "auto" in text.
  uint64_t ribbon_min_keys = FilterOptions().ribbon_min_keys;

  // Files written to a level below this number get a Bloom filter, as with the same option of
  // NewRibbonFilterPolicy: a flush counts as level -1, so that 0 makes Bloom filters for flushes
  // only, -1 for none and 2147483647 for all files. At least -1; default -1.
  int bloom_before_level = FilterOptions().bloom_before_level;

  // Filters to build; default Winnow's. RocksDB's own filters are built by RocksDB, byte for byte
  // as by its policy of that name with these bits_per_key, of which RocksDB uses three decimals. A
  // Ribbon policy gets this bloom_before_level, with the meaning above (in RocksDB before 8.7,
  // 2147483647 has another meaning); ribbon_min_keys does not apply. With
  // optimize_filters_for_memory, the sizes of a Ribbon policy may differ: RocksDB balances rounding
  // over Bloom and Ribbon filters together, Winnow over each kind. Files have the policy's name,
  // winnow.Filter, in their table properties, and a RocksDB without Winnow reads their filters as
  // its own.
  Build build = Build::kWinnow;

  // Rule by which files share the memory, for Winnow's filters only. Default "auto"; in C++ it was
  // "uniform" before 2.0.
  //   "auto": the filter of a file with k keys has log2(1/rate) = uniform + log2(n / k) - mean,
  //     from 1 to 16, where `uniform` is that of bits_per_key, n the tree's keys in the file's
  //     range, times the lookups of absent keys there relative to other places, and mean that of
  //     log2(n / k) over the tree's keys (src/family/family.h). A filter counts one in 64 to 1,024
  //     of its lookups, at random, so that its bytes depend on earlier lookups. The live files must
  //     be known: by a listener (winnow/rocksdb_listener.h), or without one by the readers of their
  //     filters, with max_open_files=-1 and filters that are neither in the block cache nor in
  //     partitions. Else bits go by level; without levels, and in universal compaction, they are
  //     uniform, and the database's LOG says so. Memory: some 700 bytes a file with keys of 24
  //     bytes; of longer keys, five are kept, of 256 bytes at most.
  //   "learned", "by_level": "auto". Before 2.0, only "learned" learned from lookups.
  // SstFileWriter and databases without a logger use uniform rates.
  LevelPlan level_plan = LevelPlan::kAuto;

  // Without effect since 2.0, but for absent_share=0: then files of the last level of leveled
  // compaction have no filters, as with optimize_filters_for_hits. 2 to 100, or
  // kSizeRatioOfFamilies; and 0 to 1. The database's LOG says what has no effect.
  double level_size_ratio = kSizeRatioOfFamilies;
  double absent_share = FilterOptions().absent_share;

  // Memory in bytes for the filters of all column families of the policy, in all its databases, in
  // place of bits_per_key; default 0: unused. All files share this memory by the rule of "auto";
  // with "uniform" they all have one rate. Rates rise as the trees grow, from 1/65,536 to the rate
  // of bits_per_key=1; after that some files have no filters, which the database's LOG says. New
  // rates apply to files written from then on, so that filter_memory is a target and not a limit:
  // filters keep their sizes until their files are rewritten, and the LOG says by how much they
  // exceed it. For Winnow's filters only.
  //
  // All live files must be known, which requires NewListener (winnow/rocksdb_listener.h) in the
  // options of each database of the policy. Until they are known, and without a listener,
  // bits_per_key applies, and the LOG says so.
  uint64_t filter_memory = 0;

  // Accuracy of range filters, which let scans skip files: 1 to 32, the w of range_kind; default 0:
  // no range filters. They take about w + 0.2 (positions) to w + 15 (trees) more bits per key. The
  // column family also needs the prefix extractor winnow.range (NewRangeExtractor) and the bytewise
  // comparator. If a file gets no range filter, the database's LOG tells the reason. With a
  // level_plan other than "uniform" and without filter_memory, w is the mean over a tree's files:
  // small levels have more bits and the last level fewer, by the rule of "auto", regardless of
  // lookups, once the live files are known. For Winnow's filters only.
  double range_bits = 0;

  // Tree notes, 0 or 1; default 1. A filter then has a note about its file (src/core/FORMAT.md), by
  // which a process that opens the database later knows the tree without a listener: the tree's id,
  // prefixes of the file's first and last key, at most 64 bytes together, and the reason for the
  // filter's rate. A note takes at most 1/64 of its filter. Partitioned filters have no notes, and
  // filters of level_plan "uniform" only with range_bits. All versions of Winnow read a filter with
  // a note. For Winnow's filters only.
  uint64_t tree_notes = 1;

  // Kind of range filters, with range_bits w; default "auto". Since 1.2.
  //   "positions": a scan of a range of L keys that is empty in a file reads the file with a
  //     probability of at most L / 2^w. For scans that begin close behind a key; for scans of all
  //     keys with a prefix, L is mostly too large. For keys of the length that most of the first
  //     keys have; other keys get trees.
  //   "trees": for scans of all keys with a prefix of any length. Nearly all scans that begin close
  //     behind a key read the file.
  //   "auto": positions if a file's keys mostly have one length, differ in at most 8 bytes, and
  //     seem to be one number (winnow/range_filter.h), else trees. Once some 32 ranges of scans of
  //     the tree are sampled, the kind that denies more of them. 128 ranges are kept, in memory
  //     only, with at most 64 bytes per end.
  //   "single": positions, which also answer lookups of keys, at a rate of 2^-w. The file has no
  //     other filter if 2^-w is at most the rate of bits_per_key and all keys have one length.
  //     Other files get both filters, as with "positions", and so do all files with filter_memory
  //     or detect_filter_construct_corruption. Winnow before 1.2 passes all lookups in such files.
  RangeKind range_kind = RangeKind::kAuto;
};

inline constexpr NumberOption<uint64_t> kFilterMemoryOption{
    "filter_memory", 0, std::numeric_limits<uint64_t>::max(), std::nullopt, kBytes};

inline constexpr NumberOption<double> kRangeBitsOption{"range_bits", 0, 32, std::nullopt};

inline constexpr NumberOption<uint64_t> kTreeNotesOption{"tree_notes", 0, 1, std::nullopt};

inline constexpr NamedOption<RangeKind, 5> kRangeKindOption{"range_kind",
                                                            {{{"auto", RangeKind::kAuto},
                                                              {"positions", RangeKind::kPositions},
                                                              {"trees", RangeKind::kTrees},
                                                              {"both", RangeKind::kBoth},
                                                              {"single", RangeKind::kSingle}}},
                                                            RangeKind::kAuto};

// Calls visit(option, member) with the name and values of each policy option, and the pointer to
// its field. The only table of the policy's options, in addition to that of FilterOptions in
// winnow/options.h: all code that reads, checks or shows the options uses it, in this order.
template <typename Visit>
constexpr void ForEachPolicyOption(const Visit& visit) {
  visit(kBitsPerKeyOption, &PolicyOptions::bits_per_key);
  visit(kRibbonMinKeysOption, &PolicyOptions::ribbon_min_keys);
  visit(kBloomBeforeLevelOption, &PolicyOptions::bloom_before_level);
  // All readers know RocksDB's own filters, so these are the fallback for unknown names.
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

// Implementation of the function of the same name below.
WINNOW_EXPORT ROCKSDB_NAMESPACE::Status NewFilterPolicy(
    const PolicyOptions* options, size_t size,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Makes a policy. On error, *policy is unchanged: InvalidArgument names the option that is out of
// range, and the range; NotSupported says that the loaded RocksDB is not the one that this library
// was built for, has no reader for the built-in filters of existing files or can't make the
// built-in policy to build, or that the program was compiled with more options than the loaded
// library has. The policy is thread-safe and may serve any number of column families and databases.
WINNOW_HIDDEN inline ROCKSDB_NAMESPACE::Status NewFilterPolicy(
    const PolicyOptions& options, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy) {
  return NewFilterPolicy(&options, sizeof options, policy);
}

// Returns the prefix extractor winnow.range, through which the filters of a policy with range_bits
// learn the bounds of a seek; in an options string, prefix_extractor=winnow.range. All keys have
// the empty prefix, so that scans of all modes return the same rows as without an extractor. A Seek
// is filtered if it has iterate_upper_bound, but not total_order_seek. The empty prefix is useless
// without whole_key_filtering and with a memtable that needs prefixes: leave these options at their
// defaults. Since 1.1. Thread-safe; may serve any number of column families.
WINNOW_EXPORT std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> NewRangeExtractor();

// The filters that one Get asks share the key's hash: each thread keeps its last key, of up to 1024
// bytes, with its hash, which takes 1.2 KiB until the thread ends. Threads whose lookups ask only
// one or two filters keep none. A MultiGet hashes each key for each file, but keys of more than 32
// bytes once if its files have the same keys; that takes 33 KiB.

// Lookup counters of this process, over all policies and databases, since it began. Later versions
// may add members (winnow/version.h).
struct LookupCounters {
  // Keys asked of Winnow filters, once per filter. Other threads than the caller add theirs each
  // time that one is counted for FilterUse, after at most 1,024 lookups on average, and when they
  // end.
  uint64_t lookups = 0;
  uint64_t hashes_computed = 0;  // lookups that computed the hash
  uint64_t hashes_shared =
      0;  // lookups that reused a hash: lookups = hashes_computed + hashes_shared
  // Seeks with an upper bound that asked range filters, counted once per filter, and those for
  // which a filter saved the read of its file. Since 1.1.
  uint64_t ranges_asked = 0;
  uint64_t ranges_denied = 0;
};

// Sets the first `size` bytes of *counters, for the function below.
WINNOW_EXPORT void FillLookupCounters(LookupCounters* counters, size_t size) noexcept;

// Returns the sums over all threads, including those that ended. During concurrent lookups, each
// number is one that it had during the call, and never decreases between calls. Counts may be lost
// if out of memory for the kilobyte of a thread. Thread-safe; takes some microseconds for a hundred
// threads and costs lookups nothing. A program that has the library twice, linked and preloaded,
// reads the counters of one of them.
WINNOW_HIDDEN inline LookupCounters CurrentLookupCounters() noexcept {
  LookupCounters counters;
  FillLookupCounters(&counters, sizeof counters);
  return counters;
}

// Counters of what the policies of this process learned from lookups. Later versions may add
// members (winnow/version.h).
struct SampleCounters {
  uint64_t lookups_sampled = 0;  // checks of filters that were counted, since the process began
  uint64_t filters_learned = 0;  // filters whose bits lookups changed since the process began; the
                                 // partitions of one file count once
  uint64_t trees_learned = 0;    // 0 since 2.0
  uint64_t files_not_told_apart = 0;  // 0 since 2.0
};

// Sets the first `size` bytes of *counters, for the function below.
WINNOW_EXPORT void FillSampleCounters(SampleCounters* counters, size_t size) noexcept;

// Returns the counters; each number is one that it had during the call. Thread-safe, never blocks,
// and costs lookups nothing.
WINNOW_HIDDEN inline SampleCounters CurrentSampleCounters() noexcept {
  SampleCounters counters;
  FillSampleCounters(&counters, sizeof counters);
  return counters;
}

}  // namespace winnow

// Registers the policy's name with RocksDB's object registry, for programs that dlopen() the
// library; linking and preloading do this by themselves. Idempotent and thread-safe. Returns 0, or
// -1 if the loaded RocksDB is not the one that this library was built for, or if out of memory; the
// reason is then on stderr, once.
extern "C" WINNOW_EXPORT int winnow_rocksdb_register(void);

#endif  // WINNOW_ROCKSDB_POLICY_H_
