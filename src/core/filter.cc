#include "winnow/filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>

#include "src/core/bloom.h"
#include "src/core/counted_rate.h"
#include "src/core/format.h"
#include "src/core/level_plan.h"
#include "src/core/ribbon.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace winnow {
namespace {

const simd::Kernels& KernelsOf(const void* kernels) {
  return *static_cast<const simd::Kernels*>(kernels);
}

simd::Probe RibbonProbeFor(const simd::Kernels& kernels, core::Columns columns) {
  return columns.most() <= 8 ? kernels.ribbon_probe_narrow : kernels.ribbon_probe;
}

// The parts of a block that was found valid when its view was made.
core::ParsedBlock Reparse(const unsigned char* data, size_t size) noexcept {
  core::ParsedBlock parsed;
  core::Parse({reinterpret_cast<const char*>(data), size}, &parsed);
  return parsed;
}

unsigned CountLayers(const core::ParsedBlock& parsed) noexcept {
  unsigned layers = 0;
  while (layers < parsed.tail.entries &&
         core::ReadLayerEntry(parsed.directory, layers).type != core::LayerType::kNote) {
    ++layers;
  }
  return layers;
}

// The mean rate over a bumped layer's start positions. Not ColumnsRate: the last block of a
// sub-shard has no start positions, which matters where there are few blocks.
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

// What is taken for the rate of a Bloom layer: the mean of all filters of so many keys, or that of
// its own bits.
enum class BloomLayerRate { kMean, kCounted };

// The probability that an absent key passes: over the layers, that it gets there times that it
// passes there.
double RateOf(const core::ParsedBlock& parsed, BloomLayerRate bloom) noexcept {
  const core::Columns columns = core::UnpackColumns(parsed.tail.columns);
  const unsigned char* bytes = parsed.payload;
  double reaches = 1;
  double rate = 0;
  for (unsigned i = 0; i < parsed.tail.entries; ++i) {
    const core::LayerEntry entry = core::ReadLayerEntry(parsed.directory, i);
    switch (entry.type) {
      case core::LayerType::kNone:
      case core::LayerType::kNote:
        break;
      case core::LayerType::kBloom: {
        // Only the first layer's number of keys is recorded; a later Bloom layer's is at most that.
        rate +=
            reaches * (bloom == BloomLayerRate::kCounted
                           ? core::CountBloomRate(bytes, entry.count, entry.parameter)
                           : core::BloomRate(parsed.tail.num_hashes, entry.count, entry.parameter));
        break;
      }
      case core::LayerType::kSmall:
        rate += reaches * core::ColumnsRate({columns.most(), 0});
        break;
      case core::LayerType::kList:
        rate += reaches * std::min(1.0, std::ldexp(entry.count, -entry.parameter - 1));
        break;
      case core::LayerType::kBumped: {
        const core::BumpedLayout layout = core::LayOut(entry.parameter, entry.count, columns);
        const double bumped = core::BumpedShare(bytes + layout.words_bytes, layout.starts);
        rate += reaches * (1 - bumped) * StartsRate(entry, layout, columns);
        reaches *= bumped;
        break;
      }
    }
    bytes += core::LayerBytes(entry, columns);
  }
  return rate;
}

}  // namespace

std::string_view ToString(Fault fault) noexcept {
  switch (fault) {
    case Fault::kNone:
      return "no fault";
    case Fault::kTooShort:
      return "fewer bytes than the shortest filter has";
    case Fault::kForeign:
      return "not a Winnow filter (no marker, no magic number, no checksum)";
    case Fault::kVersion:
      return "a version of the format that this library does not know";
    case Fault::kTailChecksum:
      return "directory or tail are damaged (checksum)";
    case Fault::kKind:
      return "a kind of filter that this library does not know";
    case Fault::kHash:
      return "made with another hash or seed";
    case Fault::kParameters:
      return "directory or tail hold values that no builder writes";
    case Fault::kSize:
      return "more or fewer bytes than the parameters say";
    case Fault::kPayload:
      return "the payload is damaged (checksum)";
  }
  return "unknown fault";
}

// What is called for a hash that a layer bumps. A layer that a view keeps knows where its view is
// by its own place; one that was made for a single lookup has more behind it.
struct FilterView::LayerCalls {
  struct LaterLayer : simd::RibbonLayer {
    const FilterView* view;
    unsigned number;
  };

