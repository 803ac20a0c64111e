#include "src/core/ribbon_lane.h"

#include <algorithm>

namespace winnow::core {
namespace {

using simd::kRibbonBucketSlots;

constexpr uint32_t kClasses = 3;
constexpr uint32_t kBinBuckets = kBinSlots / kRibbonBucketSlots;

// Rounding to whole buckets may give a sub-shard one more than kMaxShardSlots has.
constexpr size_t kMostRows = kMaxShardSlots + 2 * kRibbonBucketSlots;

uint32_t ClassOf(uint32_t offset) {
  return (offset < simd::kRibbonClass1Slots ? 1u : 0u) +
         (offset < simd::kRibbonClass2Slots ? 1u : 0u);
}

}  // namespace

RibbonLane::RibbonLane()
    : rows_(new uint64_t[kMostRows]),
      sorted_(new uint64_t[kMaxBinKeys]),
      walks_(new RibbonWalk[kMaxBinKeys + 1]),
      filled_(new uint32_t[kMaxBinKeys + 1]) {}

RibbonWalk RibbonLane::Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins) {
  layer_ = &layer;
  first_start_ = shard * layer.shard_starts();
  first_bucket_ = shard * layer.shape.buckets;
  bins_ = bins;
  bucket_ = 0;
  class_ = 0;
  done_ = false;
  std::fill_n(rows_.get(), size_t{layer.shard_blocks()} * 64, 0);
  LoadBin();
  return BeginClasses();
}

// Counting sort of the next bin by bucket and class.
void RibbonLane::LoadBin() {
  HashBin* bin = bins_++;
  std::fill(std::begin(group_ends_), std::end(group_ends_), 0);
  begin_ = 0;
  if (bin->size() > kMaxBinKeys) {
    layer_->pool->Drain(
        bin, [&](uint64_t hash) { layer_->pool->Add(layer_->bumped, NextLayerHash(hash)); });
    // Every threshold of the bin stays 0: no key of it is ever looked for in this layer.
    bin_is_bumped_ = true;
    return;
  }
  bin_is_bumped_ = false;
  const uint32_t starts = layer_->starts;
  const uint32_t bin_start = first_start_ + bucket_ * kRibbonBucketSlots;
  const auto group_of = [=](uint64_t hash) {
    const uint32_t in_bin = StartPosition(hash, starts) - bin_start;
    return in_bin / kRibbonBucketSlots * kClasses + ClassOf(in_bin % kRibbonBucketSlots);
  };
  ForEachHash(*bin, [&](uint64_t hash) { ++group_ends_[group_of(hash) + 1]; });
  for (uint32_t group = 1; group < std::size(group_ends_); ++group) {
    group_ends_[group] += group_ends_[group - 1];
  }
  // Each group's begin moves to its end, which is the next one's begin.
  uint64_t* sorted = sorted_.get();
  layer_->pool->Drain(bin, [&](uint64_t hash) { sorted[group_ends_[group_of(hash)]++] = hash; });
}

// Puts every row of the class into its start slot if that is empty, and lists the others. Without a
// branch: which it is can't be predicted.
void RibbonLane::PlaceClass() {
  const uint32_t group = bucket_ % kBinBuckets * kClasses + class_;
  const uint32_t starts = layer_->starts;
  const unsigned fingerprint_bits = layer_->fingerprint_bits;
  uint64_t* rows = rows_.get();
  uint32_t num_walks = 0;
  uint32_t num_filled = 0;
  const uint64_t* end = sorted_.get() + group_ends_[group];
  for (const uint64_t* hash = sorted_.get() + begin_; hash != end; ++hash) {
    const uint32_t slot = StartPosition(*hash, starts) - first_start_;
    const uint64_t row = MakeRow(*hash, fingerprint_bits);
    const uint64_t there = rows[slot];
    const bool is_empty = there == 0;
    rows[slot] = is_empty ? row : there;
    filled_[num_filled] = slot;
    num_filled += is_empty ? 1 : 0;
    walks_[num_walks] = {row, slot};
    num_walks += is_empty ? 0 : 1;
  }
  num_walks_ = num_walks;
  num_filled_ = num_filled;
  next_walk_ = 0;
}

// Places classes until one has a row that must walk.
RibbonWalk RibbonLane::BeginClasses() {
  while (true) {
    if (!bin_is_bumped_) {
      for (; class_ < kClasses; ++class_) {
        PlaceClass();
        if (num_walks_ != 0) return walks_[next_walk_++];
        begin_ = group_ends_[bucket_ % kBinBuckets * kClasses + class_];
      }
    }
    EndBucket();
    if (done_) return {};
  }
}

RibbonWalk RibbonLane::FinishClass() {
  begin_ = group_ends_[bucket_ % kBinBuckets * kClasses + class_];
  ++class_;
  return BeginClasses();
}

// A contradiction: takes the class out again, and bumps it with the rest of its bucket.
RibbonWalk RibbonLane::FailClass() {
  for (uint32_t i = 0; i < num_filled_; ++i) rows_[filled_[i]] = 0;
  EndBucket();
  if (done_) return {};
  return BeginClasses();
}

// Records the classes that hold, bumps the others and goes on to the next bucket.
void RibbonLane::EndBucket() {
  const uint32_t index = first_bucket_ + bucket_;
  unsigned char& thresholds = layer_->thresholds[index / 4];
  thresholds = static_cast<unsigned char>(thresholds | class_ << (2 * (index % 4)));
  const uint32_t bucket_end = group_ends_[bucket_ % kBinBuckets * kClasses + kClasses - 1];
  for (; begin_ != bucket_end; ++begin_) {
    layer_->pool->Add(layer_->bumped, NextLayerHash(sorted_[begin_]));
  }
  class_ = 0;
  if (++bucket_ == layer_->shape.buckets) {
    done_ = true;
  } else if (bucket_ % kBinBuckets == 0) {
    LoadBin();
  }
}

}  // namespace winnow::core
