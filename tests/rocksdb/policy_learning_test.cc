// level_plan=auto in databases with lookups: false reads of filters for lookups that are repeated,
// compared with the same trees without lookups.

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_learning_test {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;

constexpr uint64_t kKeys = 24'000;
constexpr uint64_t kHot = kKeys / 10;
constexpr size_t kFileBytes = 16 << 10;  // some 400 keys

// Memory and false reads of filters.
struct Filters {
  double false_reads = 0;  // expected per lookup
  double to_uniform = 0;   // memory relative to uniform filters
};

// Database with two column families. Compactions are manual, so each run has the same files.
class LearningTest : public ::testing::Test {
 protected:
  LearningTest() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    SetMeanGap(8);
  }
  ~LearningTest() override {
    Close();
    SetMeanGap(kNoSetGap);
  }

  void Open(bool is_new_policy = true) {
    if (is_new_policy) policy_ = testing::MakePolicyFrom("{id=winnow;level_plan=auto}");
    ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
    table.filter_policy = policy_;
    Options options = testing::MakeOptions(table);
    options.create_missing_column_families = true;
    options.disable_auto_compactions = true;
    options.target_file_size_base = kFileBytes;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.write_buffer_size = 64 << 20;
    if (has_listener_) options.listeners.push_back(NewListener(policy_));
    std::vector<ColumnFamilyHandle*> handles;
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(
        DB::Open(options, path_, {{"default", options}, {"other", options}}, &handles, &opened));
    database_ = rocksdb_abi::Own(std::move(opened));
    families_ = {handles[0], handles[1]};
  }

  void Close() {
    for (ColumnFamilyHandle* const family : families_) {
      if (family != nullptr) database_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
    }
    families_ = {};
    database_.reset();
  }

  // Returns the key of a number, behind the name of its tenant, of which there are four.
  std::string Named(uint64_t number, const std::string& key) const {
    if (name_bytes_ == 0) return key;
    return std::string(1, static_cast<char>('a' + 4 * number / kKeys)) +
           std::string(name_bytes_ - 1, 'n') + key;
  }

  // Writes every `step`-th key and merges them into the level.
  void Write(size_t family, int level, uint64_t step) {
    for (uint64_t i = 0; i < kKeys; i += step) {
      ASSERT_STATUS_OK(database_->Put({}, families_[family], Named(i, testing::Key(i)), "value"));
    }
    ASSERT_STATUS_OK(database_->Flush({}, families_[family]));
    ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(families_[family], &metadata);
    std::vector<std::string> names;
    for (const auto& file : metadata.levels[0].files) names.push_back(file.name);
    ROCKSDB_NAMESPACE::CompactionOptions compaction;
    compaction.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
    compaction.output_file_size_limit = kFileBytes;
    ASSERT_STATUS_OK(database_->CompactFiles(compaction, families_[family], names, level));
  }
  void WriteTree(size_t family) {
    for (const auto& [level, step] : {std::pair{3, 1}, {2, 7}, {1, 50}}) {
      Write(family, level, static_cast<uint64_t>(step));
    }
  }

  // Returns absent keys, nine in ten of them in the hot tenth from this number on.
  std::vector<std::string> Absent(uint64_t hot_begin, uint64_t hot, uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::vector<std::string> keys(kKeys);
    for (std::string& key : keys) {
      const uint64_t number = random() % 10 == 0 ? random() % kKeys : hot_begin + random() % hot;
      key = Named(number, testing::AbsentKey(number));
    }
    return keys;
  }

  void LookUp(size_t family, uint64_t hot_begin, uint64_t hot = kHot) {
    std::thread([&] {
      std::string value;
      for (const std::string& key : Absent(hot_begin, hot, 1)) {
        EXPECT_TRUE(database_->Get({}, families_[family], key, &value).IsNotFound());
      }
    }).join();
  }

  // Returns the filters' figures for such lookups.
  Filters FiltersOf(size_t family, uint64_t hot_begin, uint64_t hot = kHot) {
    std::map<std::string, FilterInfo> filters;
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
      filters[file.file.substr(file.file.rfind('/') + 1)] = FilterView(file.block).info();
    }
    ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(families_[family], &metadata);
    std::vector<std::string> lookups = Absent(hot_begin, hot, 9);
    std::sort(lookups.begin(), lookups.end());
    Filters sum;
    double bytes = 0;
    double uniform = 0;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        const FilterInfo& filter = filters.at(file.name.substr(1));
        const auto begin = std::lower_bound(lookups.begin(), lookups.end(), file.smallestkey);
        const auto end = std::upper_bound(begin, lookups.end(), file.largestkey);
        sum.false_reads += static_cast<double>(end - begin) * filter.expected_fpr / double{kKeys};
        bytes += static_cast<double>(filter.size_bytes);
        uniform += static_cast<double>(
            core::EstimateBytes(filter.num_hashes, core::ForBuilding(FilterOptions())));
      }
    }
    sum.to_uniform = bytes / uniform;
    return sum;
  }

  // Expects these false reads at equal memory, relative to those of the tree before lookups, and no
  // more memory.
  static void ExpectChange(const char* what, const Filters& after, const Filters& before,
                           double least, double most) {
    const double bits = -std::log2(core::RateForBits(10)) * (after.to_uniform - before.to_uniform);
    const double change = after.false_reads / before.false_reads * std::exp2(bits);
    std::printf("%s: %.3f of the false reads, memory %.3f and %.3f of uniform filters\n", what,
                change, after.to_uniform, before.to_uniform);
    EXPECT_GE(change, least) << what;
    EXPECT_LE(change, most) << what;
    EXPECT_LE(after.to_uniform, std::max(1.1, before.to_uniform)) << what;
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy_;
  std::unique_ptr<DB> database_;
  std::array<ColumnFamilyHandle*, 2> families_{};
  size_t name_bytes_ = 0;
  bool has_listener_ = false;
};

