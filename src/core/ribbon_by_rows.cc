#include "src/core/ribbon_by_rows.h"

#include <algorithm>

#include "src/core/build_phases.h"

namespace winnow::core {
namespace {

using simd::kRibbonBucketSlots;

constexpr uint32_t kClasses = kBumpClasses;
constexpr uint32_t kBinBuckets = kBinSlots / kRibbonBucketSlots;

// Groups (bucket and class) of a bin's start positions, one entry per four positions: a table is
// faster than comparing offsets, and class limits are multiples of four.
constexpr uint32_t kGroupSlots = 4;
static_assert(kRibbonBucketSlots % kGroupSlots == 0 &&
              simd::kRibbonClass1Slots % kGroupSlots == 0 &&
              simd::kRibbonClass2Slots % kGroupSlots == 0);
struct GroupTable {
  uint8_t group[kBinSlots / kGroupSlots] = {};

  constexpr GroupTable() {
    for (uint32_t i = 0; i < kBinSlots / kGroupSlots; ++i) {
      const uint32_t bump_class = formulas::BumpClass(i * kGroupSlots);
      group[i] = static_cast<uint8_t>(i * kGroupSlots / kRibbonBucketSlots * kClasses + bump_class);
    }
  }
};
constexpr GroupTable kGroups;

}  // namespace

ShardByRows::ShardByRows()
    : rows_(new uint64_t[kMaxRows]),
      sorted_(new uint64_t[kMaxBinKeys]),
      groups_(new uint8_t[kMaxBinKeys]),
      walks_(new RibbonWalk[kMaxBinKeys + 1]),
      filled_(new uint64_t*[kMaxBinKeys + 1]) {}

RibbonWalk ShardByRows::Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins) {
  layer_ = &layer;
  first_start_ = shard * layer.shard_starts();
  first_bucket_ = shard * layer.shape.buckets;
  bins_ = bins;
  bucket_ = 0;
  class_ = 0;
  std::fill_n(rows_.get(), size_t{layer.shard_blocks()} * 64, 0);
  LoadBin();
  return BeginClasses();
}

// Counting sort of the next bin by bucket and class.
void ShardByRows::LoadBin() {
  const BuildPhaseScope sorting(BuildPhase::kSorting);
  HashBin* bin = bins_++;
  std::fill(std::begin(group_ends_), std::end(group_ends_), 0);
  begin_ = 0;
  if (bin->size() > kMaxBinKeys) {
    layer_->pool->DrainOneByOne(bin, [&](uint64_t hash) { layer_->Bump(hash); });
    // All thresholds of the bin stay 0, so no key of it is looked up in this layer.
    bin_is_bumped_ = true;
    return;
  }
  bin_is_bumped_ = false;
  const uint32_t starts = layer_->starts;
  const uint32_t bin_start = first_start_ + bucket_ * kRibbonBucketSlots;
  uint8_t* next_group = groups_.get();
  ForEachHash(*bin, [&](uint64_t hash) {
    const uint8_t group = kGroups.group[(StartPosition(hash, starts) - bin_start) / kGroupSlots];
    *next_group++ = group;
    ++group_ends_[group + 1];
  });
  for (uint32_t group = 1; group < std::size(group_ends_); ++group) {
    group_ends_[group] += group_ends_[group - 1];
  }
  // Moves the begin of each group to its end, which is the next group's begin.
  uint64_t* sorted = sorted_.get();
  const uint8_t* group = groups_.get();
  layer_->pool->DrainOneByOne(bin, [&](uint64_t hash) { sorted[group_ends_[*group++]++] = hash; });
}

// Puts each row of the class into its start slot if that is empty, and lists the other rows.
// Branch-free, since the outcome is unpredictable.
void ShardByRows::PlaceClass() {
  const uint32_t starts = layer_->starts;
  const simd::RibbonRows kind = layer_->rows;
  // Local copies, which stores into the tables can't change.
  uint64_t* const rows = rows_.get();
  RibbonWalk* walk = walks_.get();
  uint64_t** filled = filled_.get();
  const uint32_t first_start = first_start_;
  const uint64_t* end = sorted_.get() + group_ends_[bucket_ % kBinBuckets * kClasses + class_];
  for (const uint64_t* hash = sorted_.get() + begin_; hash != end; ++hash) {
    const uint32_t slot = StartPosition(*hash, starts) - first_start;
    const uint64_t row = MakeRow(*hash, kind);
    const uint64_t there = rows[slot];
    // Every row has the lowest bit of its coefficient set. Arithmetic prevents compilers from
    // emitting a branch.
    const uint64_t is_taken = there >> kFingerprintBits & 1;
    rows[slot] = there | (row & (is_taken - 1));
    *filled = rows + slot;
    filled += is_taken ^ 1;
    *walk = {row, rows + slot};
    walk += is_taken;
  }
  next_walk_ = walks_.get();
  walks_end_ = walk;
  filled_end_ = filled;
}

// Places classes until one has a row that must walk, and returns its walk.
RibbonWalk ShardByRows::BeginClasses() {
  while (true) {
    if (!bin_is_bumped_) {
      for (; class_ < kClasses; ++class_) {
        PlaceClass();
        if (next_walk_ != walks_end_) return *next_walk_++;
        begin_ = group_ends_[bucket_ % kBinBuckets * kClasses + class_];
      }
    }
    if (!EndBucket()) return {0, nullptr};
  }
}

RibbonWalk ShardByRows::FinishClass() {
  begin_ = group_ends_[bucket_ % kBinBuckets * kClasses + class_];
  ++class_;
  return BeginClasses();
}

// Handles a contradiction: removes the class and bumps it with the rest of its bucket.
RibbonWalk ShardByRows::FailClass() {
  for (uint64_t** filled = filled_.get(); filled != filled_end_; ++filled) **filled = 0;
  return EndBucket() ? BeginClasses() : RibbonWalk{0, nullptr};
}

// Records the classes that hold, bumps the others and advances to the next bucket. Returns false if
// there is none.
bool ShardByRows::EndBucket() {
  const uint32_t index = first_bucket_ + bucket_;
  formulas::SetThreshold(layer_->thresholds, index, class_);
  const uint32_t bucket_end = group_ends_[bucket_ % kBinBuckets * kClasses + kClasses - 1];
  for (; begin_ != bucket_end; ++begin_) {
    layer_->Bump(sorted_[begin_]);
  }
  class_ = 0;
  if (++bucket_ == layer_->shape.buckets) return false;
  if (bucket_ % kBinBuckets == 0) LoadBin();
  return true;
}

}  // namespace winnow::core
