// A Ribbon stores for each key a fingerprint as the solution of a linear system over GF(2). A key's
// equation says: of the slots from its start position on, those that its coefficient names, added
// up, give its fingerprint. The matrix is a band of width 48, so that elimination only ever looks
// at the next 48 slots.
//
// Elimination keeps at most one row in each slot, whose lowest coefficient bit belongs to that
// slot. A new row goes to its start; where it meets a row, the two are added, which clears the
// lowest bit, and the sum moves right to its new lowest bit, until a slot is empty. A row whose
// coefficient vanishes says either nothing (fingerprint 0: an equal key was there) or a
// contradiction.
//
// With fewer slots than keys some rows must contradict. Buckets of 128 start positions are taken
// from left to right, and in each bucket the positions farthest right first (class 0), because the
// slots to the right are still empty. When a class meets a contradiction, all its rows are taken
// out again, it and the rest of its bucket are bumped to the next layer, and the bucket's threshold
// says so. Which slots are filled does not depend on the order of the rows within a class, since
// the lowest bits of an echelon form are a property of the space that the rows span.
//
// Back substitution then fixes the slots from right to left; free slots are 0.

#include "src/core/ribbon_build.h"

#include <algorithm>

#include "src/core/bloom.h"
#include "src/core/bytes.h"
#include "src/core/ribbon.h"
#include "src/core/sizing.h"

namespace winnow::core {
namespace {

using simd::kRibbonBucketSlots;
using simd::kRibbonWidth;

constexpr unsigned kClasses = 3;
constexpr uint64_t kCoefficientMask = (uint64_t{1} << kRibbonWidth) - 1;

// A row: the coefficient in the low 48 bits, the fingerprint in the high 16. 0: none.
uint64_t MakeRow(uint64_t hash, unsigned fingerprint_bits) {
  return Coefficient(hash) | Fingerprint(hash, fingerprint_bits) << kRibbonWidth;
}

// Moves a row right from `slot` to the first empty one and leaves it there. False for a
// contradiction. *filled is the slot, or kNoSlot for a row that says nothing new.
constexpr uint32_t kNoSlot = UINT32_MAX;
bool InsertRow(uint64_t* rows, uint32_t slot, uint64_t row, uint32_t* filled) {
  while (rows[slot] != 0) {
    row ^= rows[slot];
    const uint64_t coefficient = row & kCoefficientMask;
    if (coefficient == 0) {
      *filled = kNoSlot;
      return row == 0;
    }
    const auto distance = static_cast<unsigned>(__builtin_ctzll(coefficient));
    slot += distance;
    row = (row & ~kCoefficientMask) | coefficient >> distance;
  }
  rows[slot] = row;
  *filled = slot;
  return true;
}

// Solves for the slots of `rows` and writes blocks of columns: those of `first_block` and after
// have the number of columns that the layout gives.
class BackSubstitution {
 public:
  BackSubstitution(unsigned char* words, Columns columns, uint64_t split)
      : words_(words), columns_(columns), split_(split) {}

  void Solve(const uint64_t* rows, uint64_t first_block, uint64_t num_blocks) const {
    uint64_t window[simd::kRibbonMaxColumns] = {};  // bit i: the solution of the slot + i
    const unsigned most = columns_.most();
    for (uint64_t block = num_blocks; block-- > 0;) {
      for (unsigned i = 64; i-- > 0;) {
        const uint64_t row = rows[block * 64 + i];
        const uint64_t others = row & kCoefficientMask & ~uint64_t{1};
        const uint64_t fingerprint = row >> kRibbonWidth;
        for (unsigned column = 0; column < most; ++column) {
          const uint64_t shifted = window[column] << 1;
          const uint64_t bit = static_cast<uint64_t>(__builtin_parityll(shifted & others)) ^
                               (fingerprint >> column & 1);
          window[column] = shifted | bit;
        }
      }
      Write(first_block + block, window);
    }
  }

 private:
  void Write(uint64_t block, const uint64_t* window) const {
    const uint64_t wide_before = block > split_ ? block - split_ : 0;
    const unsigned columns = columns_.whole + (block >= split_ ? 1 : 0);
    unsigned char* out = words_ + 8 * (block * columns_.whole + wide_before);
    for (unsigned column = 0; column < columns; ++column) {
      StoreLittle64(out + 8 * column, window[column]);
    }
  }

