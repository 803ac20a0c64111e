// The record of one tree's files: each file's level, its range of keys, and what its filter takes.
// It has the files whose filters were built in this process, those whose filters were read and have
// a note (src/core/tree_note.h), and all files of the tree if a listener tells of them
// (listener.h).
//
// It answers two questions about a file that is being built. Will the file stay on its level?
// RocksDB moves a file down as it is if it overlaps nothing there. A filter that was built for a
// small level then stays on the last one, with its many bits: a sequential load ends with all its
// files there. And how much memory do the filters of live files take, relative to uniform ones?
//
// Events change the record, as a VersionEdit changes LevelDB's Version (db/version_edit.h): a file
// is added, measured, moved, or gone. Builders and a listener emit them. A list of all live files
// is a snapshot; events that came while it was read outweigh it.
//
// Without a listener nobody tells a policy when a file ends. A file is assumed to have ended
//   - when a compaction writes to its level in its range, or over its middle to a lower level, in
//     leveled compaction the next one; a file of level 0 also when anything is written to the first
//     level below in its range, or when a compaction writes to level 0: neighbours by age that have
//     about as many keys as the output;
//   - when all readers of its filter are gone, as RocksDB closes the files that it deletes. If
//     RocksDB keeps few files open, readers of live files come and go, too: a tree that shows this
//     has its readers ignored;
//   - when its tree has since written kMaxAge times its keys.
// With a listener, none of this is guessed. A file that a compaction reads counts for nothing once
// an output replaces it, but it ends only with the compaction.
//
// A wrong record costs accuracy and nothing else.

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

// A range of user keys, both ends included, in the order of bytes. Keys of trees with another order
// are compared in this way, too, which costs accuracy.
struct KeyRange {
  std::string first;
  std::string last;

  bool Overlaps(const KeyRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
  // True if the two share more than one end: keys are cut, so neighbours may touch.
  bool Crosses(const KeyRange& other) const noexcept {
    return (first < other.last && other.first < last) || *this == other;
  }
  bool Contains(std::string_view key) const noexcept { return first <= key && key <= last; }
  bool operator==(const KeyRange& other) const noexcept {
    return first == other.first && last == other.last;
  }
};

// The memory of filters, and that of uniform filters of the same files.
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
  FilterMemory resting;  // of all but those that wait on level 0
  FilterMemory waiting;  // of level 0, where they overlap others: they will be merged
};

// The flush or compaction that writes a file.
struct WritingJob {
  uint64_t last = 0;       // the tree's last file when a compaction began; 0: a flush
  bool is_leveled = true;  // else it merges runs of all levels above, and moves no flush down
  double keys = 0;         // of files of level 0 that ended for one of level 0
  int base = -1;           // the first level below 0 that has files; -1: unknown
};

// A file as a listener lists it.
struct ListedFile {
  FileName name{};
  int level = 0;
  KeyRange range;
  uint64_t keys = 0;
  double filter_bytes = 0;
  bool is_ours = false;         // the filter, by a policy of Winnow
  bool may_have_range = false;  // a range filter, in its bytes
  FilterMemory memory;          // as it counts where memory is weighed against uniform filters'
  bool is_measured = false;     // all of these; else they are estimates
  bool is_ending = false;       // a compaction reads it
};

// Safe from any number of threads. What may throw std::bad_alloc leaves a record that is less, and
// not wrong.
class TreeFiles {
 public:
  using Id = uint64_t;

  // Keys are remembered by so many bytes, behind those that all keys of the tree begin with. It is
  // large, as groups of keys may share many more bytes.
  static constexpr size_t kMaxKeyBytes = 512;
  // A file with longer keys counts as several files (Weight).
  static constexpr size_t kUsualKeyBytes = 48;
  // If there are more files, neighbours are remembered as one. A file takes some 450 bytes.
  static constexpr size_t kMaxFiles = 4096;
  static constexpr size_t kBytesOfAFile = 600;
  // Until the first file of a level ends, files are assumed to live while the tree writes so many
  // times its keys.
  static constexpr double kUsualLife = 2;
  // A file stays if it is not rewritten while the tree writes so many times its keys.
  static constexpr double kHorizon = 2;
  // The latest flushes, whose files may still be on level 0 although nothing there overlaps them.
  static constexpr size_t kRecentFlushes = 8;
  // The grid is made again when this share of the tree's keys was written.
  static constexpr double kGridAgain = 1.0 / 16;
  // A file that was not touched while its tree wrote so many times its keys is assumed to be gone.
  static constexpr double kMaxAge = 30;
  // If so many filters were read again after they had no reader, readers are ignored.
  static constexpr size_t kMaxRevivals = 16;
  // The level of files that have nothing below them: RocksDB moves them down, now or when the tree
  // gets deeper.
  static constexpr int kBottom = std::numeric_limits<int>::max();

  struct NewFile {
    int level = 0;           // that it is written to
    bool is_bottom = false;  // nothing lies below
    bool waits = false;
    KeyRange range;
    uint64_t keys = 0;
    double relative_miss_heat = 0;  // of TreeRates, when it was written; 0: unknown
  };

