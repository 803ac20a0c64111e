#include "src/rocksdb/policy_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "src/rocksdb/messages/size_text.h"
#include "tests/support/decimal_comma.h"

namespace winnow::plugin {
namespace policy_options_test {

using ROCKSDB_NAMESPACE::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ParsePolicyId, TakesBothNamesWithAndWithoutBits) {
  for (const std::string name : {"winnow", "winnow.Filter"}) {
    PolicyOptions options;
    options.bits_per_key = 20;
    EXPECT_TRUE(ParsePolicyId(name, &options).ok());
    EXPECT_EQ(options.bits_per_key, 20) << "a name alone changes nothing";
    EXPECT_TRUE(ParsePolicyId(name + ":12", &options).ok());
    EXPECT_EQ(options.bits_per_key, 12);
    EXPECT_TRUE(ParsePolicyId(name + ":6.667", &options).ok());
    EXPECT_EQ(options.bits_per_key, 6.667);
    EXPECT_TRUE(ParsePolicyId(name + ":1", &options).ok());
    EXPECT_TRUE(ParsePolicyId(name + ":32", &options).ok());
  }
}

TEST(ParsePolicyId, RefusesWhatIsNotANumberInRange) {
  for (const char* bits :
       {"",       "ten", "10x", "x10", " 10", "10 ", "1e",    "0",      "0.5",      "0.999",
        "32.001", "33",  "-1",  "+10", "nan", "inf", "1e300", "1e-400", "10:false", "10,5"}) {
    PolicyOptions options;
    const Status status = ParsePolicyId(std::string("winnow:") + bits, &options);
    EXPECT_TRUE(status.IsInvalidArgument()) << bits;
    EXPECT_THAT(status.ToString(),
                AllOf(HasSubstr("bits_per_key"), HasSubstr("from 1 to 32"), HasSubstr(bits)));
    EXPECT_EQ(options.bits_per_key, 10) << bits;
  }
}

TEST(ParsePolicyId, RefusesOtherNames) {
  for (const char* id : {"", "bloomfilter:10", "winnows:10", "Winnow", ":10"}) {
    PolicyOptions options;
    EXPECT_TRUE(ParsePolicyId(id, &options).IsInvalidArgument()) << id;
  }
}

TEST(ParsePolicyOption, TakesEachOptionAndSaysItBack) {
  const struct {
    const char* name;
    const char* text;
    const char* said;  // sizes have the largest unit that fits
  } cases[] = {
      {"bits_per_key", "9.9", "9.9"},
      {"ribbon_min_keys", "auto", "auto"},
      {"ribbon_min_keys", "0", "0"},
      {"ribbon_min_keys", "18446744073709551615", "18446744073709551615"},
      {"ribbon_min_keys", "50k", "51200"},
      {"ribbon_min_keys", "2T", "2199023255552"},
      {"bloom_before_level", "-1", "-1"},
      {"bloom_before_level", "2147483647", "2147483647"},
      {"build", "winnow", "winnow"},
      {"build", "bloomfilter", "bloomfilter"},
      {"build", "ribbonfilter", "ribbonfilter"},
      {"level_plan", "uniform", "uniform"},
      {"level_plan", "by_level", "by_level"},
      {"level_plan", "auto", "auto"},
      {"level_plan", "learned", "learned"},
      {"filter_memory", "0", "0"},
      {"filter_memory", "1", "1"},
      {"filter_memory", "1000000", "1000000"},
      {"filter_memory", "1024", "1KiB"},
      {"filter_memory", "1025", "1025"},
      {"filter_memory", "1536", "1536"},
      {"filter_memory", "64KiB", "64KiB"},
      {"filter_memory", "268435456", "256MiB"},
      {"filter_memory", "256m", "256MiB"},
      {"filter_memory", "256M", "256MiB"},
      {"filter_memory", "1GiB", "1GiB"},
      {"filter_memory", "9223372036854775808", "8388608TiB"},
      {"filter_memory", "8388608TiB", "8388608TiB"},
      {"filter_memory", "18446744073709551615", "18446744073709551615"},
  };
  for (const auto& [name, text, said] : cases) {
    SCOPED_TRACE(std::string(name) + "=" + text);
    PolicyOptions options;
    EXPECT_TRUE(ParsePolicyOption(name, text, &options).ok());
    EXPECT_EQ(PolicyOptionText(name, options), said);
    EXPECT_TRUE(CheckPolicyOptions(options).ok());
    PolicyOptions back;
    EXPECT_TRUE(ParsePolicyOption(name, said, &back).ok());
    EXPECT_EQ(ToString(back), ToString(options));
  }
}

TEST(ParsePolicyOption, RefusalNamesOptionValueAndRange) {
  const struct {
    const char* name;
    const char* range;
    std::vector<std::string> refused;
  } cases[] = {
      {"bits_per_key", "a number from 1 to 32", {"99", "ten"}},
      {"ribbon_min_keys",
       "auto or a whole number from 0 to 18446744073709551615",
       {"-1", "18446744073709551614", "18446744073709551616", "16777216T", "k", "1.5", "",
        "50KiB"}},
      {"bloom_before_level", "a whole number from -1 to 2147483647", {"-2", "x", "2147483648"}},
      {"filter_memory",
       "a whole number of bytes, or of KiB, MiB, GiB or TiB, as 256MiB",
       {"", "MiB", "iB", "-1", "-1MiB", "1.5GiB", "256 MiB", "256MB", "256mb", "256MIB", "256B",
        "10%", "auto", "18446744073709551616", "16777216TiB", "1KiBiB", "1KiB "}},
      {"build",
       "winnow, bloomfilter or ribbonfilter",
       {"", "Winnow", "bloomfilter:10", " bloomfilter", "bloom", "1", "true"}},
      {"level_plan", "uniform, by_level, auto or learned", {"learnt"}},
  };
  for (const auto& [name, range, refused] : cases) {
    for (const std::string& text : refused) {
      PolicyOptions options;
      const Status status = ParsePolicyOption(name, text, &options);
      EXPECT_TRUE(status.IsInvalidArgument()) << name << "=" << text;
      EXPECT_THAT(status.ToString(),
                  HasSubstr(std::string(name) + " is \"" + text + "\", but must be " + range));
      EXPECT_EQ(ToString(options), ToString(PolicyOptions()));
    }
  }
}

TEST(ParsePolicyOption, UnknownNameIsNotFoundAndToldWhatThereIs) {
  PolicyOptions options;
  const Status status = ParsePolicyOption("bits_per_keys", "10", &options);
  EXPECT_TRUE(status.IsNotFound());
  EXPECT_THAT(status.ToString(),
              AllOf(HasSubstr("\"bits_per_keys\""), HasSubstr("bits_per_key,"),
                    HasSubstr("ribbon_min_keys"), HasSubstr("bloom_before_level")));
}

TEST(ToString, GivesEveryNumberBackExactly) {
  for (const double bits : {1.0, 32.0, 10.0, 6.667, 1.0 + 1e-15, 3.1, 100.0 / 7}) {
    PolicyOptions options;
    options.bits_per_key = bits;
    const std::string text = ToString(options);
    const std::string value = text.substr(text.find('=') + 1, text.find(';') - text.find('=') - 1);
    PolicyOptions back;
    ASSERT_TRUE(ParsePolicyOption("bits_per_key", value, &back).ok()) << text;
    EXPECT_EQ(back.bits_per_key, bits);
  }
  const std::string first = "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;";
  EXPECT_EQ(ToString(PolicyOptions()), first + "level_plan=auto");
}

// Short text of a policy for metrics, tables and JSON, where label values must differ visibly.
TEST(ShortText, HasTheBitsAndWhatDiffersFromTheDefaults) {
  EXPECT_EQ(ShortText(PolicyOptions()), "bits_per_key=10");
  size_t options = 0;
  ForEachPolicyOption([&](const auto& option, auto member) {
    PolicyOptions changed = PolicyOptions();
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(changed.*member)>>) {
      changed.*member = changed.*member == option.least ? option.most : option.least;
    } else {
      changed.*member = option.values.back().second;
    }
    const std::string text = ShortText(changed) + ";";
    const std::string one = option.name + ("=" + PolicyOptionText(option.name, changed)) + ";";
    EXPECT_THAT(text, HasSubstr(one));
    EXPECT_LE(std::count(text.begin(), text.end(), ';'), 2) << text;
    EXPECT_EQ(option.name + ("=" + SavedOptionText(option.name, changed)) + ";", one);
    ++options;
  });
  EXPECT_EQ(options, PolicyOptionNameList().size());
}

