// Filters of segments that are all checked for each key: by RocksDB's readers (segments.cc), or as
// a FilterSet (filter_set.cc).

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_SEGMENTS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_SEGMENTS_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "db_bench_ext/filter_bench/keys.h"
#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"

namespace winnow::bench {

enum class Kinds { kBloom, kRibbon, kHalfOfEach };
inline constexpr Kinds kAllKinds[] = {Kinds::kBloom, Kinds::kRibbon, Kinds::kHalfOfEach};

// Returns the name for row names.
const char* NameOf(Kinds kinds);

struct Segments {
  Kinds kinds;
  uint64_t count;
  uint64_t num_keys;  // keys of the middle segment
};

inline constexpr uint64_t kSegmentCounts[] = {1, 2, 4, 8, 16, 24, 32, 64, 128};

// Returns a segment's filter, by Winnow or RocksDB. Sizes differ, since a prefetcher would learn
// the distances of equal ones.
const ReadableFilter& FilterOf(const Segments& segments, bool is_ours, uint64_t segment);

// Measures RocksDB's filter readers called one after the other for the same keys.
void AskBuiltinReaders(benchmark::State& state, const Segments& segments);

// Generator of keys that no segment has, one group at a time.
class AbsentKeys {
 public:
  explicit AbsentKeys(const Segments& segments, size_t key_length = KeyGroup::kUsualLength)
      : keys_(key_length), number_(NumberOf(segments.count, 0)) {}

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

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_SEGMENTS_H_
