// Times of our filters and of those of contenders, in one process: of each pair of runs both are
// made after one another, and ours once more, so that what differs between two runs of the same
// code is known too.

#ifndef WINNOW_STREAMS_FILTER_FAMILY_COMPARISON_H_
#define WINNOW_STREAMS_FILTER_FAMILY_COMPARISON_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "streams/filter_family/contender.h"

namespace winnow::bench {

struct ComparisonOptions {
  std::vector<uint64_t> keys;  // of a filter
  int pairs = 15;
  unsigned threads = 2;      // that add to one filter at once
  double bits_per_key = 10;  // of the kinds that have a choice
  double least_ms = 5;       // a run repeats what takes less
  uint64_t seed = 1;
};

struct ComparisonRow {
  std::string kind;
  std::string contender;
  uint64_t keys = 0;
  std::string work;  // "add", "ask absent", ...
  // Medians, in nanoseconds a key.
  double ours_ns = 0;
  double contender_ns = 0;
  // Ratios of the pairs: ours / contender's, and ours / ours again with its middle nine tenths.
  double ratio = 0;
  double ours_again = 0;
  double ours_again_low = 0;
  double ours_again_high = 0;
  // Bits a key and rates, of ours and of the contender.
  double bits[2] = {0, 0};
  double rates[2] = {0, 0};
};

// The kinds that contenders may have, and our filters of these.
const std::vector<winnow_contender>& OurFilters();

// Measures one contender, which has a kind of OurFilters(), and reports each row when it is there.
// Throws std::runtime_error if a filter denies a key or refuses many: such times mean nothing.
void CompareWithOurs(const winnow_contender& contender, const ComparisonOptions& options,
                     const std::function<void(const ComparisonRow&)>& report);

// The rows as a table in Markdown, and as JSON, schema winnow.beside/1.
std::string ComparisonTable(const std::vector<ComparisonRow>& rows);
std::string ComparisonJson(const ComparisonOptions& options,
                           const std::vector<ComparisonRow>& rows);

}  // namespace winnow::bench

#endif  // WINNOW_STREAMS_FILTER_FAMILY_COMPARISON_H_
