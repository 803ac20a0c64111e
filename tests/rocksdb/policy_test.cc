#include "src/rocksdb/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/utilities/options_util.h>

#include <filesystem>
#include <fstream>
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
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::MakeOptions;
using testing::MakePolicyFrom;
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
  const char* options;  // the bits and what differs from the defaults
};
constexpr Good kGood[] = {
    {"winnow", "bits_per_key=10"},
    {"winnow.Filter", "bits_per_key=10"},
    {"winnow:6.667", "bits_per_key=6.667"},
    {"winnow.Filter:32", "bits_per_key=32"},
    {"{id=winnow}", "bits_per_key=10"},
    {"{id=winnow;bits_per_key=1}", "bits_per_key=1"},
    {"{id=winnow;bits_per_key=12.5;ribbon_min_keys=50000;bloom_before_level=2}",
     "bits_per_key=12.5;ribbon_min_keys=50000;bloom_before_level=2"},
    {"{id=winnow:12;ribbon_min_keys=50k;bloom_before_level=-1;}",
     "bits_per_key=12;ribbon_min_keys=51200"},
    {"{bits_per_key=7; id=winnow.Filter}", "bits_per_key=7"},
    // The form of version 1.0's OPTIONS files.
    {"{ribbon_min_keys=auto;id=winnow.Filter;bloom_before_level=-1;bits_per_key=12;}",
     "bits_per_key=12"},
    {"{id=winnow;level_plan=uniform}", "bits_per_key=10;level_plan=uniform"},
    {"{id=winnow;bits_per_key=9;level_plan=by_level;level_size_ratio=8;absent_share=0.25}",
     "bits_per_key=9;level_plan=by_level;level_size_ratio=8;absent_share=0.25"},
    {"{id=winnow;build=bloomfilter;filter_memory=12345}",
     "bits_per_key=10;build=bloomfilter;filter_memory=12345"},
};

std::string TextOf(const std::shared_ptr<const FilterPolicy>& policy) {
  return policy == nullptr ? "no policy" : ShortText(OptionsOf(*policy));
}

TEST_F(PolicyTest, IsMadeFromOptionsStringsAndGivesThemBack) {
  ConfigOptions exact;
  exact.sanity_level = ConfigOptions::kSanityLevelExactMatch;
  for (const Good& good : kGood) {
    const std::string text = std::string("block_size=8192;filter_policy=") + good.text;
    BlockBasedTableOptions table;
    ASSERT_STATUS_OK(GetBlockBasedTableOptionsFromString(StrictConfig(), {}, text, &table));
    EXPECT_EQ(TextOf(table.filter_policy), good.options) << text;
    EXPECT_EQ(table.block_size, 8192u);
    const auto policy = MakePolicyFrom(good.text);
    ASSERT_EQ(TextOf(policy), good.options) << good.text;
    const auto again = MakePolicyFrom(policy->ToString(ConfigOptions()));
    ASSERT_EQ(TextOf(again), good.options) << policy->ToString(ConfigOptions());
    std::string mismatch;
    EXPECT_TRUE(policy->AreEquivalent(exact, again.get(), &mismatch)) << mismatch;
  }
  std::string mismatch;
  const auto other = MakePolicyFrom("winnow:10.000001");
  EXPECT_FALSE(MakePolicyFrom("winnow:10")->AreEquivalent(exact, other.get(), &mismatch));
  EXPECT_EQ(mismatch, "bits_per_key");
}

struct Bad {
  const char* text;
  std::vector<const char*> says;
};
const Bad kBad[] = {
    {"winnow:ten", {"bits_per_key", "\"ten\"", "from 1 to 32", "winnow:ten"}},
    {"winnow:", {"bits_per_key", "\"\"", "from 1 to 32"}},
    {"winnow.Filter:33", {"bits_per_key", "33", "from 1 to 32"}},
    {"winnow:10:false", {"bits_per_key", "10:false", "from 1 to 32"}},
    {"{id=winnow:ten;bits_per_key=3}", {"bits_per_key", "\"ten\"", "from 1 to 32"}},
    {"{id=winnow;bits_per_key=99}", {"bits_per_key", "99", "from 1 to 32"}},
    {"{id=winnow;ribbon_min_keys=-1}", {"ribbon_min_keys", "-1", "from 0 to"}},
    {"{id=winnow;build=bloom}", {"build", "\"bloom\"", "winnow, bloomfilter or ribbonfilter"}},
    {"{id=winnow;level_plan=uniform;absent_share=0.5}",
     {"absent_share has no effect with level_plan=uniform", "level_plan=uniform;absent_share=1"}},
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
  options.bits_per_key = 8;
  options.level_plan = LevelPlan::kUniform;
  options.absent_share = 0.5;
  EXPECT_TRUE(NewFilterPolicy(options, &policy).IsInvalidArgument());
  EXPECT_EQ(policy.get(), before);
}

TEST_F(PolicyTest, IsNotMadeOfOptionsThatALaterWinnowHas) {
  std::shared_ptr<const FilterPolicy> policy;
  const PolicyOptions options;
  const Status status = NewFilterPolicy(&options, sizeof options + 8, &policy);
  EXPECT_TRUE(status.IsNotSupported());
  EXPECT_THAT(status.ToString(), HasSubstr("compiled with a later Winnow: its PolicyOptions has"));
  EXPECT_EQ(policy, nullptr);
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

TEST_F(OptionsFileTest, GoodPoliciesAreInForceAndComeBack) {
  for (const Good& good : kGood) {
    Write(good.text);
    // The second file is the one that RocksDB saves of the first.
    for (int round = 0; round < 2; ++round) {
      Options options;
      ASSERT_STATUS_OK(Load(&options));
      EXPECT_EQ(TextOf(PolicyOf(options)), good.options) << good.text;
      EXPECT_NE(OpenDatabase(options, path_), nullptr);
    }
  }
}

// RocksDB drops the policy's error for escaped strings, as in OPTIONS files.
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

}  // namespace policy_test
}  // namespace winnow::plugin
