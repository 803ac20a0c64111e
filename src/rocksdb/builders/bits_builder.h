// Builder of the filters of one file, or of its partitions, for RocksDB.

#ifndef WINNOW_SRC_ROCKSDB_BUILDERS_BITS_BUILDER_H_
#define WINNOW_SRC_ROCKSDB_BUILDERS_BITS_BUILDER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "src/rocksdb/builders/file_plan.h"
#include "src/rocksdb/ranges/range_part.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/hash.h"
#include "winnow/options.h"

// `override` for functions that are virtual only in some versions of RocksDB.
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
#define WINNOW_OVERRIDE_SINCE_9_6 override
#else
#define WINNOW_OVERRIDE_SINCE_9_6
#endif
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
#define WINNOW_OVERRIDE_SINCE_10_9 override
#else
#define WINNOW_OVERRIDE_SINCE_10_9
#endif

namespace winnow::plugin {

// Builds Winnow filters, one after the other, and adds them to the counters (counters.h).
//
// Consecutive duplicates are dropped: versions of a key, and the prefix that neighboring keys
// share.
//
// No function throws. If memory runs out while keys are collected or the filter is finished, Finish
// returns 6 zero bytes. Winnow takes these for a filter of RocksDB's, whose reader takes them for a
// Bloom filter without probes: "may match" for every key. So the file is correct, but has no
// benefit of a filter, and the flush or compaction continues.
//
// One thread builds; EstimateEntriesAdded is thread-safe.
class BitsBuilder final : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
  // `verify`: MaybePostVerify checks that every key is found in the finished bytes and that their
  // checksum is right. For this, the builder keeps all hashes until then, 8 bytes each.
  //
  // `file_plan` settles the filters' options when they are finished; if null, `options` stay in
  // force. `range_part` builds range filters, which become notes of the filter; null for none.
  BitsBuilder(const FilterOptions& options, bool verify,
              std::unique_ptr<FilePlan> file_plan = nullptr,
              std::unique_ptr<RangePart> range_part = nullptr);

  void AddKey(const ROCKSDB_NAMESPACE::Slice& key) override;

  // Adds the key and its prefix. Virtual, and called by RocksDB, from 9.6 on.
  void AddKeyAndAlt(const ROCKSDB_NAMESPACE::Slice& key,
                    const ROCKSDB_NAMESPACE::Slice& alternate) WINNOW_OVERRIDE_SINCE_9_6;

  // Returns the exact number of keys added since the last Finish, without duplicates; without
  // whole_key_filtering, the keys of the range filter if there are more. Constant time.
  size_t EstimateEntriesAdded() override;

