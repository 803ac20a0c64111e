// Filters that a policy is made to build, to see what it would do.

#ifndef WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_
#define WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// A filter that the policy built.
struct PolicyTrial {
  std::string situation;                // "flush", "compaction", "ingested file"
  int level = -1;                       // that the file is written to; -1 for an ingested file
  uint64_t keys = 0;                    // added
  std::optional<FilterSummary> filter;  // unset: the policy builds none in this situation

  template <typename Code>
  void Fields(Code& code) {
    code(situation, level, keys, filter);
  }
};

// The last level of a tree that RocksDB makes with its default options.
inline constexpr int kLastTrialLevel = 6;

// A file that somebody thinks of.
struct TrialFile {
  uint64_t keys = 0;
  int level = kLastTrialLevel;  // that it is written to; 0 for a flush
};

// A full tree with the filters of by_level: levels 1 to kLastTrialLevel, each with size_ratio times
// the keys of the one above.
struct PolicyTree {
  double size_ratio = 10;
  double bits_per_key = 0;  // of all filters
  double false_reads = 0;   // expected of a lookup of an absent key; a level without filters is one
};

// Outputs of a compaction to the last level, with 100 to a million keys.
std::vector<PolicyTrial> TryKeyCounts(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Files of this many keys from a flush, from compactions to each level, and from SstFileWriter: in
// a tree that has keys of all their range on levels 1 to kLastTrialLevel, as a plan by level takes
// that into account.
std::vector<PolicyTrial> TryLevels(const ROCKSDB_NAMESPACE::FilterPolicy& policy, uint64_t keys);

// One file in such a tree.
PolicyTrial TryFile(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const TrialFile& file);

// Returns what a tree with the filters of TryLevels takes and reads. Its ratio is the policy's own,
// or else RocksDB's default.
PolicyTree SumOfTree(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                     const std::vector<PolicyTrial>& by_level);

// Returns whether the policy's reader denies absent keys of a Winnow filter.
bool ReadsWinnow(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_
