#include "src/core/ribbon_by_slots.h"

#include <algorithm>

#include "src/core/build_phases.h"

namespace winnow::core {
namespace {

using simd::kRibbonBucketSlots;
using simd::kRibbonBucketSteps;
using simd::kRibbonStepSlots;

constexpr unsigned kStepBits = 3;
static_assert(kRibbonStepSlots == 1u << kStepBits);

}  // namespace

ShardBySlots::ShardBySlots()
    : rows_(new uint64_t[kMaxRows]),
      sorted_(new uint64_t[kMaxBinKeys]),
      steps_(new uint16_t[kMaxBinKeys]),
      keys_(new unsigned char[simd::kRibbonPlanes * kKeyRoom]) {}

bool ShardBySlots::Begin(const LayerBuild& layer, uint32_t shard, HashBin* bins,
                         simd::RibbonShardState* state) {
  layer_ = &layer;
  first_start_ = shard * layer.shard_starts();
  first_bucket_ = shard * layer.shape.buckets;
  bucket_ = 0;
  bin_buckets_ = 0;
  next_bin_ = bins;
  std::fill_n(rows_.get(), size_t{layer.shard_blocks()} * 64, 0);
  state->keys = keys_.get();
  state->key_room = kKeyRoom;
  state->is_begun = false;
  state->is_overfull = false;
  return LoadNextBin(state);
}

bool ShardBySlots::Continue(simd::RibbonShardState* state) {
  if (state->is_overfull) PlaceBucket(state);
  if (state->buckets != 0) return true;
  EndBin();
  return LoadNextBin(state);
}

bool ShardBySlots::LoadNextBin(simd::RibbonShardState* state) {
  for (bucket_ += bin_buckets_; bucket_ < layer_->shape.buckets; bucket_ += bin_buckets_) {
    bin_buckets_ = std::min(kBinBuckets, layer_->shape.buckets - bucket_);
    HashBin* bin = next_bin_++;
    if (bin->size() > kMaxBinKeys) {
      // The thresholds stay 0, so no key of the bin is looked up in this layer.
      layer_->pool->DrainOneByOne(bin, [&](uint64_t hash) { layer_->Bump(hash); });
      continue;
    }
    SortBin(bin);
    layer_->elimination->make_keys(sorted_.get(), step_ends_[kBinSteps - 1], layer_->starts,
                                   layer_->rows, keys_.get(), kKeyRoom);
    state->step_ends = step_ends_;
    state->next_key = 0;
    state->rows = rows_.get() + size_t{bucket_} * kRibbonBucketSlots;
    state->threshold = thresholds_;
    state->buckets = bin_buckets_;
    return true;
  }
  return false;
}

// Counting sort of a bin by step.
void ShardBySlots::SortBin(HashBin* bin) {
  const BuildPhaseScope sorting(BuildPhase::kSorting);
  std::fill(std::begin(step_ends_), std::end(step_ends_), 0);
  const uint32_t first_step = (first_start_ + bucket_ * kRibbonBucketSlots) / kRibbonStepSlots;
  const simd::RibbonGrid steps = {layer_->shape.shard_bits, layer_->shard_starts(), kStepBits,
                                  layer_->shard_starts() / kRibbonStepSlots, first_step};
  const auto cells = simd::ActiveKernels().ribbon_cells;
  uint16_t* next_step = steps_.get();
  ForEachPiece(*bin, [&](const uint64_t* hashes, size_t n) {
    cells(steps, hashes, n, next_step);
    for (size_t i = 0; i < n; ++i) ++step_ends_[next_step[i] + 1];
    next_step += n;
  });
  for (uint32_t step = 1; step < kBinSteps; ++step) step_ends_[step] += step_ends_[step - 1];
  // Moves the begin of each step to its end, which is the next step's begin.
  uint64_t* sorted = sorted_.get();
  const uint16_t* step = steps_.get();
  layer_->pool->Drain(bin, [&](const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i) sorted[step_ends_[step[i]]++] = hashes[i];
    step += n;
  });
}

// Inserts the rows of a bucket one by one. Random hashes hardly ever need this.
void ShardBySlots::PlaceBucket(simd::RibbonShardState* state) {
  const uint32_t end = state->step_ends[kRibbonBucketSteps - 1];
  uint64_t* filled[kRibbonBucketSlots + simd::kRibbonWidth];
  uint32_t threshold = 0;
  for (bool holds = true; holds && threshold < kBumpClasses; threshold += holds ? 1 : 0) {
    uint64_t** filled_end = filled;
    for (uint32_t i = state->next_key; i < end && holds; ++i) {
      const uint32_t start = StartPosition(sorted_[i], layer_->starts) - first_start_;
      if (formulas::BumpClass(start) != threshold) continue;
      RibbonWalk walk{MakeRow(sorted_[i], layer_->rows), &rows_[start]};
      const InsertResult result = InsertRow(&walk);
      if (result == InsertResult::kFilled) *filled_end++ = walk.at;
      holds = result != InsertResult::kContradiction;
    }
    if (!holds) {
      while (filled_end != filled) **--filled_end = 0;
    }
  }
  *state->threshold++ = static_cast<unsigned char>(threshold);
  state->rows += kRibbonBucketSlots;
  state->step_ends += kRibbonBucketSteps;
  state->next_key = end;
  --state->buckets;
  state->is_overfull = false;
}

void ShardBySlots::EndBin() {
  for (uint32_t i = 0; i < bin_buckets_; ++i) {
    const uint32_t threshold = thresholds_[i];
    const uint32_t index = first_bucket_ + bucket_ + i;
    formulas::SetThreshold(layer_->thresholds, index, threshold);
    if (threshold == kBumpClasses) continue;
    // Higher classes are further to the left.
    const uint32_t slots = simd::kRibbonBumpedBelow[threshold];
    const uint32_t first_step = i * kRibbonBucketSteps;
    const uint32_t end_step = first_step + (slots + kRibbonStepSlots - 1) / kRibbonStepSlots;
    const uint32_t begin = first_step == 0 ? 0 : step_ends_[first_step - 1];
    for (uint32_t k = begin; k < step_ends_[end_step - 1]; ++k) {
      if (formulas::BumpClass(StartPosition(sorted_[k], layer_->starts)) >= threshold) {
        layer_->Bump(sorted_[k]);
      }
    }
  }
}

void ShardsBySlots::Eliminate(const LayerBuild& layer, uint32_t shard, unsigned count,
                              HashBin* bins) {
  const simd::RibbonElimination& elimination = *layer.elimination;
  bool goes_on[kShardsAtOnce];
  const auto begins = [&](unsigned i) {
    return shards_[i].Begin(layer, shard + i, bins + size_t{i} * layer.shard_bins(), &states_[i]);
  };
  bool all_go_on = true;
  for (unsigned i = 0; i < count; ++i) {
    goes_on[i] = begins(i);
    all_go_on = all_go_on && goes_on[i];
  }
  while (all_go_on) {
    elimination.eliminate(states_.data(), count, layer.rows.fingerprint_bits);
    for (unsigned i = 0; i < count; ++i) {
      goes_on[i] = shards_[i].Continue(&states_[i]);
      all_go_on = all_go_on && goes_on[i];
    }
  }
  // The other sub-shards are about as close to their end.
  for (unsigned i = 0; i < count; ++i) {
    while (goes_on[i]) {
      elimination.eliminate(&states_[i], 1, layer.rows.fingerprint_bits);
      goes_on[i] = shards_[i].Continue(&states_[i]);
    }
  }
}

}  // namespace winnow::core
