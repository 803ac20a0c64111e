// Changes of the policy in an open database.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/utilities/options_util.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/counters.h"
#include "src/rocksdb/lookups/counted_asks.h"
#include "src/rocksdb/policy.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/use/use_meter.h"
#include "tests/support/asked_bits.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_set_options_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using testing::AskedBitsOfRibbon;
using ::testing::HasSubstr;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using ::testing::Not;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::StrictConfig;
using testing::TemporaryFolder;

// RocksDB 9.8 and later can replace the table factory of an open database, and with it the policy.
// Earlier versions keep the policy and change its options.
constexpr bool kPolicyIsReplaceable = WINNOW_ROCKSDB_AT_LEAST(9, 8);

constexpr uint64_t kKeys = 4000;

std::string Key(uint64_t i) { return "key" + std::to_string(i * 7919); }

class PolicySetOptionsTest : public ::testing::Test {
 protected:
  PolicySetOptionsTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }

  void Open(const std::string& policy) {
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom(policy);
    database_ = OpenDatabase(MakeOptions(table), path_);
    ASSERT_NE(database_, nullptr);
  }

  Status Set(const std::string& name, const std::string& value) {
    return database_->SetOptions({{name, value}});
  }

  // Writes keys behind all others, so that the file's filter has the bits of a uniform one.
  void WriteFile() {
    ++written_;
    for (uint64_t i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(database_->Put(WriteOptions(), WrittenKey(i), "value").ok());
    }
    EXPECT_TRUE(database_->Flush(FlushOptions()).ok());
  }
  std::string WrittenKey(uint64_t i) const { return std::to_string(1000 + written_) + Key(i); }

  // Returns the bits_per_key of the filter that the next flush builds, of any kind, within 0.01.
  double NextAskedBits() {
    std::set<std::string> before;
    for (const testing::FileFilter& filter : testing::ReadFilters(path_))
      before.insert(filter.file);
    WriteFile();
    for (const testing::FileFilter& filter : testing::ReadFilters(path_)) {
      if (before.count(filter.file) == 0) return testing::AskedBits(filter.block);
    }
    ADD_FAILURE() << "no new file with a filter";
    return 0;
  }

  // Returns the bits_per_key of the Ribbon filter that the next flush builds, within 0.5; 0 if
  // none.
  double NextBits() {
    const Counters before = CurrentCounters();
    WriteFile();
    const Counters after = CurrentCounters();
    if (after.keys == before.keys) {
      return 0;
    }
    EXPECT_EQ(after.ribbon_filters - before.ribbon_filters, 1u);
    return AskedBitsOfRibbon(after.keys - before.keys, after.bytes - before.bytes);
  }

  // Returns the options of the policy in the latest OPTIONS file; PolicyInForce() returns those in
  // use.
  std::string SavedPolicy() const {
    DBOptions database_options;
    std::vector<ColumnFamilyDescriptor> families;
    const Status status = LoadLatestOptions(StrictConfig(), path_, &database_options, &families);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? TextOf(families.at(0).options) : std::string();
  }
  std::string PolicyInForce() const { return TextOf(database_->GetOptions()); }

  static std::string TextOf(const ColumnFamilyOptions& options) {
    const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table == nullptr || table->filter_policy == nullptr) return "none";
    return ShortText(*EngineOf(table->filter_policy.get())->InForceNow());
  }

  std::string Log() const { return ReadFile(path_ + "/LOG"); }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "database";
  std::unique_ptr<DB> database_;
  int written_ = 0;
};

struct Change {
  const char* name;
  const char* value;
  bool replaces_policy;  // rather than setting its options
};

const Change kChanges[] = {
    {"block_based_table_factory", "{filter_policy={bits_per_key=20;ribbon_min_keys=2500}}", false},
    {"block_based_table_factory",
     "{filter_policy={id=winnow.Filter;bits_per_key=20;ribbon_min_keys=2500}}", false},
    {"block_based_table_factory.filter_policy", "{bits_per_key=20;ribbon_min_keys=2500}", false},
    {"table_factory.filter_policy.bits_per_key", "20", false},
    {"block_based_table_factory.filter_policy.bits_per_key", "20", false},
    {"table_factory.filter_policy.winnow.Filter.bits_per_key", "20", false},
    {"block_based_table_factory", "{filter_policy=winnow:20}", true},
    {"block_based_table_factory", "{filter_policy={id=winnow;bits_per_key=20}}", true},
    {"block_based_table_factory.filter_policy", "winnow.Filter:20", true},
};

