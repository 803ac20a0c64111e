// Random additions, removals and lookups of every dynamic filter, compared with a
// std::unordered_multiset: there are no false negatives, and false positives have the rate that the
// filter reports at that time. Each filter runs once as planned and once with ten times the keys,
// so that counters saturate and the cuckoo filter refuses keys. A million operations each, or
// WINNOW_RANDOM_OPERATIONS.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unordered_set>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/scalable_bloom.h"
#include "winnow/amq/window_bloom.h"

namespace winnow::amq {
namespace random_operations_test {

using testing::FalsePositives;
using testing::RandomHashes;
using testing::TestSeed;

constexpr double kRate = 0.01;
constexpr uint64_t kRounds = 100;  // between rounds, the rate is read

uint64_t Operations() {
  const char* given = std::getenv("WINNOW_RANDOM_OPERATIONS");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 1'000'000;
}

using testing::Take;
bool Take(PagedBloom* filter, KeyHash key) {
  std::string reason;
  const PagedBloom::Added added = filter->Add(key, &reason);
  EXPECT_EQ(added == PagedBloom::Added::kFailed, !reason.empty());
  return added != PagedBloom::Added::kFailed;
}

// Counts of operations by their result.
struct Outcome {
  uint64_t taken = 0;
  uint64_t refused = 0;
  uint64_t removed = 0;
  uint64_t denied = 0;  // false negatives
  uint64_t absent = 0;
  uint64_t passed = 0;  // false positives
  double expected = 0;  // expected false positives, by the reported rates
  double variance = 0;

