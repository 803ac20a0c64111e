#include "src/rocksdb/trees/memory_rates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace winnow::plugin {
namespace memory_rates_test {

constexpr uint64_t kKeysOfAFile = 1000;
constexpr double kBytesABit = 1.02 / 8;

std::string Key(double place) {
  char text[32];
  std::snprintf(text, sizeof text, "user%09.0f", place * 1e8);
  return text;
}

struct Tree {
  TreeFiles files;
  TreeRates rates;
  MemoryRates::Lookups lookups;
  bool is_sampled = true;
  uint64_t hash = 0;
  LookupsUnderWay under_way;

  void Add(int level, bool is_bottom, double from, double to, uint64_t keys = kKeysOfAFile) {
    files.Add(File(level, is_bottom, from, to, keys), WritingJob{0, true, 0, 5});
  }
  static TreeFiles::NewFile File(int level, bool is_bottom, double from, double to, uint64_t keys) {
    TreeFiles::NewFile file;
    file.level = level;
    file.is_bottom = is_bottom;
    file.range = {Key(from), Key(to)};
    file.keys = keys;
    return file;
  }
  // Adds `count` files on the last level, and a tenth as many above.
  void Fill(int count) {
    for (int i = 0; i < count; ++i) {
      Add(6, true, i / double(count), (i + 0.999) / count);
      if (i % 10 == 9) Add(5, false, (i - 9) / double(count), (i + 0.999) / count);
    }
  }
  // Looks up `count` absent keys, all of which are sampled.
  void LookUp(int count) {
    for (int i = 0; i < count; ++i) {
      if (hash % LookupSamples::kRecordsOfASalt == 0) files.samples().Reserve();
      ++hash;
      const double place = std::fmod(0.618 * i, 1);
      files.samples().Note(&under_way, Key(place), hash, {1, LookupSamples::kLevels - 1, 0.01},
                           false);
    }
  }
  double BitsOf(int level, bool is_bottom, double from, double to, const TreeRates::Rule& rule) {
    return rates
        .SizedRateOf(&files, File(level, is_bottom, from, to, kKeysOfAFile), {0, true, 0, 5}, rule,
                     0)
        .bits;
  }
};

class MemoryRatesTest : public ::testing::Test {
 protected:
  MemoryRatesTest() {
    asked_.bytes_a_bit = kBytesABit;
    asked_.rule.learns = false;
  }

  // Returns a tree's weight after all trees have been evaluated.
  double WeightOf(size_t tree) {
    LambdaOf(tree);
    return trees_[tree]->lookups.log2_weight;
  }
  double LambdaOf(size_t tree) {
    std::vector<MemoryRates::Tree> trees;
    for (const auto& one : trees_)
      trees.push_back({&one->files, &one->rates, &one->lookups, one->is_sampled});
    asked_.own = &trees_[tree]->rates;
    return rates_.Log2LambdaOf(trees, elsewhere_, asked_);
  }
  void Make(const std::vector<int>& files) {
    for (const int count : files) {
      trees_.push_back(std::make_unique<Tree>());
      trees_.back()->Fill(count);
    }
  }
  void SetBits(double bits, double keys) { asked_.rule.memory = bits * keys * kBytesABit / kAim; }

