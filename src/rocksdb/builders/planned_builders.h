// Builder of a file's filter by the policy's options, with or without a level plan.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_PLANNED_BUILDERS_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_PLANNED_BUILDERS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/hash_guard.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/ranges/range_part.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/known_trees.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Shared state of a policy: its trees, and the loads of its filters. Readers in a cache own a
// share, and so does a policy that replaces another one (from RocksDB 9.8 on, SetOptions makes
// one).
struct KnownFiles {
  KnownTrees trees;
  FilterFileMap filter_files;
  LoadMeter loads;
  std::atomic<bool> was_shown_other_order{false};  // a family's keys are not in bytewise order
  std::atomic<bool> has_range_extractor{false};    // a family has or had one
  std::atomic<bool> asks_if_told{false};           // prefix_seek_opt_in_only
  std::mutex found;              // held while the file of an unknown filter is recorded
  std::atomic<int> policies{0};  // number of policies that own a share
};

// Makes the builders and readers of one policy. Thread-safe.
class PlannedBuilders {
 public:
  // Continues with a predecessor's known files, or begins with none.
  explicit PlannedBuilders(std::shared_ptr<KnownFiles> known)
      : known_(known != nullptr ? std::move(known) : std::make_shared<KnownFiles>()) {
    ++known_->policies;
    HashProblem();  // reported on stderr now, and computed before memory may run out
  }
  ~PlannedBuilders() { --known_->policies; }

  const std::shared_ptr<KnownFiles>& known() const noexcept { return known_; }
  std::shared_ptr<LoadMeter> loads() const noexcept { return {known_, &known_->loads}; }
  UseMeter* use() const noexcept { return &known_->loads.use(); }
  // Key orders that this object was shown. A successor does not inherit them.
  OrderShown& order_shown() noexcept { return order_shown_; }

  // Returns a new builder of Winnow filters, which the caller owns. Returns null ("no filter") if
  // the plan needs none, if filter_memory has no room for one, if out of memory, or if there is a
  // HashProblem. The database's LOG says if a plan has no effect, and what filter_memory does.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Sets the policy's options, which also apply to files that a listener reports.
  void SetPolicy(const PolicyOptions& options) noexcept;

  // Names the policy in the use counters of its filters.
  void NamePolicy(const PolicyOptions& options) noexcept;

  // Called when RocksDB asks for a builder, of Winnow's or its own filters. Writes a pending alarm
  // of loads.
  void NoteBuilderAsked(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Counts a loaded filter. If its file is known, because it was built here or has a note, also
  // counts its reader and its answers.
  OwnedReader NewReader(const ROCKSDB_NAMESPACE::Slice& contents) noexcept;

  // Records the options of a column family, which DB::Open shows.
  void NoteDatabaseOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                           const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;

 private:
  // A file, as far as known when its filter's builder is asked for.
  struct FileToBuild {
    PolicyOptions options;  // options in force for the file's tree
    BuildFacts facts;
    KnownTree tree;
    std::shared_ptr<TreeRecord> record;  // null if nothing is known of the tree's files
    bool is_sized = false;               // true if filter_memory decided the bits
  };

  // Returns whether the file can have a range filter beside its filter; if not, the LOG says why.
  bool MayHaveRange(const PolicyOptions& options,
                    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Steps of NewBuilder. FitIntoMemory returns nullopt, for no filter, if filter_memory has no room
  // for one.
  FileToBuild FindTree(const PolicyOptions& asked,
                       const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  std::optional<PolicyOptions> FitIntoMemory(
      FileToBuild* to_build, const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  static FilterOptions PlannedByLevel(const PolicyOptions& sized, const FileToBuild& file);
  static bool IsDecidedByItsPlace(const FileToBuild& file) noexcept;
  void SayIfByLevel(const FileToBuild& file,
                    const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  std::unique_ptr<FilePlan> DecideByItsPlace(
      FileToBuild file, const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

  OwnedReader NewReaderOfFound(std::string_view block, uint64_t hash_of_tail);

  // Returns the tree's record, or null if nothing is known of the tree.
  std::shared_ptr<TreeRecord> RecordOf(const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

  const std::shared_ptr<KnownFiles> known_;
  OrderShown order_shown_;
  MemoryReport memory_report_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_PLANNED_BUILDERS_H_
