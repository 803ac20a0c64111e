#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>

#include <cmath>
#include <memory>
#include <string>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "src/core/sizing.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

// Number of absent keys for all filters of a row. At a rate of 1 %, the relative error of the
// measured rate is then 0.2 %, 0.03 % of the bits.
constexpr uint64_t kAbsentKeys = 40'000'000;

uint64_t FiltersFor(uint64_t num_keys) {
  return num_keys >= 10'000'000 ? 1 : num_keys >= 1'000'000 ? 4 : num_keys >= 100'000 ? 20 : 100;
}

uint64_t CountFound(FilterBitsReader* reader, uint64_t filter, uint64_t num_keys,
                    uint64_t num_lookups) {
  uint64_t found = 0;
  ForKeys(filter, num_keys, num_keys + num_lookups, KeyGroup::kUsualLength,
          [&](const Slice& key) { found += reader->MayMatch(key); });
  return found;
}

void MeasureSpace(benchmark::State& state, const Subject& subject, double bits_per_key,
                  uint64_t num_keys, uint64_t num_lookups) {
  const auto policy = NewPolicy(subject, bits_per_key);
  const uint64_t filters = FiltersFor(num_keys);
  const uint64_t lookups_each = (num_lookups + filters - 1) / filters;
  uint64_t bytes = 0;
  uint64_t found = 0;
  for (auto iteration : state) {
    for (uint64_t filter = 0; filter < filters; ++filter) {
      const BuiltFilter built = BuildFilter(*policy, filter, FilterShape{num_keys});
      if (!built.status.ok()) {
        state.SkipWithError(built.status.ToString().c_str());
        return;
      }
      const std::unique_ptr<FilterBitsReader> reader(policy->GetFilterBitsReader(built.contents));
      bytes += built.contents.size();
      found += CountFound(reader.get(), filter, num_keys, lookups_each);
    }
  }
  const double bits = static_cast<double>(bytes) * 8 /
                      (static_cast<double>(filters) * static_cast<double>(num_keys));
  const double rate = static_cast<double>(found) / static_cast<double>(filters * lookups_each);
  state.counters["bits_per_key"] = bits;
  state.counters["measured_rate"] = rate;
  state.counters["percent_over_minimum"] = (bits / -std::log2(rate) - 1) * 100;
  state.counters["absent_keys"] = static_cast<double>(filters * lookups_each);
}

void RegisterRow(const RowOptions& options, const std::string& rate, const Subject& subject,
                 double bits_per_key, uint64_t keys) {
  const std::string name = "space/" + rate + "/" + subject.name + "/" + std::to_string(keys);
  AddRow(name, MeasureSpace, subject, bits_per_key, options.KeysFor(keys),
         options.KeysFor(kAbsentKeys))
      ->Iterations(1)
      ->Repetitions(1)  // repetitions give equal results
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void RegisterSpaceRows(const RowOptions& options) {
  static constexpr uint64_t kSizes[] = {10'000, 100'000, 1'000'000, 10'000'000};
  for (const uint64_t keys : kSizes) {
    for (const Subject& subject : Subjects()) {
      RegisterRow(options, "10_bits", subject, 10, keys);
    }
    RegisterRow(options, "7_columns", *FindSubject("winnow_ribbon"), core::BitsForRate(1.0 / 128),
                keys);
  }
}

}  // namespace winnow::bench
