// Samples of a tree's lookups: the position of each key, and the answers of each level's filters.
// The samples tell how many lookups of absent keys reach each level, and how many lookups find
// their key.
//
// The key's hash decides whether a lookup is sampled (sampled_hashes.h). So all filters that the
// lookup checks report their answers here. The first answer adds a record, and later answers change
// it, so nothing is pending when a lookup, its thread or the database ends. A thread remembers the
// records of its last few sampled lookups, because a MultiGet checks a file for all of its keys
// before it checks the next file.
//
// The position of a key is kept (key_positions.h), not the key itself.
//
// Memory: 12 bytes per record, so 12 to 192 KiB per tree, and 16 MiB for all trees together; 330
// bytes per thread.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_LOOKUP_SAMPLES_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_LOOKUP_SAMPLES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "src/rocksdb/lookups/key_positions.h"
#include "src/rocksdb/lookups/sampled_hashes.h"

namespace winnow::plugin {

// A filter that was checked.
struct AskedFilter {
  uint64_t file = 0;  // number of its file in the tree; partitions have that of their file
  int level = 0;      // level of the file, as far as known; not negative
  double rate = 0;    // false-positive rate, 0 to 1
};

// Last sampled lookups of one thread, not shared. Zero-initialized. Their trees may be destroyed.
struct LookupsUnderWay {
  struct Lookup {
    uint64_t tree;  // number_ of its samples; 0 if there is no lookup
    uint64_t hash;
    uint64_t record;
    uint64_t first_file;
    int deepest;
  };
  std::array<Lookup, 8> lookups;
  unsigned next;  // index of the oldest one, which is replaced next
};

// Samples of one tree's lookups. Thread-safe.
class LookupSamples {
 public:
  struct Record {
    float place = 0;       // place of the key in the grid
    uint16_t said_no = 0;  // bit i is set if a filter of level i said no
    int8_t deepest = 0;    // last level that was checked
    bool ended_with_no = false;
    // Number of lookups that this one stands for. False positives look like keys that are found, so
    // the weight is 1/(1 - rate) of the last filter that said no, with a rate of at most 0.9; 1 if
    // none said no.
    float weight = 1;
  };

  static constexpr int kLevels = 16;  // deeper levels count as the last one
  static constexpr size_t kMinRecords = 1024;
  static constexpr size_t kMaxRecords = 16'384;
  static constexpr size_t kMaxBytes = size_t{16} << 20;  // limit for all trees in the process
  // Number of records, over all trees of the process, after which the sampled keys change.
  static constexpr uint64_t kRecordsOfASalt = kSamplesOfAPace;

  LookupSamples() noexcept;
  ~LookupSamples();
  LookupSamples(const LookupSamples&) = delete;
  LookupSamples& operator=(const LookupSamples&) = delete;

  // ---- For builders of filters. Callbacks must not look up keys.

  // Makes room for kMinRecords, and doubles it each time that it is used up. Does nothing if out of
  // memory, or if all trees together have kMaxBytes.
  void Reserve() noexcept;

  // Drops the records and their memory, and so ends sampling.
  void Drop() noexcept;

  // Sets the grid of places. `moved` maps a place in the former grid to one in this grid, and must
  // not throw; it is not called for the first grid. Nothing is sampled before there is a grid.
  // Throws nothing.
  void SetGrid(std::shared_ptr<const KeyPositions> grid,
               const std::function<double(double)>& moved);

  // Copies the latest records, oldest first. May throw std::bad_alloc.
  void Snapshot(std::vector<Record>* records) const;

  // Adds records of lookups in another process, with places in this object's grid. If out of
  // memory, or if all trees together have kMaxBytes, only the latest records are kept.
  void Add(const std::vector<Record>& records) noexcept;

  bool has_room() const noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return capacity_ > 0;
  }

  // Number of records that were ever added, and number of records that are kept.
  uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }
  size_t size() const noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<size_t>(total() - first_);
  }

  // ---- For lookups: never waits, allocates or throws.

  // Records the answer of a filter for a key whose hash is sampled. If another thread holds the
  // lock, the answer is dropped; if this is the first answer, the whole lookup is. `lookups` is the
  // thread's state; null disables sampling.
  //
  // If the thread looked up this hash before, the answer begins a new lookup if it is of the first
  // file again, of a level above the deepest one so far, or of a level below 0 that was checked
  // already.
  void Note(LookupsUnderWay* lookups, std::string_view key, uint64_t hash, const AskedFilter& asked,
            bool may_contain) noexcept;

 private:
  static constexpr uint64_t kNoRecord = UINT64_MAX;

  bool IsFull() const noexcept { return total() - first_ == capacity_; }
  bool Has(uint64_t record) const noexcept { return record - first_ < total() - first_; }
  Record& At(uint64_t record) const noexcept { return records_[record & (capacity_ - 1)]; }
  uint64_t Append(const Record& added) noexcept;
  uint64_t Sample(std::string_view key) noexcept;

  const uint64_t number_;  // unique number of this tree's samples, never reused
  mutable std::mutex mutex_;
  std::unique_ptr<Record[]> records_;  // ring buffer: record n is at n modulo capacity_
  size_t capacity_ = 0;                // a power of two, or 0
  uint64_t first_ = 0;                 // oldest record that is kept
  std::atomic<uint64_t> total_{0};     // changed under the mutex
  std::shared_ptr<const KeyPositions> grid_;
};

// Returns the number of lookups that were sampled in this process, including those of destroyed
// trees. Thread-safe.
uint64_t CurrentSampledLookups() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_LOOKUP_SAMPLES_H_
