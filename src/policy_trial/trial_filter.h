// Filters that a policy would build for a file of an existing tree. Uses the policy itself, with
// the facts that a database would tell it.

#ifndef WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_
#define WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/database/tree_shape.h"

namespace winnow::inspect {

// A file's place in its tree, as far as policies know it.
struct TreePlace {
  int level = -1;           // -1 if not known
  bool bottommost = false;  // true if nothing lies below in its range of keys
  int base = -1;            // first level below 0 that has files; -1 if none
  int depth = -1;           // last level that has files; -1 if none below level 0
  // First level below with keys in its range, where files with nothing below them count as on the
  // last level; for a flush over another one, the base. -1 if none.
  int below = -1;
};

// Sets the facts that RocksDB would tell a policy about a file at this place. The context's family
// and logger are the caller's.
void SetPlace(const TreeShape& shape, const TreePlace& place,
              ROCKSDB_NAMESPACE::FilterBuildingContext* context);

// Makes a policy from its options string with all errors reported, unlike when options are made
// from text. Exceptions of RocksDB become a status. "nullptr" and the like make none.
ROCKSDB_NAMESPACE::Status MakePolicyStrictly(
    const std::string& text, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Makes a policy from its options string, such as "winnow:10". If there is none of that name,
// returns null and sets *problem to the reason.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> PolicyOfText(const std::string& text,
                                                                    std::string* problem);

// Returns the blocks of the filter that the policy builds for a file at this place, one per list of
// keys or prefixes: a whole filter, or partitions. Empty if it builds no filter. A new policy is
// made, so that other files have no influence.
std::vector<std::string> TrialBlocks(const std::string& policy, const TreeShape& shape,
                                     const TreePlace& place,
                                     const std::vector<std::vector<std::string>>& keys);

// Returns the filter block that the policy builds for this many generated keys; empty if it builds
// none.
std::string TrialBlock(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                       uint64_t keys);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_
