// What no run of the stress test would show: differences that the model does not see, missing
// key lengths, and writes in doubt.

#include "tests/stress/model.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/stress/journal.h"
#include "tests/stress/keys.h"
#include "tests/support/files.h"

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

// Few kills leave a write in doubt. Cut at any byte, the journal has the writes that had ended by
// then, and at most one write in doubt.
TEST(JournalTest, IsRightWhereverItIsCut) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "journal";
  {
    Journal journal(path, PartModel());
    for (int i = 1; i <= 3; ++i) {
      journal.Begin({{Change::kPut, 1, "a", std::to_string(i)}}, 1);
      journal.End(true);
    }
  }
  const std::string whole = testing::ReadFile(path);
  int last = 0;
  int in_doubt = 0;
  const size_t model = 1 + 8 + 8 + 8 * kAllFamilies;  // the model is written atomically
  for (size_t size = model; size <= whole.size(); ++size) {
    testing::WriteFile(path, whole.substr(0, size));
    const Recovered recovered = ReadJournal(path);
    const int now = std::stoi(recovered.model.Find(1, "a").value_or("0"));
    ASSERT_TRUE(now == last || now == last + 1) << size;
    last = now;
    ASSERT_LE(recovered.in_doubt.size(), 1u) << size;
    if (!recovered.in_doubt.empty()) {
      ++in_doubt;
      ASSERT_EQ(recovered.in_doubt[0].value, std::to_string(now + 1)) << size;
    }
  }
  EXPECT_EQ(last, 3);
  EXPECT_GT(in_doubt, 3);
}

}  // namespace
}  // namespace winnow::stress
