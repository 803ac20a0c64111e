#include "src/rocksdb/builders/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::plugin {
namespace memory_budget_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMiB = 1 << 20;

PolicyOptions Asked(uint64_t filter_memory) {
  PolicyOptions options;
  options.filter_memory = filter_memory;
  return options;
}

KnownTotals Known(double keys, double bytes) {
  KnownTotals known;
  known.families = 1;
  known.knows_all_files = true;
  known.files.files = 100;
  known.files.keys = keys;
  known.files.filter_bytes = bytes;
  known.files.levels.back() = {keys, bytes};
  return known;
}

// In place of as many keys, of which nobody knows what their filters took.
FileToSize LastLevel(uint64_t keys) {
  FileToSize file;
  file.keys = static_cast<double>(keys);
  file.replaced.keys = file.keys;
  return file;
}
FileToSize Flush(uint64_t keys) {
  FileToSize file;
  file.keys = static_cast<double>(keys);
  file.level = 0;
  return file;
}

// Of the files that are known, these are on a level.
void Move(size_t level, double keys, double bytes, KnownTotals* known) {
  known->files.levels[level] = {keys, bytes};
  known->files.levels.back().keys -= keys;
  known->files.levels.back().filter_bytes -= bytes;
  known->most_small_bytes = std::max(known->most_small_bytes, bytes);
}

double BytesThatFit(uint64_t memory, const KnownTotals& known, const FileToSize& file) {
  return FitOf(memory, known, file).bytes;
}

// 0: none.
double BitsOf(const PolicyOptions& asked, const KnownTotals& known, const FileToSize& file) {
  const std::optional<PolicyOptions> sized = WithBitsThatFit(asked, known, file);
  return sized ? sized->bits_per_key : 0;
}

double BytesOf(uint64_t keys, double bits_per_key) {
  if (bits_per_key == 0) return 0;
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  return static_cast<double>(core::EstimateBytes(keys, core::ForBuilding(options)));
}

TEST(WithBitsThatFitTest, LeavesOptionsWithoutMemoryAndTreesThatAreNotKnown) {
  PolicyOptions asked = Asked(0);
  asked.bits_per_key = 12;
  EXPECT_EQ(WithBitsThatFit(asked, Known(1e6, 1e6), LastLevel(1000))->bits_per_key, 12);
  asked.filter_memory = 1;
  KnownTotals known = Known(1e6, 1e6);
  known.knows_all_files = false;
  EXPECT_EQ(WithBitsThatFit(asked, known, LastLevel(1000))->bits_per_key, 12);
  known.knows_all_files = true;
  EXPECT_FALSE(WithBitsThatFit(asked, known, LastLevel(1000)));
}

TEST(WithBitsThatFitTest, TheFirstFilesHaveTheMostBits) {
  for (const uint64_t keys : {0u, 1u, 2u, 1000u}) {
    EXPECT_GT(BitsOf(Asked(kMiB), Known(0, 0), Flush(keys)), 31.9) << keys;
  }
}

