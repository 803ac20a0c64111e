#include "src/rocksdb/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "src/rocksdb/policy_options.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
namespace policy_test {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MakeOptions;
using testing::MakePolicyFrom;
using ::testing::Not;
using testing::OpenDatabase;
using testing::ReadFile;
using testing::StrictConfig;
using testing::TemporaryFolder;

class PolicyTest : public ::testing::Test {
 protected:
  PolicyTest() { EXPECT_EQ(winnow_rocksdb_register(), 0); }
  TemporaryFolder folder_;
};

// A class unrelated to Winnow's policy.
class OtherPolicy : public FilterPolicy {};

TEST_F(PolicyTest, HasTheTypeInformationThatRocksDBHas) {
#if defined(__cpp_rtti)
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_STATUS_OK(NewFilterPolicy({}, &policy));
  EXPECT_EQ(dynamic_cast<const OtherPolicy*>(policy.get()), nullptr);
  EXPECT_THAT(typeid(*policy).name(), HasSubstr("Policy"));

  const BlockBasedTableOptions table;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(FilterBuildingContext(table)));
  ASSERT_NE(builder, nullptr);
  const FilterBitsBuilder& seen = *builder;
  EXPECT_THAT(typeid(seen).name(), HasSubstr("Builder"));
  builder->AddKey("key");
  std::unique_ptr<const char[]> bytes;
  const std::unique_ptr<FilterBitsReader> reader(
      policy->GetFilterBitsReader(builder->Finish(&bytes)));
  ASSERT_NE(reader, nullptr);
  const FilterBitsReader& also_seen = *reader;
  EXPECT_THAT(typeid(also_seen).name(), HasSubstr("Reader"));
#else
  GTEST_SKIP() << "skipped: this RocksDB has no type information";
#endif
}

// Returns the policy's options, as RocksDB reads them.
PolicyOptions OptionsOf(const FilterPolicy& policy) {
  PolicyOptions options;
  for (const std::string& name : PolicyOptionNameList()) {
    std::string text;
    EXPECT_TRUE(policy.GetOption(ConfigOptions(), name, &text).ok()) << name;
    EXPECT_TRUE(ParsePolicyOption(name, text, &options).ok()) << name << "=" << text;
  }
  return options;
}

std::shared_ptr<const FilterPolicy> PolicyOf(const Options& options) {
  const auto* table = options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table == nullptr ? nullptr : table->filter_policy;
}

TEST_F(PolicyTest, HasTheNamesThatFilesAndOptionsRelyOn) {
  const auto policy = MakePolicyFrom("winnow:10");
  ASSERT_NE(policy, nullptr);
  EXPECT_STREQ(policy->Name(), "winnow.Filter");
  EXPECT_EQ(policy->GetId(), "winnow.Filter");
  EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  EXPECT_TRUE(policy->IsInstanceOf("winnow"));
  EXPECT_TRUE(policy->IsInstanceOf("winnow.Filter"));
  EXPECT_FALSE(policy->IsInstanceOf("bloomfilter"));
}

