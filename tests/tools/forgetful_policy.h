// A filter policy that loses keys, as no good one does.

#ifndef WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_
#define WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

namespace winnow::testing {

// As `inner`, but its builders never get to know of the key.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> ForgetfulPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> inner, const std::string& forgotten);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_
