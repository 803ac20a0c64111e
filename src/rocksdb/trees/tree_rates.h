// Rates of the filters of one tree, by the rule of file_rates.h: learned from lookups that find
// nothing, or for lookups that are uniform over its keys.
//
// Learned rates take n from sampled lookups (lookup_samples.h), smoothed (heat_map.h). For uniform
// lookups, n is the number of the tree's keys in the file's range, independent of levels, the size
// ratio and the compaction style. A level plan (src/core/level_plan.h) gives equal rates for a full
// leveled tree.
//
// Lambda is chosen such that the filters of the tree will take the memory of uniform ones. A file
// that is likely to be rewritten soon counts with the bits that it would get then, any other file
// with its present bits. The probability follows from its age, and from the lifetimes of other
// files of its level. With filter_memory, lambda is that of all trees (memory_rates.h).
//
// The heat of a place may not last: the hot keys of a time series are cold later, and the file
// keeps its bits. So a file's n is a weighted mean: of n by the heat of its place, and of n as if
// its level were uniformly hot. The weight of the former is the part of relative heat that lasts on
// this level. This is the slope of a regression of the present heat of places on their heat when
// their files were written.

#ifndef WINNOW_SRC_ROCKSDB_TREES_TREE_RATES_H_
#define WINNOW_SRC_ROCKSDB_TREES_TREE_RATES_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "src/rocksdb/trees/file_rates.h"
#include "src/rocksdb/trees/heat_map.h"
#include "src/rocksdb/trees/tree_files.h"

namespace winnow::plugin {

// Rates of one tree. Thread-safe; lookups take none of its locks. Functions that throw
// std::bad_alloc keep the learned state.
class TreeRates {
 public:
  TreeRates() = default;
  ~TreeRates();
  TreeRates(const TreeRates&) = delete;
  TreeRates& operator=(const TreeRates&) = delete;

  // A tree is examined again after this share of its keys was written, and before a file is written
  // that has more than 1 in kFewFiles of its keys.
  static constexpr double kLookAgain = 1.0 / 64;
  static constexpr double kFewFiles = 8;
  // Minimum number of samples.
  static constexpr size_t kMinSamples = 256;
  // Range of the rates.
  static constexpr double kHighestRate = 1.0 / (1 << kMinRateBits);
  static constexpr double kLowestRate = 1.0 / (1 << kMaxRateBits);
  // Memory of the tree's filters, relative to uniform ones: about that of a level plan.
  static constexpr double kTarget = 1.01;

  // Options that determine rates, besides the files and the lookups.
  struct Rule {
    bool learns = true;              // uses samples; if false, assumes uniform lookups
    bool is_alike = false;           // all files have one rate
    double memory = 0;               // filter_memory of all trees (memory_rates.h), or 0
    bool by_lookups = false;         // trees share the memory by their samples
    bool is_leveled = true;          // overlapping files of level 0 will be merged soon
    bool is_bytewise = true;         // keys are in bytewise order
    bool families_have_last = true;  // filters on the last level, by families' options
    double absent_share = 1;         // the policy's share of absent keys, for uniform lookups

    bool is_sized() const noexcept { return memory > 0; }
    // Returns whether the last level has filters. Only a leveled tree has a last level that a
    // policy for lookups of present keys alone leaves without filters.
    bool last_level_has_filters() const noexcept {
      return families_have_last && (absent_share > 0 || !is_leveled || is_alike);
    }
    // Returns the share of lookups that reach a file, 0 to 1, if the share `below` of the tree's
    // keys is below it in its range. A lookup that finds its key reaches the file only if the key
    // is below.
    double ReachWith(double below) const noexcept {
      const bool all_reach = absent_share == 1 || is_alike || !last_level_has_filters() ||
                             (absent_share == 0 && !is_leveled);
      return all_reach ? 1 : absent_share + (1 - absent_share) * below;
    }
    // Returns the rule for another tree of the policy, whose samples are not used.
    Rule OfTree(bool other_is_leveled) const noexcept {
      Rule other = *this;
      other.learns = false;
      other.is_leveled = other_is_leveled;
      return other;
    }
    bool operator==(const Rule& other) const noexcept {
      const auto all = [](const Rule& one) {
        return std::tie(one.learns, one.is_alike, one.memory, one.by_lookups, one.is_leveled,
                        one.is_bytewise, one.families_have_last, one.absent_share);
      };
      return all(*this) == all(other);
    }
  };