struct Good {
  const char* text;
  const char* options;
};
constexpr Good kGood[] = {
    {"winnow", "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"winnow.Filter", "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"winnow:10", "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"winnow:6.667",
     "bits_per_key=6.667;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"winnow.Filter:32",
     "bits_per_key=32;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"{id=winnow}", "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"{id=winnow;bits_per_key=1}",
     "bits_per_key=1;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"{id=winnow;bits_per_key=12.5;ribbon_min_keys=50000;bloom_before_level=2}",
     "bits_per_key=12.5;ribbon_min_keys=50000;bloom_before_level=2;level_plan=auto"},
    {"{id=winnow:12;ribbon_min_keys=50k;bloom_before_level=-1;}",
     "bits_per_key=12;ribbon_min_keys=51200;bloom_before_level=-1;level_plan=auto"},
    {"{bits_per_key=7; id=winnow.Filter}",
     "bits_per_key=7;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    // The form of version 1.0's OPTIONS files.
    {"{ribbon_min_keys=auto;id=winnow.Filter;bloom_before_level=-1;bits_per_key=12;}",
     "bits_per_key=12;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=auto"},
    {"{id=winnow;level_plan=uniform}",
     "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;level_plan=uniform"},
};

TEST_F(PolicyTest, IsMadeFromBothFormsOfOptionsStrings) {
  for (const Good& good : kGood) {
    const auto policy = MakePolicyFrom(good.text);
    ASSERT_NE(policy, nullptr);
    EXPECT_EQ(ToString(OptionsOf(*policy)), good.options) << good.text;
    EXPECT_STREQ(policy->Name(), "winnow.Filter");
  }
}

TEST_F(PolicyTest, IsMadeFromTableOptionsStrings) {
  for (const Good& good : kGood) {
    const std::string text = std::string("block_size=8192;filter_policy=") + good.text;
    BlockBasedTableOptions table;
    ASSERT_STATUS_OK(GetBlockBasedTableOptionsFromString(StrictConfig(), {}, text, &table));
    ASSERT_NE(table.filter_policy, nullptr) << text;
    EXPECT_EQ(ToString(OptionsOf(*table.filter_policy)), good.options) << text;
    EXPECT_EQ(table.block_size, 8192u);
  }
}

TEST_F(PolicyTest, GivesBackAStringThatMakesTheSamePolicy) {
  for (const Good& good : kGood) {
    const auto policy = MakePolicyFrom(good.text);
    ASSERT_NE(policy, nullptr);
    const std::string text = policy->ToString(ConfigOptions());
    const auto again = MakePolicyFrom(text);
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(ToString(OptionsOf(*again)), good.options) << text;
    ConfigOptions exact;
    exact.sanity_level = ConfigOptions::kSanityLevelExactMatch;
    std::string mismatch;
    EXPECT_TRUE(policy->AreEquivalent(exact, again.get(), &mismatch)) << mismatch;
  }
}

TEST_F(PolicyTest, IsNotEquivalentToOneWithOtherOptions) {
  ConfigOptions exact;
  exact.sanity_level = ConfigOptions::kSanityLevelExactMatch;
  const auto policy = MakePolicyFrom("winnow:10");
  const auto other = MakePolicyFrom("winnow:10.000001");
  ASSERT_NE(policy, nullptr);
  ASSERT_NE(other, nullptr);
  std::string mismatch;
  EXPECT_FALSE(policy->AreEquivalent(exact, other.get(), &mismatch));
  EXPECT_EQ(mismatch, "bits_per_key");
}

struct Bad {
  const char* text;
  std::vector<const char*> says;
};
const Bad kBad[] = {
    {"winnow:ten", {"bits_per_key", "\"ten\"", "from 1 to 32", "winnow:ten"}},
    {"winnow:", {"bits_per_key", "\"\"", "from 1 to 32"}},
    {"winnow:0.5", {"bits_per_key", "0.5", "from 1 to 32"}},
    {"winnow:33", {"bits_per_key", "33", "from 1 to 32"}},
    {"winnow.Filter:33", {"bits_per_key", "33", "from 1 to 32"}},
    {"winnow:10:false", {"bits_per_key", "10:false", "from 1 to 32"}},
    {"{id=winnow:ten;bits_per_key=3}", {"bits_per_key", "\"ten\"", "from 1 to 32"}},
    {"{id=winnow;bits_per_key=99}", {"bits_per_key", "99", "from 1 to 32"}},
    {"{id=winnow;bits_per_key=ten}", {"bits_per_key", "ten", "from 1 to 32"}},
    {"{id=winnow;ribbon_min_keys=-1}", {"ribbon_min_keys", "-1", "from 0 to"}},
    {"{id=winnow;bloom_before_level=-2}", {"bloom_before_level", "-2", "from -1 to"}},
    {"{id=winnow;bits_per_kye=10}", {"bits_per_kye", "bits_per_key", "ribbon_min_keys"}},
};

void ExpectRefusal(const Status& status, const Bad& bad) {
  EXPECT_TRUE(status.IsInvalidArgument()) << bad.text << ": " << status.ToString();
  for (const char* word : bad.says) {
    EXPECT_THAT(status.ToString(), HasSubstr(word)) << bad.text;
  }
}

TEST_F(PolicyTest, BadStringsAreRefusedWithOptionValueAndRange) {
  for (const Bad& bad : kBad) {
    std::shared_ptr<const FilterPolicy> policy;
    ExpectRefusal(FilterPolicy::CreateFromString(StrictConfig(), bad.text, &policy), bad);
    policy.reset();
    ExpectRefusal(FilterPolicy::CreateFromString(ConfigOptions(), bad.text, &policy), bad);
    ConfigOptions unescaped;
    unescaped.input_strings_escaped = false;
    BlockBasedTableOptions table;
    ExpectRefusal(GetBlockBasedTableOptionsFromString(
                      unescaped, {}, std::string("filter_policy=") + bad.text, &table),
                  bad);
  }
}

// RocksDB drops the policy's error for escaped strings, as in OPTIONS files.
TEST_F(PolicyTest, BadStringsThatRocksDBAcceptsMakeTheOpenFail) {
  for (const Bad& bad : kBad) {
    BlockBasedTableOptions table;
    ASSERT_STATUS_OK(GetBlockBasedTableOptionsFromString(
        ConfigOptions(), {}, std::string("filter_policy=") + bad.text, &table));
    rocksdb_abi::OpenedDB database{};
    ExpectRefusal(DB::Open(MakeOptions(table), folder_ / "database", &database), bad);
    EXPECT_EQ(rocksdb_abi::Own(std::move(database)), nullptr);
  }
}

TEST_F(PolicyTest, UnknownOptionsPassOnlyWhenAskedTo) {
  ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_STATUS_OK(FilterPolicy::CreateFromString(
      lenient, "{id=winnow;bits_per_key=12;later_option=1}", &policy));
  EXPECT_EQ(OptionsOf(*policy).bits_per_key, 12);
  // An invalid value is an error even if unknown options are ignored.
  policy.reset();
  EXPECT_TRUE(FilterPolicy::CreateFromString(lenient, "{id=winnow;bits_per_key=99}", &policy)
                  .IsInvalidArgument());
}

TEST_F(PolicyTest, StaysAsItIsWhenALaterChangeIsRefused) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_STATUS_OK(NewFilterPolicy({}, &policy));
  auto* changeable = const_cast<FilterPolicy*>(policy.get());
  EXPECT_TRUE(
      changeable->ConfigureFromString(StrictConfig(), "bits_per_key=99").IsInvalidArgument());
  EXPECT_TRUE(
      changeable->ConfigureOption(StrictConfig(), "bits_per_key", "99").IsInvalidArgument());
  EXPECT_EQ(OptionsOf(*policy).bits_per_key, 10);
  ASSERT_STATUS_OK(policy->ValidateOptions(DBOptions(), Options()));
  ASSERT_STATUS_OK(changeable->ConfigureFromString(StrictConfig(), "bits_per_key=12"));
  EXPECT_EQ(OptionsOf(*policy).bits_per_key, 12);
}

