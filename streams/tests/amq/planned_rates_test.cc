// Tests that filters keep the planned rate, for few and many keys, at high and low rates: by their
// set bits, and by lookups if the rate is high enough. Plans are random. WINNOW_RATE_PLANS sets the
// number of plans per kind (default 10).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "streams/tests/amq/filter_testing.h"
#include "winnow/amq/scalable_bloom.h"
#include "winnow/amq/window_bloom.h"

namespace winnow::amq {
namespace planned_rates_test {

using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

constexpr uint64_t kMaxLookups = 400'000;  // per plan
// Half width, in sigmas, of an interval for all of 400 values.
constexpr double kSigmasOfAll = 4.2;

unsigned Plans() {
  const char* given = std::getenv("WINNOW_RATE_PLANS");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 0)) : 10;
}

// Returns a random value between `least` and `most`, log-uniformly distributed.
double Between(double least, double most, RandomHashes* random) {
  const double share = std::ldexp(static_cast<double>(random->Next() >> 11), -53);
  return least * std::pow(most / least, share);
}

// Mean ratio of the filters' values to the planned ones.
class Ratio {
 public:
  void Add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  double mean() const { return sum_ / count_; }
  double error() const {
    return std::sqrt(std::max(0.0, squares_ / count_ - mean() * mean()) / (count_ - 1));
  }
  double SigmasAboveOne() const { return mean() <= 1 ? 0 : (mean() - 1) / std::max(error(), 1e-9); }

 private:
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

void ExpectKept(const std::string& plan, const Ratio& expected, const Ratio& measured) {
  EXPECT_LE(expected.SigmasAboveOne(), kSigmasOfAll) << plan;
  EXPECT_LE(measured.SigmasAboveOne(), kSigmasOfAll) << plan;
}

template <typename Filter>
void Fill(Filter* filter, uint64_t capacity, RandomHashes* random) {
  for (uint64_t i = 0; i < capacity; ++i) {
    ASSERT_TRUE(testing::Take(filter, {random->Next()})) << capacity;
  }
}
// Fills both generations.
void Fill(WindowBloom* filter, uint64_t capacity, RandomHashes* random) {
  for (uint64_t i = 0; i < 2 * capacity; ++i) filter->Add({random->Next()});
}

using WindowKind = testing::PlannedKind<WindowBloom>;

template <typename Kind>
class PlannedRatesOf : public ::testing::Test {};
using Kinds = testing::GrowingKindsAnd<testing::CountingKind, testing::CuckooKind, WindowKind>;
TYPED_TEST_SUITE(PlannedRatesOf, Kinds);

TYPED_TEST(PlannedRatesOf, FiltersOfAPlan) {
  RandomHashes random(TestSeed());
  for (unsigned i = 0; i < Plans(); ++i) {
    Plan plan;
    plan.rate = Between(TypeParam::kLowestRate, 0.5, &random);
    plan.capacity = static_cast<uint64_t>(Between(1, 30'000, &random));
    const uint64_t filters = std::clamp<uint64_t>(400'000 / plan.capacity, 20, 2000);
    Ratio expected, measured;
    for (uint64_t j = 0; j < filters; ++j) {
      typename TypeParam::Filter filter(plan);
      Fill(&filter, plan.capacity, &random);
      expected.Add(filter.expected_fpr() / plan.rate);
      const uint64_t lookups = kMaxLookups / filters;
      const uint64_t passed = FalsePositives(filter, lookups, random.Next());
      measured.Add(static_cast<double>(passed) / (plan.rate * static_cast<double>(lookups)));
    }
    ExpectKept(
        std::to_string(plan.capacity) + " keys at " + std::to_string(plan.rate * 1e6) + "e-6",
        expected, measured);
  }
}

// Each filter keeps the rate at all times, as long as equal hashes leave room.
TEST(PlannedRates, OfScalableBloom) {
  RandomHashes random(TestSeed());
  double highest = 0;
  for (unsigned i = 0; i < Plans(); ++i) {
    ScalableOptions options;
    options.rate = Between(1e-14, 0.5, &random);
    options.first_capacity = static_cast<uint64_t>(Between(1, 10'000, &random));
    if (i % 2 == 1) options.growth = Between(1.5, 8, &random);
    if (i % 4 >= 2) options.tightening = Between(0.5, 0.95, &random);
    const uint64_t keys = static_cast<uint64_t>(
        std::min(50.0 * static_cast<double>(options.first_capacity), 50'000.0));
    const uint64_t filters = std::clamp<uint64_t>(100'000 / keys, 3, 50);
    Ratio expected, measured;
    for (uint64_t j = 0; j < filters; ++j) {
      ScalableBloom filter(options);
      size_t begun = 1;
      for (uint64_t key = 0; key < keys; ++key) {
        // When a filter begins, all others are full.
        filter.Add({random.Next()});
        if (filter.filters().size() == begun && keys > 1000 && key + 1 < keys) continue;
        begun = filter.filters().size();
        highest = std::max(highest, filter.expected_fpr() / options.rate);
      }
      expected.Add(filter.expected_fpr() / options.rate);
      const uint64_t lookups = kMaxLookups / filters;
      const uint64_t passed = FalsePositives(filter, lookups, random.Next());
      measured.Add(static_cast<double>(passed) / (options.rate * static_cast<double>(lookups)));
    }
    EXPECT_LE(highest, 1) << options.first_capacity << " keys at first, at " << options.rate;
    ExpectKept(std::to_string(options.first_capacity) + " keys at first at " +
                   std::to_string(options.rate * 1e6) + "e-6",
               expected, measured);
  }
}

}  // namespace planned_rates_test
}  // namespace winnow::amq
