#include "src/database/describe_policy.h"

#include <rocksdb/convenience.h>

namespace winnow::inspect {

std::string DescribePolicy(const ROCKSDB_NAMESPACE::FilterPolicy& policy) {
  return policy.ToString(ROCKSDB_NAMESPACE::ConfigOptions());
}

}  // namespace winnow::inspect
