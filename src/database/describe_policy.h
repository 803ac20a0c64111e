// A filter policy in words.

#ifndef WINNOW_SRC_DATABASE_DESCRIBE_POLICY_H_
#define WINNOW_SRC_DATABASE_DESCRIBE_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <string>

namespace winnow::inspect {

// The policy with its options, as RocksDB writes it to OPTIONS files: "bloomfilter:10:false".
std::string DescribePolicy(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_DESCRIBE_POLICY_H_
