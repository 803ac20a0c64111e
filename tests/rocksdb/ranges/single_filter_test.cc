// Tests of range_kind=single: one filter for lookups of keys and for scans, and the files that have
// both filters all the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/core/ranges/range_note.h"
#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/builders/bits_builder.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "tests/rocksdb/ranges/big_endian.h"
#include "tests/rocksdb/ranges/scan_checks.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/random_hashes.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace single_filter_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using testing::BigEndian;
using testing::Check;
using testing::RandomHashes;

using Keys = std::set<std::string>;

Keys RandomKeys(size_t n) {
  RandomHashes random(testing::TestSeed());
  Keys keys;
  while (keys.size() < n) keys.insert(BigEndian(random.Next()));
  return keys;
}

constexpr uint64_t kFirstOfDense = uint64_t{7} << 50;

Keys DenseKeys(size_t n) {
  Keys keys;
  for (uint64_t i = 0; i < n; ++i) keys.insert(BigEndian(kFirstOfDense + 3 * i));
  return keys;
}

// Returns a builder with range_kind=single.
BitsBuilder BuilderOf(double range_bits, double bits_per_key = 10, bool verify = false,
                      bool has_whole_keys = true) {
  core::TableRangePlan plan;
  plan.kinds = core::RangeKinds::kPositions;
  plan.range_bits = range_bits;
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  return BitsBuilder(
      options, verify, nullptr,
      std::make_unique<RangePart>(plan, has_whole_keys, nullptr, RangeKind::kSingle));
}

// Returns the block that such a builder makes of the keys.
std::string BlockOf(const Keys& keys, double range_bits = 15, double bits_per_key = 10,
                    bool verify = false, bool has_whole_keys = true) {
  const RangeExtractor extractor;
  BitsBuilder builder = BuilderOf(range_bits, bits_per_key, verify, has_whole_keys);
  for (const std::string& key : keys) {
    if (has_whole_keys) builder.AddKey(key);
    // RocksDB adds the prefix of all keys once, or at both ends of a partition.
    if (!has_whole_keys || key == *keys.begin()) builder.AddKey(extractor.Transform(key));
  }
  std::unique_ptr<const char[]> bytes;
  const Slice block = builder.Finish(&bytes);
  EXPECT_TRUE(builder.MaybePostVerify(block).ok());
  return block.ToString();
}

bool IsSingle(const std::string& block) {
  return core::AnswersKeys(block, core::TableRanges(block));
}

class SingleFilterTest : public ::testing::Test {
 protected:
  void SetUp() override { Check(NewBuiltinReader(&builtin_)); }

  std::unique_ptr<FilterBitsReader> ReaderOf(const std::string& block) {
    return std::unique_ptr<FilterBitsReader>(NewBitsReader(block, *builtin_));
  }

  std::shared_ptr<const FilterPolicy> builtin_;
};