  // A file's level as samples count it: the last level of LookupSamples if nothing lies below the
  // file.
  static int LevelIndex(int level, bool is_bottom) noexcept;
  static int LevelIndex(const NewFile& file) noexcept {
    return LevelIndex(file.level, file.is_bottom);
  }

  // How long files lived, in keys that the tree wrote.
  struct Lives {
    double ended = 0;  // files
    double keys = 0;   // of all these together
  };
  using AllLives = std::array<Lives, LookupSamples::kLevels>;  // by level

  struct Sums {
    size_t files = 0;  // recorded; neighbours that are remembered as one count as one
    double keys = 0;
    double filter_bytes = 0;
    struct Level {
      double keys = 0;
      double filter_bytes = 0;
    };
    // The same by LevelIndex. Files that lie over nothing are on the last level, whatever their own
    // is.
    std::array<Level, LookupSamples::kLevels> levels{};
    // Sums weighted by the chance that a file stays as it is while the tree writes kHorizon times
    // its keys; 0 where they were not asked for.
    double keys_that_stay = 0;
    double bytes_that_stay = 0;

    Sums& operator+=(const Sums& other) noexcept;
    void Scale(double part) noexcept;  // keys and bytes
  };

  // A file as it is recorded.
  struct File {
    NewFile facts;  // range without the common prefix
    FilterMemory memory;
    double more_bytes = 0;  // of the filter, which are not weighed
    FileName name{};        // of several files that are remembered as one, their database's
    double written = 0;     // keys that the tree had written by then
    int readers = 0;
    // False for a file whose readers are all gone, for one that a compaction has replaced but not
    // finished reading, and for one whose place there was no memory for: it counts for nothing.
    bool counts = false;
    bool is_listed = false;
    bool is_found = false;
    bool is_measured = false;
    bool is_ending = false;
    int ending_job = 0;          // that reads it; 0: unknown
    bool is_joined = false;      // several files
    bool is_for_joined = false;  // replaced such files, which are gone
    double from = 0;             // places by the grid
    double to = 0;
    std::shared_ptr<std::atomic<int>> level_of_readers;  // null: nobody asked

    double filter_bytes() const noexcept { return memory.bytes + more_bytes; }
    // True if the two may be remembered as one, which Join does; `other` is the next one.
    bool MayJoin(const File& other) const noexcept;
    void Join(const File& other);
  };

  // ---- Events

  // A file is added, and ends the files that it replaces. Returns a number that is not 0.
  Id Add(const NewFile& file, WritingJob* job);
  Id Add(const NewFile& file, WritingJob job = {}) { return Add(file, &job); }
  // A compaction writes the file, which is not added yet. If this thread wrote the file before it
  // on its level, it is of the same compaction, whose last file is set; a listener knows better.
  void Continue(const NewFile& file, WritingJob* job);
  // Further keys become known, if the filter has partitions.
  void Extend(Id id, const KeyRange& range, uint64_t keys, WritingJob* job);
  // A filter was read that an earlier process built, and whose note tells of the file. It ends no
  // other file. 0: the record does not need it, as a list has all files, or as others have its keys
  // on its level.
  Id AddFound(const ListedFile& found, bool is_leveled, bool may_be_bottom);
  // The filter is measured; more_bytes is what is not to be weighed against uniform filters.
  void AddMemory(Id id, const FilterMemory& memory, double more_bytes = 0);
  // A reader of the file's filter is made, or ends.
  void Opened(Id id);
  void Closed(Id id) noexcept;

  // A listener tells that the file that was added as `id` has this name, or failed to be written.
  void SetName(Id id, FileName name);
  void NotWritten(Id id);
  // A compaction begins to read it, by the job of this number.
  void Ending(FileName name, int job);
  // It is in the database, on this level: a flush or a compaction wrote it, or moved it there, or
  // has failed to replace it.
  void Installed(FileName name, int level);
  // A compaction replaced it, or it was deleted.
  void Ended(FileName name);
  // The database closes. Until it is listed again, all is guessed, as without a listener.
  void StopBeingTold();

  // The first level below 0 that has files, and the last one; -1: none.
  struct Levels {
    int base = -1;
    int depth = -1;
  };
  // Call this before all live files of the tree are listed: files that are added in between may be
  // missing in the list.
  void BeginList();
  // Records the files of the list, and ends those that are gone: files that an earlier list had,
  // or, for the first list since the database was opened, all that it lacks. Other files are still
  // being written; one whose name was never told stays beside itself until kMaxAge. Files of other
  // databases, which may share a logger, stay.
  Levels TakeList(FileName database, bool is_first, const std::vector<ListedFile>& list);

  // ---- What is known

  struct Place {
    int below = -1;      // the least level below with a file in the range, or kBottom; -1: none
    bool waits = false;  // on level 0, beside others in the range
  };
  // The place of a file that will be written to this level. For level 0, a file of level 0 in the
  // range counts as on `base`, where RocksDB will merge the two.
  Place PlaceOf(int level, const KeyRange& range, int base);

