#include "src/policy_trial/learned_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "src/core/sizing.h"

namespace winnow::inspect {
namespace learned_trial_test {

using ::testing::HasSubstr;

constexpr uint64_t kNumbers = 1'000'000;
constexpr uint64_t kKeysOfAFile = 3'000;
constexpr int kFilesOfLevels[] = {0, 2, 18, 180};

std::string KeyOf(uint64_t number) {
  char key[16];
  std::snprintf(key, sizeof key, "%012llu", static_cast<unsigned long long>(number));
  return key;
}

// Returns files of levels 1 to 3, with equal ranges per level, in the order of lookups.
std::vector<LearnedFile> Files() {
  std::vector<LearnedFile> files;
  for (int level = 1; level <= 3; ++level) {
    const auto n = static_cast<uint64_t>(kFilesOfLevels[level]);
    for (uint64_t i = 0; i < n; ++i) {
      LearnedFile file;
      file.place.level = level;
      file.place.bottommost = level == 3;
      file.place.base = 1;
      file.place.depth = 3;
      file.first = KeyOf(kNumbers * i / n);
      file.last = KeyOf(kNumbers * (i + 1) / n - 1);
      file.keys = kKeysOfAFile;
      files.push_back(file);
    }
  }
  return files;
}

// Records a lookup of an absent key, which checks a file of each level.
void LookUpAbsent(const std::vector<LearnedFile>& files, uint64_t number, LearnedTrial* trial) {
  const std::string key = KeyOf(number);
  std::vector<LearnedTrial::Answer> answers;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].first <= key && key <= files[i].last) answers.push_back({i, false});
  }
  trial->LookUp(key, answers);
}

double BytesOf(const std::vector<double>& bits) {
  double bytes = 0;
  for (const double of_file : bits) {
    FilterOptions options;
    options.bits_per_key = of_file;
    bytes += static_cast<double>(core::EstimateBytes(kKeysOfAFile, options));
  }
  return bytes;
}

double MeanOf(const std::vector<double>& bits, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += bits[i];
  return sum / static_cast<double>(end - begin);
}

class LearnedTrialTest : public ::testing::Test {
 protected:
  // Returns the bits per file after lookups, nine in ten of which are in the first `hot` numbers.
  std::vector<double> BitsAfter(size_t lookups, uint64_t hot, double bits_per_key) {
    LearnedTrial trial(TreeShape(), files_);
    std::mt19937_64 random(3);
    for (size_t i = 0; i < lookups; ++i) {
      LookUpAbsent(files_, random() % (random() % 10 == 0 ? kNumbers : hot), &trial);
    }
    policy_.bits_per_key = bits_per_key;
    return trial.BitsOnceWritten(policy_);
  }

  const std::vector<LearnedFile> files_ = Files();
  PolicyOptions policy_;
};