TEST_F(PolicySetOptionsTest, TheNextFileFollows) {
  for (const Change& change : kChanges) {
    Open("{id=winnow:12;ribbon_min_keys=3500}");
    EXPECT_NEAR(NextBits(), 12, 0.5);
    const Status status = Set(change.name, change.value);
    const std::string context = std::string(change.name) + "=" + change.value;
    if (change.replaces_policy && !kPolicyIsReplaceable) {
      EXPECT_TRUE(status.IsInvalidArgument()) << context << ": " << status.ToString();
      EXPECT_NEAR(NextBits(), 12, 0.5) << context;
      EXPECT_EQ(SavedPolicy(), "bits_per_key=12;ribbon_min_keys=3500") << context;
    } else {
      EXPECT_TRUE(status.ok()) << context << ": " << status.ToString();
      EXPECT_NEAR(NextBits(), 20, 0.5) << context;
      const std::string min_keys =
          context.find("2500") != std::string::npos ? ";ribbon_min_keys=2500"
          : change.replaces_policy &&
                  std::string(change.value).find("id=winnow;") == std::string::npos
              ? ""
              : ";ribbon_min_keys=3500";
      EXPECT_EQ(PolicyInForce(), "bits_per_key=20" + min_keys) << context;
      EXPECT_EQ(SavedPolicy(), PolicyInForce()) << context;
      EXPECT_THAT(Log(), HasSubstr("policy winnow.Filter: bits_per_key=20;")) << context;
    }
    EXPECT_THAT(Log(), Not(HasSubstr("can't be"))) << context;
    database_.reset();
    DestroyDB(path_, Options());
  }
}

TEST_F(PolicySetOptionsTest, GoesFromEachPlanToEach) {
  Open("winnow:12");
  const auto plan_of_next_file = [this] {
    std::set<std::string> before;
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) before.insert(file.file);
    EXPECT_TRUE(database_->Put(WriteOptions(), Key(1), "value").ok());
    EXPECT_TRUE(database_->Flush(FlushOptions()).ok());
    for (const testing::FileFilter& file : testing::ReadFilters(path_)) {
      if (before.count(file.file) > 0) continue;
      return std::string(ToString(FilterView(file.block).info().level_plan));
    }
    return std::string("no new file");
  };
  for (const auto& [from, from_plan] : kLevelPlanOption.values) {
    for (const auto& [to, to_plan] : kLevelPlanOption.values) {
      for (const std::string& plan : {std::string(from), std::string(to)}) {
        ASSERT_STATUS_OK(
            Set("block_based_table_factory", "{filter_policy={level_plan=" + plan + "}}"));
        EXPECT_EQ(PolicyInForce(),
                  "bits_per_key=12" + (plan == "auto" ? "" : ";level_plan=" + plan));
        EXPECT_EQ(SavedPolicy(), PolicyInForce());
        EXPECT_EQ(plan_of_next_file(), plan == "uniform" ? plan : "auto");
      }
    }
  }
  EXPECT_EQ(Set("block_based_table_factory", "{filter_policy={level_plan=learnt}}").ok(),
            kPolicyIsReplaceable);
  EXPECT_EQ(PolicyInForce(), "bits_per_key=12;level_plan=learned");
}

// Database whose files are known, with lookups that were counted.
class KnownFilesTest : public PolicySetOptionsTest {
 protected:
  KnownFilesTest() { SetMeanGap(4); }
  ~KnownFilesTest() override { SetMeanGap(kNoSetGap); }

  void OpenAndLookUp() {
    Open("winnow:10");
    for (int i = 0; i < 2; ++i) NextFile();
    ASSERT_STATUS_OK(database_->CompactRange({}, nullptr, nullptr));
    for (int i = 0; i < 2; ++i) NextFile();
    std::thread([this] {
      std::string value;
      for (uint64_t i = 0; i < kKeys; ++i) {
        EXPECT_TRUE(database_->Get(ReadOptions(), WrittenKey(i) + "x", &value).IsNotFound());
      }
    }).join();
    ASSERT_EQ(Files(), 4u);
    ASSERT_GT(Asked(), 0);
  }

