// Trees that a policy builds filters for, and the facts that it has learned of them.
//
// RocksDB tells a policy about one file at a time, and does not name the database. So a tree is
// identified by its database's logger and its column family's name. This is a heuristic, as
// databases may share a logger, and its address may be reused after a database was closed. A wrong
// guess only costs accuracy. A database that is reopened has another logger; its trees are
// recognized by the files whose filters are read.
//
// A filter that an earlier process built has a note (src/core/tree_note.h) with the file's range
// and the id of its tree, which is random and includes a hash of the family's name. Files that are
// read before a logger is known form a tree without one. The first logger with this family adopts
// the tree, if it is the only one of this family. A tree may have files with several ids, if some
// were written before any was read; new files get the minimum of the ids that were read before. Two
// databases that were made from one backup have one id. If both are opened with one policy, the
// first one adopts the tree, and the second one draws a new id.

#ifndef WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_
#define WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/trees/carried_files.h"
#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/memory_rates.h"
#include "src/rocksdb/trees/tree_files.h"
#include "src/rocksdb/trees/tree_rates.h"
#include "winnow/options.h"

namespace winnow::plugin {

// Facts from the options of column families that FilterBuildingContext lacks: only those on which
// all families seen so far agree.
struct FamilyOptions {
  double size_ratio = 0;  // max_bytes_for_level_multiplier; 0 if unknown
  std::optional<bool> has_dynamic_levels;
  std::optional<bool> has_last_level_without_filters;  // optimize_filters_for_hits
  bool is_bytewise = true;  // false if the keys of a family are not in bytewise order
  bool is_leveled = true;   // false if a family has no leveled compaction
};

// Known state of a tree.
struct TreeRecord {
  TreeFiles files;
  TreeRates rates;
  std::atomic<bool> is_sampled{false};  // true if its lookups are sampled: KnownTrees::SetSampled
  MemoryRates::Lookups lookups;
  // True if the last flush lies over no file and got a filter for which filter_memory has no room.
  std::atomic<bool> has_needless_flush{false};

  // Drops the samples of lookups, and the rates learned from them.
  void DropSamples() noexcept {
    files.samples().Drop();
    rates.DropHeat();
  }
};

// Returns an id for the notes of a new tree's files; 0 if the system has no random bits.
uint64_t DrawTreeId(const std::string& family) noexcept;
// Returns the id for notes of files of an unknown tree, such as those of a worker without the
// rule's text.
uint64_t UnknownTreeId(const std::string& family) noexcept;

// Returns the tree's rule by the policy's options, as if it had no samples, and without
// filter_memory.
TreeRates::Rule RuleOf(const PolicyOptions& policy, const BuildFacts& facts,
                       const KnownTree& known) noexcept;

// Totals of the filters of all trees, except those of databases that are known to be closed.
struct KnownTotals {
  size_t families = 0;
  TreeFiles::Sums files;
  // True if all files of all these trees are known, with the sizes of their filters, and none was
  // forgotten. False until a listener (listener.h) reported all of them.
  bool knows_all_files = false;
  // True if there are trees in another process. Only that process can know more about them.
  bool are_elsewhere = false;
};

// Rule by which a compaction worker builds filters of a tree, with its inputs.
struct WorkersRule {
  std::string family;
  uint64_t id = 0;  // id of the tree
  int depth = -1;   // depth and base of KnownTree
  int base = -1;
  bool has_options = false;
  FamilyOptions options;
  CarriedFiles files;
  TreeRates::Told rates;
  core::RangeKinds range_kinds = core::RangeKinds::kByKeys;  // kinds of AskedRanges
  // KnownTotals of the other trees.
  size_t other_families = 0;
  TreeFiles::Sums others;
  bool knows_all_files = false;
};

// Trees of a policy. Thread-safe.
class KnownTrees {
 public:
  // Maximum number of known trees; LRU eviction beyond, those of closed databases first.
  static constexpr size_t kMaxTrees = 1000;
  // Maximum number of recorded files over all trees, including those of closed databases. A column
  // family of 3,000 files takes up to 2 MiB, some 600 bytes per file; a file with long keys counts
  // as several (TreeFiles::Weight). All trees take at most 64 MiB: 37 for files and heat, 16 for
  // samples of lookups, and 9 for the map of filter blocks. Beyond this, the heat of trees is
  // dropped first, as it can be computed again. Then trees are evicted, in the order of kMaxTrees.
  static constexpr size_t kMaxFiles = 64'000;
  // Maximum number of trees without a logger.
  static constexpr size_t kMaxFoundTrees = 64;
  // Maximum number of ids per tree; files with other ids are found by their family alone.
  static constexpr size_t kMaxIds = 64;
  // Maximum number of remembered files per database whose column families do not have this policy,
  // in case they get it.
  static constexpr size_t kMaxUnclaimed = 4096;
  // Number of filters after which a database's forgotten trees do not count any more, since the
  // last of them was forgotten: without a listener, nothing tells that a database is closed, or has
  // fewer column families.
  static constexpr uint64_t kForgottenFor = 4 * kMaxTrees;

