// Lookups that ask some ranges of keys far more often than others.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_HEAT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_HEAT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/random.h"

namespace winnow::bench {

// A share of the lookups for each of several equal ranges of numbers.
class Heat {
 public:
  // Ranges of the numbers below `end`, in order. No share is negative, and one at least is
  // positive: their sum is then taken for 1. `end` is at least the number of ranges.
  Heat(const std::vector<double>& shares, uint64_t end);

  size_t ranges() const { return ends_.size(); }
  double share(size_t range) const;
  size_t RangeOf(uint64_t number) const;     // the last one for numbers that are too large
  double ShareBelow(uint64_t number) const;  // of the lookups

  size_t DrawRange(Random* random) const;
  uint64_t DrawIn(size_t range, Random* random) const;  // all numbers of the range alike

 private:
  std::vector<double> ends_;  // by range: its share and those before
  uint64_t end_;
  uint64_t width_;
};

// 0 to n - 1 in an order that the seed says.
std::vector<size_t> Shuffled(size_t n, uint64_t seed);

// One range, all of which is alike.
std::vector<double> FlatShares();

// Shares by which RocksDB's db_bench --benchmarks=mixgraph --keyrange_num=30 draws key ranges, in
// its order: the ith is that of a·exp(b·i) + c·exp(d·i), which was fitted to lookups at Facebook
// (Cao, Dong, Vemuri and Du, "Characterizing, Modeling, and Benchmarking RocksDB Key-Value
// Workloads at Facebook", FAST 2020).
std::vector<double> MixgraphShares();

// The range of rank r has a share that is proportional to r^-exponent; ranks are shuffled.
std::vector<double> ZipfShares(size_t ranges, double exponent, uint64_t seed);

// One range has this share, and the others have the rest in equal parts.
std::vector<double> HotShares(size_t ranges, size_t hot, double share);

// Bound of keys that are written in time, ascending but for a little disorder: those that are
// written when that share of the writes is done lie below this.
uint64_t EndInTime(double done, uint64_t end);

// Heat that may change while a tree is written.
struct HeatModel {
  std::string name;
  std::string meaning;  // goes on after "keys": "all alike"
  // Heat of the numbers below `end`, when that share of the writes is done, 0 to 1. Always as many
  // ranges.
  std::function<Heat(double done, uint64_t end)> at;
};

const std::vector<HeatModel>& HeatModels();

// "flat: all alike; zipf: …"
std::string HeatHelp();

// Null if there is none of the name.
const HeatModel* FindHeatModel(const std::string& name);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_HEAT_H_
