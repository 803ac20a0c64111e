// A record of the files of one tree: on which level and where in the range of keys each lies, and
// what its filter takes. Those whose filters were built here and, where a listener tells
// (listener.h), all that there are.
//
// It answers two questions about a file that is being built. Will it stay on its level? RocksDB
// moves a file down as it is where nothing lies in its range, so that a filter that was built for a
// small level stays, with its many bits, on the last one: a sequential load ends with all its files
// there. And how much memory do the filters take that are alive, next to uniform ones?
//
// Nobody tells a policy alone when a file ends. A file is taken to have ended
//   - when a compaction writes to its level in its range, or to a level below over its middle; one
//     of level 0 when anything is written to the first level below in its range;
//   - when all readers of its filter are gone: RocksDB closes the files that it deletes. Readers
//     come and go as well where RocksDB keeps few files open; a tree that shows that has its
//     readers ignored;
//   - when its tree has written kMostAge times its keys since.
// Where a listener tells which files there are, none of that is guessed. A file that a compaction
// reads counts for nothing any more once there is an output that replaces it, but it has not ended
// before the compaction has.
// A record that is wrong costs accuracy and nothing else.

#ifndef WINNOW_SRC_ROCKSDB_TREES_LIVE_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_LIVE_FILES_H_

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
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/rocksdb/lookups/key_grid.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/lookups/shared_runs.h"

namespace winnow::plugin {

// Of the user's keys, both ends included, in the order of bytes. A tree with another order has its
// keys compared so too, which costs accuracy.
struct KeyRange {
  std::string first;
  std::string last;

  bool Overlaps(const KeyRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
  // More than where one ends and the other begins: keys are cut, so that neighbours may touch.
  bool Crosses(const KeyRange& other) const noexcept {
    return (first < other.last && other.first < last) ||
           (first == other.first && last == other.last);
  }
  bool Contains(std::string_view key) const noexcept { return first <= key && key <= last; }
};

// What filters take, next to what uniform ones of the same files would.
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

// Safe from any number of threads. What may throw std::bad_alloc leaves a record that is less, and
// not wrong.
class LiveFiles {
 public:
  using Id = uint64_t;

  // Keys are remembered by as many bytes, after those that all keys of the tree begin with: groups
  // of them may share many bytes of their own.
  static constexpr size_t kMostKeyBytes = 512;
  // Whose keys are longer than this counts as several files (Weight).
  static constexpr size_t kUsualKeyBytes = 48;
  static constexpr size_t kBytesOfAFile = 600;
  // Flushes whose files may still be on level 0 though nothing there overlaps them.
  static constexpr size_t kRecentFlushes = 8;
  // Of more files, neighbours are remembered as one: some 450 bytes each.
  static constexpr size_t kMostFiles = 4096;
  // Before any file of a level ended, they are taken to live while the tree writes so many times
  // its keys.
  static constexpr double kUsualLife = 2;
  static constexpr double kHorizon = 2;
  // Of the tree's keys, what is written before a grid is made again.
  static constexpr double kGridAgain = 1.0 / 16;
  // And before it is looked at again which files will stay.
  static constexpr double kSumsAgain = 1.0 / 64;
  // What has been rewritten so often and never touched a file knows little of it.
  static constexpr double kMostAge = 30;
  // Filters that are read again after they had no reader, before readers are ignored.
  static constexpr size_t kMostRevivals = 16;

  // The level of what has nothing below it: RocksDB moves it down, now or when the tree gets
  // deeper.
  static constexpr int kBottom = std::numeric_limits<int>::max();

  struct Place {
    int below = -1;      // the least level below with a file in the range, or kBottom; -1: none
    bool waits = false;  // on level 0, beside others in the range
  };

  // Of a file to be written to this level. For level 0, a file there in the range counts as on
  // `base`, on which RocksDB merges the two.
  Place PlaceOf(int level, const KeyRange& range, int base);

  struct NewFile {
    int level = 0;           // that it is written to
    bool is_bottom = false;  // nothing lies below
    bool waits = false;
    KeyRange range;
    uint64_t keys = 0;
    double warmth = 0;  // of LearnedRates, when it was written; 0: unknown
  };
  // A number that is not 0. Ends the files that this one replaces; `base` as above.
  Id Add(const NewFile& file, int base);

