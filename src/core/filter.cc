#include "winnow/filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <type_traits>

#include "src/core/counted_rate.h"
#include "src/core/format.h"
#include "src/core/layer_walk.h"
#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/core/struct_size.h"
#include "src/simd/kernels.h"

namespace winnow {
namespace {

// Returns the parts of a block that was validated when its view was made.
core::ParsedBlock Reparse(std::string_view block) noexcept {
  core::ParsedBlock parsed;
  core::Parse(block, &parsed);
  return parsed;
}

core::LayerWalk WalkOf(std::string_view block) noexcept {
  return {reinterpret_cast<const unsigned char*>(block.data()), block.size()};
}

// Returns the mean rate over a bumped layer's start positions. This differs from ColumnsRate, since
// the last block of a sub-shard has no start positions, which matters if there are few blocks.
double StartsRate(const core::LayerEntry& entry, const core::BumpedLayout& layout,
                  core::Columns columns) noexcept {
  const uint64_t shard_blocks = uint64_t{entry.count} * 2 + 1;
  const uint64_t narrow = layout.split / shard_blocks * (shard_blocks - 1) +
                          std::min(layout.split % shard_blocks, shard_blocks - 1);
  const uint64_t all = (shard_blocks - 1) << entry.parameter;
  const double narrow_share = static_cast<double>(narrow) / static_cast<double>(all);
  // A wide block has half the rate of a narrow one.
  return std::ldexp((1 + narrow_share) / 2, -static_cast<int>(columns.whole));
}

// Rate of a Bloom layer: the mean over all filters of as many keys, or the rate counted from its
// bits.
enum class BloomLayerRate { kMean, kCounted };

double CountedBloomRate(const core::LayerWalk& walk, uint64_t num_hashes) noexcept {
  const core::LayerEntry& entry = walk.entry();
  return std::max(core::CountBloomRate(walk.bytes(), entry.count, entry.parameter),
                  core::EqualBitsRate(num_hashes, entry.count));
}

// Returns the probability that an absent key passes: the sum over the layers of the probability
// that the key reaches the layer times that of passing there.
double RateOf(std::string_view block, uint64_t num_hashes, BloomLayerRate bloom) noexcept {
  double reaches = 1;
  double rate = 0;
  for (core::LayerWalk walk = WalkOf(block); !walk.AtEnd(); walk.Next()) {
    const core::LayerEntry& entry = walk.entry();
    switch (entry.type) {
      case core::LayerType::kNone:
      case core::LayerType::kNote:
        break;
      case core::LayerType::kBloom:
        // The tail records only the first layer's number of keys; a later Bloom layer has at most
        // as many.
        rate += reaches * (bloom == BloomLayerRate::kCounted
                               ? CountedBloomRate(walk, num_hashes)
                               : core::BloomRate(num_hashes, entry.count, entry.parameter));
        break;
      case core::LayerType::kSmall:
        rate += reaches * core::ColumnsRate({walk.columns().most(), 0});
        break;
      case core::LayerType::kList:
        rate += reaches * std::min(1.0, std::ldexp(entry.count, -entry.parameter - 1));
        break;
      case core::LayerType::kBumped: {
        const core::BumpedLayout layout =
            core::LayOut(entry.parameter, entry.count, walk.columns());
        const double bumped = core::BumpedShare(walk.bytes() + layout.words_bytes, layout.starts);
        rate += reaches * (1 - bumped) * StartsRate(entry, layout, walk.columns());
        reaches *= bumped;
        break;
      }
    }
  }
  return rate;
}

bool ContainsNone(const simd::Layer& /*first*/, uint64_t /*hash*/) noexcept { return false; }

bool AskLayer(const core::LayerWalk& walk, std::string_view block, uint64_t hash) noexcept;

// Asks the layers from this one on. `hash` is the key's hash for this layer.
__attribute__((noinline)) bool AskLayersFrom(unsigned layer, std::string_view block,
                                             uint64_t hash) noexcept {
  core::LayerWalk walk = WalkOf(block);
  while (walk.number() < layer) walk.Next();
  return AskLayer(walk, block, hash);
}

// A bumped layer that is set up for a single lookup.
struct LaterLayer : simd::RibbonLayer {
  std::string_view block;
  unsigned number;

