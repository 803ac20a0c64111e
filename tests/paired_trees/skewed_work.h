// Writes, overwrites and skewed lookups of a tree.

#ifndef WINNOW_TESTS_PAIRED_TREES_SKEWED_WORK_H_
#define WINNOW_TESTS_PAIRED_TREES_SKEWED_WORK_H_

#include <cstdint>
#include <vector>

#include "db_bench_ext/read_amplification/keys/heat.h"
#include "src/base/random.h"
#include "tests/paired_trees/tree.h"

namespace winnow::paired_trees {

enum class Writes {
  kRandom,  // each key once in random order, followed by as many writes of random existing keys
  kByHeat,  // likewise, but the second half is distributed like the lookups
  kInTime,  // each key once, ascending with a little disorder
};

// Distribution of writes and lookups.
struct Skew {
  bench::HeatModel heat;  // of the lookups
  Writes writes = Writes::kRandom;
  uint64_t found_of_ten = 0;   // lookups of present keys
  bool while_it_grows = true;  // false: lookups only after growth
};

// A key to look up, by its number.
struct Lookup {
  uint64_t number;
  bool present;
};

// Sequence of writes and lookups.
class SkewedWork {
 public:
  // `keys` must be at least 1 and at most 2^40.
  SkewedWork(const Skew& skew, uint64_t keys, uint64_t seed)
      : skew_(skew),
        keys_(keys),
        random_(bench::Mix(seed)),
        heat_(skew.heat.at(0, kKeysEnd)),
        by_range_(heat_.ranges()) {}

  uint64_t writes() const { return skew_.writes == Writes::kInTime ? keys_ : 2 * keys_; }
  uint64_t written() const { return written_; }

  // Returns the number of the next key to write; call at most writes() times. Numbers are even.
  uint64_t NextWrite() {
    constexpr uint64_t kHeatSteps = 100;  // writes after which the heat may change
    const double done = static_cast<double>(written_) / static_cast<double>(writes());
    if (written_ % kHeatSteps == 0) heat_ = skew_.heat.at(done, kKeysEnd);
    if (++written_ <= keys_) return NewKey(done);
    const auto& hot = by_range_[heat_.DrawRange(&random_)];
    const auto& from = skew_.writes == Writes::kByHeat && !hot.empty() ? hot : numbers_;
    return from[bench::RandomBelow(&random_, from.size())];
  }

  // Returns a lookup by the current distribution. If no key of a range is written yet, the lookup
  // is of an absent key.
  Lookup Draw(bench::Random* random) const {
    const size_t range = heat_.DrawRange(random);
    const auto& there = by_range_[range];
    if (bench::RandomBelow(random, 10) < skew_.found_of_ten && !there.empty()) {
      return {there[bench::RandomBelow(random, there.size())], true};
    }
    return {heat_.DrawIn(range, random) | 1, false};
  }

 private:
  uint64_t NewKey(double done) {
    const bool in_time = skew_.writes == Writes::kInTime;
    const uint64_t width = in_time ? bench::EndInTime(0, kKeysEnd) : kKeysEnd;
    const uint64_t begin = in_time ? bench::EndInTime(done, kKeysEnd) - width : 0;
    const uint64_t number = (begin + bench::RandomBelow(&random_, width)) & ~uint64_t{1};
    numbers_.push_back(number);
    by_range_[heat_.RangeOf(number)].push_back(number);
    return number;
  }

  const Skew& skew_;
  const uint64_t keys_;
  uint64_t written_ = 0;
  bench::Random random_;
  bench::Heat heat_;
  std::vector<uint64_t> numbers_;                // all written numbers
  std::vector<std::vector<uint64_t>> by_range_;  // written numbers by range of the heat
};

}  // namespace winnow::paired_trees

#endif  // WINNOW_TESTS_PAIRED_TREES_SKEWED_WORK_H_
