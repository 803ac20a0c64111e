// Zipf distribution of lookups over keys.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_ZIPF_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_ZIPF_H_

#include <cstdint>

#include "src/base/random.h"

namespace winnow::bench {

// Largest supported exponent.
inline constexpr double kMaxZipfExponent = 10;

// Draws ranks 1 to n, rank r with probability proportional to r^-exponent, by W. Hörmann's and G.
// Derflinger's rejection-inversion ("Rejection-inversion to generate variates from monotone
// discrete distributions", 1996), which needs neither tables nor time that grows with n, and
// supports all exponents: absl::zipf_distribution supports only those above 1, but 0.99 is common.
// Results are identical on all machines with equally rounded logarithms and powers.
class ZipfRanks {
 public:
  // n must be at least 1, `exponent` from 0 (uniform) to kMaxZipfExponent.
  ZipfRanks(uint64_t n, double exponent);

  uint64_t Draw(Random* random) const;

 private:
  double Integral(double x) const;         // integral of t^-exponent from 1 to x
  double InverseIntegral(double y) const;  // inverse of Integral()
  double Weight(double rank) const;        // rank^-exponent

  double n_;
  double exponent_;
  double low_, high_;  // bounds of the sampling interval
  double accept_;      // a number this close below its rank is accepted at once
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_ZIPF_H_