  unsigned char* words_;
  Columns columns_;
  uint64_t split_;
};

// Builds one bumped layer, one sub-shard after the other.
class BumpedLayerBuilder {
 public:
  BumpedLayerBuilder(BumpedShape shape, Columns columns, unsigned char* out)
      : shape_(shape),
        layout_(LayOut(shape.shard_bits, shape.buckets, columns)),
        columns_(columns),
        out_(out),
        thresholds_(out + layout_.words_bytes),
        rows_((uint64_t{shape.buckets} * 2 + 1) * 64) {}

  // Takes the hashes in any order; appends the bumped ones, as the next layer knows them.
  void Build(const std::vector<uint64_t>& hashes, std::vector<uint64_t>* bumped) {
    const size_t shards = size_t{1} << shape_.shard_bits;
    const size_t groups = shards * shape_.buckets * kClasses;
    std::vector<uint64_t> ends(groups, 0);
    for (const uint64_t hash : hashes) ++ends[GroupOf(hash)];
    uint64_t sum = 0;
    for (uint64_t& end : ends) {
      const uint64_t count = end;
      end = sum;
      sum += count;
    }
    std::vector<uint64_t> sorted(hashes.size());
    for (const uint64_t hash : hashes) sorted[ends[GroupOf(hash)]++] = hash;

    const uint64_t* begin = sorted.data();
    for (size_t shard = 0; shard < shards; ++shard) {
      std::fill(rows_.begin(), rows_.end(), 0);
      const uint64_t* shard_ends = ends.data() + shard * shape_.buckets * kClasses;
      for (uint32_t bucket = 0; bucket < shape_.buckets; ++bucket) {
        const uint64_t* bucket_ends = shard_ends + size_t{bucket} * kClasses;
        const uint64_t* end = sorted.data() + bucket_ends[kClasses - 1];
        unsigned threshold = 0;
        while (threshold < kClasses) {
          const uint64_t* class_end = sorted.data() + bucket_ends[threshold];
          if (!InsertClass(begin, class_end)) break;
          begin = class_end;
          ++threshold;
        }
        SetThreshold(shard * shape_.buckets + bucket, threshold);
        for (; begin != end; ++begin) bumped->push_back(NextLayerHash(*begin));
      }
      const uint64_t shard_blocks = uint64_t{shape_.buckets} * 2 + 1;
      BackSubstitution(out_, columns_, layout_.split)
          .Solve(rows_.data(), shard * shard_blocks, shard_blocks);
    }
  }

 private:
  // Classes of a bucket in the order in which they are inserted.
  size_t GroupOf(uint64_t hash) const {
    const uint32_t start = StartPosition(hash, static_cast<uint32_t>(layout_.starts));
    const uint32_t offset = start % kRibbonBucketSlots;
    const unsigned bump_class = (offset < simd::kRibbonClass1Slots ? 1u : 0u) +
                                (offset < simd::kRibbonClass2Slots ? 1u : 0u);
    return size_t{start / kRibbonBucketSlots} * kClasses + bump_class;
  }

  // All rows of a class, or none.
  bool InsertClass(const uint64_t* begin, const uint64_t* end) {
    filled_.clear();
    const uint32_t shard_starts = shape_.buckets * kRibbonBucketSlots;
    for (; begin != end; ++begin) {
      const uint32_t start =
          StartPosition(*begin, static_cast<uint32_t>(layout_.starts)) % shard_starts;
      uint32_t slot;
      if (!InsertRow(rows_.data(), start, MakeRow(*begin, columns_.most()), &slot)) {
        for (const uint32_t undone : filled_) rows_[undone] = 0;
        return false;
      }
      if (slot != kNoSlot) filled_.push_back(slot);
    }
    return true;
  }

  void SetThreshold(size_t bucket, unsigned threshold) {
    thresholds_[bucket / 4] =
        static_cast<unsigned char>(thresholds_[bucket / 4] | threshold << (2 * (bucket % 4)));
  }

