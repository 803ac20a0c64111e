#include "src/rocksdb/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::plugin {
namespace {

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
TEST(FitOfTest, FilesOfSmallLevelsHaveTheirShareWhateverFiltersTake) {
  for (const double taken : {0.5, 0.97, 1.05, 3.0}) {
    KnownTotals known = Known(1e6, taken * kMiB);
    Move(0, 2e4, 0.1 * kMiB, &known);
    Move(5, 1e5, 0.2 * kMiB, &known);
    FileToSize file = Flush(10'000);
    for (const size_t level : {0, 5}) {
      file.level = level;
      const Fit fit = FitOf(kMiB, known, file);
      EXPECT_TRUE(fit.is_share) << taken;
      EXPECT_NEAR(fit.bytes, 0.97 * kMiB * 10'000 / 1.01e6, 1) << taken;
    }
  }
}

TEST(FitOfTest, AFileThatLiesOverNothingIsLargeOnAnyLevel) {
  EXPECT_GT(BytesThatFit(kMiB, Known(1e6, 1.05 * kMiB), Flush(1000)), 0);
  EXPECT_EQ(BytesThatFit(kMiB, Known(1e6, 1.05 * kMiB), LastLevel(1000)), 0);
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

}  // namespace
}  // namespace winnow::plugin
