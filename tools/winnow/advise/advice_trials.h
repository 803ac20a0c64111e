// Policies tried on the keys of one file: what their filters take, which lookups they let through,
// and how long they take to build.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TRIALS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TRIALS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/policy_trial/trial_filter.h"
#include "tools/winnow/advise/advice_files.h"

namespace winnow::inspect {

struct PolicyCost {
  uint64_t bytes = 0;        // of its filter blocks
  uint64_t false_reads = 0;  // lookups that it lets through

  template <typename Code>
  void Fields(Code& code) {
    code(bytes, false_reads);
  }
};

struct FileTrial {
  uint64_t keys = 0;  // whole keys and prefixes that were added, equal neighbours once
  std::vector<PolicyCost> policies;
  std::string error;         // a sentence; empty: all were built
  bool out_of_time = false;  // nothing was tried

  template <typename Code>
  void Fields(Code& code) {
    code(keys, policies, error, out_of_time);
  }
};

// A policy, by its options string, "nullptr" for no filters; and lookups of keys that the file does
// not have, as places in a list.
struct TriedPolicy {
  std::string policy;
  const std::vector<uint32_t>* asks;
};

// Reads all keys of the file and builds from them the filter of each policy. A filter that is
// partitioned now is cut where it is cut now. Then asks them for keys[asks[i]]. `progress` may be
// null, and hears of the share that is done.
FileTrial TryPolicies(const AdvisedFile& file, const TreeShape& shape,
                      const std::vector<TriedPolicy>& policies,
                      const std::vector<std::string>& keys,
                      const std::function<void(double share)>& progress);

// A policy whose builds are timed.
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

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_TRIALS_H_