  // Rate of a file's filter.
  struct Rated {
    double bits = 0;  // log2(1/rate)
    // Lookups of absent keys per key at the file's place, relative to the mean of its level; 0 if
    // unknown.
    double relative_miss_heat = 0;
    // Inputs of the bits, which are log2_reach - log2_lambda within the bounds.
    double log2_reach = 0;
    double log2_lambda = 0;

    double rate() const noexcept;
  };

  // Returns the best rate, from kLowestRate to kHighestRate, of the filter of a file that `job` is
  // about to write; nullopt if too little is known. For learned rates, that is with few samples,
  // for a file whose first and last key are equal after truncation, and if such files have many of
  // the keys. Otherwise, in a leveled tree, for a file that has more keys than all others together
  // or is narrower than the gap between two files, and if many keys are equal after truncation.
  // `uniform_rate` is that of bits_per_key.
  std::optional<Rated> RateOf(TreeFiles* files, const TreeFiles::NewFile& file,
                              const WritingJob& job, double uniform_rate, const Rule& rule);

  // Returns the difference of bits between the range filter of a new file on this level
  // (LevelIndex) and the tree's mean, for scans that are uniform over the tree's keys. If no file
  // of the level was known when the tree was last examined, returns the value of the level below; 0
  // if there is none.
  double MoreRangeBits(int level);

  // ---- With filter_memory

  // Appends the tree's files, with n for as many uniform lookups as it has keys. `file` and `job`
  // select the tree as it will be with this file; null for the present tree.
  void AppendFiles(TreeFiles* files, const TreeFiles::NewFile* file, const WritingJob* job,
                   const Rule& rule, std::vector<RatedFile>* all);
  // Returns the rate like RateOf, but with this lambda: the bits are not bounded, and may be
  // negative.
  Rated SizedRateOf(TreeFiles* files, const TreeFiles::NewFile& file, const WritingJob& job,
                    const Rule& rule, double log2_lambda);
  // Returns log2(n / k) of a file on this level (LevelIndex) with this many keys, whose range is
  // not known yet: the mean of existing files.
  double UsualLog2Reach(int level, double keys);
  bool is_leveled();  // answer for the last file; true before

  // Records the memory of a filter that was built with this rate, and that of a uniform one.
  void Built(double rate, double uniform_rate, const FilterMemory& memory);

  // ---- Transfer between processes

  // The rule with its learned state, for a compaction worker, which has the files' places in this
  // process's grid (carried_files.h).
  struct Told {
    std::optional<double> log2_lambda;  // unset if the tree is not known
    double uniform_bits = 0;            // uniform bits of this lambda
    bool is_sized = false;              // true if lambda is that of filter_memory
    bool learns = false;                // true if n counts samples instead of keys
    HeatMap heat;                       // without samples, lookups are uniform
    std::array<double, LookupSamples::kLevels> lasts{};
  };
  // Computes lambda for the present tree; the caller computes that of filter_memory. `base` is the
  // first level below 0, which a compaction may begin; -1 if unknown. May throw std::bad_alloc.
  Told Tell(TreeFiles* files, double uniform_rate, const Rule& rule, int base = -1);
  // Must be called, in the worker, before any rate is asked for.
  void SetTold(Told told);
  std::optional<double> told_log2_lambda();  // lambda of filter_memory

  // Returns whether enough lookups were sampled for a rule that learns.
  bool HasSamples(TreeFiles* files);

  // Returns the memory of the heat map, most of this object's memory while no rate is asked for. A
  // dropped map is computed again from the samples; DropHeat keeps one that another thread uses.
  size_t bytes_of_heat() const noexcept { return bytes_of_heat_.load(std::memory_order_relaxed); }
  void DropHeat() noexcept;

