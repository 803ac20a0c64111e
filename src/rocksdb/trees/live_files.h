// A record of the files of one tree: each file's level, its range of keys, and what its filter
// takes. It has the files whose filters were built in this process, and all files of the tree if a
// listener tells of them (listener.h).
//
// It answers two questions about a file that is being built. Will the file stay on its level?
// RocksDB moves a file down as it is if it overlaps nothing there. A filter that was built for a
// small level then stays on the last one, with its many bits: a sequential load ends with all its
// files there. And how much memory do the filters of live files take, relative to uniform ones?
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

#ifndef WINNOW_SRC_ROCKSDB_TREES_LIVE_FILES_H_
#define WINNOW_SRC_ROCKSDB_TREES_LIVE_FILES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/key_positions.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/trees/carried_files.h"
#include "src/rocksdb/trees/file_list.h"
#include "src/rocksdb/trees/file_name.h"
#include "src/rocksdb/trees/recorded_files.h"
#include "src/rocksdb/trees/told_files.h"

namespace winnow::plugin {

// The flush or compaction that writes a file.
struct WritingJob {
  RecordedFiles::Id last = 0;  // the tree's last file when a compaction began; 0: a flush
  bool is_leveled = true;      // else it merges runs of all levels above, and moves no flush down
  double keys = 0;             // of files of level 0 that ended for one of level 0
};

// Safe from any number of threads. What may throw std::bad_alloc leaves a record that is less, and
// not wrong.
class LiveFiles {
 public:
  using Id = RecordedFiles::Id;
  using NewFile = RecordedFiles::NewFile;
  using Sums = RecordedFiles::Sums;

  // The latest flushes, whose files may still be on level 0 although nothing there overlaps them.
  static constexpr size_t kRecentFlushes = 8;
  // The grid is made again when this share of the tree's keys was written.
  static constexpr double kGridAgain = 1.0 / 16;
  // A file that was not touched while its tree wrote so many times its keys is assumed to be gone.
  static constexpr double kMaxAge = 30;
  // If so many filters were read again after they had no reader, readers are ignored.
  static constexpr size_t kMaxRevivals = 16;

  struct Place {
    int below = -1;      // the least level below with a file in the range, or kBottom; -1: none
    bool waits = false;  // on level 0, beside others in the range
  };

  // The place of a file that will be written to this level. For level 0, a file of level 0 in the
  // range counts as on `base`, where RocksDB will merge the two.
  Place PlaceOf(int level, const KeyRange& range, int base);

  // Records a file, and ends the files that it replaces; `base` as above. Returns a number that is
  // not 0. job: null: unknown.
  Id Add(const NewFile& file, int base, WritingJob* job = nullptr);
  Id last_id() const;  // of the file that was added last
  // A compaction writes the file, which is not added yet. If this thread wrote the file before it
  // on its level, it is of the same compaction, whose last file is set; a listener knows better.
  void Continue(const NewFile& file, WritingJob* job);

  // What becomes known later: further keys, if the filter has partitions, and the size of the
  // filter; more_bytes is what is not to be weighed against uniform filters.
  void Extend(Id id, const KeyRange& range, uint64_t keys, WritingJob* job = nullptr);
  void AddMemory(Id id, const FilterMemory& memory, double more_bytes = 0);

  // A reader of the file's filter is made, or ends.
  void Opened(Id id);
  void Closed(Id id) noexcept;

  LiveMemory Memory() const;
  size_t files() const;
  // The number of files, with those that have no reader now but may be read again. A file with long
  // keys counts as the number of files that take as much memory.
  size_t Weight() const;

  // ---- What a listener tells

  // Call this before all live files of the tree are listed: files that are added in between may be
  // missing in the list.
  void BeginList();
  // Records the files of the list, and ends those that are gone: files that an earlier list had,
  // or, for the first list, all that it lacks. Other files are still being written. Files of other
  // databases, which may share a logger, stay.
  ListedLevels Reconcile(const FileList& list);

  // The file that was added as `id` has this name.
  void SetName(Id id, FileName name);
  // It failed to be written.
  void NotWritten(Id id);
  // A compaction begins to read it.
  void Ending(FileName name);
  // The file is in the database, on this level: a flush or a compaction wrote it, or moved it
  // there.
  void Installed(FileName name, int level);
  // A compaction replaced it, or it was deleted.
  void Ended(FileName name);
  // The database closes. Until it is listed again, all is guessed, as without a listener.
  void StopBeingTold();

  // Whether the record has all files of the tree, with the sizes of their filters.
  bool KnowsAllFiles() const;

  // The file's level as samples count it (RecordedFiles::LevelIndex), which follows the file when
  // it is moved. Null if the file is not recorded.
  std::shared_ptr<const std::atomic<int>> LevelOfReaders(Id id);

  // ---- What rates are learned from

  struct Written {
    double keys = 0;   // to all levels, since the record began
    double alive = 0;  // keys of the files that are recorded
  };
  Written written() const;

  // ---- What filters take, for who shares out memory

  // What stays is computed anew when RecordedFiles::kSumsAgain of the tree's keys were written.
  Sums sums();
  // The sums of the files that this one would end, without what stays; `base` as above.
  Sums ReplacedBy(const NewFile& file, int base, const WritingJob& job = {});

