#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/preload/interposed_policy.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/engine.h"
#include "tests/support/files.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::preload {
namespace preload_interposed_policy_test {

using rocksdb::FilterPolicy;
using Policy = std::shared_ptr<const FilterPolicy>;

// WINNOW_POLICY is read once per process, so it is set before main().
[[maybe_unused]] const int environment_is_set = ::setenv("WINNOW_POLICY", "winnow:10", 1);

// Returns RocksDB's policy, as no function is interposed in this program.
Policy Stock(const std::string& text) {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  Policy policy;
  EXPECT_TRUE(FilterPolicy::CreateFromString(config, text, &policy).ok()) << text;
  return policy;
}

// A program's policy with a built-in name, like those of the C API.
class Wrapper final : public FilterPolicy {
 public:
  const char* Name() const override { return "bloomfilter"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext&) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice&) const override {
    return nullptr;
  }
};

TEST(InterposedPolicyTest, IsTheBuiltinOneInAllThatIsWrittenDown) {
  for (const char* id : {"bloomfilter:10:false", "bloomfilter:9.9:false", "ribbonfilter:10:-1",
                         "ribbonfilter:5:3"}) {
    const Policy stock = Stock(id);
    const Policy interposed = Interpose(stock);
    ASSERT_NE(interposed, stock) << id;
    EXPECT_STREQ(interposed->Name(), stock->Name()) << id;
    EXPECT_EQ(interposed->GetId(), id);
    EXPECT_STREQ(interposed->CompatibilityName(), stock->CompatibilityName()) << id;
    const rocksdb::ConfigOptions config;
    EXPECT_EQ(interposed->ToString(config), stock->ToString(config)) << id;
    std::string mismatch;
    EXPECT_TRUE(interposed->AreEquivalent(config, stock.get(), &mismatch)) << id << mismatch;
    EXPECT_TRUE(stock->AreEquivalent(config, interposed.get(), &mismatch)) << id << mismatch;
  }
}

TEST(InterposedPolicyTest, IsInterposedOnlyOnce) {
  const Policy once = Interpose(Stock("bloomfilter:10:false"));
  EXPECT_EQ(Interpose(once), once);
  const std::unique_ptr<const FilterPolicy> raw(Interpose(rocksdb::NewRibbonFilterPolicy(10)));
  EXPECT_EQ(Interpose(raw.get()), raw.get());
}

TEST(InterposedPolicyTest, LeavesOtherPoliciesAlone) {
  const Policy none;
  EXPECT_EQ(Interpose(none), nullptr);
  const Policy reader = Stock("rocksdb.BuiltinBloomFilter");
  EXPECT_EQ(Interpose(reader), reader);
  const Policy wrapper = std::make_shared<const Wrapper>();
  EXPECT_EQ(Interpose(wrapper), wrapper);
}

// A wrapper that passes all calls on, like those of the C API.
class Forwarder final : public FilterPolicy {
 public:
  explicit Forwarder(Policy inner) : inner_(std::move(inner)) {}
  const char* Name() const override { return inner_->Name(); }
  const char* CompatibilityName() const override { return inner_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return inner_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return inner_->GetFilterBitsReader(contents);
  }

 private:
  const Policy inner_;
};

TEST(InterposedPolicyTest, IsFoundBehindAWrapper) {
  const Policy interposed = Interpose(Stock("bloomfilter:10:false"));
  const Forwarder once(interposed);
  const Forwarder twice(std::make_shared<const Forwarder>(interposed));
  for (const FilterPolicy* policy : {interposed.get(), static_cast<const FilterPolicy*>(&once),
                                     static_cast<const FilterPolicy*>(&twice)}) {
    EXPECT_EQ(InterposedBehind(*policy), interposed.get());
    EXPECT_TRUE(EngineBehind(*policy)->BuildsOurs());
    EXPECT_FALSE(WasMissed(*policy));
  }
  // The last policy that was named counts, not an earlier one.
  EXPECT_EQ(InterposedBehind(Wrapper()), nullptr);
  EXPECT_EQ(InterposedBehind(Forwarder(Stock("bloomfilter:10:false"))), nullptr);
  EXPECT_EQ(EngineBehind(*Stock("bloomfilter:10:false")), nullptr);
}