  // Returns the filter of the keys added since the last Finish; there may be none. *buf owns its
  // bytes, unless they are the 6 static ones. *status is OK.
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf) override;
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf,
                                  ROCKSDB_NAMESPACE::Status* status) override;

  // Returns Corruption if the bytes are not a correct filter of the keys of the last Finish. Always
  // OK if `verify` is false.
  ROCKSDB_NAMESPACE::Status MaybePostVerify(
      const ROCKSDB_NAMESPACE::Slice& filter_content) override;

  // Returns the maximum number of keys whose filter is expected to fit into `bytes`; 0 if a filter
  // of this size would have much overhead, as with the built-in builders. RocksDB cuts partitions
  // at this number of keys; after a 0 it tries larger sizes. So a tiny metadata_block_size does not
  // make filters of a few keys each.
  size_t ApproximateNumEntries(size_t bytes) override;

  // Return the size of a filter in bytes, and the false-positive rate of a filter of this size,
  // from 0 to 1. Virtual, and called by RocksDB, from 10.9 on. Constant time.
  size_t CalculateSpace(size_t num_entries) WINNOW_OVERRIDE_SINCE_10_9;
  double EstimatedFpRate(size_t num_entries, size_t bytes) WINNOW_OVERRIDE_SINCE_10_9;

 private:
  // Hashes of the last key and the last prefix. Equal keys and equal prefixes are consecutive.
  class Repeats {
   public:
    bool Contains(KeyHash hash) const noexcept {
      // Fast path: nearly always there is a key and no prefix.
      if (__builtin_expect(known_ == kKey, 1)) return hash == key_;
      return ((known_ & kKey) != 0 && hash == key_) ||
             ((known_ & kAlternate) != 0 && hash == alternate_);
    }
    void SetKey(KeyHash hash) noexcept {
      key_ = hash;
      if (__builtin_expect((known_ & kKey) == 0, 0)) known_ |= kKey;
    }
    void SetAlternate(KeyHash hash) noexcept {
      alternate_ = hash;
      known_ |= kAlternate;
    }

   private:
    static constexpr uint8_t kKey = 1;
    static constexpr uint8_t kAlternate = 2;

    KeyHash key_{0};
    KeyHash alternate_{0};
    uint8_t known_ = 0;
  };

  __attribute__((noinline)) void AddRareKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept;
  void AddHash(KeyHash hash) noexcept;
  void Keep(KeyHash hash) noexcept;
  // Moves the n pending hashes into builder_.
  __attribute__((noinline)) void FlushPending(size_t n) noexcept;
  // Replaces the builder after an allocation failed half-way. Returns false if still out of memory.
  bool StartAgain() noexcept;
  ROCKSDB_NAMESPACE::Slice FinishBlock(std::unique_ptr<const char[]>* buf) noexcept;
  ROCKSDB_NAMESPACE::Slice GiveUp(std::unique_ptr<const char[]>* buf) noexcept;

  // Calls use(file_plan_), if there is one, and goes on without a plan if that throws.
  template <typename Use>
  void WithPlan(const Use& use) noexcept {
    try {
      if (file_plan_ != nullptr) use(file_plan_.get());
    } catch (...) {
      file_plan_.reset();
    }
  }
  // Returns the filter of the keys added, without range filters. `ranges` are those of the keys, if
  // range_part_ is single: then this is a filter that passes every key, if they can answer lookups.
  FilterBlock FilterBeside(const std::vector<core::TableRange>& ranges);
  // Returns whether the range filter of keys like those added so far is expected to be the only
  // filter.
  bool ExpectsSingle() const noexcept;
  // Returns why `ranges` can't answer lookups of keys, or null if they can.
  const char* WhyNotSingle(const std::vector<core::TableRange>& ranges) const noexcept;
  __attribute__((noinline)) void SeeKey(const ROCKSDB_NAMESPACE::Slice& entry) noexcept;

  FilterOptions options_;
  const bool verify_;
  std::unique_ptr<FilePlan> file_plan_;
  const std::unique_ptr<RangePart> range_part_;
  const bool looks_at_keys_;  // true if file_plan_ or range_part_ exists
  FilterBuilder builder_;
  Repeats repeats_;
  // Buffer of hashes, as a call per hash would take longer than all other work on it. Entry i is in
  // pending_[i % kMaxPending].
  static constexpr size_t kMaxPending = 64;
  KeyHash pending_[kMaxPending];
  // Atomic: other threads read this while one thread adds keys.
  std::atomic<size_t> entries_{0};
  bool short_of_memory_ = false;
  std::vector<KeyHash> kept_;       // hashes in builder_ if verify_
  std::vector<KeyHash> to_verify_;  // hashes of the last finished filter if verify_
};

// Returns a builder that the caller owns, or null ("no filter") if out of memory.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBitsBuilder(
    const FilterOptions& options, bool verify, std::unique_ptr<FilePlan> file_plan = nullptr,
    std::unique_ptr<RangePart> range_part = nullptr) noexcept;

}  // namespace winnow::plugin

#undef WINNOW_OVERRIDE_SINCE_9_6
#undef WINNOW_OVERRIDE_SINCE_10_9

#endif  // WINNOW_SRC_ROCKSDB_BUILDERS_BITS_BUILDER_H_