  // What of it is known later: further keys of a filter in partitions; the size of its filter.
  void Extend(Id id, const KeyRange& range, uint64_t keys);
  void AddMemory(Id id, const FilterMemory& memory);

  // A reader of its filter is made, or ends.
  void Opened(Id id);
  void Closed(Id id) noexcept;

  LiveMemory Memory() const;
  size_t files() const;
  // With those that have no reader any more and may be read again; where keys are long, as many
  // more as take that memory.
  size_t Weight() const;

  // ---- What a listener tells

  // Of a file, for good. With the number 0 that of a database.
  struct Name {
    uint64_t database = 0;  // a hash of its path; 0: unknown
    uint64_t number = 0;

    bool is_known() const noexcept { return database != 0; }
    // Of the database, which this is a file of, and of another file of it.
    Name Database() const noexcept { return {database, 0}; }
    Name File(uint64_t other) const noexcept { return {database, other}; }
    // A number in the place of both, which no other file of the database has.
    uint64_t Key() const noexcept { return database ^ number * 0x9e3779b97f4a7c15u; }
    bool operator==(const Name& other) const noexcept {
      return database == other.database && number == other.number;
    }
    bool operator!=(const Name& other) const noexcept { return !(*this == other); }
    bool operator<(const Name& other) const noexcept {
      return database != other.database ? database < other.database : number < other.number;
    }
  };
  struct HashOfName {
    size_t operator()(const Name& name) const noexcept { return name.Key(); }
  };
  static Name NameOf(const std::string& database, uint64_t number) noexcept;

  struct Listed {
    Name name{};
    int level = 0;
    KeyRange range;
    uint64_t keys = 0;
    double filter_bytes = 0;
    bool is_ours = false;      // the filter, by a policy of Winnow
    FilterMemory memory;       // as it counts where memory is weighed against uniform filters'
    bool is_measured = false;  // all of these; else they are estimates
    bool is_ending = false;    // a compaction reads it
  };
  struct List {
    Name database{};
    bool is_first = false;  // since the database was opened
    std::vector<Listed> files;
  };
  // The first level below 0 that has files, and the last one; -1: none.
  struct Levels {
    int base = -1;
    int depth = -1;
  };

  // A database's files of this tree, all that live. To be called before the list is read: what is
  // added in between may be missing there.
  void BeginList();
  // Files of the list are recorded, those that are gone end. A file is gone that an earlier list
  // had, or that is not in the first one; others are being written yet. Of the name of other
  // databases, which may share a logger, none are.
  Levels Reconcile(const List& list);

  // The file that was added as `id` has this name.
  void SetName(Id id, Name name);
  // It failed to be written.
  void NotWritten(Id id);
  // A compaction begins to read it.
  void Ending(Name name);
  // It is in the database, on this level: a flush or a compaction made it, or moved it there.
  void Installed(Name name, int level);
  // A compaction replaced it, or it was deleted.
  void Ended(Name name);
  // The database closes. Until it is listed again, all is guessed.
  void StopBeingTold();

  // Whether the record has all files of the tree, with the sizes of their filters.
  bool KnowsAllFiles() const;

  // The level of the file as samples count it, LevelIndex, from now on, as it is moved. Null if the
  // file is not recorded.
  std::shared_ptr<const std::atomic<int>> LevelOfReaders(Id id);

  // ---- What rates are learned from

  struct Written {
    double keys = 0;   // to all levels, since the record began
    double alive = 0;  // keys of the files that are recorded
  };
  Written written() const;

  // ---- What filters take, for who shares out memory

  struct Sums {
    size_t files = 0;  // recorded; neighbours that are remembered as one count as one
    double keys = 0;
    double keys_without_filters = 0;  // of these, in files that have none
    double filter_bytes = 0;
    struct Level {
      double keys = 0;
      double filter_bytes = 0;
    };
    // Of these, by LevelIndex; files of all levels that lie over nothing are on the last one.
    std::array<Level, LookupSamples::kLevels> levels{};
    // Of all, by the chance that each file stays as it is while the tree writes kHorizon times
    // its keys.
    double keys_that_stay = 0;
    double bytes_that_stay = 0;

    Sums& operator+=(const Sums& other) noexcept;
  };
  // The shares that stay may be as old as kSumsAgain of the tree's keys.
  Sums sums();
  // Of what this file would end, without those that stay; `base` as above.
  Sums ReplacedBy(const NewFile& file, int base);

