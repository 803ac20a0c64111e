// Decides whether the policies of a run are comparable, and selects the reference.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_COMPARISON_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_COMPARISON_H_

#include <cstddef>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::inspect {

// Relative difference up to which trees, and filter memory, count as equal.
inline constexpr double kSame = 0.02;

struct Comparison {
  // Reference policy: the first with RocksDB's Bloom filter, else the first with filters, else the
  // first.
  size_t reference = 0;

  // Largest relative difference of a policy to the reference in the number of keys on any level; 0
  // for equal shapes, 1 if one tree has a level that the other lacks.
  double largest_level_difference = 0;

  // Largest relative difference to the reference in the files considered per lookup, over all
  // workloads.
  double largest_files_considered_difference = 0;

  bool TreesAgree() const {
    return largest_level_difference <= kSame && largest_files_considered_difference <= kSame;
  }
};

// Compares the policies; there must be at least one.
Comparison Compare(const std::vector<PolicyResult>& policies);

// Returns the largest relative difference in the number of keys on any level, 0 to 1.
double LevelDifference(const std::vector<LevelShape>& a, const std::vector<LevelShape>& b);

// Returns the largest relative difference in the files considered per lookup of a workload, 0 to 1.
// Both policies must have the same workloads.
double FilesConsideredDifference(const PolicyResult& a, const PolicyResult& b);

// Returns whether the speeds of two policies differ by more than the variation between rounds: with
// at least three alternating rounds each, the slowest of one policy is faster than the fastest of
// the other. For equal policies, this happens by chance in one run of ten with three rounds, and in
// one of 126 with five.
bool SpeedsDiffer(const WorkloadTimes& a, const WorkloadTimes& b);

// Returns whether the results of both policies are comparable: both differences are at most kSame.
bool SameTree(const PolicyResult& a, const PolicyResult& b);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_COMPARISON_H_
