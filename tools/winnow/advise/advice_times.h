// How long policies take to build their filters.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TIMES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TIMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/policy_trial/trial_filter.h"

namespace winnow::inspect {

struct TimedBuild {
  std::string policy;
  TreeShape shape;
  TreePlace place;
  uint64_t keys = 0;  // of a filter
};

// Nanoseconds of processor time a key, for each of the builds, of made-up keys: the least of five
// rounds, in each of which all builds take their turn, so that what slows the machine down for a
// while slows none of them in all rounds. 0 where no filter is built.
std::vector<double> NanosecondsAKey(const std::vector<TimedBuild>& builds);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TIMES_H_
