// How often a range filter passes a range without a key: at most as often as it promises, next to
// keys as well as elsewhere.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace {

using testing::BigEndian;
using testing::BuildRangeFilter;
using testing::DbBench;
using testing::Decimal;
using testing::RandomHashes;

// Keys that are made of numbers, some of which follow others at small distances.
struct Numbered {
  const char* name;
  std::string (*key)(uint64_t number);
  uint64_t below;  // numbers
};

std::string UserAndTime(uint64_t number) {
  const uint64_t user = (number >> 34) * 0x9e3779b97f4a7c15;
  return BigEndian(user) + BigEndian(user * 7) +
         BigEndian(1'700'000'000'000 + (number & ((uint64_t{1} << 34) - 1)));
}

constexpr Numbered kNumbered[] = {
    {"numbers", [](uint64_t number) { return BigEndian(number); }, UINT64_MAX},
    {"decimal text", [](uint64_t number) { return Decimal(number, 15); }, 1'000'000'000'000'000},
    {"16 bytes of db_bench", [](uint64_t number) { return DbBench(number, 16); },
     uint64_t{1} << 44},
    {"24 bytes of db_bench", [](uint64_t number) { return DbBench(number, 24); },
     uint64_t{1} << 60},
    {"user and time", UserAndTime, uint64_t{1} << 44},
};

// Of ranges of L numbers, close behind keys or anywhere, which have no key.
double PassedShare(const Numbered& kind, const std::set<uint64_t>& numbers,
                   const RangeFilterView& view, uint64_t length, bool is_close,
                   RandomHashes* random) {
  constexpr int kQuestions = 100000;
  int asked = 0;
  int passed = 0;
  auto at = numbers.begin();
  while (asked < kQuestions) {
    if (++at == numbers.end()) at = numbers.begin();
    const uint64_t begin = is_close ? *at + 1 + random->Below(64) : random->Below(kind.below);
    // The next user's times are no numbers of the same row.
    const auto next = numbers.lower_bound(begin);
    if (next == numbers.end() || *next - begin < length) continue;
    const std::string first = kind.key(begin);
    const std::string end = kind.key(begin + length);
    if (end <= first) continue;
    ++asked;
    passed += view.MayContain(first, end) ? 1 : 0;
  }
  return static_cast<double>(passed) / asked;
}

TEST(RangeFilterRatesTest, PassesAtMostWhatItPromises) {
  RandomHashes random(testing::TestSeed());
  for (const Numbered& kind : kNumbered) {
    std::set<uint64_t> numbers;
    while (numbers.size() < 60000) numbers.insert(random.Below(kind.below));
    // What a number stands for is in the order of the numbers within a user only.
    std::set<std::string> keys;
    for (const uint64_t number : numbers) keys.insert(kind.key(number));
    for (const double range_bits : {15.0, 12.5}) {
      const FilterBlock filter = BuildRangeFilter(keys, range_bits);
      const RangeFilterView view(filter.bytes());
      ASSERT_EQ(view.info().is_exact, 0u) << kind.name;
      for (const uint64_t length : {16u, 64u, 1024u}) {
        for (const bool is_close : {true, false}) {
          const double promised = static_cast<double>(length) * std::exp2(-range_bits);
          const double share = PassedShare(kind, numbers, view, length, is_close, &random);
          // Four standard deviations of as many questions.
          EXPECT_LE(share, promised * 1.1 + 4 * std::sqrt(promised / 100000))
              << kind.name << ", " << range_bits << " bits, ranges of " << length
              << (is_close ? " close to keys" : "");
          EXPECT_GE(share, promised / 8) << kind.name << ": what is measured is no rate";
        }
      }
    }
  }
}

}  // namespace
}  // namespace winnow
