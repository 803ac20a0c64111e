#include "src/rocksdb/lookups/lookup_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/sampled_hashes.h"
#include "tests/rocksdb/lookups/sampled_lookups_testing.h"
#include "tests/support/counted_memory.h"

namespace winnow::plugin {
namespace lookup_samples_test {

using Record = LookupSamples::Record;

std::unique_ptr<LookupSamples> NewSamples() {
  auto samples = std::make_unique<LookupSamples>();
  samples->Reserve();
  samples->SetGrid(GridOfLetters(), nullptr);
  return samples;
}

// Answer of one file to a lookup.
struct Answer {
  uint64_t file;
  int level;
  bool may_contain;
};

class Noter {
 public:
  explicit Noter(LookupSamples* samples) : samples_(samples) {}

  void Note(const std::string& key, const Answer& answer, double rate = 0.2) {
    testing::allocations_left = 0;
    samples_->Note(&lookups_, key, HashKey(key).value, {answer.file, answer.level, rate},
                   answer.may_contain);
    testing::allocations_left = -1;
  }
  void NoteAll(const std::string& key, const std::vector<Answer>& answers) {
    for (const Answer& answer : answers) Note(key, answer);
  }

 private:
  LookupSamples* samples_;
  LookupsUnderWay lookups_{};
};

std::vector<Record> RecordsOf(const LookupSamples& samples) {
  std::vector<Record> records;
  samples.Snapshot(&records);
  return records;
}

constexpr float kWeight = 1.25F;  // weight of a record with rate 0.2

TEST(LookupSamplesTest, ALookupIsOneRecord) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  noter.NoteAll("a", {{1, 0, false}, {2, 0, false}, {3, 2, false}, {4, 5, false}});
  noter.NoteAll("b", {{1, 0, false}, {3, 2, true}});
  noter.NoteAll("c", {{1, 0, true}, {3, 2, true}, {4, 5, false}});
  noter.NoteAll("z", {{9, 6, true}});
  ExpectRecords(RecordsOf(*samples), {{PlaceOfLetter('a'), 0b100101, 5, true, kWeight},
                                      {PlaceOfLetter('b'), 0b1, 2, false, kWeight},
                                      {PlaceOfLetter('c'), 0b100000, 5, true, kWeight},
                                      {PlaceOfLetter('z'), 0, 6, false, 1}});
  EXPECT_EQ(samples->total(), 4u);
}

TEST(LookupSamplesTest, TheLastFilterThatSaidNoWeighsALookup) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  noter.Note("a", {1, 1, false}, 0.75);
  noter.Note("a", {2, 2, true}, 0.5);
  noter.Note("b", {1, 1, false}, 1);  // treated as 0.9
  noter.Note("c", {1, 1, false}, 0.75);
  noter.Note("c", {2, 2, false}, 0);
  const std::vector<Record> records = RecordsOf(*samples);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_FLOAT_EQ(records[0].weight, 4);
  EXPECT_FLOAT_EQ(records[1].weight, 10);
  EXPECT_FLOAT_EQ(records[2].weight, 1);
}

TEST(LookupSamplesTest, ANewLookupOfAKeyIsSeen) {
  const std::vector<std::pair<std::vector<Answer>, std::vector<uint16_t>>> cases = {
      {{{1, 0, false}, {1, 0, false}}, {1, 1}},                  // first file again
      {{{1, 3, true}, {1, 3, true}, {1, 3, true}}, {0, 0, 0}},   // first file again
      {{{1, 2, false}, {2, 3, false}, {3, 1, false}}, {12, 2}},  // upper level
      {{{1, 2, false}, {2, 2, false}}, {4, 4}},                  // same level
      {{{1, 0, false}, {2, 0, false}, {3, 0, true}}, {1}},       // one lookup, on level 0
      {{{1, 0, false}, {3, 1, false}, {2, 0, true}}, {3, 0}},    // upper level
  };
  for (const auto& [answers, said_no] : cases) {
    const auto samples = NewSamples();
    Noter(samples.get()).NoteAll("key", answers);
    std::vector<uint16_t> found;
    for (const Record& record : RecordsOf(*samples)) found.push_back(record.said_no);
    EXPECT_EQ(found, said_no);
  }
}

TEST(LookupSamplesTest, DeepLevelsAreOne) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  noter.NoteAll("a", {{1, 14, false}, {2, 15, false}, {3, 16, false}, {4, 500, false}});
  noter.NoteAll("b", {{1, -1, false}});
  ExpectRecords(RecordsOf(*samples), {{PlaceOfLetter('a'), 0b11 << 14, 15, true, kWeight}});
}