  static constexpr double kAim = MemoryRates::kAim;
  MemoryRates rates_;
  MemoryRates::Asked asked_;
  TreeFiles::Sums elsewhere_;
  std::vector<std::unique_ptr<Tree>> trees_;
};

TEST_F(MemoryRatesTest, AllFilesHaveOneRateWithoutAPlan) {
  Make({100, 300});
  asked_.rule.is_alike = true;
  for (const double bits : {0.5, 3.0, 12.0}) {
    SetBits(bits, 440e3);
    for (const size_t tree : {0, 1}) EXPECT_NEAR(-LambdaOf(tree), bits, 0.01) << bits;
  }
  EXPECT_EQ(trees_[0]->BitsOf(5, false, 0, 0.1, asked_.rule), 0);
}

// The upper level has one eleventh of the keys, hence log2(11) bits more than a file that has all
// keys of its range.
TEST_F(MemoryRatesTest, UpperLevelsHaveMoreBitsAndTheMeanFillsTheMemory) {
  Make({100, 300});
  SetBits(6, 440e3);
  double keys = 0;
  double bits = 0;
  for (size_t tree = 0; tree < 2; ++tree) {
    const double lambda = LambdaOf(tree);
    const double files = tree == 0 ? 100 : 300;
    const auto bits_on = [&](int level, double to) {
      return trees_[tree]->BitsOf(level, level == 6, 0.5, to, asked_.rule) - lambda;
    };
    const double upper = bits_on(5, 0.5 + 9.999 / files);
    const double last = bits_on(6, 0.5 + 0.999 / files);
    EXPECT_NEAR(upper - last, std::log2(10), 0.1) << tree;
    keys += 1.1 * files;
    bits += files * last + 0.1 * files * upper;
  }
  EXPECT_NEAR(bits / keys, 6, 0.1);
}

TEST_F(MemoryRatesTest, WithoutFilesOrWithMuchMemoryThereIsNoBound) {
  Make({0});
  SetBits(6, 1000);
  EXPECT_GE(-LambdaOf(0), kMaxRateBits);
  Make({10});
  SetBits(40, 11e3);
  EXPECT_GE(-LambdaOf(1), kMaxRateBits);
}

TEST_F(MemoryRatesTest, TheMemoryMayNotBeEnoughForFilters) {
  Make({100});
  SetBits(0.001, 110e3);
  EXPECT_LT(-LambdaOf(0), 0.01);
  asked_.rule.memory = 0;
  EXPECT_LT(-LambdaOf(0), -1);
}

TEST_F(MemoryRatesTest, KeysOfAnotherProcessCount) {
  Make({100});
  asked_.rule.is_alike = true;
  SetBits(12, 110e3);
  elsewhere_.keys = 110e3;
  elsewhere_.levels[3].keys = 10e3;
  elsewhere_.levels.back().keys = 100e3;
  EXPECT_NEAR(-LambdaOf(0), 6, 0.01);
}

// The last level of a leveled tree then has no filters; a tree that is not leveled has no such
// level.
TEST_F(MemoryRatesTest, WithoutAbsentLookupsItDoesNotMatterWhichTreeAsks) {
  Make({100, 100});
  asked_.rule.absent_share = 0;
  SetBits(6, 220e3);
  const auto ask = [&](size_t tree) {
    asked_.rule.is_leveled = tree == 0;
    asked_.rule.memory += 1;  // forces a new evaluation
    return LambdaOf(tree);
  };
  const TreeFiles::NewFile file = Tree::File(0, false, 0, 1, kKeysOfAFile);
  const WritingJob job;
  asked_.file = &file;
  asked_.job = &job;
  ask(0);
  ask(1);
  asked_.file = nullptr;
  const double without_last = ask(0);
  EXPECT_NEAR(ask(1), without_last, 0.01);
  asked_.rule.absent_share = 1;
  EXPECT_GT(ask(0), without_last + 2);
}

// The second tree has ten files on level 0, each with all keys of its range.
TEST_F(MemoryRatesTest, FilesBeforeTheirKeysCountAsThoseThatAreThere) {
  Make({100});
  SetBits(6, 110e3);
  LambdaOf(0);
  TreeRates& leveled = trees_[0]->rates;
  EXPECT_NEAR(leveled.UsualLog2Reach(5, 1000), std::log2(11), 0.2);
  EXPECT_NEAR(leveled.UsualLog2Reach(LookupSamples::kLevels - 1, 1000), std::log2(1.1), 0.2);
  EXPECT_NEAR(leveled.UsualLog2Reach(0, 1000), std::log2(110), 0.2);  // none exists
  Make({0});
  for (int i = 0; i < 10; ++i) trees_[1]->Add(0, true, i / 10.0, (i + 0.999) / 10);
  LambdaOf(1);
  EXPECT_NEAR(trees_[1]->rates.UsualLog2Reach(LookupSamples::kLevels - 1, 1000), 0, 0.2);
}

TEST_F(MemoryRatesTest, LambdaIsThatOfTheLastLookUntilMuchIsWritten) {
  Make({200});
  SetBits(6, 220e3);
  const double before = LambdaOf(0);
  trees_[0]->Add(0, false, 0, 1);
  EXPECT_EQ(LambdaOf(0), before);
  for (int i = 0; i < 10; ++i) trees_[0]->Add(0, false, 0, 1);
  EXPECT_GT(LambdaOf(0), before);
  // Lambda changes with another tree and with the memory.
  const double then = LambdaOf(0);
  Make({100});
  EXPECT_GT(LambdaOf(0), then + 1);
  asked_.rule.memory *= 2;
  EXPECT_LT(LambdaOf(0), then);
}

TEST_F(MemoryRatesTest, TreesWithMoreLookupsHaveMoreBits) {
  Make({100, 100});
  asked_.rule.by_lookups = true;
  SetBits(6, 220e3);
  LambdaOf(0);
  trees_[0]->LookUp(30);
  SetBits(6.1, 220e3);
  EXPECT_EQ(WeightOf(0), 0);  // too few
  trees_[0]->LookUp(10'000);
  trees_[1]->LookUp(1000);
  SetBits(6, 220e3);
  const double hot = WeightOf(0);
  const double cold = WeightOf(1);
  // A fifth of the lookups counts as even, which gives (0.8 * 1.82 + 0.2) to (0.8 * 0.18 + 0.2).
  EXPECT_NEAR(hot - cold, std::log2(1.656 / 0.344), 0.1);
  EXPECT_NEAR(std::exp2(hot) + std::exp2(cold), 2, 1e-9);
  asked_.rule.by_lookups = false;
  SetBits(6.1, 220e3);
  EXPECT_EQ(WeightOf(0), 0);
}

TEST_F(MemoryRatesTest, ATreeThatIsNotSampledCountsAsTheMean) {
  Make({100, 100, 100});
  asked_.rule.by_lookups = true;
  trees_[2]->is_sampled = false;
  LambdaOf(0);
  trees_[0]->LookUp(10'000);
  trees_[1]->LookUp(1000);
  SetBits(6, 330e3);
  EXPECT_NEAR(WeightOf(0), std::log2(1.656), 0.05);
  EXPECT_EQ(WeightOf(2), 0);
  trees_[0]->is_sampled = trees_[1]->is_sampled = false;
  SetBits(6.1, 330e3);
  EXPECT_EQ(WeightOf(0), 0);
}

// Each round rewrites all files.
TEST_F(MemoryRatesTest, TrafficThatTurnsCountsLessAndTrafficThatStaysDoesNot) {
  for (const bool turns : {false, true}) {
    trees_.clear();
    Make({20, 20});
    asked_.rule.by_lookups = true;
    MemoryRates rates;
    std::vector<MemoryRates::Tree> trees;
    for (const auto& one : trees_)
      trees.push_back({&one->files, &one->rates, &one->lookups, one->is_sampled});
    std::vector<double> weights;
    for (int i = 0; i < 16; ++i) {
      trees_[turns ? i % 2 : 0]->LookUp(20'000);
      for (const auto& tree : trees_) tree->Fill(20);
      asked_.rule.memory = 1e5 + i;
      asked_.own = &trees_[0]->rates;
      rates.Log2LambdaOf(trees, {}, asked_);
      const double weight = std::abs(trees_[0]->lookups.log2_weight);
      if (i > 8) weights.push_back(weight);
    }
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    if (turns) {
      EXPECT_LT(*most, 0.1);
    } else {
      EXPECT_NEAR(*least, std::log2(1.8), 0.02);
    }
  }
}

}  // namespace memory_rates_test
}  // namespace winnow::plugin
