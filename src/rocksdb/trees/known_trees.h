// Facts that a policy has learned of the trees that it builds filters for.
//
// RocksDB tells a policy about one file at a time, and does not name the database. So a tree is
// known by its database's logger and its column family's name. This is a guess, as databases may
// share a logger, and its address may come again after a database was closed. A wrong guess costs
// accuracy and nothing else. A database that is opened again has another logger; its trees are
// recognized by the files whose filters are read.
//
// A filter that an earlier process built has a note (src/core/tree_note.h) with the file's range
// and the id of its tree, which was drawn with a hash of the family's name. Files that are read
// before a logger comes are a tree that has none yet. The first logger that comes with the family
// adopts it, if it is the only one of this family. A tree may have files of several ids, where some
// were written before any was read; new files get the least of those that were read before. Two
// databases that were made from one backup have one id. If both are opened on one policy, the first
// one adopts the tree, and the second one draws a new id.

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

// Facts that the options of column families state and FilterBuildingContext does not: only what all
// families seen so far agree on.
struct FamilyOptions {
  double size_ratio = 0;  // max_bytes_for_level_multiplier; 0 unknown
  std::optional<bool> has_dynamic_levels;
  std::optional<bool> has_last_level_without_filters;  // optimize_filters_for_hits
  bool is_bytewise = true;  // keys are in the order of their bytes; false if one family's are not
  bool is_leveled = true;   // compaction; false if one family's is not
};

// State of a tree: what is known of its files.
struct TreeRecord {
  TreeFiles files;
  TreeRates rates;
  std::atomic<bool> is_sampled{false};  // its lookups are: KnownTrees::SetSampled
  MemoryRates::Lookups lookups;
  // The last flush lies over no file, and so has a filter for which filter_memory has no room.
  std::atomic<bool> has_needless_flush{false};

  // Drops the samples of its lookups, and what was learned from them.
  void DropSamples() noexcept {
    files.samples().Drop();
    rates.DropHeat();
  }
};

// An id for the notes of a new tree's files; 0 if the machine has no random bits.
uint64_t DrawTreeId(const std::string& family) noexcept;
// The id in notes of files whose tree is not known, as those of a worker without the rule's text.
uint64_t UnknownTreeId(const std::string& family) noexcept;

// The rule of a tree by the policy's options, as if it had no samples, and without filter_memory.
TreeRates::Rule RuleOf(const PolicyOptions& policy, const BuildFacts& facts,
                       const KnownTree& known) noexcept;

// Totals of the filters of all trees, except those of databases that were seen to close.
struct KnownTotals {
  size_t families = 0;
  TreeFiles::Sums files;
  // True if all files of all these trees are known, with the sizes of their filters, and none was
  // forgotten. False until a listener (listener.h) told it of each.
  bool knows_all_files = false;
  // True if there are trees in another process. Only that process can know more about them.
  bool are_elsewhere = false;
};

// The rule by which a compaction worker builds filters of a tree, with what the rule needs to know.
struct WorkersRule {
  std::string family;
  uint64_t id = 0;  // of the tree
  int depth = -1;   // of KnownTree, as the next
  int base = -1;
  bool has_options = false;
  FamilyOptions options;
  CarriedFiles files;
  TreeRates::Told rates;
  core::RangeKinds range_kinds = core::RangeKinds::kByKeys;  // of AskedRanges
  // KnownTotals of the other trees.
  size_t other_families = 0;
  TreeFiles::Sums others;
  bool knows_all_files = false;
};

// Safe from any number of threads.
class KnownTrees {
 public:
  // Most trees that are known; LRU eviction beyond, those of closed databases first.
  static constexpr size_t kMaxTrees = 1000;
  // The most files that are remembered for all trees, those of closed databases too. A column
  // family of 3,000 files takes 2 MiB at most, some 600 bytes for each file; a file counts as
  // several if its keys are long (TreeFiles::Weight). All trees take 64 MiB at most: 37 for files
  // and heat, 16 for samples of lookups, and 9 for which file a filter block belongs to. If there
  // is more, the heat of trees is dropped first, as it can be made again. Then trees are forgotten,
  // in the order above.
  static constexpr size_t kMaxFiles = 64'000;
  // The most trees that have no logger yet.
  static constexpr size_t kMaxFoundTrees = 64;
  // The most ids of one tree; files with others are found by their family alone.
  static constexpr size_t kMaxIds = 64;
  // The most files of a database that are remembered in case their column family gets this policy.
  static constexpr size_t kMaxUnclaimed = 4096;
  // Without a listener nobody tells that a database is closed, or has fewer column families. So if
  // this number of filters was built, of any tree, after a tree of such a database was last
  // forgotten, none of its trees counts as forgotten any more.
  static constexpr uint64_t kForgottenFor = 4 * kMaxTrees;

  // Takes in the facts of a file that is about to be built, and returns what is now known of its
  // tree. Nothing is known without a logger.
  KnownTree Learn(const void* logger, const std::string& family, const BuildFacts& facts);

  struct Recorded {
    std::shared_ptr<TreeRecord> record;
    TreeFiles::Id id = 0;  // 0: a listener told of the tree's files, which is better
  };
  // A file of the tree with this id was found by the note of its filter, which was read. `file` has
  // the level that it was written to, and no uniform_bytes. May throw std::bad_alloc.
  Recorded AddFound(uint64_t tree, ListedFile file);

