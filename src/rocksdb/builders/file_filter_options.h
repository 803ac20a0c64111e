// Options of a file's filter, settled once the file's key range is known.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_FILE_FILTER_OPTIONS_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_FILE_FILTER_OPTIONS_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/core/tree_note.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/rocksdb/trees/tree_files.h"
#include "winnow/options.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Settles the filter options of one file. Owned by the file's builder.
class FileFilterOptions {
 public:
  // `filter_files` records the file's filters by their bytes; null if they are not recorded. For
  // `has_one_reader` see FilterFile. If `has_notes`, filters get a note. `trees` has all trees of
  // the policy, whose filters share filter_memory; if null, bits_per_key applies.
  FileFilterOptions(const PolicyOptions& policy, const BuildFacts& facts, const KnownTree& known,
                    std::shared_ptr<TreeRecord> record, std::shared_ptr<FilterFileMap> filter_files,
                    bool has_one_reader, bool has_notes,
                    std::shared_ptr<KnownTrees> trees = nullptr)
      : policy_(policy),
        facts_(facts),
        known_(known),
        record_(std::move(record)),
        filter_files_(std::move(filter_files)),
        has_one_reader_(has_one_reader),
        has_notes_(has_notes),
        trees_(std::move(trees)),
        job_(JobOf(facts, known, record_->files)) {}

  // Must be called with each key or prefix that is added to the filter. Looks at one in kEvery. May
  // throw std::bad_alloc.
  void See(const ROCKSDB_NAMESPACE::Slice& key) {
    if (seen_++ % kEvery == 0) NoteKey(key);
  }
  // Returns whether the file has a key or prefix.
  bool has_seen() const noexcept { return seen_ > 0 || id_ != 0; }

  // Returns the options of the filter for the keys seen. `keys` is their number, and `range_bytes`
  // the size of a range filter of them, if there can be one. If a file has several filters
  // (partitions), the first one decides for all. From here on, this file counts for other files.
  // May throw std::bad_alloc.
  FilterOptions Settle(uint64_t keys, size_t range_bytes = 0);

  // Returns whether filter_memory also has room for a range filter of the settled file.
  bool has_room_for_ranges() const noexcept { return policy_.range_bits > 0; }

  // Returns the note of the last settled filter, of `filter_bytes` bytes, or an empty string for
  // none. May throw std::bad_alloc.
  std::string Note(size_t filter_bytes) const;

  // Records the finished bytes of the last settled filter.
  void Built(std::string_view block);

 private:
  static constexpr uint64_t kEvery = 64;

  static WritingJob JobOf(const BuildFacts& facts, const KnownTree& known, const TreeFiles& files);
  void NoteKey(const ROCKSDB_NAMESPACE::Slice& key);
  void NoteReason(const TreeRates::Rated& rated, bool learns);
  void SettleFile(uint64_t keys, size_t range_bytes);
  FilterOptions Sized(const KnownTotals& totals, size_t range_bytes, TreeFiles::NewFile* file);
  FilterOptions ByPlan(const TreeFiles::Place& place, bool sees_last) const;
  // Planned() and ByTheRule() set the file's relative_miss_heat if known.
  FilterOptions Planned(const TreeFiles::Place& place, bool sees_last, TreeFiles::NewFile* file);
  FilterOptions ByTheRule(const FilterOptions& planned, const TreeFiles::Place& place,
                          TreeFiles::NewFile* file);

  PolicyOptions policy_;  // bits_per_key and range_bits are replaced when the file is settled
  const BuildFacts facts_;
  const KnownTree known_;
  const std::shared_ptr<TreeRecord> record_;
  const std::shared_ptr<FilterFileMap> filter_files_;
  const bool has_one_reader_;
  const bool has_notes_;
  const std::shared_ptr<KnownTrees> trees_;
  WritingJob job_;
  uint64_t seen_ = 0;
  KeyRange range_;
  uint64_t uniform_bytes_ = 0;  // size of the current filter with uniform options
  TreeFiles::Id id_ = 0;        // 0 until the file is settled
  int level_ = -1;              // level index (TreeFiles::LevelIndex)
  FilterOptions settled_;
  core::TreeNote note_;  // complete except for tree and keys
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_FILE_FILTER_OPTIONS_H_
