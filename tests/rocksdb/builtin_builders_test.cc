#include "src/rocksdb/builders/builtin_builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/counters.h"
#include "src/rocksdb/policy_options.h"
#include "tests/support/child_process.h"
#include "tests/support/decimal_comma.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace builtin_builders_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableFileCreationReason;
using ::testing::AllOf;
using ::testing::HasSubstr;

PolicyOptions Options(Build build, double bits_per_key, int bloom_before_level = 0) {
  PolicyOptions options;
  options.build = build;
  options.bits_per_key = bits_per_key;
  options.bloom_before_level = bloom_before_level;
  return options;
}

BlockBasedTableOptions Table(int format_version) {
  BlockBasedTableOptions table;
  table.format_version = static_cast<uint32_t>(format_version);
  table.optimize_filters_for_memory = false;  // builds the same sizes each time
  return table;
}

std::vector<FilterBuildingContext> AllSituations(const BlockBasedTableOptions& table) {
  std::vector<FilterBuildingContext> situations;
  const auto add = [&](TableFileCreationReason reason, int level) {
    situations.emplace_back(table);
    situations.back().reason = reason;
    situations.back().level_at_creation = level;
    situations.back().num_levels = 7;
  };
  add(TableFileCreationReason::kFlush, 0);
  add(TableFileCreationReason::kMisc, -1);
  for (int level = 0; level < 7; ++level) {
    add(TableFileCreationReason::kCompaction, level);
  }
  situations.push_back(situations.front());
  situations.back().compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
  return situations;
}

std::string Block(FilterBitsBuilder* made) {
  const std::unique_ptr<FilterBitsBuilder> builder(made);
  if (builder == nullptr) {
    ADD_FAILURE() << "expected a builder";
    return {};
  }
  for (int i = 0; i < 5000; ++i) {
    builder->AddKey("key" + std::to_string(i));
  }
  std::unique_ptr<const char[]> bytes;
  return builder->Finish(&bytes).ToString();
}

std::unique_ptr<const FilterPolicy> Stock(const PolicyOptions& options) {
  return std::unique_ptr<const FilterPolicy>(
      options.build == Build::kBloomFilter
          ? ROCKSDB_NAMESPACE::NewBloomFilterPolicy(options.bits_per_key)
          : ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(options.bits_per_key,
                                                     options.bloom_before_level));
}

// Before 8.7, RocksDB's Ribbon policy builds Ribbon filters for files of unknown level even if
// `bloom_before_level` is INT_MAX. Winnow then builds Bloom filters for all files, with every
// RocksDB version.
bool IsOtherThanRocksDBs(const PolicyOptions& options, const FilterBuildingContext& context) {
  const bool has_no_level = context.level_at_creation < 0 ||
                            context.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleFIFO;
  return !WINNOW_ROCKSDB_AT_LEAST(8, 7) && options.build == Build::kRibbonFilter &&
         options.bloom_before_level == 2147483647 && has_no_level;
}

TEST(BuiltinBuildersTest, BuildTheVeryBytesOfRocksDBsPolicies) {
  std::vector<PolicyOptions> all;
  for (const double bits : {1.0, 10.0, 9.876, 100.0 / 7, 32.0}) {
    all.push_back(Options(Build::kBloomFilter, bits));
    for (const int level : {-1, 0, 3, 2147483647}) {
      all.push_back(Options(Build::kRibbonFilter, bits, level));
    }
  }
  const BuiltinBuilders builders;
  for (const PolicyOptions& options : all) {
    ASSERT_STATUS_OK(CheckBuild(options));
    const auto stock = Stock(options);
    // RocksDB's Bloom policy builds filters of another format up to format_version 4.
    for (const int format_version : {4, 5}) {
      const BlockBasedTableOptions table = Table(format_version);
      for (const FilterBuildingContext& context : AllSituations(table)) {
        const std::string block = Block(builders.NewBuilder(options, context));
        EXPECT_GT(block.size(), 400u);
        EXPECT_NE(block == Block(stock->GetBuilderWithContext(context)),
                  IsOtherThanRocksDBs(options, context))
            << BuiltinPolicyId(options) << " level " << context.level_at_creation << " format "
            << format_version;
      }
    }
  }
}

