#include "winnow/filter_set.h"

#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

enum class Kinds { kBloom, kRibbon, kHalfOfEach };
enum class Storage { kCopies, kViews };

struct Segments {
  Kinds kinds;
  uint64_t count;
  uint64_t num_keys;  // of the middle segment
};

// Sizes differ: equal ones lie at equal distances, which a prefetcher learns.
const ReadableFilter& FilterOf(const Subject& subject, const Segments& segments, uint64_t i) {
  const FilterShape shape{segments.num_keys * (90 + ReduceTo(Scatter(i), 21)) / 100};
  return KeptFilter(subject, i, shape, UsualMisalignment(i));
}

FilterSet SetOf(const Segments& segments, Storage storage) {
  FilterSetEdit edit;
  for (uint64_t i = 0; i < segments.count; ++i) {
    const bool is_ribbon =
        segments.kinds == Kinds::kRibbon || (segments.kinds == Kinds::kHalfOfEach && i % 2 == 1);
    const Subject& subject = *FindSubject(is_ribbon ? "winnow_ribbon" : "winnow_bloom");
    const std::string_view block = FilterOf(subject, segments, i).bytes();
    if (storage == Storage::kCopies) {
      edit.InsertCopy(i, i, block);
    } else {
      edit.InsertView(i, i, block);
    }
  }
  return edit.Build();
}

// Keys that no segment has, a group of them at a time.
class AbsentKeys {
 public:
  explicit AbsentKeys(const Segments& segments) : number_(NumberOf(segments.count, 0)) {}

  void MakeNext() {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys_.Set(i, ++number_);
    }
  }
  std::string_view Get(size_t i) const { return {keys_.Get(i), keys_.length()}; }

 private:
  KeyGroup keys_;
  uint64_t number_;
};

void Report(benchmark::State& state, const Segments& segments, size_t found) {
  const double asked = static_cast<double>(state.iterations()) * KeyGroup::kKeys;
  ReportPerKey(state, asked);
  state.counters["found"] =
      static_cast<double>(found) / asked / static_cast<double>(segments.count);
}

void AskSet(benchmark::State& state, const Segments& segments, Storage storage) {
  const FilterSet set = SetOf(segments, storage);
  AbsentKeys keys(segments);
  std::vector<uint64_t> words(set.num_words());
  size_t found = 0;
  for (auto iteration : state) {
    keys.MakeNext();
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      for (size_t candidate : set.Candidates(HashKey(keys.Get(i)), words)) {
        benchmark::DoNotOptimize(candidate);
        ++found;
      }
    }
  }
  Report(state, segments, found);
}

void AskSetInBatches(benchmark::State& state, const Segments& segments, Storage storage) {
  const FilterSet set = SetOf(segments, storage);
  AbsentKeys keys(segments);
  std::array<KeyHash, KeyGroup::kKeys> hashes;
  std::vector<uint64_t> words(set.num_words() * KeyGroup::kKeys);
  size_t found = 0;
  for (auto iteration : state) {
    keys.MakeNext();
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      hashes[i] = HashKey(keys.Get(i));
    }
    const CandidateRows rows = set.Candidates(hashes.data(), hashes.size(), words);
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      for (size_t candidate : rows[i]) {
        benchmark::DoNotOptimize(candidate);
        ++found;
      }
    }
  }
  Report(state, segments, found);
}

// A leveled tree's lookup: eight segments, spread over all, that the caller has chosen.
void AskList(benchmark::State& state, const Segments& segments, Storage storage) {
  constexpr uint32_t kListed = 8;
  const FilterSet set = SetOf(segments, storage);
  AbsentKeys keys(segments);
  const auto count = static_cast<uint32_t>(segments.count);
  std::array<std::array<uint32_t, kListed>, KeyGroup::kKeys> lists;
  for (uint32_t i = 0; i < lists.size(); ++i) {
    for (uint32_t file = 0; file < kListed; ++file) {
      lists[i][file] = (file * count / kListed + i) % count;
    }
  }
  uint64_t words[FilterSet::WordsFor(kListed)];
  size_t found = 0;
  for (auto iteration : state) {
    keys.MakeNext();
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      for (size_t candidate :
           set.CandidatesOf(HashKey(keys.Get(i)), lists[i].data(), kListed, words)) {
        benchmark::DoNotOptimize(candidate);
        ++found;
      }
    }
  }
  Report(state, segments, found);
}

