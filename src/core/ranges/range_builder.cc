#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "src/core/hash_chunks.h"
#include "src/core/payload.h"
#include "src/core/ranges/range_format.h"
#include "src/core/ranges/range_keys.h"
#include "src/core/ranges/range_retrieval_builder.h"
#include "src/core/ranges/range_sort.h"
#include "src/core/ranges/range_tree_builder.h"
#include "src/core/sizing.h"
#include "src/core/struct_size.h"
#include "winnow/range_filter.h"

namespace winnow {
namespace {

// Typical size and digits of keys, for estimates before there are keys.
constexpr size_t kUsualKeyBytes = 24;
constexpr size_t kUsualDigits = 8;

// Typical bytes of a digit: its place, its number of intervals, and one interval.
constexpr size_t kUsualDigitBytes = 4;

// Maximum size of trees that are worthwhile: 2 * range_bits + kMostTreeBits per key, plus
// kFewBytes.
constexpr double kMostTreeBits = 24;
constexpr double kFewBytes = 1024;

// Number of keys up to which a retrieval may take a few percent more than estimated, as its last
// layer is large relative to them.
constexpr uint64_t kFewKeys = 1 << 16;

// Room for a retrieval in addition to its keys: front, list, entries.
constexpr uint64_t kMoreBytes = 4096;

RangeFilterOptions NearestValid(RangeFilterOptions options) noexcept {
  if (std::isnan(options.range_bits)) options.range_bits = RangeFilterOptions().range_bits;
  options.range_bits =
      std::clamp<double>(options.range_bits, core::kLeastRangeBits, core::kMostRangeBits);
  if (options.kind > RangeFilterKind::kRetrieval) options.kind = RangeFilterKind::kNone;
  return options;
}

// Returns a block of size 0 if the retrieval takes more bytes than `most_bytes`; few keys are then
// still there.
FilterBlock BuildRetrieval(core::RangeKeys* keys, const core::RangeKeysFormat& format,
                           core::RangeHeader header, uint64_t expected_bytes, uint64_t most_bytes,
                           const std::string& digits) {
  const size_t front_bytes = core::RangeFrontBytes(header.key_length, header.digits_bytes);
  const std::string last_key = keys->LastKey();
  core::Payload payload(front_bytes + expected_bytes + expected_bytes / 16 + kMoreBytes);
  payload.Append(front_bytes);
  core::HashChunkPool pool;
  core::RetrievalBuilder builder(header.retrieval, &pool);
  const auto add = [&](const uint64_t* positions, const uint64_t* hashes, size_t n) {
    builder.Add(positions, hashes, n);
  };
  if (keys->size() <= kFewKeys) {
    keys->ForEachPosition(format, add);
  } else {
    keys->DrainPositions(format, &pool, add);
  }
  header.kind = RangeFilterKind::kRetrieval;
  FilterBlock block;
  if (!builder.Finish(&payload, &header.retrieval) || payload.size() > most_bytes) return block;
  core::WriteRangeFront(header, last_key, digits, payload.size() - front_bytes, payload.data());
  block.size = payload.size();
  block.data = payload.Release();
  return block;
}

FilterBlock Build(core::RangeKeys* keys, const core::RangeKeysFormat& format,
                  const RangeFilterOptions& options) {
  const double range_bits = options.range_bits;
  std::string digits;
  for (const core::RangeDigit& digit : format.digits) core::AppendDigit(digit, &digits);

  core::RangeHeader header;
  header.key_length = static_cast<uint16_t>(keys->key_length());
  header.digits = static_cast<uint16_t>(format.digits.size());
  header.hashed_bytes = static_cast<uint16_t>(format.hashed_bytes);
  header.digits_bytes = static_cast<uint16_t>(digits.size());
  header.range_bits = core::PackRangeBits(range_bits);
  header.shape = core::StoredShapeOf(keys->size(), range_bits);
  const bool has_hashed = format.hashed_bytes != 0;
  if (!has_hashed && format.most_position < header.shape.bound) {
    header.shape.bound = format.most_position + 1;
  }
  const core::RangePlacing placing =
      core::PlacingOf(header.shape, has_hashed, format.most_position);

  const core::Columns columns = core::RetrievalColumns(range_bits);
  if (options.kind != RangeFilterKind::kPositions && !placing.is_exact && columns.whole != 0) {
    core::RetrievalCounts counts;
    keys->ForEachPosition(format, [&](const uint64_t* positions, const uint64_t* hashes, size_t n) {
      counts.Add(positions, hashes, n);
    });
    counts.Finish();
    uint64_t bytes = 0;
    header.retrieval = counts.Best(columns, &bytes);
    if (bytes + bytes / 64 < header.shape.Bytes()) {
      FilterBlock block =
          BuildRetrieval(keys, format, header, bytes, core::RangeFilterBytes(header), digits);
      if (block.size != 0 || keys->size() > kFewKeys) return block;
    }
  }

  FilterBlock block;
  block.size = core::RangeFilterBytes(header);
  block.data = std::make_unique<char[]>(block.size);
  auto* const bytes = reinterpret_cast<unsigned char*>(block.data.get());
  core::EliasFanoWriter writer(
      header.shape, bytes + core::RangeFrontBytes(header.key_length, header.digits_bytes));
  core::HashChunkPool pool;
  if (placing.is_exact) {
    keys->DrainPositions(format, &pool,
                         [&](const uint64_t* positions, const uint64_t* /*hashes*/, size_t n) {
                           writer.Add(positions, n);
                         });
  } else {
    core::RangeSorter sorter(header.shape, &pool);
    keys->DrainPositions(format, &pool, [&](uint64_t* positions, const uint64_t* hashes, size_t n) {
      core::PlacePositions(placing, hashes, n, positions);
      sorter.Add(positions, n);
    });
    sorter.Drain([&](const uint64_t* places, size_t n) { writer.Add(places, n); });
  }
  writer.Finish();
  core::WriteRangeFront(header, keys->LastKey(), digits, header.shape.Bytes(), bytes);
  return block;
}

// Returns a block of size 0 if the trees are too large: long keys may have long edges everywhere.
FilterBlock Build(core::RangeTreeBuilder* trees, double range_bits) {
  trees->Finish();
  const std::string_view parts[] = {trees->entries(), trees->separators(), trees->trees()};
  const size_t behind = parts[0].size() + parts[1].size() + parts[2].size();
  const double most_bits = static_cast<double>(trees->size()) * (2 * range_bits + kMostTreeBits);
  FilterBlock block;
  if (8 * static_cast<double>(behind) > most_bits + 8 * kFewBytes || behind > UINT32_MAX ||
      trees->last_key().empty()) {
    return block;
  }
  core::RangeTreesHeader header;
  header.range_bits = core::PackRangeBits(range_bits);
  header.count = trees->size();
  header.blocks = trees->blocks();
  header.separators_bytes = trees->separators().size();
  header.shape = trees->shape();
  const size_t front = core::RangeFrontBytes(trees->last_key().size(), 0);
  block.size = front + behind;
  block.data = std::make_unique<char[]>(block.size);
  char* at = block.data.get() + front;
  for (const std::string_view part : parts) at = std::copy(part.begin(), part.end(), at);
  core::WriteRangeTreesFront(header, trees->last_key(), behind,
                             reinterpret_cast<unsigned char*>(block.data.get()));
  return block;
}

}  // namespace

struct RangeFilterBuilder::State {
  RangeFilterOptions options;
  core::RangeKeys keys;
  std::unique_ptr<core::RangeTreeBuilder> trees;  // replaces `keys` once set
  bool has_none = false;                          // these keys get no range filter