  // The options by which filters are built. Without a plan and filter_memory it is of no use to
  // know files, and no listener reads them.
  void SetPolicy(const PolicyOptions& policy);
  PolicyOptions policy() const;
  bool needs_files() const noexcept { return needs_files_.load(std::memory_order_relaxed); }
  // Returns whether each file that has keys gets a filter, as far as is known: false if a plan,
  // filter_memory or the options of a column family may leave one out.
  bool AllHaveFilters() const;

  // ---- What a listener tells (listener.h)

  struct ToldFamily {
    std::string family;
    bool is_ours = false;  // has this policy, as far as is known besides filters that were built
    std::vector<ListedFile> files;  // without `memory`
  };
  // Not a std::vector: compiled into RocksDB, its library would export a function of it for this
  // type.
  using ToldFamilies = std::list<ToldFamily>;
  struct ToldDatabase {
    FileName name{};
    bool is_first = false;     // since it was opened
    bool is_complete = false;  // it is known which of its families have this policy
    ToldFamilies families;
  };
  // Call this before the database's files are listed. If a database of this name was closed, what
  // was known of it holds for this one.
  void BeginList(const void* logger, FileName database);
  // Column families that are missing in the list have no files.
  void TakeLists(const void* logger, ToldDatabase database);
  // The tree with this record is of this database.
  void SetDatabase(const TreeFiles* files, FileName database);
  void Ended(FileName file);
  void Closed(FileName database);

  // Returns what the options of column families say; it has no levels. Nothing if some are not
  // leveled, or not in the order of bytes.
  std::optional<KnownTree> ByOptions() const;

  // Sets whether the tree's lookups are sampled; null: no tree changes. `use` is wanted while those
  // of any tree are whose database is not known to be closed.
  void SetSampled(TreeRecord* record, bool is_sampled, SamplingUse* use) noexcept;

  // Null if nothing is known of the tree.
  std::shared_ptr<TreeRecord> RecordOf(const void* logger, const std::string& family);

  // A column family has these options: a database was opened, got a family, or had an option set,
  // where the logger is one that is known; null: none. What is known of trees stays.
  void NoteFamilyOptions(const FamilyOptions& options, const void* logger = nullptr);

  // Some nanoseconds a tree; a millisecond with thousands of files if it is asked what stays.
  KnownTotals Totals(bool with_what_stays = false);
  // MemoryRates::Log2LambdaOf, by which filter_memory is shared. May throw std::bad_alloc.
  double Log2LambdaFor(const MemoryRates::Asked& asked);

  // ---- Between processes

  struct Chosen {
    KnownTree tree;
    BuildFacts facts;                    // of no file
    std::shared_ptr<TreeRecord> record;  // null: nothing is known of the tree
  };
  // The tree of this column family in this database. If the database is unknown, or no listener
  // told of the tree, the latest tree with a family of this name.
  Chosen Choose(FileName database, const std::string& family);
  // The rule of this tree, but for its rates. most_files: as of TreeFiles::Carry. Takes some
  // milliseconds with thousands of files.
  WorkersRule Carry(const Chosen& chosen, const std::string& family, size_t most_files);
  // The first logger that comes with this column family and has no tree yet gets this rule.
  void Restore(WorkersRule rule);

  // Returns whether a tree was forgotten because there were too many, and is not known again. This
  // ends when a listener tells of its database, or that it was closed; without a listener,
  // kForgottenFor filters later.
  bool has_forgotten() const noexcept { return has_forgotten_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    const void* logger;  // null: of another process, and not claimed
    std::string family;
    KnownTree tree;
    std::shared_ptr<TreeRecord> record;
    FileName database{};  // unknown: no listener told
    bool has_builders = false;
    bool is_closed = false;
    std::vector<uint64_t> ids{};  // of files that were found, and its own
    uint64_t id = 0;              // for new files; 0: none yet
    KnownTree found{};            // base and depth by files that were found
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
    ToldFamilies unclaimed;  // that have not this policy yet; not too many files
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
  std::vector<Entry> entries_;    // the latest first
  std::vector<FoundTree> found_;  // the oldest first
  uint64_t founds_ = 0;           // files that were found
  // How often options of families were validated, which opening a database begins with, and how
  // many trees a logger came with.
  uint64_t validated_ = 0;
  uint64_t made_ = 0;
  uint64_t asked_ = 0;  // for what is known of a tree
  // A database of which a tree was forgotten.
  struct Forgotten {
    const void* logger;
    FileName database;  // unknown: no listener told
    uint64_t asked;     // asked_ when the last one was
  };
  std::vector<Forgotten> forgotten_;
  std::atomic<bool> has_forgotten_{false};  // any
  bool has_seen_options_ = false;
  FamilyOptions options_;
  PolicyOptions policy_;
  std::atomic<bool> needs_files_{false};
  std::vector<Listened> listened_;  // databases that are open
  MemoryRates memory_rates_;
  // Sums of trees that are in another process.
  struct Elsewhere {
    size_t families;
    TreeFiles::Sums files;
    bool knows_all_files;
  };
  std::optional<Elsewhere> elsewhere_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_
