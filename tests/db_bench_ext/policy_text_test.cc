// Tests of the short names of policies.

#include "db_bench_ext/read_amplification/report/policy_text.h"

#include <gtest/gtest.h>

#include <set>

namespace winnow::inspect {
namespace policy_text_test {

TEST(PolicyTextTest, ThePolicyWithOtherBitsIsOfTheSameFamily) {
  struct Case {
    const char *policy, *other_bits, *short_text, *family;
  };
  for (const Case& c : {
           Case{"winnow:10", "winnow:9.5", "winnow:10", "winnow"},
           Case{"ribbonfilter:10:1", "ribbonfilter:12:1", "ribbonfilter:10:1", "ribbonfilter 1"},
           Case{"{id=winnow;bits_per_key=10;level_plan=by_level}",
                "{id=winnow;bits_per_key=9.5;level_plan=by_level}", "winnow:10 by_level",
                "winnow by_level"},
           Case{"{id=x;other_bits_per_key=3;bits_per_key=10}",
                "{id=x;other_bits_per_key=3;bits_per_key=12}", "x:10 other_bits_per_key=3",
                "x other_bits_per_key=3"},
       }) {
    EXPECT_EQ(ShortPolicy(c.policy), c.short_text);
    EXPECT_EQ(PolicyFamily(c.policy), c.family);
    EXPECT_EQ(PolicyFamily(c.other_bits), c.family);
  }
}

TEST(PolicyTextTest, APolicyWithoutBitsIsItsOwnFamily) {
  for (const char* policy : {"none", "winnow", "winnow:ten", ""}) {
    EXPECT_EQ(ShortPolicy(policy), policy);
    EXPECT_EQ(PolicyFamily(policy), policy);
  }
  EXPECT_EQ(PolicyFamily("{id=winnow}"), "winnow");
}

TEST(PolicyTextTest, LabelsAreShortAndUnlike) {
  const std::vector<std::string> policies = {
      "winnow:10", "{id=winnow;bits_per_key=10}", "{id=winnow;bits_per_key=10;level_plan=by_level}",
      "{id=winnow;bits_per_key=10;a_very_long_option=with_a_long_value}",
      "{id=winnow;bits_per_key=10;a_very_long_option=with_a_long_value2}"};
  const std::vector<std::string> labels = PolicyLabels(policies, 18);
  EXPECT_EQ(labels[2], "winnow:10 by_level");
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), policies.size());
  for (const std::string& label : labels) EXPECT_LE(label.size(), 18u) << label;
}

}  // namespace policy_text_test
}  // namespace winnow::inspect
