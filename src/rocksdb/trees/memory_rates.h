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

#include "src/rocksdb/trees/learned_rates.h"
#include "src/rocksdb/trees/tree_files.h"

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
    LearnedRates* rates;
    Lookups* lookups;
    bool is_sampled;  // else it counts as hot as the mean
  };
  // The options that all trees have in common.
  struct Shared {
    double memory = 0;                   // bytes
    bool is_alike = false;               // all files have one rate
    bool by_lookups = false;             // trees weigh what is sampled of their lookups
    bool last_level_has_filters = true;  // by the families' options
    double absent_share = 1;             // of the policy

    bool operator==(const Shared& other) const noexcept {
      return memory == other.memory && is_alike == other.is_alike &&
             by_lookups == other.by_lookups &&
             last_level_has_filters == other.last_level_has_filters &&
             absent_share == other.absent_share;
    }
    // The rule of a tree with such compaction, which has no samples of its own. Only a leveled tree
    // has a last level, which absent_share leaves without filters.
    LearnedRates::Rule RuleOf(bool is_leveled, bool is_bytewise) const noexcept;
  };
  struct Asked {
    Shared shared;
    double bytes_a_bit = 0;                          // of log2(1/rate), a key
    double most_bits = kMaxRateBits;                 // with what a range filter takes
    LearnedRates::Rule rule;                         // of the file's tree
    const LearnedRates* own = nullptr;               // the file's tree
    const LearnedRates::FileToRate* file = nullptr;  // null: only its tree is known
  };
  struct Lambda {
    double log2_lambda = 0;
    double log2_weight = 0;  // of the file's tree

    // log2(1/rate) of a file with such a log2(n / k) in its tree.
    double BitsOf(double log2_reach) const noexcept {
      return log2_reach + log2_weight - log2_lambda;
    }
  };

  // Looks at the trees again if much changed since. `elsewhere`: trees of another process.
  // Some milliseconds with thousands of files. May throw std::bad_alloc.
  Lambda Update(const std::vector<Tree>& trees, const TreeFiles::Sums& elsewhere,
                const Asked& asked);

 private:
  void SetWeights(const std::vector<Tree>& trees, bool by_lookups);

  std::mutex mutex_;
  double log2_lambda_ = 0;
  double written_ = -1;  // keys that all trees had written when they were looked at
  double keys_ = 0;      // that these had
  Shared shared_;
  // Sums over samples, the older ones by less, of the heat then: with that of the samples, and with
  // itself.
  double together_ = 0;
  double then_ = 0;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_MEMORY_RATES_H_
