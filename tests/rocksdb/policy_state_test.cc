#include "src/rocksdb/policy_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "src/rocksdb/policy_options.h"

namespace winnow::plugin {
namespace policy_state_test {

using ROCKSDB_NAMESPACE::Status;
using ::testing::HasSubstr;
using Texts = PolicyState::Texts;

PolicyOptions OptionsWithBits(double bits_per_key) {
  PolicyOptions options;
  options.bits_per_key = bits_per_key;
  options.ribbon_min_keys = 7;
  return options;
}

std::string InForce(const PolicyState& state) { return ShortText(state.Get().options); }

TEST(PolicyStateTest, OfValidOptionsOrTextWorks) {
  const PolicyState state(OptionsWithBits(12));
  EXPECT_TRUE(state.Validate().ok());
  EXPECT_EQ(InForce(state), "bits_per_key=12;ribbon_min_keys=7");
  EXPECT_EQ(state.Get().complaint, "");
  PolicyState of_text("winnow:12", OptionsWithBits(20));
  EXPECT_TRUE(of_text.Validate().ok()) << "by its id, before it is configured";
  EXPECT_TRUE(of_text.Configure({{"bloom_before_level", "2"}}, false, nullptr).ok());
  EXPECT_TRUE(of_text.Validate().ok());
  EXPECT_EQ(InForce(of_text), "bits_per_key=12;bloom_before_level=2")
      << "the predecessor matters only to what is refused";
}

struct Refused {
  const char* id;
  Texts texts;
  const char* complaint;
  const char* nearest;
};

const Refused kRefused[] = {
    {"winnow:ten", {}, "\"winnow:ten\": bits_per_key is \"ten\"", "10;auto;-1"},
    {"winnow:", {}, "\"winnow:\": bits_per_key is \"\"", "10;auto;-1"},
    {"winnow:99", {}, "bits_per_key is \"99\"", "32;auto;-1"},
    {"winnow.Filter:0.5", {}, "bits_per_key is \"0.5\"", "1;auto;-1"},
    {"winnow:ten", {{"bits_per_key", "3"}}, "\"ten\"", "3;auto;-1"},
    {"winnow:12", {{"bits_per_key", "twelve"}}, "\"twelve\"", "12;auto;-1"},
    {"winnow:12", {{"ribbon_min_keys", "-1"}}, "ribbon_min_keys is \"-1\"", "12;0;-1"},
    {"winnow:12", {{"bloom_before_level", "-2"}}, "bloom_before_level is \"-2\"", "12;auto;-1"},
    {"winnow:12", {{"bits_per_kye", "5"}}, "no option \"bits_per_kye\"", "12;auto;-1"},
    {"winnow", {{"bits_per_key", "40"}, {"ribbon_min_keys", "9"}}, "\"40\"", "32;9;-1"},
};

std::string Short(const PolicyOptions& options) {
  return PolicyOptionText("bits_per_key", options) + ";" +
         PolicyOptionText("ribbon_min_keys", options) + ";" +
         PolicyOptionText("bloom_before_level", options);
}

TEST(PolicyStateTest, OfTextThatIsWrongRefusesAndHasThePredecessorsOptionsOrWhatIsNearest) {
  for (const Refused& refused : kRefused) {
    PolicyState state(refused.id, std::nullopt);
    const Status status = state.Configure(refused.texts, false, nullptr);
    EXPECT_TRUE(status.IsInvalidArgument());
    EXPECT_THAT(status.ToString(), HasSubstr(refused.complaint));
    EXPECT_EQ(state.Validate().ToString(), status.ToString());
    EXPECT_THAT(status.ToString(), HasSubstr(state.Get().complaint));
    EXPECT_EQ(Short(state.Get().options), refused.nearest) << refused.id;
    EXPECT_TRUE(CheckPolicyOptions(state.Get().options).ok());
    PolicyState next(refused.id, OptionsWithBits(20));
    EXPECT_FALSE(next.Configure(refused.texts, false, nullptr).ok());
    EXPECT_FALSE(next.Validate().ok());
    EXPECT_EQ(Short(next.Get().options), "20;7;-1") << refused.id;
  }
}

TEST(PolicyStateTest, ChangesAllOrNothing) {
  PolicyState state(OptionsWithBits(12));
  EXPECT_FALSE(
      state.Configure({{"bits_per_key", "11"}, {"ribbon_min_keys", "x"}}, false, nullptr).ok());
  EXPECT_EQ(InForce(state), "bits_per_key=12;ribbon_min_keys=7");
  EXPECT_THAT(state.Get().complaint, HasSubstr("ribbon_min_keys is \"x\""));
  EXPECT_TRUE(state.Validate().ok()) << "what is in force is right";
  EXPECT_TRUE(
      state.Configure({{"bits_per_key", "11"}, {"ribbon_min_keys", "8"}}, false, nullptr).ok());
  EXPECT_EQ(InForce(state), "bits_per_key=11;ribbon_min_keys=8");
  EXPECT_EQ(state.Get().complaint, "");
}

TEST(PolicyStateTest, CanBePutRight) {
  PolicyState state("winnow:ten", std::nullopt);
  EXPECT_FALSE(state.Validate().ok()) << "by its id, before it is configured";
  EXPECT_FALSE(state.Configure({}, false, nullptr).ok());
  EXPECT_FALSE(state.Set("bits_per_key", "eleven").ok());
  EXPECT_FALSE(state.Validate().ok());
  EXPECT_TRUE(state.Set("bits_per_key", "11").ok());
  EXPECT_TRUE(state.Validate().ok());
  EXPECT_EQ(state.Get().complaint, "");
}

TEST(PolicyStateTest, HandsBackOrIgnoresUnknownNamesWhenAskedTo) {
  PolicyState state(OptionsWithBits(12));
  Texts unused;
  EXPECT_TRUE(state.Configure({{"bits_per_key", "11"}, {"x", "1"}}, false, &unused).ok());
  EXPECT_EQ(unused, (Texts{{"x", "1"}}));
  EXPECT_TRUE(state.Configure({{"bits_per_key", "10"}, {"x", "1"}}, true, nullptr).ok());
  EXPECT_EQ(state.Get().options.bits_per_key, 10);
  EXPECT_FALSE(state.Configure({{"bits_per_key", "99"}}, true, nullptr).ok());
  EXPECT_FALSE(state.Set("x", "1").ok());
}

TEST(PolicyStateTest, OptionTypesReadAndWriteIt) {
  using ROCKSDB_NAMESPACE::ConfigOptions;
  PolicyState one(PolicyOptions{});
  PolicyState other(PolicyOptions{});
  const std::vector<std::pair<std::string, std::string>> values = {
      {"bits_per_key", "12.5"}, {"ribbon_min_keys", "8"},    {"bloom_before_level", "3"},
      {"build", "bloomfilter"}, {"level_plan", "by_level"},  {"level_size_ratio", "4"},
      {"absent_share", "0.5"},  {"filter_memory", "256MiB"}, {"range_bits", "15"},
      {"tree_notes", "0"},      {"range_kind", "trees"}};
  EXPECT_EQ(PolicyState::OptionTypes().size(), values.size());
  for (const auto& [name, value] : values) {
    const auto& type = PolicyState::OptionTypes().at(name);
    EXPECT_TRUE(type.IsMutable());
    EXPECT_TRUE(type.Parse(ConfigOptions(), name, value, &one).ok());
    EXPECT_TRUE(type.Parse(ConfigOptions(), name, "x", &one).IsInvalidArgument());
    std::string text;
    EXPECT_TRUE(type.Serialize(ConfigOptions(), name, &one, &text).ok());
    EXPECT_EQ(text, value);
    std::string mismatch;
    EXPECT_FALSE(type.AreEqual(ConfigOptions(), name, &one, &other, &mismatch));
    EXPECT_EQ(mismatch, name);
    EXPECT_TRUE(type.Parse(ConfigOptions(), name, value, &other).ok());
    EXPECT_TRUE(type.AreEqual(ConfigOptions(), name, &one, &other, &mismatch));
  }
}

// RocksDB does not write an option whose text is empty.
TEST(PolicyStateTest, OptionTypesWriteNothingForDefaultsOfNewerOptions) {
  const PolicyState state(PolicyOptions{});
  for (const auto& [name, type] : PolicyState::OptionTypes()) {
    std::string text = "none";
    EXPECT_TRUE(type.Serialize(ROCKSDB_NAMESPACE::ConfigOptions(), name, &state, &text).ok());
    EXPECT_EQ(text, SavedOptionText(name, PolicyOptions())) << name;
  }
}

// A change of several options is atomic to readers.
TEST(PolicyStateTest, ChangesInOneStep) {
  PolicyState state(OptionsWithBits(1));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (const char* number : {"2", "3"}) {
    threads.emplace_back([&, number] {
      while (!stop.load()) {
        EXPECT_TRUE(state
                        .Configure({{"bits_per_key", number},
                                    {"ribbon_min_keys", number},
                                    {"bloom_before_level", number}},
                                   false, nullptr)
                        .ok());
        EXPECT_FALSE(state.Set("bits_per_key", "ten").ok());
      }
    });
  }
  for (int i = 0; i < 20000; ++i) {
    const PolicyState::Snapshot now = state.Get();
    if (now.options.bits_per_key != 1) {
      ASSERT_EQ(now.options.ribbon_min_keys, static_cast<uint64_t>(now.options.bits_per_key));
      ASSERT_EQ(now.options.bloom_before_level, static_cast<int>(now.options.bits_per_key));
    }
  }
  stop.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace policy_state_test
}  // namespace winnow::plugin
