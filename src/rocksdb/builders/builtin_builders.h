// The builders of RocksDB's own filters, for a policy of ours that builds these (option `build`).

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_BUILTIN_BUILDERS_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_BUILTIN_BUILDERS_H_

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
// policies that build the options' filters. OK if Winnow builds them. The options must be valid
// otherwise.
ROCKSDB_NAMESPACE::Status CheckBuild(const PolicyOptions& options);

// RocksDB cuts the filter of a file where it cuts the index. So if whole_key_filtering is off and
// no key of a partition has a prefix, the partition's filter has no keys. RocksDB's Ribbon builder,
// and from 9.6 on its Bloom builder, then writes no bytes. Its MultiGet takes such a partition for
// a fault: it aborts, or, built without assertions, finds no key of that partition. Winnow's
// builder always writes bytes.
//
// If the file may have such partitions and the policy's builder writes no bytes for them, says so
// in the database's LOG, once; `name` is the policy's name in that line. Never throws. Safe from
// any thread.
void WarnOfEmptyPartitions(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const std::string& name,
                           const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// Makes builders by RocksDB's own policies. It keeps these, as builders refer to them, and so must
// outlive its builders, as the policy does that owns it. Safe from any number of threads.
class BuiltinBuilders {
 public:
  // The builder of the RocksDB policy that the options name, for the caller to own. CheckBuild must
  // have been OK for these options, and their build not be Winnow's. Null, "no filter", if memory
  // is short, which is counted (counters.h).
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const noexcept;

 private:
  // Null if RocksDB can't make it.
  const ROCKSDB_NAMESPACE::FilterPolicy* Find(const std::string& name) const;

  mutable std::mutex mutex_;
  // By name. None is ever removed: there is one for each bits_per_key that was asked for.
  mutable std::map<std::string, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>> policies_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_BUILTIN_BUILDERS_H_
