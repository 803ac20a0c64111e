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
#include "src/rocksdb/lookups/key_bytes.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/lookups/shared_hash.h"
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

#if defined(__x86_64__)
// Returns a bit mask: bit i is set if hashes[i], of eight, is sampled.
WINNOW_KEY_INLINE uint32_t SampledAmongEight(const KeyHash* hashes) noexcept {
  // Comparing the lower halves is enough, as the mask has no higher bits.
  static_assert(kMaxSamplingShift <= 32 && sizeof(KeyHash) == 8);
  const __m128i salt = _mm_set1_epi32(static_cast<int>(SamplingSalt()));
  const __m128i mask = _mm_set1_epi32(static_cast<int>(SamplingMask()));
  const auto load = [hashes](size_t at) {
    return _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(hashes + at)));
  };
  const auto differ = [&](size_t at) {
    const __m128i halves = _mm_castps_si128(_mm_shuffle_ps(load(at), load(at + 2), 0x88));
    return _mm_and_si128(_mm_xor_si128(halves, salt), mask);
  };
  // Packing with saturation keeps nonzero values nonzero.
  const __m128i packed = _mm_packs_epi32(differ(0), differ(4));
  const __m128i same = _mm_cmpeq_epi8(_mm_packs_epi16(packed, packed), _mm_setzero_si128());
  return static_cast<uint32_t>(_mm_movemask_epi8(same)) & 0xff;
}
#endif

// Returns a bit mask: bit i is set if hashes[i] is sampled. n is at most kMaxBatchKeys.
WINNOW_KEY_INLINE uint32_t SampledAmong(const KeyHash* hashes, size_t n) noexcept {
  uint32_t sampled = 0;
  size_t i = 0;
#if defined(__x86_64__)
  for (; i + 8 <= n; i += 8) sampled |= SampledAmongEight(hashes + i) << i;
#endif
  for (; i < n; ++i) {
    if (IsSampled(hashes[i].value)) sampled |= uint32_t{1} << i;
  }
  return sampled;
}

// Reader of one of Winnow's filter blocks. Calls and the hash are most of a lookup's time, so the
// comparison with the last key and the hash of short keys are inlined into MayMatch, which ends
// with a tail call of the kernel that the view chose at construction.
//
// All members that a lookup reads are in one cache line: objects are aligned to the cache line
// size, but not padded to it.
class BitsReader : public FilterBitsReader {
 public:
  // `info` is that of the block, with the rate of lookups.
  BitsReader(std::string_view block, const FilterInfo& info) noexcept
      : view_(block),
        keys_(is_usable() ? info.num_hashes : 0),
        rate_(std::min(static_cast<float>(info.expected_fpr), kMaxRate)),
        bytes_(static_cast<uint32_t>(std::min<uint64_t>(info.size_bytes, UINT32_MAX))),
        level_(static_cast<int8_t>(is_usable() ? info.level : -1)) {}
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
  void CountIn(UseMeter* use) noexcept {
    cell_ = use->Keep(level_);
    if (cell_ == nullptr) return;
    cell_->Loaded(keys_, bytes_);
  }

