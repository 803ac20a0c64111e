#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/filter_bench/beyond_cache.h"
#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

constexpr size_t kManyFilters = 100;
constexpr size_t kUsual = SIZE_MAX;  // selects UsualMisalignment()

struct Lookups {
  Subject subject;
  uint64_t num_keys;
  Presence presence;
  size_t num_filters;
  size_t misalignment;
  size_t batch = KeyGroup::kKeys;  // keys per call for one filter; divides kKeys
  size_t key_length = KeyGroup::kUsualLength;
};

std::vector<FilterBitsReader*> ReadersFor(const Lookups& lookups) {
  const FilterShape shape{lookups.num_keys, lookups.key_length};
  std::vector<FilterBitsReader*> readers;
  for (uint64_t filter = 0; filter < lookups.num_filters; ++filter) {
    const size_t misalignment =
        lookups.misalignment == kUsual ? UsualMisalignment(filter) : lookups.misalignment;
    readers.push_back(KeptFilter(lookups.subject, filter, shape, misalignment).reader());
  }
  return readers;
}

void QueryOne(benchmark::State& state, const Lookups& lookups) {
  FilterBitsReader* const reader = ReadersFor(lookups)[0];
  LookupIndices indices(lookups.num_keys, lookups.presence);
  KeyGroup keys;
  const KeySlices slices = SlicesOf(keys);
  size_t found = 0;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys.Set(i, indices.Next());
    }
    for (const Slice& key : slices) {
      found += reader->MayMatch(key);
    }
  }
  ReportLookups(state, KeyGroup::kKeys, found);
}

// A Get or, with batches, a MultiGet that asks all filters for each key.
void QueryFiles(benchmark::State& state, const Lookups& lookups) {
  const std::vector<FilterBitsReader*> readers = ReadersFor(lookups);
  LookupIndices indices(lookups.num_keys, lookups.presence);
  KeyGroup keys(lookups.key_length);
  KeySlices slices = SlicesOf(keys);
  std::array<Slice*, KeyGroup::kKeys> pointers;
  for (size_t i = 0; i < KeyGroup::kKeys; ++i) pointers[i] = &slices[i];
  std::array<bool, KeyGroup::kKeys> may_match;
  size_t found = 0;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) keys.Set(i, indices.Next());
    if (lookups.batch == 1) {
      for (const Slice& key : slices) {
        for (FilterBitsReader* const reader : readers) found += reader->MayMatch(key);
      }
      continue;
    }
    for (FilterBitsReader* const reader : readers) {
      reader->MayMatch(KeyGroup::kKeys, pointers.data(), may_match.data());
      for (const bool one : may_match) found += one;
    }
  }
  ReportLookups(state, KeyGroup::kKeys * readers.size(), found);
}

void QueryRandom(benchmark::State& state, const Lookups& lookups) {
  const std::vector<FilterBitsReader*> readers = ReadersFor(lookups);
  LookupIndices indices(lookups.num_keys, lookups.presence);
  LookupIndices choices(lookups.num_filters, Presence::kHalf);
  KeyGroup keys;
  const KeySlices slices = SlicesOf(keys);
  std::array<FilterBitsReader*, KeyGroup::kKeys> asked_readers;
  size_t found = 0;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      const uint64_t filter = choices.NextBelow(lookups.num_filters);
      asked_readers[i] = readers[filter];
      keys.Set(i, NumberOf(filter, indices.Next()));
    }
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      found += asked_readers[i]->MayMatch(slices[i]);
    }
  }
  ReportLookups(state, KeyGroup::kKeys, found);
}

void MultiGet(benchmark::State& state, const Lookups& lookups) {
  const std::vector<FilterBitsReader*> readers = ReadersFor(lookups);
  LookupIndices indices(lookups.num_keys, lookups.presence);
  LookupIndices choices(lookups.num_filters, Presence::kHalf);
  KeyGroup keys;
  KeySlices slices = SlicesOf(keys);
  std::array<Slice*, KeyGroup::kKeys> pointers;
  for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
    pointers[i] = &slices[i];
  }
  std::array<bool, KeyGroup::kKeys> may_match;
  size_t found = 0;
  std::array<FilterBitsReader*, KeyGroup::kKeys> asked_readers;  // one per batch
  for (auto iteration : state) {
    for (size_t first = 0; first < KeyGroup::kKeys; first += lookups.batch) {
      const uint64_t filter = choices.NextBelow(lookups.num_filters);
      asked_readers[first] = readers[filter];
      for (size_t i = first; i < first + lookups.batch; ++i) {
        keys.Set(i, NumberOf(filter, indices.Next()));
      }
    }
    for (size_t first = 0; first < KeyGroup::kKeys; first += lookups.batch) {
      asked_readers[first]->MayMatch(static_cast<int>(lookups.batch), pointers.data() + first,
                                     may_match.data() + first);
    }
    for (const bool one : may_match) {
      found += one;
    }
  }
  ReportLookups(state, KeyGroup::kKeys, found);
}

// Measures the generation of keys, a part of QueryOne()'s time.
void MakeKeys(benchmark::State& state, Presence presence) {
  LookupIndices indices(100'000, presence);
  KeyGroup keys;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys.Set(i, indices.Next());
    }
    benchmark::DoNotOptimize(keys.Get(0));
    benchmark::ClobberMemory();
  }
  ReportPerKey(state, KeyGroup::kKeys);
}

