#include "src/rocksdb/builders/bits_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "tests/support/counted_memory.h"
#include "tests/support/range_of_table.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"

namespace winnow::plugin {
namespace bits_builder_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using testing::allocations_left;

std::string Key(uint64_t i) { return "key" + std::to_string(i * 7919); }

FilterView ViewOf(const Slice& filter) {
  return FilterView(std::string_view(filter.data(), filter.size()));
}

FilterOptions OptionsOf(FilterKind kind) {
  FilterOptions options;
  options.kind = kind;
  return options;
}

bool Contains(const Slice& filter, const std::string& key) {
  return ViewOf(filter).MayContain(HashKey(key));
}

TEST(BitsBuilder, FindsEveryKeyOfEveryFilterThatItBuilds) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    BitsBuilder builder(OptionsOf(kind), false);
    // RocksDB uses one builder for all filter partitions of a file.
    for (const uint64_t n :
         {uint64_t{1}, uint64_t{2}, uint64_t{100}, uint64_t{5000}, uint64_t{3}}) {
      EXPECT_EQ(builder.EstimateEntriesAdded(), 0u);
      for (uint64_t i = 0; i < n; ++i) {
        builder.AddKey(Key(i));
        EXPECT_EQ(builder.EstimateEntriesAdded(), i + 1);
      }
      std::unique_ptr<const char[]> bytes;
      Status status = Status::Corruption("must be overwritten");
      const Slice filter = builder.Finish(&bytes, &status);
      EXPECT_TRUE(status.ok());
      EXPECT_EQ(filter.data(), bytes.get());
      EXPECT_EQ(ViewOf(filter).info().kind, kind);
      EXPECT_EQ(ViewOf(filter).info().num_hashes, n);
      for (uint64_t i = 0; i < n; ++i) {
        EXPECT_TRUE(Contains(filter, Key(i)));
      }
    }
  }
}

TEST(BitsBuilder, WithoutKeysMakesAFilterThatContainsNothing) {
  BitsBuilder builder(FilterOptions(), true);
  std::unique_ptr<const char[]> bytes;
  const Counters before = CurrentCounters();
  const Slice filter = builder.Finish(&bytes);
  EXPECT_EQ(CurrentCounters().empty_filters - before.empty_filters, 1u);
  EXPECT_EQ(CurrentCounters().bytes - before.bytes, filter.size());
  EXPECT_EQ(ViewOf(filter).fault(), Fault::kNone);
  EXPECT_EQ(ViewOf(filter).info().kind, FilterKind::kEmpty);
  EXPECT_FALSE(Contains(filter, "any"));
  EXPECT_TRUE(builder.MaybePostVerify(filter).ok());
}

TEST(BitsBuilder, KeepsVersionsOfAKeyOnce) {
  BitsBuilder builder(FilterOptions(), false);
  for (int version = 0; version < 5; ++version) {
    builder.AddKey("one");
  }
  builder.AddKey("two");
  builder.AddKey("two");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 2u);
  std::unique_ptr<const char[]> bytes;
  EXPECT_EQ(ViewOf(builder.Finish(&bytes)).info().num_hashes, 2u);
  // The next filter must not contain the previous filter's last key.
  builder.AddKey("two");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 1u);
  EXPECT_TRUE(Contains(builder.Finish(&bytes), "two"));
}

TEST(BitsBuilder, KeepsPrefixesThatComeWithEachKeyOnce) {
  BitsBuilder builder(FilterOptions(), false);
  // RocksDB's contract: repeated keys and repeated prefixes are dropped separately, and also a key
  // that equals the prefix, since a key may be its own prefix.
  builder.AddKeyAndAlt("a", "a");   // 1
  builder.AddKeyAndAlt("a1", "a");  // 2
  builder.AddKeyAndAlt("a1", "a");
  builder.AddKeyAndAlt("a2", "a");  // 3
  builder.AddKeyAndAlt("b1", "b");  // 5
  builder.AddKeyAndAlt("b2", "b");  // 6
  EXPECT_EQ(builder.EstimateEntriesAdded(), 6u);
  builder.AddKey("b2");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 6u);
  builder.AddKey("c");  // 7
  EXPECT_EQ(builder.EstimateEntriesAdded(), 7u);
  std::unique_ptr<const char[]> bytes;
  const Slice filter = builder.Finish(&bytes);
  for (const char* key : {"a", "a1", "a2", "b", "b1", "b2", "c"}) {
    EXPECT_TRUE(Contains(filter, key)) << key;
  }
  EXPECT_EQ(ViewOf(filter).info().num_hashes, 7u);
}

