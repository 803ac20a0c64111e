#include "src/rocksdb/policy_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/rocksdb/messages/size_text.h"
#include "tests/support/decimal_comma.h"
#include "tests/support/files.h"

namespace winnow::plugin {
namespace policy_options_test {

using ROCKSDB_NAMESPACE::Status;
using ::testing::AllOf;
using ::testing::HasSubstr;
using winnow::testing::ReadFile;

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

TEST(ParsePolicyOption, TakesEachOption) {
  PolicyOptions options;
  EXPECT_TRUE(ParsePolicyOption("bits_per_key", "9.9", &options).ok());
  EXPECT_EQ(options.bits_per_key, 9.9);
  EXPECT_TRUE(ParsePolicyOption("ribbon_min_keys", "auto", &options).ok());
  EXPECT_EQ(options.ribbon_min_keys, kRibbonWhereItSaves);
  EXPECT_TRUE(ParsePolicyOption("ribbon_min_keys", "0", &options).ok());
  EXPECT_EQ(options.ribbon_min_keys, 0u);
  EXPECT_TRUE(ParsePolicyOption("ribbon_min_keys", "18446744073709551615", &options).ok());
  EXPECT_EQ(options.ribbon_min_keys, std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(ParsePolicyOption("ribbon_min_keys", "50k", &options).ok());
  EXPECT_EQ(options.ribbon_min_keys, 51200u);
  EXPECT_TRUE(ParsePolicyOption("ribbon_min_keys", "2T", &options).ok());
  EXPECT_EQ(options.ribbon_min_keys, uint64_t{2} << 40);
  EXPECT_TRUE(ParsePolicyOption("bloom_before_level", "-1", &options).ok());
  EXPECT_EQ(options.bloom_before_level, -1);
  EXPECT_TRUE(ParsePolicyOption("bloom_before_level", "2147483647", &options).ok());
  EXPECT_EQ(options.bloom_before_level, 2147483647);
}

TEST(ParsePolicyOption, RefusalNamesOptionValueAndRange) {
  struct Bad {
    const char* name;
    const char* text;
    const char* range;
  };
  const Bad bads[] = {
      {"bits_per_key", "99", "from 1 to 32"},
      {"bits_per_key", "ten", "from 1 to 32"},
      {"ribbon_min_keys", "-1", "auto or a whole number from 0 to 18446744073709551615"},
      {"ribbon_min_keys", "18446744073709551614", "auto or"},
      {"ribbon_min_keys", "18446744073709551616", "from 0 to 18446744073709551615"},
      {"ribbon_min_keys", "16777216T", "from 0 to 18446744073709551615"},
      {"ribbon_min_keys", "k", "from 0 to 18446744073709551615"},
      {"ribbon_min_keys", "1.5", "from 0 to 18446744073709551615"},
      {"ribbon_min_keys", "", "from 0 to 18446744073709551615"},
      {"bloom_before_level", "-2", "from -1 to 2147483647"},
      {"bloom_before_level", "x", "from -1 to"},
      {"bloom_before_level", "2147483648", "from -1 to"},
  };
  for (const Bad& bad : bads) {
    PolicyOptions options;
    const Status status = ParsePolicyOption(bad.name, bad.text, &options);
    EXPECT_TRUE(status.IsInvalidArgument()) << bad.name << "=" << bad.text;
    EXPECT_THAT(status.ToString(),
                AllOf(HasSubstr(bad.name), HasSubstr(bad.text), HasSubstr(bad.range)));
    EXPECT_EQ(ToString(options), ToString(PolicyOptions()));
  }
}

TEST(ParsePolicyOption, TakesSizesOfFilterMemory) {
  const std::pair<const char*, uint64_t> sizes[] = {
      {"0", 0},
      {"1", 1},
      {"1000000", 1'000'000},
      {"256MiB", uint64_t{256} << 20},
      {"1GiB", uint64_t{1} << 30},
      {"64KiB", 64 << 10},
      {"3TiB", uint64_t{3} << 40},
      {"256m", uint64_t{256} << 20},
      {"256M", uint64_t{256} << 20},
      {"9223372036854775808", uint64_t{1} << 63},
      {"8388608TiB", uint64_t{1} << 63},
      {"18446744073709551615", std::numeric_limits<uint64_t>::max()}};
  for (const auto& [text, bytes] : sizes) {
    PolicyOptions options;
    options.filter_memory = 7;
    EXPECT_TRUE(ParsePolicyOption("filter_memory", text, &options).ok()) << text;
    EXPECT_EQ(options.filter_memory, bytes) << text;
    PolicyOptions back;
    const std::string saved = PolicyOptionText("filter_memory", options);
    EXPECT_TRUE(ParsePolicyOption("filter_memory", saved, &back).ok()) << saved;
    EXPECT_EQ(back.filter_memory, bytes) << saved;
    EXPECT_EQ(SavedOptionText("filter_memory", options), bytes == 0 ? "" : saved);
    EXPECT_EQ(ToString(options),
              ToString(PolicyOptions()) + (bytes == 0 ? "" : ";filter_memory=" + saved));
  }
}

TEST(PolicyOptionText, SaysASizeWithTheLargestUnitThatFits) {
  PolicyOptions options;
  const std::pair<uint64_t, const char*> sizes[] = {
      {0, "0"},          {1023, "1023"},    {1024, "1KiB"},
      {1025, "1025"},    {1536, "1536"},    {256 << 20, "256MiB"},
      {3 << 20, "3MiB"}, {1 << 30, "1GiB"}, {uint64_t{1} << 63, "8388608TiB"}};
  for (const auto& [bytes, text] : sizes) {
    options.filter_memory = bytes;
    EXPECT_EQ(PolicyOptionText("filter_memory", options), text);
  }
}

TEST(ParsePolicyOption, RefusesWhatIsNoSize) {
  for (const char* text :
       {"", "MiB", "iB", "-1", "-1MiB", "1.5GiB", "256 MiB", "256MB", "256mb", "256MIB", "256B",
        "10%", "auto", "18446744073709551616", "16777216TiB", "1KiBiB", "1KiB "}) {
    PolicyOptions options;
    options.filter_memory = 7;
    const Status status = ParsePolicyOption("filter_memory", text, &options);
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    EXPECT_THAT(status.ToString(),
                HasSubstr("filter_memory is \"" + std::string(text) +
                          "\", but must be a whole number of bytes, or of KiB, MiB, GiB or TiB, as "
                          "256MiB"));
    EXPECT_EQ(options.filter_memory, 7u) << text;
  }
  PolicyOptions options;
  EXPECT_TRUE(ParsePolicyOption("ribbon_min_keys", "50KiB", &options).IsInvalidArgument())
      << "keys are no bytes";
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
    ++options;
  });
  EXPECT_EQ(options, PolicyOptionNameList().size());
}

TEST(ParsePolicyOption, TakesTheNamesOfWhatIsBuiltAndNothingElse) {
  const std::pair<const char*, Build> builds[] = {{"bloomfilter", Build::kBloomFilter},
                                                  {"ribbonfilter", Build::kRibbonFilter},
                                                  {"winnow", Build::kWinnow}};
  PolicyOptions options;
  for (const auto& [text, build] : builds) {
    EXPECT_TRUE(ParsePolicyOption("build", text, &options).ok()) << text;
    EXPECT_EQ(options.build, build) << text;
    EXPECT_EQ(PolicyOptionText("build", options), text);
  }
  for (const char* text : {"", "Winnow", "bloomfilter:10", " bloomfilter", "bloom", "1", "true"}) {
    options.build = Build::kRibbonFilter;
    const Status status = ParsePolicyOption("build", text, &options);
    EXPECT_TRUE(status.IsInvalidArgument()) << text;
    EXPECT_THAT(status.ToString(),
                HasSubstr("build is \"" + std::string(text) +
                          "\", but must be winnow, bloomfilter or ribbonfilter"));
    SetNearestPolicyOption("build", text, &options);
    EXPECT_EQ(options.build, Build::kRibbonFilter) << text;
    options.build = Build::kWinnow;
    SetNearestPolicyOption("build", text, &options);
    EXPECT_EQ(options.build, Build::kBloomFilter) << text;
  }
}

TEST(ToString, NamesABuilderThatIsNotOurs) {
  PolicyOptions options;
  const std::string ours = ToString(options);
  options.build = Build::kRibbonFilter;
  EXPECT_THAT(ToString(options), HasSubstr(";build=ribbonfilter;"));
  EXPECT_EQ(ours.find("build"), std::string::npos);
}

// An older Winnow refuses options that it does not know.
TEST(SavedOptionText, IsThereForTheFirstFourAndForWhatWasAskedFor) {
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
  ForEachPolicyOption([](const auto& option, auto member) {
    PolicyOptions changed = PolicyOptions();
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(changed.*member)>>) {
      changed.*member = changed.*member == option.least ? option.most : option.least;
    } else {
      changed.*member = option.values.back().second;
    }
    EXPECT_EQ(SavedOptionText(option.name, changed), PolicyOptionText(option.name, changed));
    EXPECT_NE(SavedOptionText(option.name, changed), "") << option.name;
  });
  EXPECT_EQ(SavedOptionText("bits_per_kye", options), "");
}

