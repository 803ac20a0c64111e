// Trial filters of a policy.

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
  int level = -1;                       // level of the file; -1 for an ingested file
  uint64_t keys = 0;                    // number of added keys
  std::optional<FilterSummary> filter;  // unset if none is built

  template <typename Code>
  void Fields(Code& code) {
    code(situation, level, keys, filter);
  }
};

// The last level of a tree with RocksDB's default options.
inline constexpr int kLastTrialLevel = 6;

// A hypothetical file.
struct TrialFile {
  uint64_t keys = 0;
  int level = kLastTrialLevel;  // level that it is written to; 0 for a flush
};

// A full tree with the filters of by_level: levels 1 to kLastTrialLevel, each with size_ratio times
// the keys of the one above.
struct PolicyTree {
  double size_ratio = 10;
  double bits_per_key = 0;  // mean over all filters
  double false_reads = 0;   // expected per lookup of an absent key; 1 per level without filters
};

// The functions below build no filters of compaction outputs on the last level unless
// `last_level_has_filters`: RocksDB asks for none there with optimize_filters_for_hits.

// Returns trials of compaction outputs on the last level, with 100 to a million keys.
std::vector<PolicyTrial> TryKeyCounts(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                      bool last_level_has_filters = true);

// Returns trials of files of this many keys from a flush, from compactions to each level, and from
// SstFileWriter, in a tree whose levels 1 to kLastTrialLevel have keys in the whole range, as a
// plan by level requires.
std::vector<PolicyTrial> TryLevels(const ROCKSDB_NAMESPACE::FilterPolicy& policy, uint64_t keys,
                                   bool last_level_has_filters = true);

// Returns a trial of one file in such a tree.
PolicyTrial TryFile(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const TrialFile& file,
                    bool last_level_has_filters = true);

// Returns the memory and false positives of a tree with the filters of TryLevels. Its size ratio is
// the policy's own, or else RocksDB's default.
PolicyTree SumOfTree(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                     const std::vector<PolicyTrial>& by_level);

// Returns whether the policy builds filters in no situation.
bool BuildsNothing(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Returns whether the policy's reader denies absent keys of a Winnow filter.
bool ReadsWinnow(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_
