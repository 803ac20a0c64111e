// How far a counted rate may be from the one that more lookups would give.
//
// An interval holds the rate of *this tree* for lookups that are drawn as these were, in 95 of 100
// such draws. It says nothing of other trees. Lookups that repeat a key, or near misses of one
// present key, ask the same filters and are not fully independent, so where lookups are few kinds
// of keys drawn often, the interval is too narrow.

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

// Returns Wilson's score interval of a share at 95 %: `count` of `trials` came out so, each at most
// once. 0 to 1 without trials, of which nothing is known. count is at most trials.
Interval WilsonInterval(uint64_t count, uint64_t trials);

// Returns the interval of a number of events a trial, of which one trial may have several, as a
// lookup reads a block on several levels. The exact interval of a Poisson count at 95 %, by Byar's
// approximation, over the trials; a sum of unlike levels varies less than Poisson's, so it errs on
// the wide side. 0 to 0 without trials, of which nothing is known.
Interval PoissonInterval(uint64_t count, uint64_t trials);

// Returns the interval of the ratio a/b of two Poisson counts over as many trials each, at 95 %, by
// the logarithm's normal approximation. Nothing where one of them is 0.
std::optional<Interval> RatioInterval(uint64_t a, uint64_t b);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_RATE_INTERVAL_H_