TEST(ParsePolicyOption, KnowsThePlans) {
  PolicyOptions options;
  for (const auto& [name, plan] : kLevelPlanOption.values) {
    EXPECT_TRUE(ParsePolicyOption("level_plan", name, &options).ok()) << name;
    EXPECT_EQ(options.level_plan, plan);
    EXPECT_TRUE(CheckPolicyOptions(options).ok()) << name;
  }
  EXPECT_EQ(options.level_plan, LevelPlan::kLearned);
  EXPECT_THAT(
      ParsePolicyOption("level_plan", "learnt", &options).ToString(),
      HasSubstr("level_plan is \"learnt\", but must be uniform, by_level, auto or learned"));
  SetNearestPolicyOption("level_plan", "learnt", &options);
  EXPECT_EQ(options.level_plan, LevelPlan::kLearned);
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

TEST(PolicyOptionNameList, HasEachOptionThatToStringWrites) {
  PolicyOptions options;
  // Options with default values are not written.
  options.build = Build::kBloomFilter;
  options.level_plan = LevelPlan::kAuto;
  const std::string told = ToString(options);
  std::string text;
  for (const std::string& name : PolicyOptionNameList()) {
    const std::string setting = name + "=" + PolicyOptionText(name, options);
    if (told.find(setting) != std::string::npos) text += (text.empty() ? "" : ";") + setting;
    EXPECT_THAT(PolicyOptionNames(), HasSubstr(name));
  }
  EXPECT_EQ(text, told);
  EXPECT_EQ(PolicyOptionText("bits_per_kye", options), "");
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

TEST(SetNearestPolicyId, TakesTheNearestBound) {
  PolicyOptions options;
  SetNearestPolicyId("winnow:99", &options);
  EXPECT_EQ(options.bits_per_key, 32);
  SetNearestPolicyId("winnow.Filter:0.1", &options);
  EXPECT_EQ(options.bits_per_key, 1);
}

// Returns the rows of the options page's table: option, default and meaning.
std::vector<std::vector<std::string>> RowsOfThePage() {
  const std::string folder = WINNOW_SOURCE_DIR;
  const std::string page = folder + "/docs/options.md";
  std::istringstream lines(ReadFile(std::filesystem::exists(page) ? page : folder + "/README.md"));
  std::string line;
  while (std::getline(lines, line) && line.rfind("| option | default |", 0) != 0) {
  }
  std::getline(lines, line);  // rule below the header
  std::vector<std::vector<std::string>> rows;
  while (std::getline(lines, line) && line.rfind("| ", 0) == 0) {
    std::vector<std::string> cells;
    for (size_t at = 2, end = 0; (end = line.find(" |", at)) != std::string::npos; at = end + 3) {
      cells.push_back(line.substr(at, end - at));
    }
    rows.push_back(cells);
  }
  return rows;
}

// Returns text of the page with ASCII minus signs and without backquotes.
std::string AsPlainText(std::string text) {
  constexpr std::string_view kMinus = "\u2212";
  for (size_t at = 0; (at = text.find(kMinus)) != std::string::npos;) {
    text.replace(at, kMinus.size(), "-");
  }
  text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
  return text;
}

template <typename Value>
std::vector<std::string> ValuesOnThePage(const NumberOption<Value>& option, Value usual) {
  std::vector<std::string> parts;
  if (option.most < 1000) {
    parts.push_back(::testing::PrintToString(option.least) + " to " +
                    ::testing::PrintToString(option.most));
  }
  if (usual == option.automatic) parts.push_back("auto");
  return parts;
}

template <typename Value, size_t kCount>
std::vector<std::string> ValuesOnThePage(const NamedOption<Value, kCount>& option, Value usual) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : option.values) {
    if (value != usual) parts.emplace_back(name);
  }
  return parts;
}

TEST(ForEachPolicyOption, IsTheTableOfThePage) {
  const std::vector<std::vector<std::string>> rows = RowsOfThePage();
  size_t number = 0;
  ForEachPolicyOption([&](const auto& option, auto member) {
    ASSERT_LT(number, rows.size()) << "the page has no row of " << option.name;
    const std::vector<std::string>& row = rows[number++];
    ASSERT_EQ(row.size(), 3u) << option.name;
    EXPECT_EQ(row[0], "`" + std::string(option.name) + "`");
    EXPECT_EQ(AsPlainText(row[1]), PolicyOptionText(option.name, PolicyOptions())) << option.name;
    for (const std::string& part : ValuesOnThePage(option, PolicyOptions().*member)) {
      EXPECT_THAT(AsPlainText(row[2]), HasSubstr(part)) << option.name;
    }
  });
  EXPECT_EQ(rows.size(), number) << "the page has options that the policy has not";
}

}  // namespace policy_options_test
}  // namespace winnow::plugin
