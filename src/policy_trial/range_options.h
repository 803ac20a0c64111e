// Meaning of a column family's options for range filters. Only the LOG says whether there are any:
// they need two options and keys in the order of their bytes.

#ifndef WINNOW_SRC_POLICY_TRIAL_RANGE_OPTIONS_H_
#define WINNOW_SRC_POLICY_TRIAL_RANGE_OPTIONS_H_

#include <string>
#include <vector>

#include "src/database/options_text.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// range_bits of a policy, by its options string: 0 of one that builds no range filters, or is not
// Winnow's.
double RangeBitsOf(const std::string& policy);

// Why its range_kind has no effect; empty if it has one, or was not asked for.
std::string WhyKindHasNoEffect(const std::string& policy);

// Returns the bits a key of a large file's range filter with these range_bits, if its keys have one
// length.
double RangeBitsPerKey(double range_bits);

// The same options string with these range filters; empty if the policy is not Winnow's.
std::string TextWithRanges(const std::string& policy, double range_bits, RangeKind kind);

// Range filters as a column family's options have them.
struct RangeOptions {
  double range_bits = 0;
  bool has_extractor = false;  // prefix_extractor=winnow.range

  // Clauses, for people: why one of the two has no effect. Empty: both are there, or none, or a
  // policy that a preloaded Winnow may replace.
  std::vector<std::string> problems;
  // With the extractor: what else is to know of the family.
  std::vector<std::string> notes;

  bool work() const { return range_bits > 0 && may_work(); }
  bool may_work() const { return has_extractor && problems.empty(); }
};

// `policy` is the one in force.
RangeOptions RangeOptionsOf(const std::string& policy, const FamilyText& family);

// Returns whether this names a prefix extractor in an OPTIONS file other than winnow.range.
bool IsOtherExtractor(const std::string& prefix_extractor);

// Why the keys of the family can't have range filters, as a clause; empty: they can.
std::string WhyNoRangesByOrder(const std::string& comparator);

// Returns what becomes of other options of the family with prefix_extractor=winnow.range, as
// clauses.
std::vector<std::string> SayWithRangeExtractor(const FamilyText& family);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_RANGE_OPTIONS_H_
