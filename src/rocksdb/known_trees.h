// What a policy has learned of the trees that it builds filters for.
//
// RocksDB tells a policy about one file at a time, and nothing that names the database: a tree is
// known by its database's logger and its column family's name. What was learned is a guess, which
// may cost accuracy and nothing else: a logger may be shared, and its address may come again after
// a database was closed.

#ifndef WINNOW_SRC_ROCKSDB_KNOWN_TREES_H_
#define WINNOW_SRC_ROCKSDB_KNOWN_TREES_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/rocksdb/context.h"
#include "src/rocksdb/known_ranges.h"

namespace winnow::plugin {

// What families' options say that the contexts of files don't, where all that were seen agree.
struct FamilyOptions {
  double size_ratio = 0;  // max_bytes_for_level_multiplier; 0 unknown
  std::optional<bool> has_dynamic_levels;
  std::optional<bool> has_last_level_without_filters;  // optimize_filters_for_hits
};

// Safe from any number of threads.
class KnownTrees {
 public:
  // Of as many trees as this; the one that was asked for least recently is forgotten.
  static constexpr size_t kMostTrees = 64;

  // Takes in what is told of a file that is about to be built, and gives what is known now of its
  // tree. Nothing is known without a logger.
  KnownTree Learn(const void* logger, const std::string& family, const BuildFacts& facts);

  // The ranges of a tree; null if nothing is known of it.
  std::shared_ptr<KnownRanges> RangesOf(const void* logger, const std::string& family);

  // A database is opened, or gets a family, with these options. Forgets all trees: which of them
  // are the new one's is not told, and learning takes a merge.
  void BeginAfresh(const FamilyOptions& options);

 private:
  struct Entry {
    const void* logger;
    std::string family;
    KnownTree tree;
    std::shared_ptr<KnownRanges> ranges;
  };

  Entry* Find(const void* logger, const std::string& family);

  std::mutex mutex_;
  std::vector<Entry> entries_;  // the latest first
  bool has_seen_options_ = false;
  FamilyOptions options_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_KNOWN_TREES_H_