  void Check(const std::string& name) const {
    std::cout << name << ": " << taken << " taken, " << refused << " refused, " << removed
              << " removed, " << absent << " absent of which " << passed << " passed, expected "
              << expected << " +- " << std::sqrt(variance) << "\n";
    EXPECT_EQ(denied, 0u);
    EXPECT_NEAR(static_cast<double>(passed), expected, 3 * std::sqrt(variance) + 1e-9);
  }
};

// Looks up absent keys, half of all operations, at the rate that the filter has just reported.
template <typename Filter>
void AskAbsent(const Filter& filter, uint64_t round, Outcome* outcome) {
  const uint64_t lookups = Operations() / kRounds / 2;
  const double rate = filter.expected_fpr();
  outcome->absent += lookups;
  outcome->passed += FalsePositives(filter, lookups, TestSeed() + 1000 + round);
  outcome->expected += rate * static_cast<double>(lookups);
  outcome->variance += rate * (1 - rate) * static_cast<double>(lookups);
}

// Adds new and old keys and looks up present ones. A third of these operations, a sixth of all, add
// a new key.
template <typename Filter>
Outcome Grow(Filter* filter) {
  Outcome outcome;
  RandomHashes random(TestSeed());
  std::unordered_multiset<uint64_t> there;
  std::vector<KeyHash> keys;
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (uint64_t i = 0; i < Operations() / kRounds / 2; ++i) {
      const uint64_t what = random.Below(3);
      if (what == 0 || keys.empty()) {
        const KeyHash key{random.Next()};
        if (!Take(filter, key)) {
          ++outcome.refused;
          continue;
        }
        ++outcome.taken;
        there.insert(key.value);
        keys.push_back(key);
      } else if (what == 1) {
        const KeyHash key = keys[random.Below(keys.size())];
        EXPECT_TRUE(Take(filter, key));
        there.insert(key.value);
      } else {
        outcome.denied += !filter->MayContain(keys[random.Below(keys.size())]);
      }
    }
    AskAbsent(*filter, round, &outcome);
  }
  for (const uint64_t value : there) outcome.denied += !filter->MayContain({value});
  return outcome;
}

// Returns the number of keys that Grow() adds.
uint64_t GrownKeys() { return Operations() / 6; }

// Adds and removes keys, some of them several times; between none and `most` are present at a time.
template <typename Filter>
Outcome GrowAndShrink(Filter* filter, uint64_t most) {
  Outcome outcome;
  RandomHashes random(TestSeed());
  std::unordered_multiset<uint64_t> there;
  std::vector<KeyHash> keys;  // the elements of `there`, for random choice
  for (uint64_t round = 0; round < kRounds; ++round) {
    // Grows up to `most` in the first fifth, then shrinks and grows twice.
    const uint64_t phase = round * 5 / kRounds;
    for (uint64_t i = 0; i < Operations() / kRounds / 2; ++i) {
      const bool adds = random.Below(10) < (phase % 2 == 0 ? 9u : 1u);
      if (random.Below(10) == 0 && !keys.empty()) {
        const KeyHash key = keys[random.Below(keys.size())];
        outcome.denied += !filter->MayContain(key) || there.count(key.value) == 0;
      } else if (adds && keys.size() < most) {
        const bool again = random.Below(5) == 0 && !keys.empty();
        const KeyHash key = again ? keys[random.Below(keys.size())] : KeyHash{random.Next()};
        if (!Take(filter, key)) {
          ++outcome.refused;
          continue;
        }
        ++outcome.taken;
        there.insert(key.value);
        keys.push_back(key);
      } else if (!adds && !keys.empty()) {
        std::swap(keys[random.Below(keys.size())], keys.back());
        const KeyHash key = keys.back();
        outcome.denied += !filter->Remove(key);
        ++outcome.removed;
        there.erase(there.find(key.value));
        keys.pop_back();
        // Checks keys of which other copies remain.
        if (there.count(key.value) > 0) outcome.denied += !filter->MayContain(key);
      }
    }
    AskAbsent(*filter, round, &outcome);
    EXPECT_EQ(filter->num_keys(), there.size());
    if (round % 10 != 9) continue;
    for (const uint64_t value : there) outcome.denied += !filter->MayContain({value});
  }
  return outcome;
}

// Returns a number of keys, a share of those that the operations can add without removals.
uint64_t KeysAtOnce() { return Operations() / 15; }

template <typename Kind>
class RandomOperationsOf : public ::testing::Test {};
TYPED_TEST_SUITE(RandomOperationsOf, testing::GrowingKindsAnd<>);

TYPED_TEST(RandomOperationsOf, FiltersThatGrowAsPlannedAndTenfold) {
  const std::string name = TypeParam::kName;
  typename TypeParam::Filter roomy({GrownKeys(), kRate});
  Grow(&roomy).Check(name);
  EXPECT_NEAR(roomy.expected_fpr(), kRate, 0.1 * kRate);
  typename TypeParam::Filter overloaded({GrownKeys() / 10, kRate});
  Grow(&overloaded).Check(name + ", tenfold");
  EXPECT_GT(overloaded.expected_fpr(), 20 * kRate);
}

// A scalable filter cannot be overloaded: it grows, and its rate stays.
TEST(RandomOperations, OfScalableBloom) {
  ScalableOptions options;
  options.rate = kRate;
  ScalableBloom filter(options);
  Grow(&filter).Check("scalable");
  EXPECT_GT(filter.filters().size(), 3u);
  EXPECT_LE(filter.expected_fpr(), kRate);
}

TEST(RandomOperations, OfPagedBloom) {
  for (const uint64_t capacity : {GrownKeys() * 11 / 10, GrownKeys() / 10}) {
    MemoryPageStore store;
    PagedBloom filter = testing::MustBuild(&store, {capacity, kRate, 1024}, {});
    const Outcome outcome = Grow(&filter);
    outcome.Check("paged");
    EXPECT_EQ(outcome.refused > 0, capacity < GrownKeys()) << outcome.refused;
    EXPECT_LE(filter.expected_fpr(), kRate);
  }
}

// Old keys may be forgotten; keys added within the window are contained.
TEST(RandomOperations, OfWindowBloom) {
  const uint64_t capacity = GrownKeys() / 10;
  WindowBloom filter({capacity, kRate});
  Outcome outcome;
  RandomHashes random(TestSeed());
  std::vector<KeyHash> keys;  // distinct
  for (uint64_t round = 0; round < kRounds; ++round) {
    for (uint64_t i = 0; i < Operations() / kRounds / 2; ++i) {
      if (random.Below(2) == 0 || keys.empty()) {
        keys.push_back({random.Next()});
        filter.Add(keys.back());
        ++outcome.taken;
      } else {
        const uint64_t back = random.Below(std::min<uint64_t>(capacity, keys.size()));
        outcome.denied += !filter.MayContain(keys[keys.size() - 1 - back]);
      }
    }
    AskAbsent(filter, round, &outcome);
  }
  outcome.Check("window");
  EXPECT_GT(filter.rotations(), 10u);
}

TEST(RandomOperations, OfCountingBloom) {
  CountingBloom roomy({KeysAtOnce(), kRate});
  GrowAndShrink(&roomy, KeysAtOnce()).Check("counting");
  CountingBloom overloaded({KeysAtOnce() / 10, kRate});
  GrowAndShrink(&overloaded, KeysAtOnce()).Check("counting, tenfold");
  EXPECT_GT(overloaded.saturated_share(), 0.001);
}

TEST(RandomOperations, OfCuckooFilter) {
  for (const double rate : {0.3, kRate, 1e-9}) {
    CuckooFilter roomy({KeysAtOnce() * 11 / 10, rate});
    const Outcome fits = GrowAndShrink(&roomy, KeysAtOnce());
    fits.Check("cuckoo");
    // Keys are refused only if they have more copies than their two buckets have slots.
    EXPECT_LT(fits.refused, fits.taken / 200);
    CuckooFilter overloaded({KeysAtOnce() / 10, rate});
    const Outcome outcome = GrowAndShrink(&overloaded, KeysAtOnce());
    outcome.Check("cuckoo, tenfold");
    EXPECT_GT(outcome.refused, outcome.taken / 10);
    EXPECT_GE(overloaded.num_buckets() * 4, overloaded.num_keys());
  }
}

}  // namespace random_operations_test
}  // namespace winnow::amq
