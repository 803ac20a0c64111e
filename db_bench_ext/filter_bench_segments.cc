#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>

#include <string>
#include <vector>

#include "db_bench_ext/filter_bench_rows.h"
#include "db_bench_ext/filter_bench_subjects.h"
#include "src/rocksdb/shared_hash.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

enum class Kinds { kBloom, kRibbon, kHalfOfEach };

enum class Asked { kBuiltin, kSharing, kHashing };

struct Segments {
  Kinds kinds;
  Asked asked;
  uint64_t count;
  uint64_t num_keys;  // of the middle segment
  size_t key_length;
};

const Subject& SubjectOf(const Segments& segments, uint64_t segment) {
  const bool is_ribbon = segments.kinds == Kinds::kRibbon ||
                         (segments.kinds == Kinds::kHalfOfEach && segment % 2 == 1);
  const bool is_ours = segments.asked != Asked::kBuiltin;
  for (const Subject& subject : Subjects()) {
    if (subject.is_ours == is_ours && subject.is_ribbon == is_ribbon) {
      return subject;
    }
  }
  return Subjects().front();
}

// Sizes differ: equal ones lie at equal distances, which a prefetcher learns.
std::vector<FilterBitsReader*> ReadersOf(const Segments& segments) {
  std::vector<FilterBitsReader*> readers;
  for (uint64_t i = 0; i < segments.count; ++i) {
    const FilterShape shape{segments.num_keys * (90 + ReduceTo(Scatter(i), 21)) / 100};
    readers.push_back(KeptFilter(SubjectOf(segments, i), i, shape, UsualMisalignment(i)).reader());
  }
  return readers;
}

void QuerySegments(benchmark::State& state, const Segments& segments) {
  const std::vector<FilterBitsReader*> readers = ReadersOf(segments);
  plugin::SetHashSharing(segments.asked == Asked::kSharing);
  KeyGroup keys(segments.key_length);
  uint64_t number = NumberOf(segments.count, 0);  // in none of them
  size_t found = 0;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys.Set(i, ++number);
    }
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      const Slice key(keys.Get(i), keys.length());
      for (FilterBitsReader* const reader : readers) {
        found += reader->MayMatch(key);
      }
    }
  }
  const double asked = static_cast<double>(state.iterations()) * KeyGroup::kKeys;
  ReportPerKey(state, asked);
  state.counters["found"] =
      static_cast<double>(found) / asked / static_cast<double>(segments.count);
}

void RegisterRow(const RowOptions& options, const std::string& group, Segments segments) {
  static constexpr const char* kKindNames[] = {"bloom", "ribbon", "half_of_each"};
  static constexpr const char* kAskedNames[] = {"/builtin/", "/winnow/", "/winnow_hashing/"};
  segments.num_keys = options.KeysFor(segments.num_keys);
  const std::string name = group + "/" + kKindNames[static_cast<int>(segments.kinds)] + "/key_" +
                           std::to_string(segments.key_length) +
                           kAskedNames[static_cast<int>(segments.asked)] +
                           std::to_string(segments.count);
  benchmark::RegisterBenchmark(name.c_str(), QuerySegments, segments);
}

}  // namespace

void RegisterSegmentRows(const RowOptions& options) {
  static constexpr uint64_t kCounts[] = {1, 2, 4, 8, 16, 24, 32, 64, 128};
  static constexpr uint64_t kLargeCounts[] = {24, 128};
  static constexpr size_t kKeyLengths[] = {8, 16, 24, 32, 64, 128, 256, 1024};
  for (const Kinds kinds : {Kinds::kBloom, Kinds::kRibbon, Kinds::kHalfOfEach}) {
    for (const Asked asked : {Asked::kSharing, Asked::kHashing, Asked::kBuiltin}) {
      for (const uint64_t count : kCounts) {
        for (const size_t key_length : kKeyLengths) {
          RegisterRow(options, "segments_of_100000", {kinds, asked, count, 100'000, key_length});
        }
      }
      for (const uint64_t count : kLargeCounts) {
        RegisterRow(options, "segments_of_1000000", {kinds, asked, count, 1'000'000, 24});
      }
    }
  }
}

}  // namespace winnow::bench