TEST(InterposedPolicyTest, AWrapperOfABuiltinPolicyWasMissed) {
  EXPECT_TRUE(WasMissed(Forwarder(Stock("bloomfilter:10:false"))));
  EXPECT_TRUE(WasMissed(*Stock("ribbonfilter:10:-1")));
  EXPECT_FALSE(WasMissed(*Stock("rocksdb.BuiltinBloomFilter")));
}

// RocksDB casts by class name, and follows Inner().
TEST(InterposedPolicyTest, IsNotTakenForAnObjectOfTheBuiltinClass) {
  const Policy stock = Stock("bloomfilter:10:false");
  const Policy interposed = Interpose(stock);
  for (const char* name : {"bloomfilter", "rocksdb.internal.BloomLikeFilter"}) {
    EXPECT_TRUE(stock->IsInstanceOf(name));
    EXPECT_FALSE(interposed->IsInstanceOf(name));
  }
  EXPECT_EQ(interposed->Inner(), stock.get());
}

TEST(InterposedPolicyTest, GoesByTheNicknamesOfTheBuiltinOne) {
  for (const char* id : {"bloomfilter:10:false", "ribbonfilter:10:2"}) {
    const Policy stock = Stock(id);
    const Policy interposed = Interpose(stock);
    for (const char* name : {"rocksdb.BloomFilter", "rocksdb.RibbonFilter", "rocksdb.Bloom", "",
                             "rocksdb.BuiltinBloomFilter"}) {
      EXPECT_EQ(interposed->IsInstanceOf(name), stock->IsInstanceOf(name)) << id << " " << name;
    }
  }
  EXPECT_TRUE(Interpose(Stock("bloomfilter:10:false"))->IsInstanceOf("rocksdb.BloomFilter"));
  EXPECT_TRUE(Interpose(Stock("ribbonfilter:10:2"))->IsInstanceOf("rocksdb.RibbonFilter"));
}

// RocksDB's Ribbon policy has a mutable option of its own from 8.7, bloom_before_level.
constexpr bool kRibbonHasOptions = WINNOW_ROCKSDB_AT_LEAST(8, 7);

// Returns the policy's id, text and options as a caller sees them.
std::string Seen(const FilterPolicy& policy) {
  const rocksdb::ConfigOptions config;
  std::string seen = policy.GetId() + " " + policy.ToString(config) + " ";
  std::string text;
  EXPECT_TRUE(policy.GetOptionString(config, &text).ok());
  seen += text + " ";
  text.clear();
  seen += policy.GetOption(config, "bloom_before_level", &text).ok() ? text : "none";
  std::unordered_set<std::string> names;
  EXPECT_TRUE(policy.GetOptionNames(config, &names).ok());
  rocksdb::ConfigOptions mutable_ones;
  mutable_ones.mutable_options_only = true;
  EXPECT_TRUE(policy.GetOptionNames(mutable_ones, &names).ok());
  for (const std::string& name : names) {
    seen += " " + name;
  }
  return seen + " " + policy.ToString(mutable_ones);
}

TEST(InterposedPolicyTest, HasTheOptionsOfTheBuiltinOneAndPassesThemOn) {
  const Policy expected = Stock("ribbonfilter:10:3");
  const Policy stock = Stock("ribbonfilter:10:3");
  const Policy interposed = Interpose(stock);
  EXPECT_EQ(Seen(*interposed), Seen(*expected));
  const rocksdb::ConfigOptions config;
  rocksdb::ConfigOptions as_set_options;
  as_set_options.mutable_options_only = true;
  std::string mismatch;
  const struct {
    const char* name;
    const char* value;
  } changes[] = {{"bloom_before_level", "-1"}, {"bloom_before_level", "ten"},
                 {"bloom_before_level", ""},   {"no_such_option", "1"},
                 {"bits_per_key", "12"},       {"bloom_before_level", "2147483647"}};
  for (const auto& [name, value] : changes) {
    for (const rocksdb::ConfigOptions& how : {config, as_set_options}) {
      const auto set = [&, name = name, value = value](const Policy& policy) {
        auto* const target = const_cast<FilterPolicy*>(policy.get());
        return target->ConfigureOption(how, name, value).ToString() + " " +
               target->ConfigureFromMap(how, {{name, value}}).ToString();
      };
      EXPECT_EQ(set(interposed), set(expected)) << name << "=" << value;
      EXPECT_EQ(Seen(*interposed), Seen(*expected)) << name << "=" << value;
      EXPECT_EQ(Seen(*interposed), Seen(*stock)) << name << "=" << value;
      EXPECT_TRUE(interposed->AreEquivalent(config, expected.get(), &mismatch)) << mismatch;
      EXPECT_TRUE(expected->AreEquivalent(config, interposed.get(), &mismatch)) << mismatch;
      EXPECT_TRUE(
          interposed->AreEquivalent(config, Interpose(Stock(expected->GetId())).get(), &mismatch))
          << mismatch;
    }
  }
  EXPECT_EQ(interposed->GetId(),
            kRibbonHasOptions ? "ribbonfilter:10:2147483647" : "ribbonfilter:10:3");
  const Policy other = Interpose(Stock("ribbonfilter:10:5"));
  EXPECT_FALSE(interposed->AreEquivalent(config, other.get(), &mismatch));
}

