// Lookups that ask some keys far more often than others.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_ZIPF_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_ZIPF_H_

#include <cstdint>

#include "src/base/random.h"

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

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_ZIPF_H_
