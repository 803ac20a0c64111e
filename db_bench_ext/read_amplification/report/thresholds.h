// Checks whether a policy's results stay within thresholds, given as multiples of the reference's
// results.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_THRESHOLDS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_THRESHOLDS_H_

#include <string>

#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// Maximum values of the policy's results, as multiples of the reference's; 0: no threshold. The
// first two are for absent keys.
struct Thresholds {
  double false_positives_per_check = 0;
  double block_reads_per_lookup = 0;  // data blocks, from the cache or from files
  double filter_memory = 0;

  bool Any() const {
    return false_positives_per_check > 0 || block_reads_per_lookup > 0 || filter_memory > 0;
  }
};

struct ThresholdsKept {
  bool kept = false;
  std::string sentence;  // results with their thresholds; without a final newline
};

// Compares the last policy of a run with the run's reference
// (db_bench_ext/read_amplification/report/readamp_comparison.h). Thresholds also count as violated
// if a value is missing: without another policy, filters, lookups of absent keys or false positives
// of the reference, or if the two trees differ too much to be compared. There is then no verdict,
// as the sentence says.
ThresholdsKept CheckThresholds(const inspect::ReadAmplification& run, const Thresholds& thresholds);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_THRESHOLDS_H_