  void NextFile() { EXPECT_GT(NextAskedBits(), 0); }

  std::shared_ptr<TreeRecord> Record() const {
    const Options options = database_->GetOptions();
    const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
    return EngineOf(table->filter_policy.get())
        ->known()
        ->trees.RecordOf(options.info_log.get(), "default");
  }
  size_t Files() const { return Record()->family.totals().files; }
  // Returns the counted lookups of absent keys, over all files.
  double Asked() const {
    double asked = 0;
    for (const auto& placed : Record()->family.Look()->files()) asked += placed.file->asked();
    return asked;
  }
};

TEST_F(KnownFilesTest, StayWhereThePlanComesBackBeforeAFileIsWritten) {
  OpenAndLookUp();
  const double asked = Asked();
  for (const char* const there : {"level_plan=uniform", "build=bloomfilter", "bits_per_key=12"}) {
    ASSERT_STATUS_OK(
        Set("block_based_table_factory", std::string("{filter_policy={") + there + "}}"));
    ASSERT_STATUS_OK(Set("block_based_table_factory",
                         "{filter_policy={build=winnow;level_plan=auto;bits_per_key=10}}"));
    EXPECT_EQ(Files(), 4u) << there;
    EXPECT_EQ(Asked(), asked) << there;
  }
  NextFile();
  EXPECT_EQ(Files(), 5u);
}

// RocksDB 9.8 and later: a new policy continues with what the old one knows, and is destroyed if
// another setting of the call is refused.
TEST_F(KnownFilesTest, StayWhereAPolicyIsMadeAndDropped) {
  OpenAndLookUp();
  const double asked = Asked();
  const Options options = database_->GetOptions();
  const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
  EXPECT_NE(testing::MakePolicyFrom("winnow:12", table->filter_policy), nullptr);
  EXPECT_EQ(Asked(), asked);
  NextFile();
  EXPECT_EQ(Files(), 5u);
}

TEST_F(KnownFilesTest, StayWhereOptionsAreRefused) {
  OpenAndLookUp();
  size_t files = Files();
  for (const char* const value :
       {"{filter_policy={bits_per_key=99}}", "{filter_policy=winnow:ten}",
        "{filter_policy={id=winnow;build=bloomfilter;level_plan=uniform;bits_per_key=none}}",
        "{filter_policy=winnow:10;no_option_of_tables=1}"}) {
    SCOPED_TRACE(value);
    Set("block_based_table_factory", value).PermitUncheckedError();
    EXPECT_EQ(PolicyInForce(), "bits_per_key=10");
    EXPECT_GT(Asked(), 0);
    NextFile();
    EXPECT_EQ(Files(), ++files);
  }
}

// A program may ask for the class of a policy, and a policy may fail to be made: neither makes the
// next policy, which may be another database's, one that replaces the policy asked.
TEST_F(KnownFilesTest, AreOfOneDatabase) {
  const auto files = [](const std::shared_ptr<const FilterPolicy>& policy) {
    return EngineOf(policy.get())->known().get();
  };
  const auto former = testing::MakePolicyFrom("{id=winnow.Filter;filter_memory=1MiB}");
  EXPECT_EQ(files(testing::MakePolicyFrom("{id=winnow.Filter;bits_per_key=12}", former)),
            files(former));
  EXPECT_TRUE(former->IsInstanceOf("winnow.Filter"));
  EXPECT_NE(files(testing::MakePolicyFrom("{id=winnow.Filter;bits_per_key=12}")), files(former));
  EXPECT_FALSE(former->IsInstanceOf("winnow:12"));
  EXPECT_NE(files(testing::MakePolicyFrom("winnow:12")), files(former));
}

