// Skewed distribution of lookups over key ranges.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_HEAT_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_HEAT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/random.h"

namespace winnow::bench {

// Shares of the lookups in several equal ranges of numbers.
class Heat {
 public:
  // Divides the numbers below `end` into ranges in order. Shares must not be negative, and one must
  // be positive; they are normalized to a sum of 1. `end` must be at least the number of ranges.
  Heat(const std::vector<double>& shares, uint64_t end);

  size_t ranges() const { return ends_.size(); }
  double share(size_t range) const;
  size_t RangeOf(uint64_t number) const;     // the last range for numbers beyond the end
  double ShareBelow(uint64_t number) const;  // share of the lookups

  size_t DrawRange(Random* random) const;
  uint64_t DrawIn(size_t range, Random* random) const;  // uniform over the numbers of the range

 private:
  std::vector<double> ends_;  // cumulative shares by range
  uint64_t end_;
  uint64_t width_;
};

// Returns 0 to n - 1 in an order determined by the seed.
std::vector<size_t> Shuffled(size_t n, uint64_t seed);

// Returns the shares of one uniform range.
std::vector<double> FlatShares();

// Returns the shares with which RocksDB's db_bench --benchmarks=mixgraph --keyrange_num=30 selects
// key ranges, in its order: the ith is that of a·exp(b·i) + c·exp(d·i), fitted to lookups at
// Facebook (Cao, Dong, Vemuri and Du, "Characterizing, Modeling, and Benchmarking RocksDB Key-Value
// Workloads at Facebook", FAST 2020).
std::vector<double> MixgraphShares();

// Returns shares proportional to r^-exponent for the range of rank r; ranks are shuffled.
std::vector<double> ZipfShares(size_t ranges, double exponent, uint64_t seed);

// Returns shares in which range `hot` has `share`, and the others have equal parts of the rest.
std::vector<double> HotShares(size_t ranges, size_t hot, double share);

// Returns the upper bound of the keys written so far, if keys are written in ascending order with a
// little disorder and `done` is the share of completed writes.
uint64_t EndInTime(double done, uint64_t end);

// Heat that may change while a tree is written.
struct HeatModel {
  std::string name;
  std::string meaning;  // completes the phrase "keys …": "all alike"
  // Returns the heat of the numbers below `end` after the share `done` of the writes, 0 to 1. The
  // number of ranges is constant.
  std::function<Heat(double done, uint64_t end)> at;
};

const std::vector<HeatModel>& HeatModels();

// Returns "flat: all alike; zipf: …"
std::string HeatHelp();

// Returns null if there is no model of this name.
const HeatModel* FindHeatModel(const std::string& name);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_HEAT_H_
