// A filter policy that keeps the filter blocks RocksDB hands it instead of asking them.

#ifndef WINNOW_SRC_SST_CAPTURE_POLICY_H_
#define WINNOW_SRC_SST_CAPTURE_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>
#include <vector>

namespace winnow::inspect {

// The blocks, in the order in which RocksDB read them. Of use to one reading thread at a time.
using CapturedBlocks = std::vector<std::string>;

// Reads what RocksDB's built-in policies and Winnow read, which share the name by which files refer
// to their filters; its readers answer "may match" to everything, and it builds no filters. *blocks
// must live as long as the policy.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewCapturePolicy(CapturedBlocks* blocks);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_CAPTURE_POLICY_H_
