#include "winnow/builder.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "src/core/bloom.h"
#include "src/core/build_phases.h"
#include "src/core/format.h"
#include "src/core/level_plan.h"
#include "src/core/payload.h"
#include "src/core/ribbon_build.h"
#include "src/core/ribbon_tables.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"

namespace winnow {

struct FilterBuilder::State {
  FilterOptions options;  // as core::ForBuilding gives them
  uint8_t plan;           // as core::PackPlan gives it
  core::HashBlocks hashes;
  uint64_t last = 0;          // valid if there are hashes
  bool lacks_hashes = false;  // memory was short: a filter of the others would deny some keys

  // Calls change(), which may throw, and remembers if it did.
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

// The filter of these hashes.
FilterBlock Build(core::HashBlocks hashes, const FilterOptions& options, uint8_t level_plan) {
  const core::BuildPhaseScope whole(core::BuildPhase::kRest);
  const uint64_t n = hashes.size();
  const core::FilterPlan plan = core::PlanFilter(n, options);

  core::Tail tail;
  tail.num_hashes = n;
  tail.kind = plan.kind;
  tail.level = options.level;
  tail.target = core::PackRate(plan.target_rate);
  tail.plan = level_plan;

  const size_t most_overhead = core::kTailBytes + core::kMaxEntries * core::kEntryBytes;
  const uint64_t expected = core::EstimateBytes(n, options);
  // Of a Ribbon's size only the later layers are uncertain. Random hashes keep within this.
  const uint64_t uncertain = plan.kind == FilterKind::kRibbon ? expected / 200 + 256 : 0;
  core::Payload payload(expected + uncertain + most_overhead,
                        plan.kind == FilterKind::kBloom ? simd::kBloomBlockBytes : 1);
  std::vector<core::LayerEntry> layers;
  if (plan.kind == FilterKind::kBloom) {
    layers.push_back({core::LayerType::kBloom, static_cast<uint8_t>(plan.probes), plan.blocks});
    unsigned char* blocks = payload.Append(core::LayerBytes(layers[0], {}));
    hashes.ForEach([&](const uint64_t* values, size_t count) {
      simd::ActiveKernels().bloom_add(blocks, plan.blocks, core::BloomWordSets(plan.probes), values,
                                      count);
    });
  } else if (plan.kind == FilterKind::kRibbon) {
    tail.columns = core::PackColumns(plan.columns);
    layers = core::BuildRibbon(std::move(hashes), plan.columns, core::ColumnsRate(plan.columns),
                               &payload);
  }
  tail.entries = static_cast<uint8_t>(layers.size());

  const size_t payload_size = payload.size();
  payload.Append(layers.size() * core::kEntryBytes + core::kTailBytes);
  FilterBlock block;
  block.size = core::WriteDirectoryAndTail(payload.data(), payload_size, layers.data(), tail);
  block.data = payload.Release();
  return block;
}

uint8_t PlanOf(const FilterOptions& options) noexcept {
  return core::PackPlan(core::NearestValid(options));
}

}  // namespace

FilterBuilder::FilterBuilder(const FilterOptions& options)
    : state_(new State{core::ForBuilding(options), PlanOf(options), {}, 0, false}) {}
FilterBuilder::~FilterBuilder() = default;
FilterBuilder::FilterBuilder(FilterBuilder&&) noexcept = default;
FilterBuilder& FilterBuilder::operator=(FilterBuilder&&) noexcept = default;

void FilterBuilder::SetOptions(const FilterOptions& options) noexcept {
  state_->options = core::ForBuilding(options);
  state_->plan = PlanOf(options);
}

void FilterBuilder::Add(KeyHash hash) {
  State& state = *state_;
  if (hash.value == state.last && state.hashes.size() != 0) return;
  state.Try([&] { state.hashes.Add(hash.value); });
  state.last = hash.value;
}

void FilterBuilder::Add(const KeyHash* hashes, size_t n) {
  if (n == 0) return;
  Add(hashes[0]);
  State& state = *state_;
  // Repeats are rare: looked for all at once.
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

uint64_t FilterBuilder::num_hashes() const noexcept { return state_->hashes.size(); }

size_t FilterBuilder::EstimateSize(uint64_t n) const noexcept {
  return core::EstimateBytes(n, state_->options);
}

uint64_t FilterBuilder::EstimateCapacity(size_t bytes) const noexcept {
  // The estimate grows with n on both sides of the step from Bloom to the smaller Ribbon, but for
  // dips of some bytes where a Ribbon's slots are rounded: then what fits is a little less than
  // most.
  const uint64_t step = std::max<uint64_t>(1, state_->options.ribbon_min_keys);
  uint64_t low = 1;
  uint64_t high = core::kMaxRibbonKeys;
  if (EstimateSize(step) <= bytes) {
    low = step;
  } else {
    high = std::min(high, step);
  }
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (EstimateSize(middle) <= bytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

FilterBlock FilterBuilder::Finish() {
  if (state_->lacks_hashes) throw std::bad_alloc();
  FilterBlock block;
  state_->Try([&] { block = Build(std::move(state_->hashes), state_->options, state_->plan); });
  return block;
}

static_assert(core::kMostKeptBytes + core::kMostTableBytes <= FilterBuilder::kMostThreadMemory);

size_t FilterBuilder::ThreadMemory() noexcept {
  return core::KeptHashBlockBytes() + core::KeptTableBytes();
}

void FilterBuilder::FreeThreadMemory() noexcept {
  core::FreeKeptHashBlocks();
  core::FreeKeptTables();
}

}  // namespace winnow
