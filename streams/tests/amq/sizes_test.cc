// Tests that predicted sizes are those of the filters, and that known planning figures of the
// literature result.

#include "winnow/amq/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "streams/tests/amq/filter_testing.h"
#include "tests/support/files.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/scalable_bloom.h"
#include "winnow/amq/xor_filter.h"

namespace winnow::amq {
namespace sizes_test {

using testing::RandomHashes;
using ::testing::UnorderedElementsAreArray;

KindSize Find(const Plan& plan, const std::string& kind) {
  for (const KindSize& size : SizesFor(plan)) {
    if (size.kind == kind) return size;
  }
  ADD_FAILURE() << "no kind " << kind;
  return {};
}

constexpr double kRates[] = {0.3, 0.01, 1e-4, 1e-9};
constexpr uint64_t kCounts[] = {0, 1, 1000, 100'000};

template <typename Kind>
class SizesOf : public ::testing::Test {};
TYPED_TEST_SUITE(SizesOf, testing::PlannedKinds);

TYPED_TEST(SizesOf, AreThoseOfTheFilterThatIsMade) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      const Plan plan{keys, rate};
      const KindSize size = Find(plan, TypeParam::kName);
      const typename TypeParam::Filter filter(plan);
      EXPECT_EQ(size.bytes, filter.size_bytes()) << keys << " at " << rate;
      EXPECT_NEAR(size.rate, filter.planned_fpr(), 1e-12 * size.rate + 1e-30);
    }
  }
}

TEST(Sizes, AreThoseOfTheOtherFiltersThatAreMade) {
  for (const double rate : kRates) {
    for (const uint64_t keys : kCounts) {
      const Plan plan{keys, rate};
      const std::vector<KeyHash> hashes = RandomHashes(1).Take(keys);
      const XorFilter made_xor(hashes.data(), keys, rate);
      EXPECT_EQ(Find(plan, "xor").bytes, made_xor.size_bytes());
      EXPECT_EQ(Find(plan, "xor").rate,
                made_xor.planned_fpr() + std::ldexp(static_cast<double>(keys), -64));
      EXPECT_EQ(Find(plan, "fuse, 3-wise").bytes,
                BinaryFuseFilter(hashes.data(), keys, rate).size_bytes());
      EXPECT_EQ(Find(plan, "fuse, 4-wise").bytes,
                BinaryFuseFilter(hashes.data(), keys, rate, FuseArity::kFour).size_bytes());
      MemoryPageStore store;
      std::string reason;
      const auto pages =
          PagedBloom::Build(&store, {keys, rate, 1024}, hashes.data(), keys, &reason);
      ASSERT_TRUE(pages.has_value()) << reason;
      EXPECT_EQ(Find(plan, "paged").bytes, pages->size_bytes());
    }
  }
}

