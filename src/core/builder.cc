#include "winnow/builder.h"

#include <cassert>
#include <cmath>
#include <new>
#include <utility>
#include <vector>

#include "src/core/bloom.h"
#include "src/core/build_phases.h"
#include "src/core/format.h"
#include "src/core/level_plan.h"
#include "src/core/options.h"
#include "src/core/payload.h"
#include "src/core/ribbon_build.h"
#include "src/core/ribbon_tables.h"
#include "src/core/sizing.h"
#include "src/core/struct_size.h"
#include "src/simd/kernels.h"

namespace winnow {

struct FilterBuilder::State {
  FilterOptions options;  // result of core::ForBuilding
  uint8_t plan;           // result of core::PackPlan
  core::HashBlocks hashes;
  uint64_t last = 0;          // valid if there are hashes
  bool lacks_hashes = false;  // ran out of memory: a filter would deny some keys

  explicit State(const FilterOptions& asked) noexcept { SetOptions(asked); }
  State(State&& other) noexcept
      : options(other.options),
        plan(other.plan),
        hashes(std::move(other.hashes)),
        last(other.last),
        lacks_hashes(std::exchange(other.lacks_hashes, false)) {}

  void SetOptions(const FilterOptions& asked) noexcept {
    assert(!HasMistakes(asked));
    options = core::ForBuilding(asked);
    plan = core::PackPlan(core::NearestValid(asked));
  }

  // Returns true if some value can't be intended by a caller.
  static bool HasMistakes(const FilterOptions& asked) noexcept {
    return asked.kind == FilterKind::kEmpty || std::isnan(asked.bits_per_key) ||
           std::isnan(asked.level_size_ratio) || std::isnan(asked.absent_share) ||
           std::isnan(asked.levels_below);
  }

