#include "winnow/filter_set.h"

#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;

enum class Kinds { kBloom, kRibbon, kHalfOfEach };

const char* NameOf(Kinds kinds) {
  static constexpr const char* kNames[] = {"bloom", "ribbon", "half_of_each"};
  return kNames[static_cast<int>(kinds)];
}

// Segments that are all checked for each key.
struct Segments {
  Kinds kinds;
  uint64_t count;
  uint64_t num_keys;  // keys of the middle segment
};

// Returns a segment's filter, by Winnow or RocksDB. Sizes differ, since a prefetcher would learn
// the distances of equal ones.
const ReadableFilter& FilterOf(const Segments& segments, bool is_ours, uint64_t segment) {
  const bool is_ribbon = segments.kinds == Kinds::kRibbon ||
                         (segments.kinds == Kinds::kHalfOfEach && segment % 2 == 1);
  const auto subject =
      std::find_if(Subjects().begin(), Subjects().end(), [&](const Subject& candidate) {
        return candidate.is_ours == is_ours && candidate.is_ribbon == is_ribbon;
      });
  const FilterShape shape{segments.num_keys * (90 + ReduceTo(Scatter(segment), 21)) / 100};
  return KeptFilter(*subject, segment, shape, UsualMisalignment(segment));
}

// Generator of keys that no segment has, one group at a time.
class AbsentKeys {
 public:
  explicit AbsentKeys(const Segments& segments) : number_(NumberOf(segments.count, 0)) {}

  void MakeNext() {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys_.Set(i, ++number_);
    }
  }
  std::string_view Get(size_t i) const { return {keys_.Get(i), keys_.length()}; }
  const KeyGroup& group() const { return keys_; }

 private:
  KeyGroup keys_;
  uint64_t number_;
};

// Runs a row for these keys. ask() looks up the latest group and returns the number of "may match"
// answers of all segments.
template <typename Ask>
void AskForAbsentKeys(benchmark::State& state, const Segments& segments, AbsentKeys* keys,
                      Ask ask) {
  size_t found = 0;
  for (auto iteration : state) {
    keys->MakeNext();
    found += ask();
  }
  ReportLookups(state, KeyGroup::kKeys, found, segments.count);
}

// Measures RocksDB's filter readers called one after the other for the same keys.
void AskBuiltinReaders(benchmark::State& state, const Segments& segments) {
  std::vector<FilterBitsReader*> readers;
  for (uint64_t i = 0; i < segments.count; ++i) {
    readers.push_back(FilterOf(segments, false, i).reader());
  }
  AbsentKeys keys(segments);
  const KeySlices slices = SlicesOf(keys.group());
  AskForAbsentKeys(state, segments, &keys, [&] {
    size_t found = 0;
    for (const ROCKSDB_NAMESPACE::Slice& key : slices) {
      for (FilterBitsReader* const reader : readers) {
        found += reader->MayMatch(key);
      }
    }
    return found;
  });
}

enum class Storage { kCopies, kViews };

FilterSet SetOf(const Segments& segments, Storage storage) {
  FilterSetEdit edit;
  for (uint64_t i = 0; i < segments.count; ++i) {
    const std::string_view block = FilterOf(segments, true, i).bytes();
    if (storage == Storage::kCopies) {
      edit.InsertCopy(i, i, block);
    } else {
      edit.InsertView(i, i, block);
    }
  }
  return edit.Build();
}

// Counts the candidates by visiting each. Inline, so that no call is measured.
template <typename Candidates>
[[gnu::always_inline]] inline size_t Count(const Candidates& candidates) {
  size_t count = 0;
  for (size_t candidate : candidates) {
    benchmark::DoNotOptimize(candidate);
    ++count;
  }
  return count;
}

// Measures single lookups. ask(i, hash) checks all segments for the group's key i and returns the
// number of candidates.
template <typename Ask>
void AskOneByOne(benchmark::State& state, const Segments& segments, Ask ask) {
  AbsentKeys keys(segments);
  AskForAbsentKeys(state, segments, &keys, [&] {
    size_t found = 0;
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      found += ask(i, HashKey(keys.Get(i)));
    }
    return found;
  });
}

void AskSet(benchmark::State& state, const Segments& segments, Storage storage) {
  const FilterSet set = SetOf(segments, storage);
  std::vector<uint64_t> words(set.num_words());
  AskOneByOne(state, segments,
              [&](size_t, KeyHash hash) { return Count(set.Candidates(hash, words)); });
}

void AskSetInBatches(benchmark::State& state, const Segments& segments, Storage storage) {
  const FilterSet set = SetOf(segments, storage);
  AbsentKeys keys(segments);
  std::array<KeyHash, KeyGroup::kKeys> hashes;
  std::vector<uint64_t> words(set.num_words() * KeyGroup::kKeys);
  AskForAbsentKeys(state, segments, &keys, [&] {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      hashes[i] = HashKey(keys.Get(i));
    }
    const CandidateRows rows = set.Candidates(hashes.data(), hashes.size(), words);
    size_t found = 0;
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      found += Count(rows[i]);
    }
    return found;
  });
}

// Measures a lookup in a leveled tree: the caller lists eight segments, spread over all.
void AskList(benchmark::State& state, const Segments& segments, Storage storage) {
  constexpr uint32_t kListed = 8;
  const FilterSet set = SetOf(segments, storage);
  const auto count = static_cast<uint32_t>(segments.count);
  std::array<std::array<uint32_t, kListed>, KeyGroup::kKeys> lists;
  for (uint32_t i = 0; i < lists.size(); ++i) {
    for (uint32_t file = 0; file < kListed; ++file) {
      lists[i][file] = (file * count / kListed + i) % count;
    }
  }
  uint64_t words[FilterSet::WordsFor(kListed)];
  AskOneByOne(state, segments, [&](size_t i, KeyHash hash) {
    return Count(set.CandidatesOf(hash, lists[i].data(), kListed, words));
  });
}

// Baseline for sets of few segments: one hash, and one filter view after another.
void AskFilterViews(benchmark::State& state, const Segments& segments, Storage storage) {
  const FilterSet set = SetOf(segments, storage);
  std::vector<FilterView> views;
  for (size_t i = 0; i < set.size(); ++i) views.push_back(set.filter(i));
  AskOneByOne(state, segments, [&](size_t, KeyHash hash) {
    size_t found = 0;
    for (const FilterView& view : views) found += view.MayContain(hash);
    return found;
  });
}

// Registers a row. `more` are further arguments of `measure`.
template <typename Measure, typename... More>
void RegisterRow(const RowOptions& options, const char* how, Measure measure, Segments segments,
                 More... more) {
  const std::string name = absl::StrCat("filter_set_of_", segments.num_keys, "/",
                                        NameOf(segments.kinds), "/", how, "/", segments.count);
  segments.num_keys = options.KeysFor(segments.num_keys);
  AddRow(name, measure, segments, more...);
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
      RegisterRow(options, "builtin_readers", AskBuiltinReaders, segments);
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