  BumpedShape shape_;
  BumpedLayout layout_;
  Columns columns_;
  unsigned char* out_;
  unsigned char* thresholds_;
  std::vector<uint64_t> rows_;  // of one sub-shard
  std::vector<uint32_t> filled_;
};

// A Ribbon without bumping, in as few blocks of 64 slots as can be solved; false when even twice
// the slots can't.
bool BuildSmall(const std::vector<uint64_t>& hashes, Columns columns, Payload* payload,
                LayerEntry* entry) {
  const auto fewest = static_cast<uint32_t>((hashes.size() + 63) / 64);
  const unsigned fingerprint_bits = columns.most();
  std::vector<uint64_t> rows;
  for (uint32_t blocks = fewest; blocks <= 2 * fewest + 2; ++blocks) {
    rows.assign(size_t{blocks} * 64, 0);
    const bool solved = std::all_of(hashes.begin(), hashes.end(), [&](uint64_t hash) {
      uint32_t slot;
      return InsertRow(rows.data(), StartPosition(hash, SmallStarts(blocks)),
                       MakeRow(hash, fingerprint_bits), &slot);
    });
    if (!solved) continue;
    *entry = {LayerType::kSmall, 0, blocks};
    const Columns whole{fingerprint_bits, 0};
    unsigned char* words = payload->Append(LayerBytes(*entry, whole));
    BackSubstitution(words, whole, blocks).Solve(rows.data(), 0, blocks);
    return true;
  }
  return false;
}

LayerEntry BuildList(const std::vector<uint64_t>& hashes, double rate, Payload* payload) {
  const unsigned bits = ListBits(hashes.size(), rate);
  std::vector<uint64_t> fingerprints;
  fingerprints.reserve(hashes.size());
  for (const uint64_t hash : hashes) fingerprints.push_back(Fingerprint(hash, bits));
  std::sort(fingerprints.begin(), fingerprints.end());
  fingerprints.erase(std::unique(fingerprints.begin(), fingerprints.end()), fingerprints.end());

  const LayerEntry entry{LayerType::kList, static_cast<uint8_t>(bits - 1),
                         static_cast<uint32_t>(fingerprints.size())};
  unsigned char* out = payload->Append(LayerBytes(entry, {}));
  for (size_t i = 0; i < fingerprints.size() * bits; ++i) {
    const uint64_t bit = fingerprints[i / bits] >> (i % bits) & 1;
    out[i / 8] = static_cast<unsigned char>(out[i / 8] | bit << (i % 8));
  }
  return entry;
}

// The layer that always works: for hashes that were made to defeat the others.
LayerEntry BuildBloomLayer(const std::vector<uint64_t>& hashes, double rate, Payload* payload) {
  double bits_per_key = kMinBitsPerKey;
  while (bits_per_key < kMaxBitsPerKey && RateForBits(bits_per_key) > rate) bits_per_key += 0.5;
  const LayerEntry entry{LayerType::kBloom, static_cast<uint8_t>(BloomProbes(bits_per_key)),
                         BloomBlocks(hashes.size(), bits_per_key)};
  unsigned char* blocks = payload->Append(LayerBytes(entry, {}));
  simd::ActiveKernels().bloom_add(blocks, entry.count, BloomPatterns(entry.parameter),
                                  hashes.data(), hashes.size());
  return entry;
}

}  // namespace

std::vector<LayerEntry> BuildRibbon(std::vector<uint64_t> hashes, Columns columns, double rate,
                                    Payload* payload) {
  std::vector<LayerEntry> entries;
  while (hashes.size() >= kMinBumpedKeys && entries.size() + 1 < kMaxLayers) {
    const BumpedShape shape = ShapeForKeys(hashes.size(), static_cast<unsigned>(entries.size()));
    const LayerEntry entry{LayerType::kBumped, static_cast<uint8_t>(shape.shard_bits),
                           shape.buckets};
    unsigned char* out = payload->Append(LayerBytes(entry, columns));
    std::vector<uint64_t> bumped;
    BumpedLayerBuilder(shape, columns, out).Build(hashes, &bumped);
    entries.push_back(entry);
    hashes = std::move(bumped);
  }
  LayerEntry last;
  if (hashes.empty()) {
    last = {LayerType::kNone, 0, 0};
  } else if (hashes.size() < kMinSmallKeys) {
    last = BuildList(hashes, rate, payload);
  } else if (hashes.size() >= kMinBumpedKeys || !BuildSmall(hashes, columns, payload, &last)) {
    last = BuildBloomLayer(hashes, rate, payload);
  }
  entries.push_back(last);
  return entries;
}

}  // namespace winnow::core
