#include "src/rocksdb/bits_reader.h"

#include <rocksdb/convenience.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

#include "src/core/bloom_batch.h"
#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/hash_guard.h"
#include "src/rocksdb/lookups/kept_key.h"
#include "src/rocksdb/lookups/key_bytes.h"
#include "src/rocksdb/ranges/transformed_keys.h"
#include "src/rocksdb/use_log.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/range_filter.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Reader of one of Winnow's filter blocks. Calls and the hash are most of a lookup's time, so the
// comparison with the kept key and the hash of short keys are inlined into MayMatch, which ends
// with a tail call of the kernel that the view chose at construction.
//
// All members that a lookup reads are in one cache line: objects are aligned to the cache line
// size, but not padded to it.
class BitsReader : public FilterBitsReader {
 public:
  // `info` is that of the block, with the rate of lookups.
  BitsReader(std::string_view block, const FilterInfo& info, OwnedReader owned) noexcept
      : view_(block),
        keys_(is_usable() ? info.num_hashes : 0),
        rate_(std::min(static_cast<float>(info.expected_fpr), kMaxRate)),
        bytes_(static_cast<uint32_t>(std::min<uint64_t>(info.size_bytes, UINT32_MAX))),
        level_(static_cast<int8_t>(is_usable() ? info.level : -1)),
        owned_(std::move(owned)) {}
  ~BitsReader() override {
    if (cell_ != nullptr) cell_->Unloaded(keys_, bytes_);
  }
  BitsReader(const BitsReader&) = delete;
  BitsReader& operator=(const BitsReader&) = delete;

  static void* operator new(size_t size, const std::nothrow_t& nothrow) noexcept {
    return ::operator new(size, kAlignment, nothrow);
  }
  static void operator delete(void* reader) noexcept { ::operator delete(reader, kAlignment); }
  static void operator delete(void* reader, const std::nothrow_t& /*nothrow*/) noexcept {
    ::operator delete(reader, kAlignment);
  }

  // Counts this reader's filter and the lookups in it in `use` from now on.
  void CountIn(NamedUse* use) noexcept {
    cell_ = use->Keep(level_, owned_.family());
    if (cell_ == nullptr) return;
    cell_->Loaded(keys_, bytes_);
  }

  // Records the answer of a counted check.
  void NoteCounted(const Slice& key, const CountedAsk& ask, bool may_contain) const noexcept {
    if (cell_ != nullptr) cell_->Note(ask, rate_, may_contain);
    if (owned_) owned_.CountAnswer({key.data(), key.size()}, may_contain);
    NoteCountedLookup();
  }

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    return Lookup<BitsReader>::Ask(*this, key);
  }

  bool is_usable() const noexcept { return view_.fault() == Fault::kNone; }

  bool Ask(uint64_t hash) const noexcept { return view_.MayContain(KeyHash{hash}); }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    const auto n = static_cast<size_t>(num_keys);
    if (__builtin_expect(n > kMaxBatchKeys, 0)) return MayMatchParts(num_keys, keys, may_match);
    KeyHash hashes[kMaxBatchKeys];
    const core::BloomBatch bloom(view_);
    size_t computed = 0;
    if (n >= kAheadFromKeys && bloom) {
      computed = HashTogether(keys, n, hashes, bloom);
      bloom.MayContain(hashes, n, may_match);
    } else {
      computed = HashTogether(keys, n, hashes);
      view_.MayContain(hashes, n, may_match);
    }
    if (__builtin_expect(CountTogether(n, computed), 0)) NoteCountedOfBatch(keys, n, may_match);
  }

 protected:
  // Handles batches of more than kMaxBatchKeys keys.
  __attribute__((noinline)) void MayMatchParts(int num_keys, Slice** keys, bool* may_match) {
    for (int first = 0; first < num_keys; first += int{kMaxBatchKeys}) {
      MayMatch(std::min(int{kMaxBatchKeys}, num_keys - first), keys + first, may_match + first);
    }
  }

  __attribute__((noinline)) void NoteCountedOfBatch(Slice** keys, size_t n,
                                                    const bool* may_contain) const noexcept {
    size_t next = 0;
    for (CountedAsk ask = NextCounted(n, &next); ask.weight != 0; ask = NextCounted(n, &next)) {
      NoteCounted(*keys[next - 1], ask, may_contain[next - 1]);
    }
  }

  void NoteRange(bool may_contain) const noexcept {
    if (cell_ != nullptr) cell_->NoteRange(SlotOfThisThread(), may_contain);
  }

  void SampleRange(std::string_view begin, std::string_view end) const noexcept {
    if (owned_) owned_.asked_ranges().Note(begin, end);
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  // Upper limit of rate_: at 1, each "no" would count as infinitely many false positives.
  static constexpr float kMaxRate = 0.999f;
  // Least batch size for prefetching, in keys. Smaller batches overlap in the processor anyway.
  static constexpr size_t kAheadFromKeys = 5;

  const FilterView view_;
  UseCell* cell_ = nullptr;
  const uint64_t keys_;
  const float rate_;  // expected false-positive rate
  const uint32_t bytes_;
  const int8_t level_;
  const OwnedReader owned_;
};