TEST(BitsBuilder, EstimatesAreThoseOfTheFiltersItMakes) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    BitsBuilder builder(OptionsOf(kind), false);
    constexpr size_t kKeys = 20000;
    for (size_t i = 0; i < kKeys; ++i) {
      builder.AddKey(Key(i));
    }
    const size_t expected = builder.CalculateSpace(kKeys);
    const double rate = builder.EstimatedFpRate(kKeys, expected);
    EXPECT_NEAR(static_cast<double>(builder.ApproximateNumEntries(expected)), kKeys, kKeys * 0.02);
    std::unique_ptr<const char[]> bytes;
    const Slice filter = builder.Finish(&bytes);
    EXPECT_NEAR(static_cast<double>(filter.size()), static_cast<double>(expected),
                static_cast<double>(expected) * 0.01);
    const double expected_rate = ViewOf(filter).info().expected_fpr;
    EXPECT_NEAR(rate, expected_rate, expected_rate * 0.02);
  }
}

// Returns the built-in policy's builder for a file with default table options.
std::unique_ptr<FilterBitsBuilder> BuiltinBuilder(const std::string& policy_id) {
  std::shared_ptr<const FilterPolicy> policy;
  EXPECT_TRUE(FilterPolicy::CreateFromString(ConfigOptions(), policy_id, &policy).ok());
  const BlockBasedTableOptions table;
  const FilterBuildingContext context(table);
  return std::unique_ptr<FilterBitsBuilder>(policy->GetBuilderWithContext(context));
}

// RocksDB cuts filter partitions by ApproximateNumEntries().
TEST(BitsBuilder, EstimatesKeysOfSmallFiltersAsTheBuiltinBuildersDo) {
  for (const double bits : {1.0, 5.0, 10.0, 20.0, 32.0}) {
    const auto bloom = BuiltinBuilder("bloomfilter:" + std::to_string(bits));
    const auto ribbon = BuiltinBuilder("ribbonfilter:" + std::to_string(bits) + ":-1");
    for (const bool is_ribbon : {false, true}) {
      FilterOptions options = OptionsOf(is_ribbon ? FilterKind::kRibbon : FilterKind::kBloom);
      options.bits_per_key = bits;
      BitsBuilder builder(options, false);
      size_t least = 0;
      size_t last = 0;
      for (size_t size = 0; size <= 4096; ++size) {
        const size_t builtin = (is_ribbon ? ribbon : bloom)->ApproximateNumEntries(size);
        const size_t ours = builder.ApproximateNumEntries(size);
        ASSERT_GE(ours, last) << size;
        last = ours;
        if (ours == 0) {
          continue;
        }
        least = least == 0 ? size : least;
        ASSERT_GT(builtin, 0u) << size;
        ASSERT_LE(builder.CalculateSpace(ours), size);
        if (is_ribbon) {
          // RocksDB's Ribbon grows in steps of 128 slots, and is a Bloom filter where that is
          // smaller.
          ASSERT_GE(static_cast<double>(ours), 0.6 * static_cast<double>(builtin)) << size;
        } else {
          // Winnow's trailer replaces one block at some sizes.
          ASSERT_LE(static_cast<double>(ours), static_cast<double>(builtin) + 20) << size;
          ASSERT_GE(static_cast<double>(ours), static_cast<double>(builtin) - 512 / bits - 1)
              << size;
        }
      }
      EXPECT_EQ(least, 229u);
      // RocksDB's search for a size, from 0 upwards, ends slightly above the configured bits per
      // key.
      const double found = static_cast<double>(builder.ApproximateNumEntries(least));
      EXPECT_LT(
          8.0 * static_cast<double>(builder.CalculateSpace(static_cast<size_t>(found))) / found,
          1.25 * bits + 1);
    }
  }
}

