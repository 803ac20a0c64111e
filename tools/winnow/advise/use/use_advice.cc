#include "tools/winnow/advise/use/use_advice.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/policy_trial/learned_trial.h"
#include "src/text/numbers.h"

namespace winnow::inspect {
namespace {

// Range and step of the tried values of bits_per_key.
constexpr double kFewestBits = 4;
constexpr double kMostBits = 20;
constexpr double kStep = 0.5;

// Minimum number of denied queries among the counted ones for advice on a policy's bits.
constexpr double kEnoughDenied = 20;

// Ratio of false reads that makes a change of several policies worthwhile.
constexpr double kWorthAChange = 0.7;
// Changes of bits below kFewBits are left out if the filters then take at most kMoreMemory of the
// current memory.
constexpr double kFewBits = 1.5;
constexpr double kMoreMemory = 1.1;
// Maximum share of denied queries at which filters are useless.
constexpr double kOfNoUse = 0.01;
// Ratio of false reads that makes level_plan=learned worthwhile.
constexpr double kWorthAPlan = 0.75;

double BytesOf(double keys, double bits) {
  FilterOptions options;
  options.bits_per_key = bits;
  const auto whole = static_cast<uint64_t>(std::clamp(keys, 1.0, 1e15));
  return static_cast<double>(core::EstimateBytes(whole, core::ForBuilding(options)));
}

// Returns the size of a policy's filters with other bits per key, scaled from their current size.
double BytesWith(const UseRow& row, double bits) {
  double bytes = 0;
  for (const UseOfLevel& level : row.use.levels) {
    const double keys = level.filters > 0 ? level.keys / level.filters : 0;
    if (keys > 0) bytes += level.bytes * BytesOf(keys, bits) / BytesOf(keys, row.bits_per_key());
  }
  return bytes;
}

// Returns the false reads per second with other bits per key, scaled from the current ones.
double FalseReadsWith(const UseRow& row, double bits) {
  const double change = core::RateForBits(bits) / core::RateForBits(row.bits_per_key());
  double reads = 0;
  for (const UseOfLevel& level : row.use.levels) {
    const double absent = level.denied + level.false_positives;
    reads += std::min(absent, level.false_positives * change);
  }
  return row.use.seconds > 0 ? reads / row.use.seconds : 0;
}

using PolicyBits = std::vector<double>;  // bits per key of each policy

double BytesWith(const std::vector<UseRow>& rows, const PolicyBits& bits) {
  double bytes = 0;
  for (size_t i = 0; i < bits.size(); ++i) bytes += BytesWith(rows[i], bits[i]);
  return bytes;
}

double FalseReadsWith(const std::vector<UseRow>& rows, const PolicyBits& bits) {
  double reads = 0;
  for (size_t i = 0; i < bits.size(); ++i) reads += FalseReadsWith(rows[i], bits[i]);
  return reads;
}

bool IsKnown(const FilterUseFile& file, const UseOfPolicy& use) {
  const UseOfLevel sum = use.Sum();
  return file.HasEnoughAsks(sum) && sum.denied >= kEnoughDenied * file.one_counted_of;
}

// Returns true if enough queries were counted on each level that has filters.
bool LevelsAreKnown(const FilterUseFile& file, const UseOfPolicy& use) {
  return absl::c_all_of(use.levels, [&](const UseOfLevel& level) {
    return !(level.keys > 0) || file.HasEnoughAsks(level);
  });
}

// Returns the bits of each policy that minimize the total of false reads within the budget. The
// greedy algorithm takes the step with the most spared reads per byte, which is optimal because
// every step spares less than the one before. Policies with too few counted queries keep their
// bits.
PolicyBits BestBits(const FilterUseFile& file, const std::vector<UseRow>& rows, double budget) {
  PolicyBits bits;
  std::vector<size_t> changeable;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool may_change = IsKnown(file, rows[i].use) && rows[i].policy.filter_memory == 0;
    if (may_change) changeable.push_back(i);
    bits.push_back(may_change ? kFewestBits : rows[i].bits_per_key());
  }
  double bytes = BytesWith(rows, bits);
  for (;;) {
    double* best = nullptr;
    double most = 0;
    double bytes_of_best = 0;
    for (const size_t i : changeable) {
      if (bits[i] >= kMostBits) continue;
      const double more = BytesWith(rows[i], bits[i] + kStep) - BytesWith(rows[i], bits[i]);
      const double spared =
          FalseReadsWith(rows[i], bits[i]) - FalseReadsWith(rows[i], bits[i] + kStep);
      if (bytes + more > budget || spared / std::max(more, 1.0) <= most) continue;
      most = spared / std::max(more, 1.0);
      best = &bits[i];
      bytes_of_best = more;
    }
    if (best == nullptr) return bits;
    *best += kStep;
    bytes += bytes_of_best;
  }
}

// Returns the ratio to the current false reads if the rate on each level is proportional to keys /
// lookups, in the same memory (src/rocksdb/trees/tree_rates.h).
double OfBestLevels(const UseOfPolicy& use) {
  double now = 0;
  double keys = 0;
  double bits = 0;
  double logs = 0;
  for (const UseOfLevel& level : use.levels) {
    const double absent = level.denied + level.false_positives;
    if (!(level.false_positives > 0) || !(level.keys > 0)) continue;
    now += level.false_positives;
    keys += level.keys;
    bits += level.keys * std::log2(absent / level.false_positives);
    logs += level.keys * std::log2(absent / level.keys);
  }
  if (!(now > 0)) return 1;
  // bits is the sum of keys * (log2(absent / keys) - log2(lambda)), and a level has lambda * keys
  // false reads.
  const double lambda = std::exp2((logs - bits) / keys);
  double best = 0;
  for (const UseOfLevel& level : use.levels) {
    const double absent = level.denied + level.false_positives;
    if (level.false_positives > 0 && level.keys > 0) {
      best += std::min(absent, lambda * level.keys);
    }
  }
  return std::min(best / now, 1.0);
}

std::string Seconds(double reads) { return absl::StrCat(Figure(reads), " a second"); }

void FindBits(const FilterUseFile& file, std::optional<double> asked, UseAdvice* advice) {
  std::vector<UseRow>& rows = advice->rows;
  PolicyBits now;
  for (const UseRow& row : rows) now.push_back(row.bits_per_key());
  advice->bytes = BytesWith(rows, now);
  advice->false_reads = FalseReadsWith(rows, now);
  advice->budget_bytes = asked.value_or(advice->bytes);
  PolicyBits best = BestBits(file, rows, advice->budget_bytes);
  const PolicyBits least = advice->no_verdict.empty() ? best : PolicyBits(best.size(), kFewestBits);
  advice->fits = BytesWith(rows, least) <= advice->budget_bytes * 1.001;
  const auto is_worth_it = [&](const PolicyBits& bits) {
    return FalseReadsWith(rows, bits) <= kWorthAChange * advice->false_reads;
  };
  if (!asked && !is_worth_it(best)) best = now;
  if (!asked) {
    PolicyBits fewer = best;
    for (size_t i = 0; i < best.size(); ++i) {
      if (std::abs(best[i] - now[i]) < kFewBits) fewer[i] = now[i];
    }
    if (BytesWith(rows, fewer) <= kMoreMemory * advice->bytes && is_worth_it(fewer)) best = fewer;
  }
  advice->advised_bytes = BytesWith(rows, best);
  advice->advised_false_reads = FalseReadsWith(rows, best);
  for (size_t i = 0; i < best.size(); ++i) {
    UseRow& row = rows[i];
    row.advised_bytes = BytesWith(row, best[i]);
    row.advised_false_reads = FalseReadsWith(row, best[i]);
    if (std::abs(best[i] - now[i]) < kStep) continue;
    row.advised_bits = best[i];
    PolicyOptions policy = row.policy;
    policy.bits_per_key = best[i];
    advice->mend.push_back(
        {FamiliesText(row.use),
         absl::StrCat("bits_per_key=", Decimals(now[i], 2), " lets ",
                      Seconds(FalseReadsWith(row, now[i])), " through as false reads; ",
                      Decimals(best[i], 1), " would let ", Seconds(row.advised_false_reads),
                      ", and take ", ByteSize(row.advised_bytes), " in place of ",
                      ByteSize(BytesWith(row, now[i]))),
         ShortText(policy), /*spares_reads=*/true});
  }
}

// Finds possible gains of a policy that do not depend on other policies.
void FindUse(const FilterUseFile& file, const UseRow& row, UseAdvice* advice) {
  const UseOfPolicy& use = row.use;
  const UseOfLevel sum = use.Sum();
  if (!row.has_enough_asks) return;
  const std::string families = FamiliesText(use);
  if (sum.denied <= kOfNoUse * sum.asks) {
    advice->gain.push_back(
        {families,
         absl::StrCat("filters deny ", Percent(sum.denied / sum.asks), " of what they are asked: ",
                      "nearly all lookups find their key. No filter policy for these would free ",
                      ByteSize(sum.bytes)),
         ""});
    return;
  }
  const auto last = absl::c_max_element(
      use.levels, [](const UseOfLevel& a, const UseOfLevel& b) { return a.level < b.level; });
  const bool has_several = use.levels.size() > 1 && last->level > 0;
  PolicyOptions policy = row.policy;
  if (has_several && file.HasEnoughAsks(*last) && last->denied <= kOfNoUse * last->asks &&
      policy.absent_share > 0) {
    if (policy.level_plan == LevelPlan::kUniform) policy.level_plan = LevelPlan::kAuto;
    policy.absent_share = 0;
    advice->gain.push_back(
        {families,
         absl::StrCat("filters of the last level (", last->level, ") deny ",
                      Percent(last->denied / last->asks),
                      " of what they are asked, as nearly all lookups find their key there. With "
                      "absent_share=0 that level has no filters, which frees ",
                      ByteSize(last->bytes)),
         ShortText(policy)});
    return;
  }
  if (policy.level_plan == LevelPlan::kLearned || !has_several || !IsKnown(file, use) ||
      !LevelsAreKnown(file, use)) {
    return;
  }
  const double ratio = OfBestLevels(use);
  if (ratio > kWorthAPlan) return;
  policy.level_plan = LevelPlan::kLearned;
  advice->gain.push_back(
      {families,
       absl::StrCat(
           "rates that follow the lookups of each level would have ",
           absl::StrFormat("%.2f", ratio),
           " of the false reads in the same memory: level_plan=learned does that, and more "
           "where lookups prefer some ranges of keys"),
       ShortText(policy), /*spares_reads=*/true});
}

std::string WhyNoVerdict(const FilterUseFile& file, const UseAdvice& advice) {
  const bool any =
      absl::c_any_of(advice.rows, [](const UseRow& row) { return row.has_enough_asks; });
  if (any) return std::string();
  if (advice.rows.empty()) {
    return "There is no verdict: the figures have no rows, as no filter of Winnow's was asked or "
           "in memory. Take them once the database has been read for a while.";
  }
  return absl::StrCat("There is no verdict: fewer than ", kEnoughAsks,
                      " asks of each policy were counted, and so few tell nothing. One ask in ",
                      file.one_counted_of, " is counted: take the figures again after ",
                      kEnoughAsks * file.one_counted_of, " asks.");
}

}  // namespace

