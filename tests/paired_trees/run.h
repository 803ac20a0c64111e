// Memory and false reads of paired policies in the trees of a cell.

#ifndef WINNOW_TESTS_PAIRED_TREES_RUN_H_
#define WINNOW_TESTS_PAIRED_TREES_RUN_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "src/text/rate_interval.h"
#include "tests/paired_trees/cells.h"
#include "tests/paired_trees/paired_policies.h"

namespace winnow::paired_trees {

// Number of observations of a growing tree; another one follows when it is at rest.
inline constexpr uint64_t kLooks = 40;

// A policy in one tree. False reads are expected ones, summed over the looks, at the first policy's
// memory: a bit per key more is assumed to halve them.
struct TreeResult {
  std::vector<double> bits;  // per key at each look, and at rest
  double growing = 0;        // false reads of the cell's lookups while the tree grows
  double at_rest = 0;        // the same at rest
  double by_range = 0;       // the same at all looks for absent keys evenly over all numbers
};

// Grows the tree of a cell, and returns the results by policy. divide_sizes: divisor of RocksDB's
// default sizes. Cells without a skew have lookups of absent keys, evenly distributed over the
// keys. Throws std::runtime_error if RocksDB fails, or if a lookup gives a wrong result.
std::vector<TreeResult> RunTree(const Cell& cell, uint64_t keys, uint64_t divide_sizes,
                                uint64_t seed, const std::vector<PairedPolicy>& policies);

// Ratios of one policy in a tree to another.
inline constexpr const char* kFigures[] = {"memory",  "mean_memory", "most_memory",
                                           "growing", "at_rest",     "by_range"};
using Ratios = std::array<double, std::size(kFigures)>;
Ratios RatiosOf(const TreeResult& policy, const TreeResult& to);

// Geometric mean of a ratio over several trees.
struct Mean {
  double mean = 0;
  inspect::Interval interval{};  // 95 % interval by Student's t; empty for one tree
};

// Returns the mean over at least one tree.
Mean MeanOf(const std::vector<double>& trees);

}  // namespace winnow::paired_trees

#endif  // WINNOW_TESTS_PAIRED_TREES_RUN_H_
