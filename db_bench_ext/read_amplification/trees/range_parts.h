// Distribution of a tree's filter bits over the key range.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_RANGE_PARTS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_RANGE_PARTS_H_

#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// A file and its filter.
struct RangeOfFilter {
  int level = 0;
  uint64_t first = 0;  // number of its first key
  uint64_t last = 0;   // number of its last key, at least `first`
  uint64_t keys = 0;
  uint64_t filter_bytes = 0;
};

// Returns the distribution by level, ascending, over numbers below `end`; assumes that the keys of
// a file are evenly spaced. Pure.
std::vector<inspect::RangeOfLevel> PartsOfRange(const std::vector<RangeOfFilter>& filters,
                                                uint64_t end);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_TREES_RANGE_PARTS_H_
