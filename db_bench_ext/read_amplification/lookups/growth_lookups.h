// Lookups by the heat of key ranges while a tree grows, so that a policy has what to learn from.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_GROWTH_LOOKUPS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_GROWTH_LOOKUPS_H_

#include <absl/status/status.h>
#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/lookups/lookups.h"
#include "db_bench_ext/read_amplification/lookups/readers.h"
#include "db_bench_ext/read_amplification/lookups/workloads.h"
#include "db_bench_ext/read_amplification/results/readamp_results.h"

namespace winnow::bench {

// So many intervals of equal numbers of writes does a growth have.
inline constexpr uint64_t kGrowthIntervals = 40;

struct GrowthHeat {
  const KeysOfRun& keys;         // with absent ones
  const LookupChoices& choices;  // with a heat
};

// Lookups in one tree, on the thread that writes. Every lookup is checked. A bit a key in memory.
class GrowthLookups {
 public:
  // The keys, the choices and the writes outlive it.
  GrowthLookups(const GrowthHeat& heat, const WriteSequence& writes);
  GrowthLookups(const GrowthLookups&) = delete;
  GrowthLookups& operator=(const GrowthLookups&) = delete;

  // Makes the lookups that are due after so many writes of the sequence, by the heat of that time;
  // none of the keys that are yet to be written is taken for present.
  absl::Status After(rocksdb::DB* db, uint64_t written);

  // All so far, in order of time.
  const std::vector<inspect::GrowthInterval>& intervals() const { return intervals_; }

 private:
  Asked Next(const HeatedKeys& heated, std::string* room);
  absl::Status EndInterval(rocksdb::DB* db, uint64_t written);

  const GrowthHeat heat_;
  const WriteSequence& writes_;
  const double absent_share_;
  Lookups lookups_;  // what messages name
  std::unique_ptr<Reader> reader_;
  std::vector<bool> there_;  // by number of the key
  uint64_t written_ = 0;
  uint64_t asked_ = 0;
  inspect::WorkloadCounts counts_;  // of the interval
  std::vector<inspect::GrowthInterval> intervals_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_GROWTH_LOOKUPS_H_
