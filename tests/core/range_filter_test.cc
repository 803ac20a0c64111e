// Tests of range filters: no range with a key is denied, and some keys get no range filter.

#include "winnow/range_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"

namespace winnow {
namespace range_filter_test {

using testing::BigEndian;
using testing::BuildRangeFilter;
using testing::Decimal;
using testing::Has;
using testing::Keys;
using testing::KindOfKeys;
using testing::RandomHashes;
using testing::SomeKeys;

// Truncates, extends or changes a nonempty bound, or leaves it unchanged.
void Change(std::string* bound, RandomHashes* random) {
  const size_t at = random->Below(bound->size());
  switch (random->Below(9)) {
    case 0:
      bound->resize(at);
      break;
    case 1:
      bound->resize(at);
      *bound += static_cast<char>(random->Next());
      break;
    case 2:
      *bound += std::string(random->Below(3) + 1, static_cast<char>(random->Below(2) - 1));
      break;
    case 3:
      (*bound)[at] = static_cast<char>(random->Next());
      break;
    case 4:
      (*bound)[at] = static_cast<char>((*bound)[at] + static_cast<char>(random->Below(3)) - 1);
      break;
    case 5:
      bound->back() = static_cast<char>(bound->back() + static_cast<char>(random->Below(3)) - 1);
      break;
    case 6:
      std::fill(bound->begin() + static_cast<std::ptrdiff_t>(at), bound->end(),
                static_cast<char>(random->Below(2) - 1));
      break;
    default:
      break;
  }
}

// Returns a bound as in scans, mostly close to a key, or one with bytes that no key has.
std::string AnyBound(const std::vector<std::string>& keys, const KindOfKeys& kind,
                     RandomHashes* random) {
  std::string bound = random->Below(4) == 0 ? kind.make(random) : keys[random->Below(keys.size())];
  if (!bound.empty()) Change(&bound, random);
  if (!bound.empty() && random->Below(3) == 0) Change(&bound, random);
  return bound;
}

// Returns the number of negative answers.
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
    if (random->Below(10) == 0) end = random->Below(2) == 0 ? sorted.back() : sorted.front();
    if (random->Below(20) == 0) begin.clear();
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
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) {
    size_t denied = 0;
    for (const size_t n : {1u, 2u, 3u, 7u, 30u, 300u, 5000u, 40000u}) {
      for (size_t round = 0; round < (n < 100 ? 30 : 1); ++round) {
        const Keys keys = SomeKeys(kind, n, &random);
        const double range_bits = 1 + static_cast<double>(random.Below(77)) / 4;
        const RangeFilterKind asked = testing::SomeKind(keys, &random);
        const FilterBlock filter = BuildRangeFilter(keys, range_bits, asked);
        if (*keys.rbegin() == "") continue;  // nothing is before the last key
        const RangeFilterView view = RangeFilterView::Verified(filter.bytes());
        ASSERT_EQ(view.fault(), Fault::kNone) << kind.name << ": " << ToString(view.fault());
        EXPECT_EQ(view.info().num_keys, keys.size());
        denied += ExpectNoneDenied(keys, kind, view, n < 100 ? 300 : 30000, &random);
      }
    }
    EXPECT_GT(denied, 1000u) << kind.name;
  }
}

