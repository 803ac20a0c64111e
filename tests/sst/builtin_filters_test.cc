#include "src/sst/builtin_filters.h"

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <initializer_list>
#include <memory>
#include <ostream>
#include <random>
#include <string>

#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
namespace builtin_filters_test {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using Kind = BuiltinFilter::Kind;

std::string KeyBytes(uint64_t number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Builds a RocksDB filter of the keys 0 … keys - 1.
std::string Build(const std::string& policy, uint64_t keys, uint32_t format_version) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.format_version = format_version;
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
  const auto made = testing::MakePolicyFrom(policy);
  const std::unique_ptr<FilterBitsBuilder> builder(made->GetBuilderWithContext(context));
  for (uint64_t key = 0; key < keys; ++key) {
    builder->AddKey(KeyBytes(key));
  }
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer).ToString();
}

double MeasuredRate(const std::string& block, uint64_t probes) {
  const auto policy = testing::MakePolicyFrom("rocksdb.BuiltinBloomFilter");
  const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(block));
  uint64_t positives = 0;
  for (uint64_t i = 0; i < probes; ++i) {
    positives += reader->MayMatch(KeyBytes(i + (uint64_t{1} << 40))) ? 1 : 0;
  }
  return static_cast<double>(positives) / static_cast<double>(probes);
}

struct RateCase {
  const char* policy;
  uint32_t format_version;
  uint64_t keys;
  Kind kind;
  double tolerance = 0.08;  // relative, with a standard deviation of 1.7 %
};

void PrintTo(const RateCase& param, std::ostream* out) {
  *out << param.policy << " with " << param.keys << " keys";
}

class ExpectedRateTest : public ::testing::TestWithParam<RateCase> {};

TEST_P(ExpectedRateTest, IsTheRateOfRocksDBsOwnReader) {
  const RateCase param = GetParam();
  const std::string block = Build(param.policy, param.keys, param.format_version);
  const BuiltinFilter filter = ParseBuiltinFilter(block);
  ASSERT_EQ(filter.kind, param.kind);
  const double expected = ExpectedRate(filter, param.keys);
  // Enough lookups for at least 3,600 expected hits.
  const auto probes = static_cast<uint64_t>(std::max(400'000.0, 3'600 / expected));
  EXPECT_NEAR(MeasuredRate(block, probes) / expected, 1, param.tolerance)
      << "expected " << expected;
}