  Id last_id() const;  // of the file that was added last
  size_t files() const;
  // The number of files, with those that have no reader now but may be read again. A file with long
  // keys counts as the number of files that take as much memory.
  size_t Weight() const;
  // True if anything is remembered of it.
  bool Knows(Id id) const;
  // True if the record has all files of the tree, with the sizes of their filters.
  bool KnowsAllFiles() const;
  // True if all files had no readers any more, then some had, and none was added since.
  bool IsReopened() const;

  struct Written {
    double keys = 0;   // to all levels, since the record began
    double alive = 0;  // keys of the files that are recorded
  };
  Written written() const;
  LiveMemory Memory() const;
  Sums sums(bool with_what_stays = false) const;
  // The sums of the files that this one would end.
  Sums ReplacedBy(const NewFile& file, const WritingJob& job = {});
  // The sums of the files that compactions read, as far as a listener told.
  Sums EndingSums() const;

  // The file's level as LevelIndex has it, which follows the file when it is moved. Null if the
  // file is not recorded.
  std::shared_ptr<const std::atomic<int>> LevelOfReaders(Id id);

  // ---- What rates are learned from

  struct TreeShape {
    std::vector<RatedFile> files;                        // without their reach
    std::array<double, LookupSamples::kLevels> stays{};  // of a new file of each level
  };
  TreeShape ShapeOfTree() const;
  // The shape when running compactions have written. If a listener tells of files, an output counts
  // once it is in the database. Until then its inputs do: those of one job that overlap as one
  // file, which is new.
  TreeShape ShapeAfterCompactions() const;
  // The shape with the new file, without those that it would end, and those of the runs that
  // universal compaction merges into it. If a listener tells of files, ShapeAfterCompactions, to
  // which a flush adds the file.
  TreeShape ShapeWith(const NewFile& file, const WritingJob& job);
  RatedFile ShapeOf(const NewFile& file) const;

  // Makes the grid by which places are counted, if there is none or if much was written since.
  // Returns whether it did. Takes some milliseconds with thousands of files, most of that without
  // the lock. If it throws std::bad_alloc, grid and places are as before.
  bool MakeGrid();
  std::shared_ptr<const KeyPositions> grid() const;  // its time is counted by samples

  // Samples of lookups in the tree; they have their own lock.
  LookupSamples& samples() noexcept { return samples_; }

  // The ranges that its range filters were asked for.
  AskedRanges& asked_ranges() noexcept { return asked_ranges_; }

  // ---- As it goes to another process

  // With about as many files at most, neighbours being one. Its keys are short.
  CarriedFiles Carry(size_t most_files) const;
  // In a record that is new. Of short keys: what is asked or told of a range with an end that
  // leaves a run half-way is as of one where nothing is.
  void Restore(const CarriedFiles& carried);

 private:
  // A file by its first key, which is in files_.
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
  static int LevelOf(const NewFile& file) noexcept;  // in by_level_
  const Level& On(int level) const noexcept;
  Level::const_iterator FirstThatMayReach(int level, const KeyRange& range) const noexcept;
  bool HasOneIn(int level, const KeyRange& range, int above = -1) const;
  bool HasOneBelow(int level, const KeyRange& range) const;

  // Changes
  File* Find(Id id) noexcept;  // null: nothing is remembered of it
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

  // The guess which files have ended, without a listener (ended_files.cc)
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

  mutable std::mutex mutex_;  // of all but the samples
  std::unordered_map<Id, File> files_;
  std::unordered_map<uint64_t, Id> ids_;  // by FileName::Key
  std::map<int, Level> by_level_;         // of files that count
  size_t num_counted_ = 0;
  Id last_id_ = 0;
  std::string join_at_;

  std::shared_ptr<const SharedRuns> runs_;  // null, but in a record of another process
  size_t most_key_bytes_ = kMaxKeyBytes;
  std::optional<std::string> prefix_;  // that all keys begin with; unset without keys
  size_t long_bytes_ = 0;              // of keys that are longer than usual

  AllLives lives_{};
  LiveMemory memory_;
  Sums sums_;
  double written_ = 0;  // keys
  std::shared_ptr<const KeyPositions> grid_;
  double grid_written_ = 0;  // keys that the tree had written when the grid was made
  double grid_keys_ = 0;     // and keys of all files

  size_t revivals_ = 0;
  bool is_reopening_ = false;
  // The last outputs of compactions, by thread.
  struct Output {
    std::thread::id thread;
    int level;
    std::string last_key;
    Id last;  // as of WritingJob
  };
  std::vector<Output> outputs_;

  bool had_list_ = false;
  bool is_told_ = false;      // the last list is in the record
  bool is_complete_ = false;  // it has all files of the tree, with the sizes of their filters
  bool is_listing_ = false;
  Id list_begin_ = 0;  // the last file that was added before
  // Files that moved or ended since the current list was begun, which may have them elsewhere: by
  // name, whether it ended.
  std::unordered_map<FileName, bool, FileName::Hash> changed_;

  LookupSamples samples_;
  AskedRanges asked_ranges_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_FILES_H_
