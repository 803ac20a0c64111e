// Checks whether a policy stays within thresholds that are set as multiples of the reference, by
// the figures of a run.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_THRESHOLDS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_THRESHOLDS_H_

#include <string>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// The most that a figure of the policy may be, as a multiple of the same figure of the reference;
// 0: no threshold. The first two are of absent keys.
struct Thresholds {
  double false_positives_per_check = 0;
  double block_reads_per_lookup = 0;  // data blocks, from the cache or the file
  double filter_memory = 0;

  bool Any() const {
    return false_positives_per_check > 0 || block_reads_per_lookup > 0 || filter_memory > 0;
  }
};

struct ThresholdsKept {
  bool kept = false;
  std::string sentence;  // the figures, with their thresholds; no line feed at its end
};

// Compares the last policy of a run with the run's reference
// (db_bench_ext/read_amplification/report/readamp_comparison.h). Not kept either where a figure is
// missing: without another policy, filters, lookups of absent keys or false positives of the
// reference, nor where the trees of the two differ too much to be compared: then there is no
// verdict, and the sentence says so.
ThresholdsKept CheckThresholds(const inspect::ReadAmplification& run, const Thresholds& thresholds);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_THRESHOLDS_H_
