// How many bits a key a file's filter may have, so that all filters of a policy together take the
// memory of the option filter_memory.
//
// Existing filters can't be changed: only new files can take more or less. So each new file gets a
// share, and the shares are corrected by what all filters take now, as a proportional controller
// does. The method is ours; `tune_levels --filter_memory` prints how closely it holds the memory.
//
// A fair share, in bytes a key, is the memory that files that stay leave, divided by the keys of
// all other files.
//
// Small levels come first. They have few keys, but a lookup asks them as often as the last level: a
// file over the whole key range without a filter costs as many false reads as the whole last level.
// So their files get the fair share as their bits_per_key, and a level plan's bits on top. What
// small levels take swings from one compaction to the next. So the most that they took lately is
// kept free for them, and large files get the rest.
//
// Large files: their filters were built when the trees were smaller, and live until the files are
// merged. So a new large file gets less than its share if large files take more than they may, and
// more if they take less.
//
// Where writes outrun compactions, small levels grow, and the large files that should give memory
// back are not rewritten. So if all filters together take more than the memory, files of small
// levels get less, too, level 0 last, down to half of their share. A file of level 0 always has a
// filter, even if that level is large: the file may be there when it is small again.
//
// With level_plan=learned, a column family has a share of its own (trees/family_shares.h), from
// lookups.
//
// A range filter is built where what a file may have is enough for it and for a filter of the
// bits_per_key that were asked for, which then gets the rest.
//
// A level is small if it has up to a sixth of all keys (KnownTotals::kMaxOfSmall). Files that lie
// over nothing never count as small. The level's number does not tell: a last level that was just
// begun has fewer keys than the one above, a run of universal compaction that is not the last may
// have half of the keys, and in FIFO compaction and in a load by time no file lies over others.
// Correcting only the rest would come too late in such trees.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_

#include <rocksdb/env.h>

#include <cstdint>
#include <optional>
#include <string>

#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/rocksdb/trees/live_files.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// A file whose filter is to be sized.
struct FileToSize {
  double keys = 0;           // about, where they are not known yet
  LiveFiles::Sums replaced;  // files that are merged into it; an average likewise
  // Of LiveFiles::Sums: the last one for a file that lies over nothing.
  static constexpr size_t kLast = LookupSamples::kLevels - 1;
  size_t level = kLast;
  // Whether files that have no filter might get one: not where the last level needs none. Then no
  // level is small.
  bool all_have_filters = true;
  FilterOptions form;      // of the filter by the level plan, but for bits_per_key
  double range_bytes = 0;  // of its range filter, if it can have one
};

// What a range filter of so many keys takes, about; 0 if range_bits is.
double RangeBytes(double range_bits, double keys) noexcept;

// One of a tree that has these files, before its keys are known: like the others on an average.
FileToSize FileBeforeItsKeys(const FilterOptions& form, const BuildFacts& facts,
                             const LiveFiles::Sums& tree) noexcept;

struct Fit {
  double bytes;          // 0 and more
  bool is_share;         // bytes are what bits_per_key is to give without a plan, else with it
  bool may_have_fewest;  // bits, where the bytes are less
};
// What the file's filter may have; `known` is without it. A pure function.
Fit FitOf(uint64_t filter_memory, const KnownTotals& known, const FileToSize& file) noexcept;

// The policy's options for the file: where it has filter_memory, bits_per_key is what fits, of
// those that the option may have. A range filter gives way first: range_bits is 0 where it has no
// room beside a filter of bits_per_key as it was asked for, else the rest is what fits. As they are
// where not all files are known. None: no filter, as one of the fewest bits has no room. A pure
// function.
std::optional<PolicyOptions> WithBitsThatFit(const PolicyOptions& asked, const KnownTotals& known,
                                             const FileToSize& file) noexcept;

// What a LOG says of a policy's filter_memory; without, nothing. Safe from any thread.
class MemoryReport {
 public:
  // Writes a line to each log at most once in ten minutes, and so one that not all files are known.
  // Null is allowed. Never throws.
  void Write(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
             const KnownTotals& known) noexcept;

 private:
  LogTimes in_force_;
  LogTimes not_in_force_;
};

// The line, of a policy with filter_memory.
std::string MemoryLine(const PolicyOptions& asked, const KnownTotals& known);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_