TEST(SetNearestPolicyOption, OfAnUnknownNameIsWhatWasSetOrBuildsNothingNew) {
  PolicyOptions options;
  options.build = Build::kRibbonFilter;
  options.level_plan = LevelPlan::kLearned;
  SetNearestPolicyOption("build", "bloom", &options);
  SetNearestPolicyOption("level_plan", "learnt", &options);
  EXPECT_EQ(options.build, Build::kRibbonFilter);
  EXPECT_EQ(options.level_plan, LevelPlan::kLearned);
  options.build = Build::kWinnow;
  SetNearestPolicyOption("build", "bloom", &options);
  EXPECT_EQ(options.build, Build::kBloomFilter);
}

// An older Winnow refuses options that it does not know.
TEST(SavedOptionText, IsThereForTheFirstFourOptionsAlways) {
  const auto saved = [](const PolicyOptions& options) {
    std::string text;
    for (const std::string& name : PolicyOptionNameList()) {
      const std::string value = SavedOptionText(name, options);
      if (!value.empty()) text += name + "=" + value + ";";
    }
    return text;
  };
  const std::string first = "bits_per_key=10;ribbon_min_keys=auto;bloom_before_level=-1;";
  PolicyOptions options;
  for (const char* plan : {"uniform", "by_level", "auto", "learned"}) {
    ASSERT_TRUE(ParsePolicyOption("level_plan", plan, &options).ok());
    EXPECT_EQ(saved(options), first + "level_plan=" + plan + ";");
  }
  EXPECT_EQ(SavedOptionText("bits_per_kye", options), "");
}

