// Filters of one policy: builders, readers, counters and lines in LOGs. A policy that RocksDB sees
// owns one: Winnow's own (policy.h), or one in the place of RocksDB's
// (src/preload/interposed_policy.h). The policy itself decides which options are in force.

#ifndef WINNOW_SRC_ROCKSDB_ENGINE_H_
#define WINNOW_SRC_ROCKSDB_ENGINE_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/table.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "src/rocksdb/builders/builtin_builders.h"
#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/load_meter.h"
#include "src/rocksdb/log_line.h"
#include "src/rocksdb/ranges/key_order.h"
#include "src/rocksdb/ranges/range_part.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/known_trees.h"
#include "src/rocksdb/use/use_meter.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// State that policies share which SetOptions left behind each other (from RocksDB 9.8 on, it makes
// a new policy): trees, and loads of their filters. Readers in a cache own a share.
struct KnownFiles {
  KnownTrees trees;
  FilterFileMap filter_files;
  LoadMeter loads;
  std::atomic<bool> was_shown_other_order{false};  // a family's keys are not in bytewise order
  std::atomic<bool> has_range_extractor{false};    // a family has or had one
  std::atomic<bool> asks_if_told{false};           // a database has prefix_seek_opt_in_only
  std::mutex found;             // held while the file of an unknown filter is recorded
  std::atomic<int> engines{0};  // number of engines that own a share
};

// Thread-safe.
class Engine {
 public:
  // Returns the options by which the policy builds filters now; nullopt if it builds none, or those
  // that the program asked RocksDB for.
  using InForce = std::function<std::optional<PolicyOptions>()>;

  // `policy` is the owner, by which EngineOf finds this object. `known` is that of the policy that
  // this one replaces, and `before` the text of that policy's options; null and empty for none.
  Engine(const ROCKSDB_NAMESPACE::FilterPolicy* policy, std::shared_ptr<KnownFiles> known,
         InForce in_force, std::string before = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  std::optional<PolicyOptions> InForceNow() const { return in_force_(); }
  // Returns whether new files get Winnow's filters.
  bool BuildsOurs() const;

  const std::shared_ptr<KnownFiles>& known() const noexcept { return known_; }
  // Returns known(), for a listener, with the options in force applied; null if there are none.
  std::shared_ptr<KnownFiles> KnownToTell();
  std::shared_ptr<LoadMeter> loads() const noexcept { return {known_, &known_->loads}; }
  LogLine& log_line() noexcept { return log_line_; }

  // Sets the name of the policy in the counters of filters that are read from now on.
  void NamePolicy(const std::string& name) noexcept;
  void NamePolicy(const PolicyOptions& options) noexcept;

  // Must be called when RocksDB asks for a builder, of Winnow's or its own filters, unless
  // NewBuilder is. Writes a pending alarm of loads.
  void NoteBuilderAsked(const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Returns a new builder of filters by these options, which the caller owns. Returns null ("no
  // filter") if the plan needs none, if filter_memory has no room for one, if out of memory, or if
  // there is a HashProblem. The database's LOG says which filters are built for the policy of this
  // name, the complaint about its options, if a plan has no effect, and what filter_memory does.
  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBuilder(
      const char* name, const PolicyOptions& options, const std::string& complaint,
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Returns a new reader of a filter block (NewBitsReader), which the caller owns, and counts the
  // loaded filter. If its file is known, because it was built here or has a note, also counts its
  // reader and its answers.
  ROCKSDB_NAMESPACE::FilterBitsReader* NewReader(
      const ROCKSDB_NAMESPACE::Slice& contents,
      const ROCKSDB_NAMESPACE::FilterPolicy& builtin) noexcept;

  // Records that a database is opened with the policy; NoteDatabaseOptions also records the options
  // of a column family, which DB::Open shows.
  void NoteDatabase() noexcept { known_->loads.use().NoteDatabase(); }
  void NoteDatabaseOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                           const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept;

  // Declares that the policy builds the files of one compaction in a worker, before a builder is
  // asked for. `order` is the result of comparing the worker's comparator with the database's.
  void SetJob(const std::string& family, KeyOrder order) { order_shown_.job().Set(family, order); }
  // Returns true once: a worker's policy is told of its job's tree.
  bool BeginsJob() noexcept { return !has_begun_job_.exchange(true); }

 private:
  friend Engine* EngineOf(const ROCKSDB_NAMESPACE::FilterPolicy* policy) noexcept;

  // A file, as far as known when its filter's builder is asked for.
  struct FileToBuild {
    PolicyOptions options;  // options in force for the file's tree
    BuildFacts facts;
    int job = 0;  // compaction that writes the file; 0 if unknown
    KnownTree tree{};
    std::shared_ptr<TreeRecord> record{};  // null if nothing is known of the tree's files
    bool is_sized = false;                 // true if filter_memory decided the bits
  };

  ROCKSDB_NAMESPACE::FilterBitsBuilder* NewPlanned(
      const PolicyOptions& asked, const ROCKSDB_NAMESPACE::FilterBuildingContext& context);

  // Returns whether the file can have a range filter beside its filter; if not, the LOG says why.
  bool MayHaveRange(const PolicyOptions& options,
                    const ROCKSDB_NAMESPACE::FilterBuildingContext& context) noexcept;

  // Steps of NewPlanned. FitIntoMemory returns nullopt, for no filter, if filter_memory has no room
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

  OwnedReader ReaderOf(std::string_view block) noexcept;
  OwnedReader ReaderOfFound(std::string_view block, uint64_t hash_of_tail);
  std::shared_ptr<NamedUse> use() noexcept;

  const ROCKSDB_NAMESPACE::FilterPolicy* const policy_;
  const std::shared_ptr<KnownFiles> known_;
  const InForce in_force_;
  const BuiltinBuilders builtin_builders_;
  LogLine log_line_;
  MemoryReport memory_report_;
  OrderShown order_shown_;  // that this policy was shown: a successor does not inherit it
  std::atomic<bool> has_begun_job_{false};
  std::mutex mutex_;               // guards use_
  std::shared_ptr<NamedUse> use_;  // null if out of memory
};

// Returns the engine of a policy, which must live, or null if it has none, or one of another copy
// of the library. The policy may be null. Thread-safe.
Engine* EngineOf(const ROCKSDB_NAMESPACE::FilterPolicy* policy) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_ENGINE_H_
