#include "src/rocksdb/trees/file_rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/random_hashes.h"

namespace winnow::plugin {
namespace file_rates_test {

constexpr double kUniformBits = 6.6;

RatedFile File(double keys, double reaching, double stays = 0, double to_uniform = 1) {
  RatedFile file;
  file.keys = keys;
  file.SetReach(reaching);
  file.stays = stays;
  file.to_uniform = to_uniform;
  return file;
}

RateMemory Memory(double target = 1, double built_to_expected = 1) {
  return {kUniformBits, built_to_expected, target};
}

double BitsOf(const RatedFile& file, double log2_lambda) {
  return RateBitsOf(file, log2_lambda, Memory());
}

double FalseReads(const std::vector<RatedFile>& files, const std::vector<double>& bits) {
  double sum = 0;
  for (size_t i = 0; i < files.size(); ++i) sum += files[i].reaching * std::exp2(-bits[i]);
  return sum;
}

TEST(FileRatesTest, AFileHasTheBitsOfItsLookupsAKey) {
  const struct {
    const char* name;
    RatedFile file;
    double log2_lambda;
    double bits;
  } kCases[] = {
      {"as many lookups as keys", File(1000, 1000), -5, 5},
      {"ten times the keys, as for a level above one of ten times the keys", File(100, 1000), -5,
       5 + std::log2(10)},
      {"other lambda", File(100, 1000), -4, 4 + std::log2(10)},
      {"the same file in other units", File(1, 10), -4, 4 + std::log2(10)},
      {"few lookups: the fewest bits", File(1000, 1), -5, kMinRateBits},
      {"many lookups: the most bits", File(1, 1e6), -5, kMaxRateBits},
      {"reach unknown: uniform bits", File(1000, 0), -5, kUniformBits},
      {"reach unknown, whatever lambda is", File(1000, 0), 20, kUniformBits},
      {"no number of lookups", File(1000, std::nan("")), -5, kUniformBits},
      {"fewer than none", File(1000, -1), -5, kUniformBits},
      {"it stays: so would a new one be", File(1000, 1000, 1, 0.5), -5, 5},
  };
  for (const auto& one : kCases) {
    EXPECT_NEAR(BitsOf(one.file, one.log2_lambda), one.bits, 1e-9) << one.name;
  }
}

TEST(FileRatesTest, MemoryIsOfFiltersThatStayAndOfThoseBuiltAgain) {
  const double even = -kUniformBits;  // lambda that gives a file with n = k uniform bits
  const struct {
    const char* name;
    std::vector<RatedFile> files;
    RateMemory memory;
    double log2_lambda;
    double to_uniform;
  } kCases[] = {
      {"no files", {}, Memory(), -3, 1},
      {"one file of uniform bits", {File(1000, 1000)}, Memory(), even, 1},
      {"half the bits", {File(1000, 1000)}, Memory(), even / 2, 0.5},
      {"filters take more than is expected", {File(1000, 1000)}, Memory(1, 1.1), even, 1.1},
      {"it stays, and has twice the memory", {File(1000, 1000, 1, 2)}, Memory(), even, 2},
      {"it stays with a chance of a fourth",
       {File(1000, 1000, 0.25, 2)},
       Memory(),
       even,
       0.25 * 2 + 0.75},
      {"that chance is not of more than was built",
       {File(1000, 1000, 1, 2)},
       Memory(1, 1.1),
       even,
       2},
      {"two files, by keys", {File(3000, 3000), File(1000, 1000, 1, 3)}, Memory(), even, 1.5},
      {"without a filter", {File(1000, 1000, 1, 0)}, Memory(), even, 0},
  };
  for (const auto& one : kCases) {
    EXPECT_NEAR(MemoryWith(one.files, one.memory, one.log2_lambda), one.to_uniform, 1e-9)
        << one.name;
  }
}

// Levels of 1, 10 and 100 thousand keys, which every lookup reaches.
TEST(FileRatesTest, LambdaFillsTheMemory) {
  const std::vector<RatedFile> levels = {File(1e3, 1e5), File(1e4, 1e5), File(1e5, 1e5)};
  const struct {
    const char* name;
    std::vector<RatedFile> files;
    RateMemory memory;
    double taken;
  } kCases[] = {
      {"levels", levels, Memory(), 1},
      {"twice the memory", levels, Memory(2), 2},
      {"a target of half", levels, Memory(0.5), 0.5},
      {"filters take a tenth more", levels, Memory(1, 1.1), 1},
      {"a third of a file stays", {File(1e4, 1e5, 0.3, 1.5), File(1e5, 1e5)}, Memory(), 1},
      {"less than the fewest bits", levels, Memory(0.01), kMinRateBits / kUniformBits},
      {"more than the most bits", levels, Memory(9), kMaxRateBits / kUniformBits},
      {"all stays", {File(1e4, 1e5, 1, 1.5)}, Memory(), 1.5},
      {"nothing is known", {File(1e4, 0), File(1e5, 0)}, Memory(1.01), 1},
      {"no files", {}, Memory(), 1},
  };
  for (const auto& one : kCases) {
    const double lambda = Log2LambdaFor(one.files, one.memory, 0);
    EXPECT_NEAR(MemoryWith(one.files, one.memory, lambda), one.taken, 1e-4) << one.name;
    EXPECT_LE(std::abs(lambda), kMostLog2Lambda) << one.name;
    // The initial guess affects only the run time.
    for (const double near :
         {-60.0, -6.0, -5.99, lambda - 0.01, lambda, lambda + 0.03, 60.0, 1e9}) {
      EXPECT_EQ(Log2LambdaFor(one.files, one.memory, near), lambda) << one.name << ", " << near;
    }
  }
}

TEST(FileRatesTest, AHigherLambdaNeverTakesMore) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> share(0, 1);
  for (int round = 0; round < 200; ++round) {
    std::vector<RatedFile> files(random() % 20);
    for (RatedFile& file : files) {
      file =
          File(std::exp2(20 * share(random)), random() % 8 == 0 ? 0 : std::exp2(30 * share(random)),
               share(random), 3 * share(random));
    }
    const RateMemory memory = Memory(2 * share(random) + 0.1, 0.5 + share(random));
    double before = MemoryWith(files, memory, -kMostLog2Lambda);
    for (double lambda = -kMostLog2Lambda; lambda <= kMostLog2Lambda; lambda += 0.5) {
      const double now = MemoryWith(files, memory, lambda);
      ASSERT_LE(now, before);
      before = now;
    }
    // The result is the least lambda that fits.
    const double lambda = Log2LambdaFor(files, memory, 0);
    if (lambda < kMostLog2Lambda) {
      EXPECT_LE(MemoryWith(files, memory, lambda), memory.target);
    }
    if (lambda > -kMostLog2Lambda + 0.01) {
      EXPECT_GT(MemoryWith(files, memory, lambda - 0.001), memory.target);
    }
  }
}

// Moving bits between two files must not reduce false reads.
TEST(FileRatesTest, NoOtherRatesOfTheSameMemoryHaveFewerFalseReads) {
  std::mt19937_64 random(testing::TestSeed());
  std::uniform_real_distribution<double> share(0, 1);
  for (int round = 0; round < 100; ++round) {
    std::vector<RatedFile> files(2 + random() % 10);
    for (RatedFile& file : files) {
      const double keys = std::exp2(10 + 6 * share(random));
      file = File(keys, keys * std::exp2(6 * share(random)));
    }
    const double lambda = Log2LambdaFor(files, Memory(1.5), 0);
    std::vector<double> bits;
    for (const RatedFile& file : files) bits.push_back(BitsOf(file, lambda));
    const double least = FalseReads(files, bits);
    for (int i = 0; i < 100; ++i) {
      const size_t from = random() % files.size();
      const size_t to = random() % files.size();
      std::vector<double> moved = bits;
      const double step = share(random);
      moved[from] -= step / files[from].keys * 1000;
      moved[to] += step / files[to].keys * 1000;
      if (moved[from] >= kMinRateBits && moved[to] <= kMaxRateBits) {
        EXPECT_GE(FalseReads(files, moved), least * (1 - 1e-9));
      }
    }
  }
}

}  // namespace file_rates_test
}  // namespace winnow::plugin
