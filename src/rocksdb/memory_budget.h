// How many bits a key a file's filter may have, so that all filters of a policy come to the
// option filter_memory.
//
// A key's fair share is what files that stay as they are leave of the memory, by the keys of the
// others. It is the bits_per_key of files on small levels: few keys have many of the chances of a
// false read there, and one file over the whole range without a filter costs as many reads as all
// of the last level. What they take swings from one compaction to the next, and with a level plan
// it is more than their share. So what they took at most, of late, is kept for them, and large
// files have the rest.
//
// Where writes outrun compactions, small levels grow, several of them, and nobody rewrites the
// large files that should give way. So where all together take more than the memory, files of small
// levels get less too, those of level 0 last, down to half of their share. A file of level 0 has a
// filter always, even where the level is not small: it may be there when the level is again.
//
// Small is a level with up to a sixth of all keys (KnownTotals::kMaxOfSmall), and not what lies
// over nothing: the level's number doesn't tell it. A last level that was begun just now has fewer
// keys than the one above; in universal compaction a run that is not the last one may have half of
// the keys; in FIFO compaction and in a load by time all files lie over nothing. A correction of
// the rest alone would come too late there.
//
// Filters of large files were built when the trees were smaller, and live until the files are
// merged: so one gets less than its share where they take more than they may, and more where they
// take less.

#ifndef WINNOW_SRC_ROCKSDB_MEMORY_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_MEMORY_BUDGET_H_

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
  FilterOptions form;  // of the filter by the level plan, but for bits_per_key
};

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
// those that the option may have. As they are where not all files are known. None: no filter, as
// one of the fewest bits has no room. A pure function.
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

#endif  // WINNOW_SRC_ROCKSDB_MEMORY_BUDGET_H_
