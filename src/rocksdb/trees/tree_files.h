// Record of one tree's files: the level, key range and filter memory of each. Contains the files
// whose filters were built in this process, those whose filters were read and have a note
// (src/core/tree_note.h), and all files of the tree if a listener reports them (listener.h).
//
// The record answers two questions about a file that is being built. Will the file stay on its
// level? RocksDB moves a file down unchanged (trivial move) if it overlaps nothing there. A filter
// that was built for a small level then stays on the last one, with its many bits: after a
// sequential load, all files are there. And how much memory do the filters of live files take,
// relative to uniform ones?
//
// Events change the record, like a VersionEdit changes LevelDB's Version (db/version_edit.h): a
// file is added, measured, moved, or ended. Builders and a listener emit them. A list of all live
// files is a snapshot; events during the listing take precedence.
//
// Without a listener, a policy is not told when a file ends. A file is assumed to have ended
//   - when a compaction writes to its level in its range, or over its middle to a lower level, in
//     leveled compaction the next one; a file of level 0 also when anything is written to the first
//     level below in its range, or when a compaction writes to level 0: neighbors by age that have
//     about as many keys as the output;
//   - when all readers of its filter are gone, as RocksDB closes the files that it deletes. If
//     RocksDB keeps few files open, readers of live files come and go, too: a tree that shows this
//     has its readers ignored;
//   - when its tree has since written kMaxAge times its keys.
// With a listener, none of this is needed. A file that a compaction reads counts for nothing
// once an output replaces it, but it ends only with the compaction.
//
// A wrong record only costs accuracy.

#ifndef WINNOW_SRC_ROCKSDB_TREES_TREE_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_TREE_FILES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "src/rocksdb/lookups/key_positions.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/lookups/shared_runs.h"
#include "src/rocksdb/trees/asked_ranges.h"
#include "src/rocksdb/trees/file_name.h"
#include "src/rocksdb/trees/file_rates.h"

namespace winnow::plugin {

struct CarriedFiles;

// Range of user keys, both ends included, in bytewise order. Keys of trees with another order are
// compared bytewise, too, which costs accuracy.
struct KeyRange {
  std::string first;
  std::string last;

  bool Overlaps(const KeyRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
  // Returns whether the two share more than one end: keys are truncated, so neighbors may touch.
  bool Crosses(const KeyRange& other) const noexcept {
    return (first < other.last && other.first < last) || *this == other;
  }
  bool Contains(std::string_view key) const noexcept { return first <= key && key <= last; }
  bool operator==(const KeyRange& other) const noexcept {
    return first == other.first && last == other.last;
  }
};

// Memory of filters, and of uniform filters of these files.
struct FilterMemory {
  double bytes = 0;
  double uniform_bytes = 0;

  FilterMemory& operator+=(const FilterMemory& other) noexcept {
    bytes += other.bytes;
    uniform_bytes += other.uniform_bytes;
    return *this;
  }
};

struct LiveMemory {
  FilterMemory resting;  // all files that do not wait
  FilterMemory waiting;  // files of level 0 that overlap others and will be merged
};

// The flush or compaction that writes a file.
struct WritingJob {
  uint64_t last = 0;       // last file when the compaction began; 0 for a flush
  bool is_leveled = true;  // if false, it merges runs of all levels above
  double keys = 0;         // keys of files of level 0 that ended for one of level 0
  int base = -1;           // first level below 0 that has files; -1 if unknown
};

// A file as a listener lists it.
struct ListedFile {
  FileName name{};
  int level = 0;
  KeyRange range;
  uint64_t keys = 0;
  double filter_bytes = 0;
  bool is_ours = false;         // true if a Winnow policy made the filter
  bool may_have_range = false;  // true if filter_bytes may include a range filter
  FilterMemory memory;          // compared with uniform filters
  bool is_measured = false;     // if false, all sizes are estimates
  bool is_ending = false;       // true if a compaction reads it
};

// Record of a tree's files. Thread-safe. Functions that throw std::bad_alloc leave an incomplete
// but valid record.
class TreeFiles {
 public:
  using Id = uint64_t;

