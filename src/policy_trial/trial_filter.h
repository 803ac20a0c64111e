// The filter that a policy would build for a file of a tree that exists: by the policy itself,
// which is told what a database would tell it.

#ifndef WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_
#define WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <cstddef>
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

// One file's filter in the making. The policy is made anew, so that no other file decides.
class TrialFilter {
 public:
  TrialFilter(const std::string& policy, const TreeShape& shape, const TreePlace& place);
  ~TrialFilter();
  TrialFilter(TrialFilter&&) noexcept;

  // The policy builds no filter for such a file, or there is no such policy.
  bool IsNone() const;

  // For how many keys a filter of so many bytes has room; 0 where there is none.
  uint64_t KeysWithin(uint64_t bytes) const;

  // The next keys, or prefixes of keys, in the order of the file. Equal neighbours count once.
  void Add(const ROCKSDB_NAMESPACE::Slice* keys, size_t n);

  // What was added since the last call becomes a block of its own: the filter, or a partition.
  void Finish();

  // Those that were finished.
  const std::vector<std::string>& blocks() const { return blocks_; }

 private:
  struct Builder;

  std::unique_ptr<Builder> builder_;
  std::vector<std::string> blocks_;
};

// The filter block that the policy builds of so many made-up keys, empty where it builds none.
std::string TrialBlock(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                       uint64_t keys);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_TRIAL_FILTER_H_
