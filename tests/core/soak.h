// Filters of all sizes and accuracies, built by the thousand and asked for every key that they were
// built from: what filter_soak runs for minutes and soak_test for a moment.

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
  // Lookups of inserted keys, at least, shared evenly by the powers of ten from 1 to most_keys, by
  // 2 to 20 bits a key and by the kinds. Each of these has at least one filter, which may be more.
  uint64_t lookups = 1'000'000'000;
  uint64_t most_keys = 10'000'000;
  // Filters besides, of any number of keys from 0 to 4095, small ones more often, and any bits.
  uint64_t random_filters = 100'000;
  uint64_t seed = 1;

  // Called with each filter before it is asked, to see that a damaged one is noticed.
  std::function<void(FilterBlock*)> damage;
  // Called now and then with the share of the work that is done, 0 to 1, roughly.
  std::function<void(double)> progress;
};

struct SoakCounts {
  uint64_t filters = 0;
  uint64_t unusable = 0;  // of these, those that a view can't read
  uint64_t keys = 0;
  uint64_t lookups = 0;  // of inserted keys: each alone and each in a batch
  uint64_t false_negatives = 0;
  uint64_t absent_lookups = 0;
  uint64_t false_positives = 0;
  double expected_false_positives = 0;  // by the rates that the filters state

  SoakCounts& operator+=(const SoakCounts& other);
  // No false negative, and as many false positives as expected, within 5 % and five standard
  // deviations.
  bool Good() const;
};

struct SoakRow {
  FilterKind kind = FilterKind::kEmpty;
  uint64_t least_keys = 0;  // of a filter; 0 for the random ones
  uint64_t most_keys = 0;
  SoakCounts counts;
};

struct SoakResult {
  std::string kernel;         // that built and asked: the one in force in this process
  std::vector<SoakRow> rows;  // by kind and power of ten; the random filters last
  uint64_t digest = 0;        // of all filters' bytes: the same for every kernel and machine

  SoakCounts Total() const;
  bool Good() const;  // every row is
};

// Runs the plan in this thread, with the kernel in force. The same counts for the same plan.
SoakResult Soak(const SoakPlan& plan);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_CORE_SOAK_H_