// The hot range of one column family is cold in the other.
constexpr std::array<uint64_t, 2> kHotBegins = {0, kKeys - kHot};

TEST_F(LearningTest, FamiliesOfOnePolicyFollowTheirOwnLookupsAlsoOpenedAgain) {
  for (const bool has_listener : {false, true}) {
    has_listener_ = has_listener;
    Open();
    const auto turn_over = [&](int times, bool looks) {
      for (int i = 0; i < times; ++i) {
        for (const size_t family : {0u, 1u}) WriteTree(family);
        for (const size_t family : {0u, 1u}) {
          if (looks) LookUp(family, kHotBegins[family]);
        }
      }
    };
    turn_over(2, false);
    const std::array<Filters, 2> before = {FiltersOf(0, kHotBegins[0]),
                                           FiltersOf(1, kHotBegins[1])};
    const auto expect_own = [&](const char* what) {
      for (const size_t family : {0u, 1u}) {
        const Filters own = FiltersOf(family, kHotBegins[family]);
        ExpectChange(what, own, before[family], 0, 0.7);
        EXPECT_GT(FiltersOf(family, kHotBegins[1 - family]).false_reads, 1.2 * own.false_reads);
      }
    };
    turn_over(2, true);
    expect_own("after lookups");
    // Without a listener, files end when the database is closed, and with them what they counted.
    Close();
    Open(/*is_new_policy=*/false);
    turn_over(1, !has_listener);
    if (!has_listener) turn_over(1, false);
    expect_own("opened again");
    // Another process begins with nothing.
    Close();
    Open();
    turn_over(2, true);
    expect_own("another process");
    Close();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options(), {{"other", {}}}));
  }
}

TEST_F(LearningTest, FlatLookupsChangeLittle) {
  Open();
  for (int i = 0; i < 2; ++i) WriteTree(0);
  const Filters before = FiltersOf(0, 0, kKeys);
  for (int i = 0; i < 3; ++i) {
    LookUp(0, 0, kKeys);
    WriteTree(0);
    ExpectChange("flat lookups", FiltersOf(0, 0, kKeys), before, 0.9, 1.12);
  }
}

// Keys behind names that are longer than what is kept of keys are not told apart.
TEST_F(LearningTest, TenantsKeysAreToldApartBehindTheirNames) {
  for (const size_t bytes : {10, 62, 230, 300}) {
    name_bytes_ = bytes;
    Open();
    const uint64_t hot_begin = kKeys / 3;
    for (int i = 0; i < 2; ++i) WriteTree(0);
    const Filters before = FiltersOf(0, hot_begin);
    for (int i = 0; i < 2; ++i) {
      LookUp(0, hot_begin);
      WriteTree(0);
    }
    SCOPED_TRACE(std::to_string(bytes) + " bytes");
    ExpectChange("tenants", FiltersOf(0, hot_begin), before, 0, bytes < 256 ? 0.7 : 1.05);
    Close();
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::DestroyDB(path_, Options(), {{"other", {}}}));
  }
}

}  // namespace policy_learning_test
}  // namespace winnow::plugin
