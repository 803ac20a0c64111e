#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/preload/request.h"

namespace winnow::preload {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PolicyRequestTest, TakesTheFormsOfTheOptionsString) {
  struct {
    const char* text;
    bool has_bits;
    PolicyOptions options;
  } const cases[] = {
      {"winnow", false, {10, 3000, 0}},
      {"winnow.Filter", false, {10, 3000, 0}},
      {"winnow:12", true, {12, 3000, 0}},
      {"winnow.Filter:9.5", true, {9.5, 3000, 0}},
      {"{id=winnow;bits_per_key=10.25;ribbon_min_keys=50000}", true, {10.25, 50000, 0}},
      {"id=winnow;bits_per_key=11", true, {11, 3000, 0}},
      {"{id=winnow;ribbon_min_keys=5;bloom_before_level=-1}", false, {10, 5, -1}},
      {"{id=winnow:8;bloom_before_level=2}", true, {8, 3000, 2}},
  };
  for (const auto& expected : cases) {
    PolicyRequest request;
    EXPECT_THAT(ParsePolicyRequest(expected.text, &request), IsEmpty()) << expected.text;
    EXPECT_EQ(request.has_bits, expected.has_bits) << expected.text;
    EXPECT_EQ(request.options.bits_per_key, expected.options.bits_per_key) << expected.text;
    EXPECT_EQ(request.options.ribbon_min_keys, expected.options.ribbon_min_keys) << expected.text;
    EXPECT_EQ(request.options.bloom_before_level, expected.options.bloom_before_level)
        << expected.text;
  }
}

TEST(PolicyRequestTest, RefusesEverythingElseWithTheReason) {
  struct {
    const char* text;
    const char* reason;
  } const cases[] = {
      {"winow:10", "winow"},
      {"bloomfilter:10", "bloomfilter"},
      {"winnow:", "bits_per_key"},
      {"winnow:ten", "ten"},
      {"winnow:0", "bits_per_key"},
      {"winnow:33", "bits_per_key"},
      {"winnow:10:0", "10:0"},
      {"{id=winnow;bits_per_key=nan}", "bits_per_key"},
      {"{id=winnow;bits=10}", "bits"},
      {"{id=winnow;ribbon_min_keys=-1}", "ribbon_min_keys"},
      {"{bits_per_key=10}", "bits_per_key"},
      {"{id=winnow", "winnow"},
      {"1", "1"},
  };
  for (const auto& expected : cases) {
    PolicyRequest request;
    request.options.bits_per_key = 17;
    const std::string problem = ParsePolicyRequest(expected.text, &request);
    EXPECT_THAT(problem, HasSubstr("WINNOW_POLICY is \"" + std::string(expected.text) + "\""));
    EXPECT_THAT(problem, HasSubstr(expected.reason));
    EXPECT_THAT(problem, HasSubstr("expected winnow, winnow:BITS"));
    EXPECT_EQ(request.options.bits_per_key, 17) << "changed by " << expected.text;
    EXPECT_FALSE(request.has_bits) << expected.text;
  }
}

}  // namespace
}  // namespace winnow::preload
