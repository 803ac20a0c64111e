#include "tests/core/soak.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/core/filter_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/filter.h"
#include "winnow/version.h"

namespace winnow::testing {
namespace {

constexpr unsigned kMinBits = 2;
constexpr unsigned kMaxBits = 20;
constexpr uint64_t kMaxRandomKeys = 4095;
constexpr uint64_t kAbsentInRandomFilter = 1000;
constexpr uint64_t kMaxAbsent = 100'000;

// Recomputes hashes for each use instead of storing them, since the largest filters have many.
template <typename Use>
void ForEachGroup(RandomHashes* hashes, uint64_t n, Use use) {
  constexpr uint64_t kGroup = 1024;
  KeyHash group[kGroup];
  while (n > 0) {
    const auto count = static_cast<size_t>(std::min(n, kGroup));
    for (size_t i = 0; i < count; ++i) group[i].value = hashes->Next();
    use(group, count);
    n -= count;
  }
}

uint64_t CountSingle(const FilterView& view, const KeyHash* hashes, size_t n) {
  uint64_t found = 0;
  for (size_t i = 0; i < n; ++i) found += view.MayContain(hashes[i]) ? 1 : 0;
  return found;
}

uint64_t CountInBatch(const FilterView& view, const KeyHash* hashes, size_t n, bool* results) {
  view.MayContain(hashes, n, results);
  return static_cast<uint64_t>(std::count(results, results + n, true));
}

class Run {
 public:
  explicit Run(const SoakPlan& plan)
      : plan_(plan), random_(plan.seed), results_(new bool[1024]), digest_(0) {}

  SoakResult Do() {
    SoakResult result;
    result.kernel = KernelName();
    for (const FilterKind kind : kKinds) {
      for (uint64_t size = 1; size <= plan_.most_keys; size *= 10) {
        const uint64_t most = size * 10 <= plan_.most_keys ? size * 10 - 1 : size;
        result.rows.push_back({kind, size, most, {}});
      }
    }
    const double cells = static_cast<double>(result.rows.size() + 1) * (kMaxBits - kMinBits + 1);
    const auto share =
        static_cast<uint64_t>(static_cast<double>(plan_.lookups) /
                              static_cast<double>(result.rows.size() * (kMaxBits - kMinBits + 1))) +
        1;
    double done = 0;
    for (SoakRow& row : result.rows) {
      for (unsigned bits = kMinBits; bits <= kMaxBits; ++bits) {
        CheckCell(bits, share, &row);
        if (plan_.progress) plan_.progress(++done / cells);
      }
    }
    CheckRandomFilters(&result);
    if (plan_.progress) plan_.progress(1);
    result.digest = digest_;
    return result;
  }

 private:
  // Checks filters of this kind, of sizes within the row's, until they have had their share of
  // lookups.
  void CheckCell(unsigned bits, uint64_t share, SoakRow* row) {
    const uint64_t until = row->counts.lookups + share;
    for (uint64_t i = 0; i == 0 || row->counts.lookups < until; ++i) {
      const uint64_t n =
          i == 0 ? row->least_keys
                 : row->least_keys + random_.Below(row->most_keys - row->least_keys + 1);
      const bool whole = i % 2 == 0 || bits == kMaxBits;
      const double fraction = whole ? 0 : static_cast<double>(random_.Below(1000)) / 1000;
      CheckFilter(row->kind, bits + fraction, n, std::min(n, kMaxAbsent), &row->counts);
    }
  }

  void CheckRandomFilters(SoakResult* result) {
    for (const FilterKind kind : kKinds) result->rows.push_back({kind, 0, kMaxRandomKeys, {}});
    SoakRow* rows = &result->rows[result->rows.size() - kKinds.size()];
    for (uint64_t i = 0; i < plan_.random_filters; ++i) {
      const uint64_t n = random_.Below(uint64_t{2} << random_.Below(12));
      const double bits =
          kMinBits + static_cast<double>(random_.Below((kMaxBits - kMinBits) * 1000 + 1)) / 1000;
      SoakRow& row = rows[i % kKinds.size()];
      CheckFilter(row.kind, bits, n, kAbsentInRandomFilter, &row.counts);
    }
  }

  void CheckFilter(FilterKind kind, double bits, uint64_t n, uint64_t absent, SoakCounts* counts) {
    const uint64_t seed = random_.Next();
    FilterBuilder builder(OptionsOf(kind, bits));
    RandomHashes inserted(seed);
    ForEachGroup(&inserted, n,
                 [&](const KeyHash* hashes, size_t count) { builder.Add(hashes, count); });
    FilterBlock block = builder.Finish();
    // The last bytes are a checksum of the others.
    for (size_t i = block.size - 4; i < block.size; ++i) {
      digest_ = (digest_ ^ static_cast<unsigned char>(block.data[i])) * 0x100000001b3u;
    }
    if (plan_.damage) plan_.damage(&block);

    const FilterView view(block.bytes());
    ++counts->filters;
    counts->unusable += view.fault() != Fault::kNone ? 1 : 0;
    counts->keys += n;
    counts->lookups += 2 * n;
    RandomHashes again(seed);
    ForEachGroup(&again, n, [&](const KeyHash* hashes, size_t count) {
      counts->false_negatives += count - CountSingle(view, hashes, count);
      counts->false_negatives += count - CountInBatch(view, hashes, count, results_.get());
    });
    // The following hashes of the same sequence are different from all preceding ones.
    counts->absent_lookups += absent;
    counts->expected_false_positives += view.info().expected_fpr * static_cast<double>(absent);
    ForEachGroup(&again, absent, [&](const KeyHash* hashes, size_t count) {
      counts->false_positives += CountSingle(view, hashes, count);
    });
  }

  const SoakPlan& plan_;
  RandomHashes random_;
  const std::unique_ptr<bool[]> results_;
  uint64_t digest_;
};

}  // namespace

SoakCounts& SoakCounts::operator+=(const SoakCounts& other) {
  filters += other.filters;
  unusable += other.unusable;
  keys += other.keys;
  lookups += other.lookups;
  false_negatives += other.false_negatives;
  absent_lookups += other.absent_lookups;
  false_positives += other.false_positives;
  expected_false_positives += other.expected_false_positives;
  return *this;
}

bool SoakCounts::Good() const {
  const double tolerance =
      0.05 * expected_false_positives + 5 * std::sqrt(expected_false_positives);
  const double too_many = static_cast<double>(false_positives) - expected_false_positives;
  return unusable == 0 && false_negatives == 0 && std::abs(too_many) <= tolerance;
}

SoakCounts SoakResult::Total() const {
  SoakCounts total;
  for (const SoakRow& row : rows) total += row.counts;
  return total;
}

bool SoakResult::Good() const {
  return std::all_of(rows.begin(), rows.end(),
                     [](const SoakRow& row) { return row.counts.Good(); });
}

SoakResult Soak(const SoakPlan& plan) { return Run(plan).Do(); }

}  // namespace winnow::testing
