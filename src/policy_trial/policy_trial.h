// Filters that a policy is made to build, to see what it would do.

#ifndef WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_
#define WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_

#include <rocksdb/filter_policy.h>

#include <vector>

#include "src/policy_trial/policy_check.h"

namespace winnow::inspect {

// Outputs of a compaction to the last level, with 100 to a million keys.
std::vector<PolicyTrial> TryKeyCounts(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Files of this many keys from a flush, from compactions to each level, and from SstFileWriter: in
// a tree that has keys of all their range on levels 1 to kLastTrialLevel, as a plan by level takes
// that into account.
std::vector<PolicyTrial> TryLevels(const ROCKSDB_NAMESPACE::FilterPolicy& policy, uint64_t keys);

// One file in such a tree.
PolicyTrial TryFile(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const TrialFile& file);

// What a tree with the filters of TryLevels takes and reads. Its ratio is the policy's own, or else
// RocksDB's default.
PolicyTree SumOfTree(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                     const std::vector<PolicyTrial>& by_level);

// Whether the policy's reader denies absent keys of a Winnow filter.
bool ReadsWinnow(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_POLICY_TRIAL_H_
