#include "tools/winnow/advise/advice_rows.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace winnow::inspect {
namespace {

// Number of tried values of bits_per_key.
constexpr int kBitSteps =
    1 + static_cast<int>((kMaxBudgetBits - kMinBudgetBits) / kBudgetStep + 0.5);

// Returns the smallest number below `end` for which `holds` is true, or `end`. `holds` must be
// monotonic.
template <typename Holds>
int FirstThat(int end, const Holds& holds) {
  int begin = 0;
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

std::string WinnowOf(double bits) { return WinnowText(std::round(1000 * bits) / 1000); }
std::string WinnowAt(int i) { return WinnowOf(kMinBudgetBits + i * kBudgetStep); }

AdviceRow NowOf(const AdviceReading& reading) {
  AdviceRow now;
  now.purpose = RowPurpose::kNow;
  now.bytes = static_cast<double>(reading.FilterBytesNow());
  now.counted = static_cast<uint64_t>(reading.FalseReadsNow());
  now.false_reads = reading.ALookup(reading.FalseReadsNow());
  now.interval = PoissonInterval(*now.counted, reading.num_lookups);
  now.compacted = reading.CompactedCostOf(reading.PoliciesInForce());
  return now;
}

// Bits by which a family's filters should differ from those of other families, so that one more
// byte saves equally many reads in each: every bit halves the saving of the next one.
struct FamilyWorth {
  size_t family = 0;
  double bits = 0;
  double chance = 0;  // sampling error of `bits`
};

// Gives families with similar worth the same bits.
void MakeAlike(std::vector<FamilyWorth>* worths) {
  constexpr double kAlike = 0.15;
  absl::c_sort(*worths, [](const FamilyWorth& a, const FamilyWorth& b) { return a.bits < b.bits; });
  for (auto begin = worths->begin(); begin != worths->end();) {
    const auto end = std::find_if(begin, worths->end(), [&](const FamilyWorth& other) {
      return other.bits > begin->bits + kAlike + begin->chance + other.chance;
    });
    const double sum = std::accumulate(
        begin, end, 0.0, [](double all, const FamilyWorth& worth) { return all + worth.bits; });
    const double mean = sum / static_cast<double>(end - begin);
    for (; begin != end; ++begin) begin->bits = mean;
  }
}

class Lister {
 public:
  Lister(const AdviceReading& reading, const AdviceOptions& options, Advice* advice)
      : read_(reading), options_(options), advice_(*advice) {}

  void List() {
    AddForAll(RowPurpose::kComparison, absl::StrCat("bloomfilter:", kUsualBits));
    AddForAll(RowPurpose::kComparison, absl::StrCat("ribbonfilter:", kUsualBits, ":-1"));
    AddForAll(RowPurpose::kComparison, WinnowText(kUsualBits));
    if (read_.FilterBytesNow() > 0 && read_.AsksInVain()) CompareWithNow();
    if (options_.budget_bytes && read_.AsksInVain() && !read_.NoPolicyBuilds()) SpendBudget();
    for (const std::string& policy : options_.policies) {
      AddForAll(RowPurpose::kComparison, policy);
    }
    absl::c_stable_sort(advice_.rows,
                        [](const AdviceRow& a, const AdviceRow& b) { return a.bytes < b.bytes; });
    advice_.rows.insert(advice_.rows.begin(), NowOf(read_));
    DrawCurve();
  }

 private:
  Cost ForAll(const std::string& policy) const {
    return read_.CostOf(std::vector<std::string>(read_.families.size(), policy));
  }

  // Returns the policy with the fewest false reads in at most `bytes` bytes.
  std::optional<std::string> BestWithin(double bytes) const {
    const int beyond =
        FirstThat(kBitSteps, [&](int i) { return ForAll(WinnowAt(i)).bytes > bytes; });
    return beyond > 0 ? std::optional(WinnowAt(beyond - 1)) : std::nullopt;
  }

  // Returns the policy with the fewest bytes and at most `false_reads` false reads per lookup.
  std::optional<std::string> LeastFor(double false_reads) const {
    const int found =
        FirstThat(kBitSteps, [&](int i) { return ForAll(WinnowAt(i)).false_reads <= false_reads; });
    return found < kBitSteps ? std::optional(WinnowAt(found)) : std::nullopt;
  }

  void CompareWithNow() {
    const auto add = [&](RowPurpose purpose, const std::optional<std::string>& policy) {
      if (policy) AddForAll(purpose, *policy);
    };
    add(RowPurpose::kMemoryOfNow, BestWithin(static_cast<double>(read_.FilterBytesNow())));
    if (read_.SomeServeScansAlone()) return;
    const double reads = read_.ALookup(read_.FalseReadsNow());
    add(RowPurpose::kReadsOfNow, LeastFor(reads));
  }

  void AddForAll(RowPurpose purpose, const std::string& policy) {
    Add(purpose, std::vector<std::string>(read_.families.size(), policy));
  }

  // Adds a row, or sets the purpose of a row with equal policies, if its purpose was a comparison.
  void Add(RowPurpose purpose, const std::vector<std::string>& policies) {
    const auto known = absl::c_find_if(
        advice_.rows, [&](const AdviceRow& other) { return other.policies == policies; });
    if (known != advice_.rows.end()) {
      if (known->purpose == RowPurpose::kComparison) known->purpose = purpose;
      return;
    }
    AdviceRow row;
    row.purpose = purpose;
    row.policies = policies;
    const Cost cost = read_.CostOf(policies);
    row.bytes = cost.bytes;
    row.false_reads = cost.false_reads;
    row.compacted = read_.CompactedCostOf(policies);
    advice_.rows.push_back(std::move(row));
  }

  // Returns the worth of each family: reads per byte that one more bit saves at these bits. A
  // family without lookups gets the worth of all families together.
  std::vector<FamilyWorth> WorthsAt(const std::vector<double>& bits) const {
    constexpr double kDeviations = 4;
    const auto worth_of = [&](size_t i, const auto& cost_of) {
      const Cost now = cost_of(WinnowOf(bits[i]));
      const Cost more = cost_of(WinnowOf(bits[i] + 1));
      const double saved = std::max(now.false_reads - more.false_reads, 1e-9);
      return bits[i] + std::log2(saved / std::max(1.0, more.bytes - now.bytes));
    };
    std::vector<FamilyWorth> worths;
    for (size_t i = 0; i < read_.families.size(); ++i) {
      FamilyCosts& costs = *read_.families[i].costs;
      const auto lookups = static_cast<double>(read_.lookups[i].lookups);
      const auto of_family = [&](const std::string& policy) { return costs.Of(policy); };
      const auto of_all = [&](const std::string& policy) {
        Cost cost = ForAll(policy);
        cost.false_reads *= static_cast<double>(read_.num_lookups);
        return cost;
      };
      worths.push_back({i, lookups > 0 ? worth_of(i, of_family) : worth_of(i, of_all),
                        kDeviations / std::sqrt(std::max(1.0, lookups))});
    }
    MakeAlike(&worths);
    return worths;
  }

  // Returns bits per family, `most` for the family with the highest worth and fewer for the others.
  static std::vector<double> SplitAt(double most, const std::vector<FamilyWorth>& worths) {
    std::vector<double> bits(worths.size());
    for (const FamilyWorth& worth : worths) {
      const double at = most - (worths.back().bits - worth.bits);
      const double steps = std::round((at - kMinBudgetBits) / kBudgetStep);
      bits[worth.family] =
          std::clamp(kMinBudgetBits + steps * kBudgetStep, kMinBudgetBits, kMaxBudgetBits);
    }
    return bits;
  }

  std::vector<std::string> TextsOf(const std::vector<double>& bits) const {
    std::vector<std::string> texts;
    for (const double of_family : bits) texts.push_back(WinnowOf(of_family));
    return texts;
  }

  // Returns policies that fit into `bytes` bytes together; the policies with the fewest bits must
  // fit.
  std::vector<std::string> Split(double bytes) const {
    constexpr int kRounds = 3;
    std::vector<double> bits(read_.families.size(), kUsualBits);
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<FamilyWorth> worths = WorthsAt(bits);
      const double spread = worths.back().bits - worths.front().bits;
      const int most = kBitSteps + static_cast<int>(std::lround(spread / kBudgetStep));
      const auto at = [&](int i) { return SplitAt(kMinBudgetBits + i * kBudgetStep, worths); };
      const int beyond =
          FirstThat(most, [&](int i) { return read_.CostOf(TextsOf(at(i))).bytes > bytes; });
      bits = at(std::max(0, beyond - 1));
    }
    return TextsOf(bits);
  }

  void SpendBudget() {
    const double bytes = *options_.budget_bytes;
    advice_.budget_bytes = bytes;
    advice_.least_bytes = ForAll(WinnowAt(0)).bytes;
    advice_.budget_is_enough = bytes > ForAll(WinnowAt(kBitSteps - 1)).bytes;
    const std::optional<std::string> one = BestWithin(bytes);
    if (!one) return;
    const std::vector<std::string> split =
        read_.families.size() > 1 ? Split(bytes) : std::vector<std::string>{*one};
    for (size_t i = 0; i < split.size(); ++i) {
      const Cost cost = read_.families[i].costs->Of(split[i]);
      const auto lookups = static_cast<double>(read_.lookups[i].lookups);
      advice_.budget.push_back(
          {i, split[i], cost.bytes, lookups > 0 ? cost.false_reads / lookups : 0});
      advice_.budget_taken += cost.bytes;
    }
    Add(RowPurpose::kBudget, split);
    if (split.size() == 1) return;
    AddForAll(RowPurpose::kBudgetOfOnePolicy, *one);
    advice_.one_policy = *one;
  }

  void DrawCurve() {
    constexpr int kLeast = 4;
    constexpr int kMost = 20;
    constexpr int kStep = 2;
    const auto draw = [&](const std::string& maker, const auto& text_of) {
      for (int bits = kLeast; bits <= kMost; bits += kStep) {
        const std::string policy = text_of(bits);
        const Cost cost = ForAll(policy);
        advice_.curve.push_back({maker, policy, cost.bytes, cost.false_reads});
      }
    };
    draw("bloomfilter", [](int bits) { return absl::StrCat("bloomfilter:", bits); });
    draw("ribbonfilter", [](int bits) { return absl::StrCat("ribbonfilter:", bits, ":-1"); });
    draw("winnow", [](int bits) { return WinnowText(bits); });
  }

  const AdviceReading& read_;
  const AdviceOptions& options_;
  Advice& advice_;
};

}  // namespace

void SetRows(const AdviceReading& reading, const AdviceOptions& options, Advice* advice) {
  Lister(reading, options, advice).List();
}

}  // namespace winnow::inspect
