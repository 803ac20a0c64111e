// Tests of the false-positive rates of range filters: at most those promised, close to keys and
// elsewhere. WINNOW_RANGE_KEYS=20000000 tests twelve sorted runs of this many keys in total, and
// prints the results.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/core/range_filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace range_filter_rates_test {

using testing::BigEndian;
using testing::BuildRangeFilter;
using testing::DbBench;
using testing::Decimal;
using testing::RandomHashes;

// Keys made from numbers, some of which follow others at small distances.
struct Numbered {
  const char* name;
  std::string (*key)(uint64_t number);
  uint64_t below;  // upper bound of numbers
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

// Returns the false-positive rate of ranges of `length` numbers without a key, close behind keys or
// anywhere.
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
    // Times of the next user are not in the same sequence of numbers.
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

void ExpectRates(const Numbered& kind, const std::set<uint64_t>& numbers,
                 const std::set<std::string>& keys, double range_bits, RangeFilterKind way,
                 RandomHashes* random) {
  const FilterBlock filter = BuildRangeFilter(keys, range_bits, way);
  const RangeFilterView view(filter.bytes());
  ASSERT_EQ(view.info().kind, way) << kind.name;
  ASSERT_EQ(view.info().is_exact, 0u) << kind.name;
  for (const uint64_t length : {16u, 64u, 1024u}) {
    for (const bool is_close : {true, false}) {
      const double promised = static_cast<double>(length) * std::exp2(-range_bits);
      const double share = PassedShare(kind, numbers, view, length, is_close, random);
      // The tolerance is four standard deviations for this number of questions.
      EXPECT_LE(share, promised * 1.1 + 4 * std::sqrt(promised / 100000))
          << kind.name << ", " << range_bits << " bits, ranges of " << length
          << (is_close ? " close to keys" : "");
      // A retrieval knows the low bits of a block that has a key.
      if (is_close && way == RangeFilterKind::kRetrieval) continue;
      EXPECT_GE(share, promised / 8) << kind.name << ": what is measured is no rate";
    }
  }
}

TEST(RangeFilterRatesTest, PassesAtMostWhatItPromises) {
  RandomHashes random(testing::TestSeed());
  for (const Numbered& kind : kNumbered) {
    std::set<uint64_t> numbers;
    while (numbers.size() < 60000) numbers.insert(random.Below(kind.below));
    // Keys are ordered by their numbers within a user only.
    std::set<std::string> keys;
    for (const uint64_t number : numbers) keys.insert(kind.key(number));
    for (const double range_bits : {15.0, 12.5}) {
      for (const auto way : {RangeFilterKind::kPositions, RangeFilterKind::kRetrieval}) {
        ExpectRates(kind, numbers, keys, range_bits, way, &random);
      }
    }
  }
}

// Random 8-byte keys in twelve sorted runs, as in a tree; each run is asked all questions.
TEST(RangeFilterRatesTest, TwelveRunsPassAtMostWhatTheyPromise) {
  constexpr size_t kRuns = 12;
  constexpr double kBits = 15;
  const char* const asked_for = std::getenv("WINNOW_RANGE_KEYS");
  const uint64_t questions = asked_for != nullptr ? 400'000 : 20'000;
  const uint64_t num_keys = asked_for != nullptr ? std::strtoull(asked_for, nullptr, 10) : 240'000;
  RandomHashes random(testing::TestSeed());
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < num_keys; ++i) numbers.push_back(random.Next());
  std::sort(numbers.begin(), numbers.end());
  std::vector<FilterBlock> filters;
  std::vector<RangeFilterBuilder> builders;
  for (size_t run = 0; run < kRuns; ++run) {
    builders.emplace_back(RangeFilterOptions{kBits});
  }
  for (const uint64_t number : numbers) {
    builders[random.Below(kRuns)].Add(BigEndian(number));
  }
  std::vector<RangeFilterView> views;
  for (RangeFilterBuilder& builder : builders) {
    filters.push_back(builder.Finish());
    views.emplace_back(filters.back().bytes());
  }
  for (const uint64_t length : {16u, 64u, 1024u}) {
    for (const bool is_close : {true, false}) {
      uint64_t asked = 0;
      uint64_t passed = 0;
      while (asked < questions * kRuns) {
        const uint64_t begin = is_close ? numbers[random.Below(num_keys)] + 1 : random.Next();
        const auto next = std::lower_bound(numbers.begin(), numbers.end(), begin);
        if (next == numbers.end() || *next - begin < length) continue;
        for (const RangeFilterView& view : views) {
          ++asked;
          passed += view.MayContain(BigEndian(begin), BigEndian(begin + length)) ? 1 : 0;
        }
      }
      const double promised = static_cast<double>(length) * std::exp2(-kBits);
      const double share = static_cast<double>(passed) / static_cast<double>(asked);
      if (asked_for != nullptr) {
        std::printf("%llu keys, %s, L = %llu: %.6f passed, %.3f of L / 2^w\n",
                    static_cast<unsigned long long>(num_keys),
                    is_close ? "behind keys" : "anywhere", static_cast<unsigned long long>(length),
                    share, share / promised);
      }
      EXPECT_LE(share, 1.1 * promised + 4 * std::sqrt(promised / static_cast<double>(asked)));
      EXPECT_GE(share, promised / 4) << "what is measured is no rate";
    }
  }
}

