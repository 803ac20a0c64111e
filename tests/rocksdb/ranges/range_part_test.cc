// Entries that RocksDB adds to a filter: RangePart selects the keys, whose order differs between
// RocksDB versions.

#include "src/rocksdb/ranges/range_part.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "src/rocksdb/ranges/range_extractor.h"
#include "winnow/range_filter.h"

namespace winnow::plugin {
namespace range_part_test {

using ROCKSDB_NAMESPACE::Slice;

core::TableRangePlan MakePlan() {
  core::TableRangePlan plan;
  plan.range_bits = 20;
  return plan;
}

const core::TableRangePlan kPlan = MakePlan();

const std::vector<std::string> kKeys = {"b000", "b500", "d000", "f000"};

// Expects one range filter that has all the keys and no others.
void ExpectItsKeys(const std::vector<core::TableRange>& ranges,
                   const std::vector<std::string>& keys) {
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges.front().role, core::RangeRole::kAllKeys);
  const RangeFilterView view(ranges.front().filter.bytes());
  ASSERT_EQ(view.fault(), Fault::kNone);
  EXPECT_EQ(view.info().num_keys, keys.size());
  for (const std::string& key : keys) EXPECT_TRUE(view.MayContain(key, key + '\0'));
}

class RangePartTest : public ::testing::Test {
 protected:
  Slice Prefix(const Slice& key) { return extractor_.Transform(key); }

