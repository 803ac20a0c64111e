#include "src/rocksdb/builders/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "tests/support/keeping_logger.h"

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
  known.files.bytes = bytes;
  return known;
}

// Returns a last-level file that replaces as many keys, whose filters have `replaced_bytes`.
FileToSize LastLevel(uint64_t keys, double bits, double replaced_bytes = 0) {
  FileToSize file;
  file.keys = static_cast<double>(keys);
  file.bits = bits;
  file.replaced.keys = file.keys;
  file.replaced.bytes = replaced_bytes;
  file.replaced_there = replaced_bytes;
  return file;
}
FileToSize Upper(uint64_t keys, double bits) {
  FileToSize file;
  file.keys = static_cast<double>(keys);
  file.bits = bits;
  file.lies_over_others = true;
  return file;
}
FileToSize Flush(uint64_t keys, double bits) {
  FileToSize file = Upper(keys, bits);
  file.waits = true;
  return file;
}

// Returns the bits per key that fit, or 0 for no filter.
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

double BytesThatFit(const KnownTotals& known, const FileToSize& file) {
  return BytesOf(static_cast<uint64_t>(file.keys), BitsOf(Asked(kMiB), known, file));
}

double BytesOfRule(uint64_t keys, double bits) {
  return BytesOf(keys, core::BitsForRate(std::exp2(-bits)));
}

