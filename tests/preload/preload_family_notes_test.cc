// Notes on column families that Winnow does not affect.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "src/preload/family_options.h"

namespace winnow::preload {
namespace preload_family_notes_test {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ColumnFamilyOptions;
using rocksdb::FilterPolicy;
using ::testing::HasSubstr;

// WINNOW_POLICY is read once per process, so it is set before main().
[[maybe_unused]] const int environment_is_set = ::setenv("WINNOW_POLICY", "winnow:10", 1);

ColumnFamilyOptions With(std::shared_ptr<const FilterPolicy> policy) {
  BlockBasedTableOptions table;
  table.filter_policy = std::move(policy);
  ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

TEST(NoteOnTest, SaysWhyWinnowAddWouldNotHelp) {
  ColumnFamilyOptions prefixes;
  prefixes.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
  EXPECT_THAT(NoteOn(prefixes),
              HasSubstr("; WINNOW_ADD=1 would not give it one, as it has a prefix extractor"));
}

TEST(NoteOnTest, NamesTablesThatHaveNoPolicies) {
  const std::string note =
      "has tables of another format than the block-based one, which no filter policy is for";
  ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  EXPECT_EQ(NoteOn(options), note);
  options.table_factory.reset(rocksdb::NewCuckooTableFactory());
  EXPECT_EQ(NoteOn(options), note);
  options.table_factory.reset();
  EXPECT_EQ(NoteOn(options), note);
}

// A filter policy implemented by a program.
class OwnPolicy final : public FilterPolicy {
 public:
  const char* Name() const override { return "a program's"; }
  const char* CompatibilityName() const override { return Name(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice&) const override {
    return nullptr;
  }
};

TEST(NoteOnTest, NamesPoliciesThatStayAsTheyAre) {
  EXPECT_EQ(NoteOn(With(std::make_shared<OwnPolicy>())),
            "has a filter policy that is not RocksDB's, \"a program's\", and keeps it: "
            "WINNOW_POLICY has no effect there");
  // No function is interposed in this program.
  EXPECT_EQ(NoteOn(With(std::shared_ptr<const FilterPolicy>(rocksdb::NewBloomFilterPolicy(10)))),
            "has RocksDB's filter policy \"bloomfilter:10:false\", which was made where the "
            "interposer does not see it: WINNOW_POLICY has no effect there");
}

}  // namespace preload_family_notes_test
}  // namespace winnow::preload