TEST_F(SingleFilterTest, FindsEveryKeyAndFewOthers) {
  for (const size_t n : {1u, 2u, 3u, 50u, 1000u, 60'000u}) {
    const Keys keys = RandomKeys(n);
    const std::string block = BlockOf(keys, 10, 5);
    ASSERT_TRUE(IsSingle(block)) << n;
    const auto reader = ReaderOf(block);
    for (const std::string& key : keys) ASSERT_TRUE(reader->MayMatch(key));
    RandomHashes random(7);
    constexpr int kLookups = 100'000;
    int passed = 0;
    for (int i = 0; i < kLookups; ++i) {
      passed += reader->MayMatch(BigEndian(random.Next())) ? 1 : 0;
    }
    EXPECT_LT(passed, 2 * kLookups / 1024 + 30) << n;
    EXPECT_TRUE(reader->MayMatch(Slice())) << "the prefix of all keys";
    EXPECT_FALSE(reader->MayMatch("a key of another length"));
  }
}

// Positions are stored if keys are dense, or range_bits is not 6 to 16.
TEST_F(SingleFilterTest, StoredPositionsAnswerLookups) {
  const Keys dense = DenseKeys(40'000);
  const Keys spread = RandomKeys(20'000);
  using Case = std::tuple<const Keys*, double, double>;
  for (const auto& [keys, range_bits, rate] :
       {Case(&dense, 15.0, 0.0), Case(&dense, 6.0, 0.0), Case(&spread, 4.0, 1.0 / 16),
        Case(&spread, 20.0, 0x1p-20)}) {
    const std::string block = BlockOf(*keys, range_bits, 1);
    ASSERT_TRUE(IsSingle(block));
    EXPECT_EQ(core::ExpectedKeyRate(block), rate);
    EXPECT_TRUE(rate > 0 || block.size() * 8 < 5 * keys->size());
    const auto reader = ReaderOf(block);
    for (const std::string& key : *keys) ASSERT_TRUE(reader->MayMatch(key));
    RandomHashes random(testing::TestSeed());
    constexpr int kLookups = 50'000;
    int passed = 0;
    for (int i = 0; i < kLookups; ++i) {
      std::string key = BigEndian(random.Next());
      if (i % 2 == 0) {  // a key with a bit more or less
        key = *keys->lower_bound(BigEndian(kFirstOfDense + random.Below(119'990)));
        key[random.Below(8)] ^= static_cast<char>(1 << random.Below(8));
      }
      if (keys->count(key) == 0) passed += reader->MayMatch(key) ? 1 : 0;
    }
    EXPECT_LE(passed, 2 * rate * kLookups) << range_bits;
  }
}

TEST_F(SingleFilterTest, BatchesAnswerAsTheKeysOneByOne) {
  const Keys keys = RandomKeys(20'000);
  for (const double range_bits : {15.0, 20.0}) {
    const std::string block = BlockOf(keys, range_bits);
    ASSERT_TRUE(IsSingle(block));
    const auto reader = ReaderOf(block);
    RandomHashes random(testing::TestSeed());
    for (const size_t n : {1u, 2u, 5u, 31u, 32u, 33u, 100u}) {
      std::vector<std::string> lookups;
      for (size_t i = 0; i < n; ++i) {
        lookups.push_back(i % 3 == 0   ? *keys.lower_bound(BigEndian(random.Next() / 2))
                          : i % 7 == 1 ? std::string(random.Below(20), 'x')
                                       : BigEndian(random.Next()));
      }
      const std::vector<Slice> slices(lookups.begin(), lookups.end());
      std::vector<Slice*> pointers;
      for (const Slice& slice : slices) pointers.push_back(const_cast<Slice*>(&slice));
      const auto answers = std::make_unique<bool[]>(n);
      reader->MayMatch(static_cast<int>(n), pointers.data(), answers.get());
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(answers[i], lookups[i].empty() || reader->MayMatch(slices[i]));
        EXPECT_TRUE(answers[i] || keys.count(lookups[i]) == 0);
      }
    }
  }
}

// Winnow 1.0 and 1.1 don't ask range filters for keys.
TEST_F(SingleFilterTest, TheFilterBesideItPassesEveryKey) {
  const Keys keys = RandomKeys(5000);
  const std::string block = BlockOf(keys);
  ASSERT_TRUE(IsSingle(block));
  const FilterView view = FilterView::Verified(block);
  ASSERT_EQ(view.fault(), Fault::kNone);
  EXPECT_EQ(view.info().num_hashes, keys.size() + 1) << "and the prefix of all";
  RandomHashes random(testing::TestSeed());
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(view.MayContain(KeyHash{random.Next()}));
  EXPECT_LT(static_cast<double>(block.size()) * 8, 15.4 * 5000 + 8 * 400);
}

TEST_F(SingleFilterTest, FilesWithOtherKeysOrRatesHaveBothFilters) {
  const Keys keys = RandomKeys(5000);
  Keys longer = keys;
  longer.insert("a longer key");
  const std::vector<std::pair<const char*, std::string>> blocks = {
      {"keys of two lengths", BlockOf(longer)},
      {"a rate below 2^-range_bits", BlockOf(keys, 8, 20)},
      {"verified construction", BlockOf(keys, 15, 10, true)},
      {"no whole keys", BlockOf(keys, 15, 10, false, false)},
  };
  for (const auto& [what, block] : blocks) {
    EXPECT_FALSE(IsSingle(block)) << what;
    EXPECT_FALSE(core::TableRanges(block).empty()) << what;
    EXPECT_LT(core::ExpectedKeyRate(block), 0.7) << what;
    const bool has_keys = what != std::string("no whole keys");
    for (const std::string& key : keys) {
      ASSERT_TRUE(FilterView(block).MayContain(HashKey(has_keys ? key : ""))) << what;
    }
  }
}

// RocksDB cuts partitions at the builder's estimate.
TEST_F(SingleFilterTest, PartitionsHaveTheSizeThatIsAskedFor) {
  for (const size_t bytes : {4096u, 65'536u}) {
    for (const double range_bits : {10.0, 15.0}) {
      BitsBuilder builder = BuilderOf(range_bits);
      const size_t n = builder.ApproximateNumEntries(bytes);
      EXPECT_LE(builder.CalculateSpace(n), bytes);
      EXPECT_GT(builder.CalculateSpace(n + 1), bytes);
      EXPECT_NEAR(builder.EstimatedFpRate(n, bytes), std::exp2(-range_bits), 1e-4);
      const std::string block = BlockOf(RandomKeys(n), range_bits);
      ASSERT_TRUE(IsSingle(block));
      EXPECT_LE(block.size(), bytes);
      EXPECT_GE(block.size(), bytes * 8 / 10);
      EXPECT_LT(BuilderOf(range_bits, 10, true).ApproximateNumEntries(bytes), n * 8 / 10)
          << "verified filters are two";
    }
  }
}

TEST_F(SingleFilterTest, ADamagedRangeFilterPassesEveryKey) {
  const Keys keys = RandomKeys(3000);
  const std::string good = BlockOf(keys);
  ASSERT_TRUE(IsSingle(good));
  RandomHashes random(testing::TestSeed());
  for (int i = 0; i < 3000; ++i) {
    std::string block = good;
    // The front and the directories; of the arrays, no byte is checked on loading.
    const size_t front = 64 + 1 + random.Below(60);
    const size_t at = i % 2 == 0 ? front : block.size() - 1 - random.Below(42);
    block[at] = static_cast<char>(static_cast<uint8_t>(block[at]) ^ (1u << random.Below(8)));
    const auto reader = ReaderOf(block);
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(reader->MayMatch(*keys.lower_bound(BigEndian(random.Next() / 2)))) << at;
    }
  }
}

class SingleFilterDatabaseTest : public ::testing::Test {
 protected:
  SingleFilterDatabaseTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  std::unique_ptr<DB> Open(const std::string& policy, const std::string& name,
                           bool verifies = false) {
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom(policy);
    table.detect_filter_construct_corruption = verifies;
    Options options = testing::SmallLevels(table);
    options.prefix_extractor = NewRangeExtractor();
    return testing::OpenDatabase(options, folder_ / name);
  }

  void Fill(DB* database, const Keys& keys) {
    for (const std::string& key : keys) Check(database->Put({}, key, key));
    Check(database->Flush({}));
    Check(database->CompactRange({}, nullptr, nullptr));
  }

  // Returns the part of the LOG that says why files have both filters.
  std::string Reasons(const std::string& name) const {
    const std::string log = testing::ReadFile(folder_ / (name + "/LOG"));
    const size_t begin = log.find("range_kind=single: ");
    return begin == std::string::npos ? "" : log.substr(begin, log.find('\n', begin) - begin);
  }

  const testing::TemporaryFolder folder_;
};

// A database with one filter per file is opened with other policies, and by RocksDB alone.
TEST_F(SingleFilterDatabaseTest, EveryPolicyFindsItsKeys) {
  int number = 0;
  for (const Keys& keys : {RandomKeys(30'000), DenseKeys(30'000), RandomKeys(3)}) {
    const std::string name = "database" + std::to_string(++number);
    const std::string single = "{id=winnow;bits_per_key=10;range_bits=15;range_kind=single}";
    Fill(Open(single, name).get(), keys);
    for (const std::string& policy :
         {single, std::string("winnow:10"), std::string("bloomfilter:10"),
          std::string("{id=winnow;bits_per_key=10;build=bloomfilter}")}) {
      const auto database = Open(policy, name);
      std::string value;
      for (const std::string& key : keys) {
        Check(database->Get(ReadOptions(), key, &value));
        ASSERT_EQ(value, key);
      }
      const std::vector<Slice> slices(keys.begin(), keys.end());
      std::vector<std::string> values;
      for (const Status& status : database->MultiGet(ReadOptions(), slices, &values)) Check(status);
    }
  }
}

// docs/roll-out.md says which options to set before an older Winnow opens the database.
TEST_F(SingleFilterDatabaseTest, AnOlderWinnowKnowsTheOptionsThatThePageSets) {
  const std::string page = testing::ReadFile(WINNOW_SOURCE_DIR "/docs/roll-out.md");
  const std::string name = "    block_based_table_factory=";
  const size_t begin = page.find(name, page.find("## Back to an older Winnow"));
  ASSERT_NE(begin, std::string::npos);
  const size_t value = begin + name.size();
  const std::string table = page.substr(value, page.find('\n', value) - value);
  const Keys keys = RandomKeys(5000);
  const auto bits_per_key = [&keys](DB* database) {
    return 8.0 * static_cast<double>(testing::FilterBytes(database)) /
           static_cast<double>(keys.size());
  };
  for (const char* const kind : {"single", "positions", "trees", "auto"}) {
    const auto database = Open("{id=winnow;bits_per_key=10;tree_notes=0;range_bits=15;range_kind=" +
                                   std::string(kind) + "}",
                               kind);
    Fill(database.get(), keys);
    EXPECT_GT(bits_per_key(database.get()), 15) << kind;
    EXPECT_THAT(testing::NewestOptionsFile(folder_ / kind), ::testing::HasSubstr("range_bits"));
    Check(database->SetOptions({{"block_based_table_factory", table}}));
    EXPECT_THAT(testing::NewestOptionsFile(folder_ / kind),
                ::testing::AllOf(::testing::HasSubstr("bits_per_key"),
                                 ::testing::Not(::testing::HasSubstr("range_bits")),
                                 ::testing::Not(::testing::HasSubstr("range_kind")),
                                 ::testing::Not(::testing::HasSubstr("tree_notes"))));
    ROCKSDB_NAMESPACE::CompactRangeOptions all;
    all.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
    Check(database->CompactRange(all, nullptr, nullptr));
    EXPECT_LT(bits_per_key(database.get()), 9) << kind;
  }
}

TEST_F(SingleFilterDatabaseTest, TheLogSaysWhyAFileHasBoth) {
  const Keys keys = RandomKeys(3000);
  const std::string begin = "{id=winnow;bits_per_key=10;range_bits=15;range_kind=single";
  Fill(Open(begin + "}", "single").get(), keys);
  EXPECT_EQ(Reasons("single"), "");
  const std::string both = "range_kind=single: a file or more has a filter of keys, too: ";
  Fill(Open(begin + "}", "verified", true).get(), keys);
  EXPECT_THAT(Reasons("verified"),
              ::testing::StartsWith(both + "detect_filter_construct_corruption needs it"));
  Fill(Open(begin + ";filter_memory=1m}", "memory").get(), keys);
  EXPECT_THAT(Reasons("memory"), ::testing::StartsWith(both + "filter_memory shares out the bits"));
}

}  // namespace single_filter_test
}  // namespace winnow::plugin
