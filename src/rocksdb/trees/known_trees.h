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
#include <tuple>
#include <vector>

#include "src/core/ranges/table_range_builder.h"
#include "src/family/family.h"
#include "src/family/family_name.h"
#include "src/rocksdb/trees/asked_ranges.h"
#include "src/rocksdb/trees/context.h"
#include "winnow/options.h"

namespace winnow::plugin {

class SharedRuns;

// Facts from the options of column families that FilterBuildingContext lacks: only those on which
// all families seen so far agree.
struct FamilyOptions {
  double size_ratio = 0;  // max_bytes_for_level_multiplier; 0 if unknown
  std::optional<bool> has_dynamic_levels;
  std::optional<bool> has_last_level_without_filters;  // optimize_filters_for_hits
  bool is_bytewise = true;    // false if the keys of a family are not in bytewise order
  bool is_leveled = true;     // false if a family has no leveled compaction
  bool readers_tell = false;  // true if a filter has one reader while its file lives
};

using family::FileName;
using family::ListedFile;

// Known state of a tree.
struct TreeRecord {
  // Unknown while the tree has no logger.
  const std::shared_ptr<family::FamilyName> name = std::make_shared<family::FamilyName>();
  family::Family family;
  AskedRanges asked_ranges;  // ranges that were checked against its range filters
  // In a worker: bytes that the record's keys lack; null for none.
  std::shared_ptr<const SharedRuns> runs;
  // True if the last flush lies over no file and got a filter for which filter_memory has no room.
  std::atomic<bool> has_needless_flush{false};
};

// Returns the id with this number for the notes of a tree's files: the lower 48 bits count, of
// which some are not 0.
uint64_t TreeIdOf(uint64_t number, const std::string& family) noexcept;
// Returns an id for the notes of a new tree's files; 0 if the system has no random bits.
uint64_t DrawTreeId(const std::string& family) noexcept;
// Returns the id for notes of files of an unknown tree, such as those of a worker without the
// rule's text.
uint64_t UnknownTreeId(const std::string& family) noexcept;

// Totals of the filters of all trees, except those of databases that are known to be closed.
struct KnownTotals {
  size_t families = 0;
  family::Family::Totals files;
  // True if all files of all these trees are known, with the sizes of their filters, and no tree
  // was evicted. False until a listener (listener.h) reported all of them.
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
  std::vector<ListedFile> files;           // live files, with short keys and without names
  std::shared_ptr<const SharedRuns> runs;  // bytes that the keys of the files lack
  // Bits of a filter with log2(n / k) = 0; unset if the tree is not known.
  std::optional<double> offset;
  core::RangeKinds range_kinds = core::RangeKinds::kByKeys;  // kinds of AskedRanges
  KnownTotals others;                                        // of the other trees
};

// Trees of a policy. Thread-safe.
class KnownTrees {
 public:
  // Maximum number of known trees; LRU eviction beyond, those of closed databases first.
  static constexpr size_t kMaxTrees = 1000;
  // Maximum memory of the records of all trees in bytes, about; LRU eviction beyond, likewise. A
  // file with keys of 24 bytes takes some 700.
  static constexpr size_t kMaxMemory = size_t{128} << 20;
  // Maximum number of trees without a logger.
  static constexpr size_t kMaxFoundTrees = 64;
  // Maximum number of ids per tree; files with other ids are found by their family alone.
  static constexpr size_t kMaxIds = 64;
  // Maximum number of remembered files per database whose column families do not have this policy,
  // in case they get it.
  static constexpr size_t kMaxUnclaimed = 4096;

  // Records the facts of a file that is about to be built, and returns the facts of its tree.
  // Nothing is known without a logger. `has_one_reader` is whether a filter of its family has one
  // reader while its file is open. `database` is unknown without a listener.
  KnownTree Learn(const void* logger, const std::string& family, const BuildFacts& facts,
                  bool has_one_reader = false, FileName database = {});

  struct Recorded {
    std::shared_ptr<TreeRecord> record;
    family::FilePtr file;  // null if the record needs none
  };
  // Records a file of the tree with this id, found by the note of its filter, which was read.
  // `file` has the level that it was written to. May throw std::bad_alloc.
  Recorded AddFound(uint64_t tree, const ListedFile& file);

  // Sets the options of families that have not built a filter yet, and of this family, which does
  // now; `logger` is null for none. Without a plan, filter_memory and range filters, no files are
  // needed, and listeners read none.
  void SetPolicy(const PolicyOptions& policy, const void* logger = nullptr,
                 const std::string& family = {});
  bool needs_files() const noexcept { return needs_files_.load(std::memory_order_relaxed); }
  // Returns whether each file of the family that has keys gets a filter, as far as known: false if
  // a plan, filter_memory or the options of a column family may leave one out.
  bool AllHaveFilters(const void* logger, const std::string& family);

  // ---- Events of a listener (listener.h)