  // Maximum length of recorded keys, after the tree's common prefix. Large, as groups of keys may
  // share many more bytes.
  static constexpr size_t kMaxKeyBytes = 512;
  // Key length from which on a file counts as several files (Weight).
  static constexpr size_t kUsualKeyBytes = 48;
  // Maximum number of files, at some 450 bytes each. If there are more, neighbors are joined.
  static constexpr size_t kMaxFiles = 4096;
  static constexpr size_t kBytesOfAFile = 600;
  // Assumed lifetime of files until the first file of a level ends, in multiples of the tree's keys
  // written.
  static constexpr double kUsualLife = 2;
  // Time for which a file must live to count as staying, in multiples of the tree's keys written.
  static constexpr double kHorizon = 2;
  // Number of latest flushes whose files may still be on level 0 although nothing there overlaps
  // them.
  static constexpr size_t kRecentFlushes = 8;
  // Share of the tree's keys after whose writing the grid is made again.
  static constexpr double kGridAgain = 1.0 / 16;
  // Age at which an untouched file is assumed to have ended, in multiples of the tree's keys
  // written.
  static constexpr double kMaxAge = 30;
  // Number of filters that are read again after they had no reader, beyond which readers are
  // ignored.
  static constexpr size_t kMaxRevivals = 16;
  // Level of files that have nothing below them: RocksDB moves them down, now or when the tree gets
  // deeper.
  static constexpr int kBottom = std::numeric_limits<int>::max();

  struct NewFile {
    int level = 0;           // level that it is written to
    bool is_bottom = false;  // true if nothing lies below
    bool waits = false;
    KeyRange range;
    uint64_t keys = 0;
    double relative_miss_heat = 0;  // see TreeRates; 0 if unknown
  };

  // Returns a file's level as samples count it: the last level of LookupSamples if nothing lies
  // below the file.
  static int LevelIndex(int level, bool is_bottom) noexcept;
  static int LevelIndex(const NewFile& file) noexcept {
    return LevelIndex(file.level, file.is_bottom);
  }

  // Lifetimes of files, in keys that the tree wrote.
  struct Lives {
    double ended = 0;  // number of files that ended
    double keys = 0;   // sum of their lifetimes
  };
  using AllLives = std::array<Lives, LookupSamples::kLevels>;  // one per level

  struct Sums {
    size_t files = 0;  // joined files count as one
    double keys = 0;
    double filter_bytes = 0;
    struct Level {
      double keys = 0;
      double filter_bytes = 0;
    };
    // Sums by LevelIndex. Files that lie over nothing are on the last level, whatever their own
    // level is.
    std::array<Level, LookupSamples::kLevels> levels{};
    // Sums weighted by the probability that a file stays unchanged while the tree writes kHorizon
    // times its keys; 0 if not asked for.
    double keys_that_stay = 0;
    double bytes_that_stay = 0;

    Sums& operator+=(const Sums& other) noexcept;
    void Scale(double part) noexcept;  // scales keys and bytes
  };

  // A recorded file.
  struct File {
    NewFile facts;  // range without the common prefix
    FilterMemory memory;
    double more_bytes = 0;  // bytes that are not compared with uniform filters
    FileName name{};        // for joined files, name of their database
    double written = 0;     // keys that the tree had written by then
    int readers = 0;
    // False for a file whose readers are all gone, for one that a compaction has replaced but not
    // finished reading, and for one that could not be inserted, out of memory: such files count for
    // nothing.
    bool counts = false;
    bool is_listed = false;
    bool is_found = false;
    bool is_measured = false;
    bool is_ending = false;
    int ending_job = 0;          // job that reads it; 0 if unknown
    bool is_joined = false;      // true for several files
    bool is_for_joined = false;  // replaced joined files, which are gone
    double from = 0;             // places in the grid
    double to = 0;
    std::shared_ptr<std::atomic<int>> level_of_readers;  // null if unused

    double filter_bytes() const noexcept { return memory.bytes + more_bytes; }
    // Returns whether the two files may be joined by Join; `other` must be the next one.
    bool MayJoin(const File& other) const noexcept;
    void Join(const File& other);
  };

  // ---- Events

  // Adds a file, and ends the files that it replaces. Returns its id, which is not 0.
  Id Add(const NewFile& file, WritingJob* job);
  Id Add(const NewFile& file, WritingJob job = {}) { return Add(file, &job); }
  // Prepares Add for a file of a compaction. If the last file that this thread wrote is on the same
  // level and before this one, both are of one compaction, and job->last becomes that of the former
  // file. Does nothing if a listener reports files.
  void Continue(const NewFile& file, WritingJob* job);
  // Adds keys of a further partition of the file's filter.
  void Extend(Id id, const KeyRange& range, uint64_t keys, WritingJob* job);
  // Adds a file whose filter, with a note, was read and was built by an earlier process. Ends no
  // other file. Returns 0 if the record does not need the file, because a list has all files, or
  // others have its keys on its level.
  Id AddFound(const ListedFile& found, bool is_leveled, bool may_be_bottom);
  // Adds the measured memory of the filter; `more_bytes` is not compared with uniform filters.
  void AddMemory(Id id, const FilterMemory& memory, double more_bytes = 0);
  // Count the readers of the file's filter.
  void Opened(Id id);
  void Closed(Id id) noexcept;