// What a set is compared with where it has few segments: one hash, and the filters one by one.
void AskFilterViews(benchmark::State& state, const Segments& segments, Storage storage) {
  const FilterSet set = SetOf(segments, storage);
  std::vector<FilterView> views;
  for (size_t i = 0; i < set.size(); ++i) views.push_back(set.filter(i));
  AbsentKeys keys(segments);
  size_t found = 0;
  for (auto iteration : state) {
    keys.MakeNext();
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      const KeyHash hash = HashKey(keys.Get(i));
      for (const FilterView& view : views) found += view.MayContain(hash);
    }
  }
  Report(state, segments, found);
}

void AskBuiltinReaders(benchmark::State& state, const Segments& segments, Storage /*storage*/) {
  std::vector<FilterBitsReader*> readers;
  for (uint64_t i = 0; i < segments.count; ++i) {
    readers.push_back(FilterOf(*FindSubject("builtin_bloom"), segments, i).reader());
  }
  AbsentKeys keys(segments);
  size_t found = 0;
  for (auto iteration : state) {
    keys.MakeNext();
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      const Slice key(keys.Get(i).data(), keys.Get(i).size());
      for (FilterBitsReader* const reader : readers) {
        found += reader->MayMatch(key);
      }
    }
  }
  Report(state, segments, found);
}

using Measure = void (*)(benchmark::State&, const Segments&, Storage);

void RegisterRow(const RowOptions& options, const char* how, Measure measure, Segments segments,
                 Storage storage) {
  static constexpr const char* kKindNames[] = {"bloom", "ribbon", "half_of_each"};
  const std::string name = "filter_set_of_" + std::to_string(segments.num_keys) + "/" +
                           kKindNames[static_cast<int>(segments.kinds)] + "/" + how + "/" +
                           std::to_string(segments.count);
  segments.num_keys = options.KeysFor(segments.num_keys);
  AddRow(name, measure, segments, storage);
}

}  // namespace

void RegisterFilterSetRows(const RowOptions& options) {
  static constexpr uint64_t kCounts[] = {1, 2, 4, 8, 16, 24, 32, 64, 128};
  static constexpr uint64_t kLargeCounts[] = {8, 24, 128};
  const auto register_rows = [&options](const Segments& segments) {
    RegisterRow(options, "copies", AskSet, segments, Storage::kCopies);
    RegisterRow(options, "views", AskSet, segments, Storage::kViews);
    RegisterRow(options, "batched_copies", AskSetInBatches, segments, Storage::kCopies);
    RegisterRow(options, "batched_views", AskSetInBatches, segments, Storage::kViews);
    RegisterRow(options, "filter_views", AskFilterViews, segments, Storage::kCopies);
    if (segments.count > 8) {
      RegisterRow(options, "listed_copies", AskList, segments, Storage::kCopies);
    }
    if (segments.kinds == Kinds::kBloom) {
      RegisterRow(options, "builtin_readers", AskBuiltinReaders, segments, Storage::kViews);
    }
  };
  for (const Kinds kinds : {Kinds::kBloom, Kinds::kRibbon, Kinds::kHalfOfEach}) {
    for (const uint64_t count : kCounts) {
      register_rows({kinds, count, 100'000});
    }
    for (const uint64_t count : kLargeCounts) {
      register_rows({kinds, count, 1'000'000});
    }
  }
}

}  // namespace winnow::bench
