#include "src/core/ranges/range_retrieval_builder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/core/ranges/range_format.h"
#include "src/core/ribbon_build.h"
#include "src/core/sizing.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

// Value of one more low bit, in bits per key: ranges touch half as many blocks.
constexpr double kLowBitIsWorth = 0.03;

// Minimum range_bits, below which the fingerprint and the low bits have no room.
constexpr double kLeastRetrievedBits = 6;

}  // namespace

Columns RetrievalColumns(double range_bits) noexcept {
  if (range_bits < kLeastRetrievedBits || range_bits > simd::kRibbonMaxColumns) return {};
  return RibbonColumns(std::exp2(-range_bits));
}

uint64_t UsualPositionsBytes(uint64_t n, double range_bits) noexcept {
  if (n == 0) return 0;
  const uint64_t stored = StoredShapeOf(n, range_bits).Bytes();
  const Columns columns = RetrievalColumns(range_bits);
  if (columns.whole == 0) return stored;
  return std::min(stored, EstimateRibbonBytes(n, ColumnsRate(columns)) + kRetrievalPadding);
}

void RetrievalCounts::End(unsigned behind) noexcept {
  const unsigned nearer = std::min(before_, behind);
  ++by_before_[before_];
  ++by_nearer_[nearer];
  const auto ones = static_cast<unsigned>(__builtin_ctzll(~position_ | uint64_t{1} << 63));
  if (ones < kLeastLowBits) return;
  for (unsigned bits = kLeastLowBits; bits <= std::min(ones, simd::kRibbonMaxColumns); ++bits) {
    escapes_[bits] += bits < nearer ? 1 : 0;
  }
}

void RetrievalCounts::Add(const uint64_t* positions, const uint64_t* hashes, size_t n) noexcept {
  for (size_t i = 0; i < n; ++i) {
    unsigned apart = kApart;
    if (keys_ != 0) {
      const uint64_t differing = positions[i] ^ position_;
      if (hashes[i] == hash_) {
        apart = differing == 0 ? 0 : kBits - static_cast<unsigned>(__builtin_clzll(differing));
      }
      End(apart);
    }
    before_ = apart;
    position_ = positions[i];
    hash_ = hashes[i];
    ++keys_;
  }
}

void RetrievalCounts::Finish() noexcept {
  if (keys_ != 0) End(kApart);
}

RetrievalShape RetrievalCounts::Best(Columns columns, uint64_t* bytes) const noexcept {
  RetrievalShape best;
  double least = 0;
  uint64_t blocks = keys_;
  uint64_t crowded = 0;
  for (unsigned bits = 0; bits <= columns.whole; ++bits) {
    blocks -= by_before_[bits];
    crowded += by_nearer_[bits];
    if (bits < kLeastLowBits || bits + kMostFingerprintBits < columns.whole) continue;
    RetrievalShape shape;
    shape.low_bits = static_cast<uint8_t>(bits);
    shape.columns = PackColumns(columns);
    shape.crowded = static_cast<uint32_t>(crowded + escapes_[bits]);
    const uint64_t takes = EstimateRibbonBytes(blocks, ColumnsRate(columns)) +
                           shape.CrowdedBytes() + kRetrievalPadding;
    const double worth =
        8 * static_cast<double>(takes) - kLowBitIsWorth * bits * static_cast<double>(keys_);
    if (best.low_bits != 0 && worth > least) continue;
    least = worth;
    best = shape;
    *bytes = takes;
  }
  return best;
}

RetrievalBuilder::RetrievalBuilder(const RetrievalShape& shape, HashChunkPool* pool)
    : shape_(shape), pool_(pool) {
  if (shape.crowded != 0) crowded_ = std::make_unique<RangeSorter>(shape.CrowdedShape(), pool);
}

void RetrievalBuilder::Add(const uint64_t* positions, const uint64_t* hashes, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint64_t block = positions[i] >> shape_.low_bits;
    const uint64_t low = positions[i] & shape_.Escape();
    if (in_block_ != 0 && block == block_ && hashes[i] == hash_) {
      if (in_block_++ == 1) AddCrowded(low_);
      AddCrowded(low);
      continue;
    }
    EndBlock();
    block_ = block;
    hash_ = hashes[i];
    item_ = BlockItem(hash_, block_);
    low_ = low;
    in_block_ = 1;
  }
}

void RetrievalBuilder::EndBlock() {
  if (in_block_ == 0) return;
  if (in_block_ == 1 && low_ == shape_.Escape()) AddCrowded(low_);
  const uint64_t low = in_block_ == 1 ? low_ : shape_.Escape();
  const uint64_t fingerprint = BlockFingerprint(item_, shape_.FingerprintBits());
  pool_->Add(&items_, item_ | fingerprint << shape_.low_bits | low);
}

void RetrievalBuilder::AddCrowded(uint64_t low) {
  const uint64_t number = CrowdedBase(item_, shape_) + low;
  crowded_->Add(&number, 1);
  ++crowded_added_;
}

bool RetrievalBuilder::Finish(Payload* payload, RetrievalShape* shape) {
  EndBlock();
  if (crowded_added_ != shape_.crowded) return false;
  std::vector<LayerEntry> entries;
  const Columns columns = shape_.UnpackedColumns();
  std::vector<uint64_t> listed = BuildRetrieval(items_, columns, pool_, payload, &entries);
  std::sort(listed.begin(), listed.end());
  unsigned char* const list = payload->Append(listed.size() * kListedItemBytes);
  for (size_t i = 0; i < listed.size(); ++i) {
    formulas::StoreLittle64(list + kListedItemBytes * i, listed[i]);
  }
  if (crowded_ != nullptr) {
    EliasFanoWriter writer(shape_.CrowdedShape(), payload->Append(shape_.CrowdedBytes()));
    crowded_->Drain([&](const uint64_t* numbers, size_t n) { writer.Add(numbers, n); });
    writer.Finish();
  }
  payload->Append(kRetrievalPadding);
  unsigned char* entry = payload->Append(entries.size() * kEntryBytes);
  for (const LayerEntry& layer : entries) {
    WriteLayerEntry(layer, entry);
    entry += kEntryBytes;
  }
  shape_.layers = static_cast<uint8_t>(entries.size());
  *shape = shape_;
  return true;
}

}  // namespace winnow::core