  // Record, for a listener, that the file `id` has this name, or failed to be written.
  void SetName(Id id, FileName name);
  void NotWritten(Id id);
  // Records that a compaction, the job of this number, begins to read the file.
  void Ending(FileName name, int job);
  // Records that the file is in the database on this level: a flush or a compaction wrote it, moved
  // it there, or failed to replace it.
  void Installed(FileName name, int level);
  // Records that a compaction replaced the file, or it was deleted.
  void Ended(FileName name);
  // Records that the database closes. Until its next list, ends of files are guessed, as without a
  // listener.
  void StopBeingTold();

  // First and last level below 0 that have files; -1 if none.
  struct Levels {
    int base = -1;
    int depth = -1;
  };
  // Must be called before all live files of the tree are listed: files that are added in between
  // may be missing in the list.
  void BeginList();
  // Records the files of the list, and ends those that are gone: files that an earlier list had,
  // or, for the first list since the database was opened, all that it lacks. Other files are still
  // being written; a file that was never named stays in addition to its listed record until
  // kMaxAge. Files of other databases, which may share a logger, stay.
  Levels TakeList(FileName database, bool is_first, const std::vector<ListedFile>& list);

  // ---- Queries

  struct Place {
    int below = -1;      // first level below with a file in the range, or kBottom; -1 if none
    bool waits = false;  // on level 0, beside others in the range
  };
  // Returns the place of a file that will be written to this level. For level 0, a file of level 0
  // in the range counts as on `base`, where RocksDB will merge the two.
  Place PlaceOf(int level, const KeyRange& range, int base);

  Id last_id() const;  // id of the file that was added last
  size_t files() const;
  // Returns the number of files, including those that have no reader now but may be read again. A
  // file with long keys counts as the number of files that take as much memory.
  size_t Weight() const;
  // Returns whether the file is recorded.
  bool Knows(Id id) const;
  // Returns whether the record has all files of the tree, with the sizes of their filters.
  bool KnowsAllFiles() const;
  // Returns whether all files had lost their readers, then some got readers, and none was added
  // since.
  bool IsReopened() const;

  struct Written {
    double keys = 0;   // written to all levels since the record began
    double alive = 0;  // keys of recorded files
  };
  Written written() const;
  LiveMemory Memory() const;
  Sums sums(bool with_what_stays = false) const;
  // Returns the sums of the files that this one would end.
  Sums ReplacedBy(const NewFile& file, const WritingJob& job = {});
  // Returns the sums of the files that compactions read, as far as a listener reported them.
  Sums EndingSums() const;

  // Returns the file's level (LevelIndex), which is updated when the file is moved. Null if the
  // file is not recorded.
  std::shared_ptr<const std::atomic<int>> LevelOfReaders(Id id);

  // ---- Shape of the tree, for learning rates

  struct TreeShape {
    std::vector<RatedFile> files;                        // without their reach
    std::array<double, LookupSamples::kLevels> stays{};  // probability for a new file, by level
  };
  TreeShape ShapeOfTree() const;
  // Returns the shape after all running compactions. If a listener reports files, an output counts
  // once it is in the database. Until then its inputs count: those of one job that overlap are one
  // file, which is new.
  TreeShape ShapeAfterCompactions() const;
  // Returns the shape with the new file, without the files that it would end, and without those of
  // the runs that universal compaction merges into it. If a listener reports files, returns
  // ShapeAfterCompactions, to which a flush adds the file.
  TreeShape ShapeWith(const NewFile& file, const WritingJob& job);
  RatedFile ShapeOf(const NewFile& file) const;

  // Makes the grid for places, if there is none or if much was written since. Returns whether it
  // did. Takes some milliseconds with thousands of files, most of that without the lock. If this
  // throws std::bad_alloc, grid and places are unchanged.
  bool MakeGrid();
  std::shared_ptr<const KeyPositions> grid() const;  // its unit of time is samples

  // Returns the samples of lookups in the tree, which have their own lock.
  LookupSamples& samples() noexcept { return samples_; }

  // Returns the ranges that were checked against its range filters.
  AskedRanges& asked_ranges() noexcept { return asked_ranges_; }

  // ---- Transfer to another process

  // Returns about `most_files` files at most, with joined neighbors and short keys.
  CarriedFiles Carry(size_t most_files) const;
  // Restores files into a new record. Its keys are short: if an end of a range differs within a
  // run, the range is treated as empty.
  void Restore(const CarriedFiles& carried);

 private:
  // A file by its first key; refers to the key in files_.
  struct ByFirst {
    std::string_view first;
    Id id;

    bool operator<(const ByFirst& other) const noexcept {
      return first != other.first ? first < other.first : id < other.id;
    }
  };
  using Level = std::vector<ByFirst>;

