#include "src/rocksdb/builders/bits_builder.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/core/format.h"
#include "src/core/hash_inline.h"
#include "src/core/level_plan.h"
#include "src/core/notes.h"
#include "src/core/options.h"
#include "src/core/ranges/range_format.h"
#include "src/core/ranges/range_note.h"
#include "src/core/sizing.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/lookups/key_hash.h"
#include "src/rocksdb/ranges/transformed_keys.h"
#include "src/simd/kernels.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/range_filter.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Filter that Finish returns if out of memory (see bits_builder.h).
constexpr char kMatchesEverything[6] = {0, 0, 0, 0, 0, 0};

// Overhead of a Bloom filter in bytes, besides its blocks.
constexpr size_t kBeside = core::kTailBytes + core::kEntryBytes;

// Least size of a partition in bytes. In smaller filters, the overhead would exceed a quarter of
// the blocks.
constexpr size_t kMinForPartition = 3 * simd::kBloomBlockBytes + kBeside;

// Returns the number of blocks in a Bloom filter of this size.
uint32_t BlocksThatFit(size_t bytes) noexcept {
  const size_t blocks = bytes < kBeside ? 0 : (bytes - kBeside) / simd::kBloomBlockBytes;
  return static_cast<uint32_t>(std::min<size_t>(blocks, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

BitsBuilder::BitsBuilder(const FilterOptions& options, bool verify,
                         std::unique_ptr<FilePlan> file_plan, std::unique_ptr<RangePart> range_part)
    : options_(core::NearestValid(options)),
      verify_(verify),
      file_plan_(std::move(file_plan)),
      range_part_(std::move(range_part)),
      looks_at_keys_(file_plan_ != nullptr || range_part_ != nullptr),
      builder_(options_) {}

// Hot path of collecting keys: the hash of short keys is inlined, and rare cases are tail calls.
__attribute__((flatten)) void BitsBuilder::AddKey(const Slice& key) {
  if (__builtin_expect(key.size() - 1 >= core::kMaxShortKeyBytes || looks_at_keys_, 0)) {
    return AddRareKey(key);
  }
  AddHash(KeyHash{core::HashShortKeyInline(key.data(), key.size())});
}

void BitsBuilder::AddRareKey(const Slice& key) noexcept {
  AddHash(HashOf(key));
  if (range_part_ != nullptr) range_part_->AddEntry(key);
  if (file_plan_ != nullptr) SeeKey(key);
}

void BitsBuilder::SeeKey(const Slice& entry) noexcept {
  WithPlan([&](FilePlan* plan) {
    if (!entry.empty()) return plan->See(entry);
    // All prefixes of winnow.range are empty, and their addresses lead to the keys. Another empty
    // entry is the empty key if it is the file's first one (range_part.h).
    const TransformedKey transformed = FindTransformedKey(entry.data());
    const bool is_found = transformed.origin == TransformedKey::Origin::kFound;
    if (is_found || !plan->has_seen()) plan->See(transformed.key);
  });
}

inline void BitsBuilder::AddHash(KeyHash hash) noexcept {
  const bool is_repeat = repeats_.Contains(hash);
  repeats_.SetKey(hash);
  if (!is_repeat) {
    Keep(hash);
  }
}

void BitsBuilder::AddKeyAndAlt(const Slice& key, const Slice& alternate) {
  const KeyHash hash = HashOf(key);
  const KeyHash alternate_hash = HashOf(alternate);
  if (!repeats_.Contains(hash)) {
    Keep(hash);
  }
  if (!repeats_.Contains(alternate_hash) && alternate_hash != hash) {
    Keep(alternate_hash);
  }
  repeats_.SetKey(hash);
  repeats_.SetAlternate(alternate_hash);
  if (range_part_ != nullptr) range_part_->AddKeyAndPrefix(key, alternate);
  if (file_plan_ != nullptr) SeeKey(key);
}

Slice BitsBuilder::Finish(std::unique_ptr<const char[]>* buf) { return FinishBlock(buf); }

// Never returns Corruption: it would fail the flush, and there is always a correct filter.
Slice BitsBuilder::Finish(std::unique_ptr<const char[]>* buf, Status* status) {
  const Slice filter = FinishBlock(buf);
  if (status != nullptr) {
    *status = Status::OK();
  }
  return filter;
}

size_t BitsBuilder::EstimateEntriesAdded() {
  const size_t entries = entries_.load(std::memory_order_relaxed);
  return range_part_ == nullptr ? entries : std::max(entries, range_part_->num_keys());
}

size_t BitsBuilder::ApproximateNumEntries(size_t bytes) {
  if (bytes < kMinForPartition) return 0;
  if (range_part_ == nullptr) return static_cast<size_t>(builder_.EstimateCapacity(bytes));
  // Limits the fixed part of a range filter to a quarter of the size, too.
  if (bytes < kMinForPartition + 4 * range_part_->EstimateSize(1)) return 0;
  size_t least = 1;                                                // EstimateCapacity's minimum
  size_t most = std::min<size_t>(8 * bytes, core::kMaxRangeKeys);  // a key takes a bit or more
  while (least < most) {
    const size_t middle = least + (most - least + 1) / 2;
    if (CalculateSpace(middle) <= bytes) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

size_t BitsBuilder::CalculateSpace(size_t num_entries) {
  if (range_part_ == nullptr) return builder_.EstimateSize(num_entries);
  return range_part_->EstimateSize(num_entries) +
         (ExpectsSingle() ? core::kPassingFilterBytes : builder_.EstimateSize(num_entries));
}

bool BitsBuilder::ExpectsSingle() const noexcept {
  return range_part_ != nullptr && !verify_ &&
         range_part_->ExpectedKeyRate() <= core::PlannedRate(options_);
}

double BitsBuilder::EstimatedFpRate(size_t num_entries, size_t bytes) {
  if (num_entries > 0 && ExpectsSingle()) return range_part_->ExpectedKeyRate();
  const core::FilterPlan plan = core::PlanFilter(num_entries, core::ForBuilding(options_));
  switch (plan.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      if (range_part_ != nullptr) bytes -= std::min(bytes, range_part_->EstimateSize(num_entries));
      if (const uint32_t blocks = BlocksThatFit(bytes); blocks > 0) {
        return core::BloomRate(num_entries, blocks, plan.probes);
      }
      return 1;
    case FilterKind::kRibbon:
      return core::ColumnsRate(plan.columns);  // independent of the size
  }
  return 0;
}

inline void BitsBuilder::Keep(KeyHash hash) noexcept {
  const size_t entry = entries_.load(std::memory_order_relaxed);
  pending_[entry % kMaxPending] = hash;
  entries_.store(entry + 1, std::memory_order_relaxed);
  if (__builtin_expect((entry + 1) % kMaxPending == 0, 0)) {
    FlushPending(kMaxPending);
  }
}

void BitsBuilder::FlushPending(size_t n) noexcept {
  // After a failure, nothing is kept until the filter is finished; the next filter tries again.
  const bool is_first = entries_.load(std::memory_order_relaxed) == n;
  if (short_of_memory_ && !(is_first && StartAgain())) {
    return;
  }
  try {
    builder_.Add(pending_, n);
    if (verify_) {
      kept_.insert(kept_.end(), pending_, pending_ + n);
    }
  } catch (...) {
    short_of_memory_ = true;
  }
}

bool BitsBuilder::StartAgain() noexcept {
  kept_ = {};
  try {
    builder_ = FilterBuilder(options_);
    short_of_memory_ = false;
  } catch (...) {
    short_of_memory_ = true;
  }
  return !short_of_memory_;
}

Slice BitsBuilder::FinishBlock(std::unique_ptr<const char[]>* buf) noexcept {
  FlushPending(entries_.load(std::memory_order_relaxed) % kMaxPending);
  entries_.store(0, std::memory_order_relaxed);
  repeats_ = Repeats();
  to_verify_ = std::exchange(kept_, {});
  if (short_of_memory_) {
    return GiveUp(buf);
  }
  WithPlan([&](FilePlan* plan) {
    const size_t range_bytes =
        range_part_ == nullptr ? 0 : range_part_->EstimateSize(range_part_->num_keys());
    options_ = core::NearestValid(plan->Settle(builder_.num_hashes(), range_bytes));
    builder_.SetOptions(options_);
    if (range_bytes > 0 && !plan->has_room_for_ranges()) range_part_->GiveWay();
  });
  std::vector<core::TableRange> ranges;
  const bool is_single = range_part_ != nullptr && range_part_->is_single();
  if (is_single) ranges = range_part_->Finish();
  FilterBlock block;
  try {
    block = FilterBeside(ranges);
  } catch (...) {
    return GiveUp(buf);
  }
  if (range_part_ != nullptr && !is_single) ranges = range_part_->Finish();
  try {
    if (!ranges.empty()) block = core::WithRangesOfTable(block.bytes(), ranges);
    const std::string note = file_plan_ == nullptr ? std::string() : file_plan_->Note(block.size);
    if (!note.empty()) block = core::WithNote(block.bytes(), core::kTreeNote, {}, note);
  } catch (...) {
    // Out of memory: the filter lacks them.
  }
  const FilterInfo info = FilterView(block.bytes()).info();
  CountFilter(info.kind, info.num_hashes, block.size, info.target_fpr);
  WithPlan([&](FilePlan* plan) { plan->Built(block.bytes()); });
  const Slice filter(block.data.get(), block.size);
  buf->reset(block.data.release());
  return filter;
}

FilterBlock BitsBuilder::FilterBeside(const std::vector<core::TableRange>& ranges) {
  if (ranges.empty()) return builder_.Finish();
  if (const char* const why = WhyNotSingle(ranges)) {
    range_part_->SayNotSingle(why);
    return builder_.Finish();
  }
  FilterBlock block = core::PassingFilter(options_, builder_.num_hashes());
  builder_.Clear();
  return block;
}

const char* BitsBuilder::WhyNotSingle(const std::vector<core::TableRange>& ranges) const noexcept {
  if (verify_) return "detect_filter_construct_corruption needs it";
  const core::TableRanges views = core::ViewsOf(ranges);
  if (!core::ArePositionsOfAllKeys(views)) {
    return "its keys have several lengths, or more than 256 bytes";
  }
  if (core::KeyRate(views.view(0)) > core::PlannedRate(options_)) {
    return "bits_per_key asks for a lower rate than 2^-range_bits";
  }
  return nullptr;
}

Slice BitsBuilder::GiveUp(std::unique_ptr<const char[]>* buf) noexcept {
  CountUnbuiltFilter();
  if (range_part_ != nullptr) range_part_->Finish();
  to_verify_ = {};
  StartAgain();
  buf->reset();
  return Slice(kMatchesEverything, sizeof(kMatchesEverything));
}

Status BitsBuilder::MaybePostVerify(const Slice& filter_content) {
  if (!verify_) {
    return Status::OK();
  }
  const std::vector<KeyHash> hashes = std::exchange(to_verify_, {});
  if (filter_content == Slice(kMatchesEverything, sizeof(kMatchesEverything))) {
    return Status::OK();
  }
  const std::string_view block(filter_content.data(), filter_content.size());
  const FilterView view(block);
  const Fault fault = view.fault();
  std::string damage;
  if (fault != Fault::kNone) {
    damage = ToString(fault);
  } else if (!view.PayloadIntact()) {
    damage = "its payload does not have its checksum";
  } else if (core::TableRanges(block, true).fault() != Fault::kNone) {
    damage = "its range filter can't be used";
  }
  if (!damage.empty()) {
    return Status::Corruption("A Winnow filter is damaged right after it was built", damage);
  }
  for (const KeyHash hash : hashes) {
    if (!view.MayContain(hash)) {
      return Status::Corruption("A Winnow filter was built wrong",
                                "it denies a key that was added to it");
    }
  }
  return Status::OK();
}

FilterBitsBuilder* NewBitsBuilder(const FilterOptions& options, bool verify,
                                  std::unique_ptr<FilePlan> file_plan,
                                  std::unique_ptr<RangePart> range_part) noexcept {
  try {
    return new BitsBuilder(options, verify, std::move(file_plan), std::move(range_part));
  } catch (...) {
    return nullptr;
  }
}

}  // namespace winnow::plugin
