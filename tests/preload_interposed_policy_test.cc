#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "src/preload/interposed_policy.h"

namespace winnow::preload {
namespace {

using rocksdb::FilterPolicy;
using Policy = std::shared_ptr<const FilterPolicy>;

// The environment is read once in a process.
[[maybe_unused]] const int environment_is_set = ::setenv("WINNOW_POLICY", "winnow:10", 1);

// This program replaces none of RocksDB's functions.
Policy Stock(const std::string& text) {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  Policy policy;
  EXPECT_TRUE(FilterPolicy::CreateFromString(config, text, &policy).ok()) << text;
  return policy;
}

// Somebody's policy with the name of a built-in one, as the C API makes.
class Wrapper final : public FilterPolicy {
 public:
  const char* Name() const override { return "bloomfilter"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice&) const override {
    return nullptr;
  }
};

TEST(InterposedPolicyTest, IsTheBuiltinOneInAllThatIsWrittenDown) {
  for (const char* id : {"bloomfilter:10:false", "bloomfilter:9.9:false", "ribbonfilter:10:-1"}) {
    const Policy stock = Stock(id);
    const Policy interposed = Interpose(stock);
    ASSERT_NE(interposed, stock) << id;
    EXPECT_STREQ(interposed->Name(), stock->Name()) << id;
    EXPECT_EQ(interposed->GetId(), id);
    EXPECT_STREQ(interposed->CompatibilityName(), stock->CompatibilityName()) << id;
    const rocksdb::ConfigOptions config;
    EXPECT_EQ(interposed->ToString(config), stock->ToString(config)) << id;
    std::string mismatch;
    EXPECT_TRUE(interposed->AreEquivalent(config, stock.get(), &mismatch)) << id << mismatch;
    EXPECT_TRUE(stock->AreEquivalent(config, interposed.get(), &mismatch)) << id << mismatch;
  }
}

TEST(InterposedPolicyTest, IsInterposedOnlyOnce) {
  const Policy once = Interpose(Stock("bloomfilter:10:false"));
  EXPECT_EQ(Interpose(once), once);
  const std::unique_ptr<const FilterPolicy> raw(Interpose(rocksdb::NewRibbonFilterPolicy(10)));
  EXPECT_EQ(Interpose(raw.get()), raw.get());
}

TEST(InterposedPolicyTest, LeavesOtherPoliciesAlone) {
  const Policy none;
  EXPECT_EQ(Interpose(none), nullptr);
  const Policy reader = Stock("rocksdb.BuiltinBloomFilter");
  EXPECT_EQ(Interpose(reader), reader);
  const Policy wrapper = std::make_shared<const Wrapper>();
  EXPECT_EQ(Interpose(wrapper), wrapper);
}

// RocksDB's own casts ask for a class by its name and go inwards.
TEST(InterposedPolicyTest, IsNotTakenForAnObjectOfTheBuiltinClass) {
  const Policy stock = Stock("bloomfilter:10:false");
  const Policy interposed = Interpose(stock);
  for (const char* name : {"bloomfilter", "rocksdb.internal.BloomLikeFilter"}) {
    EXPECT_TRUE(stock->IsInstanceOf(name));
    EXPECT_FALSE(interposed->IsInstanceOf(name));
  }
  EXPECT_EQ(interposed->Inner(), stock.get());
}

TEST(AddedPolicyTest, IsNullInOptionsAndBuiltinInFiles) {
  const Policy added = NewAddedPolicy();
  EXPECT_EQ(added->ToString(rocksdb::ConfigOptions()), "nullptr");
  EXPECT_STREQ(added->Name(), "bloomfilter");
  EXPECT_STREQ(added->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
}

}  // namespace
}  // namespace winnow::preload
