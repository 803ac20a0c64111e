// Range filters: no range that has a key is denied, and what there is no range filter of.

#include "winnow/range_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"

namespace winnow {
namespace {

using testing::BigEndian;
using testing::BuildRangeFilter;
using testing::Decimal;
using testing::Has;
using testing::Keys;
using testing::KindOfKeys;
using testing::RandomHashes;
using testing::SomeKeys;

// Bounds as scans have them, most of them next to a key: cut, lengthened, bytes that no key has.
std::string AnyBound(const std::vector<std::string>& keys, const KindOfKeys& kind,
                     RandomHashes* random) {
  std::string bound = random->Below(4) == 0 ? kind.make(random) : keys[random->Below(keys.size())];
  switch (random->Below(9)) {
    case 0:
      bound.resize(random->Below(bound.size() + 1));
      break;
    case 1:
      bound.resize(random->Below(bound.size() + 1));
      bound += static_cast<char>(random->Next());
      break;
    case 2:
      bound += std::string(random->Below(3) + 1, static_cast<char>(random->Below(2) - 1));
      break;
    case 3:
      bound[random->Below(bound.size())] = static_cast<char>(random->Next());
      break;
    case 4:
      bound[random->Below(bound.size())] += static_cast<char>(random->Below(3) - 1);
      break;
    case 5:
      bound.back() = static_cast<char>(bound.back() + static_cast<char>(random->Below(3)) - 1);
      break;
    case 6:
      std::fill(bound.begin() + static_cast<std::ptrdiff_t>(random->Below(bound.size())),
                bound.end(), static_cast<char>(random->Below(2) - 1));
      break;
    default:
      break;
  }
  return bound;
}

// How many of the questions were answered by "no".
size_t ExpectNoneDenied(const Keys& keys, const KindOfKeys& kind, const RangeFilterView& view,
                        size_t questions, RandomHashes* random) {
  const std::vector<std::string> sorted(keys.begin(), keys.end());
  size_t denied = 0;
  for (size_t i = 0; i < questions; ++i) {
    std::string begin = AnyBound(sorted, kind, random);
    std::string end = AnyBound(sorted, kind, random);
    if (random->Below(3) == 0) end = begin + '\0';
    if (random->Below(3) == 0) {
      end = begin;
      for (size_t at = end.size(); at-- != 0 && ++end[at] == 0;) {
      }
    }
    if (end < begin) std::swap(begin, end);
    const bool may = view.MayContain(begin, end);
    denied += may ? 0 : 1;
    if (!may && Has(keys, begin, end)) {
      ADD_FAILURE() << kind.name << ", " << keys.size() << " keys: a key is denied";
      return denied;
    }
    EXPECT_TRUE(may || (begin < end && end <= sorted.back()));
  }
  return denied;
}

TEST(RangeFilterTest, NoRangeWithAKeyIsDenied) {
  RandomHashes random(testing::TestSeed());
  for (const KindOfKeys& kind : testing::KindsOfKeys()) {
    size_t denied = 0;
    for (const size_t n : {1u, 2u, 3u, 7u, 30u, 300u, 5000u, 40000u}) {
      for (size_t round = 0; round < (n < 100 ? 30 : 1); ++round) {
        const Keys keys = SomeKeys(kind, n, &random);
        const double range_bits = 1 + static_cast<double>(random.Below(77)) / 4;
        const FilterBlock filter = BuildRangeFilter(keys, range_bits);
        const RangeFilterView view = RangeFilterView::Verified(filter.bytes());
        ASSERT_EQ(view.fault(), Fault::kNone) << kind.name << ": " << ToString(view.fault());
        EXPECT_EQ(view.info().num_keys, keys.size());
        denied += ExpectNoneDenied(keys, kind, view, n < 100 ? 300 : 30000, &random);
      }
    }
    EXPECT_GT(denied, 1000u) << kind.name;
  }
}

// Each key alone, and what lies between two of them in exact filters.
TEST(RangeFilterTest, DenseKeysAreKnownExactly) {
  for (const double range_bits : {1.0, 5.5, 15.0}) {
    Keys keys;
    for (uint64_t i = 0; i < 20000; ++i) {
      if (i % 3 != 0) keys.insert(Decimal(i));
    }
    const FilterBlock filter = BuildRangeFilter(keys, range_bits);
    const RangeFilterView view(filter.bytes());
    EXPECT_EQ(view.info().is_exact, 1u);
    EXPECT_LT(view.info().bits_per_key, 4);
    for (uint64_t i = 0; i < 19990; ++i) {
      EXPECT_EQ(view.MayContain(Decimal(i), Decimal(i + 1)), i % 3 != 0) << i;
    }
    EXPECT_FALSE(view.MayContain("", "user"));
    EXPECT_FALSE(view.MayContain("", Decimal(1)));
    EXPECT_TRUE(view.MayContain("", Decimal(2)));
    EXPECT_FALSE(view.MayContain(Decimal(1) + "x", Decimal(2)));
    EXPECT_FALSE(view.MayContain("a", "b"));
    EXPECT_TRUE(view.MayContain("v", "w")) << "behind the last key";
  }
}

}  // namespace
}  // namespace winnow
