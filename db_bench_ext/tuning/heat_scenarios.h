// Workloads of writes, overwrites and skewed lookups, for judging plans that learn from lookups.

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
  kRandom,  // each key once in random order, followed by as many writes of random existing keys
  kByHeat,  // likewise, but the second half is distributed like the lookups
  kInTime,  // each key once, ascending with a little disorder
};

struct HeatScenario {
  std::string name;
  std::string meaning;
  HeatModel heat;  // heat of the lookups
  HeatWrites writes = HeatWrites::kRandom;
  double found_share = 0;      // share of lookups for present keys
  bool while_it_grows = true;  // false: lookups only after growth
};

const std::vector<HeatScenario>& HeatScenarios();

// Returns a scenario of `tenants` groups of keys, each with a hot twentieth.
HeatScenario TenantScenario(uint64_t tenants);

// Sequence of a scenario's writes and lookups, determined by the seed. Lookups have their own
// random sequence, so that the writes do not depend on the number of lookups.
class HeatWorkload {
 public:
  // `keys` must be at least 1 and at most 2^40.
  HeatWorkload(const HeatScenario& scenario, uint64_t keys, uint64_t seed);

  uint64_t writes() const { return writes_; }  // total
  uint64_t written() const { return written_; }

  // Returns the number of the next key to write; call at most writes() times. Numbers are even.
  uint64_t NextWrite();

  // Returns the next lookup by the current distribution. If no key of a range is written yet, the
  // lookup is of an absent key.
  AskedKey NextLookup() { return Draw(&lookup_random_); }

  // Returns `n` lookups of the same distribution, without advancing the sequence of lookups.
  std::vector<AskedKey> SampleLookups(size_t n, uint64_t seed) const;

 private:
  AskedKey Draw(Random* random) const;
  double Done() const;  // share of completed writes
  uint64_t NewKey();

  const HeatScenario& scenario_;
  const uint64_t keys_;
  const uint64_t writes_;
  uint64_t written_ = 0;
  Random write_random_;
  Random lookup_random_;
  Heat heat_;
  std::vector<uint64_t> numbers_;                // all written numbers
  std::vector<std::vector<uint64_t>> by_range_;  // written numbers by range of the heat
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_HEAT_SCENARIOS_H_
