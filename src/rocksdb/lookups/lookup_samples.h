// Samples of a tree's lookups: where each key lies, and what the filters of each level said. They
// tell how many lookups of absent keys reach each level, and how many lookups find their key.
//
// The key's hash decides whether a lookup is sampled (sampled_hashes.h). So all filters that the
// lookup asks report their answers here. The first answer adds a record, and later ones change it,
// so nothing is pending when a lookup, its thread or the database ends. A thread remembers the
// records of its last few sampled lookups, because a MultiGet asks a file for all of its keys
// before it asks the next file.
//
// The key itself is not kept, only its place (key_positions.h).
//
// Memory: 12 bytes a record, so 12 to 192 KiB for a tree, and 16 MiB for all trees together; 330
// bytes for each thread.

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

// A filter that was asked.
struct AskedFilter {
  uint64_t file = 0;  // a number that it has in its tree; partitions have that of their file
  int level = 0;      // of the file, as far as known; not negative
  double rate = 0;    // of false positives, 0 to 1
};

// The last sampled lookups of one thread, which no other thread uses; zeros at first. Their trees
// may be gone.
struct LookupsUnderWay {
  struct Lookup {
    uint64_t tree;  // a number of its own; 0: no lookup
    uint64_t hash;
    uint64_t record;
    uint64_t first_file;
    int deepest;
  };
  std::array<Lookup, 8> lookups;
  unsigned next;  // that is replaced, which is the oldest one
};

// Samples of one tree's lookups. Safe from any number of threads.
class LookupSamples {
 public:
  struct Record {
    float place = 0;       // of the key in the grid
    uint16_t said_no = 0;  // bit i: a filter of level i did
    int8_t deepest = 0;    // the last level that was asked
    bool ended_with_no = false;
    // How many lookups this one stands for. False positives look like keys that are found, so it is
    // 1/(1 - rate) of the last filter that said no, where the rate counts as 0.9 at most; 1 if none
    // said no.
    float weight = 1;
  };

  static constexpr int kLevels = 16;  // those behind the last one count as that one
  static constexpr size_t kMinRecords = 1024;
  static constexpr size_t kMaxRecords = 16'384;
  static constexpr size_t kMaxBytes = size_t{16} << 20;  // of all trees in the process
  // After so many records in all trees of the process, other keys are sampled.
  static constexpr uint64_t kRecordsOfASalt = kSamplesOfAPace;

  LookupSamples() noexcept;
  ~LookupSamples();
  LookupSamples(const LookupSamples&) = delete;
  LookupSamples& operator=(const LookupSamples&) = delete;

  // ---- For builders of filters. The functions passed must not look up keys.

  // Makes room: for kMinRecords at first, then for twice as many each time that the room is used
  // up. If memory is short, or all trees have kMaxBytes, all stays as it is.
  void Reserve() noexcept;

  // Drops the records and their room, without which nothing is sampled.
  void Drop() noexcept;

  // From here on, places are of this grid. `moved` turns a place in the former grid into one in
  // this, and must not throw; it is not called for the first grid. Nothing is sampled before there
  // is a grid. Throws nothing.
  void SetGrid(std::shared_ptr<const KeyPositions> grid,
               const std::function<double(double)>& moved);

  // The latest records, the oldest first. May throw std::bad_alloc.
  void Snapshot(std::vector<Record>* records) const;

  // Adds records of lookups of another process; their places are of this object's grid. If memory
  // is short, or all trees have kMaxBytes, the latest ones are kept.
  void Add(const std::vector<Record>& records) noexcept;

  bool has_room() const noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return capacity_ > 0;
  }

  // How many records were ever added, and how many there are.
  uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }
  size_t size() const noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<size_t>(total() - first_);
  }

  // ---- For lookups: never waits, allocates or throws.

  // Notes what a filter said of a key whose hash is sampled. If another thread is in here, the
  // answer is dropped; without its first answer a whole lookup is. `lookups` are the thread's;
  // null: nothing is sampled.
  //
  // If the thread looked up the same hash before, this answer begins a new lookup if it is of the
  // first file again, of a level above the deepest one so far, or of a level below 0 that was asked
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

  const uint64_t number_;  // of this tree: no other one has it, before or after
  mutable std::mutex mutex_;
  std::unique_ptr<Record[]> records_;  // a ring: of record n at n modulo capacity_
  size_t capacity_ = 0;                // a power of two, or 0
  uint64_t first_ = 0;                 // the oldest record that is there
  std::atomic<uint64_t> total_{0};     // changed under the mutex
  std::shared_ptr<const KeyPositions> grid_;
};

// How many lookups were sampled in this process, also in trees that are gone. Safe from any thread.
uint64_t CurrentSampledLookups() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_LOOKUP_SAMPLES_H_
