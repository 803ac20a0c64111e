// Memory and false reads of a tree's filters, compared to those of a uniform policy.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_TREE_COST_H_
#define WINNOW_DB_BENCH_EXT_TUNING_TREE_COST_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/tuning/level_keys.h"
#include "db_bench_ext/tuning/level_tree.h"

namespace winnow::bench {

// An SST file and its filter.
struct FilterFile {
  std::string name;  // name with a leading slash
  size_t level = 0;
  uint64_t first = 0;  // number of its first key
  uint64_t last = 0;
  uint64_t newest = 0;  // sequence number of its last write
  uint64_t keys = 0;    // keys in the filter, or entries of a file without one
  uint64_t bytes = 0;   // size of the filter
  uint64_t blocks = 0;  // 1, or the number of partitions; 0: no filter, with a rate of 1
  double rate = 1;      // reported by the filter
  std::shared_ptr<const std::vector<uint64_t>> numbers;  // ascending; null: not read
};

// Reads the filters of trees, each file once.
class FilterReader {
 public:
  // `reads_numbers`: read the numbers of all keys, as needed for the cost of lookups of present
  // keys.
  explicit FilterReader(bool reads_numbers = false) : reads_numbers_(reads_numbers) {}

  // Returns the files of the only column family, whose keys consist of the tree's prefix and a
  // number, in the order of lookups: those of level 0, newest first, then level by level.
  // Compactions may run during the call.
  absl::StatusOr<std::vector<FilterFile>> Read(const LevelTree& tree);

 private:
  const bool reads_numbers_;
  std::map<std::string, FilterFile> files_;  // files of the last call, indexed by name
};

// Sums over the files of a tree. Rates are those that the filters report, which other tests verify:
// a tree is thus judged without random variation of lookups.
struct TreeCost {
  uint64_t keys = 0;  // total keys in the files
  uint64_t filter_bytes = 0;
  uint64_t uniform_bytes = 0;      // size of uniform Winnow filters with the policy's bits
  double equal_bits = 0;           // bits_per_key at which a uniform policy takes filter_bytes
  double false_reads = 0;          // expected per lookup
  double uniform_false_reads = 0;  // false reads with uniform filters of equal_bits
  std::vector<uint64_t> keys_by_level;
  std::vector<double> bits_by_level;  // bits per key of the filters
  std::vector<double>
      files_by_level;  // checked by a lookup of an absent key, if all files cover its range

  double MemoryToUniform() const {
    return static_cast<double>(filter_bytes) / static_cast<double>(uniform_bytes);
  }
};

// Returns the mean expected false reads of these lookups: each checks the files whose range
// contains its key, and for a present key only up to the first file that has it. Neither list may
// be empty. A present key in none of the files, for example in memory, costs nothing.
TreeCost CostOf(const std::vector<FilterFile>& files, const std::vector<AskedKey>& lookups,
                double bits_per_key);

// Returns absent keys, uniformly distributed between the smallest and the largest key of the files.
std::vector<AskedKey> EvenLookups(const std::vector<FilterFile>& files);

// Returns absent keys, evenly distributed over the keys of the files, assuming evenly spaced keys
// within each file.
std::vector<AskedKey> LookupsByKeys(const std::vector<FilterFile>& files);

// Returns the files that have a filter.
std::vector<FilterFile> WithFilters(std::vector<FilterFile> files);

// Maximum observed ratio of filter bytes to uniform bytes of a tree.
class MostMemory {
 public:
  explicit MostMemory(double bits_per_key) : bits_per_key_(bits_per_key) {}

  void See(const std::vector<FilterFile>& files);

  double share() const { return share_; }

 private:
  const double bits_per_key_;
  double share_ = 0;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_TREE_COST_H_