  static bool AskNext(const simd::RibbonLayer& layer, uint64_t hash) noexcept {
    const auto& later = static_cast<const LaterLayer&>(layer);
    return AskLayersFrom(later.number + 1, later.block, core::NextLayerHash(hash));
  }
};

bool AskLayer(const core::LayerWalk& walk, std::string_view block, uint64_t hash) noexcept {
  const core::LayerEntry& entry = walk.entry();
  switch (entry.type) {
    case core::LayerType::kNone:
      return false;
    case core::LayerType::kNote:  // reached behind the last layer only, which has the answer
      return true;
    case core::LayerType::kBloom:
      return simd::ActiveKernels().bloom_probe(walk.Bloom(), hash);
    case core::LayerType::kSmall:
      return core::ProbeSmall(walk.bytes(), entry.count, walk.columns().most(), hash);
    case core::LayerType::kList:
      return core::ProbeList(walk.bytes(), entry.count, entry.parameter + 1u, hash);
    case core::LayerType::kBumped: {
      LaterLayer later{walk.Bumped(), block, walk.number()};
      later.if_bumped = LaterLayer::AskNext;
      return simd::ActiveKernels().ribbon_probe(later, hash);
    }
  }
  return true;
}

}  // namespace

// State of a view. Nearly all lookups end in the first layer, and nearly all keys bumped by a
// Ribbon's first layer end in the second, so these layers are prepared for the kernels. A kernel
// calls a function for a bumped hash with the layer that bumped it; the layer's derived type has
// what follows.
struct FilterView::Kept {
  struct Bloom : simd::BloomLayer {
    std::string_view block;
  };

  struct SecondLayer : simd::RibbonLayer {
    simd::Probe probe;  // null: the layer is of another type
    std::string_view block;

    static bool AskThird(const simd::RibbonLayer& layer, uint64_t hash) noexcept {
      return AskLayersFrom(2, static_cast<const SecondLayer&>(layer).block,
                           core::NextLayerHash(hash));
    }
  };

  struct Ribbon : simd::RibbonLayer {
    SecondLayer second;

    static bool AskSecond(const simd::RibbonLayer& layer, uint64_t hash) noexcept {
      const SecondLayer& second = static_cast<const Ribbon&>(layer).second;
      return second.probe(second, core::NextLayerHash(hash));
    }
    static bool AskSecondOfOtherType(const simd::RibbonLayer& layer, uint64_t hash) noexcept {
      return AskLayersFrom(1, static_cast<const Ribbon&>(layer).second.block,
                           core::NextLayerHash(hash));
    }
  };

  // The first layer is not of a type that kernels know, or there is none.
  struct Other : simd::Layer {
    std::string_view block;

    static bool AskAll(const simd::Layer& layer, uint64_t hash) noexcept {
      return AskLayersFrom(0, static_cast<const Other&>(layer).block, hash);
    }
  };

  template <typename Layers>
  static void Keep(const Layers& layers, State* state) noexcept {
    static_assert(sizeof layers <= sizeof *state && alignof(Layers) <= alignof(State));
    static_assert(std::is_trivially_copyable_v<Layers> && std::is_trivially_destructible_v<Layers>);
    new (state) Layers(layers);
  }

  template <typename Layers>
  static const Layers& Get(const State& state) noexcept {
    return *std::launder(reinterpret_cast<const Layers*>(&state));
  }

  static Bloom BloomOf(const core::LayerWalk& walk, std::string_view block) noexcept {
    return {walk.Bloom(), block};
  }

