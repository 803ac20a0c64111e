// The rates of the filters of one tree, learned from where its lookups find nothing.
//
// A lookup has a false read if a filter says "maybe" for a key that its file lacks. Of a file, let
// n be the lookups of absent keys in a unit of time, k its keys and p the rate of its filter. A
// tree then has sum(n p) false reads for sum(k log2(1/p)) bits. For a given memory the number of
// false reads is least where
//   p = lambda k / n
// with one lambda for all files. A level plan (src/core/level_plan.h) is the same rule for lookups
// that fall evenly over the keys; Dayan, Athanassoulis and Idreos gave it for levels (Monkey,
// SIGMOD 2017). Here n comes from sampled lookups (lookup_samples.h), smoothed (heat_map.h).
//
// Lambda is chosen such that the filters of the tree will take the memory of uniform ones. A file
// that is likely to be rewritten soon counts with the bits that it would get then, any other file
// with the bits that it has. How likely that is follows from its age, and from how long other files
// of its level lived.
//
// The heat of a place may not last: what is hot when a time series writes it is cold later, and the
// file keeps its bits. So a file's n is a mean of two: n by the heat of its place, and n as if its
// level were evenly hot. The first one's part is how much of relative heat lasts on that level. It
// is the slope of a regression: the heat of places now against their heat when their files were
// written.

#ifndef WINNOW_SRC_ROCKSDB_TREES_LEARNED_RATES_H_
#define WINNOW_SRC_ROCKSDB_TREES_LEARNED_RATES_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/rocksdb/trees/heat_map.h"
#include "src/rocksdb/trees/live_files.h"

namespace winnow::plugin {

// Safe from any number of threads; lookups take none of its locks. What may throw std::bad_alloc
// leaves what was learned before.
class LearnedRates {
 public:
  LearnedRates() = default;
  ~LearnedRates();
  LearnedRates(const LearnedRates&) = delete;
  LearnedRates& operator=(const LearnedRates&) = delete;

  // Fewer samples say nothing.
  static constexpr size_t kMinSamples = 256;
  // The rates that it chooses from. A filter with a higher rate sends back so few "no" that nothing
  // could be learned of its lookups any more.
  static constexpr int kMinBits = 1;  // log2(1/rate)
  static constexpr int kMaxBits = 16;
  static constexpr double kHighestRate = 1.0 / (1 << kMinBits);
  static constexpr double kLowestRate = 1.0 / (1 << kMaxBits);
  // What the tree's filters come to, of uniform ones' memory: about what those of a level plan do.
  static constexpr double kTarget = 1.01;

  struct Learned {
    double rate = 1;
    // Of the file's place: lookups of absent keys that reach a key there, to the mean of its level.
    double relative_miss_heat = 1;
  };

  // The best rate of the filter of a file with so many keys that is about to be written, of those
  // between the two above; none where too little is known: with few samples, and of a range of keys
  // that no file covered, of which it is unknown whether it is cold; and none in a tree where many
  // keys are in files whose keys are not told apart. `level` as LiveFiles counts.
  // `uniform_rate`: that of bits_per_key.
  std::optional<Learned> RateOf(LiveFiles* files, int level, const KeyRange& range, uint64_t keys,
                                double uniform_rate);

  // A filter was built with such a rate; what it took, next to what a uniform one would have.
  void Built(double rate, double uniform_rate, const FilterMemory& memory);

  // What Built noted, for LearnedRates of another process.
  struct Expectations {
    double built = 0;     // bytes
    double expected = 0;  // in their place
  };
  Expectations expectations();
  void SetExpectations(const Expectations& expectations);

  // Of the map of heat, by far the most of what this takes while no rate is asked for. It is made
  // again from the samples when one is, where it was dropped; what another thread uses stays.
  size_t bytes_of_heat() const noexcept { return bytes_of_heat_.load(std::memory_order_relaxed); }
  void DropHeat() noexcept;

  // How hot the tree's keys are for one lookup: of (the share of the lookups of absent keys that
  // reach a level) / (the level's share of the keys), the logarithm to base 2, the mean over all
  // keys. As last computed; 0, each lookup reaches each key's level, before. Safe without a lock.
  double log2_reach() const noexcept { return log2_reach_.load(std::memory_order_relaxed); }

  // Where too many keys are not told apart for rates to be learned, that as a sentence; else empty.
  std::string WhyNotLearned();

  // What was learned of these files, as a sentence; empty where that is nothing, and but once in
  // ten minutes.
  std::string TakeSummary(const LiveFiles& files);

 private:
  double RelativeMissHeatOf(int level, double from, double to) const noexcept;
  void SetWhatLasts(const LiveFiles::TreeShape& tree) noexcept;
  double Reaching(int level, double from, double to) const noexcept;
  void Refresh(LiveFiles* files, int level, double uniform_bits);
  bool IsUnknown(const LiveFiles::Shape& file) const noexcept;
  bool HasTooManyPoints() const noexcept;
  // What is best for a file: log2(n/k), its bits a key where lambda is 1.
  struct Wish {
    double reaching = 0;  // n
    double bits = 0;
  };
  Wish WishOf(const LiveFiles::Shape& file) const noexcept;
  double BitsOf(const Wish& wish, double log2_lambda) const noexcept;
  // A tree while it is looked at.
  struct Tree {
    explicit Tree(const LiveFiles& files);  // all memory is taken here

    LiveFiles::TreeShape shape;
    std::vector<Wish> wishes;  // of each file
  };
  void SetWishes(Tree* tree) const noexcept;
  double Taken(const Tree& tree, double log2_lambda) const noexcept;
  void SetReach() noexcept;
  double LambdaFor(const Tree& tree, double target) const noexcept;

  void SetHeat(HeatMap heat) noexcept;

  std::mutex mutex_;
  HeatMap heat_;
  std::atomic<size_t> bytes_of_heat_{0};
  std::atomic<double> log2_reach_{0};
  uint32_t levels_ = 0;        // that heat_ has
  uint64_t samples_seen_ = 0;  // when it was made
  std::array<double, LookupSamples::kLevels>
      lasts_{};            // what does of a level's relative heat, 0 to 1
  double keys_ = 0;        // of all files
  double point_keys_ = 0;  // of those whose keys are not told apart
  std::array<double, LookupSamples::kLevels> level_keys_{};
  double written_ = -1;  // keys, when the tree was looked at
  double log2_lambda_ = 0;
  double uniform_bits_ = 0;
  // Of filters that were built: bytes, and those that were expected.
  double built_ = 0;
  double expected_ = 0;
  std::optional<std::chrono::steady_clock::time_point> told_;
  bool has_given_rates_ = false;
};

// Over all trees of the process: rates that were given, those of trees that are gone included, and
// trees that are there and had any. Safe from any thread, after main() too.
uint64_t CurrentLearnedFilters() noexcept;
uint64_t CurrentLearnedTrees() noexcept;
// Files that have a plan's rates as keys of their tree are not told apart.
uint64_t CurrentFilesNotToldApart() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_LEARNED_RATES_H_
