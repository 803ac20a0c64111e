// The rates of the filters of one tree, by the rule of file_rates.h: learned from where its lookups
// find nothing, or as if lookups fell evenly over its keys.
//
// Learned rates take n from sampled lookups (lookup_samples.h), smoothed (heat_map.h). If lookups
// fall evenly, n is the number of the tree's keys in the file's range, so that neither levels nor
// the size ratio nor the compaction style occur. A level plan (src/core/level_plan.h) is the same
// for a full leveled tree.
//
// Lambda is chosen such that the filters of the tree will take the memory of uniform ones. A file
// that is likely to be rewritten soon counts with the bits that it would get then, any other file
// with the bits that it has. How likely that is follows from its age, and from how long other files
// of its level lived. With filter_memory, lambda is that of all trees (memory_rates.h).
//
// The heat of a place may not last: what is hot when a time series writes it is cold later, and the
// file keeps its bits. So a file's n is a mean of two: n by the heat of its place, and n as if its
// level were evenly hot. The first one's part is how much of relative heat lasts on that level. It
// is the slope of a regression: the heat of places now against their heat when their files were
// written.

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

// Safe from any number of threads; lookups take none of its locks. What may throw std::bad_alloc
// leaves what was learned before.
class TreeRates {
 public:
  TreeRates() = default;
  ~TreeRates();
  TreeRates(const TreeRates&) = delete;
  TreeRates& operator=(const TreeRates&) = delete;

  // A tree is looked at again when this share of its keys was written, and before a file is written
  // that has one of so many of its keys.
  static constexpr double kLookAgain = 1.0 / 64;
  static constexpr double kFewFiles = 8;
  // Fewer samples say nothing.
  static constexpr size_t kMinSamples = 256;
  // The rates that it chooses from.
  static constexpr double kHighestRate = 1.0 / (1 << kMinRateBits);
  static constexpr double kLowestRate = 1.0 / (1 << kMaxRateBits);
  // The memory of the tree's filters, relative to uniform ones: about that of a level plan.
  static constexpr double kTarget = 1.01;

  // The options that decide besides the files and the lookups.
  struct Rule {
    bool learns = true;       // from samples; else lookups fall evenly over the tree's keys
    bool is_alike = false;    // all files have one rate, whatever lookups reach them
    double memory = 0;        // filter_memory, which all trees share (memory_rates.h); 0: not given
    bool by_lookups = false;  // trees share it by what is sampled of their lookups
    bool is_leveled = true;   // files of level 0 that overlap will be merged soon
    bool is_bytewise = true;  // keys are in the order of their bytes
    bool families_have_last = true;  // filters on the last level, by their options
    double absent_share = 1;         // of lookups that fall evenly, by the policy

    bool is_sized() const noexcept { return memory > 0; }
    // True if the last level has filters. Only a leveled tree has such a level, which a policy for
    // lookups of present keys alone leaves without.
    bool last_level_has_filters() const noexcept {
      return families_have_last && (absent_share > 0 || !is_leveled || is_alike);
    }
    // The share of lookups that reach a file in whose range so many of the tree's keys lie below
    // it, 0 to 1. Of those that find their key, those do that find it there.
    double ReachWith(double below) const noexcept {
      const bool all_reach = absent_share == 1 || is_alike || !last_level_has_filters() ||
                             (absent_share == 0 && !is_leveled);
      return all_reach ? 1 : absent_share + (1 - absent_share) * below;
    }
    // The rule of another tree of the policy, of which no samples are looked at.
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

  // A file's filter.
  struct Rated {
    double bits = 0;  // log2(1/rate)
    // Lookups of absent keys that reach a key in the file's place, to the mean of its level; 0:
    // unknown.
    double relative_miss_heat = 0;
    // By which the bits were found, if they are not bounded: log2_reach - log2_lambda.
    double log2_reach = 0;
    double log2_lambda = 0;

    double rate() const noexcept;
  };

  // The best rate of the filter of a file that `job` is about to write, of those between the two
  // above; none where too little is known. By samples: with few of them, for a file whose first and
  // last key are not told apart, and where files like it have many of the keys. Else, in a leveled
  // tree: for a file that has more keys than all others together, or that is narrower than what is
  // between two files, and where many keys are not told apart. `uniform_rate`: that of
  // bits_per_key.
  std::optional<Rated> RateOf(TreeFiles* files, const TreeFiles::NewFile& file,
                              const WritingJob& job, double uniform_rate, const Rule& rule);