TEST(LookupSamplesTest, TellsSeveralLookupsApartThatAreUnderWay) {
  const auto one = NewSamples();
  const auto other = NewSamples();
  LookupsUnderWay lookups{};
  const std::string keys = "abcd";
  for (int level = 0; level < 4; ++level) {
    for (const char letter : keys) {
      const std::string key(1, letter);
      const uint64_t hash = HashKey(key).value;
      const uint64_t file = static_cast<uint64_t>(level) + 1;
      one->Note(&lookups, key, hash, {file, level, 0.2}, false);
      if (level % 2 == 1) other->Note(&lookups, key, hash, {file, level, 0.2}, letter == 'a');
    }
  }
  const std::vector<Record> of_one = RecordsOf(*one);
  const std::vector<Record> of_other = RecordsOf(*other);
  ASSERT_EQ(of_one.size(), 4u);
  ASSERT_EQ(of_other.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(of_one[i].said_no, 0b1111);
    EXPECT_FLOAT_EQ(of_one[i].place, PlaceOfLetter(keys[i]));
    EXPECT_EQ(of_other[i].said_no, i == 0 ? 0 : 0b1010);
  }
}

// An evicted lookup's further answers begin a new record.
TEST(LookupSamplesTest, MoreLookupsUnderWayThanAThreadRemembersBeginAgain) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  for (int level = 1; level <= 2; ++level) {
    for (char letter = 'a'; letter <= 'i'; ++letter) {  // one more than a thread tracks
      noter.Note(std::string(1, letter), {static_cast<uint64_t>(level), level, false});
    }
  }
  const std::vector<Record> records = RecordsOf(*samples);
  ASSERT_EQ(records.size(), 18u);
  for (size_t i = 0; i < 18; ++i) EXPECT_EQ(records[i].said_no, i < 9 ? 2 : 4);
}

TEST(LookupSamplesTest, NothingIsNotedWithoutRoomGridOrThread) {
  LookupSamples samples;
  Noter noter(&samples);
  noter.Note("a", {1, 1, false});
  samples.SetGrid(GridOfLetters(), nullptr);
  noter.Note("b", {1, 1, false});
  samples.Reserve();
  samples.Note(nullptr, "c", HashKey("c").value, {1, 1, 0}, false);
  EXPECT_TRUE(RecordsOf(samples).empty());
  noter.Note("d", {1, 1, false});
  EXPECT_EQ(RecordsOf(samples).size(), 1u);
}

std::string NumberedKey(uint64_t i) { return "k" + std::to_string(i); }

TEST(LookupSamplesTest, GrowsAsItFillsAndThenKeepsTheLatest) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  const uint64_t before = CurrentSampledLookups();
  uint64_t noted = 0;
  const auto note = [&](uint64_t n) {
    // The level identifies the record.
    for (; n-- > 0; ++noted)
      noter.Note(NumberedKey(noted), {1, static_cast<int>(noted % 13), true});
  };
  const auto expect = [&](size_t kept) {
    const std::vector<Record> records = RecordsOf(*samples);
    ASSERT_EQ(records.size(), kept);
    for (size_t i = 0; i < kept; ++i) {
      ASSERT_EQ(records[i].deepest, static_cast<int>((noted - kept + i) % 13));
    }
    EXPECT_EQ(samples->total(), noted);
  };
  note(1000);
  samples->Reserve();  // no effect, as it is not full
  note(500);
  expect(1024);
  for (size_t capacity = 2048; capacity <= LookupSamples::kMaxRecords; capacity *= 2) {
    const size_t former = capacity / 2;
    samples->Reserve();
    expect(former);
    note(former);
    expect(capacity);
    note(7);
    expect(capacity);
  }
  samples->Reserve();
  note(10);
  expect(LookupSamples::kMaxRecords);
  EXPECT_EQ(CurrentSampledLookups() - before, noted);
}

TEST(LookupSamplesTest, ALookupThatIsNoLongerThereStaysForgotten) {
  const auto samples = NewSamples();
  Noter slow(samples.get());
  Noter fast(samples.get());
  slow.Note("a", {1, 1, false});
  for (uint64_t i = 0; i < 1024; ++i) fast.Note(NumberedKey(i), {1, 1, false});
  slow.Note("a", {2, 2, false});
  for (const Record& record : RecordsOf(*samples)) ASSERT_EQ(record.said_no, 2);
}

