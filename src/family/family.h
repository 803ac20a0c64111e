// Record of the live files of a column family, and the bits of its new filters.
//
//   bits(file) = uniform + log2(n / k) - mean      within 1 to 16
//   mean       = sum k log2(n / k) / sum k         over the files that stay and those of the job
//
// (shape.h defines n and k). For a given memory, the number of false reads is minimal if each
// file's rate is proportional to k / n ("Monkey: Optimal Navigable Key-Value Store", Dayan,
// Athanassoulis, Idreos, SIGMOD 2017, for levels; it holds for files of any sizes and ranges). The
// mean rises as runs gather and falls as they merge, so that files get bits by a mean of recent
// means, but only as far as the tree has no more false reads than one with equal rates. Where the
// filters take more than 1.05 of the bits of uniform ones, the excess comes off.
//
// Two sources tell which files live. A listener names them by events, and by lists where events do
// not say enough. Without one, a file lives while its filter has a reader, if RocksDB keeps the
// readers of all files: SetReadersTell. A compaction's outputs begin to live when readers of other
// files end.
//
// A shape is made on a copy, without the lock, after 1/64 of the keys came or went.

#ifndef WINNOW_SRC_FAMILY_FAMILY_H_
#define WINNOW_SRC_FAMILY_FAMILY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "src/family/live_file.h"
#include "src/family/shape.h"

namespace winnow::family {

// Bounds of a filter's bits.
inline constexpr double kLeastBits = 1;
inline constexpr double kMostBits = 16;

// Bits of a new filter, and why.
struct Decided {
  double bits = 0;  // log2(1/rate)
  Reach reach{};
  double mean = 0;
  bool is_over_memory = false;  // all filters take more than they may: this one gets fewer bits
};

// Returns the bits of a file by the rule, within its bounds; `uniform` may be less.
double BitsByRule(double uniform, const Reach& reach, double mean) noexcept;

// Files that share a memory.
struct Weighed {
  double log2_reach;  // log2(n / k)
  double keys;
};

// Returns the lambda with which filters of log2_reach - log2(lambda) bits, 0 to `most`, take `bits`
// together; within 60 of 0.
double Log2LambdaFor(const std::vector<Weighed>& files, double bits, double most) noexcept;

// Returns the number of sampled lookups of absent keys, over all files, at which counters are
// halved.
double MostSamples(size_t files) noexcept;

// A file as a listener lists it.
struct ListedFile {
  FileName name{};
  int level = 0;
  KeyRange range{};
  double keys = 0;
  double bits = 0;           // log2(1/rate) of its filter; 0 without a filter
  double bytes = 0;          // of its filter
  bool is_measured = false;  // false if keys, bits and bytes are estimates
  bool tells_bits = false;   // by its bytes
  double asked = 0;          // sampled lookups of absent keys, that another process told of
};

// Thread-safe. Functions that throw std::bad_alloc leave a record that is valid, but may lack
// files.
class Family {
 public:
  // Sets whether keys are in bytewise order; true at first.
  void SetOrdered(bool is_ordered);
  // Sets whether a file lives while its filter has a reader; false at first.
  void SetReadersTell(bool readers_tell);

  // ---- Files that are written

  // Returns the bits of the filter of a file, where uniform filters have `uniform` bits; nothing if
  // no source tells which files live.
  std::optional<Decided> BitsOf(const NewFile& file, double uniform);
  // Records a file whose filter was built. Extend adds the next partition of the filter: the file
  // then has this range and so many keys.
  FilePtr Built(const NewFile& file, double bits, double bytes);
  void Extend(const FilePtr& file, const NewFile& whole, double bytes);

  // ---- Edits of a listener

  void SetName(const FilePtr& file, FileName name);
  void NotWritten(const FilePtr& file);
  // A compaction, the job of this number, begins to read these files, and has ended.
  void Begin(int job, const std::vector<FileName>& inputs);
  void End(int job);
  // The file is in the tree on this level: it was written, moved, or is read no more.
  void Installed(FileName name, int level);
  void Ended(FileName name);
  // Must be called before all live files are listed. Edits during the listing outrank the list.
  void BeginList();
  // Files of other databases stay.
  void TakeList(uint64_t database, const std::vector<ListedFile>& list);
  // The database is closed, or is not told of any more.
  void StopBeingTold();

  // ---- Readers

  // Count a file's readers. Without lists, they are edits.
  void Opened(const FilePtr& file);
  void Closed(const FilePtr& file) noexcept;
  // Returns the record of a file of an earlier process, whose filter was read; null if none is
  // needed. `found` has no name.
  FilePtr Found(const ListedFile& found);

  // ---- Queries