// A program may set its locale at any time: RocksDB's policy is made for the first file.
TEST(BuiltinBuildersTest, KeepFractionsOfBitsWithADecimalComma) {
  const BlockBasedTableOptions table = Table(5);
  const FilterBuildingContext context(table);
  const testing::DecimalComma comma;
  for (const PolicyOptions& options :
       {Options(Build::kBloomFilter, 9.9), Options(Build::kRibbonFilter, 9.9, -1),
        Options(Build::kRibbonFilter, 9.9, 3)}) {
    ASSERT_STATUS_OK(CheckBuild(options));
    EXPECT_EQ(Block(BuiltinBuilders().NewBuilder(options, context)),
              Block(Stock(options)->GetBuilderWithContext(context)))
        << BuiltinPolicyId(options);
  }
}

TEST(BuiltinBuildersTest, ServeManyThreads) {
  const BuiltinBuilders builders;
  BlockBasedTableOptions table = Table(5);
  table.optimize_filters_for_memory = true;  // makes builders write to their policies
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const FilterBuildingContext context(table);
      for (int i = 0; i < 50; ++i) {
        const Build build = (i + t) % 2 == 0 ? Build::kBloomFilter : Build::kRibbonFilter;
        const PolicyOptions options = Options(build, 5 + i % 20);
        EXPECT_TRUE(CheckBuild(options).ok());
        EXPECT_GT(Block(builders.NewBuilder(options, context)).size(), 1000u);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(CheckBuildTest, HasNothingAgainstWinnows) { EXPECT_TRUE(CheckBuild(PolicyOptions()).ok()); }

// Simulates a RocksDB that has no such policy: the registry asks the latest library first.
const FilterPolicy* MakeNothing(const std::string& /*id*/, std::unique_ptr<const FilterPolicy>*,
                                std::string* message) {
  *message = "not here";
  return nullptr;
}

class MissingBuiltinTest : public ::testing::Test {
 protected:
  // Removes the policies with 31 bits per key.
  static void SetUpTestSuite() {
    EXPECT_EQ(winnow_rocksdb_register(), 0);
    const auto library = ObjectRegistry::Default()->AddLibrary("missing");
    library->AddFactory<const FilterPolicy>("bloomfilter:31", MakeNothing);
    library->AddFactory<const FilterPolicy>("rocksdb.internal.Standard128RibbonFilter:31",
                                            MakeNothing);
  }
};

TEST_F(MissingBuiltinTest, IsNamedInASentence) {
  for (const Build build : {Build::kBloomFilter, Build::kRibbonFilter}) {
    const PolicyOptions options = Options(build, 31);
    const Status status = CheckBuild(options);
    EXPECT_TRUE(status.IsNotSupported());
    EXPECT_THAT(status.ToString(), AllOf(HasSubstr("build=" + PolicyOptionText("build", options)),
                                         HasSubstr("needs RocksDB's policy "),
                                         HasSubstr(":31, which this RocksDB "
                                                   "can't make"),
                                         HasSubstr("not here")));
    std::shared_ptr<const FilterPolicy> policy;
    EXPECT_EQ(NewFilterPolicy(options, &policy).ToString(), status.ToString());
    EXPECT_EQ(policy, nullptr);
  }
}

TEST_F(MissingBuiltinTest, KeepsADatabaseFromOpeningAndBuildsWinnowsWhereNobodyAsks) {
  BlockBasedTableOptions table;
  ASSERT_STATUS_OK(GetBlockBasedTableOptionsFromString(
      ROCKSDB_NAMESPACE::ConfigOptions(), {},
      "filter_policy={id=winnow;bits_per_key=31;build=bloomfilter}", &table));
  ASSERT_NE(table.filter_policy, nullptr);
  const ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(table);
  EXPECT_THAT(options.table_factory->ValidateOptions(options, options).ToString(),
              HasSubstr("build=bloomfilter needs RocksDB's policy bloomfilter:31"));
  const FilterBuildingContext context(table);
  const std::string block = Block(table.filter_policy->GetBuilderWithContext(context));
  // A Ribbon filter is smaller than RocksDB's Bloom filter of 31 bits per key.
  EXPECT_LT(block.size() * 8 / 5000, 25u);
  EXPECT_GT(block.size() * 8 / 5000, 15u);
}

// The file gets no filter, which the counter reports.
TEST_F(MissingBuiltinTest, IsCountedWhereAFileGetsNoFilter) {
  const BlockBasedTableOptions table;
  const FilterBuildingContext context(table);
  const BuiltinBuilders builders;
  const uint64_t before = CurrentCounters().unbuilt_filters;
  EXPECT_GT(Block(builders.NewBuilder(Options(Build::kBloomFilter, 30), context)).size(), 0u);
  EXPECT_EQ(CurrentCounters().unbuilt_filters, before);
  EXPECT_EQ(builders.NewBuilder(Options(Build::kBloomFilter, 31), context), nullptr);
  EXPECT_EQ(CurrentCounters().unbuilt_filters, before + 1);
}

TEST_F(MissingBuiltinTest, LeavesAPolicyInUseAsItWas) {
  const auto policy = testing::MakePolicyFrom("{id=winnow;bits_per_key=12;build=ribbonfilter}");
  auto* const changed = const_cast<FilterPolicy*>(policy.get());
  const ROCKSDB_NAMESPACE::ConfigOptions config;
  EXPECT_TRUE(changed->ConfigureOption(config, "bits_per_key", "31").IsInvalidArgument());
  std::string text;
  ASSERT_STATUS_OK(policy->GetOption(config, "bits_per_key", &text));
  EXPECT_EQ(text, "12");
  ASSERT_STATUS_OK(policy->GetOption(config, "build", &text));
  EXPECT_EQ(text, "ribbonfilter");
  EXPECT_TRUE(changed->ConfigureOption(config, "bits_per_key", "30").ok());
}

// ---- Partitions without keys, at which RocksDB's MultiGet fails

BlockBasedTableOptions SmallPartitions(const std::string& policy) {
  BlockBasedTableOptions table = Table(5);
  table.filter_policy = testing::MakePolicyFrom(policy);
  table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = true;
  table.whole_key_filtering = false;
  table.metadata_block_size = 256;
  table.block_size = 256;
  return table;
}

// Writes a database with 2000 keys shorter than the prefix and 2000 longer ones, to one file.
std::unique_ptr<DB> WriteBothSides(const BlockBasedTableOptions& table, const std::string& path,
                                   std::vector<std::string>* keys) {
  ROCKSDB_NAMESPACE::Options options = testing::MakeOptions(table);
  options.create_if_missing = true;
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
  std::unique_ptr<DB> database = testing::OpenDatabase(options, path);
  for (int i = 0; database != nullptr && i < 4000; ++i) {
    keys->push_back((i < 2000 ? "a" : "long key ") + std::to_string(10000 + i));
    EXPECT_TRUE(database->Put({}, keys->back(), "value").ok());
  }
  return database;
}

enum class End { kAllFound, kKeysMissing, kSignal };

// Child process, since an assertion in RocksDB may abort it: compacts a database of
// WriteBothSides() and looks up its keys by MultiGet.
TEST(EmptyPartitionsProcess, DISABLED_LooksUp) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ASSERT_EQ(winnow_rocksdb_register(), 0);
  std::vector<std::string> keys;
  const auto database =
      WriteBothSides(SmallPartitions(std::getenv("POLICY")), std::getenv("DATABASE"), &keys);
  ROCKSDB_NAMESPACE::CompactRangeOptions compaction;
  compaction.bottommost_level_compaction = ROCKSDB_NAMESPACE::BottommostLevelCompaction::kForce;
  ASSERT_NE(database, nullptr);
  ASSERT_STATUS_OK(database->Flush({}));
  ASSERT_STATUS_OK(database->CompactRange(compaction, nullptr, nullptr));
  constexpr size_t kBatch = 50;
  int missing = 0;
  for (size_t i = 0; i < keys.size(); i += kBatch) {
    const std::vector<Slice> batch(&keys[i], &keys[i] + kBatch);
    std::vector<ROCKSDB_NAMESPACE::PinnableSlice> values(kBatch);
    std::vector<Status> statuses(kBatch);
    database->MultiGet({}, database->DefaultColumnFamily(), kBatch, batch.data(), values.data(),
                       statuses.data());
    for (const Status& status : statuses) {
      missing += status.ok() ? 0 : 1;
    }
  }
  std::printf("missing=%d of %zu\n", missing, keys.size());
}

End EndWith(const std::string& policy) {
  const testing::TemporaryFolder folder;
  const testing::ChildResult result =
      testing::RunProgram({"/proc/self/exe", "--gtest_also_run_disabled_tests",
                           "--gtest_filter=EmptyPartitionsProcess.DISABLED_LooksUp"},
                          {"POLICY=" + policy, "DATABASE=" + (folder / "database")});
  if (result.status > 128) {
    return End::kSignal;
  }
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_THAT(result.output, ::testing::ContainsRegex("missing=[0-9]+ of 4000\n"));
  return result.output.find("missing=0 ") != std::string::npos ? End::kAllFound : End::kKeysMissing;
}

class EmptyPartitionsTest : public ::testing::Test {
 protected:
  EmptyPartitionsTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }
};