TEST(BuiltinPolicyId, IsThatOfRocksDBsPolicy) {
  PolicyOptions options;
  options.bits_per_key = 9.9;
  options.bloom_before_level = -1;
  options.build = Build::kBloomFilter;
  EXPECT_EQ(BuiltinPolicyId(options), "bloomfilter:9.9");
  options.build = Build::kRibbonFilter;
  EXPECT_EQ(BuiltinPolicyId(options), "ribbonfilter:9.9:-1");
}

TEST(CheckPolicyOptions, RefusesWhatNoStringCanSay) {
  PolicyOptions options;
  EXPECT_TRUE(CheckPolicyOptions(options).ok());
  options.bits_per_key = std::nan("");
  EXPECT_TRUE(CheckPolicyOptions(options).IsInvalidArgument());
  options.bits_per_key = 10;
  options.bloom_before_level = -2;
  EXPECT_TRUE(CheckPolicyOptions(options).IsInvalidArgument());
  options.bloom_before_level = 0;
  options.build = static_cast<Build>(3);
  EXPECT_THAT(CheckPolicyOptions(options).ToString(),
              HasSubstr("build is 3, but must be that of winnow, bloomfilter or ribbonfilter"));
}

TEST(CheckPolicyOptions, SaysNumbersWithAPointInEveryLocale) {
  const testing::DecimalComma comma;
  PolicyOptions options;
  ASSERT_TRUE(ParsePolicyOption("bits_per_key", "9.9", &options).ok());
  EXPECT_EQ(options.bits_per_key, 9.9);
  EXPECT_EQ(PolicyOptionText("bits_per_key", options), "9.9");
  EXPECT_FALSE(ParsePolicyOption("bits_per_key", "9,9", &options).ok());
  options.bits_per_key = 0.5;
  EXPECT_THAT(CheckPolicyOptions(options).ToString(),
              HasSubstr("bits_per_key is 0.5, but must be from 1 to "));
  EXPECT_EQ(SizeText(1.25 * 1024 * 1024 * 1024), "1.2 GiB");
}

// Decimal numbers beyond the range of a double; `large_less` is one despite its exponent.
const std::string tiny = "0." + std::string(400, '0') + "1";
const std::string large = "1" + std::string(400, '0');
const std::string large_less = large + "e-10";