  static const FilterView& ViewOfFirst(const simd::RibbonLayer* layer) noexcept {
    static_assert(offsetof(FilterView, first_) == 0);
    return *reinterpret_cast<const FilterView*>(layer);
  }

  static bool AskSecond(const simd::RibbonLayer* first, uint64_t hash) noexcept {
    const FilterView& view = ViewOfFirst(first);
    return KernelsOf(view.kernels_).ribbon_probe(&view.second_, core::NextLayerHash(hash));
  }

  static bool AskFromSecond(const simd::RibbonLayer* first, uint64_t hash) noexcept {
    return ViewOfFirst(first).AskLayersFrom(1, core::NextLayerHash(hash));
  }

  static bool AskFromThird(const simd::RibbonLayer* second, uint64_t hash) noexcept {
    const auto* view =
        reinterpret_cast<const unsigned char*>(second) - offsetof(FilterView, second_);
    return reinterpret_cast<const FilterView*>(view)->AskLayersFrom(2, core::NextLayerHash(hash));
  }

  static bool AskFromNext(const simd::RibbonLayer* layer, uint64_t hash) noexcept {
    const auto* later = static_cast<const LaterLayer*>(layer);
    return later->view->AskLayersFrom(later->number + 1, core::NextLayerHash(hash));
  }

  template <typename Layer>
  static void Keep(const Layer& layer, LayerStorage* storage) noexcept {
    static_assert(sizeof layer <= sizeof *storage && alignof(Layer) <= alignof(LayerStorage));
    new (storage) Layer(layer);
  }

  template <typename Layer>
  static const Layer& Kept(const LayerStorage& storage) noexcept {
    return *std::launder(reinterpret_cast<const Layer*>(&storage));
  }
};

FilterView::FilterView(std::string_view block) noexcept
    : data_(reinterpret_cast<const unsigned char*>(block.data())), size_(block.size()) {
  core::ParsedBlock parsed;
  fault_ = core::Parse(block, &parsed);
  if (fault_ != Fault::kNone) return;
  kernels_ = &simd::ActiveKernels();
  if (parsed.tail.kind == FilterKind::kEmpty) {
    probe_ = ContainsNone;
    return;
  }
  switch (core::ReadLayerEntry(parsed.directory, 0).type) {
    case core::LayerType::kBloom:
      MakeBloom();
      break;
    case core::LayerType::kBumped:
      MakeRibbon();
      break;
    default:
      probe_ = AskAllLayers;
  }
}

FilterView FilterView::Verified(std::string_view block) noexcept {
  const FilterView view(block);
  if (view.fault_ != Fault::kNone || view.PayloadIntact()) return view;
  FilterView damaged;
  damaged.data_ = view.data_;
  damaged.size_ = view.size_;
  damaged.fault_ = Fault::kPayload;
  return damaged;
}

void FilterView::MakeBloom() noexcept {
  const core::Directory directory = core::FindDirectory(data_, size_);
  const core::LayerEntry entry = core::ReadLayerEntry(directory.entries, 0);
  LayerCalls::Keep(simd::BloomLayer{data_, entry.count, core::BloomWordSets(entry.parameter)},
                   &first_);
  kind_ = FilterKind::kBloom;
  probe_ = KernelsOf(kernels_).bloom_probe;
}

void FilterView::MakeRibbon() noexcept {
  const core::Directory directory = core::FindDirectory(data_, size_);
  const core::LayerEntry entry = core::ReadLayerEntry(directory.entries, 0);
  simd::RibbonLayer first =
      core::LayerForKernels(entry.parameter, entry.count, directory.columns, data_);
  first.if_bumped = LayerCalls::AskFromSecond;
  // A bumped layer is never the last one.
  const core::LayerEntry next = core::ReadLayerEntry(directory.entries, 1);
  if (next.type == core::LayerType::kBumped) {
    simd::RibbonLayer second =
        core::LayerForKernels(next.parameter, next.count, directory.columns,
                              data_ + core::LayerBytes(entry, directory.columns));
    second.if_bumped = LayerCalls::AskFromThird;
    LayerCalls::Keep(second, &second_);
    first.if_bumped = LayerCalls::AskSecond;
  }
  LayerCalls::Keep(first, &first_);
  kind_ = FilterKind::kRibbon;
  probe_ = RibbonProbeFor(KernelsOf(kernels_), directory.columns);
}

bool FilterView::ContainsNone(const void* /*view*/, uint64_t /*hash*/) noexcept { return false; }