INSTANTIATE_TEST_SUITE_P(
    Policies, ExpectedRateTest,
    ::testing::Values(RateCase{"bloomfilter:10", 5, 100'000, Kind::kBloom},
                      RateCase{"bloomfilter:10", 5, 3'000, Kind::kBloom},
                      RateCase{"bloomfilter:4.5", 5, 100'000, Kind::kBloom},
                      RateCase{"bloomfilter:16", 5, 100'000, Kind::kBloom},
                      RateCase{"bloomfilter:1", 5, 100'000, Kind::kBloom},
                      RateCase{"bloomfilter:6", 4, 100'000, Kind::kLegacyBloom, 0.15},
                      RateCase{"bloomfilter:10", 4, 100'000, Kind::kLegacyBloom, 0.15},
                      RateCase{"bloomfilter:16", 4, 100'000, Kind::kLegacyBloom, 0.15},
                      RateCase{"ribbonfilter:10:-1", 5, 100'000, Kind::kRibbon},
                      RateCase{"ribbonfilter:5.3:-1", 5, 20'000, Kind::kRibbon},
                      RateCase{"ribbonfilter:16:-1", 5, 20'000, Kind::kRibbon}));

TEST(BuiltinFiltersTest, TellsTheParameters) {
  const BuiltinFilter bloom = ParseBuiltinFilter(Build("bloomfilter:10", 10'000, 5));
  EXPECT_EQ(bloom.probes, 6);
  EXPECT_EQ(bloom.block_bits, 512);
  EXPECT_EQ(bloom.blocks * 64, bloom.payload_bytes);
  EXPECT_EQ(bloom.marker, -1);
  const BuiltinFilter ribbon = ParseBuiltinFilter(Build("ribbonfilter:10:-1", 10'000, 5));
  EXPECT_EQ(ribbon.columns, 7);
  EXPECT_GT(ribbon.upper_share, 0.5);
  EXPECT_LE(ribbon.upper_share, 1);
  EXPECT_EQ(ribbon.marker, -2);
}

Kind KindOf(std::initializer_list<int> metadata) {
  std::string block(64, '\0');
  for (const int byte : metadata) {
    block.push_back(static_cast<char>(byte));
  }
  return ParseBuiltinFilter(block).kind;
}

TEST(BuiltinFiltersTest, TakesMetadataAsRocksDBDoes) {
  EXPECT_EQ(KindOf({0xff, 0, 6, 0, 0}), Kind::kBloom);
  EXPECT_EQ(KindOf({0xff, 1, 6, 0, 0}), Kind::kAlwaysTrue);     // another implementation
  EXPECT_EQ(KindOf({0xff, 0, 0x26, 0, 0}), Kind::kAlwaysTrue);  // blocks of 128 bytes
  EXPECT_EQ(KindOf({0xff, 0, 0, 0, 0}), Kind::kAlwaysTrue);     // no probes
  EXPECT_EQ(KindOf({0xff, 0, 31, 0, 0}), Kind::kAlwaysTrue);    // 31 probes
  EXPECT_EQ(KindOf({0xff, 0, 6, 1, 0}), Kind::kAlwaysTrue);     // a seed
  EXPECT_EQ(KindOf({0xfe, 0, 2, 0, 0}), Kind::kRibbon);
  EXPECT_EQ(KindOf({0xfe, 0, 1, 0, 0}), Kind::kAlwaysTrue);  // a single block
  EXPECT_EQ(KindOf({6, 1, 0, 0, 0}), Kind::kLegacyBloom);
  EXPECT_EQ(KindOf({6, 0, 0, 0, 0}), Kind::kAlwaysTrue);  // no cache lines
  EXPECT_EQ(KindOf({6, 3, 0, 0, 0}), Kind::kAlwaysTrue);  // 64 bytes are not 3 lines
  EXPECT_EQ(KindOf({0, 1, 0, 0, 0}), Kind::kAlwaysTrue);
  EXPECT_EQ(KindOf({0x80, 1, 0, 0, 0}), Kind::kReserved);
  EXPECT_EQ(KindOf({0xfd, 1, 0, 0, 0}), Kind::kReserved);
}

TEST(BuiltinFiltersTest, EmptyAndUselessFiltersHaveARate) {
  EXPECT_EQ(ParseBuiltinFilter("").kind, Kind::kEmpty);
  EXPECT_EQ(ParseBuiltinFilter("12345").kind, Kind::kEmpty);
  EXPECT_EQ(ExpectedRate(ParseBuiltinFilter("12345"), 10), 0);
  EXPECT_EQ(ExpectedRate(ParseBuiltinFilter(std::string(69, '\0')), 10), 1);
}

TEST(BuiltinFiltersTest, AnyBytesAndAnyNumberOfKeysGiveARate) {
  constexpr uint32_t kSeed = 7;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  constexpr signed char kMarkers[] = {-1, -2, 0, 1, 6, 127, -87, -128};
  for (int i = 0; i < 20'000; ++i) {
    std::string block(random() % 300, '\0');
    for (char& byte : block) {
      byte = static_cast<char>(random());
    }
    if (block.size() > 5) {
      block[block.size() - 5] = static_cast<char>(kMarkers[random() % sizeof(kMarkers)]);
    }
    const uint64_t keys = random() >> (random() % 64);
    const double rate = ExpectedRate(ParseBuiltinFilter(block), keys);
    ASSERT_TRUE(rate >= 0 && rate <= 1.000001) << rate << " with " << keys << " keys";
  }
}

}  // namespace builtin_filters_test
}  // namespace winnow::inspect
