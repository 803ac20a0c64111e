// Memory and false reads of a tree's filters, and those of a uniform policy's.

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

// An SST file, and its filter.
struct FilterFile {
  std::string name;  // with the slash before it
  size_t level = 0;
  uint64_t first = 0;  // of the numbers of its keys
  uint64_t last = 0;
  uint64_t newest = 0;  // the sequence number of its last write
  uint64_t keys = 0;    // in the filter; without one, entries of the file
  uint64_t bytes = 0;   // of the filter
  uint64_t blocks = 0;  // 1, or a filter's partitions; 0: the file has no filter, and a rate of 1
  double rate = 1;      // that the filter states
  std::shared_ptr<const std::vector<uint64_t>> numbers;  // in order; null: they were not read
};

// Reads the filters of trees, each file once.
class FilterReader {
 public:
  // `reads_numbers`: of all keys, as the cost of lookups that find their key needs.
  explicit FilterReader(bool reads_numbers = false) : reads_numbers_(reads_numbers) {}

  // The files of the one family, whose keys are the tree's prefix and a number's, in the order in
  // which lookups ask them: those of level 0, the newest first, then level by level. The tree may
  // be at work.
  absl::StatusOr<std::vector<FilterFile>> Read(const LevelTree& tree);

 private:
  const bool reads_numbers_;
  std::map<std::string, FilterFile> files_;  // by name, of the last look
};

// Sums over the files of a tree. Rates are those that the filters state; that they hold is tested
// elsewhere, and so a tree is judged without the chance of lookups.
struct TreeCost {
  uint64_t keys = 0;  // of the files
  uint64_t filter_bytes = 0;
  uint64_t uniform_bytes = 0;      // of Winnow filters in the same files, all of the policy's bits
  double equal_bits = 0;           // the bits_per_key at which a uniform policy takes filter_bytes
  double false_reads = 0;          // expected of a lookup
  double uniform_false_reads = 0;  // with equal_bits
  std::vector<uint64_t> keys_by_level;
  std::vector<double> bits_by_level;  // of the filters, a key
  std::vector<double>
      files_by_level;  // that a lookup asks for an absent key, if all have its range

  double MemoryToUniform() const {
    return static_cast<double>(filter_bytes) / static_cast<double>(uniform_bytes);
  }
};

// Returns what so many lookups of these keys read falsely on an average: each asks the files in
// whose range its key lies, a present one as far as the first file that has it. Neither list is
// empty; a present key that is in none of the files is elsewhere, as in memory, and costs nothing.
TreeCost CostOf(const std::vector<FilterFile>& files, const std::vector<AskedKey>& lookups,
                double bits_per_key);

// Absent keys between the least and the greatest one of the files, all alike.
std::vector<AskedKey> EvenLookups(const std::vector<FilterFile>& files);

// Absent keys that fall evenly over the keys of the files, each of which has its own evenly.
std::vector<AskedKey> LookupsByKeys(const std::vector<FilterFile>& files);

// Those that have a filter.
std::vector<FilterFile> WithFilters(std::vector<FilterFile> files);

// The greatest of the shares filter bytes / uniform bytes that a tree was seen to have.
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
