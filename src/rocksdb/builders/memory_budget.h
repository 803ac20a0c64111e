// Size of a file's filter with the option filter_memory: the rule's bits (family/family.h), limited
// by the free memory.
//
// Existing filters can't be changed, so files that are not rewritten may leave less room than the
// rule assumes. A file then gets the largest of these: what is left of the memory; most of the
// bytes of the filters that it replaces, so that the sum still falls; and, if it lies over others,
// the rule's bits less some for each per cent of the excess, as one file with few bits on an upper
// level costs more false positives than all others.
//
// A range filter is built if the file's share suffices for it and for a filter of the requested
// bits_per_key, which then gets the rest.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_

#include <rocksdb/env.h>

#include <cstdint>
#include <optional>
#include <string>

#include "src/family/family.h"
#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/known_trees.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// A file whose filter is to be sized.
struct FileToSize {
  double keys = 0;                    // estimated until the file's keys are known
  double bits = 0;                    // log2(1/rate) by the rule
  family::Family::Inputs replaced{};  // files that are merged into it, or an average of such files
  double replaced_there = 0;          // bytes of the replaced filters that count: see SetReplaced
  bool lies_over_others = false;
  bool waits = false;      // true if on level 0, beside others
  FilterOptions form;      // all filter options except bits_per_key
  double range_bytes = 0;  // size of its range filter, if it can have one

  // Sets what the file's job replaces. In leveled compaction, filters of upper levels do not count,
  // as they have many bits for a short time.
  void SetReplaced(const family::Family::Inputs& inputs, bool is_leveled) noexcept {
    replaced = inputs;
    replaced_there = is_leveled ? inputs.bytes_on_level : inputs.bytes;
  }
};

// Returns the estimated size in bytes of a range filter of this many keys; 0 if range_bits is 0.
double RangeBytes(double range_bits, double keys) noexcept;

// filter_memory as bits of filters, and the most that one takes, with a range filter beside it.
struct SharedMemory {
  double bits = 0;
  double most_bits = 0;
};
SharedMemory MemoryOf(const PolicyOptions& policy, const BuildFacts& facts, const KnownTree& known,
                      const family::Family::Totals& files) noexcept;

// Returns the mean number of keys per file, or 10,000 if there are no files.
double MeanKeys(const family::Family::Totals& files) noexcept;

// Returns the options with the largest bits_per_key that fits, within the option's range;
// range_bits is 0 if a range filter does not fit. Returns nullopt, for no filter, if not even the
// smallest one fits. `known` must not include the file. A pure function.
std::optional<PolicyOptions> WithBitsThatFit(const PolicyOptions& asked, const KnownTotals& known,
                                             const FileToSize& file) noexcept;

// Lines in LOGs about a policy's filter_memory. Thread-safe.
class MemoryReport {
 public:
  // Write and WriteWithout write a line to each log at most once in ten minutes. Write logs the
  // state of filter_memory, or that not all files are known; WriteWithout logs a file that gets no
  // filter. `next` is a file of the last level as it would be written now. `logger` may be null.
  // Neither function throws.
  void Write(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
             const KnownTotals& known, const FileToSize& next) noexcept;
  void WriteWithout(ROCKSDB_NAMESPACE::Logger* logger, const PolicyOptions& asked,
                    const KnownTotals& known, const std::string& family, int level) noexcept;

 private:
  LogTimes in_force_;
  LogTimes not_in_force_;
  LogTimes without_;
};

// Return the lines, for a policy with filter_memory.
std::string MemoryLine(const PolicyOptions& asked, const KnownTotals& known,
                       const FileToSize& next);
std::string WithoutLine(const PolicyOptions& asked, const KnownTotals& known,
                        const std::string& family, int level);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_MEMORY_BUDGET_H_
