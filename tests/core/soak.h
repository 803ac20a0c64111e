// Soak test: thousands of filters of all sizes and accuracies, each asked for all keys it was built
// from. filter_soak runs it for minutes, soak_test briefly.

#ifndef WINNOW_TESTS_CORE_SOAK_H_
#define WINNOW_TESTS_CORE_SOAK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "winnow/builder.h"
#include "winnow/options.h"

namespace winnow::testing {

struct SoakPlan {
  // Minimum number of lookups of inserted keys, divided evenly among the powers of ten from 1 to
  // most_keys, 2 to 20 bits per key, and the kinds. Each combination has at least one filter, which
  // may exceed the minimum.
  uint64_t lookups = 1'000'000'000;
  uint64_t most_keys = 10'000'000;
  // Additional filters with a random number of keys from 0 to 4095, mostly small, and random bits.
  uint64_t random_filters = 100'000;
  uint64_t seed = 1;

  // Called with each filter before it is asked, to test that damage is detected.
  std::function<void(FilterBlock*)> damage;
  // Called occasionally with the approximate share of the work done, 0 to 1.
  std::function<void(double)> progress;
};

struct SoakCounts {
  uint64_t filters = 0;
  uint64_t unusable = 0;  // filters that a view can't read
  uint64_t keys = 0;
  uint64_t lookups = 0;  // lookups of inserted keys: each one alone and in a batch
  uint64_t false_negatives = 0;
  uint64_t absent_lookups = 0;
  uint64_t false_positives = 0;
  double expected_false_positives = 0;  // expected by the rates recorded in the filters

  SoakCounts& operator+=(const SoakCounts& other);
  // Returns true if there is no false negative, and the number of false positives is the expected
  // one, within 5% and five standard deviations.
  bool Good() const;
};

struct SoakRow {
  FilterKind kind = FilterKind::kEmpty;
  uint64_t least_keys = 0;  // minimum keys of a filter; 0 for random filters
  uint64_t most_keys = 0;
  SoakCounts counts;
};

struct SoakResult {
  std::string kernel;         // name of the active kernel
  std::vector<SoakRow> rows;  // sorted by kind and power of ten; random filters last
  uint64_t digest = 0;        // hash of all filters' bytes: the same for every kernel and machine

  SoakCounts Total() const;
  bool Good() const;  // true if every row is good
};

// Runs the plan in this thread with the active kernel. Deterministic.
SoakResult Soak(const SoakPlan& plan);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_SOAK_H_
