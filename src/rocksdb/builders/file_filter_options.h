// Settles the options of a file's filter, once it is known where in the range of keys the file
// lies.

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

// For one file. The file's builder owns it.
class FileFilterOptions {
 public:
  // filter_files: gets the file's filters, by their bytes; null: they are not noted.
  // has_one_reader: see FilterFile. has_notes: filters have a note. trees: all trees of the policy,
  // whose filters share filter_memory; null: bits_per_key counts.
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

  // To be called with each key or prefix that is added to the filter. Looks at one in kEvery. May
  // throw std::bad_alloc.
  void See(const ROCKSDB_NAMESPACE::Slice& key) {
    if (seen_++ % kEvery == 0) NoteKey(key);
  }

  // The options of the filter of the keys seen, of which there are `keys`; the filter has at least
  // the fewest bits. range_bytes: what a range filter of them takes, if there can be one. If a file
  // has several filters (partitions), the first one decides for all. From here on this file counts
  // for other files. May throw std::bad_alloc.
  FilterOptions Settle(uint64_t keys, size_t range_bytes = 0);

  // Returns whether filter_memory has room for a range filter, too, of the file that was settled.
  bool has_room_for_ranges() const noexcept { return policy_.range_bits > 0; }

  // The note of the filter for which Settle was called, which takes so many bytes; empty: none. May
  // throw std::bad_alloc.
  std::string Note(size_t filter_bytes) const;

  // The filter for which Settle was called is finished.
  void Built(std::string_view block);

 private:
  static constexpr uint64_t kEvery = 64;

  static WritingJob JobOf(const BuildFacts& facts, const KnownTree& known, const TreeFiles& files);
  void NoteKey(const ROCKSDB_NAMESPACE::Slice& key);
  void NoteReason(const TreeRates::Rated& rated, bool learns);
  void SettleFile(uint64_t keys, size_t range_bytes);
  FilterOptions Sized(const KnownTotals& totals, size_t range_bytes, TreeFiles::NewFile* file);
  FilterOptions ByPlan(const TreeFiles::Place& place, bool sees_last) const;
  // Set relative_miss_heat of the file if that is known.
  FilterOptions Planned(const TreeFiles::Place& place, bool sees_last, TreeFiles::NewFile* file);
  FilterOptions ByTheRule(const FilterOptions& planned, const TreeFiles::Place& place,
                          TreeFiles::NewFile* file);

  PolicyOptions policy_;  // bits are what was asked for until the file is settled
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
  uint64_t uniform_bytes_ = 0;  // of the filter that is being finished
  TreeFiles::Id id_ = 0;        // 0: not settled
  int level_ = -1;              // TreeFiles::LevelIndex
  FilterOptions settled_;
  core::TreeNote note_;  // all but keys
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_FILE_FILTER_OPTIONS_H_
