// What RocksDB makes of a filter policy's options string, found out by asking RocksDB.
//
// RocksDB takes an unknown policy for "no filter" and says nothing. Here it is asked to be strict,
// and the policy that results is made to build filters.

#ifndef WINNOW_SRC_INSPECT_POLICY_CHECK_H_
#define WINNOW_SRC_INSPECT_POLICY_CHECK_H_

#include <absl/strings/string_view.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/inspect/sst_filters.h"

namespace winnow::inspect {

// A filter that the policy built.
struct PolicyTrial {
  std::string situation;                // "flush", "compaction", "ingested file"
  int level = -1;                       // that the file is written to; -1 for an ingested file
  uint64_t keys = 0;                    // added
  std::optional<FilterSummary> filter;  // unset: the policy builds none in this situation
};

struct PolicyVerdict {
  std::string asked;     // the options string, without spaces around it and "filter_policy="
  std::string in_force;  // the policy that RocksDB uses, as it writes it to OPTIONS files
  std::string problem;   // why there is no filter, or not the one asked for: sentences. Empty: fine
  std::string suggestion;  // an options string near to the one asked for that works; may be empty

  std::vector<PolicyTrial> by_keys;   // a compaction's output on the last level, of growing size
  std::vector<PolicyTrial> by_level;  // files of one size in all situations
};

// Judges an options string such as "winnow:10", "{id=winnow;bits_per_key=10}" or
// "filter_policy=bloomfilter:10". Any string is allowed. The policies are those that this program
// has linked or preloaded. With trials: builds filters of up to a million keys.
PolicyVerdict CheckPolicy(absl::string_view options_string, bool with_trials);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_INSPECT_POLICY_CHECK_H_