  // Records the facts of a file that is about to be built, and returns the facts of its tree.
  // Nothing is known without a logger.
  KnownTree Learn(const void* logger, const std::string& family, const BuildFacts& facts);

  struct Recorded {
    std::shared_ptr<TreeRecord> record;
    TreeFiles::Id id = 0;  // 0 if a listener told of the tree's files
  };
  // Records a file of the tree with this id, found by the note of its filter, which was read.
  // `file` has the level that it was written to, and no uniform_bytes. May throw std::bad_alloc.
  Recorded AddFound(uint64_t tree, ListedFile file);

  // Sets the options in force. Without a plan and filter_memory, no files are needed, and listeners
  // read none.
  void SetPolicy(const PolicyOptions& policy);
  PolicyOptions policy() const;
  bool needs_files() const noexcept { return needs_files_.load(std::memory_order_relaxed); }
  // Returns whether each file that has keys gets a filter, as far as known: false if a plan,
  // filter_memory or the options of a column family may leave one out.
  bool AllHaveFilters() const;

  // ---- Events of a listener (listener.h)

  struct ToldFamily {
    std::string family;
    bool is_ours = false;           // has this policy, by other evidence than built filters
    std::vector<ListedFile> files;  // without `memory`
  };
  // A std::list, as RocksDB's library would export a function of std::vector for this type, if
  // compiled into RocksDB.
  using ToldFamilies = std::list<ToldFamily>;
  struct ToldDatabase {
    FileName name{};
    bool is_first = false;     // first list since it was opened
    bool is_complete = false;  // the families with this policy are known
    ToldFamilies families;
  };
  // Must be called before the database's files are listed. If a database of this name was closed,
  // its trees continue in this one.
  void BeginList(const void* logger, FileName database);
  // Records lists of files. Column families that are missing in the list have no files.
  void TakeLists(const void* logger, ToldDatabase database);
  // Sets the database of the tree with this record.
  void SetDatabase(const TreeFiles* files, FileName database);
  void Ended(FileName file);
  void Closed(FileName database);

  // Sets whether the tree's lookups are sampled; a null record changes no tree. `use` is wanted
  // while the lookups of any tree are whose database is not known to be closed.
  void SetSampled(TreeRecord* record, bool is_sampled, SamplingUse* use) noexcept;

  // Returns the record of a tree, or null if nothing is known of it.
  std::shared_ptr<TreeRecord> RecordOf(const void* logger, const std::string& family);

  // Records the options of a column family: a database was opened, got a family, or had an option
  // set. `logger` is that of a known database; null for none. Facts of trees stay.
  void NoteFamilyOptions(const FamilyOptions& options, const void* logger = nullptr);

  // Takes some nanoseconds per tree; with_what_stays, a millisecond for thousands of files.
  KnownTotals Totals(bool with_what_stays = false);
  // Returns MemoryRates::Log2LambdaOf, by which trees share filter_memory. May throw
  // std::bad_alloc.
  double Log2LambdaFor(const MemoryRates::Asked& asked);