  // Bits by which the range filter of a new file on this level (LevelIndex) differs from the mean
  // of the tree's, by the same rule: scans fall evenly over the tree's keys. As on the level below
  // where no file of the level was known when the tree was last looked at; 0 where none is below.
  double MoreRangeBits(int level);

  // ---- With filter_memory

  // Adds the tree's files, with n as if it got as many lookups as it has keys, which fall evenly.
  // file, job: as the tree will be with this file; null: as it is.
  void AppendFiles(TreeFiles* files, const TreeFiles::NewFile* file, const WritingJob* job,
                   const Rule& rule, std::vector<RatedFile>* all);
  // The same as RateOf by lambda of the tree's files: the bits may be negative or too many.
  Rated SizedRateOf(TreeFiles* files, const TreeFiles::NewFile& file, const WritingJob& job,
                    const Rule& rule, double log2_lambda);
  // log2(n / k) of a file on this level (LevelIndex) with so many keys, whose range is not known
  // yet: the mean of those that are there.
  double UsualLog2Reach(int level, double keys);
  bool is_leveled();  // as the last file was asked for; true before

  // A filter was built with such a rate; what it took, next to what a uniform one would have.
  void Built(double rate, double uniform_rate, const FilterMemory& memory);

  // ---- Between processes

  // The rule with what it has found out, for a compaction worker, which has the files' places in
  // this process's grid (carried_files.h).
  struct Told {
    std::optional<double> log2_lambda;  // unset: the tree is not known
    double uniform_bits = 0;            // that lambda is for
    bool is_sized = false;              // lambda is that of filter_memory
    bool learns = false;                // lambda counts with samples in place of keys
    HeatMap heat;                       // without samples, lookups fall evenly
    std::array<double, LookupSamples::kLevels> lasts{};
  };
  // Finds lambda for the tree as it is; that of filter_memory is left to the caller. `base`: the
  // first level below 0, which a compaction may begin; -1: unknown. May throw std::bad_alloc.
  Told Tell(TreeFiles* files, double uniform_rate, const Rule& rule, int base = -1);
  // Must be called, in the worker, before any rate is asked for.
  void SetTold(Told told);
  std::optional<double> told_log2_lambda();  // of filter_memory

  // True if enough lookups were sampled for a rule that learns.
  bool HasSamples(TreeFiles* files);

  // The memory of the map of heat, by far the most of what this takes while no rate is asked for. A
  // map that was dropped is made again from the samples; one that another thread uses stays.
  size_t bytes_of_heat() const noexcept { return bytes_of_heat_.load(std::memory_order_relaxed); }
  void DropHeat() noexcept;

  // The sentence that too many keys are not told apart for rates to be learned; else empty.
  std::string WhyNotLearned();

  // A sentence about what was learned of these files; empty where that is nothing, and but once in
  // ten minutes.
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
  uint32_t levels_ = 0;        // that heat_ has
  uint64_t samples_seen_ = 0;  // when it was made
  std::array<double, LookupSamples::kLevels>
      lasts_{};  // what does of a level's relative heat, 0 to 1
  // By level: the samples that reach it for all of the tree's keys, if all were as hot as the
  // places of the level's files.
  std::array<double, LookupSamples::kLevels> level_heat_{};
  double keys_ = 0;        // of all files
  double point_keys_ = 0;  // of those whose keys are not told apart
  std::array<double, LookupSamples::kLevels> usual_log2_reach_{};  // by level, with filter_memory
  std::array<double, LookupSamples::kLevels> level_keys_{};
  std::array<double, LookupSamples::kLevels> more_range_bits_{};
  Rule rule_;            // when the tree was looked at
  double written_ = -1;  // keys, when the tree was looked at
  double log2_lambda_ = 0;
  double log2_lambda_of_new_ = 0;  // if all filters were built now
  double even_less_sampled_ = 0;   // log2(n), the mean over keys, with filter_memory
  double uniform_bits_ = 0;
  std::optional<Told> told_;  // but for its heat
  // Bytes of filters that were built, and those that were expected.
  double built_ = 0;
  double expected_ = 0;
  std::optional<std::chrono::steady_clock::time_point> summarized_;
  bool has_given_rates_ = false;
};

// Over all trees of the process: rates that were given, those of trees that are gone included, and
// trees that are there and had any. Safe from any thread, after main() too.
uint64_t CurrentLearnedFilters() noexcept;
uint64_t CurrentLearnedTrees() noexcept;
// Files that have a plan's rates as keys of their tree are not told apart.
uint64_t CurrentFilesNotToldApart() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_RATES_H_
