// The files of a tree that are recorded, by level and by name, and what their filters take
// together.
//
// The part of LiveFiles (live_files.h) that has no lock and guesses nothing. LiveFiles guesses
// which files end; ToldFiles (told_files.h) knows it from a listener. Both change this record.

#ifndef WINNOW_SRC_ROCKSDB_TREES_RECORDED_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_RECORDED_FILES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/rocksdb/lookups/key_positions.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/lookups/shared_runs.h"
#include "src/rocksdb/trees/file_name.h"

namespace winnow::plugin {

// A range of user keys, both ends included, in the order of bytes. Keys of trees with another order
// are compared in this way, too, which costs accuracy.
struct KeyRange {
  std::string first;
  std::string last;

  bool Overlaps(const KeyRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
  // Whether the two share more than one end: keys are cut, so neighbours may touch.
  bool Crosses(const KeyRange& other) const noexcept {
    return (first < other.last && other.first < last) ||
           (first == other.first && last == other.last);
  }
  bool Contains(std::string_view key) const noexcept { return first <= key && key <= last; }
};

// What filters take, and what uniform filters of the same files would take.
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

// A function that throws std::bad_alloc leaves a record that is incomplete but not wrong.
struct RecordedFiles {
  RecordedFiles() = default;
  RecordedFiles(const RecordedFiles&) = delete;  // levels refer to keys of files
  RecordedFiles& operator=(const RecordedFiles&) = delete;

  using Id = uint64_t;

  // Keys are remembered by so many bytes, behind those that all keys of the tree begin with. It is
  // large, as groups of keys may share many more bytes.
  static constexpr size_t kMaxKeyBytes = 512;
  // A file with longer keys counts as several files (LiveFiles::Weight).
  static constexpr size_t kUsualKeyBytes = 48;
  // If there are more files, neighbours are remembered as one. A file takes some 450 bytes.
  static constexpr size_t kMaxFiles = 4096;
  static constexpr size_t kBytesOfAFile = 600;
  // Until the first file of a level ends, files are assumed to live while the tree writes so many
  // times its keys.
  static constexpr double kUsualLife = 2;
  // A file stays if it is not rewritten while the tree writes so many times its keys.
  static constexpr double kHorizon = 2;
  // Which files will stay is computed again when this share of the tree's keys was written.
  static constexpr double kSumsAgain = 1.0 / 64;

  // The level of files that have nothing below them: RocksDB moves them down, now or when the tree
  // gets deeper.
  static constexpr int kBottom = std::numeric_limits<int>::max();

  struct NewFile {
    int level = 0;           // that it is written to
    bool is_bottom = false;  // nothing lies below
    bool waits = false;
    KeyRange range;
    uint64_t keys = 0;
    double relative_miss_heat = 0;  // of LearnedRates, when it was written; 0: unknown
  };

  // How long files lived, in keys that the tree wrote.
  struct Lives {
    double ended = 0;  // files
    double keys = 0;   // of all these together
  };
  using AllLives = std::array<Lives, LookupSamples::kLevels>;  // by level

  struct Sums {
    size_t files = 0;  // recorded; neighbours that are remembered as one count as one
    double keys = 0;
    double keys_without_filters = 0;  // of these, in files that have none
    double filter_bytes = 0;
    struct Level {
      double keys = 0;
      double filter_bytes = 0;
    };
    // The same by LevelIndex. Files that lie over nothing are on the last level, whatever their own
    // is.
    std::array<Level, LookupSamples::kLevels> levels{};
    // Sums weighted by the chance that a file stays as it is while the tree writes kHorizon times
    // its keys.
    double keys_that_stay = 0;
    double bytes_that_stay = 0;

    Sums& operator+=(const Sums& other) noexcept;
    void Scale(double part) noexcept;  // keys and bytes
  };

  struct File {
    NewFile facts;  // range without the common prefix
    FilterMemory memory;
    double more_bytes = 0;  // of the filter, which are not weighed
    FileName name{};
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

  // The files of a level by their first keys. The keys themselves are in `live`.
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

  // A file's level as samples count it: the last level of LookupSamples if nothing lies below the
  // file.
  static int LevelIndex(int level, bool is_bottom) noexcept;
  static size_t IndexOf(const NewFile& file) noexcept;
  // The file's level in `by_level`.
  static int LevelOf(const NewFile& file) noexcept {
    return file.is_bottom && file.level > 0 ? kBottom : file.level;
  }

  // ---- Keys

  // None if keys are short and an end of the range leaves a run half-way (shared_runs.h).
  std::optional<KeyRange> Shortened(const KeyRange& range);

  // The grid has places of both ends: not where Shortened has no range.
  bool HasPlaces(const KeyRange& range) const noexcept;
  bool IsPoint(const KeyRange& range) const noexcept;
  static size_t LongBytesOf(const KeyRange& range) noexcept;

  // ---- Files

  static Level::iterator FirstThatMayReach(const Level& level, const KeyRange& range);
  // On kBottom only files below the level `above` count.
  bool HasOneIn(int level, const KeyRange& range, int above = -1);

  void Insert(Id id, File added);
  File Take(Id id);  // out of files, levels and sums
  // Makes two neighbours one, on the level with the most files.
  void JoinTwo();
  void Park(Id id) noexcept;

  // For files that are live or parked:
  File& Recorded(Id id);
  File Remove(Id id);  // but for its name
  void Drop(Id id);
  void End(Id id);  // the same, and lives of files are learned from it

  void SetPlaces(File* file) const noexcept;
  static void ShowLevelToReaders(const File& file) noexcept;

  // ---- Sums

  static void CountIn(const File& file, int sign, Sums* into) noexcept;  // but for what stays
  void Count(const File& file, int sign);
  AllLives LivesSoFar() const;
  // The chance that a file of this age lives as long as kHorizon says, by the lives of other files
  // of its level.
  double ChanceToStay(const Lives& others, double age) const noexcept;
  const Sums& SumsNow();

  std::shared_ptr<const SharedRuns> runs;  // null, but in a record of another process
  size_t most_key_bytes = kMaxKeyBytes;
  std::optional<std::string> prefix;  // that all keys begin with; unset without keys
  std::unordered_map<Id, File> live;
  // Files that had readers and have none; with a listener, files that a compaction has replaced but
  // not finished reading.
  std::unordered_map<Id, File> parked;
  std::unordered_map<uint64_t, Id> ids_by_name;  // of files in both
  std::map<int, Level> by_level;
  AllLives lives{};
  std::shared_ptr<const KeyPositions> grid;
  size_t long_bytes = 0;  // of the keys of files in both that are longer than usual
  LiveMemory memory;
  Id last_id = 0;
  double written = 0;        // keys
  bool is_complete = false;  // has all files of the tree, with the sizes of their filters
  Sums sums;
  double sums_written = -1;  // keys that the tree had written when it was seen what stays
  std::string join_at;

 private:
  void ShortenPrefix(size_t size);
  void LengthenKeys(size_t size);
  void Forget() noexcept;
  void CountEnd(const File& file);
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_RECORDED_FILES_H_