  // The sums of the files that compactions read, as far as a listener told, likewise.
  Sums EndingSums() const;

  // A file, by what its rate is learned from.
  struct Shape {
    int level = 0;    // RecordedFiles::LevelIndex
    double from = 0;  // places by the grid
    double to = 0;
    bool reaches_beyond = false;  // the grid, at one of its ends
    bool is_point = false;        // its keys were cut, and are not told apart
    bool waits = false;           // as of NewFile
    double keys = 0;
    double to_uniform = 1;          // its filter's bytes to a uniform one's
    double stays = 0;               // the chance that it will for long
    double relative_miss_heat = 0;  // as of NewFile
  };
  struct TreeShape {
    std::vector<Shape> files;
    std::array<double, LookupSamples::kLevels> stays{};  // of a new file of each level
  };
  TreeShape ShapeOfTree() const;
  // Without the files that this one would end, and those of the runs that universal compaction
  // merges into it; `base` as above.
  TreeShape ShapeWithout(const NewFile& file, int base, const WritingJob& job);
  Shape ShapeOf(int level, const KeyRange& range) const;

  // Makes the grid by which places are counted, if there is none or if much was written since.
  // Returns whether it did. Takes some milliseconds with thousands of files, most of that without
  // the lock. If it throws std::bad_alloc, grid and places are as before.
  bool MakeGrid();
  std::shared_ptr<const KeyPositions> grid() const;  // its time is counted by samples

  // Samples of lookups in the tree; they have their own lock.
  LookupSamples& samples() noexcept { return samples_; }

  // ---- As it goes to another process

  // With about as many files at most, neighbours being one. Its keys are short.
  CarriedFiles Carry(size_t most_files, bool with_samples) const;
  // In a record that is new. Of short keys: what is asked or told of a range with an end that
  // leaves a run half-way is as of one where nothing is.
  void Restore(const CarriedFiles& carried);

  // Whether all files had no readers any more, then some had, and none was added since.
  bool IsReopened() const;
  // Whether anything is remembered of it.
  bool Knows(Id id) const;

 private:
  using File = RecordedFiles::File;

  TreeShape ShapeBut(std::vector<Id> left_out) const;

  std::optional<NewFile> Shortened(const NewFile& added);
  bool MayEnd(Id id, const File& file, const WritingJob& job) const noexcept;
  template <typename Ends>
  void FindIn(int level, const NewFile& file, const WritingJob& job, Ends ends,
              std::vector<Id>* found);
  std::vector<Id> FindMerged(const NewFile& file, const WritingJob& job);
  std::vector<Id> FindReplaced(const NewFile& file, int base, const WritingJob& job);
  void EndReplaced(const NewFile& file, int base, WritingJob* job);
  void MarkWaiting(const KeyRange& range);
  void SettleOldFlushes(int base);
  void DropTheOld();

  mutable std::mutex mutex_;  // of all but the samples
  RecordedFiles recorded_;
  ToldFiles told_{&recorded_};
  double grid_written_ = 0;  // keys that the tree had written when the grid was made
  size_t revivals_ = 0;
  // The last outputs of compactions, by thread.
  struct Output {
    std::thread::id thread;
    int level;
    std::string last_key;
    Id last;  // as of WritingJob
  };
  std::vector<Output> outputs_;
  bool is_reopening_ = false;
  LookupSamples samples_;
};

// The file that a filter is of.
struct FilterFile {
  LiveFiles::Id id = 0;
  int level = -1;  // as RecordedFiles::LevelIndex has it, when the filter was built
  // Whether the filter has one reader, from the file's opening to its end.
  bool has_one_reader = true;
};

// One reader of a file's filter, for as long as it lives; of no file, it does nothing. A reader in
// a block cache may outlive its policy, and owns its share of the record.
class OwnedReader {
 public:
  OwnedReader() = default;
  OwnedReader(std::shared_ptr<LiveFiles> files, const FilterFile& file)
      : files_(std::move(files)), file_(file) {
    if (file_.has_one_reader) files_->Opened(file_.id);
    level_ = files_->LevelOfReaders(file_.id);
  }
  OwnedReader(OwnedReader&& other) noexcept = default;
  OwnedReader& operator=(OwnedReader&&) = delete;
  ~OwnedReader() {
    if (files_ != nullptr && file_.has_one_reader) files_->Closed(file_.id);
  }

  explicit operator bool() const noexcept { return files_ != nullptr; }

  // Of a file: where its lookups are sampled, and the filter, which has this rate of false
  // positives, for a lookup now.
  LookupSamples& samples() const noexcept { return files_->samples(); }
  AskedFilter AskedNow(double rate) const noexcept {
    const int level = level_ != nullptr ? level_->load(std::memory_order_relaxed) : file_.level;
    return {file_.id, level, rate};
  }

 private:
  std::shared_ptr<LiveFiles> files_;
  FilterFile file_;
  std::shared_ptr<const std::atomic<int>> level_;  // where the file is now; null: unknown
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_LIVE_FILES_H_
