// Parses the text of a filter policy without making the policy, and writes it with other bits.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_POLICY_TEXT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_POLICY_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::inspect {

// The bits a key that a policy asks for: "winnow:10", "{id=winnow;bits_per_key=10}". Nothing where
// it names none, as "none".
std::optional<double> BitsOf(std::string_view policy);

// The policy with other bits a key, in the form in which it was written; what else it says is kept.
// Nothing for a policy without bits.
std::optional<std::string> WithBits(std::string_view policy, double bits);

// Short, for people: "winnow:10 by_level" of "{id=winnow;bits_per_key=10;level_plan=by_level}".
std::string ShortPolicy(std::string_view policy);

// The same without the bits: "winnow by_level", alike for policies that differ in bits only.
std::string PolicyFamily(std::string_view policy);

// A name for each policy, no two alike and none longer than `most` bytes, which is at least 10:
// short ones where they do, else their beginnings with a number.
std::vector<std::string> PolicyLabels(const std::vector<std::string>& policies, size_t most);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_POLICY_TEXT_H_
