// Builders of RocksDB's own filters, for a Winnow policy with the option `build`.

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

// Returns OK if Winnow builds the filters, or if this RocksDB can make the built-in policies that
// the options need; else NotSupported with a sentence that names the policy. The other options must
// be valid.
ROCKSDB_NAMESPACE::Status CheckBuild(const PolicyOptions& options);

// Logs a warning if a file may have partitions that RocksDB's MultiGet can't read.
//
// RocksDB cuts the filter of a file where it cuts the index. So if whole_key_filtering is off and
// no key of a partition has a prefix, the partition's filter has no keys. RocksDB's Ribbon builder,
// and from 9.6 on its Bloom builder, then writes no bytes. RocksDB's MultiGet takes such a
// partition for a fault: it aborts, or, built without assertions, finds no key of that partition.
// Winnow's builder always writes bytes.
//
// Warns in the database's LOG, once, if the file may have such partitions and the policy's builder
// writes no bytes for them; `name` is the policy's name in that line. Never throws. Thread-safe.
void WarnOfEmptyPartitions(const ROCKSDB_NAMESPACE::FilterPolicy& policy, const std::string& name,
                           const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

// Makes builders by RocksDB's own policies. Builders refer to these policies, which this object
// owns, so it must outlive its builders, as the policy does that owns it. Thread-safe.
class BuiltinBuilders {
 public:
  // Returns a new builder of the RocksDB policy that the options name; the caller owns it.
  // CheckBuild must have returned OK for these options, and their build must not be Winnow's. If
  // out of memory, returns null ("no filter") and counts this (counters.h).
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const noexcept;

 private:
  // Returns null if RocksDB can't make it.
  const ROCKSDB_NAMESPACE::FilterPolicy* Find(const std::string& name) const;

  mutable std::mutex mutex_;
  // Policies by name, one per bits_per_key that was asked for. Never removed.
  mutable std::map<std::string, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>> policies_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_BUILTIN_BUILDERS_H_
