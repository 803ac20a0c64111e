#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "db_bench_ext/filter_bench/beyond_cache.h"
#include "db_bench_ext/filter_bench/keys.h"
#include "db_bench_ext/filter_bench/rows.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/options.h"

namespace winnow::bench {
namespace {

constexpr size_t kGroup = 64;
using Group = std::array<KeyHash, kGroup>;

FilterBlock BuildOfHashes(FilterKind kind, uint64_t first, uint64_t num_keys) {
  FilterOptions options;
  options.kind = kind;
  FilterBuilder builder(options);
  Group hashes;
  for (uint64_t done = 0; done < num_keys; done += kGroup) {
    const size_t n = std::min<uint64_t>(kGroup, num_keys - done);
    for (size_t i = 0; i < n; ++i) {
      hashes[i] = KeyHash{Scatter(first + done + i)};
    }
    builder.Add(hashes.data(), n);
  }
  return builder.Finish();
}

const FilterBlock& KeptBlock(FilterKind kind, uint64_t num_keys) {
  static std::map<std::pair<FilterKind, uint64_t>, FilterBlock> kept;
  const auto [block, is_new] = kept.try_emplace({kind, num_keys});
  if (is_new) {
    block->second = BuildOfHashes(kind, 0, num_keys);
  }
  return block->second;
}

void QueryHashes(benchmark::State& state, FilterKind kind, uint64_t num_keys, Presence presence,
                 bool batched) {
  const FilterBlock& block = KeptBlock(kind, num_keys);
  const FilterView view(block.bytes());
  LookupIndices indices(num_keys, presence);
  Group hashes;
  std::array<bool, kGroup> results;
  size_t found = 0;
  for (auto iteration : state) {
    for (KeyHash& hash : hashes) {
      hash.value = Scatter(indices.Next());
    }
    if (batched) {
      view.MayContain(hashes.data(), kGroup, results.data());
    } else {
      for (size_t i = 0; i < kGroup; ++i) {
        results[i] = view.MayContain(hashes[i]);
      }
    }
    for (const bool one : results) {
      found += one;
    }
  }
  ReportLookups(state, kGroup, found);
  state.counters["filter_bytes"] = static_cast<double>(block.size);
}

void BuildHashes(benchmark::State& state, FilterKind kind, uint64_t num_keys) {
  uint64_t first = 0;
  for (auto iteration : state) {
    benchmark::DoNotOptimize(BuildOfHashes(kind, first, num_keys).data.get());
    first += num_keys;
  }
  ReportPerKey(state, num_keys);
}

void Load(benchmark::State& state, FilterKind kind, uint64_t num_keys, bool verified) {
  const FilterBlock& block = KeptBlock(kind, num_keys);
  for (auto iteration : state) {
    const FilterView view =
        verified ? FilterView::Verified(block.bytes()) : FilterView(block.bytes());
    benchmark::DoNotOptimize(view.fault());
  }
  state.counters["filter_bytes"] = static_cast<double>(block.size);
  state.counters["per_byte"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(block.size),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

void RegisterHashRows(const RowOptions& options) {
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    const uint64_t beyond = KeysBeyondCache(kind == FilterKind::kRibbon);
    for (const uint64_t keys :
         {uint64_t{10'000}, uint64_t{100'000}, uint64_t{1'000'000}, uint64_t{10'000'000}, beyond}) {
      const uint64_t n = options.KeysFor(keys);
      const std::string subject =
          absl::StrCat("winnow_", std::string(ToString(kind)), "/",
                       keys == beyond ? "beyond_cache" : absl::StrCat(keys));
      for (const Presence presence : {Presence::kHalf, Presence::kNone}) {
        for (const bool batched : {false, true}) {
          AddRow(absl::StrCat("hashes/", batched ? "batched/" : "single/", NameOf(presence), "/",
                              subject),
                 QueryHashes, kind, n, presence, batched);
        }
      }
      for (const bool verified : {false, true}) {
        AddRow(absl::StrCat("load/", verified ? "verified/" : "unverified/", subject), Load, kind,
               n, verified);
      }
      if (keys != beyond) {
        AddRow(absl::StrCat("hashes/build/", subject), BuildHashes, kind, n)
            ->Unit(keys >= 1'000'000 ? benchmark::kMillisecond : benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace winnow::bench