  void NoteCounted(const CountedAsk& ask, bool may_contain) const noexcept {
    if (cell_ != nullptr) cell_->Note(ask, rate_, may_contain);
    NoteCountedLookup();
  }

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    return Lookup<BitsReader>::Ask(*this, key);
  }

  bool is_usable() const noexcept { return view_.fault() == Fault::kNone; }

  bool Ask(uint64_t hash) const noexcept { return view_.MayContain(KeyHash{hash}); }

  // Must not be inlined, so that unsampled lookups need not save registers for its calls.
  __attribute__((noinline)) bool AskSampled(const Slice& key, uint64_t hash) const noexcept {
    const bool may_contain = Ask(hash);
    NoteSample(key, hash, may_contain);
    return may_contain;
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    const auto n = static_cast<size_t>(num_keys);
    if (__builtin_expect(n > kMaxBatchKeys, 0)) return MayMatchParts(num_keys, keys, may_match);
    KeyHash hashes[kMaxBatchKeys];
    bool is_counted = false;
    if (n < kAheadFromKeys || !AskAhead(keys, n, hashes, may_match, &is_counted)) {
      is_counted = SharedHashes(keys, n, hashes);
      view_.MayContain(hashes, n, may_match);
    }
    NoteBatch(keys, n, hashes, may_match, is_counted);
  }

  // Records the answer for a key whose hash is sampled.
  virtual void NoteSample(const Slice& /*key*/, uint64_t /*hash*/,
                          bool /*may_contain*/) const noexcept {}

 protected:
  // Handles batches of more than kMaxBatchKeys keys.
  __attribute__((noinline)) void MayMatchParts(int num_keys, Slice** keys, bool* may_match) {
    for (int first = 0; first < num_keys; first += int{kMaxBatchKeys}) {
      MayMatch(std::min(int{kMaxBatchKeys}, num_keys - first), keys + first, may_match + first);
    }
  }

  // Records the answers for a batch, of at most kMaxBatchKeys keys.
  WINNOW_KEY_INLINE void NoteBatch(Slice** keys, size_t n, const KeyHash* hashes,
                                   const bool* may_match, bool is_counted) const noexcept {
    if (__builtin_expect(is_counted, 0)) NoteCountedOfBatch(n, may_match);
    if (!IsSampling()) return;
    const uint32_t sampled = SampledAmong(hashes, n);
    if (__builtin_expect(sampled != 0, 0)) NoteSamples(keys, hashes, may_match, sampled);
  }

  const FilterView& view() const noexcept { return view_; }

  void NoteRange(bool may_contain) const noexcept {
    if (cell_ != nullptr) cell_->NoteRange(SlotOfThisThread(), may_contain);
  }

  // No-op: ranges are sampled only if the file is known (ReaderOfFile).
  static void SampleRange(std::string_view /*begin*/, std::string_view /*end*/) noexcept {}

 private:
  static constexpr std::align_val_t kAlignment{64};
  // Upper limit of rate_: at 1, each "no" would count as infinitely many false positives.
  static constexpr float kMaxRate = 0.999f;

  // Least batch size for prefetching, in keys. Smaller batches overlap in the processor anyway.
  static constexpr size_t kAheadFromKeys = 5;

  // Hashes and checks a batch in a Bloom filter, with prefetching. Returns false if the filter is
  // of another kind.
  WINNOW_KEY_INLINE bool AskAhead(Slice** keys, size_t n, KeyHash* hashes, bool* may_match,
                                  bool* is_counted) const noexcept {
    const core::BloomBatch bloom(view_);
    if (!bloom) return false;
    *is_counted = SharedHashes(keys, n, hashes, bloom);
    bloom.MayContain(hashes, n, may_match);
    return true;
  }

  __attribute__((noinline)) void NoteCountedOfBatch(size_t n,
                                                    const bool* may_contain) const noexcept {
    size_t key = 0;
    for (CountedAsk ask = NextCountedOfBatch(n, &key); ask.weight != 0;
         ask = NextCountedOfBatch(n, &key)) {
      NoteCounted(ask, may_contain[key]);
    }
  }

  // Bit i of `sampled` is set if keys[i] is sampled.
  __attribute__((noinline)) void NoteSamples(Slice** keys, const KeyHash* hashes,
                                             const bool* may_contain,
                                             uint32_t sampled) const noexcept {
    for (; sampled != 0; sampled &= sampled - 1) {
      const auto i = static_cast<size_t>(__builtin_ctz(sampled));
      NoteSample(*keys[i], hashes[i].value, may_contain[i]);
    }
  }

  const FilterView view_;
  UseCell* cell_ = nullptr;
  const uint64_t keys_;
  const float rate_;  // expected false-positive rate
  const uint32_t bytes_;
  const int8_t level_;
};

// Reader of a filter whose file is known.
class ReaderOfFile : public BitsReader {
 public:
  ReaderOfFile(std::string_view block, const FilterInfo& info, OwnedReader owned) noexcept
      : BitsReader(block, info), owned_(std::move(owned)), rate_(info.expected_fpr) {}

  void NoteSample(const Slice& key, uint64_t hash, bool may_contain) const noexcept override {
    owned_.samples().Note(LookupsOfThisThread(), {key.data(), key.size()}, hash,
                          owned_.AskedNow(rate_), may_contain);
  }

 protected:
  void SampleRange(std::string_view begin, std::string_view end) const noexcept {
    owned_.asked_ranges().Note(begin, end);
  }

 private:
  const OwnedReader owned_;
  const double rate_;
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
template <typename Reader, typename Ranges>
class WithRange : public Reader {
 public:
  template <typename... Owned>
  WithRange(std::string_view block, const FilterInfo& info, const Ranges& ranges,
            Owned... owned) noexcept
      : Reader(block, info, std::move(owned)...), ranges_(ranges) {}

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    if (__builtin_expect(key.empty(), 0)) return AskRange(key.data());
    return Lookup<Reader>::Ask(*this, key);
  }
  using Reader::MayMatch;

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
    if (asks_.IsSampled(prefix)) this->SampleRange(first, bound);
    asks_.Note(prefix, may_contain);
    CountRangeAnswer(may_contain);
    this->NoteRange(may_contain);
    return may_contain;
  }

 private:
  const Ranges ranges_;
  SeldomAsked asks_;
};

