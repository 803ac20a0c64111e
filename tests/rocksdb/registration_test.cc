// A program that loads the plugin at run time.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/object_registry.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace winnow {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

Status Make(const std::string& text, std::shared_ptr<const FilterPolicy>* policy) {
  ConfigOptions config;
  config.ignore_unsupported_options = false;
  return FilterPolicy::CreateFromString(config, text, policy);
}

TEST(Registration, HappensWhenTheLibraryIsLoadedAndOutlivesItsClosing) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(Make("winnow:10", &policy).IsNotSupported());

  void* const library = dlopen(WINNOW_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  ASSERT_TRUE(Make("winnow:10", &policy).ok());
  EXPECT_STREQ(policy->Name(), "winnow.Filter");

  using Register = int (*)();
  const auto again = reinterpret_cast<Register>(dlsym(library, "winnow_rocksdb_register"));
  ASSERT_NE(again, nullptr);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([again] { EXPECT_EQ(again(), 0); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<std::string> names;
  ConfigOptions().registry->GetFactoryNames(FilterPolicy::Type(), &names);
  EXPECT_EQ(std::count(names.begin(), names.end(), "winnow"), 1);

  ASSERT_EQ(dlclose(library), 0);
  std::shared_ptr<const FilterPolicy> later;
  ASSERT_TRUE(Make("winnow.Filter:12", &later).ok());
  EXPECT_STREQ(later->Name(), "winnow.Filter");
  EXPECT_STREQ(policy->Name(), "winnow.Filter");
}

}  // namespace
}  // namespace winnow