// A lookup of a key is a range of one key, and in all kinds of range filters at all sizes.
TEST(RangeFilterTest, AKeyIsFoundAsItsRangeIs) {
  RandomHashes random(testing::TestSeed());
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) {
    for (const size_t n : {1u, 2u, 3u, 7u, 63u, 300u, 7000u}) {
      const Keys keys = SomeKeys(kind, n, &random);
      const RangeFilterKind asked = testing::SomeKind(keys, &random);
      const double range_bits = 1 + static_cast<double>(random.Below(77)) / 4;
      const FilterBlock filter = BuildRangeFilter(keys, range_bits, asked);
      if (filter.size == 0) continue;
      const RangeFilterView view = RangeFilterView::Verified(filter.bytes());
      ASSERT_EQ(view.fault(), Fault::kNone);
      std::vector<std::string> lookups(keys.begin(), keys.end());
      for (int i = 0; i < 700; ++i) {
        lookups.push_back(AnyBound({keys.begin(), std::next(keys.begin())}, kind, &random));
        lookups.push_back(kind.make(&random));
        lookups.push_back(*std::next(keys.begin(), static_cast<int>(random.Below(keys.size()))));
        if (!lookups.back().empty()) Change(&lookups.back(), &random);
      }
      const std::vector<std::string_view> views(lookups.begin(), lookups.end());
      const auto answers = std::make_unique<bool[]>(views.size());
      view.MayHaveKey(views.data(), views.size(), answers.get());
      for (size_t i = 0; i < lookups.size(); ++i) {
        const std::string& key = lookups[i];
        const bool may = view.MayHaveKey(key);
        ASSERT_EQ(answers[i], may) << kind.name << ", " << keys.size() << " keys: in a batch";
        if (keys.count(key) != 0) {
          ASSERT_TRUE(may) << kind.name << ", " << keys.size() << " keys: one is denied";
        } else if (key < *keys.rbegin()) {
          ASSERT_EQ(may, view.MayContain(key, key + '\0')) << kind.name << ' ' << key;
        } else if (view.info().kind == RangeFilterKind::kTrees) {
          ASSERT_FALSE(may) << "a key behind the last one";
        }
      }
    }
  }
}

