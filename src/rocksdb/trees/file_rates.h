// False-positive rates of filters that share a memory: the rule that all of them follow.
//
// A lookup has a false positive if a filter says "maybe" for a key that its file lacks. For a file,
// let n be the lookups of absent keys per unit of time, k its keys and p the false-positive rate of
// its filter. The files then have sum(n p) false positives for sum(k log2(1/p)) bits. For a given
// memory, the number of false positives is minimal at
//
//   p = lambda k / n
//
// with one lambda for all files: there, the derivative of n p + mu k log2(1/p) by p is zero, for
// the memory's Lagrange multiplier mu (lambda = mu / ln 2). Dayan, Athanassoulis and Idreos gave
// this rule for the levels of a tree, where n is equal for all levels and k grows by the size ratio
// (Monkey, SIGMOD 2017). Here, each file has its own n, so that levels do not matter.
//
// Rates are given as log2(1/p), "bits": a Ribbon filter's bits per key, but for a few per cent.
// The rule has these special cases:
//   bounds          a filter has 1 to 16 bits: with fewer it denies so few keys that nothing can be
//                   learned of its lookups any more, and more have hardly any benefit.
//                   With filter_memory, the minimum is 0, as files may have no filter, and the
//                   maximum is larger for range filters
//   reach unknown   a file with n = 0 has uniform bits, as nothing tells how hot it is
//   chance to stay  a filter stays until its file is rewritten. So a file counts with its present
//                   bits if it is likely to stay, and else with the bits that it would get

#ifndef WINNOW_SRC_ROCKSDB_TREES_FILE_RATES_H_
#define WINNOW_SRC_ROCKSDB_TREES_FILE_RATES_H_

#include <vector>

namespace winnow::plugin {

inline constexpr int kMinRateBits = 1;
inline constexpr int kMaxRateBits = 16;
inline constexpr double kMostLog2Lambda = 60;

// A file whose filter shares the memory.
struct RatedFile {
  double keys = 0;        // k; 0 if it does not share the memory
  double reaching = 0;    // n, in one unit for all files; 0 if unknown
  double log2_reach = 0;  // log2(n / k) if n is known
  double to_uniform = 1;  // bytes of its filter, relative to a uniform filter
  double stays = 0;       // probability that this filter stays, 0 to 1

  // Position, which determines n (tree_rates.h).
  int level = 0;    // TreeFiles::LevelIndex
  double from = 0;  // places in the tree's grid
  double to = 0;
  bool reaches_beyond = false;    // true if it reaches beyond an end of the grid
  bool is_point = false;          // true if its keys are equal after truncation
  bool waits = false;             // true if on level 0, beside others in its range
  double relative_miss_heat = 0;  // value when it was written; 0 if unknown

  void SetReach(double lookups) noexcept;  // sets n
};

// Memory that all filters together may take.
struct RateMemory {
  double uniform_bits = 0;           // bits of a filter with bits_per_key, more than 0
  double built_to_expected = 1;      // memory of built filters, relative to keys times bits
  double target = 1;                 // memory, relative to uniform filters
  double least_bits = kMinRateBits;  // minimum bits of a filter
  double most_bits = kMaxRateBits;   // maximum bits, with a range filter beside it
};

// Pure and thread-safe functions.

// Returns the bits of a file's filter.
double RateBitsOf(const RatedFile& file, double log2_lambda, const RateMemory& memory) noexcept;

// Returns the memory that the filters will take, relative to uniform ones; 1 without files.
// Monotonically nonincreasing in lambda.
double MemoryWith(const std::vector<RatedFile>& files, const RateMemory& memory,
                  double log2_lambda) noexcept;

// Returns log2 of the minimum lambda whose filters take no more than the target, to 2^-13; within
// kMostLog2Lambda of 0, also if no lambda fits. `near` is a guess, which saves most of the time.
double Log2LambdaFor(const std::vector<RatedFile>& files, const RateMemory& memory,
                     double near) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FILE_RATES_H_
