#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "src/preload/family_options.h"

namespace winnow::preload {
namespace preload_family_options_test {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyOptions;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// WINNOW_POLICY is read once per process, so it is set before main().
[[maybe_unused]] const int environment_is_set = ::setenv("WINNOW_POLICY", "winnow:10", 1);

const std::string kDatabase = "db";

const BlockBasedTableOptions& TableOf(const ColumnFamilyOptions& options) {
  return *options.table_factory->GetOptions<BlockBasedTableOptions>();
}

// Comparator that treats keys of equal length as equal.
class ByLength final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "winnow.test.ByLength"; }
  int Compare(const rocksdb::Slice& one, const rocksdb::Slice& other) const override {
    return static_cast<int>(one.size()) - static_cast<int>(other.size());
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST(ReasonToLeaveTest, IsNoneForOptionsAsTheyCome) {
  EXPECT_THAT(ReasonToLeave(ColumnFamilyOptions()), IsEmpty());
  ColumnFamilyOptions options;
  options.comparator = rocksdb::ReverseBytewiseComparator();
  EXPECT_THAT(ReasonToLeave(options), IsEmpty());
}

TEST(ReasonToLeaveTest, IsSaidWhereAFilterIsThereOrWouldChangeWhatIsRead) {
  ColumnFamilyOptions other_tables;
  other_tables.table_factory.reset(rocksdb::NewPlainTableFactory());
  EXPECT_THAT(ReasonToLeave(other_tables), HasSubstr("tables of another format"));

  ColumnFamilyOptions no_tables;
  no_tables.table_factory.reset();
  EXPECT_THAT(ReasonToLeave(no_tables), HasSubstr("tables of another format"));

  ColumnFamilyOptions policy;
  BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  policy.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  EXPECT_EQ(ReasonToLeave(policy), "has a filter policy");

  const ByLength comparator;
  ColumnFamilyOptions compared;
  compared.comparator = &comparator;
  EXPECT_THAT(ReasonToLeave(compared), HasSubstr("comparator"));

  ColumnFamilyOptions prefixes;
  prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  EXPECT_THAT(ReasonToLeave(prefixes), HasSubstr("prefix extractor"));
}

TEST(FamilyChangesTest, GiveOptionsAPolicyAndNothingElse) {
  BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  table.block_size = 12345;
  table.cache_index_and_filter_blocks = true;
  ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  const auto* const factory = options.table_factory.get();

  ColumnFamilyOptions changed = options;
  FamilyChanges changes(kDatabase);
  changes.AddPolicy({"default"}, &changed);
  EXPECT_EQ(options.table_factory.get(), factory);
  EXPECT_EQ(TableOf(options).filter_policy, nullptr);
  ASSERT_NE(TableOf(changed).filter_policy, nullptr);
  EXPECT_EQ(TableOf(changed).block_cache, table.block_cache);
  EXPECT_EQ(TableOf(changed).block_size, 12345u);
  EXPECT_TRUE(TableOf(changed).cache_index_and_filter_blocks);
  EXPECT_EQ(changed.table_factory->ToString(rocksdb::ConfigOptions()),
            options.table_factory->ToString(rocksdb::ConfigOptions()));
}

TEST(FamilyChangesTest, FamiliesThatShareATableFactoryGoOnSharingOne) {
  const ColumnFamilyOptions shared;
  const ColumnFamilyOptions own;
  ColumnFamilyOptions prefixes;
  prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  const std::vector<ColumnFamilyDescriptor> families = {
      {"default", shared}, {"second", shared}, {"third", own}, {"prefixes", prefixes}};

  std::vector<ColumnFamilyDescriptor> changed = families;
  FamilyChanges changes(kDatabase);
  for (ColumnFamilyDescriptor& family : changed) changes.AddPolicy({family.name}, &family.options);
  EXPECT_NE(TableOf(changed[0].options).filter_policy, nullptr);
  EXPECT_EQ(changed[0].options.table_factory, changed[1].options.table_factory);
  EXPECT_NE(TableOf(changed[2].options).filter_policy, nullptr);
  EXPECT_NE(changed[0].options.table_factory, changed[2].options.table_factory);
  EXPECT_EQ(changed[3].options.table_factory, prefixes.table_factory);
  for (const ColumnFamilyDescriptor& family : families) {
    EXPECT_EQ(TableOf(family.options).filter_policy, nullptr) << family.name;
  }
}

}  // namespace preload_family_options_test
}  // namespace winnow::preload
