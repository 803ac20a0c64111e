// Building the filters of one file (or of its partitions) for RocksDB.

#ifndef WINNOW_SRC_ROCKSDB_BITS_BUILDER_H_
#define WINNOW_SRC_ROCKSDB_BITS_BUILDER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "src/rocksdb/file_filter_options.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/hash.h"
#include "winnow/options.h"

// Of functions that RocksDB's class has from a version on.
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
// Repeats are dropped: the versions of a key, and the prefix that keys have in common.
//
// No function throws. When memory runs out while it collects or finishes, Finish gives 6 bytes of
// zero: to Winnow a foreign filter, and to RocksDB's own readers, which get it then, a Bloom filter
// without probes, which says "may match" to every key. So the file stays right, but for the gain of
// a filter, and the flush or compaction goes on.
//
// One thread builds; EstimateEntriesAdded may be called from any.
class BitsBuilder final : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
  // verify: MaybePostVerify checks that every key is found in the finished bytes and that their
  // checksum is right. For that, the builder keeps all hashes, 8 bytes each, until then.
  // file_options: settles the options of the filters when they are finished; null where they are as
  // given.
  BitsBuilder(const FilterOptions& options, bool verify,
              std::unique_ptr<FileFilterOptions> file_options = nullptr);

  void AddKey(const ROCKSDB_NAMESPACE::Slice& key) override;

  // Adds both. RocksDB calls it from 9.6 on, where it is virtual.
  void AddKeyAndAlt(const ROCKSDB_NAMESPACE::Slice& key,
                    const ROCKSDB_NAMESPACE::Slice& alternate) WINNOW_OVERRIDE_SINCE_9_6;

  // Exact: the keys added since the last Finish, repeats left out. Constant time.
  size_t EstimateEntriesAdded() override;

  // The filter of the keys added since the last Finish, which may be none. *buf owns its bytes,
  // unless they are the 6 that are static. *status is OK.
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf) override;
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf,
                                  ROCKSDB_NAMESPACE::Status* status) override;

  // Corruption if the bytes are not a right filter of the keys of the last Finish. OK without
  // looking if `verify` is false.
  ROCKSDB_NAMESPACE::Status MaybePostVerify(
      const ROCKSDB_NAMESPACE::Slice& filter_content) override;

  // The most keys whose filter is expected to fit; 0 where a filter would take much more than its
  // keys need, as the built-in builders have it. RocksDB cuts partitions by it when it makes the
  // builder (from a 0, it goes on to larger sizes until it gets keys), and so makes no filters of a
  // few keys each for a metadata_block_size that is tiny.
  size_t ApproximateNumEntries(size_t bytes) override;

  // The size of a filter in bytes, and the rate of false positives of a filter of this size, 0
  // to 1. RocksDB calls them from 10.9 on, where they are virtual. Constant time.
  size_t CalculateSpace(size_t num_entries) WINNOW_OVERRIDE_SINCE_10_9;
  double EstimatedFpRate(size_t num_entries, size_t bytes) WINNOW_OVERRIDE_SINCE_10_9;

 private:
  // The last hashes of keys and of prefixes, which both come in runs.
  class Repeats {
   public:
    bool Contains(KeyHash hash) const noexcept {
      // Nearly always there is a key and no alternate.
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
  // Moves the pending hashes, of which there are n, into builder_.
  __attribute__((noinline)) void FlushPending(size_t n) noexcept;
  // A builder whose allocation failed half-way is not used again. False if memory is still short.
  bool StartAgain() noexcept;
  ROCKSDB_NAMESPACE::Slice FinishBlock(std::unique_ptr<const char[]>* buf) noexcept;
  ROCKSDB_NAMESPACE::Slice GiveUp(std::unique_ptr<const char[]>* buf) noexcept;

  // Before the filter is finished, by the place of the file.
  void SettleOptions() noexcept;
  // After it was finished.
  void NotePlace(std::string_view block) noexcept;
  __attribute__((noinline)) void SeeKey(const ROCKSDB_NAMESPACE::Slice& key) noexcept;

  FilterOptions options_;
  const bool verify_;
  std::unique_ptr<FileFilterOptions> file_options_;
  FilterBuilder builder_;
  Repeats repeats_;
  // A call for each hash would take longer than all else that is done with it.
  // Entry i waits in pending_[i % kMaxPending].
  static constexpr size_t kMaxPending = 64;
  KeyHash pending_[kMaxPending];
  // Other threads read this while one adds.
  std::atomic<size_t> entries_{0};
  bool short_of_memory_ = false;
  std::vector<KeyHash> kept_;       // only if verify_: those in builder_,
  std::vector<KeyHash> to_verify_;  // and those of the filter finished last
};

// A builder that the caller owns; null ("no filter") if memory is short.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBitsBuilder(
    const FilterOptions& options, bool verify,
    std::unique_ptr<FileFilterOptions> file_options = nullptr) noexcept;

}  // namespace winnow::plugin

#undef WINNOW_OVERRIDE_SINCE_9_6
#undef WINNOW_OVERRIDE_SINCE_10_9

#endif  // WINNOW_SRC_ROCKSDB_BITS_BUILDER_H_
