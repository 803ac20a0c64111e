// A program whose RocksDB reports another version.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <memory>
#include <string>

#include "winnow/rocksdb_policy.h"

namespace ROCKSDB_NAMESPACE {

// The program's definition precedes librocksdb's in symbol resolution.
__attribute__((visibility("default"))) std::string GetRocksVersionAsString(bool with_patch) {
  return with_patch ? "99.1.2" : "99.1";
}

}  // namespace ROCKSDB_NAMESPACE

namespace winnow {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(VersionRefusal, LeavesTheProgramAsItIsAndSaysWhy) {
  ::testing::internal::CaptureStderr();
  void* const library = dlopen(WINNOW_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto again = reinterpret_cast<int (*)()>(dlsym(library, "winnow_rocksdb_register"));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again(), -1);
  EXPECT_EQ(again(), -1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(
      said, AllOf(StartsWith("winnow: "), HasSubstr("99.1.2"),
                  HasSubstr(std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR))));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << "said once";

  ConfigOptions config;
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> policy;
  EXPECT_TRUE(FilterPolicy::CreateFromString(config, "winnow:10", &policy).IsNotSupported());

  using Make = Status (*)(const PolicyOptions*, size_t, std::shared_ptr<const FilterPolicy>*);
  const auto make = reinterpret_cast<Make>(
      dlsym(library,
            "_ZN6winnow15NewFilterPolicyEPKNS_13PolicyOptionsEmPSt10shared_ptrIKN7rocksdb12Filter"
            "PolicyEE"));
  ASSERT_NE(make, nullptr);
  const PolicyOptions options;
  const Status status = make(&options, sizeof options, &policy);
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_THAT(status.ToString(), HasSubstr("99.1.2"));
  EXPECT_EQ(policy, nullptr);
}

}  // namespace
}  // namespace winnow
