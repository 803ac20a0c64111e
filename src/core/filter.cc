#include "winnow/filter.h"

#include <algorithm>
#include <cmath>

#include "src/core/bloom.h"
#include "src/core/format.h"
#include "src/core/ribbon.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace winnow {
namespace {

// What a lookup does first. The types of layers, and two answers that need no bytes.
// 0: a block that can't be used, which may contain everything.
constexpr uint8_t kNothing = 0x80;
constexpr uint8_t kBloomFirst = static_cast<uint8_t>(core::LayerType::kBloom);
constexpr uint8_t kBumpedFirst = static_cast<uint8_t>(core::LayerType::kBumped);
constexpr uint8_t kOtherFirst = 0x81;

const simd::Kernels& KernelsOf(const void* kernels) {
  return *static_cast<const simd::Kernels*>(kernels);
}

// The parts of a block that was found valid when its view was made.
core::ParsedBlock Reparse(const unsigned char* data, size_t size) noexcept {
  core::ParsedBlock parsed;
  core::Parse({reinterpret_cast<const char*>(data), size}, &parsed);
  return parsed;
}

// The share of start positions whose keys a layer bumps.
double BumpedShare(const unsigned char* thresholds, uint64_t buckets) noexcept {
  constexpr double kBumpedSlots[] = {simd::kRibbonBucketSlots, simd::kRibbonClass1Slots,
                                     simd::kRibbonClass2Slots, 0};
  double slots = 0;
  for (uint64_t bucket = 0; bucket < buckets; ++bucket) {
    slots += kBumpedSlots[thresholds[bucket / 4] >> (2 * (bucket % 4)) & 3];
  }
  return slots / (static_cast<double>(buckets) * simd::kRibbonBucketSlots);
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

// The probability that an absent key passes: over the layers, that it gets there times that it
// passes there.
double ExpectedRate(const core::ParsedBlock& parsed) noexcept {
  const core::Columns columns = core::UnpackColumns(parsed.tail.columns);
  const unsigned char* bytes = parsed.payload;
  double reaches = 1;
  double rate = 0;
  for (unsigned i = 0; i < parsed.tail.layers; ++i) {
    const core::LayerEntry entry = core::ReadLayerEntry(parsed.directory, i);
    switch (entry.type) {
      case core::LayerType::kNone:
        break;
      case core::LayerType::kBloom: {
        // Only the first layer's number of keys is recorded; a later Bloom layer's is at most that.
        rate += reaches * core::BloomRate(parsed.tail.num_hashes, entry.count, entry.parameter);
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
        const double bumped =
            BumpedShare(bytes + layout.words_bytes, layout.starts / simd::kRibbonBucketSlots);
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
  }
  return "unknown fault";
}

FilterView::FilterView(std::string_view block) noexcept
    : data_(reinterpret_cast<const unsigned char*>(block.data())), size_(block.size()) {
  core::ParsedBlock parsed;
  fault_ = core::Parse(block, &parsed);
  if (fault_ != Fault::kNone) return;
  kernels_ = &simd::ActiveKernels();
  if (parsed.tail.kind == FilterKind::kEmpty) {
    first_type_ = kNothing;
    return;
  }
  const core::LayerEntry entry = core::ReadLayerEntry(parsed.directory, 0);
  first_type_ = kOtherFirst;
  if (entry.type == core::LayerType::kBloom) {
    first_type_ = kBloomFirst;
    first_.words = parsed.payload;
    first_.starts = entry.count;
    first_.patterns = core::BloomPatterns(entry.parameter);
  } else if (entry.type == core::LayerType::kBumped) {
    first_type_ = kBumpedFirst;
    const core::Columns columns = core::UnpackColumns(parsed.tail.columns);
    const auto ready = [columns](const core::LayerEntry& bumped, const unsigned char* words) {
      const core::BumpedLayout layout = core::LayOut(bumped.parameter, bumped.count, columns);
      return Layer{words,
                   words + layout.words_bytes,
                   nullptr,
                   static_cast<uint32_t>(layout.starts),
                   static_cast<uint32_t>(layout.split),
                   core::KernelShape(bumped.parameter, columns)};
    };
    first_ = ready(entry, parsed.payload);
    // A bumped layer is never the last one.
    const core::LayerEntry second = core::ReadLayerEntry(parsed.directory, 1);
    second_is_bumped_ = second.type == core::LayerType::kBumped;
    if (second_is_bumped_) {
      second_ = ready(second, parsed.payload + core::LayerBytes(entry, columns));
    }
  }
}

bool FilterView::MayContain(KeyHash hash) const noexcept {
  if (first_type_ == kBloomFirst) {
    return KernelsOf(kernels_).bloom_probe(first_.words, first_.starts, first_.patterns,
                                           hash.value);
  }
  if (first_type_ == kBumpedFirst) {
    const simd::RibbonAnswer answer = KernelsOf(kernels_).ribbon_probe(
        first_.words, first_.thresholds, first_.starts, first_.split, first_.shape, hash.value);
    return answer == simd::RibbonAnswer::kBumped ? MayContainBumped(hash)
                                                 : answer == simd::RibbonAnswer::kMatch;
  }
  if (first_type_ == kOtherFirst) return AskLayersFrom(0, hash.value);
  return first_type_ != kNothing;
}

bool FilterView::MayContainBumped(KeyHash hash) const noexcept {
  const uint64_t next = core::NextLayerHash(hash.value);
  if (!second_is_bumped_) return AskLayersFrom(1, next);
  const simd::RibbonAnswer answer = KernelsOf(kernels_).ribbon_probe(
      second_.words, second_.thresholds, second_.starts, second_.split, second_.shape, next);
  if (answer == simd::RibbonAnswer::kBumped) return AskLayersFrom(2, core::NextLayerHash(next));
  return answer == simd::RibbonAnswer::kMatch;
}

__attribute__((noinline)) bool FilterView::AskLayersFrom(unsigned layer,
                                                         uint64_t hash) const noexcept {
  const simd::Kernels& kernels = KernelsOf(kernels_);
  const core::Directory directory = core::FindDirectory(data_, size_);
  const unsigned char* bytes = data_;
  for (unsigned i = 0; i < layer; ++i) {
    bytes += core::LayerBytes(core::ReadLayerEntry(directory.entries, i), directory.columns);
  }
  for (; layer < directory.layers; ++layer) {
    const core::LayerEntry entry = core::ReadLayerEntry(directory.entries, layer);
    switch (entry.type) {
      case core::LayerType::kNone:
        return false;
      case core::LayerType::kBloom:
        return kernels.bloom_probe(bytes, entry.count, core::BloomPatterns(entry.parameter), hash);
      case core::LayerType::kSmall:
        return core::ProbeSmall(bytes, entry.count, directory.columns.most(), hash);
      case core::LayerType::kList:
        return core::ProbeList(bytes, entry.count, entry.parameter + 1u, hash);
      case core::LayerType::kBumped: {
        const core::BumpedLayout layout =
            core::LayOut(entry.parameter, entry.count, directory.columns);
        const simd::RibbonAnswer answer = kernels.ribbon_probe(
            bytes, bytes + layout.words_bytes, static_cast<uint32_t>(layout.starts),
            static_cast<uint32_t>(layout.split),
            core::KernelShape(entry.parameter, directory.columns), hash);
        if (answer != simd::RibbonAnswer::kBumped) return answer == simd::RibbonAnswer::kMatch;
        bytes += layout.words_bytes + layout.thresholds_bytes;
        hash = core::NextLayerHash(hash);
      }
    }
  }
  return true;
}

void FilterView::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  static_assert(sizeof(KeyHash) == sizeof(uint64_t));
  const auto* values = reinterpret_cast<const uint64_t*>(hashes);
  if (first_type_ == kBloomFirst) {
    KernelsOf(kernels_).bloom_probe_many(first_.words, first_.starts, first_.patterns, values, n,
                                         results);
    return;
  }
  if (first_type_ != kBumpedFirst) {
    for (size_t i = 0; i < n; ++i) results[i] = MayContain(hashes[i]);
    return;
  }
  for (size_t begin = 0; begin < n; begin += simd::kRibbonMostHashes) {
    const size_t count = std::min<size_t>(n - begin, simd::kRibbonMostHashes);
    simd::RibbonAnswer answers[simd::kRibbonMostHashes];
    KernelsOf(kernels_).ribbon_probe_many(first_.words, first_.thresholds, first_.starts,
                                          first_.split, first_.shape, values + begin, count,
                                          answers);
    for (size_t i = 0; i < count; ++i) {
      results[begin + i] = answers[i] == simd::RibbonAnswer::kBumped
                               ? MayContainBumped(hashes[begin + i])
                               : answers[i] == simd::RibbonAnswer::kMatch;
    }
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
  info.version = tail.version;
  if (tail.kind == FilterKind::kEmpty) return info;
  info.bits_per_key = static_cast<double>(size_) * 8 / static_cast<double>(tail.num_hashes);
  info.target_fpr = core::UnpackRate(tail.target);
  info.expected_fpr = ExpectedRate(parsed);
  if (tail.kind == FilterKind::kBloom) {
    info.probes = core::ReadLayerEntry(parsed.directory, 0).parameter;
  } else {
    const core::Columns columns = core::UnpackColumns(tail.columns);
    info.columns = columns.whole + columns.fraction / 4096.0;
    info.layers = tail.layers;
  }
  return info;
}

bool FilterView::PayloadIntact() const noexcept {
  if (fault_ != Fault::kNone) return false;
  const core::ParsedBlock parsed = Reparse(data_, size_);
  return core::Checksum(parsed.payload, parsed.payload_size) == parsed.tail.payload_checksum;
}

}  // namespace winnow
