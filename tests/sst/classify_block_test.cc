#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "src/core/ranges/range_note.h"
#include "src/sst/filter_prober.h"
#include "src/sst/sst_filters.h"
#include "tests/core/filter_testing.h"
#include "tests/support/range_of_table.h"
#include "winnow/builder.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace classify_block_test {

using ::testing::HasSubstr;

std::string Build(FilterKind kind, uint64_t keys) {
  FilterOptions options;
  options.kind = kind;
  FilterBuilder builder(options);
  for (uint64_t key = 0; key < keys; ++key) {
    builder.Add(HashKey({reinterpret_cast<const char*>(&key), sizeof(key)}));
  }
  return std::string(builder.Finish().bytes());
}

TEST(ClassifyBlockTest, TellsWinnowBloomAndItsParameters) {
  const std::string block = Build(FilterKind::kBloom, 10'000);
  const FilterSummary summary = ClassifyBlock(block, /*keys=*/77);
  EXPECT_EQ(summary.kind, "winnow-bloom");
  EXPECT_EQ(summary.keys, 10'000u);
  EXPECT_EQ(summary.bytes, block.size());
  EXPECT_DOUBLE_EQ(summary.bits_per_key, 8.0 * static_cast<double>(block.size()) / 10'000);
  ASSERT_TRUE(summary.expected_fpr);
  EXPECT_NEAR(*summary.expected_fpr, 0.0096, 0.0004);
  EXPECT_EQ(summary.partitions, 0);
  EXPECT_FALSE(summary.fault);
  EXPECT_EQ(summary.detail, "6 probes");
  ASSERT_TRUE(summary.parameters);
  EXPECT_EQ(summary.parameters->format, "winnow");
  EXPECT_EQ(summary.parameters->version, 1);
  EXPECT_EQ(summary.parameters->hash, "XXH3, seed 0");
  EXPECT_EQ(summary.parameters->probes, 6);
  EXPECT_EQ(summary.parameters->block_bits, 512);
  ASSERT_TRUE(summary.parameters->blocks);
  const uint64_t bits = *summary.parameters->blocks * 512;
  EXPECT_LE(bits / 8, block.size());
  EXPECT_GT(bits / 8 + 100, block.size());
  // Each key sets six bits, some of which coincide.
  EXPECT_NEAR(summary.parameters->fill_ratio.value_or(0),
              -std::expm1(-6.0 * 10'000 / static_cast<double>(bits)), 0.03);
  EXPECT_FALSE(summary.parameters->columns);
}

TEST(ClassifyBlockTest, EveryKindHasItsName) {
  for (const FilterKind kind : winnow::testing::kKinds) {
    const FilterSummary summary = ClassifyBlock(Build(kind, 1000), 0);
    EXPECT_EQ(summary.kind, "winnow-" + std::string(ToString(kind)));
    EXPECT_EQ(RowOf(summary.kind).name, summary.kind);
    EXPECT_EQ(RowOf(summary.kind).family, FilterFamily::kWinnow);
  }
  EXPECT_EQ(&RowOf("winnow"), &RowOf(kUnknown));
}

TEST(ClassifyBlockTest, TellsWinnowRibbonAndItsParameters) {
  const FilterSummary summary = ClassifyBlock(Build(FilterKind::kRibbon, 100'000), 0);
  EXPECT_EQ(summary.kind, "winnow-ribbon");
  EXPECT_EQ(summary.keys, 100'000u);
  EXPECT_LT(summary.bits_per_key, 7.1);
  ASSERT_TRUE(summary.expected_fpr);
  EXPECT_NEAR(*summary.expected_fpr, 0.0096, 0.0004);
  EXPECT_FALSE(summary.fault);
  EXPECT_THAT(summary.detail, HasSubstr("columns"));
  ASSERT_TRUE(summary.parameters);
  const FilterParameters& parameters = *summary.parameters;
  EXPECT_NEAR(parameters.columns.value_or(0), 6.7, 0.1);
  ASSERT_GE(parameters.layers.size(), 2u);
  EXPECT_EQ(parameters.layers.front(), "bumped");
  // The next layer has the bumped keys.
  EXPECT_GT(parameters.bumped_share.value_or(0), 0.005);
  EXPECT_LT(parameters.bumped_share.value_or(1), 0.2);
  EXPECT_GT(parameters.fill_ratio.value_or(0), 0.9);
  EXPECT_LE(parameters.fill_ratio.value_or(2), 1.0);
  EXPECT_NEAR(static_cast<double>(*parameters.slots) * *parameters.columns / 8,
              static_cast<double>(summary.bytes), 0.03 * static_cast<double>(summary.bytes));
  EXPECT_THAT(ToText(parameters), HasSubstr("% bumped, 0.9"));
  EXPECT_FALSE(ClassifyBlock(Build(FilterKind::kRibbon, 20), 0).parameters->bumped_share);
}

TEST(ClassifyBlockTest, TellsWhatAPlanBuiltItFor) {
  const FilterSummary uniform = ClassifyBlock(Build(FilterKind::kRibbon, 1000), 0);
  ASSERT_TRUE(uniform.built_for);
  EXPECT_EQ(uniform.built_for->level_plan, "uniform");
  EXPECT_EQ(uniform.built_for->levels_below, -1);
  EXPECT_NEAR(uniform.built_for->target_fpr, 0.0096, 0.0001);

  FilterOptions options;
  options.level = 5;
  options.levels_below = 1.5;
  for (const std::string plan : {"auto", "learned"}) {
    options.level_plan = plan == "auto" ? LevelPlan::kAuto : LevelPlan::kLearned;
    FilterBuilder builder(options);
    for (uint64_t i = 0; i < 1000; ++i) builder.Add(HashKey("key" + std::to_string(i)));
    const FilterSummary planned = ClassifyBlock(builder.Finish().bytes(), 0);
    ASSERT_TRUE(planned.built_for);
    EXPECT_EQ(planned.built_for->level, 5);
    EXPECT_EQ(planned.built_for->level_plan, plan);
    EXPECT_EQ(planned.built_for->levels_below, 1.5);
    EXPECT_LT(planned.built_for->target_fpr, 0.002);
    EXPECT_THAT(planned.detail, HasSubstr(", " + plan + ", 1.5 levels below"));
  }
}

// The rate depends on other files or on lookups if the level is known; otherwise nothing was known.
TEST(ClassifyBlockTest, SaysWhereAFilterHasNoPlace) {
  EXPECT_EQ(PlanText({5, 0.01, "auto", -1}), "auto");
  EXPECT_EQ(PlanText({5, 0.01, "learned", -1}), "learned");
  EXPECT_EQ(PlanText({-1, 0.01, "auto", -1}), "auto, place in the tree not known");
  EXPECT_EQ(PlanText({5, 0.01, "by_level", -1}), "by_level, place in the tree not known");
}

TEST(ClassifyBlockTest, AnEmptyWinnowFilterMatchesNothing) {
  const FilterSummary summary = ClassifyBlock(Build(FilterKind::kBloom, 0), 0);
  EXPECT_EQ(summary.kind, "winnow-bloom");
  EXPECT_EQ(summary.keys, 0u);
  EXPECT_EQ(summary.expected_fpr, 0.0);
  EXPECT_FALSE(summary.fault);
}

TEST(ClassifyBlockTest, SaysWhatABloomFilterWouldTakeAsARibbon) {
  const std::string bloom = Build(FilterKind::kBloom, 10'000);
  const FilterSummary ours = ClassifyBlock(bloom, 0);
  EXPECT_EQ(ours.bloom.blocks, 1u);
  EXPECT_EQ(ours.bloom.keys, 10'000u);
  EXPECT_EQ(ours.bloom.bytes, bloom.size());
  EXPECT_NEAR(static_cast<double>(ours.bloom.bytes_as_ribbons),
              static_cast<double>(Build(FilterKind::kRibbon, 10'000).size()), 100);
  EXPECT_EQ(ClassifyBlock(Build(FilterKind::kRibbon, 10'000), 0).bloom.blocks, 0u);
  EXPECT_EQ(ClassifyBlock(Build(FilterKind::kBloom, 0), 0).bloom.blocks, 0u) << "holds nothing";

  const std::string builtin = std::string(1280, '\0') + std::string("\xff\0\x06\0\0", 5);
  const FilterSummary known = ClassifyBlock(builtin, 1024);
  EXPECT_EQ(known.bloom.bytes, 1285u);
  EXPECT_GT(known.bloom.bytes_as_ribbons, 800u);
  EXPECT_LT(known.bloom.bytes_as_ribbons, 1000u);
  EXPECT_EQ(ClassifyBlock(builtin, 0).bloom.blocks, 0u) << "of unknown keys";
  EXPECT_EQ(ClassifyBlock(std::string(6, '\0'), 5).bloom.blocks, 0u) << "matches everything";
}

TEST(ClassifyBlockTest, TheRateOfABuiltinBloomNeedsItsKeys) {
  const std::string block = std::string(64, '\0') + std::string("\xff\0\x06\0\0", 5);
  const FilterSummary unknown = ClassifyBlock(block, 0);
  EXPECT_EQ(unknown.kind, "builtin-bloom");
  EXPECT_FALSE(unknown.expected_fpr);
  const FilterSummary known = ClassifyBlock(block, 51);
  ASSERT_TRUE(known.expected_fpr);
  EXPECT_GT(*known.expected_fpr, 0);
  EXPECT_EQ(known.keys, 51u);
  EXPECT_DOUBLE_EQ(known.bits_per_key, 8 * 69.0 / 51);
}

TEST(ClassifyBlockTest, AFilterThatAlwaysMatchesIsNoFault) {
  const FilterSummary summary = ClassifyBlock(std::string(6, '\0'), 5);
  EXPECT_EQ(summary.kind, "builtin-bloom");
  EXPECT_EQ(summary.expected_fpr, 1.0);
  EXPECT_FALSE(summary.fault);
  EXPECT_THAT(summary.detail, HasSubstr("may match"));
}

TEST(ClassifyBlockTest, AMarkerOfNobodyIsUnknown) {
  const FilterSummary summary = ClassifyBlock(std::string(20, '\x85'), 5);
  EXPECT_EQ(summary.kind, "unknown");
  EXPECT_EQ(summary.expected_fpr, 1.0);
  EXPECT_FALSE(summary.fault);
  EXPECT_THAT(summary.detail, HasSubstr("-123"));
}

// Any single flipped bit is reported as damage, and the block is not taken for another format.
TEST(ClassifyBlockTest, EverySingleFlippedBitIsAFault) {
  for (const FilterKind kind : winnow::testing::kKinds) {
    const std::string intact = Build(kind, 200);
    for (size_t bit = 0; bit < intact.size() * 8; ++bit) {
      std::string block = intact;
      block[bit / 8] = static_cast<char>(block[bit / 8] ^ (1 << bit % 8));
      const FilterSummary summary = ClassifyBlock(block, 200);
      ASSERT_TRUE(summary.fault) << "bit " << bit << " of " << intact.size() * 8 << " in a "
                                 << ToString(kind) << " filter: " << summary.kind;
      ASSERT_NE(summary.kind, "builtin-bloom") << bit;
      ASSERT_NE(summary.kind, "builtin-ribbon") << bit;
    }
  }
}

TEST(ClassifyBlockTest, DamageOfTheTailIsUnknownAndOfThePayloadKeepsTheKind) {
  std::string block = Build(FilterKind::kRibbon, 5'000);
  block[block.size() / 2] = static_cast<char>(block[block.size() / 2] ^ 4);
  const FilterSummary payload = ClassifyBlock(block, 0);
  EXPECT_EQ(payload.kind, "winnow-ribbon");
  EXPECT_THAT(payload.fault.value_or(""), HasSubstr("payload"));
  block = Build(FilterKind::kRibbon, 5'000);
  block[block.size() - 7] = static_cast<char>(block[block.size() - 7] ^ 4);
  const FilterSummary tail = ClassifyBlock(block, 0);
  EXPECT_EQ(tail.kind, "unknown");
  EXPECT_EQ(tail.expected_fpr, 1.0);
  EXPECT_THAT(tail.fault.value_or(""), HasSubstr("Winnow"));
}

TEST(ClassifyBlockTest, NoTruncationIsTakenForAWholeWinnowFilter) {
  const std::string intact = Build(FilterKind::kRibbon, 4'000);
  for (size_t size = 0; size < intact.size(); ++size) {
    // An exact-size copy, so that sanitizers detect reads beyond the end.
    const std::string block(intact.data(), size);
    const FilterSummary summary = ClassifyBlock(block, 4'000);
    ASSERT_EQ(summary.bytes, size);
    ASSERT_FALSE(summary.kind == "winnow-ribbon" && !summary.fault) << size;
  }
}

TEST(ClassifyBlockTest, RandomBytesGiveOneOfTheKinds) {
  constexpr uint32_t kSeed = 11;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string block(random() % 200, '\0');
    for (char& byte : block) {
      byte = static_cast<char>(random());
    }
    const FilterSummary summary = ClassifyBlock(block, random() % 1000);
    ASSERT_THAT(summary.kind, ::testing::AnyOf("builtin-bloom", "builtin-ribbon", "unknown"));
  }
}

// Returns key i of those that have a range filter.
std::string RangeKey(uint64_t i) {
  char key[16];
  std::snprintf(key, sizeof key, "%010llu", static_cast<unsigned long long>(i * 1'999'993));
  return key;
}

FilterBlock BuildRange(uint64_t keys, RangeFilterKind kind) {
  RangeFilterBuilder builder(RangeFilterOptions{15, kind});
  for (uint64_t i = 0; i < keys; ++i) builder.Add(RangeKey(i));
  return builder.Finish();
}

// Builds a filter of `keys` keys that contains a range filter.
std::string WithRange(uint64_t keys) {
  const FilterBlock range = BuildRange(keys, RangeFilterKind::kPositions);
  return std::string(
      testing::WithRangeFilterOfTable(Build(FilterKind::kRibbon, keys), range.bytes()).bytes());
}

// Returns the summary of a filter with this range filter.
FilterSummary ClassifyWith(std::string_view filter, std::string_view range) {
  return ClassifyBlock(testing::WithRangeFilterOfTable(filter, range).bytes(), 0);
}

TEST(ClassifyBlockTest, TellsARangeFilter) {
  const std::string plain = Build(FilterKind::kRibbon, 5'000);
  EXPECT_FALSE(ClassifyBlock(plain, 0).range);
  const std::string block = WithRange(5'000);
  const FilterSummary summary = ClassifyBlock(block, 0);
  EXPECT_FALSE(summary.fault);
  EXPECT_EQ(summary.kind, "winnow-ribbon");
  EXPECT_EQ(summary.bytes, block.size());
  ASSERT_TRUE(summary.range);
  EXPECT_EQ(summary.range->kind, "positions");
  EXPECT_EQ(summary.range->keys, 5'000u);
  EXPECT_EQ(summary.range->bytes, testing::RangeFilterOfTable(block).size());
  EXPECT_DOUBLE_EQ(summary.range->range_bits, 15);
  EXPECT_EQ(summary.range->key_length, 10u);
  EXPECT_NEAR(summary.range->bits_per_key, 17.4, 0.4);
  EXPECT_FALSE(summary.range->is_exact);
  EXPECT_FALSE(summary.range->fault);
  EXPECT_LE(summary.bytes_without_range() - plain.size(), 8u);
  EXPECT_THAT(ParametersText(summary), HasSubstr("; range filter of 17."));
  EXPECT_THAT(ParametersText(summary), HasSubstr(" bits per key, range_bits 15"));
}

// The range filter answers lookups of keys, and the Bloom filter beside it passes every key.
TEST(ClassifyBlockTest, TellsASingleFilter) {
  constexpr uint64_t kKeys = 5'000;
  const FilterBlock passing = core::PassingFilter(FilterOptions(), kKeys);
  const FilterBlock single = testing::WithRangeFilterOfTable(
      passing.bytes(), BuildRange(kKeys, RangeFilterKind::kRetrieval).bytes());
  const FilterSummary summary = ClassifyBlock(single.bytes(), 0);
  EXPECT_FALSE(summary.fault);
  EXPECT_EQ(summary.detail, "lookups by the range filter");
  ASSERT_TRUE(summary.range && summary.expected_fpr);
  EXPECT_TRUE(summary.range->answers_keys);
  EXPECT_NEAR(*summary.expected_fpr, 1.0 / 32768, 1e-7);
  EXPECT_NEAR(summary.built_for->target_fpr, 0.0096, 1e-4) << "that of bits_per_key";
  EXPECT_THAT(
      ParametersText(summary),
      ::testing::StartsWith("lookups by the range filter; for 0.962 %; range filter of 15."));
  EXPECT_EQ(summary.bloom.blocks, 0u) << "not a Bloom filter that could be a smaller Ribbon";

  FilterProber prober(single.bytes());
  uint64_t passed = 0;
  for (uint64_t i = 0; i < 3 * kKeys; ++i) {
    // Two of three keys are absent.
    const std::string key = i % 3 == 0 ? RangeKey(i / 3) : RangeKey(i) + (i % 3 == 1 ? "x" : "");
    const bool is_absent = i % 3 == 1 || (i % 3 == 2 && i >= kKeys);
    const AskedKey asked{key, HashKey(key).value};
    bool answer = false;
    prober.MayContain(&asked, 1, &answer);
    EXPECT_TRUE(answer || is_absent) << key;
    passed += is_absent && answer ? 1 : 0;
  }
  EXPECT_LT(passed, 10u);

  const FilterBlock positions = BuildRange(kKeys, RangeFilterKind::kPositions);
  EXPECT_TRUE(ClassifyWith(passing.bytes(), positions.bytes()).range->answers_keys);
  const FilterSummary trees =
      ClassifyWith(passing.bytes(), BuildRange(kKeys, RangeFilterKind::kTrees).bytes());
  EXPECT_FALSE(trees.range->answers_keys);
  EXPECT_NEAR(*trees.expected_fpr, 1, 1e-3);
}

// A Ribbon is compared without its range filter.
TEST(ClassifyBlockTest, ARangeFilterIsNoPartOfABloomFilter) {
  const std::string bloom = Build(FilterKind::kBloom, 5'000);
  const std::string range(testing::RangeFilterOfTable(WithRange(5'000)));
  EXPECT_NEAR(static_cast<double>(ClassifyWith(bloom, range).bloom.bytes),
              static_cast<double>(ClassifyBlock(bloom, 0).bloom.bytes), 8);
}

// The damage is detected even if the block's own checksum matches the damaged bytes.
TEST(ClassifyBlockTest, TellsADamagedRangeFilter) {
  const std::string good = WithRange(5'000);
  const std::string ribbon = Build(FilterKind::kRibbon, 5'000);
  const size_t size = testing::RangeFilterOfTable(good).size();
  std::string block = good;
  block[static_cast<size_t>(testing::RangeFilterOfTable(good).data() - good.data()) + size / 2] ^=
      4;
  EXPECT_EQ(ClassifyBlock(block, 0).fault,
            "the filter's payload is damaged (checksum), and so is its range filter: lookups and "
            "scans may miss keys that are in the file");
  const std::string range(testing::RangeFilterOfTable(block));
  const FilterSummary inner = ClassifyWith(ribbon, range);
  EXPECT_EQ(inner.fault,
            "the range filter is damaged (checksum): scans may miss keys that are in the file");
  EXPECT_EQ(inner.kind, "winnow-ribbon");
  ASSERT_TRUE(inner.range);
  EXPECT_EQ(inner.range->kind, "unknown");
  EXPECT_EQ(inner.range->keys, 0u);
  // Damage at the front, after which the range filter always says yes.
  std::string front(testing::RangeFilterOfTable(good));
  front[34] ^= 4;
  EXPECT_THAT(*ClassifyWith(ribbon, front).fault,
              HasSubstr("every scan reads the file: directory or tail are damaged (checksum)"));
  // Damage in the bytes of the point filter.
  block = good;
  block[1] ^= 4;
  EXPECT_THAT(*ClassifyBlock(block, 0).fault, HasSubstr("(checksum): lookups may miss"));
}

TEST(ClassifyBlockTest, ARangeFilterOfALaterVersionIsNoFault) {
  std::string range(testing::RangeFilterOfTable(WithRange(5'000)));
  range[4] = 77;
  const FilterSummary summary = ClassifyWith(Build(FilterKind::kRibbon, 5'000), range);
  EXPECT_FALSE(summary.fault);
  ASSERT_TRUE(summary.range);
  EXPECT_EQ(summary.range->kind, "unknown");
  EXPECT_THAT(ParametersText(summary), HasSubstr(" bytes, not understood"));
}

}  // namespace classify_block_test
}  // namespace winnow::inspect