  // Returns a message if too many keys are equal after truncation for rates to be learned, else an
  // empty string.
  std::string WhyNotLearned();

  // Returns a message about the rates learned for these files; empty if there are none, or if the
  // last message is less than ten minutes old.
  std::string TakeSummary(const TreeFiles& files);

 private:
  double RelativeMissHeatOf(int level, double from, double to) const noexcept;
  void SetWhatLasts(const TreeFiles::TreeShape& tree) noexcept;
  void SetLevelHeat(const TreeFiles::TreeShape& tree) noexcept;
  double Reaching(int level, double from, double to) const noexcept;
  double KeysBelow(int level) const noexcept;
  double WidthOf(const RatedFile& file) const noexcept;
  double EvenReach(const RatedFile& file) const noexcept;
  double ReachOf(const RatedFile& file) const noexcept;
  void LookAtSamples(TreeFiles* files, const KeyPositions& grid, const TreeFiles::TreeShape& shape,
                     uint32_t more_levels);
  void LookAt(TreeFiles::TreeShape tree, double uniform_bits, const Rule& rule);
  size_t SamplesOf(TreeFiles* files) const noexcept;
  void Refresh(TreeFiles* files, const TreeFiles::NewFile& file, const WritingJob& job,
               double uniform_bits, const Rule& rule);
  bool IsUnknown(const RatedFile& file) const noexcept;
  bool HasTooManyPoints() const noexcept;
  bool Shares(const RatedFile& file) const noexcept;
  void MakeGrid(TreeFiles* files);
  void SetKeys(const TreeFiles::TreeShape& shape) noexcept;
  void NoteLearned() noexcept;
  bool IsSampled(const RatedFile& file) const noexcept;
  double SampledReach(const RatedFile& file) const noexcept;
  void SetEvenLessSampled(const TreeFiles::TreeShape& shape) noexcept;
  void SetMoreRangeBits(const TreeFiles::TreeShape& shape) noexcept;
  RateMemory MemoryOfTree() const noexcept;
  void SetHeat(HeatMap heat) noexcept;

  std::mutex mutex_;
  HeatMap heat_;
  std::atomic<size_t> bytes_of_heat_{0};
  uint32_t levels_ = 0;        // levels of heat_
  uint64_t samples_seen_ = 0;  // number when heat_ was made
  std::array<double, LookupSamples::kLevels>
      lasts_{};  // lasting part of a level's relative heat, 0 to 1
  // Samples that would reach each level over all of the tree's keys, if all places were as
  // hot as those of its files.
  std::array<double, LookupSamples::kLevels> level_heat_{};
  double keys_ = 0;        // keys of all files
  double point_keys_ = 0;  // keys of files whose keys are equal after truncation
  std::array<double, LookupSamples::kLevels> usual_log2_reach_{};  // with filter_memory
  std::array<double, LookupSamples::kLevels> level_keys_{};
  std::array<double, LookupSamples::kLevels> more_range_bits_{};
  Rule rule_;            // when the tree was last examined
  double written_ = -1;  // keys, when the tree was last examined
  double log2_lambda_ = 0;
  double log2_lambda_of_new_ = 0;  // value if all filters were rebuilt now
  double even_less_sampled_ = 0;   // mean over keys of log2(even/sampled), with filter_memory
  double uniform_bits_ = 0;
  std::optional<Told> told_;  // without its heat
  // Bytes of built filters, and expected bytes.
  double built_ = 0;
  double expected_ = 0;
  std::optional<std::chrono::steady_clock::time_point> summarized_;
  bool has_given_rates_ = false;
};

// Process-wide numbers of rates that were given, including those of destroyed trees, and of
// existing trees that had any. Thread-safe, also after main().
uint64_t CurrentLearnedFilters() noexcept;
uint64_t CurrentLearnedTrees() noexcept;
// Returns the number of files that have a plan's rates because keys of their tree are equal after
// truncation.
uint64_t CurrentFilesNotToldApart() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_RATES_H_