  RangeExtractor extractor_;
  RangePart whole_{kPlan, true, nullptr};
  RangePart prefixes_{kPlan, false, nullptr};
};

TEST_F(RangePartTest, WholeKeysCountAndTheirPrefixesDont) {
  whole_.AddEntry(kKeys[0]);
  whole_.AddEntry(Prefix(kKeys[0]));
  for (size_t i = 1; i < kKeys.size(); ++i) whole_.AddEntry(kKeys[i]);
  EXPECT_EQ(whole_.num_keys(), kKeys.size());
  ExpectItsKeys(whole_.Finish(), kKeys);
  EXPECT_EQ(whole_.num_keys(), 0u);
}

TEST_F(RangePartTest, OfPairsTheKeysCount) {
  for (const std::string& key : kKeys) whole_.AddKeyAndPrefix(key, Prefix(key));
  ExpectItsKeys(whole_.Finish(), kKeys);
}

TEST_F(RangePartTest, WithoutWholeKeysPrefixesTellTheKeys) {
  const std::string copied_prefix;
  for (const std::string& key : kKeys) {
    prefixes_.AddEntry(Prefix(key));
    prefixes_.AddEntry(copied_prefix);  // repeats the previous key's prefix, up to RocksDB 9.5
  }
  ExpectItsKeys(prefixes_.Finish(), kKeys);
}

TEST_F(RangePartTest, WithoutAnyPrefixTheExtractorIsAnotherOne) {
  for (const std::string& key : kKeys) whole_.AddEntry(key);
  EXPECT_EQ(whole_.Finish().size(), 0u);
}

// Keys are dropped early, since Winnow's extractor would have added an entry long before.
TEST_F(RangePartTest, KeysOfAnotherExtractorAreNotKeptToTheEnd) {
  for (int i = 100; i < 200; ++i) whole_.AddEntry("key" + std::to_string(i));
  EXPECT_EQ(whole_.num_keys(), 0u);
  EXPECT_EQ(whole_.Finish().size(), 0u);
}

TEST_F(RangePartTest, PrefixesWithBytesAreOfAnotherExtractor) {
  for (const std::string& key : kKeys) {
    prefixes_.AddEntry(Slice(key.data(), 1));
  }
  prefixes_.AddEntry(Prefix("z000"));
  EXPECT_EQ(prefixes_.Finish().size(), 0u);
}

TEST_F(RangePartTest, AFileWithTheEmptyKeyHasNone) {
  const std::string empty;
  whole_.AddEntry(empty);
  whole_.AddEntry(Prefix(empty));
  whole_.AddEntry(kKeys[0]);
  EXPECT_EQ(whole_.Finish().size(), 0u);

  RangePart pairs(kPlan, true, nullptr);
  pairs.AddKeyAndPrefix(empty, Prefix(empty));
  pairs.AddKeyAndPrefix(kKeys[0], Prefix(kKeys[0]));
  EXPECT_EQ(pairs.Finish().size(), 0u);

  prefixes_.AddEntry(Prefix(empty));
  prefixes_.AddEntry(Prefix(kKeys[0]));
  EXPECT_EQ(prefixes_.Finish().size(), 0u);
}

// RocksDB up to 9.5: the next key's prefix ends a partition, and a copy of the last prefix begins
// the next partition.
TEST_F(RangePartTest, PartitionsOfOlderVersionsHaveTheirKeys) {
  const std::string copied_prefix;
  whole_.AddEntry(kKeys[0]);
  whole_.AddEntry(Prefix(kKeys[0]));
  whole_.AddEntry(kKeys[1]);
  whole_.AddEntry(Prefix(kKeys[2]));
  ExpectItsKeys(whole_.Finish(), {kKeys[0], kKeys[1]});
  whole_.AddEntry(copied_prefix);
  whole_.AddEntry(kKeys[2]);
  whole_.AddEntry(kKeys[3]);
  ExpectItsKeys(whole_.Finish(), {kKeys[2], kKeys[3]});

  prefixes_.AddEntry(Prefix(kKeys[0]));
  prefixes_.AddEntry(Prefix(kKeys[1]));
  EXPECT_GT(prefixes_.Finish().size(), 0u);
  prefixes_.AddEntry(copied_prefix);
  prefixes_.AddEntry(Prefix(kKeys[2]));
  prefixes_.AddEntry(Prefix(kKeys[3]));
  ExpectItsKeys(prefixes_.Finish(), {kKeys[2], kKeys[3]});
}

// RocksDB 9.6 and later: the key is transformed before the partition ends with its prefix; the
// previous prefix follows.
TEST_F(RangePartTest, PartitionsOfNewerVersionsHaveTheirKeys) {
  whole_.AddKeyAndPrefix(kKeys[0], Prefix(kKeys[0]));
  whole_.AddKeyAndPrefix(kKeys[1], Prefix(kKeys[1]));
  const Slice next = Prefix(kKeys[2]);
  whole_.AddKeyAndPrefix(next, next);
  ExpectItsKeys(whole_.Finish(), {kKeys[0], kKeys[1]});
  whole_.AddEntry(Prefix(kKeys[1]));
  whole_.AddKeyAndPrefix(kKeys[2], next);
  whole_.AddKeyAndPrefix(kKeys[3], Prefix(kKeys[3]));
  ExpectItsKeys(whole_.Finish(), {kKeys[2], kKeys[3]});

  prefixes_.AddEntry(Prefix(kKeys[0]));
  prefixes_.AddEntry(Prefix(kKeys[1]));
  const Slice next_prefix = Prefix(kKeys[2]);
  prefixes_.AddEntry(next_prefix);
  ExpectItsKeys(prefixes_.Finish(), {kKeys[0], kKeys[1], kKeys[2]});
  prefixes_.AddEntry(Prefix(kKeys[1]));
  prefixes_.AddEntry(next_prefix);
  prefixes_.AddEntry(Prefix(kKeys[3]));
  ExpectItsKeys(prefixes_.Finish(), {kKeys[1], kKeys[2], kKeys[3]});
}

// The repeated empty key looks like a prefix that RocksDB repeats.
TEST_F(RangePartTest, NoPartitionBehindOneWithoutHasOne) {
  const std::string empty;
  for (RangePart* const part : {&whole_, &prefixes_}) {
    if (part == &whole_) part->AddEntry(empty);
    part->AddEntry(Prefix(empty));
    EXPECT_EQ(part->Finish().size(), 0u);
    for (int i = 0; i < 2; ++i) {
      part->AddEntry(empty);
      if (part == &whole_) part->AddEntry(kKeys[2]);
      part->AddEntry(Prefix(kKeys[2]));
      EXPECT_EQ(part->num_keys(), 0u);
      EXPECT_EQ(part->Finish().size(), 0u);
    }
  }
}

// Four of the six partitions alone would each decide for the file.
TEST_F(RangePartTest, PartitionsOfAFileAreMeasuredTogether) {
  const auto asked = std::make_shared<AskedRanges>();
  for (int i = 0; i < 100; ++i) asked->Note("h" + std::to_string(i), "i");
  {
    RangePart part(asked->PlanFor(RangeKind::kAuto, 15), true, nullptr, RangeKind::kAuto, asked);
    for (const char* const prefix : {"a", "b", "c", "d", "e", "f"}) {
      for (int i = 100; i < 200; ++i) {
        const std::string key = prefix + std::to_string(i);
        part.AddKeyAndPrefix(key, Prefix(key));
      }
      EXPECT_EQ(part.Finish().size(), 1u);
    }
    EXPECT_NE(asked->PlanFor(RangeKind::kAuto, 15).asked, nullptr);
  }
  EXPECT_NE(asked->PlanFor(RangeKind::kAuto, 15).asked, nullptr) << "one file of four";
  for (int files = 0; files < 3; ++files) {
    RangePart part(asked->PlanFor(RangeKind::kAuto, 15), true, nullptr, RangeKind::kAuto, asked);
    part.AddKeyAndPrefix("a", Prefix("a"));
    EXPECT_EQ(part.Finish().size(), 1u);
  }
  EXPECT_EQ(asked->PlanFor(RangeKind::kAuto, 15).asked, nullptr);
}

TEST_F(RangePartTest, WithoutWholeKeysALostKeyMeansNone) {
  const Slice lost = Prefix(kKeys[0]);
  for (int i = 0; i < 100; ++i) Prefix("x");
  prefixes_.AddEntry(lost);
  prefixes_.AddEntry(Prefix(kKeys[1]));
  EXPECT_EQ(prefixes_.Finish().size(), 0u);
}

TEST_F(RangePartTest, KeysInAnotherOrderHaveNone) {
  for (auto key = kKeys.rbegin(); key != kKeys.rend(); ++key) {
    whole_.AddKeyAndPrefix(*key, Prefix(*key));
  }
  EXPECT_EQ(whole_.Finish().size(), 0u);
}

TEST_F(RangePartTest, NoEntriesMakeNone) { EXPECT_EQ(whole_.Finish().size(), 0u); }

}  // namespace range_part_test
}  // namespace winnow::plugin
