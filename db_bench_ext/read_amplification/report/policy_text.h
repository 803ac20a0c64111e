// Short names of filter policies from their texts, without creating them.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_POLICY_TEXT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_POLICY_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::inspect {

// Returns a short form: "winnow:10 by_level" for "{id=winnow;bits_per_key=10;level_plan=by_level}".
std::string ShortPolicy(std::string_view policy);

// Returns the short form without the bits, "winnow by_level", which is equal for policies that
// differ only in bits.
std::string PolicyFamily(std::string_view policy);

// Returns distinct labels of the policies, each at most `most` bytes long, which must be at least
// 10: short forms if distinct, else truncated names with a number.
std::vector<std::string> PolicyLabels(const std::vector<std::string>& policies, size_t most);

}  // namespace winnow::inspect

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_REPORT_POLICY_TEXT_H_