// SetOptions of one family leaves another family its policy, from RocksDB 9.8 on: both share the
// files, and nothing else.
TEST_F(KnownFilesTest, AreSharedByPoliciesOfTheirOwnNamesAndOptions) {
  const auto first = MakePolicyFrom("{id=winnow.Filter;bits_per_key=10}");
  const auto second =
      MakePolicyFrom("{id=winnow.Filter;bits_per_key=14;level_plan=uniform}", first);
  KnownTrees& trees = EngineOf(first.get())->known()->trees;
  ASSERT_EQ(&EngineOf(second.get())->known()->trees, &trees);
  BlockBasedTableOptions table;
  table.filter_policy = first;
  database_ = OpenDatabase(MakeOptions(table), path_);
  ASSERT_NE(database_, nullptr);
  table.filter_policy = second;
  ROCKSDB_NAMESPACE::ColumnFamilyHandle* made = nullptr;
  ASSERT_STATUS_OK(database_->CreateColumnFamily(MakeOptions(table), "other", &made));
  const std::unique_ptr<ROCKSDB_NAMESPACE::ColumnFamilyHandle> other(made);
  for (int i = 0; i < 2; ++i) {
    WriteFile();
    for (uint64_t key = 0; key < kKeys; ++key) {
      ASSERT_STATUS_OK(database_->Put(WriteOptions(), other.get(), WrittenKey(key), "value"));
    }
    ASSERT_STATUS_OK(database_->Flush(FlushOptions(), other.get()));
  }
  std::map<std::string, uint64_t> filters;
  const std::shared_ptr<ROCKSDB_NAMESPACE::Logger> log = database_->GetOptions().info_log;
  for (const UseRow& row : UseMeter::ReadAll(log.get())) filters[row.policy] += row.sums.filters;
  const auto name_of = [](const std::shared_ptr<const FilterPolicy>& policy) {
    return ShortText(*EngineOf(policy.get())->InForceNow());
  };
  EXPECT_EQ(filters, (std::map<std::string, uint64_t>{{name_of(first), 2}, {name_of(second), 2}}));
  EXPECT_TRUE(trees.needs_files()) << "for the family with a plan";
  EXPECT_EQ(trees.Choose({}, "default").policy.bits_per_key, 10);
  EXPECT_EQ(trees.Choose({}, "other").policy.bits_per_key, 14);
}

struct Refusal {
  const char* name;
  const char* value;
  bool names_policy;  // RocksDB before 9.8 stops at the name
  const char* complaint;
};

const Refusal kRefusals[] = {
    {"block_based_table_factory", "{filter_policy=winnow:ten}", true, "bits_per_key is \"ten\""},
    {"block_based_table_factory", "{filter_policy={id=winnow;bits_per_key=99}}", true,
     "bits_per_key is \"99\""},
    {"block_based_table_factory", "{filter_policy={bits_per_key=99}}", false,
     "bits_per_key is \"99\""},
    {"block_based_table_factory", "{filter_policy={id=winnow.Filter;ribbon_min_keys=many}}", false,
     "ribbon_min_keys is \"many\""},
    {"block_based_table_factory", "{filter_policy={bits_per_key=14;bits_per_kye=13}}", false,
     "no option \"bits_per_kye\""},
    {"block_based_table_factory.filter_policy", "winnow:ten", true, "bits_per_key is \"ten\""},
    {"table_factory.filter_policy.bits_per_key", "99", false, "bits_per_key is \"99\""},
    {"block_based_table_factory.filter_policy.build", "bloom", false, "build is \"bloom\""},
};

// RocksDB 9.8 and later returns OK for what a policy refuses; the LOG has the reason.
TEST_F(PolicySetOptionsTest, WhatIsRefusedLeavesAllAsItWas) {
  for (const Refusal& refusal : kRefusals) {
    const std::string context = std::string(refusal.name) + "=" + refusal.value;
    Open("{id=winnow:12;ribbon_min_keys=777}");
    for (int round = 0; round < 2; ++round) {
      const Status status = Set(refusal.name, refusal.value);
      if (kPolicyIsReplaceable) {
        EXPECT_TRUE(status.ok()) << context << ": " << status.ToString();
      } else {
        EXPECT_TRUE(status.IsInvalidArgument()) << context << ": " << status.ToString();
        if (!refusal.names_policy) {
          EXPECT_THAT(status.ToString(), HasSubstr(refusal.complaint)) << context;
        }
      }
      EXPECT_NEAR(NextBits(), 12, 0.5) << context;
      EXPECT_EQ(PolicyInForce(), "bits_per_key=12;ribbon_min_keys=777") << context;
      EXPECT_EQ(SavedPolicy(), PolicyInForce()) << context;
      if (kPolicyIsReplaceable) {
        const std::string log = Log();
        const size_t line = log.find("[WARN] [winnow] filter policy winnow.Filter can't be");
        ASSERT_NE(line, std::string::npos) << context;
        EXPECT_THAT(log.substr(line, log.find('\n', line) - line), HasSubstr(refusal.complaint));
      }
    }
    // Later changes still work.
    ASSERT_STATUS_OK(Set("table_factory.filter_policy.bits_per_key", "11"));
    EXPECT_NEAR(NextBits(), 11, 0.5) << context;
    EXPECT_EQ(SavedPolicy(), "bits_per_key=11;ribbon_min_keys=777") << context;
    const Options options = database_->GetOptions();
    ASSERT_STATUS_OK(options.table_factory->ValidateOptions(options, options));
    database_.reset();
    DestroyDB(path_, Options());
  }
}

