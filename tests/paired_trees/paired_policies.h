// Several policies' filters of the files of one tree.
//
// The timing of compactions depends on threads, so that two runs grow two trees, whose false reads
// differ by more than those of two policies. Here one tree grows with the filters of the first
// policy. The others are shadows: each builds its own filter of every file, and gets events of the
// file and of its readers as if the file had that filter, which is then dropped.

#ifndef WINNOW_TESTS_PAIRED_TREES_PAIRED_POLICIES_H_
#define WINNOW_TESTS_PAIRED_TREES_PAIRED_POLICIES_H_

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/paired_trees/skewed_work.h"

namespace winnow::paired_trees {

// Filters of a file, by policy.
struct PairedFile {
  std::vector<uint64_t> numbers;     // of its keys, ascending
  std::vector<std::string> filters;  // empty: none
  std::vector<double> rates;         // reported by the filters
};

// Files in the order of lookups: those of level 0, newest first, then level by level.
using PairedFiles = std::vector<std::shared_ptr<const PairedFile>>;

// Returns the expected false reads per lookup, by policy. A lookup checks the files whose range
// contains its key, and for a present key only up to the first file that has it. A present key in
// none of the files, for example in memory, costs nothing.
std::vector<double> FalseReads(const PairedFiles& files, const std::vector<Lookup>& lookups);

struct PairedPolicy {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  std::shared_ptr<rocksdb::EventListener> listener;  // null: none
};

class KnownFiles;

// Thread-safe.
class PairedPolicies {
 public:
  // There must be at least one policy. Each is of its own library, since a library's listener takes
  // the filter that the library has built last in the thread for that of the file.
  explicit PairedPolicies(std::vector<PairedPolicy> policies);

  // Sets filter policy, listeners and table factory.
  void SetIn(rocksdb::Options* options) const;

  // Returns the files of the database for which the first policy has built a filter.
  PairedFiles FilesOf(rocksdb::DB* db) const;

 private:
  const std::vector<PairedPolicy> policies_;
  const std::shared_ptr<KnownFiles> known_;
};

}  // namespace winnow::paired_trees

#endif  // WINNOW_TESTS_PAIRED_TREES_PAIRED_POLICIES_H_
