// Filter use in databases, compared with exact counts by a wrapper around Winnow's policy: four
// column families with seven levels, and five ratios of present and absent keys.
//
// The suite runs few lookups and counts one filter check in 4. The long form counts one in 2,048:
//   WINNOW_FILTER_USE_LOOKUPS=6000000 WINNOW_FILTER_USE_GAP=2048
//   build/release/tests/rocksdb_tests --gtest_filter='FilterUseTest.*'

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/counted_asks.h"
#include "tests/support/files.h"
#include "tests/support/from_environment.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/rocksdb_filter_use.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace filter_use_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::FromEnvironment;
using testing::TemporaryFolder;

constexpr int kLevels = 7;
constexpr size_t kKeysOfLevel[kLevels] = {20'000, 20'000, 25'000, 30'000, 40'000, 60'000, 90'000};
constexpr size_t kPrefixBytes = 4;

// Hashes of all keys and prefixes in the filters of each level of a column family.
using Truth = std::array<std::unordered_set<uint64_t>, kLevels>;

// Exact counts for one policy and level. Not thread-safe.
struct Counts {
  uint64_t asks = 0;
  double rates = 0;  // sum of the filters' rates over the checks for absent keys
};
using CountsByLevel = std::array<Counts, kLevels>;

class CountingReader final : public FilterBitsReader {
 public:
  CountingReader(FilterBitsReader* inner, const Slice& block, const Truth& truth,
                 CountsByLevel* counts)
      : inner_(inner), info_(FilterView({block.data(), block.size()}).info()) {
    truth_ = &truth.at(static_cast<size_t>(info_.level));
    counts_ = &counts->at(static_cast<size_t>(info_.level));
  }
  bool MayMatch(const Slice& key) override { return Count(key, inner_->MayMatch(key)); }
  void MayMatch(int n, Slice** keys, bool* may_match) override {
    inner_->MayMatch(n, keys, may_match);
    for (int i = 0; i < n; ++i) Count(*keys[i], may_match[i]);
  }

 private:
  bool Count(const Slice& key, bool may_match) {
    ++counts_->asks;
    if (truth_->count(HashKey({key.data(), key.size()}).value) == 0) {
      counts_->rates += info_.expected_fpr;
    } else {
      EXPECT_TRUE(may_match);
    }
    return may_match;
  }

  const std::unique_ptr<FilterBitsReader> inner_;
  const FilterInfo info_;
  const std::unordered_set<uint64_t>* truth_;
  Counts* counts_;
};

class CountingPolicy final : public FilterPolicy {
 public:
  CountingPolicy(const PolicyOptions& options, const Truth* truth) : truth_(truth) {
    EXPECT_TRUE(NewFilterPolicy(options, &inner_).ok());
  }
  const char* Name() const override { return inner_->Name(); }
  const char* CompatibilityName() const override { return inner_->CompatibilityName(); }
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    return inner_->GetBuilderWithContext(context);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& block) const override {
    return new CountingReader(inner_->GetFilterBitsReader(block), block, *truth_, &counts_);
  }
  const CountsByLevel& counts() const { return counts_; }

 private:
  const Truth* const truth_;
  std::shared_ptr<const FilterPolicy> inner_;
  mutable CountsByLevel counts_ = {};
};

struct Family {
  const char* name;
  const char* policy;
  double bits_per_key;
  LevelPlan plan;
  bool has_prefixes;
  bool is_partitioned;
};
constexpr Family kFamilies[] = {
    {"default", "bits_per_key=3;level_plan=uniform", 3, LevelPlan::kUniform, false, false},
    {"planned", "bits_per_key=7", 7, LevelPlan::kAuto, false, false},
    {"prefixes", "bits_per_key=6;level_plan=uniform", 6, LevelPlan::kUniform, true, false},
    {"partitions", "bits_per_key=5;level_plan=uniform", 5, LevelPlan::kUniform, false, true}};
constexpr size_t kNumFamilies = std::size(kFamilies);

// Returns a key whose first bytes depend on the level, so that a prefix is on few levels.
std::string KeyOf(uint64_t number) {
  char key[32];
  std::snprintf(key, sizeof key, "%04x%012llx", static_cast<unsigned>(number * 0x9e37u % 0x10000u),
                static_cast<unsigned long long>(number));
  return key;
}
uint64_t NumberOf(int level, size_t i) { return (uint64_t{1} << 40) * (level + 1) + i; }