  // Keys
  std::optional<KeyRange> Shortened(const KeyRange& range);
  std::optional<NewFile> Shortened(const NewFile& added);
  void ShortenPrefix(size_t size);
  void LengthenKeys(size_t size);
  bool HasPlaces(const KeyRange& range) const noexcept;
  bool IsPoint(const KeyRange& range) const noexcept;
  void SetPlaces(File* file) const noexcept;

  // Files by level
  static size_t IndexOf(const NewFile& file) noexcept {
    return static_cast<size_t>(LevelIndex(file));
  }
  static int LevelOf(const NewFile& file) noexcept;  // key in by_level_
  const Level& On(int level) const noexcept;
  Level::const_iterator FirstThatMayReach(int level, const KeyRange& range) const noexcept;
  bool HasOneIn(int level, const KeyRange& range, int above = -1) const;
  bool HasOneBelow(int level, const KeyRange& range) const;

  // Changes
  File* Find(Id id) noexcept;  // null if not recorded
  File* Named(FileName name) noexcept;
  Id Insert(File added);
  void Show(Id id, File* file);
  void Hide(Id id, File* file) noexcept;
  void SetAside(Id id, File* file) noexcept;
  void Change(Id id, File* file, NewFile facts, bool counts);
  void Erase(Id id) noexcept;
  void End(Id id) noexcept;
  void JoinTwo();
  void Forget() noexcept;

  // Sums
  static void CountIn(const File& file, int sign, Sums* into) noexcept;
  void Count(const File& file, int sign) noexcept;
  AllLives LivesSoFar() const noexcept;
  double ChanceToStay(const Lives& others, double age) const noexcept;
  bool IsSettled(const File& file) const noexcept;
  TreeShape Shape(const std::vector<std::pair<Id, const File*>>& files) const;
  TreeShape AfterCompactions(const RatedFile* output) const;
  RatedFile ShapeOfNew(const NewFile& file) const;

  // Heuristic for files that have ended, without a listener (ended_files.cc)
  bool MayEnd(Id id, const File& file, const WritingJob& job) const noexcept;
  template <typename Ends>
  void FindIn(int level, const NewFile& file, const WritingJob& job, Ends ends,
              std::vector<Id>* found) const;
  std::vector<Id> FindMerged(const NewFile& file, const WritingJob& job) const;
  std::vector<Id> FindReplaced(const NewFile& file, const WritingJob& job) const;
  bool EndReplaced(const NewFile& file, WritingJob* job);
  void MarkWaiting(const KeyRange& range) noexcept;
  void MarkAbove(const NewFile& file);
  bool IsReplaced(int level, const KeyRange& range) const;
  void SettleOldFlushes(int base);
  void DropTheOld();

  // Lists (told_files.cc)
  File FileOf(const ListedFile& listed, KeyRange range) const;
  std::vector<File> InTheFormOfTheRecord(const std::vector<ListedFile>& list);
  void Update(Id id, const File& told);
  void AddTold(std::vector<File> told, std::vector<File> former);
  Levels SetComplete() noexcept;

  mutable std::mutex mutex_;  // guards all members but the samples
  std::unordered_map<Id, File> files_;
  std::unordered_map<uint64_t, Id> ids_;  // keyed by FileName::Key
  std::map<int, Level> by_level_;         // files that count
  size_t num_counted_ = 0;
  Id last_id_ = 0;
  std::string join_at_;

  std::shared_ptr<const SharedRuns> runs_;  // null, except in a record from another process
  size_t most_key_bytes_ = kMaxKeyBytes;
  std::optional<std::string> prefix_;  // common prefix of all keys; unset without keys
  size_t long_bytes_ = 0;              // extra memory of keys that are longer than usual

  AllLives lives_{};
  LiveMemory memory_;
  Sums sums_;
  double written_ = 0;  // keys that the tree has written
  std::shared_ptr<const KeyPositions> grid_;
  double grid_written_ = 0;  // written_ when the grid was made
  double grid_keys_ = 0;     // keys of all files when the grid was made

  size_t revivals_ = 0;
  bool is_reopening_ = false;
  // Last outputs of compactions, by thread.
  struct Output {
    std::thread::id thread;
    int level;
    std::string last_key;
    Id last;  // see WritingJob
  };
  std::vector<Output> outputs_;

  bool had_list_ = false;
  bool is_told_ = false;      // true if the record has the last list
  bool is_complete_ = false;  // the record has all files, with the sizes of their filters
  bool is_listing_ = false;
  Id list_begin_ = 0;  // last file that was added before the list
  // Files that moved or ended since the current list was begun, by name; true if the file ended.
  std::unordered_map<FileName, bool, FileName::Hash> changed_;

  LookupSamples samples_;
  AskedRanges asked_ranges_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_FILES_H_