TEST_F(PolicyTest, IsMadeInCodeFromValidOptionsOnly) {
  std::shared_ptr<const FilterPolicy> policy;
  PolicyOptions options;
  options.bits_per_key = 8.25;
  options.ribbon_min_keys = 1;
  options.bloom_before_level = 3;
  ASSERT_STATUS_OK(NewFilterPolicy(options, &policy));
  EXPECT_EQ(ToString(OptionsOf(*policy)), ToString(options));

  const FilterPolicy* const before = policy.get();
  options.bits_per_key = 0.5;
  const Status status = NewFilterPolicy(options, &policy);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_THAT(status.ToString(), AllOf(HasSubstr("bits_per_key"), HasSubstr("from 1 to 32")));
  EXPECT_EQ(policy.get(), before);
  options.bits_per_key = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(NewFilterPolicy(options, &policy).IsInvalidArgument());
  options.bits_per_key = 10;
  options.bloom_before_level = -2;
  EXPECT_TRUE(NewFilterPolicy(options, &policy).IsInvalidArgument());
}

TEST_F(PolicyTest, IsNotMadeOfOptionsThatALaterWinnowHas) {
  std::shared_ptr<const FilterPolicy> policy;
  const PolicyOptions options;
  const Status status = NewFilterPolicy(&options, sizeof options + 8, &policy);
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_THAT(status.ToString(), HasSubstr("compiled with a later Winnow: its PolicyOptions has"));
  EXPECT_EQ(policy, nullptr);
}

TEST_F(PolicyTest, ComesBackFromASavedOptionsFile) {
  for (const Good& good : kGood) {
    const std::string path = folder_ / "database";
    std::filesystem::remove_all(path);
    BlockBasedTableOptions table;
    table.filter_policy = MakePolicyFrom(good.text);
    OpenDatabase(MakeOptions(table), path).reset();

    DBOptions database_options;
    std::vector<ColumnFamilyDescriptor> families;
    ASSERT_STATUS_OK(LoadLatestOptions(StrictConfig(), path, &database_options, &families));
    ASSERT_EQ(families.size(), 1u);
    const Options loaded(database_options, families[0].options);
    ASSERT_NE(PolicyOf(loaded), nullptr) << good.text;
    EXPECT_EQ(ToString(OptionsOf(*PolicyOf(loaded))), good.options) << good.text;

    // A second round, with the OPTIONS file saved by the loaded options.
    OpenDatabase(loaded, path).reset();
    families.clear();
    ASSERT_STATUS_OK(LoadLatestOptions(StrictConfig(), path, &database_options, &families));
    const Options again(database_options, families[0].options);
    ASSERT_NE(PolicyOf(again), nullptr) << good.text;
    EXPECT_EQ(ToString(OptionsOf(*PolicyOf(again))), good.options) << good.text;
    ASSERT_STATUS_OK(CheckOptionsCompatibility(StrictConfig(), path, again, families));
  }
}

