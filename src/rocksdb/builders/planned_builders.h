// The builder of a file's filter by the policy's options, with or without a level plan.

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

#include "src/rocksdb/builders/file_filter_options.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/hash_guard.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/metrics_file.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/ranges/range_part.h"
#include "src/rocksdb/remote/stated_rates.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/known_trees.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Shared state of a policy: its trees, and loads of its filters. Readers in a cache own it too, and
// so does a policy that replaces another one (from RocksDB 9.8 on, SetOptions makes one).
struct KnownFiles {
  KnownTrees trees;
  FilterFileMap filter_files;
  LoadMeter loads;
  StatedRates rates;
  std::atomic<bool> was_shown_other_order{false};  // of keys than that of their bytes
  std::atomic<bool> has_range_extractor{false};    // a family has or had one
  std::atomic<bool> may_have_more_readers{false};  // a file's filter, than one: HasOneReaderAFile
  std::atomic<bool> asks_if_told{false};           // prefix_seek_opt_in_only
  std::mutex found;                                // while a filter that was not known is noted
  SamplingUse sampling;                            // wanted while lookups of any tree are sampled
  std::atomic<int> policies{0};                    // that own a share
};

// Belongs to one policy. Safe from any number of threads.
class PlannedBuilders {
 public:
  // Continues with what a predecessor knows, or begins with nothing.
  explicit PlannedBuilders(std::shared_ptr<KnownFiles> known)
      : known_(known != nullptr ? std::move(known) : std::make_shared<KnownFiles>()) {
    ++known_->policies;
    HashProblem();  // is said on stderr now, and looked for where memory may be short
    KeepMetricsFile();
  }
  ~PlannedBuilders();

  const std::shared_ptr<KnownFiles>& known() const noexcept { return known_; }
  std::shared_ptr<LoadMeter> loads() const noexcept { return {known_, &known_->loads}; }
  UseMeter* use() const noexcept { return &known_->loads.use(); }
  // The orders of keys that this object was shown: no successor has them.
  OrderShown& order_shown() noexcept { return order_shown_; }

  // A builder of Winnow filters, which the caller owns. Null, "no filter", if the plan needs none,
  // if filter_memory has no room for one, if memory is short, or if there is a HashProblem. The
  // database's LOG says if a plan has no effect, and what filter_memory does.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Sets the policy's options, by which a listener's files are weighed.
  void SetPolicy(const PolicyOptions& options) noexcept;

  // Names the policy in the figures of its filters.
  void NamePolicy(const PolicyOptions& options) noexcept;

  // RocksDB asks for a builder, of Winnow's or its own filters: writes a pending alarm of loads. If
  // the options learn nothing, ends sampling of the column family's lookups and drops the samples.
  // A compaction that was begun by other options may sample again, until the next file.
  void NoteBuilderAsked(const PolicyOptions& options,
                        const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Counts a loaded filter. If its file is known, as it was built here or has a note, also counts
  // its reader, and samples its lookups.
  OwnedReader NewReader(const ROCKSDB_NAMESPACE::Slice& contents) noexcept;

  // DB::Open shows the options of a column family.
  void NoteDatabaseOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                           const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;

 private:
  // Facts known of a file when its filter's builder is asked for.
  struct FileToBuild {
    PolicyOptions options;  // that its tree is built by
    BuildFacts facts;
    KnownTree tree;
    std::shared_ptr<TreeRecord> record;  // null: nothing is known of the tree's files
    bool is_sized = false;               // filter_memory gave the bits, by the place, too
  };

  // Returns whether the file can have a range filter beside its filter; else the LOG says why not.
  bool MayHaveRange(const PolicyOptions& options,
                    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // The steps of NewBuilder. None, "no filter": filter_memory has no room for one.
  FileToBuild FindTree(const PolicyOptions& asked,
                       const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  std::optional<PolicyOptions> FitIntoMemory(
      FileToBuild* to_build, const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  static FilterOptions PlannedByLevel(const PolicyOptions& sized, const FileToBuild& file);
  static bool IsDecidedByItsPlace(const FileToBuild& file) noexcept;
  void SampleItsLookups(TreeRecord& tree, ROCKSDB_NAMESPACE::Logger* logger);
  std::unique_ptr<FileFilterOptions> DecideByItsPlace(
      FileToBuild file, const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table);

  OwnedReader NewReaderOfFound(std::string_view block, uint64_t hash_of_tail);

  // The tree's record. Null if nothing is known of the tree.
  std::shared_ptr<TreeRecord> RecordOf(const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

  const std::shared_ptr<KnownFiles> known_;
  OrderShown order_shown_;
  MemoryReport memory_report_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_PLANNED_BUILDERS_H_
