// State of a tree for a compaction worker (winnow/rocksdb_remote_compaction.h).

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_

#include <rocksdb/comparator.h>

#include <string>

#include "src/rocksdb/ranges/key_order.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

class Engine;
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

// Tells a policy, before it builds filters of the job, about the tree and the order of keys; the
// policy is told of one tree only. Its first log will have RestoreTree's line. `engine` may be
// null. May throw std::bad_alloc.
void TellOfTree(Engine* engine, const std::string& texts, const std::string& family);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_REMOTE_COMPACTION_H_
