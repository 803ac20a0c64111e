// The filter that a policy would build for a file of a tree that exists: by the policy itself,
// which is told what a database would tell it.

#ifndef WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_
#define WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/database/tree_shape.h"

namespace winnow::inspect {

// Where in its tree a file lies, as far as policies learn it.
struct TreePlace {
  int level = -1;           // -1: not known
  bool bottommost = false;  // nothing lies below in its range of keys
  int base = -1;            // the first level below 0 that has files; -1: none
  int depth = -1;           // the last level that has files; -1: none below level 0
  // The first level below with something in its range, where what nothing lies below counts as on
  // the last level; of a flush that lies over another one, the base. -1: none.
  int below = -1;
};

// A policy by its options string, as "winnow:10"; null, and *problem says why, where there is none
// of that name.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> PolicyOfText(const std::string& text,
                                                                    std::string* problem);

// The blocks of the filter that the policy builds for a file of this place, one of each list of
// keys or prefixes: a whole filter, or partitions. None where it builds no filter. The policy is
// made anew, so that no other file decides.
std::vector<std::string> TrialBlocks(const std::string& policy, const TreeShape& shape,
                                     const TreePlace& place,
                                     const std::vector<std::vector<std::string>>& keys);

// The filter block that the policy builds of so many made-up keys, empty where it builds none.
std::string TrialBlock(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                       uint64_t keys);

// The number of keys for which such a filter has room in so many bytes; 0 where there is none.
uint64_t TrialKeysWithin(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                         uint64_t bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_