// A filter begins when the one before happens to be full: their number may differ by one if the
// plan ends near that point.
TEST(Sizes, OfAScalableFilterAreThoseThatItGrowsTo) {
  for (const double rate : {0.01, 1e-6}) {
    for (const uint64_t keys : {500u, 5000u, 100'000u}) {
      ScalableOptions options;
      options.rate = rate;
      ScalableBloom filter(options);
      for (const KeyHash key : RandomHashes(2).Take(keys)) filter.Add(key);
      EXPECT_EQ(Find({keys, rate}, "scalable").bytes, filter.size_bytes())
          << keys << " at " << rate;
    }
  }
}

template <typename... Kinds>
std::vector<std::string> NamesOf(::testing::Types<Kinds...>) {
  return {Kinds::kName...};
}

// The tests above compare each kind with filters.
TEST(Sizes, HaveNoOtherKinds) {
  std::vector<std::string> compared = NamesOf(testing::PlannedKinds());
  for (const char* kind : {"paged", "scalable", "xor", "fuse, 3-wise", "fuse, 4-wise"}) {
    compared.emplace_back(kind);
  }
  std::vector<std::string> kinds;
  for (const KindSize& size : SizesFor({1000, 0.01})) kinds.emplace_back(size.kind);
  EXPECT_THAT(kinds, UnorderedElementsAreArray(compared));
}

TEST(Sizes, SmallestFirst) {
  const std::vector<KindSize> sizes = SizesFor({1'000'000, 0.01});
  for (size_t i = 1; i < sizes.size(); ++i) EXPECT_LE(sizes[i - 1].bytes, sizes[i].bytes);
  EXPECT_EQ(sizes.front().kind, std::string("fuse, 4-wise"));
}

TEST(Sizes, WhatCantBeReachedSaysSo) {
  EXPECT_GT(Find({1'000'000, 1e-12}, "cuckoo").rate, 1e-12);
  EXPECT_GT(Find({1'000'000, 1e-12}, "xor").rate, 1e-12);
  EXPECT_GT(Find({1'000'000, 1e-9}, "concurrent").rate, 1e-9);
  EXPECT_LE(Find({1'000'000, 1e-12}, "blocked").rate, 1.001e-12 + 1e6 * std::ldexp(1, -64));
}

TEST(Sizes, WithinBytesAreTheLowestRatesThatFit) {
  for (const uint64_t keys : {1000u, 1'000'000u}) {
    const uint64_t bytes = keys * 12 / 8;
    const std::vector<KindSize> within = SizesWithin(keys, bytes);
    EXPECT_GE(within.size(), 8u);
    for (const KindSize& size : within) {
      EXPECT_LE(size.bytes, bytes) << size.kind;
      // A slightly lower rate would fill the given bytes; fingerprints of whole bits have larger
      // steps.
      if (size.is_fingerprint) continue;
      EXPECT_GE(Find({keys, size.rate * 0.9}, size.kind).bytes * 50, bytes * 49) << size.kind;
    }
    for (size_t i = 1; i < within.size(); ++i) EXPECT_LE(within[i - 1].rate, within[i].rate);
  }
  EXPECT_TRUE(SizesWithin(1'000'000, 1000).empty());
}

TEST(Sizes, PlanningFiguresOfTheField) {
  EXPECT_NEAR(BloomFilterRate(1e9, 30e9, 8), 9.01e-6, 0.005e-6);
  EXPECT_NEAR(BloomFilterRate(1e9, 30e9, 16), 7.26e-7, 0.005e-7);
  EXPECT_NEAR(BloomFilterRate(1e9, 50e9, 8), 2.28e-7, 0.005e-7);
  // Tables omit equal hashes, which add a twentieth here.
  EXPECT_NEAR(BloomFilterRate(1e9, 50e9, 16) - std::ldexp(1e9, -64), 1.0005e-9, 0.0001e-9);
  const KindSize million = Find({1'000'000, 0.01}, "standard");
  EXPECT_EQ(million.bits, 7u);
  EXPECT_NEAR(static_cast<double>(million.bytes) / 1048576, 1.14, 0.005);
  const KindSize thousand = Find({1000, 1e-7}, "standard");
  EXPECT_EQ(thousand.bits, 23u);
  EXPECT_NEAR(static_cast<double>(thousand.bytes) / 1024, 4.10, 0.005);
  // Tables have 854, the nearest number, with a rate of 1.0002 %.
  EXPECT_EQ(BloomFilterKeys(8192, 7, 0.01), 853u);
  EXPECT_NEAR(BloomFilterRate(854, 8192, 7), 0.010002, 0.000001);
  EXPECT_EQ(BloomFilterKeys(8192, 6, 0.01), 851u);
  EXPECT_NEAR(BloomFilterRate(800, 8192, 6), 0.0076, 0.00005);
  EXPECT_NEAR(BloomFilterRate(871, 8192, 6), 0.0110, 0.0001);
  EXPECT_EQ(BloomFilterKeys(64, 1, 1e-9), 0u);
}

// ---- streams/docs/changing-filters.md

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, separator);) {
    part.erase(0, part.find_first_not_of(' '));
    parts.push_back(part.substr(0, part.find_last_not_of(' ') + 1));
  }
  return parts;
}

struct SaidOfKind {
  std::string bits[2];  // per key, at 1 % and at 0.01 %
  std::string keys_can_be;
};

// Returns the rows of kinds that grow. Kinds in one row share words, except those separated by ";".
std::map<std::string, SaidOfKind> KindsOfThePage() {
  std::map<std::string, SaidOfKind> kinds;
  for (const std::string& line : Split(testing::ReadFile(WINNOW_CHANGING_FILTERS_MD), '\n')) {
    // The first cell is empty, before the row.
    const std::vector<std::string> cells = Split(line, '|');
    if (cells.size() != 5 || cells[4].rfind("added", 0) != 0) continue;
    const std::vector<std::string> groups = Split(cells[1], ';');
    for (size_t i = 0; i < groups.size(); ++i) {
      const auto part = [&](size_t cell) {
        const std::vector<std::string> parts = Split(cells[cell], ';');
        return parts[std::min(i, parts.size() - 1)];
      };
      for (const std::string& name : Split(groups[i], ',')) {
        kinds[name.substr(0, name.find(" Bloom"))] = {{part(2), part(3)}, part(4)};
      }
    }
  }
  return kinds;
}

// Returns whether the number rounds to the text, or to a value in its range: "9.93", "9.6 to 9.7".
bool RoundsTo(double number, const std::string& text) {
  const size_t to = text.find(" to ");
  const double least = std::stod(text);
  const double most = to == std::string::npos ? least : std::stod(text.substr(to + 4));
  const auto decimals = static_cast<int>(text.size() - text.rfind('.') - 1);
  const double half = 0.5 * std::pow(10, -decimals) + 1e-9;
  return number > least - half && number < most + half;
}

TEST(Sizes, AreThoseOfThePage) {
  std::map<std::string, SaidOfKind> said = KindsOfThePage();
  for (const double rate : {0.01, 0.0001}) {
    for (const KindSize& size : SizesFor({1'000'000, rate})) {
      if (!size.grows) continue;
      const auto found = said.find(size.kind);
      ASSERT_NE(found, said.end()) << "the page has no row of " << size.kind;
      EXPECT_PRED2(RoundsTo, static_cast<double>(size.bytes) * 8 / 1e6,
                   found->second.bits[rate < 0.01])
          << size.kind;
      EXPECT_EQ(found->second.keys_can_be, size.deletes     ? "added and removed"
                                           : size.threads   ? "by many threads at once"
                                           : size.unlimited ? "added, any number of them"
                                                            : "added")
          << size.kind;
    }
  }
  for (const auto& [name, what] : said) Find({1'000'000, 0.01}, name);
}

}  // namespace sizes_test
}  // namespace winnow::amq
