// Plan of one file's filter: the keys that its builder sees, and the bits that follow from them.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_FILE_PLAN_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_FILE_PLAN_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/tree_note.h"
#include "src/family/family.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/known_trees.h"
#include "winnow/options.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Owned by the file's builder; used by one thread.
class FilePlan {
 public:
  // The file's tree, which the plan asks and tells. Null pointers stand for none.
  struct Tree {
    KnownTree known{};
    std::shared_ptr<TreeRecord> record;           // not null
    std::shared_ptr<KnownTrees> trees;            // those that share filter_memory
    std::shared_ptr<FilterFileMap> filter_files;  // gets the file's filters
    int job = 0;                                  // compaction that writes the file; 0 if unknown
    bool has_notes = false;
    bool is_partitioned = false;  // the file may have several filters
    std::optional<family::Decided>
        decided{};  // bits that are decided elsewhere, without the record
  };
  FilePlan(const PolicyOptions& policy, const BuildFacts& facts, Tree tree);
  ~FilePlan();

  // Must be called with each key or prefix that is added to the filter. Looks at one in kEvery. May
  // throw std::bad_alloc.
  void See(const ROCKSDB_NAMESPACE::Slice& key) {
    if (seen_++ % kEvery == 0) NoteKey({key.data(), key.size()});
  }
  bool has_seen() const noexcept { return seen_ > 0; }

  // Returns the options of the filter for the keys seen. `keys` is the number of those since the
  // last call, and `range_bytes` the size of a range filter of them, if there can be one. If a file
  // has several filters (partitions), the first one decides for all. May throw std::bad_alloc.
  FilterOptions Settle(uint64_t keys, size_t range_bytes = 0);

  // Returns whether filter_memory also has room for a range filter of the settled file.
  bool has_room_for_ranges() const noexcept { return policy_.range_bits > 0; }

  // Returns the note of the settled filter, of `filter_bytes` bytes, or an empty string for none.
  // May throw std::bad_alloc.
  std::string Note(size_t filter_bytes) const;

  // Records the finished bytes of the last settled filter.
  void Built(std::string_view block);

 private:
  static constexpr uint64_t kEvery = 64;
  // Number of noted keys at which every other one is dropped. The cuts of the file are among them.
  static constexpr size_t kMostNoted = 64;

  void NoteKey(std::string_view key);
  void SetCuts();
  void NoteReason(const family::Decided& decided);
  FilterOptions Planned();
  FilterOptions Sized(const KnownTotals& totals, size_t range_bytes);

  PolicyOptions policy_;  // bits_per_key and range_bits are replaced when the file is settled
  const BuildFacts facts_;
  const Tree tree_;
  uint64_t seen_ = 0;
  std::vector<std::string> noted_;  // every stride_-th one that was looked at
  uint64_t looked_ = 0;
  uint64_t stride_ = 1;
  family::NewFile file_;
  bool is_settled_ = false;
  FilterOptions settled_;
  family::FilePtr built_;
  // Hashes of partitions' tails, which readers find once the file's range is final: lookups read it
  // without a lock.
  std::vector<uint64_t> tails_;
  core::TreeNote note_;  // complete except for tree and keys
};

// Returns the number of filters of the process whose bits lookups changed. Thread-safe, also after
// main().
uint64_t CurrentLearnedFilters() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_FILE_PLAN_H_