core::TableRangePlan PositionsPlan() {
  core::TableRangePlan plan;
  plan.kinds = core::RangeKinds::kPositions;
  return plan;
}

// Builder with a range filter, and keys that a range filter supports.
class BuilderWithRange {
 public:
  explicit BuilderWithRange(FilterKind kind, bool verify = false)
      : builder(OptionsOf(kind), verify, nullptr,
                std::make_unique<RangePart>(PositionsPlan(), true, nullptr)) {}

  void Add(uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i) {
      char key[24];
      std::snprintf(key, sizeof key, "%015llu", static_cast<unsigned long long>(i * 999'999'937));
      builder.AddKeyAndAlt(key, extractor_.Transform(key));
    }
  }

  BitsBuilder builder;

 private:
  const RangeExtractor extractor_;
};

TEST(BitsBuilder, EstimatesCountTheRangeFilter) {
  constexpr size_t kKeys = 20'000;
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    BuilderWithRange with(kind);
    BitsBuilder without(OptionsOf(kind), false);
    BitsBuilder& builder = with.builder;
    for (int partition = 0; partition < 2; ++partition) {
      with.Add(partition * kKeys, (partition + 1) * kKeys);
      EXPECT_EQ(builder.EstimateEntriesAdded(), kKeys + 1) << "and the prefix of all";
      const size_t expected = builder.CalculateSpace(kKeys);
      const double rate = builder.EstimatedFpRate(kKeys, expected);
      const size_t most = builder.ApproximateNumEntries(expected);
      std::unique_ptr<const char[]> bytes;
      const Slice filter = builder.Finish(&bytes);
      const size_t range = testing::RangeFilterOfTable({filter.data(), filter.size()}).size();
      EXPECT_GT(range, kKeys * 15 / 8);
      // Estimates are of positions that are stored; a retrieval takes two bits per key fewer.
      EXPECT_NEAR(static_cast<double>(filter.size() + kKeys * 2 / 8), static_cast<double>(expected),
                  0.01 * static_cast<double>(expected));
      EXPECT_GE(expected, filter.size() - 100);
      EXPECT_NEAR(static_cast<double>(most), kKeys, 0.01 * kKeys);
      // The estimate is the false-positive rate of point lookups, unaffected by the range filter's
      // bytes.
      EXPECT_NEAR(rate, ViewOf(filter).info().expected_fpr, 0.03 * rate);
      EXPECT_NEAR(rate, without.EstimatedFpRate(kKeys, without.CalculateSpace(kKeys)), 0.03 * rate);
    }
  }
}

// RocksDB's contract: ApproximateNumEntries(CalculateSpace(n)) is at least n, for sizes that are
// usable for partitions.
TEST(BitsBuilder, SizesAndNumbersOfKeysAgree) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    BitsBuilder without(OptionsOf(kind), false);
    for (size_t keys = 200; keys < 100'000; keys += keys / 7) {
      const size_t size = without.CalculateSpace(keys);
      EXPECT_GE(size, without.CalculateSpace(keys - 1));
      EXPECT_GE(without.ApproximateNumEntries(size), keys);
    }
    BuilderWithRange with(kind);
    BitsBuilder& builder = with.builder;
    for (size_t keys = 300; keys < 100'000; keys += keys / 7) {
      const size_t size = builder.CalculateSpace(keys);
      EXPECT_GE(size, builder.CalculateSpace(keys - 1));
      // The tolerance is 1%, since a Ribbon filter's size does not grow with each key.
      EXPECT_GE(builder.ApproximateNumEntries(size), keys - keys / 100);
      EXPECT_LE(builder.CalculateSpace(builder.ApproximateNumEntries(size)), size);
    }
    // Headers and trailers must not take up most of a partition.
    size_t least = 0;
    for (size_t size = 1; least == 0; ++size) {
      const size_t keys = builder.ApproximateNumEntries(size);
      if (keys == 0) continue;
      least = size;
      EXPECT_LT(8 * static_cast<double>(builder.CalculateSpace(keys)) / static_cast<double>(keys),
                1.5 * (10 + 17.5));
    }
    EXPECT_LT(least, 1024u);
  }
}