  explicit State(const RangeFilterOptions& asked) noexcept : options(NearestValid(asked)) {}
  State(State&& other) noexcept
      : options(other.options),
        keys(std::exchange(other.keys, {})),
        trees(std::move(other.trees)),
        has_none(std::exchange(other.has_none, false)) {}

  uint64_t size() const noexcept { return trees != nullptr ? trees->size() : keys.size(); }

  // Returns whether keys that could be positions are better stored as trees: they have several
  // fields, and are not so dense that positions are exact.
  bool AreBetterTrees(const core::RangeKeysFormat& format) const noexcept {
    return !IsForPositions() && keys.size() >= core::kTellingKeys &&
           core::AreOfSeveralFields(format.digits) &&
           !core::PlacingOf(core::StoredShapeOf(keys.size(), options.range_bits),
                            format.hashed_bytes != 0, format.most_position)
                .is_exact;
  }

  // Builds the filter of the keys kept.
  FilterBlock Finish() {
    if (trees == nullptr && keys.size() != 0) {
      const core::RangeKeysFormat format = keys.Format();
      if (!AreBetterTrees(format)) return Build(&keys, format, options);
      if (!BecomeTrees()) return {};
    }
    return trees == nullptr ? FilterBlock() : Build(trees.get(), options.range_bits);
  }