bool FilterView::AskAllLayers(const void* view, uint64_t hash) noexcept {
  return static_cast<const FilterView*>(view)->AskLayersFrom(0, hash);
}

__attribute__((noinline)) bool FilterView::AskLayersFrom(unsigned layer,
                                                         uint64_t hash) const noexcept {
  const simd::Kernels& kernels = KernelsOf(kernels_);
  const core::Directory directory = core::FindDirectory(data_, size_);
  const unsigned char* bytes = data_;
  for (unsigned i = 0; i < layer; ++i) {
    bytes += core::LayerBytes(core::ReadLayerEntry(directory.entries, i), directory.columns);
  }
  const core::LayerEntry entry = core::ReadLayerEntry(directory.entries, layer);
  switch (entry.type) {
    case core::LayerType::kNone:
      return false;
    case core::LayerType::kNote:  // behind the last layer, which answers
      return true;
    case core::LayerType::kBloom: {
      const simd::BloomLayer bloom{bytes, entry.count, core::BloomWordSets(entry.parameter)};
      return kernels.bloom_probe(&bloom, hash);
    }
    case core::LayerType::kSmall:
      return core::ProbeSmall(bytes, entry.count, directory.columns.most(), hash);
    case core::LayerType::kList:
      return core::ProbeList(bytes, entry.count, entry.parameter + 1u, hash);
    case core::LayerType::kBumped: {
      LayerCalls::LaterLayer later;
      static_cast<simd::RibbonLayer&>(later) =
          core::LayerForKernels(entry.parameter, entry.count, directory.columns, bytes);
      later.if_bumped = LayerCalls::AskFromNext;
      later.view = this;
      later.number = layer;
      return kernels.ribbon_probe(static_cast<const simd::RibbonLayer*>(&later), hash);
    }
  }
  return true;
}

void FilterView::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  static_assert(sizeof(KeyHash) == sizeof(uint64_t));
  const auto* values = reinterpret_cast<const uint64_t*>(hashes);
  switch (kind_) {
    case FilterKind::kBloom:
      KernelsOf(kernels_).bloom_probe_many(LayerCalls::Kept<simd::BloomLayer>(first_), values, n,
                                           results);
      return;
    case FilterKind::kRibbon: {
      const auto& first = LayerCalls::Kept<simd::RibbonLayer>(first_);
      const simd::RibbonLayer* const second = first.if_bumped == LayerCalls::AskSecond
                                                  ? &LayerCalls::Kept<simd::RibbonLayer>(second_)
                                                  : nullptr;
      KernelsOf(kernels_).ribbon_probe_many(first, second, values, n, results);
      return;
    }
    case FilterKind::kEmpty:
      for (size_t i = 0; i < n; ++i) results[i] = MayContain(hashes[i]);
  }
}

FilterInfo FilterView::info() const noexcept {
  FilterInfo info;
  info.size_bytes = size_;
  if (fault_ != Fault::kNone) return info;
  const core::ParsedBlock parsed = Reparse(data_, size_);
  const core::Tail& tail = parsed.tail;
  info.kind = tail.kind;
  info.num_hashes = tail.num_hashes;
  info.level = tail.level;
  info.level_plan = core::UnpackPlan(tail.plan);
  info.levels_below = core::UnpackLevelsBelow(tail.plan);
  info.version = tail.version;
  if (tail.kind == FilterKind::kEmpty) return info;
  info.bits_per_key = static_cast<double>(size_) * 8 / static_cast<double>(tail.num_hashes);
  info.target_fpr = core::UnpackRate(tail.target);
  info.expected_fpr = RateOf(parsed, BloomLayerRate::kMean);
  if (tail.kind == FilterKind::kBloom) {
    info.probes = core::ReadLayerEntry(parsed.directory, 0).parameter;
  } else {
    const core::Columns columns = core::UnpackColumns(tail.columns);
    info.columns = columns.whole + columns.fraction / 4096.0;
    info.layers = static_cast<int>(CountLayers(parsed));
  }
  return info;
}

double FilterView::CountedRate() const noexcept {
  if (fault_ != Fault::kNone) return 1;
  return RateOf(Reparse(data_, size_), BloomLayerRate::kCounted);
}

bool FilterView::PayloadIntact() const noexcept {
  if (fault_ != Fault::kNone) return false;
  const core::ParsedBlock parsed = Reparse(data_, size_);
  return core::Checksum(parsed.payload, parsed.payload_size) == parsed.tail.payload_checksum;
}

}  // namespace winnow
