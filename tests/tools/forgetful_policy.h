// Filter policies of tests: a faulty one that loses keys, and one with the name of RocksDB's.

#ifndef WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_
#define WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

namespace winnow::testing {

// Returns a policy whose builders work like those of `inner`, but omit the key `forgotten`.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> ForgetfulPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> inner, const std::string& forgotten);

// Returns a policy that builds and reads the filters of `inner` under the name of RocksDB's Bloom
// filter policy, as a preloaded library does.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> DisguisedPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> inner);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FORGETFUL_POLICY_H_