  // Calls change(), which may throw, and records a failure.
  template <typename Change>
  void Try(Change change) {
    try {
      change();
    } catch (...) {
      lacks_hashes = true;
      throw;
    }
  }
};

namespace {

// The caller's buffer; empty if there is none.
struct Room {
  char* begin = nullptr;
  size_t size = 0;
};

// Returns an empty payload for a filter of this kind. `expected` is the estimated size of the
// filter.
core::Payload PayloadFor(FilterKind kind, uint64_t expected, Room room) {
  const size_t most_overhead = core::kTailBytes + core::kMaxEntries * core::kEntryBytes;
  uint64_t capacity = expected + most_overhead;
  size_t alignment = 1;
  switch (kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:  // the estimate is exact
      capacity = expected;
      alignment = simd::kBloomBlockBytes;
      break;
    case FilterKind::kRibbon:  // later layers are uncertain; random hashes stay within this
      capacity += expected / 200 + 256;
      break;
  }
  return core::Payload(capacity, alignment, room.begin, room.size);
}

// Builds the only layer of a Bloom filter.
core::LayerEntry BuildBloom(const core::HashBlocks& hashes, const core::FilterPlan& plan,
                            core::Payload* payload) {
  const core::LayerEntry layer{core::LayerType::kBloom, static_cast<uint8_t>(plan.probes),
                               plan.blocks};
  unsigned char* blocks = payload->Append(core::LayerBytes(layer, {}));
  hashes.ForEach([&](const uint64_t* values, size_t count) {
    simd::ActiveKernels().bloom_add(blocks, plan.blocks, core::BloomWordSets(plan.probes), values,
                                    count);
  });
  return layer;
}

// Builds the filter of these hashes, in `room` if it fits.
PlacedBlock Build(core::HashBlocks hashes, const FilterOptions& options, uint8_t level_plan,
                  Room room) {
  const core::BuildPhaseScope whole(core::BuildPhase::kRest);
  const uint64_t n = hashes.size();
  const core::FilterPlan plan = core::PlanFilter(n, options);

  core::Tail tail;
  tail.num_hashes = n;
  tail.kind = plan.kind;
  tail.level = options.level;
  tail.target = core::PackRate(plan.target_rate);
  tail.plan = level_plan;

  core::Payload payload = PayloadFor(plan.kind, core::EstimateBytes(n, options), room);
  std::vector<core::LayerEntry> layers;
  switch (plan.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      layers.push_back(BuildBloom(hashes, plan, &payload));
      break;
    case FilterKind::kRibbon:
      tail.columns = core::PackColumns(plan.columns);
      layers = core::BuildRibbon(std::move(hashes), plan.columns, core::ColumnsRate(plan.columns),
                                 &payload);
      break;
  }
  tail.entries = static_cast<uint8_t>(layers.size());

  const size_t payload_size = payload.size();
  payload.Append(layers.size() * core::kEntryBytes + core::kTailBytes);
  const size_t size =
      core::WriteDirectoryAndTail(payload.data(), payload_size, layers.data(), tail);
  PlacedBlock block;
  block.overflow = payload.Release();
  block.bytes = {block.overflow != nullptr ? block.overflow.get() : room.begin, size};
  return block;
}

}  // namespace

FilterBuilder::State& FilterBuilder::state() noexcept {
  static_assert(sizeof(State) <= sizeof state_ && alignof(State) <= 8);
  return *std::launder(reinterpret_cast<State*>(state_));
}

const FilterBuilder::State& FilterBuilder::state() const noexcept {
  return *std::launder(reinterpret_cast<const State*>(state_));
}

FilterBuilder::FilterBuilder(const FilterOptions* options, size_t size) noexcept {
  new (state_) State(core::OfCaller(options, size));
}

FilterBuilder::~FilterBuilder() { state().~State(); }

FilterBuilder::FilterBuilder(FilterBuilder&& other) noexcept {
  new (state_) State(std::move(other.state()));
}

FilterBuilder& FilterBuilder::operator=(FilterBuilder&& other) noexcept {
  if (this != &other) {
    state().~State();
    new (state_) State(std::move(other.state()));
  }
  return *this;
}

void FilterBuilder::SetOptions(const FilterOptions* options, size_t size) noexcept {
  state().SetOptions(core::OfCaller(options, size));
}

void FilterBuilder::Add(KeyHash hash) {
  State& state = this->state();
  if (hash.value == state.last && state.hashes.size() != 0) return;
  state.Try([&] { state.hashes.Add(hash.value); });
  state.last = hash.value;
}

void FilterBuilder::Add(const KeyHash* hashes, size_t n) {
  if (n == 0) return;
  Add(hashes[0]);
  State& state = this->state();
  // Repeats are rare, so they are searched for without a branch per hash.
  unsigned repeats = 0;
  for (size_t i = 1; i < n; ++i) repeats |= hashes[i] == hashes[i - 1] ? 1u : 0u;
  state.Try([&] {
    if (repeats == 0) {
      state.hashes.Add(hashes + 1, n - 1);
      return;
    }
    for (size_t i = 1; i < n; ++i) {
      if (hashes[i] != hashes[i - 1]) state.hashes.Add(hashes[i].value);
    }
  });
  state.last = hashes[n - 1].value;
}

uint64_t FilterBuilder::num_hashes() const noexcept { return state().hashes.size(); }

size_t FilterBuilder::EstimateSize(uint64_t n) const noexcept {
  return core::EstimateBytes(n, state().options);
}

uint64_t FilterBuilder::EstimateCapacity(size_t bytes) const noexcept {
  return core::MostHashesIn(bytes, state().options);
}

void FilterBuilder::Clear() noexcept {
  state().hashes = core::HashBlocks();
  state().lacks_hashes = false;
}

FilterBlock FilterBuilder::Finish() {
  PlacedBlock placed = Finish(nullptr, 0);
  return {std::move(placed.overflow), placed.bytes.size()};
}

PlacedBlock FilterBuilder::Finish(char* buffer, size_t capacity) {
  State& state = this->state();
  if (state.lacks_hashes) throw std::bad_alloc();
  PlacedBlock block;
  state.Try([&] {
    block = Build(std::move(state.hashes), state.options, state.plan, {buffer, capacity});
  });
  return block;
}

static_assert(core::kMaxKeptBytes + core::kMaxTableBytes <= FilterBuilder::kMostThreadMemory);

size_t FilterBuilder::ThreadMemory() noexcept {
  return core::KeptHashBlockBytes() + core::KeptTableBytes();
}

void FilterBuilder::FreeThreadMemory() noexcept {
  core::FreeKeptHashBlocks();
  core::FreeKeptTables();
}

}  // namespace winnow
