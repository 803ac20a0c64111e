#include "db_bench_ext/filter_bench/plugin_library.h"

#include <gtest/gtest.h>

#include <memory>

namespace winnow::bench {
namespace {

TEST(PluginLibraryTest, APolicyIsOfTheCopyOfTheLibraryThatMakesIt) {
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policies[2];
  for (auto& policy : policies) {
    const absl::StatusOr<PluginLibrary> library = PluginLibrary::Open("one=" WINNOW_PLUGIN);
    ASSERT_TRUE(library.ok()) << library.status();
    ASSERT_TRUE(library->NewPolicy("bits_per_key=10", &policy).ok());
  }
  // The name is in the library.
  EXPECT_STREQ(policies[0]->Name(), policies[1]->Name());
  EXPECT_NE(policies[0]->Name(), policies[1]->Name());
}

TEST(PluginLibraryTest, AnotherFileIsRefused) {
  EXPECT_FALSE(PluginLibrary::Open("one").ok());
  EXPECT_FALSE(PluginLibrary::Open("one=/no/such/file").ok());
  EXPECT_FALSE(PluginLibrary::Open("one=/proc/self/exe").ok());
}

}  // namespace
}  // namespace winnow::bench