TEST(RangeFilterTest, AbsentKeysPassAtTheRateOfTheBits) {
  RandomHashes random(testing::TestSeed());
  for (const RangeFilterKind kind : {RangeFilterKind::kPositions, RangeFilterKind::kRetrieval}) {
    Keys keys;
    while (keys.size() < 30'000) keys.insert(BigEndian(random.Next()));
    const FilterBlock filter = BuildRangeFilter(keys, 8, kind);
    const RangeFilterView view(filter.bytes());
    ASSERT_EQ(view.info().kind, kind);
    constexpr int kLookups = 200'000;
    int passed = 0;
    for (int i = 0; i < kLookups; ++i) {
      passed += view.MayHaveKey(BigEndian(random.Next())) ? 1 : 0;
    }
    EXPECT_NEAR(passed, kLookups / 256, 6 * std::sqrt(kLookups / 256)) << ToString(kind);
  }
}

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

// Keys have 5 bytes of time behind 16 bytes: a range begins with one user and ends with the next.
TEST(RangeFilterTest, RangesMayGoFromSomeHashedBytesToTheNext) {
  const auto key = [](uint64_t user, uint64_t time) {
    return BigEndian(0x1234567890abcdef) + BigEndian(user) + BigEndian(time);
  };
  RandomHashes random(testing::TestSeed());
  Keys keys;
  for (int i = 0; i < 20000; ++i) keys.insert(key(random.Next(), random.Next()));
  // No key is between these two.
  for (const uint64_t user : {0xffull, 0x12345678ffffffffull}) {
    keys.insert(key(user, UINT64_MAX - 10));
    keys.insert(key(user + 1, 10));
  }
  const FilterBlock filter = BuildRangeFilter(keys, 20, RangeFilterKind::kPositions);
  const RangeFilterView view(filter.bytes());
  ASSERT_EQ(view.info().is_exact, 0u);
  for (const uint64_t user : {0xffull, 0x12345678ffffffffull}) {
    EXPECT_FALSE(view.MayContain(key(user, UINT64_MAX - 9), key(user + 1, 10)));
    EXPECT_TRUE(view.MayContain(key(user, UINT64_MAX - 9), key(user + 1, 11)));
    EXPECT_TRUE(view.MayContain(key(user, UINT64_MAX - 10), key(user + 1, 10)));
    EXPECT_TRUE(view.MayContain(key(user, UINT64_MAX - 9), key(user + 2, 0))) << "too far to know";
    EXPECT_FALSE(view.MayContain(key(user, UINT64_MAX - 9), key(user, UINT64_MAX) + "x"));
  }
}

// Small sets of short keys are asked for all ranges with short bounds, including bounds that are
// truncated or extended by zeros.
TEST(RangeFilterTest, ShortKeysOfSeveralLengthsAreNeverDenied) {
  RandomHashes random(testing::TestSeed());
  const std::string bytes("\0\x01\x7f\x80\xff", 5);
  std::vector<std::string> bounds = {""};
  for (size_t i = 0; i < bounds.size() && bounds[i].size() < 3; ++i) {
    for (const char byte : bytes) bounds.push_back(bounds[i] + byte);
  }
  size_t denied = 0;
  for (int round = 0; round < 300; ++round) {
    Keys keys;
    for (uint64_t n = 1 + random.Below(8); n != 0; --n) {
      keys.insert(bounds[random.Below(bounds.size())]);
    }
    const FilterBlock filter = BuildRangeFilter(keys, 1 + static_cast<double>(random.Below(30)));
    const RangeFilterView view(filter.bytes());
    for (const std::string& begin : bounds) {
      for (const std::string& end : bounds) {
        const bool may = view.MayContain(begin, end);
        ASSERT_TRUE(may || !Has(keys, begin, end)) << round;
        denied += may ? 0 : 1;
      }
    }
  }
  EXPECT_GT(denied, 100000u);
}

TEST(RangeFilterTest, WhereKeysGetOtherLengthsDoesNotMatter) {
  for (const size_t alike : {1u, 2u, 1000u, 1024u, 1025u, 5000u}) {
    Keys keys;
    for (uint64_t i = 0; i < alike; ++i) keys.insert("key" + BigEndian(i * 977, 5));
    keys.insert("z");
    keys.insert("zebra");
    const FilterBlock filter = BuildRangeFilter(keys);
    const RangeFilterView view(filter.bytes());
    ASSERT_EQ(view.info().kind, RangeFilterKind::kTrees) << alike;
    EXPECT_EQ(view.info().num_keys, alike + 2);
    for (const std::string& key : keys) EXPECT_TRUE(view.MayContain(key, key + '\0'));
    EXPECT_FALSE(view.MayContain("a", "b"));
    EXPECT_FALSE(view.MayContain("x", "y"));
  }
}

TEST(RangeFilterTest, PositionsThatAreAskedForNeedKeysOfOneLength) {
  const Keys keys = {"a1", "a2", "b"};
  EXPECT_EQ(BuildRangeFilter(keys, 15, RangeFilterKind::kPositions).size, 0u);
  EXPECT_NE(BuildRangeFilter(keys, 15, RangeFilterKind::kTrees).size, 0u);
}

// Varies the number of bytes in which keys differ, and the index of the first key that differs in
// one more byte.
TEST(RangeFilterTest, KeysThatDifferInManyBytesAreTrees) {
  RandomHashes random(testing::TestSeed());
  for (const size_t n : {2u, 3u, 100u, 5000u}) {
    for (size_t late = 1; late < n; late = 3 * late + 1) {
      for (const size_t first : {0u, 3u, 8u, 13u}) {
        for (const size_t differing : {1u, 7u, 8u, 9u, 11u}) {
          std::set<std::string> tails;
          while (tails.size() < n) {
            std::string tail;
            for (size_t i = 1; i < differing; ++i) {
              tail += static_cast<char>(random.Below(differing < 3 ? 256 : 250));
            }
            if (differing == 1) tail = BigEndian(tails.size(), 2);
            tails.insert(tail);
          }
          Keys keys;
          size_t i = 0;
          for (const std::string& tail : tails) {
            const char last = i++ < late ? 'x' : 'y';
            const std::string same(first == 8 ? 12 : 4, 's');
            keys.insert(std::string(first, 'a') + tail + same + last);
          }
          const FilterBlock filter = BuildRangeFilter(keys);
          const RangeFilterView view(filter.bytes());
          ASSERT_EQ(view.info().num_keys, n);
          std::set<size_t> places;
          std::set<size_t> words;
          for (const std::string& key : keys) {
            for (size_t at = 0; at < key.size(); ++at) {
              if (key[at] == (*keys.begin())[at]) continue;
              places.insert(at);
              words.insert((key.size() - 1 - at) / 8);
            }
          }
          // Equal bytes before the last one make fields, which enough keys tell.
          const bool may_be_number = n < 64 || view.info().is_exact != 0;
          EXPECT_EQ(view.info().kind != RangeFilterKind::kTrees,
                    places.size() <= 8 && words.size() <= 2 && may_be_number)
              << n << " keys, " << places.size() << " bytes, " << words.size() << " words";
          for (const std::string& key : keys) ASSERT_TRUE(view.MayContain(key, key + '\0'));
        }
      }
    }
  }
}

TEST(RangeFilterTest, ABuilderSaysItsKind) {
  RangeFilterBuilder builder{RangeFilterOptions()};
  EXPECT_EQ(builder.kind(), RangeFilterKind::kNone);
  builder.Add("a1");
  EXPECT_EQ(builder.kind(), RangeFilterKind::kPositions);
  builder.Add("b");
  EXPECT_EQ(builder.kind(), RangeFilterKind::kTrees);
  builder.Clear();
  EXPECT_EQ(builder.kind(), RangeFilterKind::kNone);
}

TEST(RangeFilterTest, OneKeyIsKnown) {
  const FilterBlock filter = BuildRangeFilter(std::vector<std::string>{"key"});
  const RangeFilterView view(filter.bytes());
  EXPECT_TRUE(view.MayContain("key", "key0")) << "behind the last key";
  EXPECT_FALSE(view.MayContain("", "key"));
  EXPECT_FALSE(view.MayContain("ke", "key"));
  EXPECT_TRUE(view.MayContain("a", "z"));
}

TEST(RangeFilterTest, KeysThatCantHaveOneGetNone) {
  using List = std::vector<std::string>;
  const std::string long_key(RangeFilterBuilder::kMaxKeyBytes + 1, 'x');
  for (const List& keys :
       {List{}, List{""}, List{"b", "a"}, List{"a", "c", "b"}, List{"\xff", "\x01"},
        List{"12345678a", "12345678b", "12345678a"}, List{long_key}, List{"a", ""},
        List{"a", "cc", "b"}, List{"a", "ccc", "cc"}, List{std::string("a\0", 2), "a"},
        List{"a", "aa", long_key}}) {
    const FilterBlock filter = BuildRangeFilter(keys);
    EXPECT_EQ(filter.size, 0u);
    EXPECT_EQ(filter.data, nullptr);
    const RangeFilterView view(filter.bytes());
    EXPECT_EQ(view.fault(), Fault::kTooShort);
    EXPECT_TRUE(view.MayContain("a", "b"));
  }
  EXPECT_NE(BuildRangeFilter(List{long_key.substr(1)}).size, 0u);
  EXPECT_NE(BuildRangeFilter(List{"", "a"}).size, 0u);
}

TEST(RangeFilterTest, ABuilderBeginsAnewWhateverWasBefore) {
  const std::string expected(BuildRangeFilter(std::vector<std::string>{"k1", "k2", "k5"}).bytes());
  RangeFilterBuilder builder{RangeFilterOptions()};
  const auto expect_next = [&] {
    for (const char* key : {"k1", "k2", "k5"}) builder.Add(key);
    EXPECT_EQ(builder.num_keys(), 3u);
    EXPECT_EQ(builder.Finish().bytes(), expected);
    EXPECT_EQ(builder.num_keys(), 0u);
  };
  expect_next();
  expect_next();
  builder.Add("z");
  builder.Add("a");
  EXPECT_EQ(builder.num_keys(), 0u) << "it is known that there is none";
  EXPECT_EQ(builder.EstimateSize(100), 0u);
  builder.Add("zz");
  EXPECT_EQ(builder.Finish().size, 0u);
  expect_next();
  builder.Add("k1");
  builder.Abandon();
  builder.Add("k2");
  EXPECT_EQ(builder.Finish().size, 0u);
  expect_next();
  builder.Add("k1");
  builder.Abandon();
  builder.Clear();
  expect_next();

  builder.Add("k1");
  RangeFilterBuilder other(std::move(builder));
  other.Add("k2");
  builder = RangeFilterBuilder(RangeFilterOptions());
  expect_next();
  other.Add("k5");
  builder = std::move(other);
  EXPECT_EQ(builder.Finish().bytes(), expected);
  for (const char* key : {"k1", "k2", "k5"}) other.Add(key);
  EXPECT_EQ(other.Finish().bytes(), expected) << "moved from, and ready for the next";
}

TEST(RangeFilterTest, OptionsOutOfTheirRangeCountAsTheNearest) {
  RandomHashes random(testing::TestSeed());
  const Keys keys = SomeKeys(testing::KindsOfKeys()[0], 3000, &random);
  const auto bits = [&](double asked) {
    const FilterBlock filter = BuildRangeFilter(keys, asked);
    return RangeFilterView(filter.bytes()).info().range_bits;
  };
  EXPECT_EQ(bits(0), 1);
  EXPECT_EQ(bits(-std::numeric_limits<double>::infinity()), 1);
  EXPECT_EQ(bits(99), 32);
  EXPECT_EQ(bits(std::numeric_limits<double>::quiet_NaN()), 15);
  EXPECT_EQ(bits(12.25), 12.25);
}

TEST(RangeFilterTest, TakesTheBitsThatWereAskedForAndFewMore) {
  RandomHashes random(testing::TestSeed());
  const size_t of_one_length = testing::KindsOfKeys().size();
  size_t number = 0;
  for (const KindOfKeys& kind : testing::AllKindsOfKeys()) {
    const Keys keys = SomeKeys(kind, 20000, &random);
    const bool is_positions = number++ < of_one_length;
    for (const double range_bits : {1.0, 8.0, 12.5, 15.0, 27.0, 32.0}) {
      SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(range_bits) + " bits");
      RangeFilterOptions options;
      options.range_bits = range_bits;
      if (is_positions) options.kind = RangeFilterKind::kPositions;
      RangeFilterBuilder builder(options);
      for (const std::string& key : keys) builder.Add(key);
      EXPECT_EQ(builder.num_keys(), keys.size());
      const size_t estimate = builder.EstimateSize(keys.size());
      const FilterBlock filter = builder.Finish();
      const RangeFilterInfo info = RangeFilterView(filter.bytes()).info();
      EXPECT_EQ(info.size_bytes, filter.size);
      EXPECT_EQ(info.range_bits, range_bits);
      if (is_positions) {
        const double most = static_cast<double>(keys.size()) * (range_bits + 2.5) / 8 + 400;
        EXPECT_LE(static_cast<double>(filter.size), most);
        EXPECT_LE(filter.size, estimate + 96);
        EXPECT_EQ(info.kind, RangeFilterKind::kPositions);
        EXPECT_EQ(info.key_length, keys.begin()->size());
        EXPECT_TRUE(info.is_exact != 0 || filter.size + 400 >= estimate);
      } else {
        EXPECT_LE(filter.size, estimate);
        EXPECT_GE(filter.size + 4096, estimate / 2);
        // Long keys that differ in few places are near the size that is still worthwhile.
        const double most = keys.begin()->size() < 300 ? range_bits + 12 : 2 * range_bits + 24.5;
        EXPECT_LE(info.bits_per_key, most);
        EXPECT_EQ(info.kind, RangeFilterKind::kTrees);
        EXPECT_EQ(info.key_length, 0u);
      }
    }
  }
}

TEST(RangeFilterTest, KindsHaveNames) {
  EXPECT_EQ(ToString(RangeFilterKind::kNone), "none");
  EXPECT_EQ(ToString(RangeFilterKind::kPositions), "positions");
  EXPECT_EQ(ToString(RangeFilterKind::kTrees), "trees");
  EXPECT_EQ(ToString(RangeFilterKind::kRetrieval), "retrieval");
  EXPECT_EQ(ToString(static_cast<RangeFilterKind>(77)), "unknown");
}

}  // namespace range_filter_test
}  // namespace winnow