TEST_F(LearnedTrialTest, FilesThatAreAskedMoreHaveMoreBits) {
  for (const double bits_per_key : {6.0, 10.0, 14.0}) {
    SCOPED_TRACE(bits_per_key);
    const std::vector<double> bits = BitsAfter(16'000, kNumbers / 10, bits_per_key);
    ASSERT_EQ(bits.size(), files_.size());
    const double hot = MeanOf(bits, 20, 20 + 18);  // files of the last level
    const double cold = MeanOf(bits, 20 + 30, bits.size());
    EXPECT_GT(hot, cold + 2);
    // Rewritten with these bits, all files together take about as much memory as uniform filters.
    const std::vector<double> uniform(files_.size(), bits_per_key);
    EXPECT_NEAR(BytesOf(bits) / BytesOf(uniform), 1.01, 0.05);
  }
}

TEST_F(LearnedTrialTest, LookupsThatFallEvenlyTellLevelsApartAlone) {
  const std::vector<double> bits = BitsAfter(16'000, kNumbers, 10);
  EXPECT_GT(MeanOf(bits, 0, 20), MeanOf(bits, 20, bits.size()) + 2);
  EXPECT_NEAR(MeanOf(bits, 20, 110), MeanOf(bits, 110, bits.size()), 0.4);
}

TEST_F(LearnedTrialTest, WithoutAbsentKeysTheLastLevelHasNone) {
  const std::vector<double> all = LearnedTrial(TreeShape(), files_).BitsOnceWritten(policy_);
  policy_.absent_share = 0;
  const std::vector<double> bits = LearnedTrial(TreeShape(), files_).BitsOnceWritten(policy_);
  EXPECT_EQ(std::count(bits.begin() + 20, bits.end(), 0), 180);
  EXPECT_EQ(std::count(bits.begin(), bits.begin() + 20, 0), 0);
  EXPECT_LT(bits[0], all[0] - 1);
}

// Each file has few keys in its range, and lookups check all of the files.
TEST(LearnedTrial, ManyFilesOfLevel0HaveManyBits) {
  std::vector<LearnedFile> files;
  for (int i = 0; i < 25; ++i) {
    LearnedFile file;
    file.place.level = 0;
    file.place.below = 3;
    file.place.base = 1;
    file.place.depth = 3;
    file.first = KeyOf(i);
    file.last = KeyOf(kNumbers - 1);
    file.keys = kKeysOfAFile / 12;
    files.push_back(file);
  }
  // A compaction merges the files with a part of level 2.
  const std::vector<LearnedFile> below = Files();
  files.insert(files.end(), below.begin() + kFilesOfLevels[1], below.end());
  TreeShape shape;
  LearnedTrial trial(shape, files);
  PolicyOptions policy;
  const std::vector<double> bits = trial.BitsOnceWritten(policy);
  EXPECT_GT(MeanOf(bits, 0, 25), 14);
  EXPECT_NEAR(MeanOf(bits, 25 + kFilesOfLevels[2], bits.size()), 10, 1);
}

TEST(WinnowPolicyTest, IsKnownByItsText) {
  for (const char* text : {"bloomfilter:10", "nullptr", "", "{id=winnow;build=bloomfilter}"}) {
    EXPECT_FALSE(WinnowPolicyOf(text)) << text;
  }
  const auto policy =
      WinnowPolicyOf("{id=winnow;bits_per_key=7.5;level_plan=learned;ribbon_min_keys=700}");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->bits_per_key, 7.5);
  EXPECT_EQ(policy->ribbon_min_keys, 700u);
  EXPECT_EQ(policy->level_plan, LevelPlan::kLearned);
  EXPECT_EQ(WinnowPolicyOf("winnow:10")->level_plan, LevelPlan::kAuto);
}

TEST(WinnowPolicyTest, ItsFiltersAreThoseOfAPolicyWithoutAPlan) {
  const auto policy = WinnowPolicyOf("{id=winnow;absent_share=0.5;ribbon_min_keys=700}");
  ASSERT_TRUE(policy);
  const std::string text = ShortText(WithBits(*policy, 8.25));
  EXPECT_THAT(text, HasSubstr("bits_per_key=8.25"));
  EXPECT_THAT(text, HasSubstr("ribbon_min_keys=700"));
  EXPECT_THAT(text, HasSubstr("level_plan=uniform"));
  std::string problem;
  EXPECT_NE(PolicyOfText(text, &problem), nullptr) << problem;
}

// The other files of its tree are unknown.
TEST(LearnedTrial, AFileWithoutALevelHasBitsPerKey) {
  std::vector<LearnedFile> files = {{TreePlace(), KeyOf(1), KeyOf(9), kKeysOfAFile}};
  PolicyOptions policy;
  policy.bits_per_key = 7;
  EXPECT_EQ(LearnedTrial(TreeShape(), files).BitsOnceWritten(policy), std::vector<double>{7});
}

}  // namespace learned_trial_test
}  // namespace winnow::inspect
