// Decides whether the policies of a run can be compared fairly, and with which of them the others
// are.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_COMPARISON_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_COMPARISON_H_

#include <cstddef>
#include <vector>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::inspect {

// Trees, and memory of filters, count as the same up to this relative difference.
inline constexpr double kSame = 0.02;

struct Comparison {
  // The policy that the others are compared with: the first that is RocksDB's Bloom filter, else
  // the first that has filters, else the first.
  size_t reference = 0;

  // The largest relative difference in the number of keys on any level, of any policy to the
  // reference; 0 for the same shape, 1 where one tree has a level that the other lacks.
  double largest_level_difference = 0;

  // The same of the files considered per lookup, over all workloads.
  double largest_files_considered_difference = 0;

  bool TreesAgree() const {
    return largest_level_difference <= kSame && largest_files_considered_difference <= kSame;
  }
};

// Compares the policies, of which there is at least one.
Comparison Compare(const std::vector<PolicyResult>& policies);

// The largest relative difference in the number of keys on any level, 0 to 1.
double LevelDifference(const std::vector<LevelShape>& a, const std::vector<LevelShape>& b);

// The largest relative difference in the files considered per lookup of a workload, 0 to 1. The
// policies have the same workloads.
double FilesConsideredDifference(const PolicyResult& a, const PolicyResult& b);

// Returns whether the speeds of two policies differ by more than either wanders from round to
// round: of at least three rounds, which they took in turns, the slowest of the one is faster than
// the fastest of the other. By chance the same policy twice does so in one run of ten with three
// rounds, in one of 126 with five.
bool SpeedsDiffer(const WorkloadTimes& a, const WorkloadTimes& b);

// Returns whether figures of the two may be compared: both differences are at most kSame.
bool SameTree(const PolicyResult& a, const PolicyResult& b);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_READAMP_COMPARISON_H_
