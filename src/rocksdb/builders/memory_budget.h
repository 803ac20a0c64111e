// The filter of a file with the option filter_memory: what the rule gives it
// (trees/memory_rates.h), as far as there is room.
//
// Existing filters can't be changed, so that those of files which are not rewritten may leave less
// room than the rule counts with. A file then gets what is left of the memory, or one of these, if
// it is more: most of what the filters had that it replaces, so that the sum still falls, and the
// rule's bits less some for each per cent of the excess, as one file with few bits on an upper
// level costs more false reads than all others.
//
// A range filter is built where what a file may have is enough for it and for a filter of the
// bits_per_key that were asked for, which then gets the rest.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_

#include <rocksdb/env.h>

#include <cstdint>
#include <optional>
#include <string>

#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/rocksdb/trees/memory_rates.h"
#include "src/rocksdb/trees/tree_files.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// A file whose filter is to be sized.
struct FileToSize {
  double keys = 0;            // about, where they are not known yet
  double bits = 0;            // log2(1/rate) by the rule
  TreeFiles::Sums replaced;   // files that are merged into it; an average likewise
  double replaced_there = 0;  // bytes of their filters, as SetReplacedThere has it
  bool lies_over_others = false;
  bool waits = false;      // on level 0, beside others
  FilterOptions form;      // but for bits_per_key
  double range_bytes = 0;  // of its range filter, if it can have one

  // Sets replaced_there of a file on this level (TreeFiles::LevelIndex). In leveled compaction
  // upper levels do not count, as they have many bits for a short time.
  void SetReplacedThere(bool is_leveled, int level) noexcept {
    replaced_there = is_leveled ? replaced.levels[static_cast<size_t>(level)].filter_bytes
                                : replaced.filter_bytes;
  }
};

// The bytes of a range filter of so many keys, about; 0 if range_bits is.
double RangeBytes(double range_bits, double keys) noexcept;

// The arguments of MemoryRates::Log2LambdaOf for a file of this tree. mean_keys: of all trees'
// files. tree: null: unknown.
MemoryRates::Asked AskedFor(const PolicyOptions& policy, const BuildFacts& facts,
                            const KnownTree& known, TreeRecord* tree, double mean_keys);

// The mean number of keys of a file, 10,000 without files.
double MeanKeys(const TreeFiles::Sums& files) noexcept;

// bits_per_key by what fits, of those that the option may have; range_bits is 0 where a range
// filter has no room. None: no filter, as one of the fewest bits has no room. `known` is without
// the file. A pure function.
std::optional<PolicyOptions> WithBitsThatFit(const PolicyOptions& asked, const KnownTotals& known,
                                             const FileToSize& file) noexcept;

// The lines of a LOG about a policy's filter_memory; without, none. Safe from any thread.
class MemoryReport {
 public:
  // Writes a line to each log at most once in ten minutes, and so one that not all files are known,
  // and one of a file that gets no filter. `next`: a file of the last level as it would be written
  // now. `trees`: that these totals are of, which say what stays; null: nothing does. A null logger
  // is allowed. Never throws.
  void Write(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
             const KnownTotals& known, const FileToSize& next,
             KnownTrees* trees = nullptr) noexcept;
  void WriteWithout(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
                    const KnownTotals& known, const std::string& family, int level) noexcept;

 private:
  LogTimes in_force_;
  LogTimes not_in_force_;
  LogTimes without_;
};

// The lines, of a policy with filter_memory.
std::string MemoryLine(const PolicyOptions& asked, const KnownTotals& known,
                       const FileToSize& next);
std::string WithoutLine(const PolicyOptions& asked, const KnownTotals& known,
                        const std::string& family, int level);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_