TEST(WithBitsThatFitTest, WithRoomAFileHasTheBitsOfTheRule) {
  for (const double bits : {1.0, 2.5, 7.0, 13.3, 16.0}) {
    for (const FileToSize& file : {LastLevel(10'000, bits), Upper(10'000, bits)}) {
      const double bytes = BytesThatFit(Known(1e6, 0.9 * kMiB), file);
      EXPECT_NEAR(bytes, BytesOfRule(10'000, bits), 0.01 * bytes) << bits;
    }
  }
  for (const uint64_t keys : {0u, 1u, 2u, 1000u}) {
    EXPECT_GT(BitsOf(Asked(kMiB), Known(0, 0), Flush(keys, 60)), 22) << keys;
  }
}

// A range filter is built if it fits along with a filter of the requested bits per key, which then
// gets the remaining memory.
TEST(WithBitsThatFitTest, ARangeFilterGivesWayBeforeTheOther) {
  constexpr uint64_t kKeys = 10'000;
  const double range_bytes = RangeBytes(15, kKeys);
  EXPECT_NEAR(8 * range_bytes / kKeys, 17.2, 0.3);
  EXPECT_EQ(RangeBytes(0, kKeys), 0);
  PolicyOptions asked = Asked(kMiB);
  asked.range_bits = 15;
  const double both = BytesOf(kKeys, 10) + range_bytes;
  for (const double share : {0.2, 0.5, 0.9, 0.99, 1.01, 1.1, 1.3}) {
    for (const bool is_of_rule : {true, false}) {
      // The bits follow the rule, or the remaining memory.
      FileToSize file = LastLevel(kKeys, is_of_rule ? 8 * share * both / kKeys : 60, 0);
      file.range_bytes = range_bytes;
      const double taken = kMiB - share * both / 0.6;
      const auto sized = WithBitsThatFit(asked, Known(1e6, is_of_rule ? 0 : taken), file);
      ASSERT_TRUE(sized);
      if (!is_of_rule || share < 0.6 || share > 1.01) {
        EXPECT_EQ(sized->range_bits, share > 1 ? 15 : 0) << share;
      }
      const double bytes =
          BytesOf(kKeys, sized->bits_per_key) + (sized->range_bits > 0 ? range_bytes : 0);
      EXPECT_LE(bytes, (share + 0.02) * both) << share;
      if (!is_of_rule) {
        EXPECT_GE(bytes, std::min(share * both, BytesOfRule(kKeys, 16)) - 0.02 * both) << share;
      }
      EXPECT_GE(sized->bits_per_key, share > 1 ? 9.9 : 1) << share;
    }
  }
}

// The fixed bytes of a small file's range filter are many bits per key.
TEST(WithBitsThatFitTest, WithRoomFilesOfFewKeysHaveRangeFilters) {
  PolicyOptions asked = Asked(kMiB);
  asked.range_bits = 15;
  for (const uint64_t keys : {1u, 2u, 4u, 100u}) {
    FileToSize file = LastLevel(keys, family::kMostBits + 17.5);
    file.range_bytes = RangeBytes(15, static_cast<double>(keys));
    const auto sized = WithBitsThatFit(asked, Known(1e4, 0.1 * kMiB), file);
    ASSERT_TRUE(sized);
    EXPECT_EQ(sized->range_bits, 15) << keys;
    EXPECT_GT(sized->bits_per_key, 15) << keys;
  }
}

TEST(WithBitsThatFitTest, WithLessThanOneBitSomeFilesHaveItAndOthersNone) {
  const KnownTotals known = Known(1e8, 0.9 * kMiB);
  EXPECT_EQ(BitsOf(Asked(kMiB), known, LastLevel(10'000, 0)), 0);
  EXPECT_EQ(BitsOf(Asked(kMiB), known, LastLevel(10'000, -3)), 0);
  EXPECT_NEAR(BitsOf(Asked(kMiB), known, LastLevel(10'000, 0.1)), 1, 0.03);
  EXPECT_EQ(BitsOf(Asked(kMiB), Known(1e8, kMiB), LastLevel(10'000, 0.6)), 0);
}

// A file that increases the total stays below the memory limit and leaves a part for the next file.
TEST(WithBitsThatFitTest, AFileGetsAPartOfWhatIsLeft) {
  const double fewest = BytesOf(100'000, 1);
  for (const double taken : {0.8, 0.9, 0.95, 0.99}) {
    const double part = 0.6 * (1 - taken) * kMiB;
    EXPECT_NEAR(BytesThatFit(Known(1e6, taken * kMiB), LastLevel(100'000, 16)),
                part < fewest ? 0 : part, 0.02 * part)
        << taken;
  }
  for (const double taken : {1.0, 1.5}) {
    EXPECT_EQ(BytesThatFit(Known(1e6, taken * kMiB), LastLevel(1000, 7)), 0) << taken;
  }
}

// The total shrinks if filters exceed the memory, and no file loses its filter.
TEST(WithBitsThatFitTest, WhatIsMergedKeepsAPartOfItsMemory) {
  for (const double taken : {1.05, 2.1}) {
    const KnownTotals known = Known(1e6, taken * kMiB);
    const double replaced = taken * kMiB / 100;
    const double bytes = BytesThatFit(known, LastLevel(10'000, 16, replaced));
    EXPECT_NEAR(bytes, std::min(0.75 * replaced, BytesOfRule(10'000, 16)), 0.02 * replaced)
        << taken;
    // Upper levels are excepted, since their files have many bits for a short time.
    FileToSize file = LastLevel(10'000, 16, replaced);
    file.replaced_there = 0;
    EXPECT_NEAR(BytesThatFit(known, file), std::max(replaced - (taken - 1) * kMiB, 0.0),
                0.02 * replaced)
        << taken;
  }
}

// An upper-level file over the whole key range costs each lookup a read if it has no filter.
TEST(WithBitsThatFitTest, FilesThatLieOverOthersLoseBitsAsTheMemoryIsExceeded) {
  double before = 1e9;
  for (const double taken : {0.9, 1.0, 1.02, 1.05, 3.0}) {
    const double bytes = BytesThatFit(Known(1e6, taken * kMiB), Upper(5000, 14));
    EXPECT_LE(bytes, before) << taken;
    if (taken <= 1.02) {
      EXPECT_GT(bytes, BytesOfRule(5000, 14 - 150 * std::max(taken - 0.99, 0.0) - 1.5)) << taken;
    }
    before = bytes;
  }
  EXPECT_EQ(before, 0);
  EXPECT_EQ(BytesThatFit(Known(1e6, 1.02 * kMiB), LastLevel(5000, 14)), 0);
}

// A level-0 file that overlaps others has at least 1 bit per key, whatever memory filters use.
TEST(WithBitsThatFitTest, AFileOfLevel0ThatOverlapsOthersHasAFilterAlways) {
  for (const double taken : {0.9, 1.3, 5.0}) {
    for (const double bits : {-5.0, 0.2, 12.0}) {
      EXPECT_GE(BitsOf(Asked(kMiB), Known(1e7, taken * kMiB), Flush(10'000, bits)), 1) << taken;
    }
  }
}

// Bloom filters take 1.44 bits per key for each bit of log2(1/rate), Ribbon filters about one.
TEST(MemoryOfTest, CountsWithTheKindOfFilterThatTheLastLevelHas) {
  BuildFacts flush;
  flush.level = 0;
  flush.reason = ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush;
  KnownTree tree;
  tree.depth = 6;
  const auto bits_with = [&](int bloom_before_level) {
    PolicyOptions policy = Asked(kMiB);
    policy.bloom_before_level = bloom_before_level;
    return MemoryOf(policy, flush, tree, Known(1e7, 0).files).bits;
  };
  EXPECT_NEAR(8 * kMiB / bits_with(0), 1.02, 0.05);
  EXPECT_EQ(bits_with(6), bits_with(0));
  EXPECT_LT(bits_with(7), bits_with(0) / 1.3);
}

TEST(WithBitsThatFitTest, NoSizeIsTooSmallOrTooLarge) {
  const uint64_t greatest = std::numeric_limits<uint64_t>::max();
  const double most = core::BitsForRate(std::exp2(-family::kMostBits)) + 0.01;
  for (const uint64_t memory : {uint64_t{1}, uint64_t{1} << 63, greatest}) {
    for (const double keys : {0.0, 1.0, 2.0, 1e6, 1e15}) {
      for (const double bytes : {0.0, 1.0, 1e6, 1e19}) {
        for (const uint64_t own : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{1} << 31}) {
          for (const double bits : {-100.0, 0.0, 0.5, 7.0, 100.0}) {
            for (const FileToSize& file : {LastLevel(own, bits, bytes), Flush(own, bits)}) {
              const double fits = BitsOf(Asked(memory), Known(keys, bytes), file);
              EXPECT_TRUE(fits == 0 || (fits >= 1 && fits <= most)) << fits;
            }
          }
        }
      }
    }
  }
}

// Returns the rule's log2(1/rate) for a file with this reach, given all files.
double BitsOfRule(uint64_t memory, const std::vector<family::Weighed>& files, double log2_reach) {
  family::Family::Totals totals;
  totals.files = files.size();
  for (const family::Weighed& file : files) totals.keys += file.keys;
  const SharedMemory shared = MemoryOf(Asked(memory), BuildFacts(), KnownTree(), totals);
  return log2_reach - family::Log2LambdaFor(files, shared.bits, shared.most_bits);
}

// Simulates three levels with a limited number of compacted files per flush: level 0 with all of
// level 5, or an eighth of level 5 with an eighth of level 6, whichever is more urgent, as in
// RocksDB.
class LaggingTree {
 public:
  LaggingTree(uint64_t memory, double files_a_flush)
      : asked_(Asked(memory)), files_a_flush_(files_a_flush) {}

  void Flush() {
    AddTo(0, {kKeys, 0});
    may_take_ += files_a_flush_;
    while (may_take_ > 0 && Compact()) {
    }
  }

  double keys() const { return Known().files.keys; }
  double Share() const { return Known().files.bytes / static_cast<double>(asked_.filter_memory); }
  double OfLevel0() const { return KeysOf(levels_[0]) / std::max(keys(), 1.0); }
  size_t WithoutFiltersOnLevel0() const {
    return static_cast<size_t>(std::count_if(levels_[0].begin(), levels_[0].end(),
                                             [](const File& file) { return file.bytes == 0; }));
  }

 private:
  static constexpr double kKeys = 20'000;
  struct File {
    double keys;
    double bytes;
  };

  static double KeysOf(const std::vector<File>& files) {
    double keys = 0;
    for (const File& file : files) keys += file.keys;
    return keys;
  }

  KnownTotals Known() const {
    KnownTotals known;
    known.knows_all_files = true;
    for (const std::vector<File>& level : levels_) {
      for (const File& file : level) {
        ++known.files.files;
        known.files.keys += file.keys;
        known.files.bytes += file.bytes;
      }
    }
    return known;
  }

  double Log2Reach(size_t level, double own) const {
    const double run = level == 0 ? own : KeysOf(levels_[level]) + own;
    return std::log2((keys() + own) / run);
  }

  // Adds a file to a level. `replaced` is this output's part of the compaction's inputs.
  void AddTo(size_t level, const File& file, const family::Family::Inputs& replaced = {}) {
    std::vector<family::Weighed> rated;
    for (size_t on = 0; on < 3; ++on) {
      for (const File& one : levels_[on]) {
        rated.push_back({Log2Reach(on, on == 0 ? one.keys : 0), one.keys});
      }
    }
    FileToSize sized = level == 0   ? memory_budget_test::Flush(0, 0)
                       : level == 1 ? Upper(0, 0)
                                    : LastLevel(0, 0);
    sized.keys = file.keys;
    rated.push_back({Log2Reach(level, file.keys), file.keys});
    sized.bits = BitsOfRule(asked_.filter_memory, rated, rated.back().log2_reach);
    sized.SetReplaced(replaced, true);
    const double bits = BitsOf(asked_, Known(), sized);
    levels_[level].push_back({file.keys, BytesOf(static_cast<uint64_t>(file.keys), bits)});
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

  // Merges the first files of two levels. The inputs are divided equally among the outputs.
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
      // The inputs that this output replaces are removed with it.
      const size_t until = inputs.size() * (i + 1) / outputs;
      family::Family::Inputs replaced;
      std::vector<size_t> gone(3);
      for (; taken < until; ++taken) {
        const auto& [level, file] = inputs[taken];
        replaced.keys += file.keys;
        replaced.bytes += file.bytes;
        if (level == lower.level) replaced.bytes_on_level += file.bytes;
        ++gone[level];
      }
      AddTo(lower.level, {keys / static_cast<double>(outputs), 0}, replaced);
      for (size_t level = 0; level < 3; ++level) {
        levels_[level].erase(levels_[level].begin(),
                             levels_[level].begin() + static_cast<ptrdiff_t>(gone[level]));
      }
    }
  }

  const PolicyOptions asked_;
  const double files_a_flush_;
  double may_take_ = 0;
  std::vector<File> levels_[3];
};

// Holds as long as level 0 has at most a tenth of the keys. Once the memory is full, it stays so
// where compactions keep up.
TEST(WithBitsThatFitTest, ATreeStaysInItsMemoryAlsoWhereWritesOutrunCompactions) {
  constexpr double kKeysOf10Bits = kMiB * 8 / 7;
  for (const double files_a_flush : {12.0, 4.0, 3.0, 2.0}) {
    const bool lags = files_a_flush < 12;
    LaggingTree tree(kMiB, files_a_flush);
    double most = 0;
    double most_at_any_time = 0;
    double most_of_level_0 = 0;
    size_t without_filters = 0;
    int small = 0;
    int looks = 0;
    bool was_full = false;
    while (tree.keys() < (lags ? 4 : 8) * kKeysOf10Bits) {
      tree.Flush();
      ++looks;
      most_of_level_0 = std::max(most_of_level_0, tree.OfLevel0());
      most_at_any_time = std::max(most_at_any_time, tree.Share());
      if (tree.OfLevel0() > 0.1 || tree.keys() < kKeysOf10Bits / 4) continue;
      ++small;
      most = std::max(most, tree.Share());
      was_full = was_full || tree.Share() > 0.95;
      EXPECT_TRUE(!was_full || lags || tree.Share() > 0.85)
          << tree.Share() << " at " << tree.keys();
      without_filters = std::max(without_filters, tree.WithoutFiltersOnLevel0());
    }
    std::printf(
        "%.0f files a flush: %.3f of the memory at most, %zu files of level 0 without filters, in "
        "%d of %d looks; at any time %.3f, with up to %.2f of the keys on level 0\n",
        files_a_flush, most, without_filters, small, looks, most_at_any_time, most_of_level_0);
    EXPECT_LE(most, 1.10) << files_a_flush;
    EXPECT_EQ(without_filters, 0u) << files_a_flush;
    EXPECT_TRUE(was_full) << files_a_flush;
  }
}

// Time series, whose files are never rewritten.
TEST(WithBitsThatFitTest, FilesThatAreNeverRewrittenStayInTheMemory) {
  KnownTotals known = Known(0, 0);
  double least = 32;
  std::vector<family::Weighed> rated;
  for (int i = 0; i < 3000; ++i) {
    rated.push_back({0, 4000});
    FileToSize file = LastLevel(4000, BitsOfRule(kMiB, rated, 0));
    file.replaced = {};
    const double bits = BitsOf(Asked(kMiB), known, file);
    EXPECT_LE(bits, least + 0.05) << i;
    least = std::min(least, bits);
    known.files.keys += 4000;
    known.files.bytes += BytesOf(4000, bits);
    ASSERT_LE(known.files.bytes, kMiB) << i;
  }
  EXPECT_GT(known.files.bytes, 0.95 * kMiB);
  EXPECT_EQ(least, 0);
}

TEST(MemoryLineTest, SaysWhatFiltersTakeAndWhatHelpsIfThatIsTooMuch) {
  KnownTotals known = Known(23.1e6, 255.0 * kMiB);
  known.families = 3;
  const std::string fits = MemoryLine(Asked(256 * kMiB), known, LastLevel(50'000, 60));
  EXPECT_THAT(fits, AllOf(HasSubstr("filter_memory=256MiB: 23.1 M keys in 100 files of 3 column "
                                    "families have filters of 255 MiB, 92.6 bits per key; new "),
                          HasSubstr("of the last level get bits_per_key="),
                          Not(HasSubstr("more than allowed")), Not(HasSubstr("rewritten")),
                          Not(HasSubstr("lag"))));
  known.files.bytes = 500.0 * kMiB;
  known.files.keys_on_level_0 = 0.234 * known.files.keys;
  EXPECT_THAT(
      MemoryLine(Asked(256 * kMiB), known, LastLevel(50'000, 3)),
      AllOf(HasSubstr("new files of the last level get no filters. That is 244 MiB more than"),
            HasSubstr("until their files are rewritten: raise filter_memory"),
            HasSubstr("Compactions lag behind writes: level 0 has 23 % of the keys. Until")));
  known.files.keys_on_level_0 = 0.09 * known.files.keys;
  EXPECT_THAT(MemoryLine(Asked(256 * kMiB), known, LastLevel(50'000, 3)), Not(HasSubstr("lag")));
  known = Known(1e6, 0.9 * kMiB);
  known.files.keys_on_level_0 = 2e5;
  EXPECT_THAT(MemoryLine(Asked(kMiB), known, LastLevel(10'000, 7)), Not(HasSubstr("lag")));
  EXPECT_THAT(MemoryLine(Asked(kMiB), Known(0, 0), LastLevel(10'000, 60)), HasSubstr("0 keys in"));
}

TEST(MemoryReportTest, SaysOnceThatItIsNotInForceAndOnceWhatItDoes) {
  MemoryReport report;
  testing::KeepingLogger log;
  testing::KeepingLogger other;
  KnownTotals known = Known(1e6, kMiB);
  const FileToSize next = LastLevel(10'000, 7);
  known.knows_all_files = false;
  for (int i = 0; i < 3; ++i) report.Write(&log, Asked(kMiB), known, next);
  report.Write(&log, Asked(0), known, next);
  report.Write(nullptr, Asked(kMiB), known, next);
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_THAT(log.warnings[0],
              AllOf(HasSubstr("[winnow] filter_memory=1MiB is not in force"),
                    HasSubstr("built by bits_per_key=10"), HasSubstr("winnow::NewListener")));
  known.knows_all_files = true;
  for (int i = 0; i < 3; ++i) report.Write(&log, Asked(kMiB), known, next);
  report.Write(&other, Asked(kMiB), known, next);
  ASSERT_EQ(log.lines.size(), 2u);
  EXPECT_THAT(log.lines[1], HasSubstr("1.0 M keys in 100 files of 1 column family"));
  EXPECT_EQ(other.lines.size(), 1u);
}

TEST(MemoryReportTest, SaysAtOnceThatAFileGetsNoFilter) {
  MemoryReport report;
  testing::KeepingLogger log;
  for (int i = 0; i < 3; ++i) {
    report.WriteWithout(&log, Asked(kMiB), Known(23.1e6, 1.5 * kMiB), "events", 6);
  }
  report.WriteWithout(nullptr, Asked(kMiB), Known(1, 1), "events", 6);
  ASSERT_EQ(log.warnings.size(), 1u);
  EXPECT_THAT(log.warnings[0],
              AllOf(HasSubstr("[winnow] filter_memory=1MiB has no room for the filter of a file on "
                              "level 6 of column family \"events\": 23.1 M keys in 100 files have "
                              "filters of 1.5 MiB"),
                    HasSubstr("raise filter_memory")));
}

}  // namespace memory_budget_test
}  // namespace winnow::plugin
