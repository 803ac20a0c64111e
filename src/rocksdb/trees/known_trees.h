// What a policy has learned of the trees that it builds filters for.
//
// RocksDB tells a policy about one file at a time, and nothing that names the database: a tree is
// known by its database's logger and its column family's name. What was learned is a guess, which
// may cost accuracy and nothing else: a logger may be shared, and its address may come again after
// a database was closed. A database that is opened again has another logger; its trees are known
// again by the files whose filters are read.

#ifndef WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_
#define WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_

#include <array>
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

#include "src/rocksdb/trees/context.h"
#include "src/rocksdb/trees/learned_rates.h"
#include "src/rocksdb/trees/live_files.h"
#include "winnow/options.h"

namespace winnow::plugin {

// What families' options say that the contexts of files don't, where all that were seen agree.
struct FamilyOptions {
  double size_ratio = 0;  // max_bytes_for_level_multiplier; 0 unknown
  std::optional<bool> has_dynamic_levels;
  std::optional<bool> has_last_level_without_filters;  // optimize_filters_for_hits
  bool is_bytewise = true;  // keys are in the order of their bytes; false if one family's are not
  bool is_leveled = true;   // compaction; false if one family's is not
};

// What is known of the files of a tree.
struct TreeRecord {
  LiveFiles files;
  LearnedRates rates;
  // The latest one that built a filter of it, by its number among those that share what is known.
  std::atomic<uint64_t> newest_policy{0};

  void BuiltBy(uint64_t policy) noexcept {
    uint64_t newest = newest_policy;
    while (newest < policy && !newest_policy.compare_exchange_weak(newest, policy)) {
    }
  }

  // What was sampled of its lookups goes, and what was learned from that.
  void DropSamples() noexcept {
    files.DropSamples();
    rates.DropHeat();
  }
};

// What the filters of all trees take, but for those of databases that were seen to close.
struct KnownTotals {
  // Of all keys, what those levels may have that count as small.
  static constexpr double kMaxOfSmall = 1.0 / 6;
  // What small levels had counts half after so many times the keys were written, to all levels.
  static constexpr double kHalfLife = 8;

  size_t families = 0;
  LiveFiles::Sums files;
  // What filters of small levels would take if they had the most keys that they had of late, and as
  // many bits a key as now.
  double most_small_bytes = 0;
  // Whether all files of all these trees are known, with the sizes of their filters, and none was
  // forgotten. False until a listener (listener.h) told it of each.
  bool knows_all_files = false;
  // Whether trees are in another process, which alone can know more of them.
  bool are_elsewhere = false;

  // Of LiveFiles::Sums; with so many more keys. False for the last.
  bool IsSmall(size_t level, double more_keys = 0) const noexcept {
    return level + 1 < files.levels.size() &&
           files.levels[level].keys + more_keys <= kMaxOfSmall * (files.keys + more_keys);
  }
};

// What is known of a tree as it goes to another process, which builds a filter of it there.
struct CarriedTree {
  std::string family;
  int depth = -1;  // of KnownTree, as the next
  int base = -1;
  bool has_options = false;
  FamilyOptions options;
  CarriedFiles files;
  LearnedRates::Expectations rates;
  // Of KnownTotals, those of the other trees.
  size_t other_families = 0;
  LiveFiles::Sums others;
  bool knows_all_files = false;
  // What small levels had of all keys, and keys that all trees wrote since that was counted.
  double most_small_keys = 0;
  double written_since = 0;
  std::array<bool, LookupSamples::kLevels> was_small{};
};

// Safe from any number of threads.
class KnownTrees {
 public:
  // Of as many trees as this; the one that was asked for least recently is forgotten, of
  // closed databases first.
  static constexpr size_t kMaxTrees = 1000;
  // Files of all trees that are remembered, those of closed databases too. A family of 3,000 takes
  // 2 MiB at most, of which some 600 bytes are for each file; one whose keys share more than 48
  // bytes counts as several (LiveFiles::Weight). All trees take 64 MiB at most: files
  // and heat 37, samples of lookups 16, and 9 whose filters blocks are. Where there is more, first
  // the heat of trees is dropped, which is made again, and then trees are forgotten, in the same
  // order.
  static constexpr size_t kMaxFiles = 64'000;
  // Files of a database that are remembered in case that their family gets this policy.
  static constexpr size_t kMaxUnclaimed = 4096;
  // Nobody tells that a database without a listener is closed, or has few families again: so many
  // filters of any tree after the last time that one of its trees was forgotten, none counts as
  // such.
  static constexpr uint64_t kForgottenFor = 4 * kMaxTrees;

