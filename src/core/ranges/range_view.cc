#include <algorithm>
#include <new>
#include <variant>

#include "src/core/format.h"
#include "src/core/ranges/range_format.h"
#include "src/core/struct_size.h"
#include "winnow/range_filter.h"

namespace winnow {

namespace core {

// Stored positions, hashed in blocks.
struct StoredPositions {
  EliasFanoReader hashes;
  RangePlacing placing;
};

// Positions of a filter; empty for trees.
using Positions = std::variant<std::monostate, StoredPositions, RangeRetrieval>;

}  // namespace core

// State for lookups. If there is a fault, only the size is set; lookups in trees need only the
// bytes.
struct RangeFilterView::Kept {
  size_t size = 0;
  core::RangeDigits digits;
  core::Positions positions;

  std::string_view bytes() const noexcept { return core::BytesOf(digits.last_key, size); }
};

std::string_view ToString(RangeFilterKind kind) noexcept {
  switch (kind) {
    case RangeFilterKind::kNone:
      return "none";
    case RangeFilterKind::kPositions:
      return "positions";
    case RangeFilterKind::kTrees:
      return "trees";
    case RangeFilterKind::kRetrieval:
      return "retrieval";
  }
  return "unknown";
}

namespace {

using core::Positions;
using core::RangeNumber;
using core::StoredPositions;

// Returns whether a key may be in a range of positions behind the same hashed bytes.
bool AnyBetween(const StoredPositions& stored, uint64_t high_hash, uint64_t least,
                uint64_t most) noexcept {
  const core::RangePlacing& placing = stored.placing;
  const core::EliasFanoReader& hashes = stored.hashes;
  if (placing.is_exact) return hashes.AnyWithin(least, most);
  const uint64_t block = least >> placing.block_bits;
  const uint64_t last_block = most >> placing.block_bits;
  // More positions than a block has are more than half of all numbers.
  if (last_block - block > 1) return true;
  if (last_block != block) {
    const uint64_t middle = last_block << placing.block_bits;
    return AnyBetween(stored, high_hash, least, middle - 1) ||
           AnyBetween(stored, high_hash, middle, most);
  }
  const uint64_t base = placing.Base(high_hash, least);
  const uint64_t first = placing.InBlock(base, least);
  const uint64_t last = placing.InBlock(base, most);
  if (first <= last) return hashes.AnyWithin(first, last);
  return hashes.AnyWithin(first, placing.bound - 1) || hashes.AnyWithin(0, last);
}

bool AnyBetween(const Positions& positions, uint64_t high_hash, uint64_t least,
                uint64_t most) noexcept {
  if (const auto* retrieval = std::get_if<core::RangeRetrieval>(&positions)) {
    return retrieval->AnyBetween(high_hash, least, most);
  }
  const auto* stored = std::get_if<StoredPositions>(&positions);
  return stored == nullptr || AnyBetween(*stored, high_hash, least, most);
}

}  // namespace

const RangeFilterView::Kept& RangeFilterView::kept() const noexcept {
  return *std::launder(reinterpret_cast<const Kept*>(&state_));
}

RangeFilterView::RangeFilterView(std::string_view bytes) noexcept {
  static_assert(sizeof(Kept) <= sizeof state_ && alignof(Kept) <= alignof(State));
  static_assert(std::is_trivially_copyable_v<Kept> && std::is_trivially_destructible_v<Kept>);
  Kept& kept = *new (&state_) Kept;
  kept.size = bytes.size();
  core::ParsedRange parsed;
  fault_ = core::ParseRange(bytes, &parsed);
  if (fault_ != Fault::kNone) return;
  kept.digits = parsed.digits;
  if (parsed.header.kind == RangeFilterKind::kTrees) return;
  if (parsed.header.kind == RangeFilterKind::kRetrieval) {
    kept.positions =
        core::RangeRetrieval(parsed.header.retrieval, parsed.arrays, parsed.arrays_size);
  } else {
    kept.positions =
        StoredPositions{core::EliasFanoReader(parsed.header.shape, parsed.arrays), parsed.placing};
  }
}

RangeFilterView RangeFilterView::Verified(std::string_view bytes) noexcept {
  RangeFilterView view(bytes);
  if (view.fault_ == Fault::kNone && !view.PayloadIntact()) view.fault_ = Fault::kPayload;
  return view;
}

bool RangeFilterView::MayContain(std::string_view begin, std::string_view end) const noexcept {
  if (fault_ != Fault::kNone) return true;
  const Kept& kept = this->kept();
  if (std::holds_alternative<std::monostate>(kept.positions)) {
    const core::RangeTrees trees = core::RangeTreesOf(kept.bytes());
    return begin >= end || end > trees.last_key || trees.MayContain(begin, end);
  }
  const core::RangeDigits& digits = kept.digits;
  const size_t key_length = digits.key_length;
  uint64_t least = 0;
  uint64_t behind = 0;
  // The end is more often no possible key.
  if (digits.PositionOfBound(end, &behind) && digits.PositionOfBound(begin, &least) &&
      least < behind) {
    // A bound that is longer than keys is greater than the key that it begins with.
    least += begin.size() > key_length ? 1 : 0;
    behind += end.size() > key_length ? 1 : 0;
    return least != behind && AnyBetween(kept.positions, 0, least, behind - 1);
  }
  if (begin >= end || end > digits.LastKey()) return true;
  RangeNumber first;
  RangeNumber most;
  // The numbers exist, as the last key is not less than the bounds.
  if (!digits.LowerBound(begin, &first) || !digits.LowerBound(end, &most)) return true;
  if (!digits.Decrement(&most)) return false;
  const int order = digits.CompareHashed(first, most);
  if (order > 0 || (order == 0 && first.position > most.position)) return false;

  const uint64_t hash = digits.HashOf(first.hashed);
  if (order == 0) {
    return AnyBetween(kept.positions, hash, first.position, most.position);
  }
  // Positions restart behind the next hashed bytes. Ranges with more than two of these always pass.
  RangeNumber next = first;
  if (!digits.NextHashed(&next) || digits.CompareHashed(next, most) != 0) return true;
  return AnyBetween(kept.positions, hash, first.position, digits.most_position) ||
         AnyBetween(kept.positions, digits.HashOf(most.hashed), 0, most.position);
}

bool RangeFilterView::MayHaveKey(std::string_view key) const noexcept {
  if (fault_ != Fault::kNone) return true;
  const Kept& kept = this->kept();
  if (std::holds_alternative<std::monostate>(kept.positions)) {
    return core::RangeTreesOf(kept.bytes()).MayHaveKey(key);
  }
  uint64_t hash;
  uint64_t position;
  if (!kept.digits.PositionOf(key, &hash, &position)) return false;
  if (const auto* retrieval = std::get_if<core::RangeRetrieval>(&kept.positions)) {
    return retrieval->Has(hash, position);
  }
  const StoredPositions& stored = *std::get_if<StoredPositions>(&kept.positions);
  const core::RangePlacing& placing = stored.placing;
  return stored.hashes.Has(
      placing.is_exact ? position : placing.InBlock(placing.Base(hash, position), position));
}

void RangeFilterView::MayHaveKey(const std::string_view* keys, size_t n,
                                 bool* results) const noexcept {
  const auto* const retrieval = std::get_if<core::RangeRetrieval>(&this->kept().positions);
  if (fault_ != Fault::kNone || retrieval == nullptr) {
    for (size_t i = 0; i < n; ++i) results[i] = MayHaveKey(keys[i]);
    return;
  }
  constexpr size_t kMost = core::RangeRetrieval::kMostAtOnce;
  const core::RangeDigits digits = this->kept().digits;
  while (n != 0) {
    const size_t here = std::min(n, kMost);
    uint64_t hashes[kMost];
    uint64_t positions[kMost];
    bool found[kMost];
    size_t asked[kMost];
    size_t count = 0;
    for (size_t i = 0; i < here; ++i) {
      results[i] = false;
      if (digits.PositionOf(keys[i], &hashes[count], &positions[count])) asked[count++] = i;
    }
    retrieval->HasEach(hashes, positions, count, found);
    for (size_t i = 0; i < count; ++i) results[asked[i]] = found[i];
    keys += here;
    results += here;
    n -= here;
  }
}

bool RangeFilterView::PayloadIntact() const noexcept {
  core::ParsedRange parsed;
  const Kept& kept = this->kept();
  if (fault_ != Fault::kNone || core::ParseRange(kept.bytes(), &parsed) != Fault::kNone) {
    return false;
  }
  return core::Checksum(parsed.arrays, parsed.arrays_size) == parsed.arrays_checksum;
}

void RangeFilterView::FillInfo(RangeFilterInfo* info, size_t size) const noexcept {
  RangeFilterInfo found;
  found.size_bytes = kept().size;
  core::ParsedRange parsed;
  if (fault_ == Fault::kNone && core::ParseRange(kept().bytes(), &parsed) == Fault::kNone) {
    found.kind = parsed.header.kind;
    found.num_keys = parsed.header.shape.count;
    found.bits_per_key =
        static_cast<double>(found.size_bytes) * 8 / static_cast<double>(found.num_keys);
    found.range_bits = core::UnpackRangeBits(parsed.header.range_bits);
    const bool is_trees = parsed.header.kind == RangeFilterKind::kTrees;
    found.key_length = is_trees ? 0 : parsed.header.key_length;
    found.is_exact = !is_trees && parsed.placing.is_exact ? 1 : 0;
    found.version = core::kRangeVersion;
  }
  core::ForCaller(found, info, size);
}

}  // namespace winnow
