// level_plan=learned in databases: false reads of the filters for lookups that repeat the learned
// distribution, compared with level_plan=auto.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/trees/tree_files.h"
#include "tests/support/database_files.h"
#include "tests/support/database_model.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_listener.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_learned_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using testing::AbsentKey;
using ::testing::HasSubstr;
using testing::Key;
using testing::MakePolicyFrom;

constexpr char kLearned[] = "{id=winnow;level_plan=learned}";
constexpr char kAuto[] = "{id=winnow;level_plan=auto}";

constexpr uint64_t kKeys = 60'000;
constexpr uint64_t kHot = kKeys / 10;  // keys of a hot range
constexpr uint64_t kLookups = 60'000;  // one in 64 is sampled

using Policy = std::shared_ptr<const FilterPolicy>;

// Returns `n` random numbers, nine in ten of them in the hot range from `hot_begin`.
std::vector<uint64_t> HotNumbers(uint64_t hot_begin, uint64_t n, uint64_t seed,
                                 uint64_t hot = kHot) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> numbers(n);
  for (uint64_t& number : numbers) {
    number = random() % 10 == 0 ? random() % kKeys : hot_begin + random() % hot;
  }
  return numbers;
}

// Memory and false reads of filters.
struct Filters {
  double false_reads = 0;  // expected per lookup
  double to_uniform = 0;   // memory relative to uniform filters
};

