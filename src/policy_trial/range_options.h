// Effect of a column family's options on range filters. The LOG alone says whether files have range
// filters: these need two options and keys in bytewise order.

#ifndef WINNOW_SRC_POLICY_TRIAL_RANGE_OPTIONS_H_
#define WINNOW_SRC_POLICY_TRIAL_RANGE_OPTIONS_H_

#include <string>
#include <vector>

#include "src/database/options_text.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// Returns range_bits of a policy, given its options string; 0 if it builds no range filters, or is
// not Winnow's.
double RangeBitsOf(const std::string& policy);

// Returns its range_kind; kAuto if it builds no range filters, or is not Winnow's.
RangeKind RangeKindOf(const std::string& policy);

// Returns the reason, as a clause, why the text is no value of range_bits; empty if it is one.
std::string WhyNotRangeBits(const std::string& text);

// Returns the reason why its range_kind has no effect; empty if it has one, or is the default.
std::string WhyKindHasNoEffect(const std::string& policy);

// Returns the bits per key of a large file's range filter with these range_bits, for keys of one
// length.
double RangeBitsPerKey(double range_bits);

// Returns this options string with these range filters; empty if the policy is not Winnow's.
std::string TextWithRanges(const std::string& policy, double range_bits, RangeKind kind);

// Range filters by the options of a column family.
struct RangeOptions {
  double range_bits = 0;
  bool has_extractor = false;  // prefix_extractor=winnow.range

  // Reasons, as clauses, why one of the two options has no effect. Empty if both or none are set,
  // or if a preloaded Winnow may replace the policy.
  std::vector<std::string> problems;
  // Further notes on a family with the extractor.
  std::vector<std::string> notes;

  bool work() const { return range_bits > 0 && may_work(); }
  bool may_work() const { return has_extractor && problems.empty(); }
};

// Returns the range options of a family. `policy` is the one in force.
RangeOptions RangeOptionsOf(const std::string& policy, const FamilyText& family);

// Returns whether the text names a prefix extractor other than winnow.range in an OPTIONS file.
bool IsOtherExtractor(const std::string& prefix_extractor);

// Returns the reason why the keys of the family can't have range filters, as a clause; empty if
// they can.
std::string WhyNoRangesByOrder(const std::string& comparator);

// Returns the effects of prefix_extractor=winnow.range on other options of the family, as clauses.
std::vector<std::string> SayWithRangeExtractor(const FamilyText& family);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_RANGE_OPTIONS_H_
