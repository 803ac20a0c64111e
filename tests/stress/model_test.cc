// The model and its keys, which every answer of the database is compared with.

#include "tests/stress/model.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/stress/keys.h"
#include "tests/stress/settings.h"

namespace winnow::stress {
namespace {

TEST(ModelTest, FirstDifferenceSeesWhatIsMissingTooManyOrOther) {
  PartModel a;
  a.families[1] = {{"b", "1"}, {"d", "2"}};
  EXPECT_FALSE(FirstDifference(a, a));
  struct {
    FamilyModel found;
    const char* key;
    std::optional<std::string> expected;
    std::optional<std::string> said;
  } const cases[] = {
      {{{"d", "2"}}, "b", "1", std::nullopt},
      {{{"b", "1"}}, "d", "2", std::nullopt},
      {{{"b", "1"}, {"c", "3"}, {"d", "2"}}, "c", std::nullopt, "3"},
      {{{"a", "3"}, {"b", "1"}, {"d", "2"}}, "a", std::nullopt, "3"},
      {{{"b", "1"}, {"d", "2"}, {"e", "3"}}, "e", std::nullopt, "3"},
      {{{"b", "1"}, {"d", "4"}}, "d", "2", "4"},
  };
  for (const auto& [found, key, expected, said] : cases) {
    PartModel b;
    b.families[1] = found;
    const auto difference = FirstDifference(a, b);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->family, 1u);
    EXPECT_EQ(difference->key, key);
    EXPECT_EQ(difference->expected, expected);
    EXPECT_EQ(difference->found, said);
  }
}

TEST(KeysTest, AreInTheOrderOfTheirNumbersInTheirGroupsAndApartFromOtherOwners) {
  for (const uint64_t n : {20u, 2'000u, 300'000u}) {
    const KeySpace keys(3, n);
    std::string before = keys.Begin();
    for (uint64_t i = 0; i<n; i += n> 2'000 ? 97 : 1) {
      const std::string key = keys.Key(i);
      ASSERT_LT(before, key);
      ASSERT_LT(key, keys.End());
      ASSERT_GE(key.size(), kMinKeyBytes);
      ASSERT_EQ(key.compare(0, 5, keys.GroupStart(keys.GroupOf(i))), 0);
      ASSERT_LT(key, keys.GroupStart(keys.GroupOf(i) + 1));
      ASSERT_EQ(key, keys.Key(i));
      before = key;
    }
    EXPECT_EQ(keys.End(), KeySpace(4, n).Begin());
  }
}

TEST(KeysTest, HaveAllTheLengthsThatTheSharedHashTellsApart) {
  const KeySpace keys(0, 2'000);
  int shorter = 0;
  int middle = 0;
  int longest = 0;
  for (uint64_t i = 0; i < keys.keys(); ++i) {
    const size_t length = keys.Key(i).size();
    ++(length <= 64 ? shorter : length <= 1024 ? middle : longest);
  }
  EXPECT_GT(shorter, 1'000);
  EXPECT_GT(middle, 50);
  EXPECT_GT(longest, 10);
}

TEST(KeysTest, OfEverySecondOwnerHaveOneLength) {
  const KeySpace keys(1, 2'000);
  for (uint64_t i = 0; i < keys.keys(); ++i) ASSERT_EQ(keys.Key(i).size(), keys.Key(0).size());
}

TEST(KeysTest, ValuesNameTheirKeyAndNeverComeAgain) {
  std::set<std::string> values;
  for (uint64_t serial = 0; serial < 1'000; ++serial) {
    const std::string value = MakeValue("key", serial);
    EXPECT_TRUE(IsValueOf("key", value));
    EXPECT_FALSE(IsValueOf("kez", value));
    EXPECT_TRUE(values.insert(value).second);
  }
}

TEST(ExtractorTest, HasThePrefixesThatRocksDBHas) {
  using Kind = Extractor::Kind;
  for (const Extractor extractor : {Extractor{Kind::kFixed, 5}, Extractor{Kind::kFixed, 9},
                                    Extractor{Kind::kCapped, 5}, Extractor{Kind::kCapped, 9}}) {
    const auto made = extractor.Make();
    bool takes_all = true;
    for (uint64_t i = 0; i < 500; ++i) {
      const std::string key = KeySpace(0, 500).Key(i);
      ASSERT_EQ(extractor.InDomain(key), made->InDomain(key)) << extractor.Text();
      takes_all = takes_all && made->InDomain(key);
      if (!made->InDomain(key)) continue;
      ASSERT_EQ(extractor.PrefixOf(key), made->Transform(key).ToString()) << extractor.Text();
    }
    EXPECT_EQ(extractor.TakesAll(), takes_all) << extractor.Text();
  }
  EXPECT_EQ((Extractor{Kind::kNone, 0}.Make()), nullptr);
}

}  // namespace
}  // namespace winnow::stress