TEST(LookupSamplesTest, AllTreesTogetherHaveABound) {
  constexpr size_t kBytes = LookupSamples::kMinRecords * sizeof(Record);
  constexpr size_t kTrees = LookupSamples::kMaxBytes / kBytes;
  std::vector<std::unique_ptr<LookupSamples>> trees;
  for (size_t i = 0; i < kTrees; ++i) trees.push_back(NewSamples());
  const auto fill = [](LookupSamples* samples) {
    Noter noter(samples);
    for (uint64_t i = 0; i < 2000; ++i) noter.Note(NumberedKey(i), {1, 1, false});
    samples->Reserve();
    for (uint64_t i = 0; i < 2000; ++i) noter.Note(NumberedKey(i), {1, 1, false});
    return RecordsOf(*samples).size();
  };
  EXPECT_EQ(fill(trees.front().get()), 1024u);
  const auto surplus = NewSamples();
  EXPECT_EQ(fill(surplus.get()), 0u);
  trees.pop_back();
  EXPECT_EQ(fill(trees.front().get()), 2048u);
  trees.pop_back();
  surplus->Reserve();
  EXPECT_EQ(fill(surplus.get()), 1024u);
}

TEST(LookupSamplesTest, StaysAsItIsWhereMemoryIsShort) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  for (uint64_t i = 0; i < 1500; ++i) noter.Note(NumberedKey(i), {1, 1, false});
  for (int i = 0; i < 2000; ++i) {  // otherwise takes the memory of all trees
    testing::allocations_left = 0;
    samples->Reserve();
    testing::allocations_left = -1;
  }
  EXPECT_EQ(RecordsOf(*samples).size(), 1024u);
  samples->Reserve();
  for (uint64_t i = 0; i < 1500; ++i) noter.Note(NumberedKey(i), {1, 1, false});
  EXPECT_EQ(RecordsOf(*samples).size(), 2048u);
}

TEST(LookupSamplesTest, PlacesMoveWithTheGrid) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  noter.Note("b", {1, 1, false});
  noter.Note("c", {1, 1, false});
  samples->SetGrid(GridOfCuts({"c", "d", "e"}), [](double place) { return place / 2; });
  noter.Note("b", {1, 1, false});
  noter.Note("d", {1, 1, false});
  std::vector<float> places;
  for (const Record& record : RecordsOf(*samples)) places.push_back(record.place);
  EXPECT_EQ(places, std::vector<float>({PlaceOfLetter('b') / 2, PlaceOfLetter('c') / 2, 0, 0.5F}));
}

// A lookup that waited for the other thread would deadlock here.
TEST(LookupSamplesTest, DropsAnswersWhereItWouldWait) {
  const auto samples = NewSamples();
  Noter noter(samples.get());
  noter.NoteAll("a", {{1, 0, false}, {2, 1, false}});
  bool was_called = false;
  samples->SetGrid(GridOfLetters(), [&](double place) {
    was_called = true;
    std::thread([&] {
      noter.Note("a", {3, 2, false});  // this answer is dropped
      noter.Note("b", {1, 0, false});  // this lookup is dropped
    }).join();
    return place;
  });
  EXPECT_TRUE(was_called);
  noter.Note("a", {4, 3, false});
  noter.NoteAll("b", {{2, 1, false}, {3, 2, false}});
  noter.NoteAll("b", {{1, 0, false}, {3, 2, false}});
  ExpectRecords(RecordsOf(*samples), {{PlaceOfLetter('a'), 0b1011, 3, true, kWeight},
                                      {PlaceOfLetter('b'), 0b101, 2, true, kWeight}});
}

TEST(LookupSamplesTest, OtherKeysAreSampledAfterManyRecords) {
  const auto one = NewSamples();
  const auto another = NewSamples();
  Noter noters[] = {Noter(one.get()), Noter(another.get())};
  const uint64_t salt = SamplingSalt();
  uint64_t i = CurrentSampledLookups() % LookupSamples::kRecordsOfASalt;
  for (; i < LookupSamples::kRecordsOfASalt - 1; ++i) {
    noters[i % 2].Note(NumberedKey(i), {1, 1, false});
  }
  EXPECT_EQ(SamplingSalt(), salt);
  noters[i % 2].Note(NumberedKey(i), {1, 1, false});
  EXPECT_NE(SamplingSalt() & 63, salt & 63);
}

// A tree at the address of a destroyed one is a new tree.
TEST(LookupSamplesTest, ANewTreeDoesNotGoOnWithLookupsOfAnother) {
  alignas(LookupSamples) unsigned char memory[sizeof(LookupSamples)];
  LookupsUnderWay lookups{};
  for (int i = 0; i < 2; ++i) {
    auto* const samples = new (memory) LookupSamples;
    samples->Reserve();
    samples->SetGrid(GridOfLetters(), nullptr);
    samples->Note(&lookups, "a", HashKey("a").value, {static_cast<uint64_t>(i) + 1, i + 1, 0.2},
                  false);
    EXPECT_EQ(samples->total(), 1u);
    samples->~LookupSamples();
  }
}

}  // namespace lookup_samples_test
}  // namespace winnow::plugin
