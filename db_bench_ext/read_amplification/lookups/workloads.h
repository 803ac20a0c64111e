// The lookups of a workload, made of its row, the keys and the user's choices.

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

// Keys that lookups ask for. Null where there is none, and no workload needs it.
struct KeysOfRun {
  std::shared_ptr<const KeySet> range;         // keys that may have been written
  std::shared_ptr<const WrittenKeys> written;  // which of them were; null: all
  std::shared_ptr<const KeySet> absent;        // keys that were not
  std::shared_ptr<const KeySet> longer;        // keys of the range with a byte more
  std::shared_ptr<const KeySet> recorded;      // a list of lookups
  std::shared_ptr<const KeyTable> in_order;    // what was written, for scans: KeysInOrder
  bool absent_drawn = false;      // `absent` is random draws, to be taken one after the other
  bool longer_are_absent = true;  // no key of `longer` is one of the range
};

// Absent keys are drawn from the seed with this.
inline constexpr uint64_t kAbsentSalt = 0x616273656e74;

struct LookupChoices {
  uint64_t reads = 0;  // of each workload; of a recorded list: as many as it has
  double zipf = 0;     // exponent of the skew; 0: all alike
  uint64_t seed = 0;
  const HeatModel* heat = nullptr;     // of key ranges; null: readheat is not among the workloads
  double lookups_per_write = 0;        // by that heat, while a tree grows
  std::optional<double> absent_share;  // of lookups that are not of present or absent keys only
  size_t batch = 1;
  bool batched = false;
  uint64_t nexts = 0;
  uint64_t scan_length = 64;  // in positions: scans.h
};

// Each lookup is computed from its position: what a pass asks for takes no memory. Keeps the keys
// alive. The choices of one workload do not change another.
Lookups MakeLookups(const Benchmark& benchmark, const KeysOfRun& keys,
                    const LookupChoices& choices);

// Numbers of keys by the heat of their ranges. The numbers of absent keys are those of the keys
// before them.
class HeatedKeys {
 public:
  // When that share of the writes is done.
  HeatedKeys(const HeatModel& model, double done, uint64_t keys)
      : heat_(model.at(done, keys)), keys_(keys) {}

  // Returns the number of a key that is not there.
  uint64_t Absent(Random* random) const;

  // Returns the number of a key that is there; unset if a range has none, or hardly any.
  std::optional<uint64_t> Present(Random* random,
                                  absl::FunctionRef<bool(uint64_t key)> is_there) const;

 private:
  Heat heat_;
  uint64_t keys_;
};

// The same lookups, of which any answer will do.
LookupAt WithoutExpectation(LookupAt at);

// Returns whether it needs KeysOfRun::absent.
bool AsksForAbsentKeys(const Benchmark& benchmark, const LookupChoices& choices);

// Returns whether the lookup at this position is one of the share's: of the first n positions, n
// times the share rounded down are, evenly spread.
bool InShare(uint64_t position, double share);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_LOOKUPS_WORKLOADS_H_