// Two databases share a policy, and build filters and compact while several threads set valid and
// invalid options.
TEST_F(PolicySetOptionsTest, ManyThreadsMaySetReadAndBuild) {
  constexpr uint64_t kSeed = 3;
  constexpr int kDatabases = 2;
  constexpr uint64_t kWritten = 30000;
  BlockBasedTableOptions table;
  table.filter_policy = MakePolicyFrom("winnow:10");
  Options options = MakeOptions(table);
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 64 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  options.max_background_jobs = 4;
  std::vector<std::unique_ptr<DB>> databases;
  for (int i = 0; i < kDatabases; ++i) {
    databases.push_back(OpenDatabase(options, path_ + std::to_string(i)));
    ASSERT_NE(databases.back(), nullptr);
  }
  std::atomic<int> writing{kDatabases};
  std::vector<std::thread> threads;
  for (const auto& database : databases) {
    threads.emplace_back([&writing, &database] {
      for (uint64_t i = 0; i < kWritten; ++i) {
        const Status status = database->Put(WriteOptions(), Key(i), std::string(20, 'v'));
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
      --writing;
    });
  }
  for (int i = 0; i < kDatabases; ++i) {
    threads.emplace_back([&writing, &databases, i] {
      std::mt19937_64 random(kSeed + static_cast<uint64_t>(i));
      DB& database = *databases[static_cast<size_t>(i)];
      const std::vector<std::string> bits = {"8", "ten", "12.5", "99", "20"};
      const char* const builds[] = {"winnow", "bloomfilter", "ribbonfilter"};
      while (writing.load() > 0) {
        const std::string& value = bits[random() % bits.size()];
        const Status status =
            random() % 2 == 0
                ? database.SetOptions({{"table_factory.filter_policy.bits_per_key", value}})
                : database.SetOptions(
                      {{"block_based_table_factory", "{filter_policy={bits_per_key=" + value +
                                                         ";build=" + builds[random() % 3] + "}}"}});
        // RocksDB compares the OPTIONS file that it wrote with the current options, and fails if
        // the other database has changed the shared policy since. Its own policies fail likewise.
        const bool changed_meanwhile =
            status.ToString().find("Unable to persist options") != std::string::npos;
        EXPECT_TRUE(status.ok() || status.IsInvalidArgument() || changed_meanwhile)
            << status.ToString();
      }
    });
  }
  threads.emplace_back([&writing, &table] {
    while (writing.load() > 0) {
      std::string text;
      EXPECT_TRUE(table.filter_policy->GetOption(ConfigOptions(), "bits_per_key", &text).ok());
      EXPECT_THAT(text, ::testing::AnyOf("8", "10", "12.5", "20"));
      EXPECT_THAT(table.filter_policy->ToString(ConfigOptions()), HasSubstr("bits_per_key="));
      std::string mismatch;
      EXPECT_TRUE(table.filter_policy->AreEquivalent(ConfigOptions(), table.filter_policy.get(),
                                                     &mismatch));
      EXPECT_TRUE(table.filter_policy->ValidateOptions(DBOptions(), Options()).ok());
    }
  });
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& database : databases) {
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
    std::string value;
    for (uint64_t i = 0; i < kWritten; ++i) {
      ASSERT_STATUS_OK(database->Get(ReadOptions(), Key(i), &value));
      ASSERT_TRUE(database->Get(ReadOptions(), Key(i) + "x", &value).IsNotFound());
    }
  }
}

}  // namespace policy_set_options_test
}  // namespace winnow::plugin