  // ---- Transfer between processes

  struct Chosen {
    KnownTree tree;
    BuildFacts facts;                    // only the compaction style is set
    std::shared_ptr<TreeRecord> record;  // null if nothing is known of the tree
  };
  // Returns the tree of this column family in this database. If the database is unknown, or no
  // listener reported the tree, returns the latest tree with a family of this name.
  Chosen Choose(FileName database, const std::string& family);
  // Returns the rule of this tree, without its rates. `most_files` is that of TreeFiles::Carry.
  // Takes some milliseconds with thousands of files.
  WorkersRule Carry(const Chosen& chosen, const std::string& family, size_t most_files);
  // Restores a rule for the first logger that comes with this column family and has no tree yet.
  void Restore(WorkersRule rule);

  // Returns whether a tree was evicted because there were too many, and is not known again. This
  // ends when a listener reports its database or its close; without a listener, kForgottenFor
  // filters later.
  bool has_forgotten() const noexcept { return has_forgotten_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    const void* logger;  // null if from another process, and not claimed
    std::string family;
    KnownTree tree;
    std::shared_ptr<TreeRecord> record;
    FileName database{};  // unknown without a listener
    bool has_builders = false;
    bool is_closed = false;
    std::vector<uint64_t> ids{};  // ids of files that were found, and its own
    uint64_t id = 0;              // id for new files; 0 if none yet
    KnownTree found{};            // base and depth of files that were found
  };
  // A tree without a logger.
  struct FoundTree {
    std::vector<uint64_t> ids;
    KnownTree found;
    std::shared_ptr<TreeRecord> record;
    uint64_t validated = 0;  // validated_ when its first file was found
  };
  struct Listened {
    const void* logger;
    FileName database;
    bool is_listed;
    bool is_complete;
    ToldFamilies unclaimed;  // families without this policy; a limited number of files
  };

  Entry* Find(const void* logger, const std::string& family);
  Entry* Adopt(const void* logger, const std::string& family);
  Entry* AdoptFound(const void* logger, const std::string& family);
  Entry* OnlyOne(uint64_t id);
  std::shared_ptr<TreeRecord> NoteFound(uint64_t id, int level);
  double UniformBytes(uint64_t keys) const;
  Entry* FindForWorker(FileName database, const std::string& family);
  static void SetId(Entry* entry);
  static void SetLevels(Entry* entry, const TreeFiles::Levels& levels);
  Entry* Make(const void* logger, const std::string& family);
  Listened* FindListened(const void* logger);
  KnownTree WithOptions(KnownTree known) const;
  void Weigh(ToldFamily* told) const;
  static size_t Weight(const Entry& entry);
  std::vector<std::shared_ptr<TreeRecord>> OpenTrees() const;
  void Bound();
  std::vector<Entry>::iterator LeastNeeded();
  void SetForgotten(const void* logger, FileName database, bool is_forgotten);
  template <typename IsOver>
  void EndForgotten(IsOver is_over);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;    // most recently used first
  std::vector<FoundTree> found_;  // oldest first
  uint64_t founds_ = 0;           // number of files that were found
  // Number of validations of families' options, with which opening a database begins, and number of
  // trees that got a logger.
  uint64_t validated_ = 0;
  uint64_t made_ = 0;
  uint64_t asked_ = 0;  // number of Learn calls
  // A database with a tree that was evicted.
  struct Forgotten {
    const void* logger;
    FileName database;  // unknown without a listener
    uint64_t asked;     // asked_ at its last eviction
  };
  std::vector<Forgotten> forgotten_;
  std::atomic<bool> has_forgotten_{false};  // true if forgotten_ is not empty
  bool has_seen_options_ = false;
  FamilyOptions options_;
  PolicyOptions policy_;
  std::atomic<bool> needs_files_{false};
  std::vector<Listened> listened_;  // open databases
  MemoryRates memory_rates_;
  // Sums of trees in another process.
  struct Elsewhere {
    size_t families;
    TreeFiles::Sums files;
    bool knows_all_files;
  };
  std::optional<Elsewhere> elsewhere_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_
