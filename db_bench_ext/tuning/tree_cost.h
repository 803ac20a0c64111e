// What the filters of a tree cost and let through, and what those of a uniform policy would.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_TREE_COST_H_
#define WINNOW_DB_BENCH_EXT_TUNING_TREE_COST_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/level_scenarios.h"

namespace winnow::bench {

// Sums over the files of a tree. Rates are those that the filters state; that they hold is tested
// elsewhere, and so a tree is judged without the chance of lookups.
struct TreeCost {
  uint64_t keys = 0;  // entries of the files
  uint64_t filter_bytes = 0;
  uint64_t uniform_bytes = 0;  // of Winnow filters in the same files, all of the policy's bits
  double equal_bits = 0;       // the bits_per_key at which a uniform policy takes filter_bytes
  double false_reads = 0;      // expected of an absent key between the least and the greatest one
  double uniform_false_reads = 0;  // with equal_bits
  std::vector<uint64_t> keys_by_level;
  std::vector<double> bits_by_level;   // of the filters, a key
  std::vector<double> files_by_level;  // in whose range an absent key lies
};

// Of the one family of an open database that lies in the folder, all of whose keys are a prefix and
// a LevelKey. Files without a filter are left out.
absl::StatusOr<TreeCost> MeasureTree(const LevelTree& tree, double bits_per_key);

// The greatest of the shares filter_bytes / uniform_bytes that a tree was seen to have.
class MostMemory {
 public:
  explicit MostMemory(double bits_per_key) : bits_per_key_(bits_per_key) {}

  // The tree may be at work: files that are gone are left out.
  absl::Status Look(const LevelTree& tree);

  double share() const { return share_; }

 private:
  struct Bytes {
    uint64_t filter;
    uint64_t uniform;
  };

  const double bits_per_key_;
  std::map<std::string, Bytes> files_;  // that were seen, by name
  double share_ = 0;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_TREE_COST_H_