TEST(SetNearestPolicyOption, TakesTheNearestBound) {
  struct {
    const char* name;
    const char* text;
    const char* nearest;
  } const cases[] = {
      {"bits_per_key", "0", "1"},
      {"bits_per_key", "-1e300", "1"},
      {"bits_per_key", "1e-400", "1"},
      {"bits_per_key", "1E-400", "1"},
      {"bits_per_key", tiny.c_str(), "1"},
      {"bits_per_key", large_less.c_str(), "32"},
      {"bits_per_key", large.c_str(), "32"},
      {"absent_share", "1E-400", "0"},
      {"absent_share", tiny.c_str(), "0"},
      {"level_size_ratio", "1E-400", "2"},
      {"ribbon_min_keys", "1E-400", "0"},
      {"ribbon_min_keys", tiny.c_str(), "0"},
      {"bloom_before_level", "-1E-400", "0"},
      {"bits_per_key", "32.001", "32"},
      {"bits_per_key", "inf", "32"},
      {"bits_per_key", "1e400", "32"},
      {"bits_per_key", "-1e400", "1"},
      {"bits_per_key", "12.5", "12.5"},
      {"ribbon_min_keys", "-1", "0"},
      {"ribbon_min_keys", "18446744073709551616", "18446744073709551615"},
      {"ribbon_min_keys", "16777216T", "18446744073709551615"},
      {"ribbon_min_keys", "1.5k", "1536"},
      {"ribbon_min_keys", "2.7", "3"},
      {"filter_memory", "-1", "0"},
      {"filter_memory", "1.5GiB", "1536MiB"},
      {"filter_memory", "16777216TiB", "18446744073709551615"},
      {"bloom_before_level", "-2", "-1"},
      {"bloom_before_level", "2147483648", "2147483647"},
      {"bloom_before_level", "-1e30", "-1"},
      {"bloom_before_level", "1.2", "1"},
  };
  for (const auto& [name, text, nearest] : cases) {
    PolicyOptions options = PolicyOptions();  // absent_share needs a plan
    SetNearestPolicyOption(name, text, &options);
    EXPECT_EQ(PolicyOptionText(name, options), nearest) << name << "=" << text;
    EXPECT_TRUE(CheckPolicyOptions(options).ok()) << name << "=" << text;
  }
}

// A number within the option's range is accepted even if a double cannot represent its digits.
TEST(ParsePolicyOption, KnowsTheRangeOfNumbersThatNoDoubleHas) {
  PolicyOptions options;
  options.absent_share = 0.5;
  for (const std::string& text : {std::string("1e-400"), std::string("1E-400"), tiny}) {
    EXPECT_TRUE(ParsePolicyOption("absent_share", text, &options).ok()) << text;
    EXPECT_EQ(options.absent_share, 0);
    EXPECT_FALSE(ParsePolicyOption("bits_per_key", text, &options).ok()) << text;
    EXPECT_FALSE(ParsePolicyOption("level_size_ratio", text, &options).ok()) << text;
  }
  for (const std::string& text : {std::string("1e400"), large, large_less}) {
    for (const char* name : {"absent_share", "bits_per_key", "level_size_ratio"}) {
      EXPECT_FALSE(ParsePolicyOption(name, text, &options).ok()) << name << "=" << text;
    }
  }
}

TEST(SetNearestPolicyOption, LeavesWhatIsNoNumber) {
  for (const char* text : {"", "ten", "10x", " 10", "10:false", "nan", "k"}) {
    PolicyOptions options;
    options.bits_per_key = 12;
    SetNearestPolicyOption("bits_per_key", text, &options);
    SetNearestPolicyOption("ribbon_min_keys", text, &options);
    SetNearestPolicyOption("unknown", "10", &options);
    SetNearestPolicyId(std::string("winnow:") + text, &options);
    SetNearestPolicyId("winnow", &options);
    EXPECT_EQ(ShortText(options), "bits_per_key=12");
  }
}

// Options of Winnow 1 that parse and print, but mean something else or nothing.
TEST(WithoutEffect, NamesWhatEndedWithVersion2) {
  EXPECT_EQ(WithoutEffect({}), "");
  PolicyOptions options;
  options.range_kind = RangeKind::kBoth;
  EXPECT_THAT(WithoutEffect(options), HasSubstr("range_kind=both means auto"));
  EXPECT_THAT(ShortText(options), HasSubstr("range_kind=both"));
  options.level_plan = LevelPlan::kLearned;
  options.absent_share = 0.5;
  EXPECT_THAT(WithoutEffect(options),
              AllOf(HasSubstr("level_plan=learned means auto"), HasSubstr("; range_kind=both"),
                    HasSubstr("absent_share=0.5 without effect")));
}

TEST(SetNearestPolicyId, TakesTheNearestBound) {
  PolicyOptions options;
  SetNearestPolicyId("winnow:99", &options);
  EXPECT_EQ(options.bits_per_key, 32);
  SetNearestPolicyId("winnow.Filter:0.1", &options);
  EXPECT_EQ(options.bits_per_key, 1);
}

}  // namespace policy_options_test
}  // namespace winnow::plugin
