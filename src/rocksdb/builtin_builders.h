// The builders of RocksDB's own filters, for a policy of ours that is to build these.

#ifndef WINNOW_SRC_ROCKSDB_BUILTIN_BUILDERS_H_
#define WINNOW_SRC_ROCKSDB_BUILTIN_BUILDERS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// NotSupported, with a sentence that names the policy, if this RocksDB can't make the built-in
// policies by which the options' filters are built. OK where these are Winnow's. The options must
// be valid otherwise.
ROCKSDB_NAMESPACE::Status CheckBuild(const PolicyOptions& options);

// RocksDB cuts the filter of a file where it cuts the index, so that a partition has no keys where
// none of its keys has a prefix and whole_key_filtering is off. Its Ribbon builder, and from 9.6 on
// its Bloom builder, makes a filter of no bytes of none, and its MultiGet takes a partition of no
// bytes for a fault: it aborts, or, built without assertions, finds no key of that partition.
// Winnow's builder makes none of no bytes.
//
// Says so in the database's LOG, once, if the file may have such partitions and the policy's
// builder makes them so; `name` is what the line calls the policy. Never throws. Safe from any
// thread.
void WarnOfEmptyPartitions(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const std::string& name,
                           const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// Makes builders by RocksDB's own policies, which it keeps: builders refer to theirs. Must outlive
// the builders, as the policy does that has it. Safe from any number of threads.
class BuiltinBuilders {
 public:
  // The builder of RocksDB's policy of this name and these bits, for the caller to own. The options
  // must be those of a CheckBuild that was OK, and their build not Winnow's. Null, "no filter", if
  // memory is short, which is counted (counters.h).
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const noexcept;

 private:
  // Null if RocksDB can't make it.
  const ROCKSDB_NAMESPACE::FilterPolicy* Find(const std::string& name) const;

  mutable std::mutex mutex_;
  // By name. None is ever removed: there are as many as different bits that were asked for.
  mutable std::map<std::string, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>> policies_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILTIN_BUILDERS_H_