// Measures the creation of a reader, which occurs whenever RocksDB's block cache loads a filter:
// for a random one of many.
void MakeReaders(benchmark::State& state, const Subject& subject, uint64_t num_keys) {
  const FilterShape shape{num_keys};
  const auto policy = NewPolicy(subject, shape.bits_per_key);
  std::vector<Slice> blocks;
  for (uint64_t filter = 0; filter < kManyFilters; ++filter) {
    const std::string_view bytes =
        KeptFilter(subject, filter, shape, UsualMisalignment(filter)).bytes();
    blocks.emplace_back(bytes.data(), bytes.size());
  }
  LookupIndices choices(kManyFilters, Presence::kHalf);
  for (auto iteration : state) {
    const std::unique_ptr<FilterBitsReader> reader(
        policy->GetFilterBitsReader(blocks[choices.NextBelow(kManyFilters)]));
    benchmark::DoNotOptimize(reader.get());
  }
  ReportPerKey(state, 1);
}

using Measure = void (*)(benchmark::State&, const Lookups&);

void RegisterRow(const RowOptions& options, const std::string& what, const absl::AlphaNum& size,
                 Measure measure, Lookups lookups) {
  lookups.num_keys = options.KeysFor(lookups.num_keys);
  const std::string name =
      absl::StrCat(what, "/", NameOf(lookups.presence), "/", lookups.subject.name, "/", size);
  options.SetIterations(AddRow(name, measure, lookups));
}

}  // namespace

void RegisterReaderRows(const RowOptions& options) {
  for (const Subject& subject : Subjects()) {
    for (const uint64_t keys : {uint64_t{10'000}, uint64_t{100'000}}) {
      options.SetIterations(AddRow(absl::StrCat("readers/random_of_100/", subject.name, "/", keys),
                                   MakeReaders, subject, options.KeysFor(keys)));
    }
  }
}

void RegisterFileRows(const RowOptions& options) {
  static constexpr size_t kFiles[] = {1, 4, 7};
  static constexpr size_t kLengths[] = {16, 24, 100, 256, 512};
  for (const Subject& subject : Subjects()) {
    for (const size_t files : kFiles) {
      for (const size_t length : kLengths) {
        for (const bool is_batch : {false, true}) {
          RegisterRow(options, absl::StrCat("files/", is_batch ? "multiget_" : "get_", files),
                      absl::StrCat("keys_of_", length), QueryFiles,
                      {subject, 100'000, Presence::kNone, files, kUsual,
                       is_batch ? KeyGroup::kKeys : 1, length});
        }
      }
    }
  }
}

void RegisterQueryRows(const RowOptions& options) {
  static constexpr uint64_t kSizes[] = {10'000, 100'000, 1'000'000, 10'000'000};
  static constexpr size_t kBatches[] = {1, 2, 4, 8, 16, 32};
  static constexpr size_t kMisalignments[] = {0, 16, 32, 48};
  for (const Presence presence : {Presence::kHalf, Presence::kNone}) {
    options.SetIterations(AddRow(absl::StrCat("keys/", NameOf(presence)), MakeKeys, presence));
    for (const Subject& subject : Subjects()) {
      for (const uint64_t keys : kSizes) {
        const Lookups one{subject, keys, presence, 1, kUsual};
        RegisterRow(options, "query/hot", keys, QueryOne, one);
        RegisterRow(options, "multiget/hot", keys, MultiGet, one);
      }
      const uint64_t beyond = KeysBeyondCache(subject.is_ribbon && subject.is_ours);
      const Lookups large{subject, beyond, presence, 1, kUsual};
      RegisterRow(options, "query/hot", "beyond_cache", QueryOne, large);
      RegisterRow(options, "multiget/hot", "beyond_cache", MultiGet, large);
      const Lookups many{subject, 100'000, presence, kManyFilters, kUsual};
      RegisterRow(options, "query/random_of_100", "100000", QueryRandom, many);
      RegisterRow(options, "multiget/random_of_100", "100000", MultiGet, many);
      for (const size_t batch : kBatches) {
        const std::string what = absl::StrCat("multiget_of_", batch);
        const auto register_row = [&](const std::string& which, uint64_t keys, size_t filters) {
          RegisterRow(options, what + which, keys, MultiGet,
                      {subject, keys, presence, filters, kUsual, batch});
        };
        register_row("/hot", 100'000, 1);
        register_row("/random_of_4", 100'000, 4);
        register_row("/random_of_100", 100'000, kManyFilters);
        register_row("/random_of_100", 1'000'000, kManyFilters);
      }
      for (const size_t misalignment : kMisalignments) {
        const std::string at = absl::StrCat("query/at_", misalignment);
        RegisterRow(options, at + "_hot", "100000", QueryOne,
                    {subject, 100'000, presence, 1, misalignment});
        RegisterRow(options, at + "_random_of_100", "100000", QueryRandom,
                    {subject, 100'000, presence, kManyFilters, misalignment});
      }
    }
  }
}

}  // namespace winnow::bench