// Where filters take what is aimed at, none stays, and the file takes the place of as many keys, it
// takes its share of the memory.
TEST(WithBitsThatFitTest, AFileTakesItsShareOfTheMemory) {
  constexpr double kTaken = 0.97 * kMiB;
  for (const double keys : {6e5, 1e6, 3e6}) {
    FileToSize file = LastLevel(10'000);
    file.replaced.filter_bytes = kTaken * 10'000 / keys;
    const double bits = BitsOf(Asked(kMiB), Known(keys, kTaken), file);
    EXPECT_NEAR(BytesOf(10'000, bits), kTaken * 10'000 / keys, 0.02 * kTaken * 10'000 / keys)
        << keys;
  }
}

// Also in a family that is hotter or colder than others.
TEST(WithBitsThatFitTest, AFileTakesItsFamilysShare) {
  constexpr double kTaken = 0.97 * kMiB;
  KnownTotals known = Known(1e6, kTaken);
  FileToSize file = LastLevel(10'000);
  file.replaced.filter_bytes = kTaken / 100;
  const double even = BitsOf(Asked(kMiB), known, file);
  known.shares = {{"hot", 0.5e6, 1.5}, {"cold", 0.5e6, -1.5}};
  EXPECT_NEAR(BytesOf(10'000, BitsOf(Asked(kMiB), known, file)),
              BytesOf(10'000, even) + 1.5 / 8 * 10'000, 300);
  known.own_share = 1;
  EXPECT_NEAR(BytesOf(10'000, BitsOf(Asked(kMiB), known, file)),
              BytesOf(10'000, even) - 1.5 / 8 * 10'000, 300);
}

// It is built where a filter of the bits that were asked for has room beside it, and gets the rest.
TEST(WithBitsThatFitTest, ARangeFilterGivesWayBeforeTheOther) {
  constexpr uint64_t kKeys = 10'000;
  FileToSize file = LastLevel(kKeys);
  file.range_bytes = RangeBytes(15, kKeys);
  EXPECT_NEAR(8 * file.range_bytes / kKeys, 17.2, 0.3);
  EXPECT_EQ(RangeBytes(0, kKeys), 0);
  PolicyOptions asked = Asked(0);
  asked.range_bits = 15;
  const double both = BytesOf(kKeys, 10) + file.range_bytes;
  for (const double share : {0.2, 0.5, 0.9, 0.99, 1.01, 1.1, 1.5}) {
    // In place of as many keys, with filters of this size.
    const double taken = share * both * 100;
    asked.filter_memory = static_cast<uint64_t>(taken / 0.97);
    file.replaced.filter_bytes = share * both;
    const auto sized = WithBitsThatFit(asked, Known(100 * kKeys, taken), file);
    ASSERT_TRUE(sized);
    EXPECT_EQ(sized->range_bits, share > 1 ? 15 : 0) << share;
    const double bytes =
        BytesOf(kKeys, sized->bits_per_key) + (sized->range_bits > 0 ? file.range_bytes : 0);
    // At most the bits that the option may have.
    const double most =
        BytesOf(kKeys, kBitsPerKeyOption.most) + (sized->range_bits > 0 ? file.range_bytes : 0);
    EXPECT_NEAR(bytes, std::min(share * both, most), 0.02 * both) << share;
    EXPECT_GE(sized->bits_per_key, share > 1 ? 10 : 1) << share;
    FileToSize without = file;
    without.range_bytes = 0;
    EXPECT_EQ(WithBitsThatFit(asked, Known(100 * kKeys, taken), without)->range_bits, 15);
  }
}

// Of more keys than there are bits, some large files have the fewest and others have none.
TEST(WithBitsThatFitTest, WhereOneBitIsTooMuchSomeFilesHaveItAndOthersNone) {
  for (const double taken : {0.5, 0.9, 0.96}) {
    EXPECT_NEAR(BitsOf(Asked(kMiB), Known(1e8, taken * kMiB), LastLevel(10'000)), 1, 0.02) << taken;
  }
  EXPECT_EQ(BitsOf(Asked(kMiB), Known(1e8, 0.97 * kMiB), LastLevel(10'000)), 0);
  EXPECT_NEAR(BitsOf(Asked(kMiB), Known(1e8, 2.0 * kMiB), Flush(10'000)), 1, 0.02);
}

// More than it may be, at half of the bits that there are: the sum falls, and no filter is lost.
TEST(FitOfTest, WhatIsMergedKeepsAPartOfItsMemory) {
  FileToSize file = LastLevel(1000);
  for (const double taken : {1.05, 2.1}) {
    const KnownTotals known = Known(1e6, taken * kMiB);
    file.replaced.filter_bytes = 0;
    EXPECT_EQ(BytesThatFit(kMiB, known, file), 0) << taken;
    file.replaced.filter_bytes = taken * kMiB / 1e6 * 1000;
    EXPECT_NEAR(BytesThatFit(kMiB, known, file),
                std::min(0.97 * kMiB / 1e6 * 1000, 0.75 * file.replaced.filter_bytes), 2)
        << taken;
  }
}

TEST(WithBitsThatFitTest, FewKeysTakeBloomFiltersOfTheirOwnSize) {
  for (const uint64_t keys : {1u, 2u, 30u}) {
    const double bits = BitsOf(Asked(kMiB), Known(1e6, 0.9 * kMiB), LastLevel(keys));
    EXPECT_TRUE(bits == 0 || bits >= 1) << keys;
  }
}

// Those that stay hold eight tenths of the memory for half of the keys.
TEST(FitOfTest, FilesThatStayCountAsTheyAre) {
  KnownTotals known = Known(1e6, 0.9 * kMiB);
  const double share = BytesThatFit(kMiB, known, LastLevel(1000));
  known.files.keys_that_stay = 5e5;
  known.files.bytes_that_stay = 0.8 * kMiB;
  const double less = BytesThatFit(kMiB, known, LastLevel(1000));
  EXPECT_LT(less, 0.7 * share);
  EXPECT_GT(less, 0.4 * share);
  known.files.bytes_that_stay = 0.2 * kMiB;
  EXPECT_GT(BytesThatFit(kMiB, known, LastLevel(1000)), 1.3 * share);
}

TEST(FitOfTest, FilesThatStayAndExceedTheMemoryLeaveNothing) {
  KnownTotals known = Known(1e6, 3 * kMiB);
  known.files.keys_that_stay = 9e5;
  known.files.bytes_that_stay = 2.9 * kMiB;
  EXPECT_EQ(BytesThatFit(kMiB, known, LastLevel(1000)), 0);
  EXPECT_EQ(BytesThatFit(kMiB, known, Flush(1000)), 0);
}

TEST(FitOfTest, KeysThatNeedNoFiltersDoNotCount) {
  KnownTotals known = Known(1e6, kMiB / 10);
  known.files.keys_without_filters = 9e5;
  FileToSize file = LastLevel(1000);
  const double share = kMiB / 1e6 * 1000;
  EXPECT_LT(BytesThatFit(kMiB, known, file), 1.3 * share);
  file.all_have_filters = false;
  EXPECT_GT(BytesThatFit(kMiB, known, file), 5 * share);
  // All that have filters are large then.
  file.level = 0;
  EXPECT_EQ(BytesThatFit(kMiB, Known(1e6, 2 * kMiB), file), 0);
}

// One of them without a filter, over the whole range of keys, costs a read of each lookup.
TEST(FitOfTest, FilesOfSmallLevelsHaveTheirShareAndHalfOfItWhateverFiltersTake) {
  for (const double taken : {0.5, 0.97, 1.05, 3.0}) {
    KnownTotals known = Known(1e6, taken * kMiB);
    Move(0, 2e4, 0.1 * kMiB, &known);
    Move(5, 1e5, 0.2 * kMiB, &known);
    FileToSize file = Flush(10'000);
    for (const size_t level : {0, 5}) {
      file.level = level;
      const Fit fit = FitOf(kMiB, known, file);
      const double share = 0.97 * kMiB * 10'000 / 1.01e6;
      EXPECT_EQ(fit.is_share, taken < 1) << taken;
      EXPECT_GE(fit.bytes, taken < 1 ? share - 1 : share / 2 - 1) << taken;
      EXPECT_LE(fit.bytes, share + 1) << taken;
      EXPECT_TRUE(fit.may_have_fewest) << taken;
    }
  }
}

TEST(FitOfTest, AFileThatLiesOverNothingIsLargeOnAnyLevel) {
  EXPECT_GT(BytesThatFit(kMiB, Known(1e6, 1.05 * kMiB), Flush(1000)), 0);
  EXPECT_EQ(BytesThatFit(kMiB, Known(1e6, 1.05 * kMiB), LastLevel(1000)), 0);
}

// SstFileWriter with the options of a database that is open: its tree is known.
TEST(FileBeforeItsKeysTest, AFileWithoutALevelIsLarge) {
  LiveFiles::Sums tree;
  tree.files = 10;
  tree.keys = 1e6;
  tree.levels[0].keys = 1e5;
  tree.levels.back().keys = 9e5;
  EXPECT_EQ(FileBeforeItsKeys({}, BuildFacts(), tree).level, FileToSize::kLast);
  BuildFacts flush;
  flush.level = 0;
  EXPECT_EQ(FileBeforeItsKeys({}, flush, tree).level, 0u);
}

// Half of the keys in a run that is not the last one, or on level 0.
TEST(FitOfTest, ALevelWithManyKeysIsNotSmall) {
  for (const size_t level : {0, 3}) {
    KnownTotals known = Known(1e6, 1.05 * kMiB);
    Move(level, 5e5, 0.5 * kMiB, &known);
    FileToSize file = Flush(1000);
    file.level = level;
    EXPECT_EQ(BytesThatFit(kMiB, known, file), 0) << level;
    // By this file alone.
    known = Known(1e6, 1.05 * kMiB);
    Move(level, 1.6e5, 0.2 * kMiB, &known);
    EXPECT_GT(BytesThatFit(kMiB, known, file), 0) << level;
    file.keys = 2e4;
    EXPECT_EQ(BytesThatFit(kMiB, known, file), 0) << level;
  }
}

// What they take swings: large files have what is left at the most.
TEST(FitOfTest, RoomIsKeptForWhatSmallLevelsTookAtMost) {
  FileToSize file = LastLevel(1000);
  file.replaced.filter_bytes = 0.8 * kMiB * 1000 / 9e5;
  KnownTotals known = Known(1e6, 0.9 * kMiB);
  Move(0, 1e5, 0.1 * kMiB, &known);
  known.most_small_bytes = 0.17 * kMiB;
  EXPECT_NEAR(BytesThatFit(kMiB, known, file), 0.8 * kMiB * 1000 / 9e5, 3);
  known.most_small_bytes = 0.37 * kMiB;
  EXPECT_NEAR(BytesThatFit(kMiB, known, file), 0.6 * kMiB * 1000 / 9e5, 3);
}

// A file that adds to the sum doesn't bring it above the memory.
TEST(FitOfTest, AFileThatReplacesNothingGetsWhatIsLeft) {
  FileToSize file = LastLevel(100'000);
  file.replaced = {};
  for (const double taken : {0.9, 0.95, 0.99, 1.0}) {
    EXPECT_LT(taken * kMiB + BytesThatFit(kMiB, Known(1e6, taken * kMiB), file), 1.001 * kMiB);
  }
}

TEST(FitOfTest, NoSizeIsTooSmallOrTooLarge) {
  const uint64_t greatest = std::numeric_limits<uint64_t>::max();
  for (const uint64_t memory : {uint64_t{1}, uint64_t{1} << 63, greatest}) {
    for (const double keys : {0.0, 1.0, 2.0, 1e6, 1e15}) {
      for (const double bytes : {0.0, 1.0, 1e6, 1e19}) {
        for (const uint64_t own : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{1} << 31}) {
          KnownTotals staying = Known(keys, bytes);
          staying.files.keys_that_stay = keys;
          staying.files.bytes_that_stay = bytes;
          for (const FileToSize& file : {LastLevel(own), Flush(own)}) {
            const double fits = BytesThatFit(memory, staying, file);
            EXPECT_GE(fits, 0);
            EXPECT_LT(fits, 1e21);
            KnownTotals known = Known(keys, bytes);
            const double bits = BitsOf(Asked(memory), known, file);
            EXPECT_TRUE(bits == 0 || (bits >= 1 && bits <= 32)) << bits;
            if (memory > 1 && keys < 3 && bytes < 1e19 && own < 3) {
              EXPECT_GT(bits, 31.9);
            }
          }
        }
      }
    }
  }
}

// A tree that grows by flushes of a file, each four of which are merged into the files of the last
// level that come next.
class GrowingTree {
 public:
  explicit GrowingTree(uint64_t memory) : asked_(Asked(memory)) {}

  void Flush() {
    AddTo(&waiting_, 0);
    if (waiting_.size() < 4) return;
    const size_t merged = std::max<size_t>(1, last_.size() / 8);
    double keys = 4 * kKeys;
    waiting_.clear();
    for (size_t i = 0; i < merged && !last_.empty(); ++i) {
      keys += last_.front().keys;
      last_.erase(last_.begin());
    }
    for (; keys > 0; keys -= kKeys) AddTo(&last_, FileToSize::kLast);
  }

  double Share() const {
    return Known().files.filter_bytes / static_cast<double>(asked_.filter_memory);
  }
  double keys() const { return Known().files.keys; }
  double LeastOfFlushes() const { return least_; }

 private:
  static constexpr uint64_t kKeys = 20'000;
  struct File {
    double keys;
    double bytes;
  };

  KnownTotals Known() const {
    KnownTotals known;
    known.knows_all_files = true;
    for (const auto* files : {&waiting_, &last_}) {
      LiveFiles::Sums::Level& level =
          files == &waiting_ ? known.files.levels.front() : known.files.levels.back();
      for (const File& file : *files) {
        ++known.files.files;
        level.keys += file.keys;
        level.filter_bytes += file.bytes;
      }
      known.files.keys += level.keys;
      known.files.filter_bytes += level.filter_bytes;
    }
    known.most_small_bytes = 4 * BytesOf(kKeys, last_bits_);
    return known;
  }

  void AddTo(std::vector<File>* files, size_t level) {
    FileToSize file;
    file.keys = kKeys;
    file.level = level;
    const double bits = BitsOf(asked_, Known(), file);
    if (level == 0) last_bits_ = bits;
    if (level == 0) least_ = std::min(least_, bits);
    files->push_back({file.keys, BytesOf(kKeys, bits)});
  }

  const PolicyOptions asked_;
  std::vector<File> waiting_;
  std::vector<File> last_;
  double last_bits_ = 0;
  double least_ = 32;
};

TEST(WithBitsThatFitTest, ATreeThatGrowsAHundredfoldStaysInItsMemory) {
  GrowingTree tree(kMiB);
  bool was_full = false;
  while (tree.keys() < 1.5e7) {
    tree.Flush();
    EXPECT_LT(tree.Share(), 1.05) << tree.keys();
    was_full = was_full || tree.Share() > 0.95;
    if (was_full) {
      ASSERT_GT(tree.Share(), 0.85) << tree.keys();
    }
  }
  EXPECT_TRUE(was_full);
  EXPECT_GE(tree.LeastOfFlushes(), 1);
}

// A tree of three levels whose compactions take in so many files for each one that is flushed:
// those of level 0 with all of level 5, or an eighth of level 5 with an eighth of level 6,
// whichever is more urgent, as RocksDB has it.
class LaggingTree {
 public:
  LaggingTree(uint64_t memory, double files_a_flush)
      : asked_(Asked(memory)), files_a_flush_(files_a_flush) {
    asked_.level_plan = LevelPlan::kAuto;
  }

  void Flush() {
    AddTo(0, {kKeys, 0, 0});
    may_take_ += files_a_flush_;
    while (may_take_ > 0 && Compact()) {
    }
  }

  double keys() const { return Known().files.keys; }
  double Share() const {
    return Known().files.filter_bytes / static_cast<double>(asked_.filter_memory);
  }
  double OfLevel0() const { return Known().files.levels[0].keys / std::max(keys(), 1.0); }
  size_t WithoutFiltersOnLevel0() const {
    return static_cast<size_t>(std::count_if(levels_[0].begin(), levels_[0].end(),
                                             [](const File& file) { return file.bytes == 0; }));
  }

 private:
  static constexpr double kKeys = 20'000;
  static constexpr size_t kIndexes[] = {0, 5, FileToSize::kLast};
  static constexpr double kLevelsBelow[] = {1.5, 1, 0};
  struct File {
    double keys;
    double bytes;
    double written;  // keys, when it was
  };

  static double KeysOf(const std::vector<File>& files) {
    double keys = 0;
    for (const File& file : files) keys += file.keys;
    return keys;
  }

  KnownTotals Known() const {
    KnownTotals known;
    known.knows_all_files = true;
    for (size_t level = 0; level < 3; ++level) {
      LiveFiles::Sums::Level& sums = known.files.levels[kIndexes[level]];
      for (const File& file : levels_[level]) {
        ++known.files.files;
        sums.keys += file.keys;
        sums.filter_bytes += file.bytes;
      }
      known.files.keys += sums.keys;
      known.files.filter_bytes += sums.filter_bytes;
    }
    for (size_t level = 0; level < 2; ++level) {
      if (!known.IsSmall(kIndexes[level])) continue;
      known.most_small_bytes += known.files.levels[kIndexes[level]].filter_bytes;
    }
    return known;
  }

  // In the place of these, an equal part of it for each of the files that it is one of.
  void AddTo(size_t level, const File& file, const LiveFiles::Sums& replaced = {}) {
    FileToSize sized;
    sized.keys = file.keys;
    sized.level = kIndexes[level];
    sized.replaced = replaced;
    sized.form.level_plan = LevelPlan::kAuto;
    sized.form.levels_below = kLevelsBelow[level];
    const std::optional<PolicyOptions> fit = WithBitsThatFit(asked_, Known(), sized);
    double bytes = 0;
    if (fit) {
      FilterOptions form = sized.form;
      form.bits_per_key = fit->bits_per_key;
      bytes = static_cast<double>(
          core::EstimateBytes(static_cast<uint64_t>(file.keys), core::ForBuilding(form)));
    }
    written_ += file.keys;
    levels_[level].push_back({file.keys, bytes, written_});
  }

  bool Compact() {
    const double target = std::max(4 * kKeys, KeysOf(levels_[2]) / 10);
    const double score_of_0 = static_cast<double>(levels_[0].size()) / 4;
    const double score_of_5 = KeysOf(levels_[1]) / target;
    if (std::max(score_of_0, score_of_5) < 1) return false;
    if (score_of_0 >= score_of_5) {
      Merge({0, levels_[0].size()}, {1, levels_[1].size()});
    } else {
      const auto eighth = [&](size_t level) { return (levels_[level].size() + 7) / 8; };
      Merge({1, eighth(1)}, {2, eighth(2)});
    }
    return true;
  }

  // The first files of the two levels, which are rewritten in turn: as many for each that is made.
  struct Inputs {
    size_t level;
    size_t files;
  };
  void Merge(const Inputs& upper, const Inputs& lower) {
    std::vector<std::pair<size_t, File>> inputs;
    for (const Inputs& from : {upper, lower}) {
      std::vector<File>& files = levels_[from.level];
      for (size_t i = 0; i < from.files; ++i) inputs.emplace_back(from.level, files[i]);
    }
    may_take_ -= static_cast<double>(inputs.size());
    double keys = 0;
    for (const auto& [level, file] : inputs) keys += file.keys;
    const auto outputs = static_cast<size_t>(std::max(1.0, std::round(keys / kKeys)));
    size_t taken = 0;
    for (size_t i = 0; i < outputs; ++i) {
      // What this output is made of is gone once it is there.
      const size_t until = inputs.size() * (i + 1) / outputs;
      LiveFiles::Sums replaced;
      std::vector<size_t> gone(3);
      for (; taken < until; ++taken) {
        const auto& [level, file] = inputs[taken];
        LiveFiles::Sums::Level& sums = replaced.levels[kIndexes[level]];
        sums.keys += file.keys;
        sums.filter_bytes += file.bytes;
        replaced.keys += file.keys;
        replaced.filter_bytes += file.bytes;
        ++gone[level];
      }
      AddTo(lower.level, {keys / static_cast<double>(outputs), 0, 0}, replaced);
      for (size_t level = 0; level < 3; ++level) {
        levels_[level].erase(levels_[level].begin(),
                             levels_[level].begin() + static_cast<ptrdiff_t>(gone[level]));
      }
    }
  }

  PolicyOptions asked_;
  const double files_a_flush_;
  double may_take_ = 0;
  double written_ = 0;
  std::vector<File> levels_[3];
};

// While level 0 has at most a tenth of the keys.
TEST(WithBitsThatFitTest, ATreeStaysInItsMemoryAlsoWhereWritesOutrunCompactions) {
  constexpr double kKeysOf10Bits = kMiB * 8 / 7;
  for (const double files_a_flush : {12.0, 6.0, 4.0, 3.0, 2.0}) {
    LaggingTree tree(kMiB, files_a_flush);
    double most = 0;
    double most_at_any_time = 0;
    double most_of_level_0 = 0;
    size_t without_filters = 0;
    int small = 0;
    int looks = 0;
    while (tree.keys() < 4 * kKeysOf10Bits) {
      tree.Flush();
      ++looks;
      most_of_level_0 = std::max(most_of_level_0, tree.OfLevel0());
      most_at_any_time = std::max(most_at_any_time, tree.Share());
      if (tree.OfLevel0() > 0.1 || tree.keys() < kKeysOf10Bits / 4) continue;
      ++small;
      most = std::max(most, tree.Share());
      without_filters = std::max(without_filters, tree.WithoutFiltersOnLevel0());
    }
    std::printf(
        "%.0f files a flush: %.3f of the memory at most, %zu files of level 0 without filters, in "
        "%d of %d looks; at any time %.3f, with up to %.2f of the keys on level 0\n",
        files_a_flush, most, without_filters, small, looks, most_at_any_time, most_of_level_0);
    EXPECT_LE(most, 1.10) << files_a_flush;
    EXPECT_EQ(without_filters, 0u) << files_a_flush;
  }
}

// A time series: no file is written again.
TEST(WithBitsThatFitTest, FilesThatAreNeverRewrittenStayInTheMemory) {
  KnownTotals known = Known(0, 0);
  double least = 32;
  for (int i = 0; i < 3000; ++i) {
    FileToSize file = Flush(4000);
    file.level = FileToSize::kLast;
    const double bits = BitsOf(Asked(kMiB), known, file);
    EXPECT_LE(bits, least + 1e-9) << i;
    least = std::min(least, bits);
    known.files.keys += 4000;
    known.files.filter_bytes += BytesOf(4000, bits);
    known.files.keys_that_stay = 0.9 * known.files.keys;
    known.files.bytes_that_stay = 0.9 * known.files.filter_bytes;
    ASSERT_LT(known.files.filter_bytes, 1.05 * kMiB) << i;
  }
  EXPECT_GT(known.files.filter_bytes, 0.95 * kMiB);
  EXPECT_EQ(least, 0);
}

TEST(MemoryLineTest, SaysWhatFiltersTakeAndWhatNewOnesGet) {
  KnownTotals known = Known(23.1e6, 255.0 * kMiB);
  known.families = 3;
  known.files.files = 412;
  const std::string line = MemoryLine(Asked(256 * kMiB), known);
  EXPECT_THAT(line, AllOf(HasSubstr("filter_memory=256MiB: 23.1 M keys in 412 files of 3 column "
                                    "families have filters of 255 MiB, 92.6 bits a key; new "),
                          HasSubstr("of the last level get bits_per_key=32.0"),
                          Not(HasSubstr("more than allowed")), Not(HasSubstr("rewritten"))));
}

TEST(MemoryLineTest, SaysWhichFamiliesGetMostAndFewestByTheirLookups) {
  KnownTotals known = Known(100, 50);
  EXPECT_THAT(MemoryLine(Asked(256 * kMiB), known), Not(HasSubstr("lookups")));
  known.shares = {{"hot", 50e6, 2}, {"between", 25e6, -1}, {"cold", 25e6, -3}};
  EXPECT_THAT(MemoryLine(Asked(256 * kMiB), known),
              HasSubstr("By their lookups, filters get more bits a key or fewer: in column family "
                        "hot about "));
}

TEST(MemoryLineTest, BlamesNoFilesOfATreeThatHasNone) {
  EXPECT_THAT(MemoryLine(Asked(256 * kMiB), Known(0, 0)),
              AllOf(HasSubstr("0 keys in"), HasSubstr("bits_per_key=32.0"),
                    Not(HasSubstr("will not be rewritten"))));
}

TEST(MemoryLineTest, SaysByHowMuchItCannotBeHeldAndWhy) {
  KnownTotals known = Known(23.1e6, 500.0 * kMiB);
  known.files.keys_that_stay = 20e6;
  known.files.bytes_that_stay = 480.0 * kMiB;
  EXPECT_THAT(
      MemoryLine(Asked(256 * kMiB), known),
      AllOf(HasSubstr("of 1 column family have"), HasSubstr("new files of the last level get no"),
            HasSubstr("That is 244 MiB more than allowed"),
            HasSubstr("Files that will not be rewritten soon hold 480 MiB: raise filter_memory")));
}

TEST(MemoryLineTest, SaysThatCompactionsLag) {
  KnownTotals known = Known(1e6, 1.01 * kMiB);
  Move(0, 2.34e5, 0.2 * kMiB, &known);
  EXPECT_THAT(MemoryLine(Asked(kMiB), known),
              HasSubstr("Compactions lag behind writes: level 0 has 23 % of the keys. Until"));
  Move(0, 9e4, 0.1 * kMiB, &(known = Known(1e6, 1.01 * kMiB)));
  EXPECT_THAT(MemoryLine(Asked(kMiB), known), Not(HasSubstr("lag")));
  Move(0, 2.34e5, 0.2 * kMiB, &(known = Known(1e6, 0.9 * kMiB)));
  EXPECT_THAT(MemoryLine(Asked(kMiB), known), Not(HasSubstr("lag")));
}

// With the fewest bits, whatever the level has.
TEST(WithBitsThatFitTest, AFileOfLevel0HasAFilterAlways) {
  for (const double taken : {0.9, 1.3, 5.0}) {
    KnownTotals known = Known(1e7, taken * kMiB);
    Move(0, 6e6, 0.5 * taken * kMiB, &known);
    EXPECT_GE(BitsOf(Asked(kMiB), known, Flush(10'000)), 1) << taken;
  }
}

class LinesOf final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[1000];
    std::vsnprintf(line, sizeof line, format, arguments);
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

TEST(MemoryReportTest, SaysOnceThatItIsNotInForceAndOnceWhatItDoes) {
  MemoryReport report;
  LinesOf log;
  LinesOf other;
  KnownTotals known = Known(1e6, kMiB);
  known.knows_all_files = false;
  for (int i = 0; i < 3; ++i) report.Write(&log, Asked(kMiB), known);
  report.Write(&log, Asked(0), known);
  report.Write(nullptr, Asked(kMiB), known);
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_THAT(log.lines[0],
              AllOf(HasSubstr("[winnow] filter_memory=1MiB is not in force"),
                    HasSubstr("built by bits_per_key=10"), HasSubstr("winnow::NewListener")));
  known.knows_all_files = true;
  for (int i = 0; i < 3; ++i) report.Write(&log, Asked(kMiB), known);
  report.Write(&other, Asked(kMiB), known);
  ASSERT_EQ(log.lines.size(), 2u);
  EXPECT_THAT(log.lines[1], HasSubstr("1.0 M keys in 100 files of 1 column family"));
  EXPECT_EQ(other.lines.size(), 1u);
}

}  // namespace memory_budget_test
}  // namespace winnow::plugin
