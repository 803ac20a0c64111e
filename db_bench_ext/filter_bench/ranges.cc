#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db_bench_ext/filter_bench/keys.h"
#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/read_amplification/keys/key_table.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/options.h"
#include "winnow/range_filter.h"

namespace winnow::bench {
namespace {

constexpr size_t kQuestions = 4096;
constexpr uint64_t kMostSingleKeys = uint64_t{1} << 19;  // enough to observe a rate of 2^-15

void AppendNumber(uint64_t number, std::string* key) {
  for (int shift = 56; shift >= 0; shift -= 8) key->push_back(static_cast<char>(number >> shift));
}

void MakeNumber(uint64_t index, uint64_t /*num_keys*/, std::string* key) {
  AppendNumber(Scatter(index), key);
}

// Keys of a user and a time: users of 16 bytes with a thousand events each, in milliseconds of a
// year.
void MakeUserAndTime(uint64_t index, uint64_t num_keys, std::string* key) {
  const uint64_t user = Scatter(index % std::max<uint64_t>(num_keys / 1000, 1));
  AppendNumber(user, key);
  AppendNumber(Scatter(user), key);
  AppendNumber(1'700'000'000'000 + ReduceTo(Scatter(index), uint64_t{366} * 86'400'000), key);
}

// Keys as db_bench generates them for all numbers.
void MakeDbBench(uint64_t index, uint64_t /*num_keys*/, std::string* key) {
  AppendNumber(index, key);
  key->append(8, '0');
}

// One of each two numbers.
void MakeDense(uint64_t index, uint64_t /*num_keys*/, std::string* key) {
  AppendNumber(2 * index + Scatter(index) % 2, key);
}

void MakeDecimals(uint64_t index, uint64_t /*num_keys*/, std::string* key) {
  absl::StrAppendFormat(key, "%016d", ReduceTo(Scatter(index), 10'000'000'000'000'000));
}

// Paths of nested folders, with names of some hundred words.
void MakePath(uint64_t index, uint64_t num_keys, std::string* key) {
  static constexpr std::string_view kSyllables[] = {"lib", "share", "doc",  "python", "mo", "de",
                                                    "ra",  "core",  "data", "test",   "ix", "un"};
  const auto word = [&](uint64_t number) {
    for (uint64_t rest = Scatter(number) % 1728; rest != 0; rest /= 12) {
      *key += kSyllables[rest % 12];
    }
  };
  *key += "/usr";
  for (uint64_t folder = num_keys / 12; folder > 12; folder /= 12) {
    key->push_back('/');
    word(Scatter(index) % folder + folder);
  }
  key->push_back('/');
  word(index);
  absl::StrAppend(key, "-", Scatter(index + 1) % 1000, ".h");
}

struct KindOfKeys {
  const char* name;
  void (*make)(uint64_t index, uint64_t num_keys, std::string* key);
};

constexpr KindOfKeys kKinds[] = {{"numbers", MakeNumber},    {"user_and_time", MakeUserAndTime},
                                 {"decimals", MakeDecimals}, {"dense", MakeDense},
                                 {"db_bench", MakeDbBench},  {"paths", MakePath}};

// Returns sorted keys in one block of memory, as in a compaction.
const KeyTable& KeptKeys(const KindOfKeys& kind, uint64_t num_keys) {
  static std::map<std::pair<std::string, uint64_t>, KeyTable> kept;
  KeyTable& table = kept[{kind.name, num_keys}];
  if (table.size() != 0) return table;
  std::vector<std::string> keys(num_keys);
  for (uint64_t i = 0; i < num_keys; ++i) kind.make(i, num_keys, &keys[i]);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::string& key : keys) table.Add(key);
  return table;
}

bool Has(const KeyTable& keys, std::string_view key) {
  const uint64_t i = LowerBound(keys, key);
  return i < keys.size() && keys[i] == key;
}

// Baseline without range filters: builds a Bloom filter of the keys.
void BuildBloom(benchmark::State& state, const KindOfKeys& kind, uint64_t num_keys) {
  const KeyTable& keys = KeptKeys(kind, num_keys);
  for (auto iteration : state) {
    FilterOptions options;
    options.kind = FilterKind::kBloom;
    FilterBuilder builder(options);
    for (uint64_t i = 0; i < keys.size(); ++i) builder.Add(keys[i]);
    benchmark::DoNotOptimize(builder.Finish().data.get());
  }
  ReportPerKey(state, keys.size());
}

FilterBlock BuildRangeFilter(const KeyTable& keys, RangeFilterKind kind = RangeFilterKind::kNone) {
  RangeFilterOptions options;
  options.kind = kind;
  RangeFilterBuilder builder(options);
  for (uint64_t i = 0; i < keys.size(); ++i) builder.Add(keys[i]);
  return builder.Finish();
}

double BitsPerKey(const FilterBlock& filter, const KeyTable& keys) {
  return static_cast<double>(filter.size) * 8 / static_cast<double>(keys.size());
}

void BuildRange(benchmark::State& state, const KindOfKeys& kind, uint64_t num_keys) {
  const KeyTable& keys = KeptKeys(kind, num_keys);
  double bits_per_key = 0;
  for (auto iteration : state) bits_per_key = BitsPerKey(BuildRangeFilter(keys), keys);
  ReportPerKey(state, keys.size());
  state.counters["bits_per_key"] = bits_per_key;
}

void CollectRange(benchmark::State& state, const KindOfKeys& kind, uint64_t num_keys) {
  const KeyTable& keys = KeptKeys(kind, num_keys);
  for (auto iteration : state) {
    RangeFilterBuilder builder{RangeFilterOptions()};
    for (uint64_t i = 0; i < keys.size(); ++i) builder.Add(keys[i]);
    benchmark::DoNotOptimize(builder.num_keys());
  }
  ReportPerKey(state, keys.size());
}

// Looks up ranges behind a random key, up to the key with its last byte increased by 16.
void Query(benchmark::State& state, const KindOfKeys& kind, uint64_t num_keys) {
  const KeyTable& keys = KeptKeys(kind, num_keys);
  const FilterBlock filter = BuildRangeFilter(keys);
  const RangeFilterView view(filter.bytes());
  LookupIndices random(keys.size(), Presence::kHalf);
  std::vector<std::pair<std::string, std::string>> questions(kQuestions);
  for (auto& question : questions) {
    question.first = std::string(keys[random.NextBelow(keys.size())]);
    question.second = question.first;
    question.first.push_back('\0');
    question.second.back() = static_cast<char>(question.second.back() | 15);
  }
  uint64_t found = 0;
  for (auto iteration : state) {
    for (const auto& question : questions) {
      found += view.MayContain(question.first, question.second) ? 1 : 0;
    }
  }
  ReportLookups(state, kQuestions, found);
}

// Returns absent keys: present keys with one of the last four bytes changed.
const std::vector<std::string>& AbsentKeys(const KeyTable& keys) {
  static std::vector<std::string> absent;  // keys for one row's `keys` at a time
  static const KeyTable* of = nullptr;
  if (of == &keys) return absent;
  of = &keys;
  absent.clear();
  LookupIndices random(keys.size(), Presence::kHalf);
  while (absent.size() < std::min<uint64_t>(kMostSingleKeys, 16 * keys.size())) {
    std::string key(keys[random.NextBelow(keys.size())]);
    key[key.size() - 1 - random.NextBelow(4)] ^= static_cast<char>(1 + random.NextBelow(15));
    if (!Has(keys, key)) absent.push_back(std::move(key));
  }
  return absent;
}

template <typename View, typename Ask>
void QuerySingleKeys(benchmark::State& state, const KeyTable& keys, const FilterBlock& filter,
                     Ask ask) {
  const View view(filter.bytes());
  const std::vector<std::string>& absent = AbsentKeys(keys);
  uint64_t found = 0;
  for (auto iteration : state) {
    for (const std::string& key : absent) found += ask(view, key) ? 1 : 0;
  }
  ReportLookups(state, absent.size(), found);
  state.counters["bits_per_key"] = BitsPerKey(filter, keys);
}

// Looks up keys in a range filter, as range_kind=single does.
void QueryKeyInRanges(benchmark::State& state, const KindOfKeys& kind, uint64_t num_keys) {
  const KeyTable& keys = KeptKeys(kind, num_keys);
  QuerySingleKeys<RangeFilterView>(
      state, keys, BuildRangeFilter(keys, RangeFilterKind::kRetrieval),
      [](const RangeFilterView& view, const std::string& key) { return view.MayHaveKey(key); });
}

// Looks up keys in a point filter with the range filter's bits, which are its bits_per_key. A
// Ribbon filter has the rate of a Bloom filter with fewer bits.
void QueryKey(benchmark::State& state, const KindOfKeys& kind, uint64_t num_keys,
              FilterKind filter_kind) {
  const KeyTable& keys = KeptKeys(kind, num_keys);
  FilterOptions options;
  options.kind = filter_kind;
  options.bits_per_key = BitsPerKey(BuildRangeFilter(keys, RangeFilterKind::kRetrieval), keys);
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < keys.size(); ++i) builder.Add(keys[i]);
  QuerySingleKeys<FilterView>(
      state, keys, builder.Finish(),
      [](const FilterView& view, const std::string& key) { return view.MayContain(HashKey(key)); });
}

}  // namespace

void RegisterRangeRows(const RowOptions& options) {
  for (const KindOfKeys& kind : kKinds) {
    for (const uint64_t keys : {uint64_t{100'000}, uint64_t{1'000'000}, uint64_t{10'000'000}}) {
      const uint64_t n = options.KeysFor(keys);
      const auto row = [&](const char* what) { return absl::StrCat(what, kind.name, "/", keys); };
      const auto unit = keys >= 1'000'000 ? benchmark::kMillisecond : benchmark::kMicrosecond;
      AddRow(row("ranges/build/range_filter/"), BuildRange, kind, n)->Unit(unit);
      AddRow(row("ranges/build/point_bloom/"), BuildBloom, kind, n)->Unit(unit);
      AddRow(row("ranges/collect/"), CollectRange, kind, n)->Unit(unit);
      AddRow(row("ranges/query/"), Query, kind, n);
      if (kind.make == MakePath) continue;  // positions are for keys of one length
      AddRow(row("ranges/single_keys/range_filter/"), QueryKeyInRanges, kind, n);
      AddRow(row("ranges/single_keys/point_bloom/"), QueryKey, kind, n, FilterKind::kBloom);
      AddRow(row("ranges/single_keys/point_ribbon/"), QueryKey, kind, n, FilterKind::kRibbon);
    }
  }
}

}  // namespace winnow::bench
