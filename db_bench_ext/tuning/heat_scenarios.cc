#include "db_bench_ext/tuning/heat_scenarios.h"

#include <algorithm>
#include <utility>

namespace winnow::bench {
namespace {

constexpr uint64_t kEnd = kLevelKeysEnd;

// Number of writes after which the heat may change.
constexpr uint64_t kHeatSteps = 100;

uint64_t ShareOf(double share, uint64_t number) {
  return static_cast<uint64_t>(share * static_cast<double>(number));
}

}  // namespace

const std::vector<HeatScenario>& HeatScenarios() {
  static const auto* const scenarios = new std::vector<HeatScenario>{
      {"flat", "absent keys, all alike", *FindHeatModel("flat")},
      {"mixgraph", "absent keys by the heat of mixgraph's 30 key ranges",
       *FindHeatModel("mixgraph")},
      {"mixgraph_found", "the same, but nine of ten are present", *FindHeatModel("mixgraph"),
       HeatWrites::kRandom, 0.9},
      {"zipf", "absent keys by zipf 0.99 over 1000 ranges", *FindHeatModel("zipf")},
      {"moving", "absent keys, nine of ten in a tenth of the range that moves six times",
       *FindHeatModel("moving")},
      {"then_flat", "mixgraph's heat until the tree is overwritten, then all absent keys alike",
       *FindHeatModel("then_flat")},
      {"no_lookups", "none before the tree is at rest, then absent keys, all alike",
       *FindHeatModel("flat"), HeatWrites::kRandom, 0, false},
      {"skewed", "absent keys by mixgraph's heat, by which the tree is overwritten as well",
       *FindHeatModel("mixgraph"), HeatWrites::kByHeat},
      {"time_series", "keys ascend, but for the last 2 %; absent keys, 80 % in the newest tenth",
       *FindHeatModel("newest"), HeatWrites::kInTime},
  };
  return *scenarios;
}

HeatScenario TenantScenario(uint64_t tenants) {
  constexpr size_t kParts = 20;
  constexpr size_t kHot = 7;
  std::vector<double> shares;
  for (uint64_t tenant = 0; tenant < tenants; ++tenant) {
    const std::vector<double> of_one = HotShares(kParts, kHot, 0.9);
    shares.insert(shares.end(), of_one.begin(), of_one.end());
  }
  const auto at = [shares](double, uint64_t end) { return Heat(shares, end); };
  const std::string meaning = "absent keys, nine of ten in a hot twentieth of each tenant's";
  return {"tenants", meaning, {"tenants", meaning, at}};
}

HeatWorkload::HeatWorkload(const HeatScenario& scenario, uint64_t keys, uint64_t seed)
    : scenario_(scenario),
      keys_(keys),
      writes_(scenario.writes == HeatWrites::kInTime ? keys : 2 * keys),
      write_random_(Mix(2 * seed)),
      lookup_random_(Mix(2 * seed + 1)),
      heat_(scenario.heat.at(0, kEnd)),
      by_range_(heat_.ranges()) {}

double HeatWorkload::Done() const {
  return static_cast<double>(written_) / static_cast<double>(writes_);
}

uint64_t HeatWorkload::NewKey() {
  const bool in_time = scenario_.writes == HeatWrites::kInTime;
  const uint64_t width = in_time ? EndInTime(0, kEnd) : kEnd;
  const uint64_t begin = in_time ? EndInTime(Done(), kEnd) - width : 0;
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
  if (written_ % kHeatSteps == 0 || written_ == writes_) heat_ = scenario_.heat.at(Done(), kEnd);
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
