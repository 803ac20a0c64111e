// filter_family_batches: measures the benefit of batches in filters larger than the caches.
// Compares additions that report whether a key was new, and lookups, of 64 keys at once and one by
// one, in a BlockedBloom and a ConcurrentBloom for 10^7 keys, of which a fifth were added before.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/random.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/hash.h"

namespace {

using winnow::KeyHash;
using winnow::amq::BlockedBloom;
using winnow::amq::ConcurrentBloom;

constexpr size_t kKeys = 10'000'000;
constexpr size_t kBatch = 64;
static_assert(kKeys % kBatch == 0);

const std::vector<KeyHash>& Keys() {
  static const std::vector<KeyHash> keys = [] {
    winnow::bench::Random random(1);
    std::vector<KeyHash> made(kKeys);
    for (size_t i = 0; i < kKeys; ++i) {
      made[i].value = i % 5 == 4 ? made[random() % i].value : random();
    }
    return made;
  }();
  return keys;
}

// Returns the rate 10^-argument.
double Rate(const benchmark::State& state) {
  double rate = 1;
  for (int64_t i = 0; i < state.range(0); ++i) rate /= 10;
  return rate;
}

template <typename Filter>
void AddOneByOne(benchmark::State& state) {
  Filter filter({kKeys, Rate(state)});
  for (auto _ : state) {
    uint64_t found_new = 0;
    for (const KeyHash key : Keys()) found_new += filter.Add(key);
    benchmark::DoNotOptimize(found_new);
    state.PauseTiming();
    filter.Clear();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<int64_t>(kKeys) * state.iterations());
}

template <typename Filter>
void AddBatches(benchmark::State& state) {
  Filter filter({kKeys, Rate(state)});
  bool is_new[kBatch];
  for (auto _ : state) {
    for (size_t i = 0; i < kKeys; i += kBatch) {
      filter.Add(&Keys()[i], kBatch, is_new);
      benchmark::DoNotOptimize(is_new);
    }
    state.PauseTiming();
    filter.Clear();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<int64_t>(kKeys) * state.iterations());
}

template <typename Filter>
void AskBatches(benchmark::State& state) {
  Filter filter({kKeys, Rate(state)});
  for (const KeyHash key : Keys()) filter.Add(key);
  bool found[kBatch];
  for (auto _ : state) {
    for (size_t i = 0; i < kKeys; i += kBatch) {
      filter.MayContain(&Keys()[i], kBatch, found);
      benchmark::DoNotOptimize(found);
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(kKeys) * state.iterations());
}

BENCHMARK_TEMPLATE(AddOneByOne, BlockedBloom)->Arg(3)->Arg(9)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(AddBatches, BlockedBloom)->Arg(3)->Arg(9)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(AskBatches, BlockedBloom)->Arg(3)->Arg(9)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(AddOneByOne, ConcurrentBloom)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(AddBatches, ConcurrentBloom)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(AskBatches, ConcurrentBloom)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
