// Skewed lookups while a tree grows, from which a policy can learn.

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

// Number of intervals of a growth, with equal numbers of writes.
inline constexpr uint64_t kGrowthIntervals = 40;

struct GrowthHeat {
  const KeysOfRun& keys;         // includes absent keys
  const LookupChoices& choices;  // includes a heat
};

// Lookups in one tree, on the writing thread. Verifies every result. Takes one bit per key.
class GrowthLookups {
 public:
  // The keys, the choices and the writes must outlive it.
  GrowthLookups(const GrowthHeat& heat, const WriteSequence& writes);
  GrowthLookups(const GrowthLookups&) = delete;
  GrowthLookups& operator=(const GrowthLookups&) = delete;

  // Runs the lookups that are due after `written` writes of the sequence, by the heat of that time.
  // Keys that are not written yet are expected to be absent.
  absl::Status After(rocksdb::DB* db, uint64_t written);

  // Returns all intervals so far, in order of time.
  const std::vector<inspect::GrowthInterval>& intervals() const { return intervals_; }

 private:
  Asked Next(const HeatedKeys& heated, std::string* room);
  absl::Status EndInterval(rocksdb::DB* db, uint64_t written);

  const GrowthHeat heat_;
  const WriteSequence& writes_;
  const double absent_share_;
  Lookups lookups_;  // name for messages
  std::unique_ptr<Reader> reader_;
  std::vector<bool> there_;  // indexed by number of the key
  uint64_t written_ = 0;
  uint64_t asked_ = 0;
  inspect::WorkloadCounts counts_;  // counts of the current interval
  std::vector<inspect::GrowthInterval> intervals_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_GROWTH_LOOKUPS_H_
