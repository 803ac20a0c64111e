// The false positive rates of filters that share a memory: the one rule for all of them.
//
// A lookup has a false read if a filter says "maybe" for a key that its file lacks. Of a file, let
// n be the lookups of absent keys in a unit of time, k its keys and p the rate of its filter. The
// files then have sum(n p) false reads for sum(k log2(1/p)) bits. For a given memory the number of
// false reads is least where
//   p = lambda k / n
// with one lambda for all files: the derivative of n p + mu k log2(1/p) by p is zero there, for the
// multiplier mu that the memory has (lambda = mu / ln 2). Dayan, Athanassoulis and Idreos gave it
// for the levels of a tree, where n is the same for all and k grows by the size ratio (Monkey,
// SIGMOD 2017). Here n is of each file, so that levels do not occur.
//
// Rates are log2(1/p) here, "bits": what a Ribbon filter takes a key, but for a few per cent.
// Besides the formula there are these cases:
//   bounds          a filter has 1 to 16 bits: with fewer it sends back so few "no" that nothing
//                   can be learned of its lookups any more, and more save nothing to speak of.
//                   With filter_memory from 0 on, as files may have no filter, and more for
//                   range filters
//   reach unknown   a file with n = 0 has uniform bits, as nothing says how hot it is
//   chance to stay  a filter stays until its file is rewritten. So a file counts with the bits that
//                   it has as far as it is likely to stay, and else with those that it would get

#ifndef WINNOW_SRC_ROCKSDB_TREES_FILE_RATES_H_
#define WINNOW_SRC_ROCKSDB_TREES_FILE_RATES_H_

#include <vector>

namespace winnow::plugin {

inline constexpr int kMinRateBits = 1;
inline constexpr int kMaxRateBits = 16;
inline constexpr double kMostLog2Lambda = 60;

// A file whose filter shares the memory.
struct RatedFile {
  double keys = 0;        // k; 0: it does not share the memory
  double reaching = 0;    // n, in any unit that all files have; 0: unknown
  double log2_reach = 0;  // log2(n / k) if n is known
  double to_uniform = 1;  // bytes of its filter now, relative to those of a uniform filter
  double stays = 0;       // the chance that this filter stays, 0 to 1

  // The place that n follows from (tree_rates.h).
  int level = 0;    // TreeFiles::LevelIndex
  double from = 0;  // places by the tree's grid
  double to = 0;
  bool reaches_beyond = false;    // the grid, at one of its ends
  bool is_point = false;          // its keys were cut, and are not told apart
  bool waits = false;             // on level 0, beside others in its range
  double relative_miss_heat = 0;  // when it was written; 0: unknown

  void SetReach(double lookups) noexcept;  // n, for the file's keys
};

// The memory that all filters together may take.
struct RateMemory {
  double uniform_bits = 0;           // of a filter of bits_per_key, more than 0
  double built_to_expected = 1;      // bytes of filters as built, relative to keys times bits
  double target = 1;                 // relative to uniform filters
  double least_bits = kMinRateBits;  // of a filter
  double most_bits = kMaxRateBits;   // likewise, with a range filter beside it
};

// All are pure functions, safe from any thread.

// The bits of a file's filter.
double RateBitsOf(const RatedFile& file, double log2_lambda, const RateMemory& memory) noexcept;

// The memory that the filters will take, relative to uniform ones; 1 without files. Never grows
// with lambda.
double MemoryWith(const std::vector<RatedFile>& files, const RateMemory& memory,
                  double log2_lambda) noexcept;

// log2 of the least lambda whose filters take no more than the target, to 2^-13; within
// kMostLog2Lambda of 0, also where no lambda fits. `near`: a guess, which saves most of the time.
double Log2LambdaFor(const std::vector<RatedFile>& files, const RateMemory& memory,
                     double near) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FILE_RATES_H_
