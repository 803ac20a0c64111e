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
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "streams/amq/block_sizing.h"
#include "tests/support/random_hashes.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"
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
  static constexpr bool kRemoves = false;
  // Returns the fill ratio that removing all keys leaves.
  static double StuckRatio(const F&) { return 0; }
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
  static constexpr bool kRemoves = true;
  static double StuckRatio(const Filter& filter) { return filter.saturated_share(); }
  static double BitsAKey(double rate) { return 4 * PlannedKind::BitsAKey(rate); }
};

struct CuckooKind : PlannedKind<amq::CuckooFilter> {
  static constexpr char kName[] = "cuckoo";
  static constexpr bool kRemoves = true;
  static constexpr double kLowestRate = 2e-9;
  // Fingerprints have the bits for this rate in 8 slots, of which 95 % are taken.
  static double BitsAKey(double rate) { return std::ceil(std::log2(1 + 7.6 / rate)) / 0.95; }
};

// Kinds without removals, plus further kinds.
template <typename... More>
using GrowingKindsAnd =
    ::testing::Types<StandardKind, PartitionedKind, BlockedKind, ConcurrentKind, More...>;
using PlannedKinds = GrowingKindsAnd<CountingKind, CuckooKind>;

// Adds a key, which is new if the filter did not contain it; returns false if the filter refused
// it, as some kinds may.
template <typename Filter>
bool Take(Filter* filter, KeyHash key) {
  const bool may_contain = filter->MayContain(key);
  EXPECT_EQ(filter->Add(key), !may_contain);
  return true;
}
inline bool Take(amq::CuckooFilter* filter, KeyHash key) { return filter->Insert(key); }

// Builds or opens the pages of a filter. Throws std::runtime_error if that fails.
inline amq::PagedBloom MustBuild(amq::PageStore* store, const amq::PagedPlan& plan,
                                 const std::vector<KeyHash>& keys) {
  std::string reason;
  std::optional<amq::PagedBloom> built =
      amq::PagedBloom::Build(store, plan, keys.data(), keys.size(), &reason);
  if (!built) throw std::runtime_error(reason);
  return *std::move(built);
}

inline amq::PagedBloom MustOpen(amq::PageStore* store) {
  std::string reason;
  std::optional<amq::PagedBloom> opened = amq::PagedBloom::Open(store, &reason);
  if (!opened) throw std::runtime_error(reason);
  return *std::move(opened);
}

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