TEST(BitsBuilder, EstimatedRatesFallWithTheSize) {
  BitsBuilder bloom(OptionsOf(FilterKind::kBloom), false);
  EXPECT_EQ(bloom.EstimatedFpRate(0, 1000), 0);
  EXPECT_EQ(bloom.EstimatedFpRate(10, 0), 1);
  EXPECT_EQ(bloom.EstimatedFpRate(10, 100), 1);
  EXPECT_LT(bloom.EstimatedFpRate(10, 101), 1e-6);
  EXPECT_GT(bloom.EstimatedFpRate(10000, 8000), bloom.EstimatedFpRate(10000, 12000));
}

// RocksDB calls a builder's functions by their index in the vtable.
TEST(BitsBuilder, HasTheVirtualFunctionsOfThisVersion) {
  BitsBuilder builder(OptionsOf(FilterKind::kBloom), false);
  [[maybe_unused]] FilterBitsBuilder& base = builder;
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  base.AddKeyAndAlt("key", "prefix");
#else
  builder.AddKeyAndAlt("key", "prefix");
#endif
  EXPECT_EQ(base.EstimateEntriesAdded(), 2u);
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
  EXPECT_EQ(base.CalculateSpace(1000), builder.CalculateSpace(1000));
  EXPECT_EQ(base.EstimatedFpRate(1000, 1500), builder.EstimatedFpRate(1000, 1500));
#endif
}

TEST(BitsBuilder, EstimateOfEntriesMayBeAskedByAnotherThread) {
  BitsBuilder builder(FilterOptions(), false);
  std::atomic<bool> stop{false};
  std::thread asker([&] {
    size_t last = 0;
    while (!stop.load()) {
      const size_t now = builder.EstimateEntriesAdded();
      EXPECT_GE(now, last);
      last = now;
    }
  });
  for (uint64_t i = 0; i < 50000; ++i) {
    builder.AddKey(Key(i));
  }
  stop.store(true);
  asker.join();
  EXPECT_EQ(builder.EstimateEntriesAdded(), 50000u);
}

TEST(MaybePostVerify, FindsEveryFlippedBitWhenItWasAskedTo) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    for (const bool verify : {true, false}) {
      BitsBuilder builder(OptionsOf(kind), verify);
      std::unique_ptr<const char[]> bytes;
      std::string block;
      {
        for (uint64_t i = 0; i < 60; ++i) {
          builder.AddKey(Key(i));
        }
        const Slice filter = builder.Finish(&bytes);
        block.assign(filter.data(), filter.size());
        EXPECT_TRUE(builder.MaybePostVerify(filter).ok());
      }
      for (size_t bit = 0; bit < block.size() * 8; ++bit) {
        std::string damaged = block;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        EXPECT_EQ(builder.MaybePostVerify(damaged).IsCorruption(), verify) << bit;
      }
    }
  }
}

// The range filter is also verified if the filter's own checksum covers the damaged bytes.
TEST(MaybePostVerify, FindsADamagedRangeFilter) {
  BuilderWithRange with(FilterKind::kRibbon, /*verify=*/true);
  const auto verify = [&](const std::string& block) {
    return with.builder.MaybePostVerify({block.data(), block.size()});
  };
  std::string good;
  for (const size_t flipped : {size_t{0}, size_t{40}, size_t{1000}}) {
    with.Add(0, 1000);
    std::unique_ptr<const char[]> bytes;
    const Slice filter = with.builder.Finish(&bytes);
    good.assign(filter.data(), filter.size());
    std::string range(testing::RangeFilterOfTable(good));
    if (flipped == 0) {
      EXPECT_TRUE(verify(good).ok());
      continue;
    }
    range[flipped] = static_cast<char>(range[flipped] ^ 1);
    BitsBuilder plain(OptionsOf(FilterKind::kRibbon), false);
    std::unique_ptr<const char[]> plain_bytes;
    for (uint64_t i = 0; i < 1000; ++i) plain.AddKey(Key(i));
    const Slice block = plain.Finish(&plain_bytes);
    const FilterBlock damaged =
        testing::WithRangeFilterOfTable({block.data(), block.size()}, range);
    const Status status = verify(std::string(damaged.bytes()));
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_THAT(status.ToString(), ::testing::HasSubstr("its range filter can't be used"));
  }
}