class FilterUseTest : public ::testing::Test {
 protected:
  static constexpr double kAbsentShares[] = {1, 0.9, 0.5, 0.1, 0};

  ~FilterUseTest() override { SetMeanGap(kNoSetGap); }

  ColumnFamilyOptions OptionsOf(size_t i) {
    const Family& family = kFamilies[i];
    PolicyOptions policy;
    policy.bits_per_key = family.bits_per_key;
    policy.level_plan = family.plan;
    policies_[i] = std::make_shared<CountingPolicy>(policy, &truth_[i]);
    BlockBasedTableOptions table;
    table.filter_policy = policies_[i];
    table.block_cache = cache_;
    if (family.is_partitioned) {
      table.partition_filters = true;
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.metadata_block_size = 4096;
      table.cache_index_and_filter_blocks = true;
    }
    ColumnFamilyOptions options;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    options.disable_auto_compactions = true;
    options.level0_slowdown_writes_trigger = 1000;
    options.num_levels = kLevels;
    EXPECT_TRUE(ROCKSDB_NAMESPACE::MergeOperator::CreateFromString({}, "stringappend",
                                                                   &options.merge_operator)
                    .ok());
    options.write_buffer_size = size_t{256} << 20;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.target_file_size_base = size_t{1} << 30;
    if (family.has_prefixes) {
      options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(kPrefixBytes));
    }
    return options;
  }

  void Open() {
    opened_.Close();
    // A new cache, since the old one has readers of the former policies.
    cache_ = ROCKSDB_NAMESPACE::NewLRUCache(size_t{256} << 20);
    ROCKSDB_NAMESPACE::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.statistics = statistics_;
    options.max_open_files = -1;
    std::vector<ColumnFamilyDescriptor> families;
    for (size_t i = 0; i < kNumFamilies; ++i) families.push_back({kFamilies[i].name, OptionsOf(i)});
    opened_.Open(options, folder_ / "db", families);
    database_ = opened_.database.get();
    ASSERT_NE(database_, nullptr);
  }

  // Writes one file per level, the lowest first. Some keys of lower levels are deleted or merged.
  void Write() {
    WriteOptions write;
    write.disableWAL = true;
    for (size_t family = 0; family < kNumFamilies; ++family) {
      ColumnFamilyHandle* const handle = opened_.handles[family];
      for (int level = kLevels - 1; level >= 0; --level) {
        const auto note = [&](std::string key) {
          auto& hashes = truth_[family].at(static_cast<size_t>(level));
          hashes.insert(HashKey(key).value);
          if (kFamilies[family].has_prefixes)
            hashes.insert(HashKey(key.substr(0, kPrefixBytes)).value);
          return key;
        };
        for (size_t i = 0; i < kKeysOfLevel[level]; ++i) {
          ASSERT_STATUS_OK(database_->Put(write, handle, note(KeyOf(NumberOf(level, i))), "value"));
        }
        for (size_t i = 0; level < kLevels - 1 && i < 1000; ++i) {
          const std::string below = note(KeyOf(NumberOf(level + 1, 17 * i)));
          ASSERT_STATUS_OK(i % 2 == 0 ? database_->Delete(write, handle, below)
                                      : database_->Merge(write, handle, below, "more"));
        }
        ASSERT_STATUS_OK(database_->Flush({}, handle));
        if (level == 0) continue;
        std::vector<std::string> files;
        ROCKSDB_NAMESPACE::ColumnFamilyMetaData all;
        database_->GetColumnFamilyMetaData(handle, &all);
        for (const auto& file : all.levels[0].files) files.push_back(file.name);
        ROCKSDB_NAMESPACE::CompactionOptions how;
        how.output_file_size_limit = uint64_t{1} << 40;
        ASSERT_STATUS_OK(database_->CompactFiles(how, handle, files, level));
      }
    }
  }

  std::string NextKey(double absent_share) {
    const double draw = std::uniform_real_distribution<double>()(random_);
    if (draw < absent_share) return KeyOf((uint64_t{1} << 46) + absent_++);
    const auto level = static_cast<int>(random_() % kLevels);
    return KeyOf(NumberOf(level, random_() % kKeysOfLevel[level]));
  }

  // Runs Gets, MultiGets and, with prefixes, seeks, in turn.
  void LookUp(size_t family, size_t lookups, double absent_share, bool with_seeks) {
    ReadOptions read;
    ColumnFamilyHandle* const handle = opened_.handles[family];
    constexpr size_t kBatch = 20;
    std::vector<std::string> keys(kBatch);
    std::vector<Slice> slices(kBatch);
    std::vector<PinnableSlice> values(kBatch);
    std::vector<Status> statuses(kBatch);
    for (size_t done = 0; done < lookups; done += kBatch) {
      for (std::string& key : keys) key = NextKey(absent_share);
      if (done / kBatch % 3 != 0) {
        for (size_t i = 0; i < kBatch; ++i) slices[i] = keys[i];
        for (PinnableSlice& value : values) value.Reset();
        database_->MultiGet(read, handle, kBatch, slices.data(), values.data(), statuses.data());
        continue;
      }
      std::unique_ptr<ROCKSDB_NAMESPACE::Iterator> scan;
      for (const std::string& key : keys) {
        if (!with_seeks || !kFamilies[family].has_prefixes) {
          values[0].Reset();
          database_->Get(read, handle, key, &values[0]);
          continue;
        }
        ReadOptions prefix;
        prefix.prefix_same_as_start = true;
        scan.reset(database_->NewIterator(prefix, handle));
        scan->Seek(key);
      }
    }
  }

  uint64_t Ticker() const {
    return statistics_->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_POSITIVE) -
           statistics_->getTickerCount(ROCKSDB_NAMESPACE::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  }

  // Returns the figures of the current policies, by column family and level.
  static std::map<std::pair<std::string, int64_t>, FilterUse> Use() {
    std::map<std::pair<std::string, int64_t>, FilterUse> use;
    for (const NamedFilterUse& row : CurrentFilterUse()) {
      EXPECT_TRUE(use.emplace(std::pair(row.policy, row.use.level), row.use).second);
    }
    return use;
  }

  TemporaryFolder folder_;
  Truth truth_[kNumFamilies];
  std::shared_ptr<ROCKSDB_NAMESPACE::Cache> cache_;
  std::shared_ptr<ROCKSDB_NAMESPACE::Statistics> statistics_ =
      ROCKSDB_NAMESPACE::CreateDBStatistics();
  std::shared_ptr<CountingPolicy> policies_[kNumFamilies];
  testing::OpenFamilies opened_;
  DB* database_ = nullptr;
  std::mt19937_64 random_{20260308};
  uint64_t absent_ = 0;
};