TEST_F(EmptyPartitionsTest, OfWinnowsFiltersAreNone) {
  EXPECT_EQ(EndWith("winnow:10"), End::kAllFound);
  EXPECT_EQ(EndWith("{id=winnow;bits_per_key=10;bloom_before_level=2147483647}"), End::kAllFound);
}

// Returns the first warning about partitioned filters in the database's LOG, or an empty string.
std::string WarningOf(const BlockBasedTableOptions& table) {
  const testing::TemporaryFolder folder;
  std::vector<std::string> keys;
  const auto database = WriteBothSides(table, folder / "database", &keys);
  EXPECT_TRUE(database != nullptr && database->Flush({}).ok());
  const std::string log = testing::ReadFile(folder / "database/LOG");
  const std::string start = "[winnow] column family default has partition_filters and ";
  const size_t at = log.find(start);
  return at == std::string::npos ? std::string() : log.substr(at, log.find('\n', at) - at);
}

TEST_F(EmptyPartitionsTest, AreWarnedOfInTheLogWhereTheyFail) {
  const std::string ribbon = "{id=winnow;build=ribbonfilter;bloom_before_level=-1}";
  const std::string bloom = "{id=winnow;build=bloomfilter}";
  EXPECT_EQ(!WarningOf(SmallPartitions(ribbon)).empty(),
            EndWith("ribbonfilter:10:-1") != End::kAllFound);
  EXPECT_EQ(!WarningOf(SmallPartitions(bloom)).empty(),
            EndWith("bloomfilter:10") != End::kAllFound);
  EXPECT_EQ(WarningOf(SmallPartitions("winnow:10")), "");
  BlockBasedTableOptions whole_keys = SmallPartitions(ribbon);
  whole_keys.whole_key_filtering = true;
  EXPECT_EQ(WarningOf(whole_keys), "");
  BlockBasedTableOptions whole_filters = SmallPartitions(ribbon);
  whole_filters.partition_filters = false;
  EXPECT_EQ(WarningOf(whole_filters), "");
}

}  // namespace builtin_builders_test
}  // namespace winnow::plugin