// Decides which range queries reach the range filter. A filter that never denies, as for long
// scans, costs more than it saves: after kPatience answers "may contain" in a row, only one query
// in kSeldom reaches the filter, until one is denied. Queries are chosen by a hash of their
// address, so that threads seldom write here.
class SeldomAsked {
 public:
  bool IsAsked(const char* question) const noexcept {
    return !IsSeldom() || OneIn<kSeldom>(question);
  }
  // Returns whether a query that reached the filter is sampled.
  bool IsSampled(const char* question) const noexcept {
    return IsSeldom() || OneIn<kNoted>(question);
  }
  void Note(const char* question, bool may_contain) noexcept {
    const uint32_t passed = passed_.load(std::memory_order_relaxed);
    if (!may_contain) {
      if (passed != 0) passed_.store(0, std::memory_order_relaxed);
    } else if (passed < kPatience / kNoted && OneIn<kNoted>(question)) {
      passed_.store(passed + 1, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr uint32_t kPatience = 512;
  static constexpr uint32_t kSeldom = 32;
  static constexpr uint32_t kNoted = 16;

  // Returns true for one query in kMany. Multiplies twice, as addresses are evenly spaced.
  template <uint32_t kMany>
  static bool OneIn(const char* question) noexcept {
    constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
    uint64_t mixed = reinterpret_cast<uintptr_t>(question) * kOdd;
    mixed ^= mixed >> 32;
    return mixed * kOdd < UINT64_MAX / kMany;
  }

  bool IsSeldom() const noexcept {
    return passed_.load(std::memory_order_relaxed) >= kPatience / kNoted;
  }

  std::atomic<uint32_t> passed_{0};  // consecutive "may contain" answers among one query in kNoted
};

// Reader with one or several range filters (`Ranges`). An empty prefix stands for the bounds of a
// seek (ranges/transformed_keys.h). Batched lookups always go to the point filter, which contains
// the empty prefix of its keys.
template <typename Ranges>
class WithRange : public BitsReader {
 public:
  WithRange(std::string_view block, const FilterInfo& info, OwnedReader owned,
            const Ranges& ranges) noexcept
      : BitsReader(block, info, std::move(owned)), ranges_(ranges) {}

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    if (__builtin_expect(key.empty(), 0)) return AskRange(key.data());
    return Lookup<BitsReader>::Ask(*this, key);
  }
  using BitsReader::MayMatch;

 protected:
  const Ranges& ranges() const noexcept { return ranges_; }

  __attribute__((noinline)) bool AskRange(const char* prefix) noexcept {
    if (!asks_.IsAsked(prefix)) return true;
    Slice begin;
    Slice end;
    if (!FindSeekBounds(prefix, &begin, &end)) return true;
    const std::string_view first(begin.data(), begin.size());
    const std::string_view bound(end.data(), end.size());
    const bool may_contain = ranges_.MayContain(first, bound);
    if (asks_.IsSampled(prefix)) SampleRange(first, bound);
    asks_.Note(prefix, may_contain);
    CountRangeAnswer(may_contain);
    NoteRange(may_contain);
    return may_contain;
  }

 private:
  const Ranges ranges_;
  SeldomAsked asks_;
};

// Reader of a range filter that also answers lookups of keys (core::AnswersKeys). Single keys are
// hashed as ever, since the hash serves the files of other kinds.
class SingleFilter final : public WithRange<RangeFilterView> {
 public:
  using WithRange<RangeFilterView>::WithRange;

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    if (__builtin_expect(key.empty(), 0)) return AskRange(key.data());
    return Lookup<KeyProbe>::Ask(KeyProbe{*this, key}, key);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    const auto n = static_cast<size_t>(num_keys);
    if (__builtin_expect(n > kMaxBatchKeys, 0)) {
      return MayMatchParts(num_keys, keys, may_match);
    }
    std::string_view views[kMaxBatchKeys];
    for (size_t i = 0; i < n; ++i) views[i] = {keys[i]->data(), keys[i]->size()};
    ranges().MayHaveKey(views, n, may_match);
    // An empty prefix stands for all keys.
    for (size_t i = 0; i < n; ++i) may_match[i] = may_match[i] || views[i].empty();
    if (__builtin_expect(CountTogether(n, 0), 0)) NoteCountedOfBatch(keys, n, may_match);
  }

 private:
  // A lookup of one key, for Lookup.
  struct KeyProbe {
    const SingleFilter& reader;
    const Slice& key;

    bool Ask(uint64_t /*hash*/) const noexcept {
      return reader.ranges().MayHaveKey({key.data(), key.size()});
    }
    void NoteCounted(const Slice& counted, const CountedAsk& ask, bool may_contain) const noexcept {
      reader.NoteCounted(counted, ask, may_contain);
    }
  };
};

BitsReader* NewOwnReader(std::string_view block, OwnedReader owned) noexcept {
  const core::TableRanges ranges(block);
  FilterInfo info = FilterView(block).info();
  if (core::AnswersKeys(block, ranges)) {
    info.expected_fpr = core::KeyRate(ranges.view(0));
    return new (std::nothrow) SingleFilter(block, info, std::move(owned), ranges.view(0));
  }
  if (ranges.size() == 1 && ranges.role(0) == core::RangeRole::kAllKeys) {
    return new (std::nothrow)
        WithRange<RangeFilterView>(block, info, std::move(owned), ranges.view(0));
  }
  if (!ranges.empty()) {
    return new (std::nothrow) WithRange<core::TableRanges>(block, info, std::move(owned), ranges);
  }
  return new (std::nothrow) BitsReader(block, info, std::move(owned));
}

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents, const FilterPolicy& builtin,
                                OwnedReader owned, NamedUse* use) noexcept {
  const std::string_view block(contents.data(), contents.size());
  if (core::LooksOurs(block)) {
    if (!HashProblem().empty()) {
      CountLoadedFilter(&Counters::loaded_unusable);
      return nullptr;
    }
    BitsReader* const reader = NewOwnReader(block, std::move(owned));
    if (reader != nullptr) {
      CountLoadedFilter(reader->is_usable() ? &Counters::loaded_winnow
                                            : &Counters::loaded_unusable);
      if (use != nullptr) reader->CountIn(use);
    }
    return reader;
  }
  CountLoadedFilter(&Counters::loaded_builtin);
  try {
    return builtin.GetFilterBitsReader(contents);
  } catch (...) {
    return nullptr;
  }
}

Status NewBuiltinReader(std::shared_ptr<const FilterPolicy>* policy) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  // If this were true, an unknown name would give OK and no policy.
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> made;
  const Status status = FilterPolicy::CreateFromString(config, "rocksdb.BuiltinBloomFilter", &made);
  if (!status.ok() || made == nullptr) {
    return Status::NotSupported(
        "Winnow needs RocksDB's policy rocksdb.BuiltinBloomFilter to read the filters of existing "
        "files, and this RocksDB can't make it",
        status.ToString());
  }
  *policy = std::move(made);
  return Status::OK();
}

}  // namespace winnow::plugin
