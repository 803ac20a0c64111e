#include "db_bench_ext/tuning/heat_scenarios.h"

#include <algorithm>
#include <utility>

namespace winnow::bench {
namespace {

// Numbers of keys are below this.
constexpr uint64_t kEnd = uint64_t{1} << 62;

// Time series: so far behind the newest key of all may a key come, as a share of all keys.
constexpr double kDisorder = 0.02;

constexpr uint64_t kShuffle = 7;

// The heat may change after so many writes.
constexpr uint64_t kHeatSteps = 100;

uint64_t ShareOf(double share, uint64_t number) {
  return static_cast<uint64_t>(share * static_cast<double>(number));
}

std::function<Heat(double)> Always(const std::vector<double>& shares) {
  return [heat = Heat(shares, kEnd)](double) { return heat; };
}

Heat MovingHeat(double done) {
  constexpr size_t kRanges = 10;
  constexpr size_t kMoves = 6;
  const auto moves = std::min(static_cast<size_t>(done * (kMoves + 1)), kMoves);
  return Heat(HotShares(kRanges, Shuffled(kRanges, kShuffle)[moves], 0.9), kEnd);
}

// Of the same ranges before and after.
Heat ThenFlatHeat(double done) {
  std::vector<double> shares = MixgraphShares();
  if (done >= 0.5) std::fill(shares.begin(), shares.end(), 1.0);
  return Heat(shares, kEnd);
}

// Keys that are written when that share of the writes is done lie below this.
uint64_t EndInTime(double done) { return ShareOf(kDisorder + (1 - kDisorder) * done, kEnd); }

Heat NewestHeat(double done) { return Heat(HotShares(10, 9, 0.8), EndInTime(done)); }

}  // namespace

const std::vector<HeatScenario>& HeatScenarios() {
  static const auto* const scenarios = new std::vector<HeatScenario>{
      {"flat", "absent keys, all alike", Always(FlatShares())},
      {"mixgraph", "absent keys by the heat of mixgraph's 30 key ranges", Always(MixgraphShares())},
      {"mixgraph_found", "the same, but nine of ten are present", Always(MixgraphShares()),
       HeatWrites::kRandom, 0.9},
      {"zipf", "absent keys by zipf 0.99 over 1000 ranges",
       Always(ZipfShares(1000, 0.99, kShuffle))},
      {"moving", "absent keys, nine of ten in a tenth of the range that moves six times",
       MovingHeat},
      {"then_flat", "mixgraph's heat until the tree is overwritten, then all absent keys alike",
       ThenFlatHeat},
      {"no_lookups", "none before the tree is at rest, then absent keys, all alike",
       Always(FlatShares()), HeatWrites::kRandom, 0, false},
      {"skewed", "absent keys by mixgraph's heat, by which the tree is overwritten as well",
       Always(MixgraphShares()), HeatWrites::kByHeat},
      {"time_series", "keys ascend, but for the last 2 %; absent keys, 80 % in the newest tenth",
       NewestHeat, HeatWrites::kInTime},
  };
  return *scenarios;
}

HeatWorkload::HeatWorkload(const HeatScenario& scenario, uint64_t keys, uint64_t seed)
    : scenario_(scenario),
      keys_(keys),
      writes_(scenario.writes == HeatWrites::kInTime ? keys : 2 * keys),
      write_random_(Mix(2 * seed)),
      lookup_random_(Mix(2 * seed + 1)),
      heat_(scenario.heat(0)),
      by_range_(heat_.ranges()) {}

double HeatWorkload::Done() const {
  return static_cast<double>(written_) / static_cast<double>(writes_);
}

uint64_t HeatWorkload::NewKey() {
  const bool in_time = scenario_.writes == HeatWrites::kInTime;
  const uint64_t width = in_time ? EndInTime(0) : kEnd;
  const uint64_t begin = in_time ? EndInTime(Done()) - width : 0;
  const uint64_t number = (begin + RandomBelow(&write_random_, width)) & ~uint64_t{1};
  numbers_.push_back(number);
  by_range_[heat_.RangeOf(number)].push_back(number);
  return number;
}

uint64_t HeatWorkload::NextWrite() {
  uint64_t number;
  if (written_ < keys_) {
    number = NewKey();
  } else {
    const std::vector<uint64_t>* from = &numbers_;
    if (scenario_.writes == HeatWrites::kByHeat) {
      const auto& range = by_range_[heat_.DrawRange(&write_random_)];
      if (!range.empty()) from = &range;
    }
    number = (*from)[RandomBelow(&write_random_, from->size())];
  }
  ++written_;
  if (written_ % kHeatSteps == 0 || written_ == writes_) heat_ = scenario_.heat(Done());
  return number;
}

AskedKey HeatWorkload::Draw(Random* random) const {
  const size_t range = heat_.DrawRange(random);
  const auto& there = by_range_[range];
  constexpr uint64_t kParts = 1'000'000;
  if (RandomBelow(random, kParts) < ShareOf(scenario_.found_share, kParts) && !there.empty()) {
    return {there[RandomBelow(random, there.size())], true};
  }
  return {heat_.DrawIn(range, random) | 1, false};
}

std::vector<AskedKey> HeatWorkload::SampleLookups(size_t n, uint64_t seed) const {
  Random random(Mix(seed));
  std::vector<AskedKey> lookups;
  lookups.reserve(n);
  for (size_t i = 0; i < n; ++i) lookups.push_back(Draw(&random));
  return lookups;
}

}  // namespace winnow::bench