// Database folder with an OPTIONS file that names a given policy.
class OptionsFileTest : public PolicyTest {
 protected:
  void Write(const std::string& policy) {
    std::filesystem::remove_all(path_);
    OpenDatabase(MakeOptions(BlockBasedTableOptions()), path_).reset();
    std::string name;
    ASSERT_STATUS_OK(GetLatestOptionsFileName(path_, ROCKSDB_NAMESPACE::Env::Default(), &name));
    std::string text = ReadFile(path_ + "/" + name);
    const std::string none = "filter_policy=nullptr";
    const size_t position = text.find(none);
    ASSERT_NE(position, std::string::npos);
    text.replace(position, none.size(), "filter_policy=" + policy);
    std::ofstream(path_ + "/" + name) << text;
  }

  Status Load(Options* options) const {
    DBOptions database_options;
    std::vector<ColumnFamilyDescriptor> families;
    const Status status = LoadLatestOptions(ConfigOptions(), path_, &database_options, &families);
    if (status.ok()) {
      *options = Options(database_options, families.at(0).options);
    }
    return status;
  }

  const std::string path_ = folder_ / "database";
};

TEST_F(OptionsFileTest, GoodPoliciesAreInForce) {
  for (const Good& good : kGood) {
    Write(good.text);
    Options options;
    ASSERT_STATUS_OK(Load(&options));
    ASSERT_NE(PolicyOf(options), nullptr) << good.text;
    EXPECT_EQ(ToString(OptionsOf(*PolicyOf(options))), good.options);
    EXPECT_NE(OpenDatabase(options, path_), nullptr);
  }
}

TEST_F(OptionsFileTest, BadPoliciesMakeTheOpenFail) {
  for (const Bad& bad : kBad) {
    Write(bad.text);
    Options options;
    ASSERT_STATUS_OK(Load(&options));
    rocksdb_abi::OpenedDB database{};
    ExpectRefusal(DB::Open(options, path_, &database), bad);
    EXPECT_EQ(rocksdb_abi::Own(std::move(database)), nullptr);
  }
}

// RocksDB drops unknown policy names, so the tools report them instead.
TEST_F(OptionsFileTest, RocksDBDropsUnknownNames) {
  Write("winnows:10");
  Options options;
  ASSERT_STATUS_OK(Load(&options));
  EXPECT_EQ(PolicyOf(options), nullptr);
  std::shared_ptr<const FilterPolicy> policy;
  EXPECT_FALSE(FilterPolicy::CreateFromString(StrictConfig(), "winnows:10", &policy).ok());
}

size_t CountLines(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

void WriteAndFlush(DB& database, ColumnFamilyHandle* family) {
  ASSERT_STATUS_OK(database.Put(WriteOptions(), family, "key", "value"));
  ASSERT_STATUS_OK(database.Flush(FlushOptions(), family));
}

TEST_F(PolicyTest, SaysInEachLogWhatItBuilds) {
  BlockBasedTableOptions table;
  table.filter_policy = MakePolicyFrom("{id=winnow;bits_per_key=12.5;bloom_before_level=1}");
  const Options options = MakeOptions(table);
  const std::string line =
      "builds the filters of policy winnow.Filter: "
      "bits_per_key=12.5;ribbon_min_keys=auto;bloom_before_level=1";
  for (const char* name : {"one", "other"}) {
    const std::string path = folder_ / name;
    for (int round = 0; round < 3; ++round) {
      const auto database = OpenDatabase(options, path);
      ASSERT_NE(database, nullptr);
      EXPECT_THAT(ReadFile(path + "/LOG"), Not(HasSubstr("[winnow]"))) << "nothing built yet";
      ColumnFamilyHandle* family = nullptr;
      ASSERT_STATUS_OK(database->CreateColumnFamily(options, "family", &family));
      WriteAndFlush(*database, database->DefaultColumnFamily());
      WriteAndFlush(*database, database->DefaultColumnFamily());
      WriteAndFlush(*database, family);
      const std::string log = ReadFile(path + "/LOG");
      EXPECT_EQ(CountLines(log, "[winnow]"), 1u) << name << ", round " << round;
      EXPECT_THAT(log, HasSubstr(line));
      EXPECT_THAT(log, HasSubstr(std::string("[winnow] ") + Version()));
      ASSERT_STATUS_OK(database->DropColumnFamily(family));
      ASSERT_STATUS_OK(database->DestroyColumnFamilyHandle(family));
    }
  }
}

}  // namespace policy_test
}  // namespace winnow::plugin
