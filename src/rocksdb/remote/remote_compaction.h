// State of a tree for a compaction worker (winnow/rocksdb_remote_compaction.h).

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_

#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>

#include <string>

#include "src/rocksdb/ranges/key_order.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

class KnownTrees;
struct JobOptions;

// Line for the worker's LOG.
struct JobLine {
  std::string text;
  bool is_warning = false;
};

// Restores, for a policy with these options, the state of the column family from `texts` (see
// PrepareOpenAndCompact). If filters depend on trees and no text is of this family, the line is a
// warning, which also goes to stderr if there are texts. May throw std::bad_alloc.
JobLine RestoreTree(const PolicyOptions& options, const std::string& texts,
                    const std::string& family, KnownTrees* trees);

// Returns the order of the job's keys, which is known if the worker was given the database's
// comparator. May throw std::bad_alloc.
KeyOrder OrderOf(const JobOptions& job, const ROCKSDB_NAMESPACE::Comparator* given);

// Policy of a job that builds Winnow's filters under another name.
class JobPolicy : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // Name for IsInstanceOf.
  static const char* JobClassName() { return "winnow.internal.JobPolicy"; }

  // Calls RestoreTree once, before this policy builds filters of the job. The first log that the
  // policy gets will have the line.
  virtual void TellOfTree(const std::string& texts, const std::string& family) const = 0;

  // Sets the job, like Policy::SetJob.
  virtual void SetJob(const std::string& family, KeyOrder order) const = 0;
};

// Returns null if the policy is not a JobPolicy.
inline const JobPolicy* AsJobPolicy(const ROCKSDB_NAMESPACE::FilterPolicy* policy) {
  const bool is_one = policy != nullptr && policy->IsInstanceOf(JobPolicy::JobClassName());
  return is_one ? static_cast<const JobPolicy*>(policy) : nullptr;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_
