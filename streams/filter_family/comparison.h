// Times of Winnow's filters and of contenders in one process. The two runs of each pair follow each
// other, and Winnow's run is repeated after them, so that the variation between two runs of the
// same code is known too.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_COMPARISON_H_
#define WINNOW_STREAMS_FILTER_FAMILY_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "streams/filter_family/contender.h"

namespace winnow::bench {

struct ComparisonOptions {
  std::vector<uint64_t> keys;  // keys per filter
  int pairs = 15;
  unsigned threads = 2;      // threads that add to one filter at the same time
  double bits_per_key = 10;  // bits per key, for kinds of selectable size
  double least_ms = 5;       // minimum duration of a run; shorter work is repeated
  uint64_t seed = 1;
};

struct ComparisonRow {
  std::string kind;
  std::string contender;
  uint64_t keys = 0;
  std::string work;  // "add", "ask absent", ...
  // Medians, in nanoseconds per key.
  double ours_ns = 0;
  double contender_ns = 0;
  // Medians of the pairs' ratios: ours to the contender's, and ours to ours repeated with its
  // central 90 % interval.
  double ratio = 0;
  double ours_again = 0;
  double ours_again_low = 0;
  double ours_again_high = 0;
  // Bits per key and false-positive rates of Winnow's filter and of the contender.
  double bits[2] = {0, 0};
  double rates[2] = {0, 0};
};

// Returns Winnow's filters of the kinds that contenders may have.
const std::vector<winnow_contender>& OurFilters();

// Measures one contender, whose kind must be in OurFilters(), and reports each row as soon as it is
// measured. Throws std::runtime_error if a filter denies an added key or refuses many keys: its
// times would be meaningless.
void CompareWithOurs(const winnow_contender& contender, const ComparisonOptions& options,
                     const std::function<void(const ComparisonRow&)>& report);

// Return the rows as a Markdown table, and as JSON of schema winnow.beside/1.
std::string ComparisonTable(const std::vector<ComparisonRow>& rows);
std::string ComparisonJson(const ComparisonOptions& options,
                           const std::vector<ComparisonRow>& rows);

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_COMPARISON_H_
