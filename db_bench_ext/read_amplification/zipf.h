// Lookups that ask some keys far more often than others.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_ZIPF_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_ZIPF_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/key_table.h"

namespace winnow::bench {

// The largest exponent that is drawn from.
inline constexpr double kMaxZipfExponent = 10;

// Draws ranks 1 to n, rank r with a probability proportional to r^-exponent, by W. Hörmann's and
// G. Derflinger's rejection-inversion ("Rejection-inversion to generate variates from monotone
// discrete distributions", 1996), which needs neither tables nor time that grows with n, and takes
// every exponent: absl::zipf_distribution takes those above 1 only, and people ask for 0.99.
// The numbers are the same on every machine whose logarithms and powers are rounded alike.
class ZipfRanks {
 public:
  // n is at least 1, exponent from 0 (all ranks alike) to kMaxZipfExponent.
  ZipfRanks(uint64_t n, double exponent);

  uint64_t Draw(Random* random) const;

 private:
  double Integral(double x) const;         // of t^-exponent from 1 to x
  double InverseIntegral(double y) const;  // the x of which this is the Integral
  double Weight(double rank) const;        // rank^-exponent

  double n_;
  double exponent_;
  double low_, high_;  // ends of the interval that is drawn from
  double accept_;      // so near below its rank a number needs no further look
};

// A permutation of 0 to n - 1 in no memory, so that the ranks of a skewed workload lie scattered
// over the keys: a Feistel network over the next power of four, walked until it is below n. The
// same on every machine for the same n and seed. Safe from several threads.
class Scatter {
 public:
  Scatter(uint64_t n, uint64_t seed);  // n from 1 to 2^62

  uint64_t operator()(uint64_t i) const;  // i below n

 private:
  static constexpr int kRounds = 6;

  uint64_t n_;
  int half_bits_;
  uint64_t keys_[kRounds];
};

// `count` numbers below `below`, with repetitions, of which some come far more often than others:
// ranks of ZipfRanks(below, exponent), each of which is the same number throughout. They depend
// only on the arguments. `below` is at least 1.
std::vector<uint32_t> ZipfPicks(size_t count, uint32_t below, double exponent, uint64_t seed);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_ZIPF_H_