  // A file as its rate is learned. `level` is one of LookupSamples: the last of these where nothing
  // lies below the file.
  static int LevelIndex(int level, bool is_bottom) noexcept;
  struct Shape {
    int level = 0;
    double from = 0;  // places by the grid
    double to = 0;
    bool reaches_beyond = false;  // the grid, at one of its ends
    bool is_point = false;        // its keys were cut, and are not told apart
    double keys = 0;
    double to_uniform = 1;  // its filter's bytes to a uniform one's
    double stays = 0;       // the chance that it will for long
    double warmth = 0;      // as of NewFile
  };
  struct TreeShape {
    std::vector<Shape> files;
    std::array<double, LookupSamples::kLevels> stays{};  // of a new file of each level
  };
  // Files that stay are not written again while the tree writes kHorizon times its keys.
  TreeShape ShapeOfTree() const;
  Shape ShapeOf(int level, const KeyRange& range) const;

  // Makes the grid by which places are counted, where there is none, or much was written since;
  // whether it did. Takes some milliseconds with thousands of files, of which most without a lock.
  // Where it throws std::bad_alloc, the grid, the files' places and those of the samples are as
  // before.
  bool MakeGrid();
  std::shared_ptr<const KeyGrid> grid() const;  // its time is counted by samples

  // Of lookups in the tree; with a lock of their own.
  LookupSamples& samples() noexcept { return samples_; }

  // What was sampled of the lookups goes, and so do the grid and the files' places.
  void DropSamples() noexcept;

  // ---- As it goes to another process

  // How long files lived, in keys that the tree wrote.
  struct Lives {
    double ended = 0;  // files
    double keys = 0;   // of all these together
  };
  using AllLives = std::array<Lives, LookupSamples::kLevels>;  // by level

  struct Carried {
    struct File {
      NewFile facts;  // range without the prefix
      FilterMemory memory;
      double more_bytes = 0;  // of the filter, which are not weighed
      double age = 0;         // keys that the tree wrote since
      bool is_listed = false;
      bool is_measured = false;
      bool is_ending = false;
      bool is_joined = false;  // several
    };
    // Keys are short ones, without these; null: they come behind the prefix.
    std::shared_ptr<const SharedRuns> runs;
    std::string prefix;
    std::vector<File> files;  // by levels and first keys; of keys at most kMostKeyBytes
    size_t num_files = 0;     // that these are of
    AllLives lives{};
    double written = 0;  // keys
    // Of Sums, and keys that the tree wrote since these were found; negative: they never were.
    double keys_that_stay = 0;
    double bytes_that_stay = 0;
    double sums_age = -1;
    bool is_told = false;
    bool knows_all = false;
    // Places are of a grid of these files, and exposures of its parts: in what share of the
    // samples' time there were keys.
    std::vector<LookupSamples::Record> samples;
    std::vector<double> exposures;
  };
  // With about as many files at most, neighbours being one. Its keys are short.
  Carried Carry(size_t most_files, bool with_samples) const;
  // In a record that is new. Of short keys: what is asked or told of a range with an end that
  // leaves a run half-way is as of one where nothing is.
  void Restore(const Carried& carried);

  // Whether all files had no readers any more, then some had, and none was added since.
  bool IsReopened() const;
  // Whether anything is remembered of it.
  bool Knows(Id id) const;

 private:
  struct File {
    NewFile facts;  // range without the common prefix
    FilterMemory memory;
    double more_bytes = 0;  // of the filter, which are not weighed
    Name name{};
    uint64_t installed = 0;  // lists that were begun by then
    double written = 0;      // keys that the tree had written by then
    int readers = 0;
    bool is_listed = false;
    bool is_measured = false;
    bool is_ending = false;
    bool is_joined = false;  // several; the name is their database's
    double from = 0;         // places by the grid
    double to = 0;
    std::shared_ptr<std::atomic<int>> level_of_readers;  // null: nobody asked
  };
  // The files of a level by their first keys, which lie in `files_`.
  class Level {
   public:
    struct Entry {
      std::string_view first;
      Id id;
    };
    using Entries = std::vector<Entry>;
    using iterator = Entries::const_iterator;