// Follows RocksDB's test MutatingRibbonFilterPolicy, with checks of the filter kinds.
TEST(InterposedPolicyTest, BuildsByTheOptionsThatTheBuiltinOneHasNow) {
  const testing::TemporaryFolder folder;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = Interpose(Stock("ribbonfilter:10:2147483647"));
  const rocksdb::Options options = testing::MakeOptions(table);
  const auto database = testing::OpenDatabase(options, folder / "database");
  ASSERT_NE(database, nullptr);
  const auto next_is_bloom = [&database] {
    const plugin::Counters before = plugin::CurrentCounters();
    for (int i = 0; i < 4000; ++i) {
      EXPECT_TRUE(database->Put({}, std::to_string(i), "value").ok());
    }
    EXPECT_TRUE(database->Flush({}).ok());
    const plugin::Counters after = plugin::CurrentCounters();
    EXPECT_EQ(after.bloom_filters + after.ribbon_filters,
              before.bloom_filters + before.ribbon_filters + 1);
    return after.bloom_filters > before.bloom_filters;
  };
  const auto saved_policy = [&folder] {
    rocksdb::DBOptions database_options;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    EXPECT_TRUE(rocksdb::LoadLatestOptions(testing::StrictConfig(), folder / "database",
                                           &database_options, &families)
                    .ok());
    return families.at(0)
        .options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
        ->filter_policy->ToString(rocksdb::ConfigOptions());
  };
  EXPECT_TRUE(next_is_bloom());
  if (!kRibbonHasOptions) {
    GTEST_SKIP() << "the options of RocksDB's policies can't change before 8.7";
  }
  for (const std::string factory : {"table_factory", "block_based_table_factory"}) {
    for (const char* level : {"-1", "0"}) {
      const bool is_bloom = std::string(level) == "0";
      ASSERT_STATUS_OK(
          database->SetOptions({{factory + ".filter_policy.bloom_before_level", level}}));
      EXPECT_EQ(next_is_bloom(), is_bloom) << factory << " " << level;
      const auto* now =
          database->GetOptions().table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
      EXPECT_EQ(now->filter_policy, table.filter_policy);
      EXPECT_EQ(saved_policy(), Stock(std::string("ribbonfilter:10:") + level)->ToString({}));
      // A refused change has no effect, whether RocksDB reports it or not.
      database->SetOptions({{factory + ".filter_policy.bloom_before_level", "ten"}})
          .PermitUncheckedError();
      EXPECT_EQ(next_is_bloom(), is_bloom) << factory << " " << level;
      EXPECT_EQ(saved_policy(), Stock(std::string("ribbonfilter:10:") + level)->ToString({}));
    }
  }
  EXPECT_THAT(testing::ReadFile(folder / "database/LOG"),
              ::testing::HasSubstr("policy ribbonfilter:10:-1: bits_per_key=10;"
                                   "ribbon_min_keys=auto;bloom_before_level=-1"));
}

TEST(AddedPolicyTest, IsNullInOptionsAndBuiltinInFiles) {
  const Policy added = NewAddedPolicy();
  EXPECT_EQ(added->ToString(rocksdb::ConfigOptions()), "nullptr");
  EXPECT_STREQ(added->Name(), "bloomfilter");
  EXPECT_STREQ(added->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
}

}  // namespace preload_interposed_policy_test
}  // namespace winnow::preload
