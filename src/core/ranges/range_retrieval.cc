#include "src/core/ranges/range_retrieval.h"

#include "src/core/ribbon.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle64;

const unsigned char* EntriesOf(const RetrievalShape& shape, const unsigned char* bytes,
                               size_t size) noexcept {
  return bytes + size - shape.layers * kEntryBytes;
}

simd::RibbonLayer LayerOf(const LayerEntry& entry, Columns columns,
                          const unsigned char* bytes) noexcept {
  if (entry.type == LayerType::kBumped) {
    return LayerForKernels(entry.parameter, entry.count, columns, bytes);
  }
  // A single sub-shard, which rows don't leave, with all columns in every block.
  simd::RibbonLayer layer = LayerForKernels(0, 1, {columns.most(), 0}, bytes);
  layer.starts = SmallStarts(entry.count);
  layer.split = entry.count;
  return layer;
}

}  // namespace

bool RetrievalShape::IsValid() const noexcept {
  const Columns unpacked = UnpackedColumns();
  return unpacked.most() <= simd::kRibbonMaxColumns && low_bits >= kLeastLowBits &&
         low_bits <= unpacked.whole && FingerprintBits() <= kMostFingerprintBits + 1 &&
         layers <= kMostRetrievalLayers;
}

EliasFanoShape RetrievalShape::CrowdedShape() const noexcept {
  return {crowded, uint64_t{crowded} << UnpackedColumns().most()};
}

uint64_t RetrievalShape::CrowdedBytes() const noexcept {
  return crowded == 0 ? 0 : CrowdedShape().Bytes();
}

Fault CheckRetrieval(const RetrievalShape& shape, const unsigned char* bytes,
                     size_t size) noexcept {
  if (!shape.IsValid()) return Fault::kParameters;
  uint64_t least = shape.layers * kEntryBytes + kRetrievalPadding + shape.CrowdedBytes();
  if (size < least) return Fault::kSize;
  const unsigned char* const entries = EntriesOf(shape, bytes, size);
  for (unsigned i = 0; i < shape.layers; ++i) {
    const LayerEntry entry = ReadLayerEntry(entries, i);
    const bool is_last = i + 1 == shape.layers;
    if (!CheckLayer(entry) ||
        !(entry.type == LayerType::kBumped || (entry.type == LayerType::kSmall && is_last))) {
      return Fault::kParameters;
    }
    least += LayerBytes(entry, shape.UnpackedColumns());
  }
  return size >= least && (size - least) % kListedItemBytes == 0 ? Fault::kNone : Fault::kSize;
}

RangeRetrieval::RangeRetrieval(const RetrievalShape& shape, const unsigned char* bytes,
                               size_t size) noexcept
    : shape_(shape),
      entries_(EntriesOf(shape, bytes, size)),
      retrieve_(simd::ActiveKernels().ribbon_retrieve) {
  const Columns columns = shape.UnpackedColumns();
  first_.words = bytes;
  first_.fingerprint_shift = static_cast<uint8_t>(64 - columns.most());
  if (shape.layers == 0) return;
  const LayerEntry first = ReadLayerEntry(entries_, 0);
  if (first.type == LayerType::kBumped) first_ = LayerOf(first, columns, bytes);
}

// Returns whether the value has the block's fingerprint.
bool RangeRetrieval::IsOfBlock(uint64_t value, unsigned columns, uint64_t item) const noexcept {
  const uint64_t fingerprint = BlockFingerprint(item, fingerprint_bits());
  const uint64_t counts = (uint64_t{1} << columns) - 1;
  return ((value ^ fingerprint << shape_.low_bits) & counts) >> shape_.low_bits == 0;
}

// Returns whether a crowded key of the block may have low bits from `least` to `most`.
bool RangeRetrieval::AnyCrowded(uint64_t item, uint64_t least, uint64_t most) const noexcept {
  if (shape_.crowded == 0) return false;
  const uint64_t base = CrowdedBase(item, shape_);
  return EliasFanoReader(shape_.CrowdedShape(), Crowded()).AnyWithin(base + least, base + most);
}

bool RangeRetrieval::AnyBetween(uint64_t hash, uint64_t least, uint64_t most) const noexcept {
  const uint64_t in_block = shape_.Escape();
  const uint64_t last = most >> shape_.low_bits;
  uint64_t block = least >> shape_.low_bits;
  if (last - block > uint64_t{1} << fingerprint_bits()) return true;
  uint64_t low = least & in_block;
  for (; block != last; ++block) {
    if (BlockHas(BlockItem(hash, block), low, in_block)) return true;
    low = 0;
  }
  return BlockHas(BlockItem(hash, block), low, most & in_block);
}

void RangeRetrieval::HasEach(const uint64_t* hashes, const uint64_t* positions, size_t n,
                             bool* results) const noexcept {
  uint64_t items[kMostAtOnce];
  for (size_t i = 0; i < n; ++i) {
    items[i] = BlockItem(hashes[i], positions[i] >> shape_.low_bits);
  }
  uint32_t values[kMostAtOnce];
  unsigned columns[kMostAtOnce];
  const bool has_first = first_.thresholds != nullptr;
  if (has_first) simd::ActiveKernels().ribbon_retrieve_many(first_, items, n, values, columns);
  for (size_t i = 0; i < n; ++i) {
    const uint64_t low = positions[i] & shape_.Escape();
    results[i] = has_first && !IsBumped(items[i])
                     ? IsValueWithin(values[i], columns[i], items[i], low, low)
                     : AnyLayerHas(items[i], items[i], low, low);
  }
}

// Looks up an item in all layers and the list. Rarely needed, since the first layer bumps one block
// in twenty.
bool RangeRetrieval::AnyLayerHas(uint64_t item, uint64_t first_item, uint64_t least,
                                 uint64_t most) const noexcept {
  const Columns columns = shape_.UnpackedColumns();
  const unsigned char* bytes = first_.words;
  for (unsigned i = 0; i < shape_.layers; ++i) {
    const LayerEntry entry = ReadLayerEntry(entries_, i);
    const simd::RibbonLayer layer = LayerOf(entry, columns, bytes);
    if (entry.type == LayerType::kSmall ||
        !formulas::IsBumped(layer.thresholds, StartPosition(item, layer.starts))) {
      unsigned in_block;
      const uint32_t value = retrieve_(layer, item, &in_block);
      return IsValueWithin(value, in_block, first_item, least, most);
    }
    bytes += LayerBytes(entry, columns);
    item = formulas::NextLayerItem(item);
  }
  // The list is behind the layers, and ascending; several items may have one hash.
  const unsigned char* const list = bytes;
  const uint64_t listed = static_cast<uint64_t>(Crowded() - list) / kListedItemBytes;
  uint64_t begin = 0;
  for (uint64_t n = listed; n != 0;) {
    const uint64_t half = n / 2;
    if (LoadLittle64(list + kListedItemBytes * (begin + half)) < item) {
      begin += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  for (; begin < listed; ++begin) {
    const uint64_t found = LoadLittle64(list + kListedItemBytes * begin);
    if (formulas::HashOfItem(found) != item) return false;
    if (IsValueWithin(found & formulas::kItemValue, columns.most(), first_item, least, most)) {
      return true;
    }
  }
  return false;
}

}  // namespace winnow::core
