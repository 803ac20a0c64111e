// Division of filter_memory among all trees of a policy, with one lambda for all their filters.
//
// Applies the rule of file_rates.h with the memory itself as the target. Lookups are assumed to be
// uniform over the keys of all trees; with level_plan=learned, they follow the samples by tree and
// position; with level_plan=uniform, all files have one rate. Lambda is computed as if all filters
// were built now. So a file's share does not depend on the memory of existing filters, and the
// memory is divided evenly even if files come and go without being rewritten;
// builders/memory_budget.h handles too little free memory.
//
// Filters live until their files are rewritten, and lookups may shift to other trees meanwhile. So
// a tree counts with its expected lookups: with heat h, the lookups per key relative to the mean of
// all trees, 1 + lasts (h - 1). `lasts` is the slope of a regression of new lookups on the heat at
// the time when files were written. Lookups are expected, not their logarithms: false positives are
// the product of lookups and rates, so this minimizes their expectation.

#ifndef WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_
#define WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "src/rocksdb/trees/tree_files.h"
#include "src/rocksdb/trees/tree_rates.h"

namespace winnow::plugin {

// Computes lambda for filter_memory. Thread-safe.
class MemoryRates {
 public:
  // Share of filter_memory that is aimed at. The memory of upper levels varies from one compaction
  // to the next, and a compaction writes its outputs before its inputs are deleted.
  static constexpr double kAim = 0.92;
  // Half-life of samples, in samples; they also fade by half after all trees wrote their keys once.
  static constexpr double kHalfLife = 1 << 16;
  // Minimum mean number of samples per tree.
  static constexpr double kMinSamples = 16;
  // Prior weight, in samples per tree, of lookups proportional to keys.
  static constexpr double kPseudoCount = 4;
  // Half-life of the regression's sums, in multiples of all trees' keys written.
  static constexpr double kWritesHalfLife = 4;
  // Prior weight of the guess that all heat lasts, in samples of trees whose heat differs from the
  // mean by the mean.
  static constexpr double kGuess = 64;
  // Maximum of `lasts`.
  static constexpr double kMostLasts = 0.8;

  // Lookups of one tree, which owns this. Guarded by MemoryRates.
  struct Lookups {
    uint64_t samples = 0;  // total at the last update
    double recent = 0;     // samples, with exponential decay
    double written = 0;    // keys at the last update
    // Mean over keys of the tree's heat minus 1 when its files were written, and of its square.
    double then = 0;
    double then_squared = 0;
    double log2_weight = 0;  // expected lookups per key, relative to all trees
  };
  struct Tree {
    TreeFiles* files;
    TreeRates* rates;
    Lookups* lookups;
    bool is_sampled;  // if false, it counts as hot as the mean
  };
  // The file that a rate is for.
  struct Asked {
    TreeRates::Rule rule;                      // rule of the file's tree, on which others depend
    double bytes_a_bit = 0;                    // bytes per key and bit of log2(1/rate)
    double most_bits = kMaxRateBits;           // maximum, with a range filter's bits
    const TreeRates* own = nullptr;            // the file's tree
    const TreeFiles::NewFile* file = nullptr;  // null if only its tree is known
    const WritingJob* job = nullptr;           // job that writes the file
    bool is_anew = false;                      // true to recompute in any case
  };

  // Returns log2 of lambda for the file's tree, which includes the tree's weight. Recomputes it if
  // much changed, which takes some milliseconds with thousands of files. `elsewhere` has the sums
  // of trees in another process. May throw std::bad_alloc.
  double Log2LambdaOf(const std::vector<Tree>& trees, const TreeFiles::Sums& elsewhere,
                      const Asked& asked);

 private:
  void SetWeights(const std::vector<Tree>& trees, bool by_lookups);

  std::mutex mutex_;
  double log2_lambda_ = 0;
  double written_ = -1;   // keys written by all trees at the last update
  double keys_ = 0;       // keys of all trees then
  TreeRates::Rule rule_;  // rule then, for a tree without samples
  // Decaying sums, over samples, of the heat when files were written: times the heat of the
  // samples, and squared.
  double together_ = 0;
  double then_ = 0;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_
