#include <benchmark/benchmark.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"
#include "src/rocksdb/lookups/shared_hash.h"

namespace winnow::bench {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

enum class Kinds { kBloom, kRibbon, kHalfOfEach };

enum class Side { kOurs, kOursUnshared, kBuiltin };

struct Segments {
  Kinds kinds;
  Side side;
  uint64_t count;
  uint64_t num_keys;  // of the middle segment
  size_t key_length;
};

const Subject& SubjectOf(const Segments& segments, uint64_t segment) {
  const bool is_ribbon = segments.kinds == Kinds::kRibbon ||
                         (segments.kinds == Kinds::kHalfOfEach && segment % 2 == 1);
  const bool is_ours = segments.side != Side::kBuiltin;
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

// Whether the readers of this thread may share hashes, until the end of a row.
class SharingForRow {
 public:
  explicit SharingForRow(bool may_share) { plugin::SetHashSharing(may_share); }
  ~SharingForRow() { plugin::SetHashSharing(true); }
  SharingForRow(const SharingForRow&) = delete;
  SharingForRow& operator=(const SharingForRow&) = delete;
};

using Readers = std::vector<FilterBitsReader*>;
using Slices = std::array<Slice, KeyGroup::kKeys>;

// Asks for groups of keys that are in none of the segments, by ask(readers, keys), which gives how
// many may be there.
template <typename Ask>
void QuerySegments(benchmark::State& state, const Segments& segments, Ask ask) {
  const Readers readers = ReadersOf(segments);
  const SharingForRow sharing(segments.side == Side::kOurs);
  KeyGroup keys(segments.key_length);
  Slices slices;  // made once: in RocksDB too, a key's Slice was made long before
  for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
    slices[i] = Slice(keys.Get(i), keys.length());
  }
  uint64_t number = NumberOf(segments.count, 0);
  size_t found = 0;
  for (auto iteration : state) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys.Set(i, ++number);
    }
    found += ask(readers, slices);
  }
  const double asked = static_cast<double>(state.iterations()) * KeyGroup::kKeys;
  ReportPerKey(state, asked);
  state.counters["found"] =
      static_cast<double>(found) / asked / static_cast<double>(segments.count);
}

void OneByOne(benchmark::State& state, const Segments& segments) {
  QuerySegments(state, segments, [](const Readers& readers, const Slices& keys) {
    size_t found = 0;
    for (const Slice& key : keys) {
      for (FilterBitsReader* const reader : readers) {
        found += reader->MayMatch(key);
      }
    }
    return found;
  });
}

void MultiGet(benchmark::State& state, const Segments& segments) {
  QuerySegments(state, segments, [](const Readers& readers, Slices& keys) {
    std::array<Slice*, KeyGroup::kKeys> pointers;
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      pointers[i] = &keys[i];
    }
    std::array<bool, KeyGroup::kKeys> may_match;
    size_t found = 0;
    for (FilterBitsReader* const reader : readers) {
      reader->MayMatch(static_cast<int>(KeyGroup::kKeys), pointers.data(), may_match.data());
      found += static_cast<size_t>(std::count(may_match.begin(), may_match.end(), true));
    }
    return found;
  });
}

using Measure = void (*)(benchmark::State&, const Segments&);

void RegisterRow(const RowOptions& options, const std::string& group, Measure measure,
                 Segments segments) {
  static constexpr const char* kKindNames[] = {"bloom", "ribbon", "half_of_each"};
  static constexpr const char* kSideNames[] = {"/winnow/", "/winnow_unshared/", "/builtin/"};
  segments.num_keys = options.KeysFor(segments.num_keys);
  const std::string name = group + "/" + kKindNames[static_cast<int>(segments.kinds)] + "/key_" +
                           std::to_string(segments.key_length) +
                           kSideNames[static_cast<int>(segments.side)] +
                           std::to_string(segments.count);
  AddRow(name, measure, segments);
}

}  // namespace

void RegisterSegmentRows(const RowOptions& options) {
  static constexpr uint64_t kCounts[] = {1, 2, 4, 8, 16, 24, 32, 64, 128};
  static constexpr uint64_t kLargeCounts[] = {24, 128};
  static constexpr size_t kKeyLengths[] = {8, 24, 64, 256, 1024};
  for (const Kinds kinds : {Kinds::kBloom, Kinds::kRibbon, Kinds::kHalfOfEach}) {
    for (const Side side : {Side::kOurs, Side::kOursUnshared, Side::kBuiltin}) {
      for (const uint64_t count : kCounts) {
        for (const size_t key_length : kKeyLengths) {
          const Segments segments{kinds, side, count, 100'000, key_length};
          RegisterRow(options, "segments_of_100000", OneByOne, segments);
          RegisterRow(options, "multiget_segments_of_100000", MultiGet, segments);
        }
      }
      for (const uint64_t count : kLargeCounts) {
        RegisterRow(options, "segments_of_1000000", OneByOne, {kinds, side, count, 1'000'000, 24});
      }
    }
  }
}

}  // namespace winnow::bench