  // Adds a key. Returns false if these keys get no range filter.
  bool Add(std::string_view key) {
    if (trees == nullptr) {
      const bool is_alike = keys.size() == 0 ? !key.empty() && key.size() <= core::kMaxRangeKeyBytes
                                             : key.size() == keys.key_length();
      if (IsForPositions() || (is_alike && !MustBeTrees())) {
        return is_alike && keys.Add(key) && (!MustBeTrees() || BecomeTrees());
      }
      if (!BecomeTrees()) return false;
    }
    return trees->Add(key);
  }

  bool IsForPositions() const noexcept {
    return options.kind == RangeFilterKind::kPositions ||
           options.kind == RangeFilterKind::kRetrieval;
  }

  // Returns whether keys that have one length so far must be stored as trees.
  bool MustBeTrees() const noexcept {
    return options.kind == RangeFilterKind::kTrees ||
           (options.kind == RangeFilterKind::kNone &&
            (keys.differing_bytes() > RangeFilterBuilder::kMostCountedBytes || keys.has_hashed()));
  }

  bool BecomeTrees() {
    trees = std::make_unique<core::RangeTreeBuilder>(options.range_bits);
    if (!keys.ForEachKey([&](std::string_view key) { trees->Add(key); })) return false;
    keys = core::RangeKeys();
    return true;
  }

  void Clear() noexcept {
    keys = core::RangeKeys();
    trees.reset();
    has_none = false;
  }

  void GiveUp() noexcept {
    Clear();
    has_none = true;
  }
};

RangeFilterBuilder::State& RangeFilterBuilder::state() noexcept {
  static_assert(sizeof(State) <= sizeof state_ && alignof(State) <= 8);
  return *std::launder(reinterpret_cast<State*>(state_));
}

const RangeFilterBuilder::State& RangeFilterBuilder::state() const noexcept {
  return *std::launder(reinterpret_cast<const State*>(state_));
}

RangeFilterBuilder::RangeFilterBuilder(const RangeFilterOptions* options, size_t size) noexcept {
  new (state_) State(core::OfCaller(options, size));
}

RangeFilterBuilder::~RangeFilterBuilder() { state().~State(); }

RangeFilterBuilder::RangeFilterBuilder(RangeFilterBuilder&& other) noexcept {
  new (state_) State(std::move(other.state()));
}

RangeFilterBuilder& RangeFilterBuilder::operator=(RangeFilterBuilder&& other) noexcept {
  if (this != &other) {
    state().~State();
    new (state_) State(std::move(other.state()));
  }
  return *this;
}

void RangeFilterBuilder::Add(std::string_view key) noexcept {
  static_assert(kMaxKeyBytes == core::kMaxTreeKeyBytes);
  State& state = this->state();
  if (state.has_none) return;
  try {
    if (state.Add(key) && state.size() <= core::kMaxRangeKeys) return;
  } catch (const std::bad_alloc&) {
  }
  state.GiveUp();
}

void RangeFilterBuilder::Abandon() noexcept { state().GiveUp(); }

uint64_t RangeFilterBuilder::num_keys() const noexcept { return state().size(); }

RangeFilterKind RangeFilterBuilder::kind() const noexcept {
  if (state().trees != nullptr) return RangeFilterKind::kTrees;
  return state().keys.size() != 0 ? RangeFilterKind::kPositions : RangeFilterKind::kNone;
}

size_t RangeFilterBuilder::EstimateSize(uint64_t n) const noexcept {
  const State& state = this->state();
  if (n == 0 || n > core::kMaxRangeKeys || state.has_none) return 0;
  if (state.trees != nullptr) return state.trees->EstimateBytes(n);
  if (state.options.kind == RangeFilterKind::kTrees) {
    return core::RangeTreeBuilder(state.options.range_bits).EstimateBytes(n);
  }
  const bool has_keys = state.keys.size() != 0;
  const size_t digits = std::max(has_keys ? state.keys.MostDigits() : 0, kUsualDigits);
  core::RangeHeader header;
  header.key_length = static_cast<uint16_t>(has_keys ? state.keys.key_length() : kUsualKeyBytes);
  header.digits_bytes = static_cast<uint16_t>(digits * kUsualDigitBytes);
  header.shape = core::StoredShapeOf(n, state.options.range_bits);
  const size_t as_positions = core::RangeFilterBytes(header);
  if (state.IsForPositions() || !state.keys.has_gaps()) return as_positions;
  const core::RangeTreeBuilder trees(state.options.range_bits);
  return std::max(as_positions, trees.EstimateBytes(n));
}

FilterBlock RangeFilterBuilder::Finish() noexcept {
  State& state = this->state();
  FilterBlock block;
  try {
    block = state.Finish();
  } catch (const std::bad_alloc&) {
  }
  Clear();
  return block;
}

void RangeFilterBuilder::Clear() noexcept { state().Clear(); }

}  // namespace winnow