    iterator begin() const noexcept { return entries_.begin(); }
    iterator end() const noexcept { return entries_.end(); }
    bool empty() const noexcept { return entries_.empty(); }
    size_t size() const noexcept { return entries_.size(); }
    iterator lower_bound(std::string_view key) const noexcept;
    iterator upper_bound(std::string_view key) const noexcept;

    void Insert(std::string_view first, Id id);  // behind those with the same key
    void Erase(std::string_view first, Id id) noexcept;

   private:
    Entries entries_;
  };
  AllLives LivesSoFar() const;
  double ChanceToStay(const Lives& others, double age) const noexcept;
  static size_t IndexOf(const NewFile& file) noexcept;
  bool IsPoint(const KeyRange& range) const noexcept;
  void SetPlaces(File* file) const noexcept;
  void CountEnd(const File& file);

  static int LevelOf(const NewFile& file) noexcept {
    return file.is_bottom && file.level > 0 ? kBottom : file.level;
  }

  // None where keys are short and an end of the range leaves a run half-way.
  std::optional<KeyRange> Shortened(const KeyRange& range);
  void ShortenPrefix(size_t size);
  void LengthenKeys(size_t size);
  void Forget() noexcept;
  static Level::iterator FirstThatMayReach(const Level& level, const KeyRange& range);
  // Of those that are on a level of kBottom, those below the level `above`.
  bool HasOneIn(int level, const KeyRange& range, int above = -1);
  template <typename Ends>
  void FindIn(int level, const KeyRange& range, Ends ends, std::vector<Id>* found);
  std::vector<Id> FindReplaced(const NewFile& file, int base);
  void EndReplaced(const NewFile& file, int base);
  void MarkWaiting(const KeyRange& range);
  void SettleOldFlushes(int base);
  void DropTheOld();
  void JoinTwo();

  void Park(Id id) noexcept;
  // Wherever it is, parked or not:
  File& Recorded(Id id);
  File Remove(Id id);  // but for its name
  void Drop(Id id);
  void End(Id id);  // the same, and lives of files are learned from it

  struct Told;
  using ByFirst = std::vector<Told*>;  // in the order of first keys
  static ByFirst::const_iterator FromKey(const ByFirst& told, const std::string& key);
  std::vector<Told> Arrange(const List& list);
  static Told* Match(const File& file, const ByFirst& told);
  void Update(Id id, Told* told);
  void ShareOut(Id id, const ByFirst& told);
  void AddTold(const Told& told);
  static void TellReaders(const File& file) noexcept;

  void Insert(Id id, File added);
  File Take(Id id);  // out of files, levels and sums
  static size_t LongBytesOf(const KeyRange& range) noexcept;
  static void CountIn(const File& file, int sign, Sums* sums) noexcept;  // but for what stays
  void Count(const File& file, int sign);

  mutable std::mutex mutex_;
  std::shared_ptr<const SharedRuns> runs_;  // null, but in a record of another process
  size_t most_key_bytes_ = kMostKeyBytes;
  std::optional<std::string> prefix_;  // that all keys begin with; unset without keys
  std::unordered_map<Id, File> files_;
  // That had readers, and have none; or, where a listener tells, that a compaction
  // reads and has written over.
  std::unordered_map<Id, File> parked_;
  std::unordered_map<uint64_t, Id> names_;  // of files in both
  std::map<int, Level> levels_;
  AllLives lives_{};
  std::shared_ptr<const KeyGrid> grid_;
  double grid_written_ = 0;  // keys that the tree had written when it was made
  size_t long_bytes_ = 0;    // of the keys of files in both that are longer than usual
  LiveMemory memory_;
  Id last_ = 0;
  double written_ = 0;  // keys
  size_t revivals_ = 0;
  bool is_reopening_ = false;
  bool is_told_ = false;  // by a listener, all that live
  bool knows_all_ = false;
  uint64_t lists_ = 0;  // that were begun
  Id list_begin_ = 0;   // the last file that was added before
  bool is_listing_ = false;
  std::unordered_set<Name, HashOfName>
      ended_;  // since the list that is read was begun: it may have them
  Sums sums_;
  double sums_written_ = -1;  // keys that the tree had written when it was seen what stays
  std::string join_at_;
  LookupSamples samples_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_LIVE_FILES_H_