// Kinds of scans of paths, from a path in the filter, one that is not, and random numbers: of all
// keys that begin with a prefix.
struct PathScan {
  const char* name;
  double most;  // maximum share of generated paths that may pass
  std::string (*prefix)(const std::string& in, const std::string& out, RandomHashes* random);
  bool is_behind_prefix = false;  // the prefix itself is not in the range
};

std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string Letters(int n, RandomHashes* random) {
  std::string letters;
  while (n-- != 0) letters += static_cast<char>('a' + random->Below(26));
  return letters;
}

using Path = const std::string&;
constexpr PathScan kPathScans[] = {
    {"names that a name begins", 0.001, [](Path in, Path, RandomHashes*) { return in; }, true},
    {"names in a name", 0.001, [](Path in, Path, RandomHashes*) { return in + '/'; }},
    {"an absent name", 0.5, [](Path, Path out, RandomHashes*) { return out; }},
    {"an absent folder", 0.5, [](Path, Path out, RandomHashes*) { return FolderOf(out) + '/'; }},
    {"three letters in a folder", 0.5,
     [](Path, Path out, RandomHashes* random) { return FolderOf(out) + '/' + Letters(3, random); }},
    {"a folder with two letters more", 0.5,
     [](Path, Path out, RandomHashes* random) { return FolderOf(out) + Letters(2, random) + '/'; }},
    {"a part of a path and two letters", 0.9,
     [](Path in, Path, RandomHashes* random) {
       return in.substr(0, 1 + random->Below(in.size())) + Letters(2, random);
     }},
};

TEST(RangeFilterRatesTest, ScansOfPathsAreFilteredByKind) {
  RandomHashes random(testing::TestSeed());
  std::set<std::string> paths;
  while (paths.size() < 20000) {
    std::string path = "/srv/" + std::to_string(random.Below(50));
    path += "/project-" + std::to_string(random.Below(1000) * 0x9e3779b97f4a7c15);
    if (random.Below(8) == 0) paths.insert(path);
    paths.insert(path + "/" + testing::SomeBytesOf("abcdefghijklmnopqrst", 12, &random) + ".txt");
  }
  std::vector<std::string> in;
  std::vector<std::string> out;
  for (const std::string& path : paths) (random.Below(2) == 0 ? in : out).push_back(path);
  const testing::Keys keys(in.begin(), in.end());
  const FilterBlock filter = BuildRangeFilter(in);
  const RangeFilterView view(filter.bytes());
  ASSERT_EQ(view.info().kind, RangeFilterKind::kTrees);
  for (const PathScan& scan : kPathScans) {
    int asked = 0;
    int passed = 0;
    for (int i = 0; i < 40000; ++i) {
      std::string begin =
          scan.prefix(in[random.Below(in.size())], out[random.Below(out.size())], &random);
      std::string end = begin;
      ++end.back();
      if (scan.is_behind_prefix) begin += '\0';
      const bool may = view.MayContain(begin, end);
      const bool has = testing::Has(keys, begin, end);
      ASSERT_TRUE(may || !has) << scan.name;
      if (has || end > in.back()) continue;
      ++asked;
      passed += may ? 1 : 0;
    }
    const double share = static_cast<double>(passed) / std::max(asked, 1);
    EXPECT_LE(share, scan.most) << scan.name << ", of " << asked;
  }
}

}  // namespace range_filter_rates_test
}  // namespace winnow
