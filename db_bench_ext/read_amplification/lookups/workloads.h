// Lookups of a workload, generated from its table row, the keys and the user's choices.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_WORKLOADS_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_WORKLOADS_H_

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "db_bench_ext/read_amplification/keys/heat.h"
#include "db_bench_ext/read_amplification/keys/key_set.h"
#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "db_bench_ext/read_amplification/keys/write_sequence.h"
#include "db_bench_ext/read_amplification/lookups/benchmarks.h"
#include "db_bench_ext/read_amplification/lookups/lookups.h"

namespace winnow::bench {

// Sets of keys for lookups. A set that no workload needs may be null.
struct KeysOfRun {
  std::shared_ptr<const KeySet> range;         // keys that may have been written
  std::shared_ptr<const WrittenKeys> written;  // subset that was written; null: all
  std::shared_ptr<const KeySet> absent;        // keys that were not written
  std::shared_ptr<const KeySet> longer;        // keys of the range with an additional byte
  std::shared_ptr<const KeySet> recorded;      // keys of recorded lookups
  std::shared_ptr<const KeyTable> in_order;    // written keys for scans: KeysInOrder()
  bool absent_drawn = false;      // `absent` is a list of random draws, to be used in order
  bool longer_are_absent = true;  // no key of `longer` is in the range
};

// Salt of the seed for absent keys.
inline constexpr uint64_t kAbsentSalt = 0x616273656e74;

struct LookupChoices {
  uint64_t reads = 0;  // per workload; a recorded list has its own number
  double zipf = 0;     // exponent of the skew; 0: uniform
  uint64_t seed = 0;
  const HeatModel* heat = nullptr;  // heat of key ranges; null: readheat is not among the workloads
  double lookups_per_write = 0;     // lookups by that heat while a tree grows
  std::optional<double> absent_share;  // share of absent keys in mixed lookups
  size_t batch = 1;
  bool batched = false;
  uint64_t nexts = 0;
  uint64_t scan_length = 64;  // length in positions, see scans.h
};

// Returns lookups that are computed from their position, so that a pass takes no memory. They keep
// the keys alive. The choices of one workload do not affect another.
Lookups MakeLookups(const Benchmark& benchmark, const KeysOfRun& keys,
                    const LookupChoices& choices);

// Numbers of keys drawn by the heat of their ranges. An absent key has the number of the key before
// it.
class HeatedKeys {
 public:
  // Uses the heat after the share `done` of the writes.
  HeatedKeys(const HeatModel& model, double done, uint64_t keys)
      : heat_(model.at(done, keys)), keys_(keys) {}

  // Returns the number of an absent key.
  uint64_t Absent(Random* random) const;

  // Returns the number of a present key, or nullopt if a range has hardly any.
  std::optional<uint64_t> Present(Random* random,
                                  absl::FunctionRef<bool(uint64_t key)> is_there) const;

 private:
  Heat heat_;
  uint64_t keys_;
};

// Returns the same lookups with any result accepted.
LookupAt WithoutExpectation(LookupAt at);

// Returns whether the benchmark needs KeysOfRun::absent.
bool AsksForAbsentKeys(const Benchmark& benchmark, const LookupChoices& choices);

// Returns whether the lookup at this position belongs to the share. Of the first n positions, n
// times the share, rounded down, belong to it, evenly spread.
bool InShare(uint64_t position, double share);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_WORKLOADS_H_
