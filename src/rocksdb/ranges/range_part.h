// The range filters of one file, or of its partitions, while they are built: which of the entries
// that RocksDB adds to a filter are keys of the file.

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

// With whole_key_filtering RocksDB adds each key and now and then a prefix. Without it RocksDB adds
// the prefix of each key alone, by whose address the key is found (transformed_keys.h).
//
// Entries without bytes are told apart by their addresses. One of a note is a prefix. Any other one
// is the empty key if it comes first of all, as no key is less; otherwise it is what RocksDB before
// 9.6 repeats at the beginning of a partition, the prefix of the key before, from a copy. It may
// also be the empty key again, whose versions take several partitions: so the file's first lack is
// that of all partitions behind.
//
// No function throws. One thread builds; num_keys may be called from any.
class RangePart {
 public:
  // logger: where it is said why a file has no range filter; may be null, and outlives this. asked:
  // is told what is measured; may be null.
  RangePart(const core::TableRangePlan& plan, bool has_whole_keys,
            ROCKSDB_NAMESPACE::Logger* logger, RangeKind kind = RangeKind::kAuto,
            std::shared_ptr<AskedRanges> asked = nullptr) noexcept;
  // Tells what was measured in the file, or in its partitions together.
  ~RangePart();
  RangePart(const RangePart&) = delete;
  RangePart& operator=(const RangePart&) = delete;

  // An entry that RocksDB adds: a key or a prefix.
  void AddEntry(const ROCKSDB_NAMESPACE::Slice& entry) noexcept;
  // Both at once.
  void AddKeyAndPrefix(const ROCKSDB_NAMESPACE::Slice& key,
                       const ROCKSDB_NAMESPACE::Slice& prefix) noexcept;

  // Those kept since the last Finish.
  size_t num_keys() const noexcept { return num_keys_.load(std::memory_order_relaxed); }

  // The most bytes that range filters of n such keys take.
  size_t EstimateSize(size_t n) const noexcept { return builder_.EstimateSize(n); }

  // There will be no range filter of this file from here on: filter_memory has no room.
  void GiveWay() noexcept { GiveUp(Lack::kMemory); }
  // Writes what the LOG says then. Null is allowed.
  static void SayNoRoom(ROCKSDB_NAMESPACE::Logger* logger) noexcept { Say(Lack::kMemory, logger); }

  // The range filters of the entries since the last Finish; none if the file lacks one, for them or
  // before, of which the LOG says why.
  std::vector<core::TableRange> Finish() noexcept;

 private:
  // Why the file has none, from where this was seen on.
  enum class Lack : uint8_t {
    kNone,
    kExtractor,  // another extractor, or none
    kKeys,       // what RangeFilterBuilder says of keys
    kEmptyKey,
    kLostKey,  // TransformedKey::Origin::kForgotten
    kMemory,
  };

  // RocksDB adds a prefix of ours before the first key, or soon behind it.
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
  bool has_entries_ = false;       // ever
  bool has_our_prefixes_ = false;  // ever
  bool has_keys_ = false;          // since the last Finish
  Lack lack_ = Lack::kNone;
  std::atomic<size_t> num_keys_{0};
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_RANGE_PART_H_
