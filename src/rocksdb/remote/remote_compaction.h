// Gives a compaction worker what is known of its tree (winnow/rocksdb_remote_compaction.h).

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

// For the worker's LOG.
struct JobLine {
  std::string text;
  bool is_warning = false;
};

// Gives the trees of a policy with these options what the texts (see PrepareOpenAndCompact) say of
// the column family. If filters depend on trees and no text is of this family, the line is a
// warning, which also goes to stderr if there are texts. May throw std::bad_alloc.
JobLine RestoreTree(const PolicyOptions& options, const std::string& texts,
                    const std::string& family, KnownTrees* trees);

// The order of the job's keys, which is known where the worker was given the comparator that the
// database has. May throw std::bad_alloc.
KeyOrder OrderOf(const JobOptions& job, const ROCKSDB_NAMESPACE::Comparator* given);

// A policy of a job, which builds Winnow's filters under another name.
class JobPolicy : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // For IsInstanceOf.
  static const char* JobClassName() { return "winnow.internal.JobPolicy"; }

  // Calls RestoreTree once, before it builds filters of the job. The first log that it gets will
  // have the line.
  virtual void TellOfTree(const std::string& texts, const std::string& family) const = 0;

  // Does what Policy::SetJob does.
  virtual void SetJob(const std::string& family, KeyOrder order) const = 0;
};

// Null if it is not such a policy.
inline const JobPolicy* AsJobPolicy(const ROCKSDB_NAMESPACE::FilterPolicy* policy) {
  const bool is_one = policy != nullptr && policy->IsInstanceOf(JobPolicy::JobClassName());
  return is_one ? static_cast<const JobPolicy*>(policy) : nullptr;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_