// Reader of a range filter that also answers lookups of keys (core::AnswersKeys). These are hashed
// and counted as ever, since the hash selects what is sampled, and serves the files of other kinds.
template <typename Reader>
class SingleFilter final : public WithRange<Reader, RangeFilterView> {
 public:
  using WithRange<Reader, RangeFilterView>::WithRange;

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    if (__builtin_expect(key.empty(), 0)) return this->AskRange(key.data());
    return Lookup<KeyProbe>::Ask(KeyProbe{*this, key}, key);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    const auto n = static_cast<size_t>(num_keys);
    if (__builtin_expect(n > kMaxBatchKeys, 0)) {
      return this->MayMatchParts(num_keys, keys, may_match);
    }
    KeyHash hashes[kMaxBatchKeys];
    const bool is_counted = SharedHashes(keys, n, hashes);
    std::string_view views[kMaxBatchKeys];
    for (size_t i = 0; i < n; ++i) views[i] = {keys[i]->data(), keys[i]->size()};
    this->ranges().MayHaveKey(views, n, may_match);
    // An empty prefix stands for all keys.
    for (size_t i = 0; i < n; ++i) may_match[i] = may_match[i] || views[i].empty();
    this->NoteBatch(keys, n, hashes, may_match, is_counted);
  }

 private:
  // A lookup of one key, for Lookup.
  struct KeyProbe {
    const SingleFilter& reader;
    const Slice& key;

    bool Ask(uint64_t /*hash*/) const noexcept {
      return reader.ranges().MayHaveKey({key.data(), key.size()});
    }
    __attribute__((noinline)) bool AskSampled(const Slice& sampled, uint64_t hash) const noexcept {
      const bool may_contain = Ask(hash);
      reader.NoteSample(sampled, hash, may_contain);
      return may_contain;
    }
    void NoteCounted(const CountedAsk& ask, bool may_contain) const noexcept {
      reader.NoteCounted(ask, may_contain);
    }
  };
};

template <template <typename> class WithReader, typename... Ranges>
BitsReader* NewReader(std::string_view block, const FilterInfo& info, OwnedReader owned,
                      const Ranges&... ranges) noexcept {
  if (owned) {
    return new (std::nothrow) WithReader<ReaderOfFile>(block, info, ranges..., std::move(owned));
  }
  return new (std::nothrow) WithReader<BitsReader>(block, info, ranges...);
}

template <typename Reader>
using Alone = Reader;
template <typename Reader>
using WithOneRange = WithRange<Reader, RangeFilterView>;
template <typename Reader>
using WithRanges = WithRange<Reader, core::TableRanges>;

BitsReader* NewOwnReader(std::string_view block, OwnedReader owned) noexcept {
  const core::TableRanges ranges(block);
  FilterInfo info = FilterView(block).info();
  if (core::AnswersKeys(block, ranges)) {
    info.expected_fpr = core::KeyRate(ranges.view(0));
    return NewReader<SingleFilter>(block, info, std::move(owned), ranges.view(0));
  }
  if (ranges.size() == 1 && ranges.role(0) == core::RangeRole::kAllKeys) {
    return NewReader<WithOneRange>(block, info, std::move(owned), ranges.view(0));
  }
  if (!ranges.empty()) return NewReader<WithRanges>(block, info, std::move(owned), ranges);
  return NewReader<Alone>(block, info, std::move(owned));
}

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents, const FilterPolicy& builtin,
                                OwnedReader owned, UseMeter* use) noexcept {
  const std::string_view block(contents.data(), contents.size());
  if (core::LooksOurs(block)) {
    if (!HashProblem().empty()) {
      CountLoadedFilter(LoadedFilter::kUnusable);
      return nullptr;
    }
    BitsReader* const reader = NewOwnReader(block, std::move(owned));
    if (reader != nullptr) {
      CountLoadedFilter(reader->is_usable() ? LoadedFilter::kWinnow : LoadedFilter::kUnusable);
      if (use != nullptr) reader->CountIn(use);
    }
    return reader;
  }
  CountLoadedFilter(LoadedFilter::kBuiltin);
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
