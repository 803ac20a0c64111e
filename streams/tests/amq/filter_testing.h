// Helpers for tests of dynamic filters: list of kinds, absent keys, false positives, and
// comparisons with sets.

#ifndef WINNOW_STREAMS_TESTS_AMQ_FILTER_TESTING_H_
#define WINNOW_STREAMS_TESTS_AMQ_FILTER_TESTING_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "streams/amq/block_sizing.h"
#include "tests/support/random_hashes.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/partitioned_bloom.h"
#include "winnow/amq/standard_bloom.h"
#include "winnow/hash.h"

namespace winnow::testing {

// ---- Kinds that are created from a plan and support additions. Tests of sizes, rates and random
// operations run for each.

template <typename F>
struct PlannedKind {
  using Filter = F;
  static constexpr double kLowestRate = 1e-14;  // lowest rate of random plans
  // Returns bits per key for many keys, by the kind's own formula.
  static double BitsAKey(double rate) { return std::log2(1 / rate) / std::log(2); }
};

// kName is the name in SizesFor().
struct StandardKind : PlannedKind<amq::StandardBloom> {
  static constexpr char kName[] = "standard";
};

struct PartitionedKind : PlannedKind<amq::PartitionedBloom> {
  static constexpr char kName[] = "partitioned";
};

struct BlockedKind : PlannedKind<amq::BlockedBloom> {
  static constexpr char kName[] = "blocked";
  // The formula uses the highest load with this rate, for very many blocks.
  static double BitsAKey(double rate) {
    const amq::BlockedShape shape = amq::BlockedBloom::ShapeFor({uint64_t{1} << 30, rate});
    const double load =
        amq::LoadForPatternRate(std::pow(rate, 1.0 / shape.blocks_per_key), shape.bits_per_block);
    return 512 * shape.blocks_per_key / load;
  }
};

struct ConcurrentKind : PlannedKind<amq::ConcurrentBloom> {
  static constexpr char kName[] = "concurrent";
  static constexpr double kLowestRate = amq::kLowestConcurrentRate;
  // Returns bits per key with one block per key at every rate.
  static double BitsAKey(double rate) {
    double most_load = amq::LoadForPatternRate(rate, {2, 1});
    for (unsigned words = 2; words <= 5; ++words) {
      most_load = std::max(most_load, amq::LoadForPatternRate(rate, {words, 2}));
    }
    return 512 / most_load;
  }
};

struct CountingKind : PlannedKind<amq::CountingBloom> {
  static constexpr char kName[] = "counting";
  static double BitsAKey(double rate) { return 4 * PlannedKind::BitsAKey(rate); }
};

struct CuckooKind : PlannedKind<amq::CuckooFilter> {
  static constexpr char kName[] = "cuckoo";
  static constexpr double kLowestRate = 2e-9;
  // Fingerprints have the bits for this rate in 8 slots, of which 95 % are taken.
  static double BitsAKey(double rate) { return std::ceil(std::log2(1 + 7.6 / rate)) / 0.95; }
};

// Kinds without removals, plus further kinds.
template <typename... More>
using GrowingKindsAnd =
    ::testing::Types<StandardKind, PartitionedKind, BlockedKind, ConcurrentKind, More...>;
using PlannedKinds = GrowingKindsAnd<CountingKind, CuckooKind>;

// Adds a key; returns false if the filter refused it, as some kinds may.
template <typename Filter>
bool Take(Filter* filter, KeyHash key) {
  filter->Add(key);
  return true;
}
inline bool Take(amq::CuckooFilter* filter, KeyHash key) { return filter->Insert(key); }

// ---- What holds for filters

// Returns the number of `lookups` random hashes, practically all absent, that the filter may
// contain.
template <typename Filter>
uint64_t FalsePositives(const Filter& filter, uint64_t lookups, uint64_t seed) {
  RandomHashes absent(seed);
  uint64_t found = 0;
  for (uint64_t i = 0; i < lookups; ++i) found += filter.MayContain({absent.Next()});
  return found;
}

// Expects the rate that the filter reports, within 3 sigma.
template <typename Filter>
void ExpectReportedRate(const Filter& filter, uint64_t lookups, uint64_t seed) {
  const double rate = filter.expected_fpr();
  const double expected = rate * static_cast<double>(lookups);
  const double sigma = std::sqrt(expected * (1 - rate));
  const uint64_t found = FalsePositives(filter, lookups, seed);
  EXPECT_NEAR(static_cast<double>(found), expected, 3 * sigma + 1e-9)
      << "false positives of " << lookups << " lookups, rate " << rate;
}

template <typename Filter>
void ExpectContainsAll(const Filter& filter, const std::vector<KeyHash>& keys) {
  uint64_t missed = 0;
  for (const KeyHash key : keys) missed += !filter.MayContain(key);
  EXPECT_EQ(missed, 0u) << "of " << keys.size() << " keys";
}

// Adds keys from a small universe in random order, each many times, and compares every answer with
// that of a set: there are no false negatives, and a key that was added is never new. For filters
// without removals.
template <typename Filter>
void ExpectAgreesWithASet(Filter* filter, int operations, uint64_t world, uint64_t seed) {
  RandomHashes random(seed);
  std::set<uint64_t> added;
  for (int i = 0; i < operations; ++i) {
    const KeyHash hash = HashKey(std::to_string(random.Below(world)));
    if (random.Below(2) == 0) {
      const bool may_contain = filter->MayContain(hash);
      ASSERT_EQ(filter->Add(hash), !may_contain);
      added.insert(hash.value);
    }
    if (added.count(hash.value) > 0) {
      ASSERT_TRUE(filter->MayContain(hash)) << "operation " << i;
    }
  }
  for (const uint64_t value : added) ASSERT_TRUE(filter->MayContain({value}));
}

// Runs ExpectAgreesWithASet() for a filter with ample capacity and for a heavily overloaded one.
template <typename Filter>
void ExpectRoomyAndOverloadedAgreeWithASet(double roomy_rate, double overloaded_rate,
                                           int operations) {
  Filter roomy({10'000, roomy_rate});
  ExpectAgreesWithASet(&roomy, operations, 5000, TestSeed());
  Filter overloaded({100, overloaded_rate});
  ExpectAgreesWithASet(&overloaded, operations, 5000, TestSeed());
}

// Expects that filters for few and for many keys contain all added keys. `also` gets the filter and
// its keys for further checks.
template <typename Filter, typename Also>
void ExpectContainsWhatWasAdded(std::initializer_list<double> rates, Also also) {
  for (const uint64_t capacity : {0u, 1u, 2u, 3u, 100u, 10'000u}) {
    for (const double rate : rates) {
      Filter filter({capacity, rate});
      const std::vector<KeyHash> keys = RandomHashes(2).Take(capacity);
      for (const KeyHash key : keys) filter.Add(key);
      ExpectContainsAll(filter, keys);
      also(&filter, keys);
    }
  }
}

template <typename Filter>
void ExpectContainsWhatWasAdded(std::initializer_list<double> rates) {
  ExpectContainsWhatWasAdded<Filter>(rates, [](Filter*, const std::vector<KeyHash>&) {});
}

// Inserts, removes and looks up keys from a small universe in random order, and compares with a
// multiset: there are no false negatives. Only present keys are removed. insert(filter, key)
// returns whether the key was taken. The filter fills up and empties in turn.
template <typename Filter, typename Insert>
void ExpectAgreesWithAMultiset(Filter* filter, Insert insert, int operations, uint64_t world,
                               uint64_t seed) {
  RandomHashes random(seed);
  std::unordered_multiset<uint64_t> there;
  for (int i = 0; i < operations; ++i) {
    const KeyHash hash = HashKey(std::to_string(random.Below(world)));
    const bool growing = i / 20'000 % 2 == 0;
    if (random.Below(3) < (growing ? 2u : 1u)) {
      if (insert(filter, hash)) there.insert(hash.value);
    } else if (const auto found = there.find(hash.value); found != there.end()) {
      ASSERT_TRUE(filter->Remove(hash)) << "operation " << i;
      there.erase(found);
    }
    if (there.count(hash.value) > 0) {
      ASSERT_TRUE(filter->MayContain(hash)) << "operation " << i;
    }
    if (i % 5000 == 0) {
      for (const uint64_t value : there) ASSERT_TRUE(filter->MayContain({value})) << i;
    }
  }
  for (const uint64_t value : there) ASSERT_TRUE(filter->MayContain({value}));
  EXPECT_EQ(filter->num_keys(), there.size());
}

// Expects that batches of every size give the answers of single lookups; half of the keys are
// absent.
template <typename Filter>
void ExpectBatchesAsOneByOne(const Filter& filter, const std::vector<KeyHash>& keys) {
  RandomHashes random(99);
  for (const size_t n : {0u, 1u, 15u, 16u, 17u, 64u, 500u}) {
    std::vector<KeyHash> asked = random.Take(n);
    for (size_t i = 0; i < n; i += 2) asked[i] = keys[random.Below(keys.size())];
    // The byte behind the results must not change.
    const auto results = std::make_unique<bool[]>(n + 1);
    results[n] = true;
    filter.MayContain(asked.data(), n, results.get());
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(results[i], filter.MayContain(asked[i])) << i;
    ASSERT_TRUE(results[n]);
  }
}

// Expects that keys added in batches are new and contained as if added one by one. `at_a_time` is
// the filter's internal batch size; some keys are repeated within such a batch and across batches.
template <typename Filter>
void ExpectBatchedAddsAsOneByOne(std::initializer_list<double> rates, size_t at_a_time) {
  for (const double rate : rates) {
    Filter one({500, rate});
    Filter batched({500, rate});
    RandomHashes random(3);
    for (const size_t n :
         {size_t{0}, size_t{1}, at_a_time - 1, at_a_time, at_a_time + 1, size_t{64}, size_t{500}}) {
      std::vector<KeyHash> keys = random.Take(n);
      if (n > 40) {
        keys[40] = keys[39];
        keys[38] = keys[37] = keys[2];
      }
      // The byte behind the results must not change.
      const auto results = std::make_unique<bool[]>(n + 1);
      results[n] = true;
      batched.Add(keys.data(), n, results.get());
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(results[i], one.Add(keys[i])) << i;
      ASSERT_TRUE(results[n]);

      for (size_t i = 0; i < n; i += 2) keys[i].value = random.Next();
      batched.MayContain(keys.data(), n, results.get());
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(results[i], one.MayContain(keys[i])) << i;
      ASSERT_TRUE(results[n]);
    }
    EXPECT_EQ(batched.num_added(), one.num_added());
    EXPECT_EQ(batched.fill_ratio(), one.fill_ratio());
    EXPECT_EQ(batched.expected_fpr(), one.expected_fpr());
  }
}

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_AMQ_FILTER_TESTING_H_