TEST_F(FilterUseTest, IsAsCountedBeside) {
  const auto gap = static_cast<uint32_t>(FromEnvironment("WINNOW_FILTER_USE_GAP", 4));
  const uint64_t lookups = FromEnvironment("WINNOW_FILTER_USE_LOOKUPS", 40'000);
  std::printf("seed 20260308, one ask in %u, %llu lookups a family and round\n", gap,
              static_cast<unsigned long long>(lookups));
  SetMeanGap(gap);
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(Write());
  int cells = 0;
  int covered = 0;
  int large_cells = 0;
  double worst = 0;
  std::vector<double> widths;
  double estimated = 0;
  uint64_t ticked = 0;
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(Open());  // new policies, whose figures begin at 0
    const double absent_share = kAbsentShares[round % 5];
    // Rounds without seeks, which other tickers count.
    const bool with_seeks = round % 2 == 1;
    const uint64_t before = Ticker();
    std::thread([&] {
      for (size_t family = 0; family < kNumFamilies; ++family) {
        LookUp(family, lookups, absent_share, with_seeks);
      }
    }).join();
    const uint64_t after = Ticker();
    const auto use = Use();
    ASSERT_EQ(use.size(), kNumFamilies * kLevels);
    for (size_t family = 0; family < kNumFamilies; ++family) {
      for (int level = 0; level < kLevels; ++level) {
        const Counts& counts = policies_[family]->counts()[static_cast<size_t>(level)];
        const auto found = std::find_if(use.begin(), use.end(), [&](const auto& one) {
          return one.first == std::pair<std::string, int64_t>(kFamilies[family].policy, level);
        });
        ASSERT_NE(found, use.end());
        const FilterUse& figures = found->second;
        if (!with_seeks) {
          estimated += figures.false_positives;
        }
        EXPECT_NEAR(figures.asks, static_cast<double>(counts.asks),
                    6 * std::sqrt(static_cast<double>(counts.asks) * gap) + gap);
        EXPECT_GT(figures.filters, 0u);
        // Lookups of present keys alone check the last level's filters for no absent keys.
        if (counts.rates < 1 || figures.denied_counted < 100) continue;
        ++cells;
        if (counts.rates >= figures.false_positives_low &&
            counts.rates <= figures.false_positives_high) {
          ++covered;
        }
        widths.push_back((figures.false_positives_high - figures.false_positives_low) /
                         figures.false_positives);
        const double off = figures.false_positives / counts.rates - 1;
        const double deviation = 1 / std::sqrt(static_cast<double>(figures.denied_counted));
        if (figures.asks_counted >= 10'000) {
          ++large_cells;
          worst = std::max(worst, std::abs(off));
          EXPECT_LT(std::abs(off), std::max(0.05, 5 * deviation))
              << kFamilies[family].name << ", level " << level << ", " << figures.false_positives
              << " instead of " << counts.rates << ", of " << figures.denied_counted << " denied";
        }
      }
    }
    if (!with_seeks) ticked += after - before;
  }
  std::sort(widths.begin(), widths.end());
  std::printf("%d of %d cells within their bounds, which are %.1f %% apart (median)\n", covered,
              cells, 100 * widths.at(widths.size() / 2));
  std::printf("%d cells with 10,000 counted asks, the worst %.2f %% off\n", large_cells,
              100 * worst);
  std::printf("%.0f false positives expected, %llu by the tickers: %+.2f %%\n", estimated,
              static_cast<unsigned long long>(ticked),
              100 * (estimated / static_cast<double>(ticked) - 1));
  EXPECT_GE(cells, 200);
  // 95 of 100 are expected. One run in 800 would have 90 of 100 or fewer by chance.
  EXPECT_GE(covered, 0.95 * cells - 6 * std::sqrt(0.95 * 0.05 * cells));
  EXPECT_GT(large_cells, 0);
  EXPECT_GT(ticked, 100'000u);
  EXPECT_NEAR(estimated / static_cast<double>(ticked), 1, 0.01);
}

// Returns the filters in memory by the families that the rows of this policy name.
std::map<std::string, uint64_t> FiltersByFamily(const std::string& policy) {
  std::map<std::string, uint64_t> filters;
  for (const NamedFilterUse& row : CurrentFilterUse()) {
    if (row.policy == policy && row.use.filters > 0) filters[row.families] += row.use.filters;
  }
  return filters;
}

TEST(FilterUseOfFamiliesTest, EachFamilyOfAPolicyHasItsRows) {
  using Filters = std::map<std::string, uint64_t>;
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  const std::string text = "bits_per_key=9.25";
  const TemporaryFolder folder;
  testing::OpenFamilies opened;
  const auto open = [&] {
    BlockBasedTableOptions table;
    table.filter_policy = testing::MakePolicyFrom("{id=winnow;" + text + "}");
    ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(table);
    options.create_missing_column_families = true;
    opened.Open(options, folder / "db", {{"default", options}, {"orders", options}});
    ASSERT_NE(opened.database, nullptr);
  };
  const auto flush = [&](size_t family) {
    for (uint64_t i = 0; i < 20'000; ++i) {  // small filters have no note
      ASSERT_STATUS_OK(
          opened.database->Put(WriteOptions(), opened.handles[family], KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(opened.database->Flush({}, opened.handles[family]));
  };
  open();
  flush(0);
  flush(1);
  flush(1);
  EXPECT_EQ(FiltersByFamily(text), (Filters{{"default", 1}, {"orders", 2}}));
  open();
  EXPECT_EQ(FiltersByFamily(text), (Filters{{"", 3}})) << "no family was named yet";
  flush(1);
  flush(0);
  EXPECT_EQ(FiltersByFamily(text), (Filters{{"default", 2}, {"orders", 3}}))
      << "the files that were found have notes";
  opened.Close();
  EXPECT_EQ(FiltersByFamily(text), Filters());
}

}  // namespace filter_use_test
}  // namespace winnow::plugin
