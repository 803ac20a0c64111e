// A program that is linked with the plugin by --as-needed and calls none of its functions.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <memory>

namespace winnow {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;

TEST(RegisterAtLoad, LinkingIsEnough) {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(FilterPolicy::CreateFromString(config, "winnow:10", &policy).ok());
  EXPECT_STREQ(policy->Name(), "winnow.Filter");
}

}  // namespace
}  // namespace winnow
