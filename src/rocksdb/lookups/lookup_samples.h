// Samples of a tree's lookups: where each key lies, and what the filters of each level said. How
// many lookups of absent keys reach each level follows from it, and how many find their key.
//
// A lookup is sampled by its key's hash (sampled_hashes.h), so that each of its filters tells what
// it said here. The first answer adds a record, and those that follow change it: nothing is pending
// when a lookup, its thread or the database ends. A thread remembers which records its last sampled
// lookups have, several, as a MultiGet asks a file for all of its keys before the next file.
//
// A key is not kept, but its place in a grid of key ranges (key_positions.h).
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

// The last sampled lookups of a thread, which it has alone; zeros at first. The trees may be gone.
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

// Of one tree. Safe from any number of threads.
class LookupSamples {
 public:
  struct Record {
    float place = 0;       // of the key in the grid
    uint16_t said_no = 0;  // bit i: a filter of level i did
    int8_t deepest = 0;    // the last level that was asked
    bool ended_with_no = false;
    // Lookups that this one stands for: 1/(1 - rate) of the last filter that said no, as false
    // positives look like keys that are found; the rate counts as 0.9 at most. 1 without one.
    float weight = 1;
  };

  static constexpr int kLevels = 16;  // those behind the last one count as that one
  static constexpr size_t kMinRecords = 1024;
  static constexpr size_t kMaxRecords = 16'384;
  static constexpr size_t kMaxBytes = size_t{16} << 20;  // of all trees in the process
  // After as many, of all trees in the process, other keys are sampled.
  static constexpr uint64_t kRecordsOfASalt = kSamplesOfAPace;

  LookupSamples() noexcept;
  ~LookupSamples();
  LookupSamples(const LookupSamples&) = delete;
  LookupSamples& operator=(const LookupSamples&) = delete;

  // ---- For builders of filters. The functions passed must not look up keys.

  // Makes room: for kMinRecords at first, then for twice as many each time that there was no
  // more. Where memory is short, or all trees have kMaxBytes, all stays as it is.
  void Reserve() noexcept;

  // No lookup is sampled any more, or lookups are again. What was sampled stays.
  void Pause(bool is_paused) noexcept { is_paused_.store(is_paused, std::memory_order_relaxed); }

  // The records go, and the grid, without which nothing is sampled.
  void Drop() noexcept;

  // Places are of this grid from here on; moved: from a place in the former grid to one in this,
  // without exceptions; not called for the first one. Nothing is sampled before there is a grid.
  // Throws nothing.
  void SetGrid(std::shared_ptr<const KeyPositions> grid,
               const std::function<double(double)>& moved);

  // The latest records, the oldest first. May throw std::bad_alloc.
  void Snapshot(std::vector<Record>* records) const;

  // Adds records of lookups of another process, whose places are of the grid that this has. Where
  // memory is short, or all trees have kMaxBytes, the latest ones are kept.
  void Add(const std::vector<Record>& records) noexcept;

  // Records that were ever added.
  uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }

  // ---- For lookups: never waits, allocates or throws.

  // What a filter said of a key whose hash is sampled. Where another thread is in here, the answer
  // is dropped, and with a lookup's first answer the whole lookup. `lookups` are the thread's;
  // null: none, and nothing is sampled.
  //
  // A lookup of the hash that the thread looked up before is a new one where its first file is
  // asked again, or a level that lies above the deepest one, or again a level below 0.
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
  std::atomic<bool> is_paused_{false};
};

// Lookups that were sampled in this process, of trees that are gone too. Safe from any thread.
uint64_t CurrentSampledLookups() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_LOOKUP_SAMPLES_H_
