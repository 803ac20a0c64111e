#include "db_bench_ext/filter_bench/segments.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "src/rocksdb/lookups/shared_hash.h"

namespace winnow::bench {

const char* NameOf(Kinds kinds) {
  static constexpr const char* kNames[] = {"bloom", "ribbon", "half_of_each"};
  return kNames[static_cast<int>(kinds)];
}

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

namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

enum class Side { kOurs, kOursUnshared, kBuiltin };

// Sets whether this thread's readers may share hashes, for the duration of a row.
class SharingForRow {
 public:
  explicit SharingForRow(bool may_share) { plugin::SetHashSharing(may_share); }
  ~SharingForRow() { plugin::SetHashSharing(true); }
  SharingForRow(const SharingForRow&) = delete;
  SharingForRow& operator=(const SharingForRow&) = delete;
};

using Readers = std::vector<FilterBitsReader*>;

// Measures ask(readers, keys), which looks up a group of keys and returns how many may be present.
template <typename Ask>
void AskReaders(benchmark::State& state, const Segments& segments, Side side, size_t key_length,
                Ask ask) {
  Readers readers;
  for (uint64_t i = 0; i < segments.count; ++i) {
    readers.push_back(FilterOf(segments, side != Side::kBuiltin, i).reader());
  }
  const SharingForRow sharing(side == Side::kOurs);
  AbsentKeys keys(segments, key_length);
  KeySlices slices = SlicesOf(keys.group());
  AskForAbsentKeys(state, segments, &keys, [&] { return ask(readers, slices); });
}

void OneByOne(benchmark::State& state, const Segments& segments, Side side, size_t key_length) {
  AskReaders(state, segments, side, key_length, [](const Readers& readers, const KeySlices& keys) {
    size_t found = 0;
    for (const Slice& key : keys) {
      for (FilterBitsReader* const reader : readers) {
        found += reader->MayMatch(key);
      }
    }
    return found;
  });
}

void MultiGet(benchmark::State& state, const Segments& segments, Side side, size_t key_length) {
  AskReaders(state, segments, side, key_length, [](const Readers& readers, KeySlices& keys) {
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

using Measure = void (*)(benchmark::State&, const Segments&, Side, size_t);

void RegisterRow(const RowOptions& options, const std::string& group, Measure measure,
                 Segments segments, Side side, size_t key_length) {
  static constexpr const char* kSideNames[] = {"winnow", "winnow_unshared", "builtin"};
  const std::string name =
      absl::StrCat(group, "_of_", segments.num_keys, "/", NameOf(segments.kinds), "/key_",
                   key_length, "/", kSideNames[static_cast<int>(side)], "/", segments.count);
  segments.num_keys = options.KeysFor(segments.num_keys);
  AddRow(name, measure, segments, side, key_length);
}

}  // namespace

void AskBuiltinReaders(benchmark::State& state, const Segments& segments) {
  OneByOne(state, segments, Side::kBuiltin, KeyGroup::kUsualLength);
}

void RegisterSegmentRows(const RowOptions& options) {
  static constexpr uint64_t kLargeCounts[] = {24, 128};
  static constexpr size_t kKeyLengths[] = {8, 24, 64, 256, 1024};
  for (const Kinds kinds : kAllKinds) {
    for (const Side side : {Side::kOurs, Side::kOursUnshared, Side::kBuiltin}) {
      for (const uint64_t count : kSegmentCounts) {
        for (const size_t key_length : kKeyLengths) {
          const Segments segments{kinds, count, 100'000};
          RegisterRow(options, "segments", OneByOne, segments, side, key_length);
          RegisterRow(options, "multiget_segments", MultiGet, segments, side, key_length);
        }
      }
      for (const uint64_t count : kLargeCounts) {
        RegisterRow(options, "segments", OneByOne, {kinds, count, 1'000'000}, side,
                    KeyGroup::kUsualLength);
      }
    }
  }
}

}  // namespace winnow::bench