  // Takes in what is told of a file that is about to be built, and gives what is known now of its
  // tree. Nothing is known without a logger.
  KnownTree Learn(const void* logger, const std::string& family, const BuildFacts& facts);

  // By these options filters are built. Where they have neither a plan nor filter_memory it is of
  // no use to know files, and no listener reads them.
  void SetPolicy(const PolicyOptions& policy);
  PolicyOptions policy() const;
  bool needs_files() const noexcept { return needs_files_.load(std::memory_order_relaxed); }
  // Whether each file that has keys gets a filter, as far as is known: false where one may be left
  // out by a plan, by filter_memory or by the options of a family.
  bool AllHaveFilters() const;

  // ---- What a listener tells (listener.h)

  struct ToldFamily {
    std::string family;
    bool is_ours = false;  // has this policy, as far as is known besides filters that were built
    std::vector<ListedFile> files;  // without `memory`
  };
  // Not a std::vector, of which RocksDB's library would show a function for this type.
  using ToldFamilies = std::list<ToldFamily>;
  struct ToldDatabase {
    FileName name{};
    bool is_first = false;     // since it was opened
    bool is_complete = false;  // it is known which of its families have this policy
    ToldFamilies families;
  };
  // Before its files are listed. What was known of a database of this name before it was closed is
  // known of this one.
  void BeginList(const void* logger, FileName database);
  // Families that are missing have no files.
  void TakeLists(const void* logger, ToldDatabase database);
  // The tree with this record is of this database.
  void SetDatabase(const LiveFiles* files, FileName database);
  void Ended(FileName file);
  void Closed(FileName database);

  // What families' options say, and nothing of levels. Nothing where some are not leveled, or not
  // in the order of bytes.
  std::optional<KnownTree> ByOptions() const;

  // Of all trees: no lookup is sampled any more, or lookups are again.
  void PauseSampling(bool is_paused) noexcept;

  // Null if nothing is known of the tree.
  std::shared_ptr<TreeRecord> RecordOf(const void* logger, const std::string& family);

  // A database is opened, gets a family, or has an option set: a family has these options. What is
  // known of trees stays.
  void NoteFamilyOptions(const FamilyOptions& options);

  // May take a millisecond with thousands of files.
  KnownTotals Totals();

  // ---- Between processes

  struct Parts {
    bool has_files = false;
    bool has_samples = false;
    size_t most_files = RecordedFiles::kMaxFiles;  // as of LiveFiles::Carry
  };
  // The tree of this family in this database; where that is unknown, or no listener told of the
  // tree, of the latest one with this family. One of which nothing is known is as new. Takes some
  // milliseconds with thousands of files.
  CarriedTree Carry(FileName database, const std::string& family, const Parts& parts);
  // It is that of the first logger that comes with this family and has none yet.
  void Restore(const CarriedTree& carried);

  // Whether a tree was forgotten as there are too many, and is not known again: a listener tells of
  // its database, or that this was closed. Without one, until kForgottenFor filters later.
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
  std::shared_ptr<TreeRecord> ChooseTree(FileName database, CarriedTree* carried) const;
  static void SetLevels(Entry* entry, const ListedLevels& levels);
  Entry* Make(const void* logger, const std::string& family);
  Listened* FindListened(const void* logger);
  KnownTree WithOptions(KnownTree known) const;
  void Weigh(ToldFamily* told) const;
  static size_t Weight(const Entry& entry);
  void KeepMostOfSmall(double written, KnownTotals* totals);
  void Bound();
  std::vector<Entry>::iterator LeastNeeded();
  void SetForgotten(const void* logger, FileName database, bool is_forgotten);
  template <typename IsOver>
  void EndForgotten(IsOver is_over);

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // the latest first
  uint64_t asked_ = 0;          // for what is known of a tree
  // Databases of which a tree was forgotten.
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
  double written_ = 0;              // keys of all trees, when their files were summed up last
  double most_small_keys_ = 0;      // to all keys
  std::array<bool, LookupSamples::kLevels> was_small_{};
  // Of trees that are in another process.
  struct Elsewhere {
    size_t families;
    LiveFiles::Sums files;
    bool knows_all_files;
  };
  std::optional<Elsewhere> elsewhere_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_KNOWN_TREES_H_
