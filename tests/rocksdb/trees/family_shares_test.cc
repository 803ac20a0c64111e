#include "src/rocksdb/trees/family_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace winnow::plugin {
namespace family_shares_test {

double MeanBits(double mean, const std::vector<FamilyShare>& shares) {
  double keys = 0;
  double bits = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    keys += shares[i].keys;
    bits += shares[i].keys * BitsOfFamily(mean, shares, i);
  }
  return bits / keys;
}

TEST(BitsOfFamilyTest, TheirMeanByKeysIsAsAskedFor) {
  const std::vector<FamilyShare> shares = {{"a", 1000, 2}, {"b", 3000, -0.5}, {"c", 500, -1}};
  for (const double mean : {0.5, 1.0, 1.2, 4.0, 20.0}) {
    EXPECT_NEAR(MeanBits(mean, shares), mean, 1e-3) << mean;
  }
  EXPECT_NEAR(BitsOfFamily(6, shares, 0), 8, 1e-3);
  EXPECT_NEAR(BitsOfFamily(6, shares, 2), 5, 1e-3);
}

TEST(BitsOfFamilyTest, NoneHasFewerThanOneBitUnlessAllDo) {
  const std::vector<FamilyShare> shares = {{"a", 1000, 3}, {"b", 1000, -3}};
  EXPECT_NEAR(BitsOfFamily(2, shares, 1), kFewestBits, 1e-3);
  EXPECT_NEAR(BitsOfFamily(2, shares, 0), 3, 1e-3);
  EXPECT_NEAR(BitsOfFamily(0.5, shares, 0), 0.5, 1e-3);
  EXPECT_NEAR(BitsOfFamily(0.5, shares, 1), 0.5, 1e-3);
}

TEST(BitsOfFamilyTest, FamiliesWithoutKeysChangeNothing) {
  const std::vector<FamilyShare> shares = {{"a", 1000, 0}, {"empty", 0, 0}};
  EXPECT_NEAR(BitsOfFamily(5, shares, 0), 5, 1e-3);
  EXPECT_TRUE(std::isfinite(BitsOfFamily(5, {{"empty", 0, 0}}, 0)));
}

// Families of 10,000 keys each.
class FamilySharesTest : public ::testing::Test {
 protected:
  // Each looks up so many sampled keys, and writes this part of its keys.
  std::vector<FamilyShare> Step(const std::vector<uint64_t>& lookups, double written = 0) {
    memories_.resize(lookups.size());
    std::vector<FamilyShares::Tree> trees;
    for (size_t i = 0; i < lookups.size(); ++i) {
      samples_.resize(lookups.size());
      samples_[i] += lookups[i];
      trees.push_back({&memories_[i], "f", 10'000, written_ + 10'000 * written, samples_[i],
                       i < reach_.size() ? reach_[i] : 0});
    }
    written_ += 10'000 * written;
    return shares_.Update(trees);
  }

  FamilyShares shares_;
  std::vector<FamilyShares::Memory> memories_;
  std::vector<uint64_t> samples_;
  std::vector<double> reach_;
  double written_ = 0;
};

TEST_F(FamilySharesTest, TooFewSamplesOrFamiliesSayNothing) {
  EXPECT_TRUE(Step({}).empty());
  EXPECT_TRUE(Step({200, 10}).empty());
  EXPECT_FALSE(Step({200, 10}).empty());
  EXPECT_TRUE(FamilyShares().Update({}).empty());
}

TEST_F(FamilySharesTest, OneFamilyHasAll) { EXPECT_TRUE(Step({100'000}).empty()); }

TEST_F(FamilySharesTest, EvenLookupsLeaveAllAlike) {
  for (const FamilyShare& share : Step({5000, 5000, 5000})) {
    EXPECT_NEAR(share.more_bits, 0, 1e-9);
    EXPECT_EQ(share.keys, 10'000);
  }
}

// Heat 1.0 and 0.5 of the lookups, a fifth of which counts as even: log2((0.8 * 4/3 + 0.2) /
// (0.8 * 2/3 + 0.2)).
TEST_F(FamilySharesTest, TwiceTheLookupsOfAbsentKeysAreAlmostABitMore) {
  const double bits = std::log2((0.8 * 4 / 3 + 0.2) / (0.8 * 2 / 3 + 0.2));
  const std::vector<FamilyShare> by_lookups = Step({20'000, 10'000});
  EXPECT_NEAR(by_lookups[0].more_bits - by_lookups[1].more_bits, bits, 0.01);
  EXPECT_NEAR(by_lookups[0].more_bits + by_lookups[1].more_bits, 0, 1e-9);
}

TEST_F(FamilySharesTest, LookupsThatFindTheirKeysCountLess) {
  reach_ = {0, -1};
  const double bits = std::log2((0.8 * 4 / 3 + 0.2) / (0.8 * 2 / 3 + 0.2));
  const std::vector<FamilyShare> shares = Step({20'000, 20'000});
  EXPECT_NEAR(shares[0].more_bits - shares[1].more_bits, bits, 0.01);
}

TEST_F(FamilySharesTest, OlderLookupsCountLess) {
  Step({60'000, 0});
  const double before = Step({0, 1000})[0].more_bits;
  for (int i = 0; i < 10; ++i) Step({0, 50'000});
  const double after = Step({0, 0})[0].more_bits;
  EXPECT_GT(before, 1);
  EXPECT_LT(after, -1);
}

TEST_F(FamilySharesTest, TrafficThatStaysKeepsAllOfIt) {
  double first = 0;
  double last = 0;
  for (int i = 0; i < 40; ++i) {
    last = Step({9000, 1000}, 0.25)[0].more_bits;
    if (i == 0) first = last;
  }
  EXPECT_GT(first, 1);
  EXPECT_NEAR(last, first, 0.15);
}

// At the pace at which files are rewritten: what was hot then says nothing about now.
TEST_F(FamilySharesTest, TrafficThatTurnsHasLess) {
  double most = 0;
  for (int i = 0; i < 60; ++i) {
    const bool is_turned = i / 2 % 2 == 1;
    const std::vector<FamilyShare> shares = Step(
        is_turned ? std::vector<uint64_t>{0, 900'000} : std::vector<uint64_t>{900'000, 0}, 0.5);
    if (i > 30) most = std::max(most, std::abs(shares[0].more_bits));
  }
  EXPECT_LT(most, 0.6);
}

// Another thread may have looked at the trees later.
TEST_F(FamilySharesTest, AnOlderCountOfSamplesChangesNothing) {
  const double before = Step({9000, 1000})[0].more_bits;
  samples_ = {100, 100};
  EXPECT_NEAR(Step({0, 0})[0].more_bits, before, 1e-9);
}

}  // namespace family_shares_test
}  // namespace winnow::plugin
