// Range filters of one file, or of its partitions, during construction: selects the keys among the
// entries that RocksDB adds to a filter.

#ifndef WINNOW_SRC_ROCKSDB_RANGES_RANGE_PART_H_
#define WINNOW_SRC_ROCKSDB_RANGES_RANGE_PART_H_

#include <rocksdb/env.h>
#include <rocksdb/slice.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "src/core/ranges/table_range_builder.h"
#include "src/rocksdb/trees/asked_ranges.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Collects the keys of one file for its range filters.
//
// If whole_key_filtering is set, RocksDB adds each key and, at times, a prefix. Otherwise, RocksDB
// adds only the prefix of each key, whose address leads to the key (transformed_keys.h).
//
// Empty entries are distinguished by their addresses. An address of a note is that of a prefix. Any
// other empty entry is the empty key if it comes first, as no key is smaller; otherwise RocksDB
// before 9.6 repeats, at the beginning of a partition, a copy of the last key's prefix. It may also
// be the empty key again, whose versions fill several partitions: so if one partition lacks a range
// filter, all later partitions of the file do.
//
// No function throws. One thread builds; num_keys is thread-safe.
class RangePart {
 public:
  // `logger` gets the reason if the file has no range filter; it may be null, and must outlive this
  // object. `asked` gets the measurements of sampled ranges; may be null.
  RangePart(const core::TableRangePlan& plan, bool has_whole_keys,
            ROCKSDB_NAMESPACE::Logger* logger, RangeKind kind = RangeKind::kAuto,
            std::shared_ptr<AskedRanges> asked = nullptr) noexcept;
  // Reports the measurements of the file, summed over its partitions.
  ~RangePart();
  RangePart(const RangePart&) = delete;
  RangePart& operator=(const RangePart&) = delete;

  // Adds an entry from RocksDB: a key or a prefix.
  void AddEntry(const ROCKSDB_NAMESPACE::Slice& entry) noexcept;
  // Adds both entries.
  void AddKeyAndPrefix(const ROCKSDB_NAMESPACE::Slice& key,
                       const ROCKSDB_NAMESPACE::Slice& prefix) noexcept;

  // Returns the number of keys since the last Finish.
  size_t num_keys() const noexcept { return num_keys_.load(std::memory_order_relaxed); }

  // Returns whether the range filter is to answer lookups of keys, too (RangeKind::kSingle).
  bool is_single() const noexcept { return kind_ == RangeKind::kSingle && has_whole_keys_; }
  // Returns the false-positive rate of lookups of keys in the range filter of keys like those added
  // so far; 1 if lookups need a filter of keys.
  double ExpectedKeyRate() const noexcept { return is_single() ? builder_.ExpectedKeyRate() : 1; }
  // Writes a LOG line: a file has a filter of keys beside its range filter all the same.
  void SayNotSingle(const char* why) const noexcept { SayNotSingle(why, logger_); }
  static void SayNotSingle(const char* why, ROCKSDB_NAMESPACE::Logger* logger) noexcept;

  // Returns the maximum size in bytes of range filters of n such keys.
  size_t EstimateSize(size_t n) const noexcept { return builder_.EstimateSize(n); }

  // Gives up the file's range filter from here on: filter_memory has no room.
  void GiveWay() noexcept { GiveUp(Lack::kMemory); }
  // Writes the LOG line of GiveWay. `logger` may be null.
  static void SayNoRoom(ROCKSDB_NAMESPACE::Logger* logger) noexcept { Say(Lack::kMemory, logger); }

  // Returns the range filters of the keys since the last Finish; empty if this or an earlier part
  // of the file lacks one. The LOG says why.
  std::vector<core::TableRange> Finish() noexcept;

 private:
  // Reason why the file has no range filter, from this part on.
  enum class Lack : uint8_t {
    kNone,
    kExtractor,  // another extractor, or none
    kKeys,       // RangeFilterBuilder refused the keys
    kEmptyKey,
    kLostKey,  // TransformedKey::Origin::kForgotten
    kMemory,
  };

  // Number of keys within which RocksDB adds a prefix of RangeExtractor.
  static constexpr size_t kKeysToWaitForAPrefix = 64;

  void AddKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept;
  void AddWithoutBytes(const char* address) noexcept;
  void GiveUp(Lack why) noexcept;
  static void Say(Lack lack, ROCKSDB_NAMESPACE::Logger* logger) noexcept;

  const bool has_whole_keys_;
  ROCKSDB_NAMESPACE::Logger* const logger_;
  const RangeKind kind_;
  const std::shared_ptr<AskedRanges> asked_;
  const bool is_measuring_;
  core::DeniedRanges denied_;
  core::TableRangeBuilder builder_;
  bool has_entries_ = false;       // true once an entry was added
  bool has_our_prefixes_ = false;  // true once a prefix was RangeExtractor's
  bool has_keys_ = false;          // true if there are keys since the last Finish
  Lack lack_ = Lack::kNone;
  std::atomic<size_t> num_keys_{0};
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_RANGE_PART_H_