  struct ToldFamily {
    std::string family;
    bool is_ours = false;           // has this policy, by other evidence than built filters
    std::vector<ListedFile> files;  // without bits, which follow from their bytes
  };
  // A std::list, as RocksDB's library would export a function of std::vector for this type, if
  // compiled into RocksDB.
  using ToldFamilies = std::list<ToldFamily>;
  struct ToldDatabase {
    FileName name{};
    bool is_complete = false;  // the families with this policy are known
    ToldFamilies families;
  };
  // Must be called before the database's files are listed. If a database of this name was closed,
  // its trees continue in this one.
  void BeginList(const void* logger, FileName database);
  // Records lists of files. Column families that are missing in the list have no files.
  void TakeLists(const void* logger, ToldDatabase database);
  // Sets the database of the tree with this record.
  void SetDatabase(const TreeRecord* record, FileName database);
  void Ended(FileName file);
  void Closed(FileName database);
  // Records that a compaction begins to read these files, and has ended. Its outputs may be the
  // first files of a tree.
  void Begin(FileName database, const std::string& family, int job,
             const std::vector<FileName>& inputs);
  void End(FileName database, const std::string& family, int job);

  // Return the record of a tree, or null if nothing is known of it. RecordIn is for a database that
  // is listed.
  std::shared_ptr<TreeRecord> RecordOf(const void* logger, const std::string& family);
  std::shared_ptr<TreeRecord> RecordIn(FileName database, const std::string& family);

  // Records the options of a column family: a database was opened, got a family, or had an option
  // set. `logger` is that of a known database; null for none. Facts of trees stay.
  void NoteFamilyOptions(const FamilyOptions& options, const void* logger = nullptr);

  // Sums over all trees, or all but that of this record. Takes some nanoseconds per tree.
  KnownTotals Totals(const TreeRecord* but = nullptr) const;
  // Returns the log2(n / k) of a new file of the tree with this record, less the bits of its filter
  // if all filters of all trees take `bits` together, of at most `most` each: so trees share
  // filter_memory. May throw std::bad_alloc.
  struct Shared {
    double log2_reach = 0;
    double log2_lambda = 0;
  };
  Shared ShareOf(TreeRecord* record, const family::NewFile& file, double bits, double most);
  // Returns log2_lambda for the files of now; `record` is that of a worker's tree, or null.
  double Log2LambdaNow(const TreeRecord* record, double bits, double most);

  // ---- Transfer between processes

  struct Chosen {
    KnownTree tree;
    BuildFacts facts;                    // only the compaction style is set
    PolicyOptions policy;                // by which its files are built
    std::shared_ptr<TreeRecord> record;  // null if nothing is known of the tree
  };
  // Returns the tree of this column family in this database. If the database is unknown, or no
  // listener reported the tree, returns the latest tree with a family of this name.
  Chosen Choose(FileName database, const std::string& family);
  // Returns the rule of this tree, without its files and offset. `has_files` tells whether its
  // files will be added; otherwise they count among the others.
  WorkersRule Carry(const Chosen& chosen, const std::string& family, bool has_files) const;
  // Restores a rule for the first logger that comes with this column family and has no tree yet.
  void Restore(WorkersRule rule);

 private:
  struct Entry {
    const void* logger;  // null if from another process, and not claimed
    std::string family;
    KnownTree tree;
    std::shared_ptr<TreeRecord> record;
    FileName database{};  // unknown without a listener
    bool has_builders = false;
    std::optional<PolicyOptions> policy{};  // by which its last filter was built
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
    bool is_complete;        // the families with this policy are known, and no tree was evicted
    ToldFamilies unclaimed;  // families without this policy; a limited number of files
    // Running compactions of families without a tree: family, job, and inputs.
    std::list<std::tuple<std::string, int, std::vector<FileName>>> jobs;
  };

  Entry* Find(const void* logger, const std::string& family);
  Entry* Adopt(const void* logger, const std::string& family, FileName database);
  Entry* AdoptFound(const void* logger, const std::string& family);
  Entry* OnlyOne(uint64_t id);
  std::shared_ptr<TreeRecord> NoteFound(uint64_t id, int level);
  Entry* FindIn(FileName database, const std::string& family);
  Entry* FindForWorker(FileName database, const std::string& family);
  static void SetId(Entry* entry);
  static void SetLevels(Entry* entry);
  void SetSources(Entry* entry, bool has_one_reader) const;
  Entry* Make(const void* logger, const std::string& family);
  Listened* FindListened(const void* logger);
  KnownTree WithOptions(KnownTree known) const;
  const PolicyOptions& PolicyOf(const Entry* entry) const;
  void Weigh(const PolicyOptions& policy, ToldFamily* told) const;
  std::vector<std::shared_ptr<TreeRecord>> OpenTrees() const;
  std::vector<family::Weighed> AllBut(const TreeRecord* record);
  void Bound();
  std::vector<Entry>::iterator LeastNeeded();

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;    // most recently used first
  std::vector<FoundTree> found_;  // oldest first
  uint64_t founds_ = 0;           // number of files that were found
  // Number of validations of families' options, with which opening a database begins, and number of
  // trees that got a logger.
  uint64_t validated_ = 0;
  uint64_t made_ = 0;
  uint64_t asked_ = 0;  // number of Learn calls
  bool has_seen_options_ = false;
  FamilyOptions options_;
  PolicyOptions policy_;  // of families that have not built a filter
  std::atomic<bool> needs_files_{false};
  std::vector<Listened> listened_;        // open databases
  std::optional<KnownTotals> elsewhere_;  // of trees in another process
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_