TEST(MaybePostVerify, FindsAFilterThatLacksAKey) {
  BitsBuilder other(FilterOptions(), false);
  for (uint64_t i = 0; i < 100; ++i) {
    other.AddKey(Key(i));
  }
  std::unique_ptr<const char[]> other_bytes;
  const Slice other_filter = other.Finish(&other_bytes);

  BitsBuilder builder(FilterOptions(), true);
  for (uint64_t i = 0; i < 200; ++i) {
    builder.AddKey(Key(i));
  }
  std::unique_ptr<const char[]> bytes;
  builder.Finish(&bytes);
  const Status status = builder.MaybePostVerify(other_filter);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_THAT(status.ToString(), ::testing::HasSubstr("denies a key"));
}

TEST(MaybePostVerify, ForgetsTheFilterBefore) {
  BitsBuilder builder(FilterOptions(), true);
  std::unique_ptr<const char[]> bytes;
  builder.AddKey("first");
  builder.Finish(&bytes);
  builder.AddKey("second");
  const Slice filter = builder.Finish(&bytes);
  EXPECT_TRUE(builder.MaybePostVerify(filter).ok());
}

// Fails each allocation in turn: nothing throws, and the filter that Finish() returns has no false
// negatives for Winnow's or RocksDB's readers.
TEST(BitsBuilder, LivesWithoutMemory) {
  std::shared_ptr<const FilterPolicy> builtin;
  ASSERT_TRUE(NewBuiltinReader(&builtin).ok());
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    int unbuilt = 0;
    bool built = false;
    for (int64_t allowed = 0; !built; ++allowed) {
      ASSERT_LT(allowed, 10000);
      BitsBuilder builder(OptionsOf(kind), true);
      std::unique_ptr<const char[]> bytes;
      allocations_left = allowed;
      for (uint64_t i = 0; i < 9000; ++i) {
        builder.AddKey(Slice(reinterpret_cast<const char*>(&i), sizeof(i)));
      }
      const size_t entries = builder.EstimateEntriesAdded();
      const Slice filter = builder.Finish(&bytes);
      allocations_left = -1;
      EXPECT_EQ(entries, 9000u);
      EXPECT_FALSE(filter.empty());
      EXPECT_TRUE(builder.MaybePostVerify(filter).ok());
      EXPECT_EQ(builder.EstimateEntriesAdded(), 0u);
      built = ViewOf(filter).fault() == Fault::kNone;
      unbuilt += built ? 0 : 1;
      const std::unique_ptr<FilterBitsReader> ours(NewBitsReader(filter, *builtin));
      const std::unique_ptr<FilterBitsReader> theirs(builtin->GetFilterBitsReader(filter));
      for (uint64_t i = 0; i < 9000; i += 100) {
        const Slice key(reinterpret_cast<const char*>(&i), sizeof(i));
        EXPECT_TRUE(ours->MayMatch(key));
        EXPECT_TRUE(theirs->MayMatch(key));
      }
      // The builder works again once memory is available.
      builder.AddKey("later");
      std::unique_ptr<const char[]> later_bytes;
      const Slice later = builder.Finish(&later_bytes);
      EXPECT_TRUE(Contains(later, "later"));
      EXPECT_EQ(ViewOf(later).fault(), Fault::kNone);
    }
    EXPECT_GT(unbuilt, 0);
  }
}

TEST(NewBitsBuilder, IsNullWithoutMemory) {
  allocations_left = 0;
  FilterBitsBuilder* const builder = NewBitsBuilder(FilterOptions(), false);
  allocations_left = -1;
  EXPECT_EQ(builder, nullptr);
}

}  // namespace bits_builder_test
}  // namespace winnow::plugin