  // Files that a new file's job replaces.
  struct Inputs {
    double keys = 0;
    double bytes = 0;           // of filters
    double bytes_on_level = 0;  // of those on the new file's level

    // Returns those of a file with this many of the job's keys, as if spread evenly.
    Inputs ShareOf(double of_keys) const noexcept;
  };
  // Returns the inputs of the file's job; of a job that is not known, as much of the files in its
  // range, by the shape, as it has keys.
  Inputs InputsOf(const NewFile& file) const;
  struct Totals {
    size_t files = 0;
    double keys = 0;
    double bytes = 0;  // of filters
    double keys_on_level_0 = 0;

    Totals& operator+=(const Totals& more) noexcept;
  };
  Totals totals() const;
  // First and last level below 0 that have files; -1 if none.
  struct Levels {
    int base = -1;
    int depth = -1;
  };
  Levels levels() const;
  // Returns whether a source tells which files live, so that BitsOf gives an answer.
  bool has_source() const;
  bool is_told() const noexcept { return is_told_.load(std::memory_order_relaxed); }
  // Returns whether the record has all files of the tree, with the sizes of their filters.
  bool knows_all() const;
  // Returns whether all readers had ended, and some began since, but no file was written.
  bool is_reopened() const;
  // Memory in bytes, about.
  size_t memory() const;
  // Returns the shape. It may lack edits of less than 1/64 of the keys, and those that come while
  // another thread makes one.
  std::shared_ptr<const Shape> Look();
  // Append the live files. AppendWith replaces those that the new file's job reads by its outputs,
  // and returns log2(n / k) of the file.
  void AppendAll(std::vector<Weighed>* all);
  double AppendWith(const NewFile& file, std::vector<Weighed>* all);

  // ---- Another process

  // The difference of uniform bits and the mean of recent means, with which a worker begins.
  double OffsetFor(double uniform);
  void Restore(const std::vector<ListedFile>& files, std::optional<double> offset);
  std::optional<double> told_offset() const;

 private:
  struct Job {
    Sums sums;        // inputs with filters
    double heat = 0;  // weighted by keys: of the outputs beside the file
    Shape::Replaced replaced;
  };
  struct Plan {
    Reach reach;
    Sums rest;
    double added = 0;    // keys of the job's outputs
    double typical = 0;  // log2(n / k) of these
  };

  void AddLive(const FilePtr& file);
  void RemoveLive(const FilePtr& file);
  FilePtr Named(FileName name) const;
  void RemoveWritten(const FilePtr& file);
  void MoveTo(const FilePtr& file, int level);
  void Forget(const FilePtr& file);
  void EndFrozen();
  std::shared_ptr<const Shape> LookLocked(std::unique_lock<std::mutex>* lock);
  bool HasSource() const;
  const std::vector<FilePtr>* InputFilesOf(const NewFile& file) const;
  Job JobOf(const NewFile& file, const Shape& shape);
  Plan PlanOf(const NewFile& file, const Shape& shape);
  bool IsOfWholeJob(const NewFile& file, const Shape& shape);
  double Smoothed(double mean, const Plan& plan, const NewFile& file, double uniform);

  std::atomic<bool> is_told_{false};
  mutable std::mutex mutex_;  // guards the following; not held while a shape is made
  bool is_ordered_ = true;
  bool readers_tell_ = false;
  bool was_told_ = false;  // and then closed: readers that end do not tell
  std::vector<FilePtr> live_;
  std::vector<FilePtr> written_;  // not alive yet
  std::unordered_map<FileName, FilePtr, FileName::Hash> named_;
  std::map<int, std::vector<FilePtr>> inputs_;         // by job
  std::map<std::thread::id, std::string> whole_jobs_;  // last keys of their last outputs
  double keys_ = 0;
  double bytes_ = 0;
  size_t key_bytes_ = 0;
  size_t unmeasured_ = 0;
  std::map<int, double> level_keys_;
  bool is_listing_ = false;
  // Levels of files installed since BeginList; -1 if it ended.
  std::unordered_map<FileName, int, FileName::Hash> changed_;
  std::vector<std::weak_ptr<LiveFile>> found_;  // until the first list
  size_t most_found_ = 64;                      // number at which ended ones are dropped
  bool was_emptied_ = false;                    // no file has a reader since

  bool is_looking_ = false;
  std::shared_ptr<const Shape> shape_ =
      std::make_shared<const Shape>(std::vector<Shape::Placed>(), true);
  double edited_ = 0;  // keys that came or went since the shape
  std::optional<double> usual_mean_;
  std::optional<double> offset_;  // of another process
};

}  // namespace winnow::family

#endif  // WINNOW_SRC_FAMILY_FAMILY_H_
