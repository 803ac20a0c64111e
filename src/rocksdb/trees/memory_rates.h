// One lambda for the filters of all trees of a policy: how they share filter_memory.
//
// It is the rule of file_rates.h with the memory itself as the target. Lookups fall evenly over the
// keys of all trees; with level_plan=learned, on trees and places as samples say; with
// level_plan=uniform, all files have one rate. Lambda is that of trees whose filters are all built
// now. So a file gets the same whatever the others took, and the memory is shared evenly where
// files come and go but are not rewritten; builders/memory_budget.h has what is done where too
// little is left.
//
// Filters live until their files are rewritten, and traffic may turn to other trees meanwhile. So a
// tree counts with the lookups that are expected of it: with heat h, the lookups a key relative to
// the mean of all trees, 1 + lasts (h - 1). `lasts` is the slope of a regression of new lookups
// against the heat when files were written. Expected lookups, not expected logarithms: false reads
// are the product of lookups and rates, so their expectation is least that way.

#ifndef WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_
#define WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "src/rocksdb/trees/tree_files.h"
#include "src/rocksdb/trees/tree_rates.h"

namespace winnow::plugin {

// Safe from any number of threads.
class MemoryRates {
 public:
  // The share of filter_memory that is aimed at. What upper levels have swings from one compaction
  // to the next, and a compaction writes its outputs before its inputs are deleted.
  static constexpr double kAim = 0.92;
  // Samples of lookups count half after so many others, and after all trees wrote their keys once.
  static constexpr double kHalfLife = 1 << 16;
  // Fewer samples a tree, on average, say nothing.
  static constexpr double kMinSamples = 16;
  // So many samples a tree are assumed to fall on trees by their keys.
  static constexpr double kPseudoCount = 4;
  // The sums of the regression count half after all trees wrote so many times their keys.
  static constexpr double kWritesHalfLife = 4;
  // The weight of the first guess, that all of it lasts: as much as so many samples of trees whose
  // heat differs from the mean by the mean.
  static constexpr double kGuess = 64;
  // The most that may last.
  static constexpr double kMostLasts = 0.8;

  // The lookups of one tree, which keeps them. Guarded by MemoryRates.
  struct Lookups {
    uint64_t samples = 0;  // ever, when they were looked at
    double recent = 0;     // samples, the older ones by less
    double written = 0;    // keys, likewise
    // The heat, less 1, that the tree had when its files were written, and its square: means by
    // keys.
    double then = 0;
    double then_squared = 0;
    double log2_weight = 0;  // lookups a key expected, to the mean of all trees
  };
  struct Tree {
    TreeFiles* files;
    TreeRates* rates;
    Lookups* lookups;
    bool is_sampled;  // else it counts as hot as the mean
  };
  // The file that a rate is for.
  struct Asked {
    TreeRates::Rule rule;                      // of the file's tree, by which those of others go
    double bytes_a_bit = 0;                    // of log2(1/rate), a key
    double most_bits = kMaxRateBits;           // with what a range filter takes
    const TreeRates* own = nullptr;            // the file's tree
    const TreeFiles::NewFile* file = nullptr;  // null: only its tree is known
    const WritingJob* job = nullptr;           // that writes the file
    bool is_anew = false;                      // looks at the trees again
  };

  // log2 of lambda of the file's tree, by which lookups count with the tree's weight. Looks at the
  // trees again if much changed since, which takes some milliseconds with thousands of files.
  // `elsewhere`: trees of another process. May throw std::bad_alloc.
  double Log2LambdaOf(const std::vector<Tree>& trees, const TreeFiles::Sums& elsewhere,
                      const Asked& asked);

 private:
  void SetWeights(const std::vector<Tree>& trees, bool by_lookups);

  std::mutex mutex_;
  double log2_lambda_ = 0;
  double written_ = -1;   // keys that all trees had written when they were looked at
  double keys_ = 0;       // that these had
  TreeRates::Rule rule_;  // of the last look, as of a tree without samples
  // Sums over samples, the older ones by less, of the heat then: with that of the samples, and with
  // itself.
  double together_ = 0;
  double then_ = 0;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_
