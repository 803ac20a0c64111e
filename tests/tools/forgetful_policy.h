// A faulty filter policy that loses keys.

#ifndef WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_
#define WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

namespace winnow::testing {

// Returns a policy whose builders work like those of `inner`, but omit the key `forgotten`.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> ForgetfulPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> inner, const std::string& forgotten);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_
