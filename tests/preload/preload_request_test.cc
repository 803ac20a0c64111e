#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/preload/request.h"

namespace winnow::preload {
namespace preload_request_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PolicyRequestTest, TakesTheFormsOfTheOptionsString) {
  struct {
    const char* text;
    bool has_bits;
    PolicyOptions options;
  } const cases[] = {
      {"winnow", false, {10, kRibbonWhereItSaves, -1}},
      {"winnow.Filter", false, {10, kRibbonWhereItSaves, -1}},
      {"winnow:12", true, {12, kRibbonWhereItSaves, -1}},
      {"winnow.Filter:9.5", true, {9.5, kRibbonWhereItSaves, -1}},
      {"{id=winnow;bits_per_key=10.25;ribbon_min_keys=50000}", true, {10.25, 50000, -1}},
      {"id=winnow;bits_per_key=11", true, {11, kRibbonWhereItSaves, -1}},
      {"{id=winnow;ribbon_min_keys=5;bloom_before_level=-1}", false, {10, 5, -1}},
      {"{id=winnow:8;bloom_before_level=2}", true, {8, kRibbonWhereItSaves, 2}},
  };
  for (const auto& expected : cases) {
    const PolicyRequest request = ParsePolicyRequest(expected.text);
    EXPECT_THAT(request.complaint, IsEmpty()) << expected.text;
    EXPECT_EQ(request.has_bits, expected.has_bits) << expected.text;
    EXPECT_EQ(request.options.bits_per_key, expected.options.bits_per_key) << expected.text;
    EXPECT_EQ(request.options.ribbon_min_keys, expected.options.ribbon_min_keys) << expected.text;
    EXPECT_EQ(request.options.bloom_before_level, expected.options.bloom_before_level)
        << expected.text;
    EXPECT_EQ(request.options.level_plan, LevelPlan::kAuto) << expected.text;
  }
}

TEST(PolicyRequestTest, TakesWhatIsToBeBuilt) {
  EXPECT_FALSE(ParsePolicyRequest("winnow").only_reads);
  const PolicyRequest reading = ParsePolicyRequest("read");
  EXPECT_TRUE(reading.only_reads);
  EXPECT_FALSE(reading.has_bits);
  EXPECT_THAT(reading.complaint, IsEmpty());
  const PolicyRequest building =
      ParsePolicyRequest("{id=winnow;build=bloomfilter;bits_per_key=12}");
  EXPECT_THAT(building.complaint, IsEmpty());
  EXPECT_FALSE(building.only_reads);
  EXPECT_EQ(building.options.build, Build::kBloomFilter);
  EXPECT_EQ(building.options.bits_per_key, 12);
  const PolicyRequest learning = ParsePolicyRequest("{id=winnow;level_plan=learned}");
  EXPECT_THAT(learning.complaint, IsEmpty());
  EXPECT_EQ(learning.options.level_plan, LevelPlan::kLearned);
  const PolicyRequest sized = ParsePolicyRequest("{id=winnow;filter_memory=256MiB}");
  EXPECT_THAT(sized.complaint, IsEmpty());
  EXPECT_EQ(sized.options.filter_memory, uint64_t{256} << 20);
  EXPECT_FALSE(sized.has_bits);
  EXPECT_THAT(ParsePolicyRequest("{id=winnow;filter_memory=256MB}").complaint,
              HasSubstr("filter_memory is \"256MB\", but must be"));
  for (const char* text : {"Read", "read:10", "{id=read}", "read ", "{id=winnow;build=read}",
                           "Stock", "stock:10", "stock "}) {
    EXPECT_THAT(ParsePolicyRequest(text).complaint, HasSubstr("or read, which builds")) << text;
    EXPECT_FALSE(ParsePolicyRequest(text).only_reads) << text;
    EXPECT_EQ(ParsePolicyRequest(text).options.build, Build::kBloomFilter)
        << text << ": where RocksDB doesn't ask, nothing is built that others can't read";
  }
}

TEST(PolicyRequestTest, WhatIsNearestIsValidTogether) {
  const PolicyRequest request =
      ParsePolicyRequest("{id=winnow;absent_share=0.5;level_plan=later;bits_per_key=12}");
  EXPECT_THAT(request.complaint, HasSubstr("level_plan is \"later\""));
  EXPECT_EQ(request.options.level_plan, LevelPlan::kUniform);
  EXPECT_TRUE(plugin::CheckPolicyOptions(request.options).ok());
}

TEST(PolicyRequestTest, ComplainsOfEverythingElseAndTakesWhatIsNearest) {
  struct {
    const char* text;
    const char* reason;
    bool has_bits;
    PolicyOptions nearest;
  } const cases[] = {
      {"winow:10", "winow", true, {10, kRibbonWhereItSaves, -1}},
      {"bloomfilter:12", "bloomfilter", true, {12, kRibbonWhereItSaves, -1}},
      {"winnow:", "bits_per_key", false, {10, kRibbonWhereItSaves, -1}},
      {"winnow:ten", "ten", false, {10, kRibbonWhereItSaves, -1}},
      {"winnow:0", "bits_per_key", true, {1, kRibbonWhereItSaves, -1}},
      {"winnow:33", "bits_per_key", true, {32, kRibbonWhereItSaves, -1}},
      {"winnow:10:0", "10:0", false, {10, kRibbonWhereItSaves, -1}},
      {"{id=winnow;bits_per_key=nan}", "bits_per_key", false, {10, kRibbonWhereItSaves, -1}},
      {"{id=winnow;bits=10}", "bits", false, {10, kRibbonWhereItSaves, -1}},
      {"{id=winnow:12;ribbon_min_keys=-1}", "ribbon_min_keys", true, {12, 0, -1}},
      {"{id=winnow;bloom_before_level=-9;ribbon_min_keys=7}", "bloom_before", false, {10, 7, -1}},
      {"{bits_per_key=12}", "bits_per_key", false, {10, kRibbonWhereItSaves, -1}},
      {"{id=winnow", "winnow", false, {10, kRibbonWhereItSaves, -1}},
      {"1", "1", false, {10, kRibbonWhereItSaves, -1}},
  };
  for (const auto& expected : cases) {
    const PolicyRequest request = ParsePolicyRequest(expected.text);
    EXPECT_THAT(request.complaint,
                HasSubstr("WINNOW_POLICY is \"" + std::string(expected.text) + "\""));
    EXPECT_THAT(request.complaint, HasSubstr(expected.reason));
    EXPECT_THAT(request.complaint, HasSubstr("expected winnow, winnow:BITS"));
    EXPECT_EQ(request.has_bits, expected.has_bits) << expected.text;
    PolicyOptions nearest = expected.nearest;
    nearest.level_plan = LevelPlan::kAuto;
    EXPECT_EQ(plugin::ToString(request.options), plugin::ToString(nearest)) << expected.text;
  }
}

// The text may have any bytes, and is printed to a terminal.
TEST(PolicyRequestTest, QuotesWhatItDoesNotUnderstand) {
  const std::string text = "winnow:\x1b[31m\n\"" + std::string(5000, 'x');
  const std::string complaint = ParsePolicyRequest(text).complaint;
  EXPECT_THAT(complaint, HasSubstr("\"winnow:\\x1b[31m\\x0a\\\"xxx"));
  EXPECT_THAT(complaint, HasSubstr("xxx...\""));
  EXPECT_LT(complaint.size(), 1000u);
  for (const char byte : complaint) {
    EXPECT_TRUE(byte >= ' ' && byte <= '~');
  }
}

}  // namespace preload_request_test
}  // namespace winnow::preload
