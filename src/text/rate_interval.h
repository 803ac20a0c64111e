// Confidence intervals of counted rates.
//
// An interval includes the rate of *this tree*, for lookups drawn from the same distribution, in 95
// of 100 samples. The interval says nothing about other trees. Lookups that repeat a key, or near
// misses of one present key, ask the same filters and are not independent, so the interval is too
// narrow if lookups are drawn often from few kinds of keys.

#ifndef WINNOW_SRC_TEXT_RATE_INTERVAL_H_
#define WINNOW_SRC_TEXT_RATE_INTERVAL_H_

#include <cstdint>
#include <optional>

namespace winnow::inspect {

struct Interval {
  double low = 0;
  double high = 0;

  template <typename Code>
  void Fields(Code& code) {
    code(low, high);
  }
};

// Returns Wilson's score interval of a share at 95%, where each of `trials` counts at most once in
// `count`. 0 to 1 without trials. `count` must be at most `trials`.
Interval WilsonInterval(uint64_t count, uint64_t trials);

// Returns the interval of the number of events per trial if a trial may have several, as a lookup
// reads blocks on several levels. The exact 95% interval of a Poisson count, by Byar's
// approximation, divided by the trials; a sum of unlike levels varies less than Poisson's, so the
// interval is conservative. 0 to 0 without trials.
Interval PoissonInterval(uint64_t count, uint64_t trials);

// Returns the 95% interval of the ratio a/b of two Poisson counts over equally many trials, by the
// normal approximation of the logarithm. nullopt if a or b is 0.
std::optional<Interval> RatioInterval(uint64_t a, uint64_t b);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_RATE_INTERVAL_H_
