// Lookups while a tree grows and is overwritten, by which plans are judged that learn from them.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_HEAT_SCENARIOS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_HEAT_SCENARIOS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/heat.h"
#include "db_bench_ext/tuning/level_keys.h"
#include "src/base/random.h"

namespace winnow::bench {

enum class HeatWrites {
  kRandom,  // each key once in a random order, then as many writes of random keys of these
  kByHeat,  // the same, but that the second half is written as the lookups ask
  kInTime,  // each key once, ascending but for a little disorder
};

struct HeatScenario {
  std::string name;
  std::string meaning;
  HeatModel heat;  // of the lookups
  HeatWrites writes = HeatWrites::kRandom;
  double found_share = 0;      // of the lookups: those of keys that are there
  bool while_it_grows = true;  // false: lookups come at rest only
};

const std::vector<HeatScenario>& HeatScenarios();

// As many groups of keys, each with a hot twentieth.
HeatScenario TenantScenario(uint64_t tenants);

// Sequence of what a scenario writes and looks up. The same seed gives the same numbers. Lookups
// are drawn from a sequence of their own, and so writes are the same however many lookups there
// are.
class HeatWorkload {
 public:
  // `keys` is at least 1 and at most 2^40.
  HeatWorkload(const HeatScenario& scenario, uint64_t keys, uint64_t seed);

  uint64_t writes() const { return writes_; }  // in all
  uint64_t written() const { return written_; }

  // At most writes() times. Numbers that are written are even.
  uint64_t NextWrite();

  // As lookups are distributed now. Where no key of a range is written yet, all of its are absent.
  AskedKey NextLookup() { return Draw(&lookup_random_); }

  // `n` lookups of the same distribution, which leave the sequence of lookups as it is.
  std::vector<AskedKey> SampleLookups(size_t n, uint64_t seed) const;

 private:
  AskedKey Draw(Random* random) const;
  double Done() const;  // the share of the writes that was written
  uint64_t NewKey();

  const HeatScenario& scenario_;
  const uint64_t keys_;
  const uint64_t writes_;
  uint64_t written_ = 0;
  Random write_random_;
  Random lookup_random_;
  Heat heat_;
  std::vector<uint64_t> numbers_;                // all that were written
  std::vector<std::vector<uint64_t>> by_range_;  // the same by range of the heat
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_HEAT_SCENARIOS_H_
