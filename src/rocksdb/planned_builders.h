// The builder of a file's filter by the policy's options, with or without a level plan.

#ifndef WINNOW_SRC_ROCKSDB_PLANNED_BUILDERS_H_
#define WINNOW_SRC_ROCKSDB_PLANNED_BUILDERS_H_

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
#include <vector>

#include "src/rocksdb/file_filter_options.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/memory_budget.h"
#include "src/rocksdb/remote/stated_rates.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/known_trees.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// What a policy knows of its trees, and of what was loaded of its filters. A reader in a cache, and
// a policy made in place of another one (SetOptions makes one, from RocksDB 9.8 on), own their
// share.
struct KnownFiles {
  KnownTrees trees;
  FilterFileMap filter_files;
  LoadMeter loads;
  StatedRates rates;
  SamplingUse sampling;
  std::atomic<bool> has_sampled{false};  // ever
  std::atomic<int> policies{0};          // that own a share
  std::atomic<uint64_t> ever{0};         // of these: each one's number when it came
  // The policy by whose options sampling ended, until it builds a filter: RocksDB may drop it
  // before, with a SetOptions that is refused. Null: none.
  std::atomic<const void*> ended_by{nullptr};

  // Policies that learn nothing, by number, until they build a filter, which tells the family that
  // they are of. Until then it may be any family of the policies before them.
  class Newcomers {
   public:
    void Set(uint64_t policy, bool is_one) noexcept;
    bool HasOneAfter(uint64_t policy) noexcept;

   private:
    std::mutex mutex_;
    std::vector<uint64_t> policies_;
  } newcomers;
};

// Of one policy. Safe from any number of threads.
class PlannedBuilders {
 public:
  // Goes on with what is known by a predecessor, or with nothing.
  explicit PlannedBuilders(std::shared_ptr<KnownFiles> known)
      : known_(known != nullptr ? std::move(known) : std::make_shared<KnownFiles>()) {
    ++known_->policies;
    number_ = ++known_->ever;
  }
  ~PlannedBuilders();

  const std::shared_ptr<KnownFiles>& known() const noexcept { return known_; }
  std::shared_ptr<LoadMeter> loads() const noexcept { return {known_, &known_->loads}; }

  // A builder of Winnow filters that the caller owns. Null, "no filter", where the plan needs none
  // or filter_memory has no room for one, and if memory is short. Where a plan has no effect, the
  // database's LOG says so, and what filter_memory does.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const PolicyOptions& options,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // These are the policy's options now, by which a listener's files are weighed.
  void SetPolicy(const PolicyOptions& options) noexcept;

  // The policy's options were set: where they learn nothing, lookups are not sampled from here on.
  // What was sampled stays, as these options need never be in force.
  void Follow(const PolicyOptions& options) noexcept;

  // A builder is asked for, whoever makes it: for what is said of loads. Where the options learn
  // nothing, what was sampled of the family's lookups goes.
  void NoteBuilderAsked(const PolicyOptions& options,
                        const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // A filter is loaded, which is counted. Of one that was built here: counts its reader, and
  // samples its lookups.
  OwnedReader NewReader(const ROCKSDB_NAMESPACE::Slice& contents) noexcept;

  // A database is opened, gets a family, or has an option set: a family has these options.
  void NoteDatabaseOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                           const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;

 private:
  // What is known of a file when its filter's builder is asked for.
  struct FileToBuild {
    PolicyOptions options;  // that its tree is built by
    BuildFacts facts;
    KnownTree tree;
    std::shared_ptr<TreeRecord> record;  // null: nothing is known of the tree's files
  };

  // The steps of NewBuilder. None, "no filter": filter_memory has no room for one.
  FileToBuild FindTree(const PolicyOptions& asked,
                       const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  std::optional<PolicyOptions> FitIntoMemory(const FileToBuild& file,
                                             ROCKSDB_NAMESPACE::Logger* logger);
  static FilterOptions PlannedByLevel(const PolicyOptions& sized, const FileToBuild& file);
  static bool IsDecidedByItsPlace(const FileToBuild& file) noexcept;
  void SampleItsLookups(TreeRecord& tree, ROCKSDB_NAMESPACE::Logger* logger);
  std::unique_ptr<FileFilterOptions> DecideByItsPlace(
      FileToBuild file, const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table);

  std::shared_ptr<TreeRecord> RecordBuiltHere(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context);
  void ResumeSampling() noexcept;
  bool MaySample(const TreeRecord& tree) noexcept;

  const std::shared_ptr<KnownFiles> known_;
  uint64_t number_ = 0;
  std::atomic<bool> has_built_{false};
  MemoryReport memory_report_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PLANNED_BUILDERS_H_
