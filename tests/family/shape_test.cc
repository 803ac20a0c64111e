#include "src/family/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/family/simulated_tree.h"

namespace winnow::family {
namespace shape_test {

using Files = std::vector<Shape::Placed>;

// A tree of random files: some on level 0 that overlap, none on level 1, a run on levels 2 and 5.
Files RandomFiles(std::mt19937* random) {
  const auto at = [random](uint64_t end) { return (*random)() % end; };
  const auto file_in = [&](uint64_t first, uint64_t last) {
    const FilePtr file = MakeFile(Range(first, last), static_cast<double>(1 + at(1000)));
    const uint64_t cut = first + at(last - first + 1);
    if (at(2) == 0) file->range.cuts = {Key(first), Key(cut), Key((cut + last) / 2)};
    return file;
  };
  Files files;
  for (uint64_t count = at(12); count > 0; --count) {
    const uint64_t first = at(900'000);
    files.push_back({file_in(first, first + at(100'000)), 0});
  }
  for (const int level : {2, 5}) {
    for (uint64_t first = at(50'000); first < 900'000 && at(20) > 0;) {
      const uint64_t last = first + at(60'000);
      files.push_back({file_in(first, last), level});
      first = last + 1 + at(20'000);
    }
  }
  std::shuffle(files.begin(), files.end(), *random);
  return files;
}

double LinearSum(const Files& files, const KeyRange& range) {
  double keys = 0;
  for (const auto& [file, level, asked, reach] : files) {
    keys += file->keys * (file->range.Before(range.last) - file->range.Before(range.first));
  }
  return keys;
}

// Files of 1000 keys side by side on a level, each with the next 1000 numbers.
Files Row(int level, size_t count, double bits = 10) {
  Files files;
  for (size_t i = 0; i < count; ++i) {
    files.push_back({MakeFile(Range(1000 * i, 1000 * i + 999), 1000, bits), level});
  }
  return files;
}

Files operator+(Files all, const Files& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void Ask(const Files& files, size_t i, double asked) {
  const LiveFile& file = *files[i].file;
  for (auto& count : files[i].file->denied) {
    count = static_cast<uint32_t>(std::lround(asked / kPieces * (1 - std::exp2(-file.bits))));
  }
}

double HeatOf(const Shape& shape, const FilePtr& file) {
  return std::exp2(shape.Find(*file)->reach.log2_heat);
}

TEST(Shape, OfNoFilesHasNothing) {
  const Shape shape({}, true);
  EXPECT_EQ(shape.keys(), 0);
  EXPECT_EQ(shape.sums().keys, 0);
  EXPECT_EQ(shape.MeanOnLevel(0), 0);
  EXPECT_EQ(shape.MoreOnLevel(0), 0);
  EXPECT_EQ(shape.Find(*MakeFile(Range(0, 1), 1)), nullptr);
  EXPECT_EQ(shape.ReachOf(Flushed(Range(0, 9), 10), {}).log2(), 0);
  EXPECT_EQ(shape.ReachOf(Compacted(Range(0, 9), 10, 1), {}).log2(), 0);
  EXPECT_EQ(shape.InRange(9, "", "\xff").keys, 0);
  EXPECT_EQ(shape.AskedOf(Flushed(Range(0, 9), 10))[0], 0);
}

TEST(Shape, CountsKeysInARangeAsASumOverAllFiles) {
  std::mt19937 random(3);
  for (int tree = 0; tree < 60; ++tree) {
    const Files files = RandomFiles(&random);
    const Shape shape(files, true);
    double all = 0;
    for (const auto& [file, level, asked, reach] : files) all += file->keys;
    EXPECT_DOUBLE_EQ(shape.keys(), all);
    for (int i = 0; i < 60; ++i) {
      const uint64_t first = random() % 1'000'000;
      const KeyRange range = Range(first, first + 1 + random() % (i % 2 == 0 ? 1'000 : 1'000'000));
      const double n = std::exp2(shape.ReachOf(Compacted(range, 1, 2), {}).log2_by_keys);
      ASSERT_NEAR(n, std::max(LinearSum(files, range), 1.0), 1e-6 * all);
      const double with_own = std::exp2(shape.ReachOf(Flushed(range, 50), {}).log2_by_keys) * 50;
      ASSERT_NEAR(with_own, LinearSum(files, range) + 50, 1e-6 * all);
    }
    for (const auto& [file, level, asked, reach] : shape.files()) {
      const double n = std::max(LinearSum(files, file->range), file->keys);
      ASSERT_NEAR(std::exp2(reach.log2_by_keys) * file->keys, n, 1e-6 * all);
      ASSERT_EQ(reach.log2_heat, 0) << "no lookup was counted";
    }
  }
}

TEST(Shape, FindsEachFileAndNoOther) {
  std::mt19937 random(5);
  const Files files = RandomFiles(&random);
  const Shape shape(files, true);
  EXPECT_EQ(shape.files().size(), files.size());
  for (const auto& [file, level, asked, reach] : files) {
    const Shape::Placed* const found = shape.Find(*file);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->file, file);
    EXPECT_EQ(found->level, level);
    EXPECT_EQ(shape.Find(*MakeFile(file->range, file->keys)), nullptr) << "another file there";
  }
}

TEST(Shape, FindsByTheBeginningOfTheFirstKey) {
  const FilePtr a = MakeFile({"abc", "abd", {}}, 10);
  const FilePtr b = MakeFile({"abc", "b", {}}, 10);
  const FilePtr c = MakeFile({"ac", "b", {}}, 10);
  const Shape shape({{a, 3}, {b, 1}, {c, 0}}, true);
  const auto any = [](const LiveFile&) { return true; };
  EXPECT_EQ(shape.FindBy(any, "abc"), b) << "upper levels first";
  EXPECT_EQ(shape.FindBy(any, "ac"), c);
  EXPECT_EQ(shape.FindBy([&](const LiveFile& file) { return &file == a.get(); }, "a"), a);
  EXPECT_EQ(shape.FindBy(any, "abcd"), nullptr);
  EXPECT_EQ(shape.FindBy(any, "b"), nullptr);
}

TEST(Shape, WithoutAnOrderGoesByTheKeysOfSortedRuns) {
  const Files files = Row(0, 2) + Row(1, 4) + Row(2, 10);
  const Shape shape(files, false);
  for (const auto& [file, level, asked, reach] : shape.files()) {
    const double run = level == 0 ? 1000 : level == 1 ? 4000 : 10'000;
    EXPECT_DOUBLE_EQ(reach.log2_by_keys, std::log2(16'000 / run));
  }
  const auto log2_of = [&](const NewFile& file, Shape::Replaced replaced) {
    return shape.ReachOf(file, replaced).log2_by_keys;
  };
  EXPECT_DOUBLE_EQ(log2_of(Flushed(Range(0, 1), 1000), {}), std::log2(17));
  // Two files of level 0 and one of level 1 become part of the run of level 1.
  EXPECT_DOUBLE_EQ(log2_of(Compacted(Range(0, 1), 1000, 1), {3000, 1000}), std::log2(16 / 6.0));
  // All runs become one.
  EXPECT_DOUBLE_EQ(log2_of(Compacted(Range(0, 1), 1000, 2), {16'000, 10'000}), 0);
  EXPECT_DOUBLE_EQ(log2_of(Compacted(Range(0, 1), 1000, 7), {2000, 0}), 3);
}

TEST(Shape, WithoutAnOrderHasTheHeatOfLevels) {
  const Files files = Row(1, 4) + Row(2, 4);
  for (size_t i = 4; i < 8; ++i) Ask(files, i, 1000);
  const Shape shape(files, false);
  const double cold = HeatOf(shape, files[0].file);
  EXPECT_NEAR(cold, 0.01 + 0.99 * 8 / (2000 + 8), 0.002);
  EXPECT_EQ(HeatOf(shape, files[1].file), cold);
  EXPECT_NEAR(HeatOf(shape, files[5].file), 0.01 + 0.99 * 4008 / 2008, 0.005);
  EXPECT_EQ(shape.AskedOf(Compacted(Range(0, 999), 1000, 2))[0], 0) << "ranges mean nothing";
}

TEST(Shape, PlacesThatAreAskedMoreHaveMoreHeat) {
  const Files files = Row(1, 4);
  Ask(files, 0, 700);
  Ask(files, 1, 200);
  Ask(files, 2, 100);
  const Shape shape(files, true);
  EXPECT_NEAR(shape.asked(), 1000, 6);
  for (size_t i = 0; i < 4; ++i) {
    const double asked = std::array<double, 4>{700, 200, 100, 0}[i];
    EXPECT_NEAR(HeatOf(shape, files[i].file), 0.01 + 0.99 * (asked + 2) / (250 + 2), 0.02);
  }
  // So have new files there.
  const auto heat_of_new = [&](const KeyRange& range) {
    return std::exp2(shape.ReachOf(Compacted(range, 1000, 2), {}).log2_heat);
  };
  EXPECT_NEAR(heat_of_new(Range(0, 999)), 0.01 + 0.99 * 702 / 252, 0.02);
  EXPECT_NEAR(heat_of_new(Range(3000, 3999)), 0.01 + 0.99 * 2 / 252, 0.02);
  EXPECT_NEAR(heat_of_new(Range(9000, 9999)), 1, 0.02) << "no file knows of that place";
}

TEST(Shape, LevelsThatAreAskedLessHaveLessHeat) {
  const Files files = Row(1, 4) + Row(2, 4);
  for (size_t i = 0; i < 4; ++i) Ask(files, i, 400);
  const Shape shape(files, true);
  // 1600 samples, of which alike places would have had 200 each; 32 stand for each level.
  const double upper = 1608.0 / 808;
  const double lower = 8.0 / 808;
  EXPECT_NEAR(HeatOf(shape, files[0].file), 0.01 + 0.99 * (400 + 2 * upper) / 202, 0.02);
  EXPECT_NEAR(HeatOf(shape, files[4].file), 0.01 + 0.99 * (2 * lower) / 202, 0.002);
}

TEST(Shape, FilesWithoutFiltersShareNeitherSumsNorHeat) {
  const Files files = Row(1, 2) + Row(2, 2, 0);
  Ask(files, 0, 900);
  Ask(files, 1, 100);
  const Shape shape(files, true);
  EXPECT_EQ(shape.keys(), 4000);
  EXPECT_EQ(shape.sums().keys, 2000);
  EXPECT_EQ(HeatOf(shape, files[2].file), 1) << "nothing tells that no lookup reaches it";
  EXPECT_EQ(HeatOf(shape, files[3].file), 1);
  EXPECT_NEAR(HeatOf(shape, files[1].file), 0.01 + 0.99 * 102 / 502, 0.02);
}

TEST(Shape, SumsOverItsFiles) {
  const Files files = Row(1, 2, 8) + Row(2, 4, 5);
  const Shape shape(files, true);
  const Sums& sums = shape.sums();
  EXPECT_EQ(sums.keys, 6000);
  EXPECT_DOUBLE_EQ(sums.bits, 2000 * 8 + 4000 * 5);
  const double n_upper = 2000;
  EXPECT_NEAR(sums.reached, 2 * n_upper + 2 * n_upper + 2 * 1000, 1);
  EXPECT_NEAR(sums.log2_reach, 4000, 1);
  EXPECT_NEAR(sums.false_reads, 2 * n_upper / 256 + 6000.0 / 32, 1);
  Sums half = sums;
  half.Scale(0.5);
  EXPECT_DOUBLE_EQ(sums.Without(half).false_reads, half.false_reads);
  EXPECT_DOUBLE_EQ(sums.Without(half).log2_reach, half.log2_reach);
  half.Scale(3);
  EXPECT_EQ(sums.Without(half).keys, 0) << "never less than nothing";
  EXPECT_EQ(sums.Without(half).false_reads, 0);
}

TEST(Shape, SumsOverTheFilesThatACompactionReplaces) {
  const Files files = Row(0, 1, 7) + Row(0, 2, 7) + Row(1, 4, 8) + Row(2, 4, 5);
  const Shape shape(files, true);
  EXPECT_NEAR(shape.InRange(0, Key(0), Key(999)).keys, 2000, 1);
  EXPECT_NEAR(shape.InRange(1, Key(0), Key(999)).keys, 3000, 1);
  EXPECT_NEAR(shape.InRange(1, Key(500), Key(2499)).keys, 500 + 1500 + 2000, 4);
  EXPECT_NEAR(shape.InRange(1, Key(500), Key(2499)).bits, 7 * 2000 + 8 * 2000, 50);
  EXPECT_NEAR(shape.InRange(2, Key(0), Key(9999)).keys, 11'000, 1);
  EXPECT_EQ(shape.InRange(2, Key(9000), Key(9999)).keys, 0);
}

TEST(Shape, MeansOfLevelsAreByKeysAlone) {
  const Files files = Row(0, 4) + Row(3, 4);
  Ask(files, 0, 5000);
  const Shape shape(files, true);
  EXPECT_NEAR(shape.MeanOnLevel(0), 1, 0.01);
  EXPECT_NEAR(shape.MeanOnLevel(3), 1, 0.01);
  const Files more = Row(1, 1) + Row(4, 9);
  const Shape other(more, true);
  EXPECT_NEAR(other.MeanOnLevel(0), 1, 0.01) << "as the next level below";
  EXPECT_NEAR(other.MeanOnLevel(1), 1, 0.01);
  EXPECT_NEAR(other.MeanOnLevel(2), 1.0 / 9, 0.01);
  EXPECT_EQ(other.MeanOnLevel(5), 0);
  EXPECT_NEAR(other.MoreOnLevel(1), 1 - 2.0 / 10, 0.01);
  EXPECT_NEAR(other.MoreOnLevel(4), 1.0 / 9 - 2.0 / 10, 0.01);
  EXPECT_EQ(other.MoreOnLevel(5), 0);
}

TEST(Shape, NewFilesInheritWhatFilesThereWereAsked) {
  const Files files = Row(2, 4);
  Ask(files, 1, 400);
  SetDenied(files[2].file, {800, 0, 0, 0});
  const Shape shape(files, true);
  const auto all_of = [&](const KeyRange& range) {
    const auto asked = shape.AskedOf(Compacted(range, 1, 2));
    return std::accumulate(asked.begin(), asked.end(), 0.0);
  };
  EXPECT_NEAR(all_of(Range(1000, 1999)), 400, 5);
  EXPECT_NEAR(all_of(Range(0, 999)), 0, 5);
  EXPECT_NEAR(all_of(Range(1500, 2249)), 200 + 800, 30);
  KeyRange cut = Range(1000, 2999);
  cut.cuts = {Key(1500), Key(2000), Key(2500)};
  const auto asked = shape.AskedOf(Compacted(cut, 1, 2));
  EXPECT_NEAR(asked[0], 200, 5);
  EXPECT_NEAR(asked[1], 200, 5);
  EXPECT_NEAR(asked[2], 800, 10);
  EXPECT_NEAR(asked[3], 0, 5);
}

TEST(Shape, PlacesThatOneLevelDoesNotCoverAreAsOnTheOthers) {
  const Files files = Row(1, 1) + Row(3, 4);
  Ask(files, 0, 100);
  Ask(files, 4, 900);
  const Shape shape(files, true);
  const auto heat = [&](int level, uint64_t first) {
    return shape.ReachOf(Compacted(Range(first, first + 999), 1000, level), {}).log2_heat;
  };
  EXPECT_GT(heat(1, 3000), heat(1, 2000) + 2) << "by the level below";
  EXPECT_GT(heat(2, 3000), heat(2, 2000) + 2);
  EXPECT_GT(heat(5, 3000), heat(5, 2000) + 2) << "by a level above";
  EXPECT_LT(heat(1, 0), heat(1, 3000)) << "by its own level";
}

}  // namespace shape_test
}  // namespace winnow::family