UseOfLevel UseOfPolicy::Sum() const {
  UseOfLevel sum;
  for (const UseOfLevel& level : levels) {
    if (level.asks_counted) sum.asks_counted = sum.asks_counted.value_or(0) + *level.asks_counted;
    sum.asks += level.asks;
    sum.denied += level.denied;
    sum.false_positives += level.false_positives;
    sum.filters += level.filters;
    sum.keys += level.keys;
    sum.bytes += level.bytes;
  }
  return sum;
}

double UseOfPolicy::false_reads_a_second() const {
  return seconds > 0 ? Sum().false_positives / seconds : 0;
}

std::string FamiliesText(const UseOfPolicy& use) {
  const std::string families = use.families.empty() ? "column families that are not known"
                                                    : absl::StrJoin(use.families, ", ");
  return use.databases.empty() ? families
                               : absl::StrCat(families, " of ", absl::StrJoin(use.databases, ", "));
}

UseAdvice AdviseByUse(const FilterUseFile& file, std::optional<double> budget_bytes) {
  UseAdvice advice;
  for (const UseOfPolicy& use : file.policies) {
    UseRow row;
    row.use = use;
    row.policy = OptionsOfShortText(use.policy);
    row.has_enough_asks = file.HasEnoughAsks(use.Sum());
    advice.rows.push_back(std::move(row));
  }
  absl::c_stable_sort(advice.rows, [](const UseRow& a, const UseRow& b) {
    return a.use.false_reads_a_second() > b.use.false_reads_a_second();
  });
  advice.no_verdict = WhyNoVerdict(file, advice);
  FindBits(file, budget_bytes, &advice);
  if (advice.rows.empty()) return advice;
  bool has_unasked = false;
  bool has_few_on_a_level = false;
  bool has_memory = false;
  double seconds = 0;
  for (const UseRow& row : advice.rows) {
    if (!row.advised_bits) FindUse(file, row, &advice);
    has_unasked = has_unasked || !row.has_enough_asks;
    has_few_on_a_level =
        has_few_on_a_level || (row.has_enough_asks && !LevelsAreKnown(file, row.use));
    has_memory = has_memory || row.policy.filter_memory > 0;
    seconds = std::max(seconds, row.use.seconds);
  }
  advice.unknown = {
      absl::StrCat("All figures are since a policy was made, ", Figure(seconds),
                   " seconds at most: what was asked an hour ago counts as what is asked now."),
      "Which keys are looked up: whether lookups prefer some ranges (level_plan=learned finds "
      "out), and whether a few absent keys come again and again. Each of these is always a false "
      "read or never, and false reads here are those to expect of keys that differ.",
      "What bits a level plan, or files of before a change of the policy, gave each file: other "
      "bits are taken to change all rates alike.",
      "Whether a false read comes from the disk: its block may be in a cache."};
  const double few = kEnoughAsks * file.one_counted_of;
  if (has_unasked) {
    advice.unknown.push_back(absl::StrCat("What policies need whose filters were asked fewer than ",
                                          few, " times: these keep their bits."));
  }
  if (has_few_on_a_level) {
    advice.unknown.push_back(absl::StrCat(
        "Whether other rates by level would spare false reads in policies whose filters of a level "
        "were asked fewer than ",
        few, " times."));
  }
  if (has_memory) {
    advice.unknown.push_back(
        "Policies with filter_memory choose their bits themselves: with level_plan=learned, by the "
        "lookups of each column family.");
  }
  return advice;
}

}  // namespace winnow::inspect