// Database with two column families. Compactions are manual, so each run has the same files.
class LearnedTest : public ::testing::Test {
 protected:
  LearnedTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }
  ~LearnedTest() override { Close(); }

  // Common prefixes of keys: none, or `bytes` bytes that are unique to each tenant.
  struct Prefixes {
    uint64_t tenants = 1;
    size_t bytes = 0;
  };

  std::string PrefixOf(uint64_t number) const {
    if (prefixes_.bytes == 0) return {};
    const uint64_t tenant = number * prefixes_.tenants / kKeys;
    std::string prefix = std::to_string(1000 + tenant).substr(1);
    std::mt19937 random(static_cast<unsigned>(tenant));
    while (prefix.size() < prefixes_.bytes) {
      prefix.push_back(static_cast<char>('a' + random() % 26));
    }
    return prefix;
  }
  std::string KeyOf(uint64_t number) const { return PrefixOf(number) + Key(number); }
  std::string AbsentKeyOf(uint64_t number) const { return PrefixOf(number) + AbsentKey(number); }

  // Returns `n` random numbers, nine in ten of them in a hot twentieth of their tenant's range.
  std::vector<uint64_t> TenantNumbers(uint64_t n, uint64_t seed) const {
    std::mt19937_64 random(seed);
    const uint64_t of_tenant = kKeys / prefixes_.tenants;
    std::vector<uint64_t> numbers(n);
    for (uint64_t& number : numbers) {
      number = random() % kKeys;
      if (random() % 10 == 0) continue;
      number += of_tenant / 3 + random() % (of_tenant / 20) - number % of_tenant;
    }
    return numbers;
  }

  void Open(const Policy& policy) {
    BlockBasedTableOptions table;
    table.filter_policy = policy;
    Options options = testing::MakeOptions(table);
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.disable_auto_compactions = true;
    options.target_file_size_base = 48 << 10;  // about 1,200 keys
    options.max_bytes_for_level_base = 128 << 10;
    options.compression = ROCKSDB_NAMESPACE::kNoCompression;
    options.write_buffer_size = 64 << 20;
    if (has_listener_) options.listeners.push_back(NewListener(policy));
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families = {{"default", options},
                                                                       {"other", options}};
    std::vector<ColumnFamilyHandle*> handles;
    rocksdb_abi::OpenedDB opened{};
    ASSERT_STATUS_OK(DB::Open(options, path_, families, &handles, &opened));
    database_ = rocksdb_abi::Own(std::move(opened));
    families_ = {handles[0], handles[1]};
  }

  void Close() {
    for (ColumnFamilyHandle* family : families_) {
      if (family != nullptr) {
        EXPECT_TRUE(database_->DestroyColumnFamilyHandle(family).ok());
      }
    }
    families_ = {};
    database_.reset();
  }

  void OpenAfresh(const Policy& policy) {
    Close();
    std::filesystem::remove_all(path_);
    Open(policy);
  }

  // Writes every `step`-th key of [first, end) and merges them into the level.
  void Write(size_t family, int level, uint64_t first, uint64_t end, uint64_t step) {
    for (uint64_t i = first; i < end; i += step) {
      ASSERT_STATUS_OK(database_->Put({}, families_[family], KeyOf(i), "value"));
    }
    ASSERT_STATUS_OK(database_->Flush({}, families_[family]));
    ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(families_[family], &metadata);
    std::vector<std::string> names;
    for (const auto& file : metadata.levels[0].files) names.push_back(file.name);
    ROCKSDB_NAMESPACE::CompactionOptions compaction;
    compaction.compression = ROCKSDB_NAMESPACE::kDisableCompressionOption;
    compaction.output_file_size_limit = 48 << 10;
    ASSERT_STATUS_OK(database_->CompactFiles(compaction, families_[family], names, level));
  }

  // Writes all keys to level 3, every seventh to level 2 and every fiftieth to level 1.
  void WriteTree(size_t family) {
    Write(family, 3, 0, kKeys, 1);
    Write(family, 2, 0, kKeys, 7);
    Write(family, 1, 0, kKeys, 50);
  }

  void LookUp(size_t family, uint64_t hot_begin, uint64_t n = kLookups) {
    std::string value;
    for (const uint64_t number : HotNumbers(hot_begin, n, 1 + n)) {
      ASSERT_TRUE(database_->Get({}, families_[family], AbsentKey(number), &value).IsNotFound());
    }
  }

  // Returns the filters' figures for lookups with this hot range.
  Filters FiltersOf(size_t family, uint64_t hot_begin, uint64_t hot = kHot) {
    return FiltersFor(family, HotNumbers(hot_begin, 20'000, 9, hot));
  }

  Filters FiltersFor(size_t family, const std::vector<uint64_t>& numbers) {
    std::map<std::string, FilterInfo> filters;
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
      filters[file.file.substr(file.file.rfind('/') + 1)] = FilterView(file.block).info();
    }
    ColumnFamilyMetaData metadata;
    database_->GetColumnFamilyMetaData(families_[family], &metadata);
    std::vector<std::string> lookups;
    for (const uint64_t number : numbers) lookups.push_back(AbsentKeyOf(number));
    std::sort(lookups.begin(), lookups.end());
    Filters sum;
    double bytes = 0;
    double uniform = 0;
    for (const auto& level : metadata.levels) {
      for (const auto& file : level.files) {
        const FilterInfo& filter = filters.at(file.name.substr(1));
        const auto begin = std::lower_bound(lookups.begin(), lookups.end(), file.smallestkey);
        const auto end = std::upper_bound(begin, lookups.end(), file.largestkey);
        sum.false_reads += static_cast<double>(end - begin) * filter.expected_fpr /
                           static_cast<double>(lookups.size());
        bytes += static_cast<double>(filter.size_bytes);
        uniform += static_cast<double>(
            core::EstimateBytes(filter.num_hashes, core::ForBuilding(FilterOptions())));
      }
    }
    sum.to_uniform = bytes / uniform;
    return sum;
  }

  // Returns the filters' figures for a tree of tenants that is written and looked up twice with
  // `policy`, then written again.
  Filters FiltersOfTenants(const Policy& policy) {
    OpenAfresh(policy);
    std::string value;
    for (const uint64_t seed : {1, 2}) {
      WriteTree(0);
      for (const uint64_t number : TenantNumbers(kLookups, seed)) {
        EXPECT_TRUE(database_->Get({}, families_[0], AbsentKeyOf(number), &value).IsNotFound());
      }
    }
    WriteTree(0);
    return FiltersFor(0, TenantNumbers(20'000, 9));
  }

  // Returns the filters' figures for a tree that is written twice with level_plan=auto.
  Filters FiltersUnderAuto(uint64_t hot_begin) {
    OpenAfresh(MakePolicyFrom(kAuto));
    WriteTree(0);
    WriteTree(0);
    return FiltersOf(0, hot_begin);
  }

  // Expects more bits for hot files if tenants have many files, and no gain if a tenant has half a
  // file.
  void ExpectTenantsGain(uint64_t tenants, size_t bytes, bool has_listener) {
    prefixes_ = {tenants, bytes};
    has_listener_ = has_listener;
    const Filters planned = FiltersOfTenants(MakePolicyFrom(kAuto));
    const Filters learned = FiltersOfTenants(MakePolicyFrom(kLearned));
    const double of_planned = learned.false_reads / planned.false_reads;
    std::printf(
        "%3d tenants, prefixes of %3zu bytes, %s listener: auto %.5f, learned %.5f, %.3f of it; "
        "memory %.3f and %.3f\n",
        static_cast<int>(tenants), bytes, has_listener ? "with   " : "without", planned.false_reads,
        learned.false_reads, of_planned, planned.to_uniform, learned.to_uniform);
    EXPECT_LT(of_planned, tenants > 4 ? 1.05 : 0.7);
    EXPECT_LT(learned.to_uniform, std::max(1.04, planned.to_uniform));
  }

  const testing::TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  std::unique_ptr<DB> database_;
  std::array<ColumnFamilyHandle*, 2> families_{};
  Prefixes prefixes_;
  bool has_listener_ = false;
};

// The hot range of one column family is cold in the other.
constexpr std::array<uint64_t, 2> kHotBegins = {0, kKeys - kHot};

TEST_F(LearnedTest, FamiliesOfOnePolicyFollowTheirOwnLookupsAlsoOpenedAgain) {
  const std::array<Filters, 2> planned = {FiltersUnderAuto(kHotBegins[0]),
                                          FiltersUnderAuto(kHotBegins[1])};
  const auto expect_own = [&] {
    for (const size_t family : {0u, 1u}) {
      SCOPED_TRACE("family " + std::to_string(family));
      const Filters own = FiltersOf(family, kHotBegins[family]);
      const Filters of_other = FiltersOf(family, kHotBegins[1 - family]);
      EXPECT_LT(own.false_reads, 0.7 * planned[family].false_reads);
      EXPECT_GT(of_other.false_reads, 1.2 * own.false_reads);
      EXPECT_LT(own.to_uniform, std::max(1.04, planned[family].to_uniform));
      std::printf("family %zu: %.3f of auto's false reads, memory %.3f of uniform's, auto's %.3f\n",
                  family, own.false_reads / planned[family].false_reads, own.to_uniform,
                  planned[family].to_uniform);
    }
  };
  const auto turn_over = [&] {
    for (const size_t family : {0u, 1u}) WriteTree(family);
  };
  const auto look_up = [&] {
    for (const size_t family : {0u, 1u}) LookUp(family, kHotBegins[family]);
  };
  Policy policy = MakePolicyFrom(kLearned);
  OpenAfresh(policy);
  turn_over();
  look_up();
  turn_over();
  expect_own();
  // The same policy continues from what it has learned for each column family.
  Close();
  Open(policy);
  turn_over();
  expect_own();
  // A new policy, as in another process: old filters tell it nothing, its own new ones do.
  Close();
  policy = MakePolicyFrom(kLearned);
  Open(policy);
  turn_over();
  look_up();
  turn_over();
  expect_own();
}

// A tree that is rewritten during lookups, a tenth of its keys at a time. The first files after an
// open are written before there are samples.
TEST_F(LearnedTest, AfterAnotherProcessOpenedItOneTurnoverIsEnough) {
  for (const uint64_t hot_tenth : {0, 3}) {
    SCOPED_TRACE("hot tenth " + std::to_string(hot_tenth));
    const uint64_t hot_begin = kKeys / 10 * hot_tenth;
    const auto turn_over_under_lookups = [&] {
      for (uint64_t part = 0; part < 10; ++part) {
        const uint64_t first = kKeys / 10 * ((7 * part) % 10);
        Write(0, 3, first, first + kKeys / 10, 1);
        Write(0, 2, 0, kKeys, 7);
        Write(0, 1, 0, kKeys, 50);
        LookUp(0, hot_begin, kLookups / 2);
      }
    };
    const Filters planned = FiltersUnderAuto(hot_begin);
    OpenAfresh(MakePolicyFrom(kLearned));
    WriteTree(0);
    turn_over_under_lookups();
    turn_over_under_lookups();
    const Filters before = FiltersOf(0, hot_begin);
    EXPECT_LT(before.false_reads, 0.8 * planned.false_reads);
    Close();
    Open(MakePolicyFrom(kLearned));
    turn_over_under_lookups();
    const Filters after = FiltersOf(0, hot_begin);
    std::printf("after a turnover %.3f of the false reads of before, memory %.3f and %.3f\n",
                after.false_reads / before.false_reads, after.to_uniform, before.to_uniform);
    EXPECT_LT(after.false_reads, 1.1 * before.false_reads);
    EXPECT_LT(after.false_reads, 0.8 * planned.false_reads);
    EXPECT_LT(after.to_uniform, 1.04);
  }
}

// The first rewrite matches level_plan=auto, whichever policy built the old files.
TEST_F(LearnedTest, FilesOfRocksdbsFiltersBecomeNoWorseThanThePlans) {
  std::map<std::string, Filters> found;
  for (const char* policy : {kAuto, kLearned}) {
    OpenAfresh(MakePolicyFrom("bloomfilter:10"));
    WriteTree(0);
    Close();
    Open(MakePolicyFrom(policy));
    for (uint64_t part = 0; part < 10; ++part) {
      const uint64_t first = kKeys / 10 * ((7 * part) % 10);
      Write(0, 3, first, first + kKeys / 10, 1);
      Write(0, 2, 0, kKeys, 7);
      Write(0, 1, 0, kKeys, 50);
      std::string value;
      for (uint64_t i = 0; i < kLookups / 4; ++i) {
        const uint64_t number = (part * 7919 + i * 31) % kKeys;  // evenly
        ASSERT_TRUE(database_->Get({}, families_[0], AbsentKey(number), &value).IsNotFound());
      }
    }
    found[policy] = FiltersOf(0, 0, kKeys);
  }
  std::printf("switched: %.3f of auto's false reads, memory %.3f and %.3f\n",
              found[kLearned].false_reads / found[kAuto].false_reads, found[kLearned].to_uniform,
              found[kAuto].to_uniform);
  EXPECT_LT(found[kLearned].false_reads, 1.03 * found[kAuto].false_reads);
  EXPECT_LT(found[kLearned].to_uniform, std::max(1.04, found[kAuto].to_uniform));
}

// The policy knows the lower half of the keys. New keys are beyond all that were looked up, and
// their files are trivial moves.
TEST_F(LearnedTest, ASequentialLoadUnderLookupsIsAsUnderThePlan) {
  std::map<std::string, Filters> found;
  for (const char* policy : {kAuto, kLearned}) {
    OpenAfresh(MakePolicyFrom(policy));
    Write(0, 3, 0, kKeys / 2, 1);
    Write(0, 2, 0, kKeys / 2, 7);
    ASSERT_STATUS_OK(database_->SetOptions(families_[0], {{"disable_auto_compactions", "false"}}));
    const SampleCounters before = CurrentSampleCounters();
    constexpr uint64_t kStep = kKeys / 60;
    for (uint64_t first = kKeys / 2; first < kKeys; first += kStep) {
      std::string value;
      for (uint64_t i = 0; i < 3 * kStep; ++i) {  // evenly
        ASSERT_TRUE(
            database_->Get({}, families_[0], AbsentKey(i * 7919 % first), &value).IsNotFound());
      }
      for (uint64_t i = first; i < first + kStep; ++i) {
        ASSERT_STATUS_OK(database_->Put({}, families_[0], Key(i), "value"));
      }
      ASSERT_STATUS_OK(database_->Flush({}, families_[0]));
    }
    if (policy == kLearned) {
      EXPECT_GT(CurrentSampleCounters().lookups_sampled - before.lookups_sampled, 512u);
    }
    // Waits for running jobs, and starts no others while the files are read.
    ASSERT_STATUS_OK(database_->PauseBackgroundWork());
    found[policy] = FiltersOf(0, 0, kKeys);
    ASSERT_STATUS_OK(database_->ContinueBackgroundWork());
  }
  std::printf("loaded in order: %.3f of auto's false reads, memory %.3f and %.3f\n",
              found[kLearned].false_reads / found[kAuto].false_reads, found[kLearned].to_uniform,
              found[kAuto].to_uniform);
  EXPECT_LT(found[kLearned].false_reads, 1.03 * found[kAuto].false_reads);
  EXPECT_LT(found[kLearned].to_uniform, std::max(1.04, found[kAuto].to_uniform));
}

// Keys of a tenant share a long prefix, which other tenants' keys lack.
TEST_F(LearnedTest, TenantsKeysAreToldApartBehindPrefixesOfAnyLength) {
  const char* const all = std::getenv("WINNOW_ALL_PREFIXES");  // all lengths, for minutes
  const std::vector<size_t> lengths =
      all == nullptr ? std::vector<size_t>{62} : std::vector<size_t>{10, 62, 120, 300};
  for (const uint64_t tenants :
       all == nullptr ? std::vector<uint64_t>{4} : std::vector<uint64_t>{1, 4, 100}) {
    for (const size_t bytes : lengths) {
      for (const bool has_listener : {false, true}) {
        ExpectTenantsGain(tenants, bytes, has_listener);
      }
    }
  }
}

// The prefix is longer than the stored part of a key: without samples, the plan's rates stay.
TEST_F(LearnedTest, KeysThatAreNotToldApartHaveThePlansRates) {
  prefixes_ = {4, TreeFiles::kMaxKeyBytes + 10};
  for (const bool has_listener : {false, true}) {
    has_listener_ = has_listener;
    const Filters planned = FiltersOfTenants(MakePolicyFrom(kAuto));
    const SampleCounters before = CurrentSampleCounters();
    const Filters learned = FiltersOfTenants(MakePolicyFrom(kLearned));
    EXPECT_NEAR(learned.false_reads / planned.false_reads, 1, 0.05);
    EXPECT_NEAR(learned.to_uniform, planned.to_uniform, 0.02);
    EXPECT_GT(CurrentSampleCounters().files_not_told_apart, before.files_not_told_apart);
    EXPECT_THAT(
        testing::ReadFile(path_ + "/LOG"),
        HasSubstr("level_plan=learned needs keys that are told apart by at most 512 bytes"));
  }
}

}  // namespace policy_learned_test
}  // namespace winnow::plugin
