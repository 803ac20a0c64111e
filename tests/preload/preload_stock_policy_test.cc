#include <gtest/gtest.h>

#include <optional>

#include "src/preload/stock_policy.h"

namespace winnow::preload {
namespace preload_stock_policy_test {

PolicyRequest RequestWithBits(double bits_per_key) {
  PolicyRequest request;
  request.options.bits_per_key = bits_per_key;
  request.has_bits = true;
  return request;
}

TEST(StockPolicyTest, ReadsTheIdsOfTheBuiltinPolicies) {
  struct {
    const char* id;
    double bits_per_key;
    std::optional<int> bloom_before_level;
  } const cases[] = {
      {"bloomfilter:10:false", 10, std::nullopt},
      {"bloomfilter:9.9:false", 9.9, std::nullopt},
      {"bloomfilter:0:false", 0, std::nullopt},
      {"bloomfilter:10:true", 10, std::nullopt},
      {"ribbonfilter:10:0", 10, 0},
      {"ribbonfilter:6.667:-1", 6.667, -1},
      {"ribbonfilter:100:3", 100, 3},
  };
  for (const auto& expected : cases) {
    const std::optional<StockPolicy> read = ParseStockPolicyId(expected.id);
    ASSERT_TRUE(read.has_value()) << expected.id;
    EXPECT_EQ(read->bits_per_key, expected.bits_per_key) << expected.id;
    EXPECT_EQ(read->bloom_before_level, expected.bloom_before_level) << expected.id;
  }
}

TEST(StockPolicyTest, KnowsNoOtherIds) {
  for (const char* id :
       {"", "bloomfilter", "bloomfilter:", "bloomfilter:ten", "bloomfilter:-1:false",
        "bloomfilter:nan:false", "ribbonfilter:10", "ribbonfilter:10:x", "ribbonfilter",
        "winnow:10", "rocksdb.BuiltinBloomFilter", ":10:0"}) {
    EXPECT_FALSE(ParseStockPolicyId(id).has_value()) << id;
  }
}

TEST(ReplacementTest, TakesTheProgramsBitsUnlessTheRequestHasSome) {
  const StockPolicy stock{9.9, std::nullopt};
  EXPECT_EQ(Replacement(stock, PolicyRequest())->bits_per_key, 9.9);
  EXPECT_EQ(Replacement(stock, RequestWithBits(12))->bits_per_key, 12);
}

TEST(ReplacementTest, KeepsTheProgramsBitsInTheRangeOfWinnow) {
  EXPECT_EQ(Replacement({32, std::nullopt}, PolicyRequest())->bits_per_key, 32);
  EXPECT_EQ(Replacement({32.5, std::nullopt}, PolicyRequest())->bits_per_key, 32);
  EXPECT_EQ(Replacement({100, 0}, PolicyRequest())->bits_per_key, 32);
  EXPECT_EQ(Replacement({0.5, std::nullopt}, PolicyRequest())->bits_per_key, 1);
}

TEST(ReplacementTest, ZeroBitsStayNoFilterWhateverIsRequested) {
  EXPECT_FALSE(Replacement({0, std::nullopt}, PolicyRequest()).has_value());
  EXPECT_FALSE(Replacement({0, 0}, RequestWithBits(10)).has_value());
}

TEST(ReplacementTest, KeepsTheBloomBeforeLevelOfARibbonPolicy) {
  PolicyRequest request;
  request.options.bloom_before_level = 5;
  EXPECT_EQ(Replacement({10, 2}, request)->bloom_before_level, 2);
  EXPECT_EQ(Replacement({10, -1}, request)->bloom_before_level, -1);
  EXPECT_EQ(Replacement({10, -7}, request)->bloom_before_level, -1);
  EXPECT_EQ(Replacement({10, std::nullopt}, request)->bloom_before_level, 5);
}

TEST(ReplacementTest, KeepsTheOtherOptionsOfTheRequest) {
  PolicyRequest request;
  request.options.ribbon_min_keys = 77;
  EXPECT_EQ(Replacement({10, 2}, request)->ribbon_min_keys, 77u);
}

}  // namespace preload_stock_policy_test
}  // namespace winnow::preload
