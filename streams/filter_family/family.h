// Measurements of all kinds of filters, built from the same keys at the same rates.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_FAMILY_H_
#define WINNOW_STREAMS_FILTER_FAMILY_FAMILY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::bench {

struct FamilyOptions {
  uint64_t keys = 1'000'000;
  std::vector<double> rates = {0.1, 0.01, 0.001, 0.0001, 0.00001};
  // Maximum number of lookups to measure the rate; otherwise enough for 10^4 false positives.
  uint64_t most_lookups = 1'000'000'000;
  int repetitions = 3;  // builds and lookups of which the median is taken
  uint64_t seed = 1;
};

// Measurements of a kind at a rate. Times are CPU times of the thread.
struct Measured {
  double bits_per_key = 0;
  double expected_rate = 0;  // rate that the filter reports
  uint64_t lookups = 0;      // lookups of absent keys
  uint64_t passed = 0;
  double build_ns = 0;   // per key
  double absent_ns = 0;  // per lookup, one after the other
  double present_ns = 0;
};

struct FamilyRow {
  std::string kind;
  double rate = 0;          // requested rate
  bool deletes = false;     // keys can be removed
  bool grows = false;       // keys can be added later
  double formula_bits = 0;  // bits per key, for kinds that are only a formula; else 0
  std::optional<Measured> measured;
};

// Measures all kinds, in the order of the page; "bound" and "xor+" are formulas. A kind that cannot
// have a rate has a row without a measurement. Calls progress() with each row.
std::vector<FamilyRow> MeasureFamily(const FamilyOptions& options,
                                     void (*progress)(const FamilyRow& row));

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_FAMILY_H_
