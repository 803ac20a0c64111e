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
