// Recovery of the journal after a kill at any point.

#include "tests/stress/journal.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/support/files.h"

namespace winnow::stress {
namespace {

using testing::ReadFile;
using testing::TemporaryFolder;
using testing::WriteFile;

Write Put(const std::string& key, const std::string& value) {
  return {Change::kPut, 1, key, value};
}

class JournalTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "journal";
};

TEST_F(JournalTest, WhereThereIsNoneTheModelIsEmptyAndNothingIsInDoubt) {
  const Recovered recovered = ReadJournal(path_);
  EXPECT_EQ(recovered.model, PartModel());
  EXPECT_TRUE(recovered.in_doubt.empty());
}

TEST_F(JournalTest, HasTheModelThatItBeganWithAndAllThatHappened) {
  PartModel model;
  model.families[0]["a"] = std::string("v\0\xff", 3);
  model.serial = 7;
  {
    Journal journal(path_, model);
    journal.Begin({Put("b", "1"), Put("c", "2")}, 9);
    journal.End(true);
    journal.Begin({{Change::kMerge, 1, "b", "+"}, {Change::kDelete, 0, "a", ""}}, 10);
    journal.End(true);
    journal.Begin({{Change::kDeleteRange, 1, "bb", "d"}}, 10);
    journal.End(true);
  }
  const Recovered recovered = ReadJournal(path_);
  PartModel expected;
  expected.families[1]["b"] = "1+";
  EXPECT_EQ(recovered.model, expected);
  EXPECT_EQ(recovered.model.serial, 10u);
  EXPECT_TRUE(recovered.in_doubt.empty());
}

TEST_F(JournalTest, AWriteThatDidNotHappenIsNeitherInTheModelNorInDoubt) {
  {
    Journal journal(path_, PartModel());
    journal.Begin({Put("a", "1")}, 1);
    journal.End(false);
  }
  const Recovered recovered = ReadJournal(path_);
  EXPECT_EQ(recovered.model, PartModel());
  EXPECT_TRUE(recovered.in_doubt.empty());
  EXPECT_EQ(recovered.model.serial, 1u) << "its value must not come again";
}

TEST_F(JournalTest, TheLastWriteIsInDoubtIfItsEndIsMissing) {
  {
    Journal journal(path_, PartModel());
    journal.Begin({Put("a", "1")}, 1);
    journal.End(true);
    journal.Begin({Put("a", "2"), Put("b", "3")}, 3);
  }
  const Recovered recovered = ReadJournal(path_);
  EXPECT_EQ(recovered.model.Find(1, "a"), "1");
  ASSERT_EQ(recovered.in_doubt.size(), 2u);
  EXPECT_EQ(recovered.in_doubt[1].key, "b");
  EXPECT_EQ(recovered.in_doubt[1].value, "3");
}

// Cut at any byte, the journal has the writes that had ended by then, and at most one write in
// doubt.
TEST_F(JournalTest, IsRightWhereverItIsCut) {
  {
    Journal journal(path_, PartModel());
    for (int i = 1; i <= 3; ++i) {
      journal.Begin({Put("a", std::to_string(i))}, 1);
      journal.End(true);
    }
  }
  const std::string whole = ReadFile(path_);
  WriteFile(path_, whole);
  int last = 0;
  int in_doubt = 0;
  const size_t model = 1 + 8 + 8 + 8 * kAllFamilies;  // the model is written atomically
  for (size_t size = model; size <= whole.size(); ++size) {
    WriteFile(path_, whole.substr(0, size));
    const Recovered recovered = ReadJournal(path_);
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

TEST_F(JournalTest, ANewOneTakesThePlaceOfTheOld) {
  {
    Journal journal(path_, PartModel());
    journal.Begin({Put("a", "1")}, 1);
  }
  PartModel model;
  model.families[2]["z"] = "26";
  { Journal journal(path_, model); }
  const Recovered recovered = ReadJournal(path_);
  EXPECT_EQ(recovered.model, model);
  EXPECT_TRUE(recovered.in_doubt.empty());
}

TEST_F(JournalTest, AnotherFileIsRefused) {
  WriteFile(path_, std::string(100, 'B'));
  EXPECT_THROW(ReadJournal(path_), std::runtime_error);
  WriteFile(path_, "");
  EXPECT_THROW(ReadJournal(path_), std::runtime_error);
}

}  // namespace
}  // namespace winnow::stress
