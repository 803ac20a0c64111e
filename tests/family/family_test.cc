#include "src/family/family.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/family/simulated_tree.h"

namespace winnow::family {
namespace family_test {

constexpr uint64_t kDatabase = 1;
constexpr uint64_t kMany = uint64_t{1} << 40;
using Form = SimulatedTree::Form;

// Lists files of 1000 keys side by side, whose names begin with this number.
std::vector<ListedFile> Row(int level, uint64_t number, uint64_t count) {
  std::vector<ListedFile> list;
  for (uint64_t i = 0; i < count; ++i) {
    list.push_back(Listed(Name(number + i), level, Range(1000 * i, 1000 * i + 999)));
  }
  return list;
}

template <typename T>
std::vector<T> operator+(std::vector<T> all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::set<uint64_t> LiveNumbers(Family* family) {
  std::set<uint64_t> numbers;
  const std::shared_ptr<const Shape> shape = LookAnew(family);
  for (const auto& placed : shape->files()) numbers.insert(placed.file->name.number);
  return numbers;
}

FilePtr FileNamed(Family* family, uint64_t number) {
  return LookAnew(family)->FindBy(
      [number](const LiveFile& file) { return file.name.number == number; }, "");
}

FilePtr Write(Family* family, uint64_t number, const NewFile& file, double bits = 10) {
  const FilePtr made = family->Built(file, bits, file.keys);
  family->SetName(made, Name(number));
  return made;
}

std::vector<uint64_t> RandomKeys(size_t count, uint64_t from, uint64_t to,
                                 std::mt19937_64* random) {
  std::set<uint64_t> keys;
  while (keys.size() < count) keys.insert(from + (*random)() % (to - from));
  return {keys.begin(), keys.end()};
}

class FamilyTest : public ::testing::Test {
 protected:
  Family family_;
};

// ---- Bits

TEST_F(FamilyTest, DecidesNothingWithoutASource) {
  const NewFile file = Flushed(Range(0, 9), 10);
  EXPECT_FALSE(family_.BitsOf(file, kUniform));
  EXPECT_NE(family_.Built(file, 10, 10), nullptr);
  EXPECT_EQ(family_.totals().files, 0u);
  family_.SetReadersTell(true);
  EXPECT_TRUE(family_.BitsOf(file, kUniform));
  family_.SetReadersTell(false);
  EXPECT_FALSE(family_.BitsOf(file, kUniform));
  family_.TakeList(kDatabase, {});
  EXPECT_TRUE(family_.BitsOf(file, kUniform));
  family_.StopBeingTold();
  EXPECT_FALSE(family_.BitsOf(file, kUniform));
}

TEST_F(FamilyTest, FilesOfOneLevelGetUniformBits) {
  EXPECT_FALSE(family_.is_told());
  family_.TakeList(kDatabase, Row(2, 1, 50));
  EXPECT_TRUE(family_.is_told());
  for (uint64_t job = 1; job < 10; ++job) {
    family_.Begin(static_cast<int>(job), {Name(job)});
    const KeyRange range = Range(1000 * job - 1000, 1000 * job - 1);
    const auto decided = family_.BitsOf(Compacted(range, 1000, 2, static_cast<int>(job)), kUniform);
    EXPECT_DOUBLE_EQ(decided->bits, kUniform);
    EXPECT_FALSE(decided->is_over_memory);
  }
}

TEST_F(FamilyTest, FilesOfKeysInOrderGetUniformBits) {
  for (const bool by_readers : {false, true}) {
    SimulatedTree tree({true, 4, by_readers});
    for (uint64_t i = 0; i < 300; ++i) {
      std::vector<uint64_t> keys(100);
      std::iota(keys.begin(), keys.end(), 100 * i);
      tree.Flush(keys);
    }
    for (const auto& file : tree.files()) EXPECT_NEAR(file.record->bits, kUniform, 1e-6);
  }
}

// A mean of recent means may not be that of the tree that the compaction leaves.
TEST_F(FamilyTest, FilesOfAFullCompactionGetUniformBits) {
  for (const bool is_leveled : {true, false}) {
    for (const bool is_ordered : {true, false}) {
      std::mt19937_64 random(6);
      SimulatedTree tree({is_leveled, 6, false, is_ordered});
      for (int i = 0; i < 60; ++i) tree.Flush(RandomKeys(100, 0, kMany, &random));
      tree.family.BitsOf(Flushed(Range(0, kMany), 1000), kUniform);
      tree.CompactAll();
      for (const auto& file : tree.files()) EXPECT_NEAR(file.record->bits, kUniform, 0.05);
      EXPECT_NEAR(tree.ToUniform().false_reads, 1, 0.01);
    }
  }
}

TEST_F(FamilyTest, BitsStayWithinBounds) {
  family_.TakeList(kDatabase, Row(6, 1, 200));
  const auto decided = family_.BitsOf(Flushed(Range(0, 199'999), 2), kUniform);
  EXPECT_EQ(decided->bits, kMostBits);
  EXPECT_NEAR(decided->reach.log2(), std::log2(200'002 / 2), 0.01);
  for (uint64_t i = 0; i < 40; ++i) {
    Write(&family_, 1000 + i, Flushed(Range(0, 199'999), 20));
    family_.Installed(Name(1000 + i), 0);
  }
  LookAnew(&family_);
  const NewFile of_last = Compacted(Range(0, 999), 1000, 6);
  EXPECT_NEAR(family_.BitsOf(of_last, 1.01)->bits, kLeastBits, 0.05);
  EXPECT_NEAR(family_.BitsOf(of_last, 0.5)->bits, 0.5, 0.05) << "as few as the option says";
}

TEST_F(FamilyTest, TakesBitsOffWhereFiltersTakeTooMuch) {
  std::vector<ListedFile> list = Row(6, 1, 100);
  for (ListedFile& file : list) file.bits = 9;
  family_.TakeList(kDatabase, list);
  const NewFile next = Compacted(Range(200'000, 200'999), 1000, 6);
  const auto usual = family_.BitsOf(next, 9);
  EXPECT_FALSE(usual->is_over_memory);
  EXPECT_DOUBLE_EQ(usual->bits, 9);
  const auto decided = family_.BitsOf(next, 6);  // the option was lowered
  EXPECT_TRUE(decided->is_over_memory);
  EXPECT_LT(decided->bits, 5);
  EXPECT_GE(decided->bits, kLeastBits);
}

TEST_F(FamilyTest, FilesThatAreAskedMoreGetMoreBits) {
  family_.TakeList(kDatabase, Row(2, 1, 50));
  SetDenied(FileNamed(&family_, 1), {100, 100, 100, 100});
  SetDenied(FileNamed(&family_, 2), {1, 0, 0, 0});
  LookAnew(&family_);
  const auto bits_of = [&](uint64_t number) {
    const int job = static_cast<int>(number);
    family_.Begin(job, {Name(number)});
    const uint64_t first = 1000 * (number - 1);
    return family_.BitsOf(Compacted(Range(first, first + 999), 1000, 2, job), kUniform)->bits;
  };
  EXPECT_GT(bits_of(1), bits_of(2) + 2);
  const FilePtr made = family_.Built(Compacted(Range(0, 999), 1000, 2, 1), 10, 1000);
  EXPECT_NEAR(made->asked(), 400, 5) << "goes on with the counters of its place";
}

// False reads must not move elsewhere: at rest, there are not more false reads than with
// equal rates, nor many more bits.
TEST_F(FamilyTest, NoTreeHasMoreFalseReadsThanEqualRates) {
  struct Load {
    uint64_t keys;   // numbers that keys are among
    uint64_t width;  // of a flush
  };
  for (const Form form :
       {Form{true, 2}, Form{true, 4}, Form{true, 12}, Form{true, 4, false, false}, Form{false, 4},
        Form{false, 8}, Form{false, 30}, Form{false, 8, false, false}, Form{true, 4, true},
        Form{false, 8, true}}) {
    for (const Load load : {Load{kMany, kMany}, Load{12'000, 12'000}, Load{kMany, kMany / 8}}) {
      SCOPED_TRACE(::testing::Message()
                   << (form.is_leveled ? "leveled, " : "universal, ") << form.runs
                   << " runs, by readers: " << form.by_readers << ", ordered: " << form.is_ordered
                   << ", " << load.keys << " numbers, flushes of " << load.width);
      std::mt19937_64 random(8);
      SimulatedTree tree(form);
      double sum = 0;
      SimulatedTree::Cost most;
      constexpr int kFlushes = 250;
      constexpr int kFirst = 20;
      for (int i = 0; i < kFlushes; ++i) {
        const uint64_t from = random() % (load.keys - load.width + 1);
        tree.Flush(RandomKeys(50 + random() % 100, from, from + load.width, &random));
        if (i < kFirst) continue;
        const SimulatedTree::Cost cost = tree.ToUniform();
        sum += cost.false_reads;
        most = {std::max(most.false_reads, cost.false_reads), std::max(most.bits, cost.bits)};
      }
      EXPECT_LE(tree.ToUniform().false_reads, 1.03);
      EXPECT_LE(sum / (kFlushes - kFirst), 0.9);
      // Readers don't tell what a compaction replaces.
      EXPECT_LE(most.false_reads, form.by_readers ? 1.3 : form.is_ordered ? 1.04 : 1.15);
      EXPECT_LE(most.bits, 1.25);
    }
  }
}

// ---- Edits of a listener

TEST_F(FamilyTest, WrittenFilesLiveOnceInstalled) {
  family_.TakeList(kDatabase, {});
  const FilePtr file = Write(&family_, 1, Flushed(Range(0, 999), 1000));
  family_.SetName(file, Name(3));
  const FilePtr other = Write(&family_, 1, Flushed(Range(0, 9), 20));
  EXPECT_FALSE(other->name.is_known()) << "of the first file with it";
  family_.Installed(Name(3), 0);
  EXPECT_EQ(family_.totals().files, 0u) << "files keep their first name";
  family_.Installed(Name(1), 0);
  EXPECT_EQ(family_.totals().keys_on_level_0, 1000);
  family_.Installed(Name(1), 3);  // moved
  EXPECT_EQ(family_.totals().keys_on_level_0, 0);
  EXPECT_EQ(family_.levels().base, 3);
  for (int i = 0; i < 2; ++i) family_.Ended(Name(1));
  family_.Installed(Name(1), 2);
  EXPECT_EQ(family_.totals().files, 0u) << "what ended does not come back";
  family_.NotWritten(Write(&family_, 4, Flushed(Range(0, 9), 10)));
  family_.Installed(Name(4), 0);
  EXPECT_EQ(family_.totals().files, 0u);
}

TEST_F(FamilyTest, PartitionsExtendAFile) {
  family_.TakeList(kDatabase, {});
  const FilePtr file = Write(&family_, 1, Flushed(Range(0, 99), 100));
  family_.Extend(file, Flushed(Range(0, 299), 300), 150);
  family_.Installed(Name(1), 0);
  EXPECT_EQ(family_.totals().keys, 300);
  EXPECT_EQ(family_.totals().bytes, 250);
  EXPECT_EQ(file->range.last, Key(299));
  family_.Extend(file, Flushed(Range(0, 399), 400), 100);
  EXPECT_EQ(family_.totals().keys, 300) << "a live file is constant";
  EXPECT_EQ(file->keys, 300);
}

TEST_F(FamilyTest, JobsKnowWhatTheyReplace) {
  family_.TakeList(kDatabase, Row(0, 1, 1) + Row(1, 2, 2));
  family_.Begin(4, {Name(1), Name(2), Name(77)});
  const NewFile output = Compacted(Range(0, 999), 1000, 1, 4);
  EXPECT_EQ(family_.InputsOf(output).keys, 2000);
  EXPECT_EQ(family_.InputsOf(output).bytes, 2000);
  EXPECT_EQ(family_.InputsOf(output).bytes_on_level, 1000);
  std::vector<Weighed> all;
  family_.AppendWith(output, &all);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].keys + all[1].keys, 3000) << "a file that stays, and outputs";
  all.clear();
  family_.AppendAll(&all);
  EXPECT_EQ(all.size(), 3u);
  family_.End(4);
  EXPECT_EQ(family_.InputsOf(output).keys, 1000) << "of its range, as many keys as it has";
  all.clear();
  EXPECT_NEAR(family_.AppendWith(Flushed(Range(0, 999), 1000), &all), std::log2(3), 0.01);
  EXPECT_EQ(all.size(), 4u);
  family_.Begin(4, {Name(1)});
  family_.StopBeingTold();
  EXPECT_EQ(family_.InputsOf(output).keys, 1000);
}

// ---- Lists

TEST_F(FamilyTest, EditsDuringAListOutrankIt) {
  const FilePtr early = family_.Built(Flushed(Range(0, 999), 700), 10, 700);
  family_.SetName(early, Name(9));
  family_.BeginList();
  family_.Installed(Name(2), 3);  // has no record yet
  family_.Ended(Name(3));
  family_.TakeList(kDatabase,
                   Row(1, 1, 3) + std::vector<ListedFile>{Listed(Name(9), 0, Range(0, 999))});
  ASSERT_EQ(LiveNumbers(&family_), std::set<uint64_t>({1, 2, 9}));
  EXPECT_EQ(FileNamed(&family_, 2)->level, 3) << "moved after it was listed";
  EXPECT_EQ(FileNamed(&family_, 9), early) << "built before the first list";
  family_.BeginList();
  family_.Installed(Name(1), 2);
  Write(&family_, 20, Flushed(Range(0, 9), 10));
  family_.Installed(Name(20), 0);                 // written during the list, which lacks it
  Write(&family_, 21, Flushed(Range(0, 9), 10));  // installed, but told later
  family_.Ended(Name(9));
  family_.TakeList(kDatabase, Row(1, 1, 2) + Row(0, 21, 1) + Row(0, 9, 1));
  ASSERT_EQ(LiveNumbers(&family_), std::set<uint64_t>({1, 2, 20, 21}));
  EXPECT_EQ(FileNamed(&family_, 1)->level, 2);
  EXPECT_EQ(FileNamed(&family_, 2)->level, 1) << "no event since the list began";
  EXPECT_EQ(FileNamed(&family_, 21)->keys, 10) << "measured when it was written";
}

TEST_F(FamilyTest, MeasuredFilesReplaceEstimates) {
  family_.TakeList(kDatabase, {Listed(Name(1), 1, Range(0, 999), 800, false)});
  EXPECT_FALSE(family_.knows_all());
  const FilePtr estimate = FileNamed(&family_, 1);
  SetDenied(estimate, {40, 40, 40, 40});
  family_.TakeList(kDatabase, {Listed(Name(1), 1, Range(0, 999), 900, false)});
  EXPECT_EQ(family_.totals().keys, 800);
  family_.TakeList(kDatabase, {Listed(Name(1), 2, Range(0, 999), 1000)});
  EXPECT_TRUE(family_.knows_all());
  EXPECT_EQ(family_.totals().keys, 1000);
  EXPECT_EQ(family_.totals().files, 1u);
  const FilePtr measured = FileNamed(&family_, 1);
  EXPECT_NE(measured, estimate);
  EXPECT_NEAR(measured->asked(), 160, 2);
  family_.NotWritten(estimate);  // does not forget the name of its successor
  family_.TakeList(kDatabase, {Listed(Name(1), 2, Range(0, 999), 1000)});
  EXPECT_EQ(family_.totals().files, 1u);
  family_.TakeList(kDatabase, {Listed(Name(1), 2, Range(0, 999), 1, false)});
  EXPECT_EQ(family_.totals().keys, 1000) << "an estimate replaces nothing";
  family_.Ended(Name(1));
  EXPECT_TRUE(family_.knows_all());
}

TEST_F(FamilyTest, FoundFilesAreListedOnesThatBeginLikeThem) {
  const auto found = [&](const char* first, const char* last, uint32_t denied) {
    const FilePtr file = family_.Found(Listed({}, 0, {first, last, {}}));
    SetDenied(file, {denied, 0, 0, 0});
    return file;
  };
  const std::vector<FilePtr> kept = {found("ab", "m", 10), found("ab", "z", 20),
                                     found("k1", "k3", 30), found("q", "r", 40)};
  found("k1", "k3", 50);  // its reader is gone
  const auto listed = [&](uint64_t number, const char* first, const char* last) {
    return Listed(Name(number), 1, {first, last, {}});
  };
  family_.TakeList(kDatabase, {listed(2, "ab", "zz"), listed(1, "ab", "mm"),
                               listed(3, "k123", "k345"), listed(4, "p", "rr")});
  ASSERT_EQ(LiveNumbers(&family_), std::set<uint64_t>({1, 2, 3, 4}));
  EXPECT_EQ(FileNamed(&family_, 1)->former, kept[0]);
  EXPECT_EQ(FileNamed(&family_, 2)->former, kept[1]);
  EXPECT_EQ(FileNamed(&family_, 3)->former, kept[2]);
  EXPECT_NEAR(FileNamed(&family_, 3)->asked(), 30, 1);
  EXPECT_EQ(FileNamed(&family_, 4)->former, nullptr);
  EXPECT_EQ(family_.Found(Listed({}, 1, {"k12", "k34", {}})), FileNamed(&family_, 3))
      << "told files need no other record";
  EXPECT_EQ(family_.Found(Listed({}, 1, {"x", "y", {}})), nullptr);
}

TEST_F(FamilyTest, FilesWhoseReadersToldAreListedOnesToo) {
  family_.SetReadersTell(true);
  const FilePtr found = family_.Found(Listed({}, 2, {"a", "b", {}}));
  family_.Opened(found);
  const FilePtr flushed = family_.Built(Flushed({"c1", "c9", {}}, 500), 10, 500);
  EXPECT_EQ(family_.totals().files, 2u);
  EXPECT_FALSE(family_.knows_all()) << "nothing says that no other file lives";
  family_.TakeList(kDatabase,
                   {Listed(Name(1), 2, {"aa", "bb", {}}), Listed(Name(2), 0, {"c1", "c9", {}})});
  ASSERT_EQ(LiveNumbers(&family_), std::set<uint64_t>({1, 2}));
  EXPECT_EQ(FileNamed(&family_, 1)->former, found);
  EXPECT_EQ(FileNamed(&family_, 2)->former, flushed);
  EXPECT_TRUE(family_.knows_all());
}

TEST_F(FamilyTest, ADatabaseThatIsListedAgainGoesOnWithItsFiles) {
  family_.TakeList(kDatabase, Row(1, 1, 3));
  const FilePtr kept = FileNamed(&family_, 2);
  family_.Opened(kept);
  family_.StopBeingTold();
  family_.Closed(kept);
  EXPECT_FALSE(family_.is_told());
  EXPECT_FALSE(family_.knows_all());
  EXPECT_EQ(family_.totals().files, 3u) << "readers that end with the database do not tell";
  EXPECT_FALSE(family_.is_reopened());
  family_.Opened(kept);
  EXPECT_TRUE(family_.is_reopened());
  family_.TakeList(kDatabase, Row(1, 2, 3));
  ASSERT_EQ(LiveNumbers(&family_), std::set<uint64_t>({2, 3, 4}));
  EXPECT_EQ(FileNamed(&family_, 2), kept);
  family_.Closed(kept);
  EXPECT_EQ(family_.totals().files, 3u) << "the listener tells";
}

TEST_F(FamilyTest, WithoutItsListenerADatabaseGoesOnByReaders) {
  family_.SetReadersTell(true);
  family_.TakeList(kDatabase, Row(1, 1, 3));
  const FilePtr kept = FileNamed(&family_, 2);
  family_.StopBeingTold();
  family_.Opened(kept);
  const FilePtr found = family_.Found(Listed({}, 1, Range(70'000, 70'999), 500));
  family_.Opened(found);
  EXPECT_TRUE(family_.BitsOf(Flushed(Range(0, 9), 10), kUniform));
  EXPECT_EQ(family_.totals().files, 2u) << "those with readers";
  EXPECT_EQ(family_.totals().keys, 1500);
  family_.Closed(kept);
  EXPECT_EQ(family_.totals().keys, 500);
  family_.Opened(kept);
  family_.TakeList(kDatabase, Row(1, 2, 3));
  EXPECT_EQ(family_.totals().files, 3u);
  EXPECT_EQ(FileNamed(&family_, 2), kept);
}

// ---- Readers

TEST_F(FamilyTest, IsReopenedOnceFilesHaveReadersAgainAndNoneWasWritten) {
  family_.SetReadersTell(true);
  const FilePtr a = family_.Built(Flushed(Range(0, 999), 1000), 10, 1000);
  const FilePtr b = family_.Built(Flushed(Range(0, 999), 1000), 10, 1000);
  for (const FilePtr& file : {a, b}) family_.Opened(file);
  EXPECT_FALSE(family_.is_reopened());
  family_.Closed(a);
  family_.Opened(a);
  EXPECT_FALSE(family_.is_reopened());
  for (const FilePtr& file : {a, b}) family_.Closed(file);
  EXPECT_EQ(family_.totals().files, 0u);
  EXPECT_FALSE(family_.is_reopened());
  for (const FilePtr& file : {a, b}) family_.Opened(file);
  EXPECT_TRUE(family_.is_reopened());
  EXPECT_EQ(family_.totals().files, 2u);
  family_.Built(Flushed(Range(0, 9), 10), 10, 10);
  EXPECT_FALSE(family_.is_reopened());
}

// ---- Sums, keys, other processes

TEST(Log2LambdaFor, FitsTheBits) {
  std::mt19937 random(9);
  for (int round = 0; round < 50; ++round) {
    std::vector<Weighed> files;
    double keys = 0;
    for (unsigned i = 0; i < 1 + random() % 30; ++i) {
      files.push_back({std::uniform_real_distribution<>(0, 10)(random), 1.0 + i * i * i});
      keys += files.back().keys;
    }
    double before = 61;
    for (double bits = 0; bits < 16; bits += 0.5) {
      const double lambda = Log2LambdaFor(files, bits * keys, 16);
      double taken = 0;
      for (const Weighed& file : files) {
        taken += file.keys * std::clamp(file.log2_reach - lambda, 0.0, 16.0);
      }
      EXPECT_LE(taken, bits * keys);
      EXPECT_NEAR(taken / keys, bits, 1e-4);
      EXPECT_LE(lambda, before) << "more bits, lower lambda";
      before = lambda;
    }
    EXPECT_LE(Log2LambdaFor(files, 17 * keys, 16), -5) << "all have the most";
  }
  EXPECT_NEAR(Log2LambdaFor({}, 100, 16), -60, 0.01);
  EXPECT_NEAR(Log2LambdaFor({{5, 100}}, 0, 16), 5, 1e-4);
}

TEST_F(FamilyTest, BoundsKeysAndNumbers) {
  const std::string common(300, 'x');
  family_.TakeList(kDatabase, {Listed(Name(1), -1, {common + "b", common + "a", {}}, 0),
                               Listed(Name(2), 1, {"b", "a", {}}, 10)});
  EXPECT_EQ(family_.totals().keys, 11) << "a file has a key at least";
  EXPECT_EQ(family_.totals().keys_on_level_0, 1);
  EXPECT_EQ(FileNamed(&family_, 1)->range.first.size(), 256u);
  EXPECT_EQ(FileNamed(&family_, 2)->range.first, "a") << "other comparators end with the first key";
}

TEST_F(FamilyTest, MemoryGrowsWithFilesAndLongKeys) {
  const size_t none = family_.memory();
  family_.TakeList(kDatabase, Row(1, 1, 10));
  const size_t some = family_.memory();
  EXPECT_GT(some, none + 10 * sizeof(LiveFile));
  const std::string key(100, 'k');
  Write(&family_, 50, Flushed({key + "a", key + "b", {}}, 10));
  family_.Installed(Name(50), 0);
  EXPECT_GT(family_.memory(), some + 200 + sizeof(LiveFile));
  family_.TakeList(kDatabase, {});
  EXPECT_EQ(family_.memory(), none);
}

TEST_F(FamilyTest, AWorkerBeginsWithTheMeanThatItWasTold) {
  EXPECT_FALSE(family_.told_offset());
  EXPECT_EQ(family_.OffsetFor(kUniform), kUniform) << "no file has more than others";
  family_.TakeList(kDatabase, Row(1, 1, 10) + Row(2, 21, 10));
  family_.Look();
  EXPECT_NEAR(family_.OffsetFor(kUniform), kUniform - 1, 0.01);

  Family worker;
  std::vector<ListedFile> files = Row(1, 1, 10) + Row(2, 21, 10);
  for (ListedFile& file : files) {
    file.name = {};
    file.asked = 100;
  }
  files[0].asked = 1000;
  worker.Restore(files, family_.OffsetFor(kUniform));
  EXPECT_EQ(worker.told_offset(), family_.OffsetFor(kUniform));
  EXPECT_EQ(worker.OffsetFor(3), *worker.told_offset());
  EXPECT_NEAR(worker.Look()->asked(), 2900, 60);
  const auto bits_at = [&](uint64_t first) {
    return worker.BitsOf(Compacted(Range(first, first + 999), 1000, 1), kUniform);
  };
  const auto decided = bits_at(5000);
  EXPECT_NEAR(decided->bits, kUniform - decided->mean + decided->reach.log2(), 0.01);
  EXPECT_GT(decided->mean, 0.4);
  EXPECT_GT(bits_at(0)->bits, bits_at(5000)->bits + 1);
  EXPECT_EQ(worker.totals().files, 20u);

  Family untold;
  untold.Restore({}, std::nullopt);
  EXPECT_FALSE(untold.BitsOf(Compacted(Range(0, 9), 10, 1), kUniform));
}

// ---- Threads

TEST_F(FamilyTest, ShapesLackNoEditsThatCameWhileOthersWereMade) {
  for (int round = 0; round < 40; ++round) {
    Family family;
    family.TakeList(kDatabase, Row(1, 1, 500));
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        ++ready;
        while (ready < 4) std::this_thread::yield();
        family.Look();
      });
    }
    for (std::thread& thread : threads) thread.join();
    Write(&family, 1000, Flushed(Range(0, 9), 10'000));
    family.Installed(Name(1000), 0);
    ASSERT_EQ(family.Look()->files().size(), 501u);
  }
}

TEST_F(FamilyTest, ShapesAreMadeAnewAfterASixtyFourthOfTheKeys) {
  family_.TakeList(kDatabase, Row(1, 1, 128));
  const std::shared_ptr<const Shape> shape = family_.Look();
  family_.Ended(Name(1));
  EXPECT_EQ(family_.Look(), shape);
  family_.Ended(Name(2));
  EXPECT_EQ(family_.Look()->files().size(), 126u);
}

TEST_F(FamilyTest, ShapesThatAreMadeMeanwhileDoNotKeepTheFormerOrder) {
  family_.TakeList(kDatabase, Row(1, 1, 500));
  std::atomic<bool> is_over{false};
  std::thread looks([&] {
    while (!is_over) family_.Look();
  });
  for (int i = 0; i < 200; ++i) family_.SetOrdered(i % 2 == 0);
  is_over = true;
  looks.join();
  EXPECT_FALSE(family_.Look()->is_ordered());
}

}  // namespace family_test
}  // namespace winnow::family