  static Ribbon RibbonOf(core::LayerWalk walk, std::string_view block, simd::Probe probe) noexcept {
    Ribbon ribbon{walk.Bumped(), {}};
    ribbon.second.block = block;
    // A bumped layer is never the last one.
    walk.Next();
    if (walk.entry().type != core::LayerType::kBumped) {
      ribbon.if_bumped = Ribbon::AskSecondOfOtherType;
      return ribbon;
    }
    ribbon.if_bumped = Ribbon::AskSecond;
    ribbon.second = {walk.Bumped(), probe, block};
    ribbon.second.if_bumped = SecondLayer::AskThird;
    return ribbon;
  }
};

FilterView::FilterView(std::string_view block) noexcept {
  Kept::Keep(Kept::Other{{}, block}, &state_);
  core::ParsedBlock parsed;
  fault_ = core::Parse(block, &parsed);
  if (fault_ != Fault::kNone) return;
  if (parsed.tail.kind == FilterKind::kEmpty) {
    ask_ = ContainsNone;
    return;
  }
  const core::LayerWalk walk = WalkOf(block);
  const simd::Kernels& kernels = simd::ActiveKernels();
  switch (walk.entry().type) {
    case core::LayerType::kBloom:
      kind_ = FilterKind::kBloom;
      ask_ = kernels.bloom_probe;
      Kept::Keep(Kept::BloomOf(walk, block), &state_);
      break;
    case core::LayerType::kBumped:
      kind_ = FilterKind::kRibbon;
      ask_ = walk.columns().most() <= 8 ? kernels.ribbon_probe_narrow : kernels.ribbon_probe;
      Kept::Keep(Kept::RibbonOf(walk, block, ask_), &state_);
      break;
    default:
      ask_ = Kept::Other::AskAll;
  }
}

FilterView FilterView::Verified(std::string_view block) noexcept {
  const FilterView view(block);
  if (view.fault_ != Fault::kNone || view.PayloadIntact()) return view;
  FilterView damaged;
  Kept::Keep(Kept::Other{{}, block}, &damaged.state_);
  damaged.fault_ = Fault::kPayload;
  return damaged;
}

std::string_view FilterView::block() const noexcept {
  switch (kind_) {
    case FilterKind::kBloom:
      return Kept::Get<Kept::Bloom>(state_).block;
    case FilterKind::kRibbon:
      return Kept::Get<Kept::Ribbon>(state_).second.block;
    case FilterKind::kEmpty:
      break;
  }
  return Kept::Get<Kept::Other>(state_).block;
}

void FilterView::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  static_assert(sizeof(KeyHash) == sizeof(uint64_t));
  const auto* values = reinterpret_cast<const uint64_t*>(hashes);
  switch (kind_) {
    case FilterKind::kBloom: {
      const auto& layer = Kept::Get<Kept::Bloom>(state_);
      const bool asks_ahead = layer.num_blocks * simd::kBloomBlockBytes >= simd::kOwnCacheBytes;
      simd::ActiveKernels().bloom_probe_many(layer, values, n, asks_ahead, results);
      return;
    }
    case FilterKind::kRibbon: {
      const auto& first = Kept::Get<Kept::Ribbon>(state_);
      const simd::RibbonLayer* const second =
          first.second.probe != nullptr ? &first.second : nullptr;
      simd::ActiveKernels().ribbon_probe_many(first, second, values, n, results);
      return;
    }
    case FilterKind::kEmpty:
      for (size_t i = 0; i < n; ++i) results[i] = MayContain(hashes[i]);
  }
}

namespace {

FilterInfo InfoOf(std::string_view block, Fault fault) noexcept {
  FilterInfo info;
  info.size_bytes = block.size();
  if (fault != Fault::kNone) return info;
  const core::ParsedBlock parsed = Reparse(block);
  const core::Tail& tail = parsed.tail;
  info.kind = tail.kind;
  info.num_hashes = tail.num_hashes;
  info.level = tail.level;
  info.level_plan = core::UnpackPlan(tail.plan);
  info.levels_below = core::UnpackLevelsBelow(tail.plan);
  info.version = tail.version;
  if (tail.kind == FilterKind::kEmpty) return info;
  info.bits_per_key =
      static_cast<double>(info.size_bytes) * 8 / static_cast<double>(tail.num_hashes);
  info.target_fpr = core::UnpackRate(tail.target);
  info.expected_fpr = RateOf(block, tail.num_hashes, BloomLayerRate::kMean);
  core::LayerWalk walk = WalkOf(block);
  switch (tail.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      info.probes = walk.entry().parameter;
      break;
    case FilterKind::kRibbon: {
      const core::Columns columns = walk.columns();
      info.columns = columns.whole + columns.fraction / 4096.0;
      while (!walk.AtEnd()) walk.Next();
      info.layers = static_cast<int>(walk.number());
      break;
    }
  }
  return info;
}

}  // namespace

void FilterView::FillInfo(FilterInfo* info, size_t size) const noexcept {
  core::ForCaller(InfoOf(block(), fault_), info, size);
}

double FilterView::CountedRate() const noexcept {
  if (fault_ != Fault::kNone) return 1;
  return RateOf(block(), Reparse(block()).tail.num_hashes, BloomLayerRate::kCounted);
}

bool FilterView::PayloadIntact() const noexcept {
  if (fault_ != Fault::kNone) return false;
  const core::ParsedBlock parsed = Reparse(block());
  return core::Checksum(parsed.payload, parsed.payload_size) == parsed.tail.payload_checksum;
}

}  // namespace winnow
