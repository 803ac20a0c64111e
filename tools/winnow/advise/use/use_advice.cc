#include "tools/winnow/advise/use/use_advice.h"

#include <absl/strings/numbers.h>
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
#include "src/text/numbers.h"

namespace winnow::inspect {
namespace {

// Bits that are looked at.
constexpr double kFewestBits = 4;
constexpr double kMostBits = 20;
constexpr double kStep = 0.5;

// Below so many denied ones among the counted asks, nothing is said of a policy's bits.
constexpr double kEnoughDenied = 20;

// What false reads have to fall to, to be worth a change of several policies.
constexpr double kWorthAChange = 0.7;
// Other bits that differ by less are not worth a line, if the memory allows to leave them.
constexpr double kFewBits = 1.5;
constexpr double kMoreMemory = 1.1;
// The share of asks that are denied up to which filters are of no use, and the asks a second, as a
// part of all, from which on they are worth looking at.
constexpr double kOfNoUse = 0.01;
// What false reads fall to by rates that follow the levels, to be worth a word.
constexpr double kWorthAPlan = 0.75;

struct PolicyText {
  std::vector<std::pair<std::string, std::string>> options;  // the first is the name

  explicit PolicyText(absl::string_view text) {
    if (!text.empty() && text.front() == '{' && text.back() == '}') {
      text = text.substr(1, text.size() - 2);
    }
    for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
      const std::pair<std::string, std::string> option =
          absl::StrSplit(part, absl::MaxSplits('=', 1));
      options.push_back(option);
    }
    if (options.empty() || options.front().second.empty()) {
      const std::string name = options.empty() ? "winnow" : options.front().first;
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(name, absl::MaxSplits(':', 1));
      if (!options.empty()) options.erase(options.begin());
      options.insert(options.begin(), {"id", parts.first});
      if (!parts.second.empty()) Set("bits_per_key", parts.second);
    } else if (options.front().first != "id") {
      options.insert(options.begin(), {"id", "winnow"});
    }
  }

  std::string Get(absl::string_view name) const {
    for (const auto& [key, value] : options) {
      if (key == name) return value;
    }
    return "";
  }
  void Set(absl::string_view name, absl::string_view value) {
    for (auto& [key, old] : options) {
      if (key != name) continue;
      old = std::string(value);
      return;
    }
    options.emplace_back(name, value);
  }
  double Bits() const {
    double bits = 0;
    return absl::SimpleAtod(Get("bits_per_key"), &bits) && bits > 0 ? bits : 10;
  }
  bool HasMemory() const {
    const std::string memory = Get("filter_memory");
    return !memory.empty() && memory != "0";
  }
  bool Learns() const { return Get("level_plan") == "learned"; }
  std::string ToString() const {
    return absl::StrCat("{", absl::StrJoin(options, ";", absl::PairFormatter("=")), "}");
  }
};

double BytesOf(double keys, double bits) {
  FilterOptions options;
  options.bits_per_key = bits;
  const auto whole = static_cast<uint64_t>(std::clamp(keys, 1.0, 1e15));
  return static_cast<double>(core::EstimateBytes(whole, core::ForBuilding(options)));
}

// What a policy would take and let through with other bits, by what it does now.
class Policy {
 public:
  Policy(const UseOfPolicy& use, double bits_now) : use_(use), bits_now_(bits_now) {}

  double Bytes(double bits) const {
    double bytes = 0;
    for (const UseOfLevel& level : use_.levels) {
      const double keys = level.filters > 0 ? level.keys / level.filters : 0;
      if (keys > 0) bytes += level.bytes * BytesOf(keys, bits) / BytesOf(keys, bits_now_);
    }
    return bytes;
  }
  // A second.
  double FalseReads(double bits) const {
    const double change = core::RateForBits(bits) / core::RateForBits(bits_now_);
    double reads = 0;
    for (const UseOfLevel& level : use_.levels) {
      const double absent = level.denied + level.false_positives;
      reads += std::min(absent, level.false_positives * change);
    }
    return use_.seconds > 0 ? reads / use_.seconds : 0;
  }

 private:
  const UseOfPolicy& use_;
  const double bits_now_;
};

bool IsKnown(const FilterUseFile& file, const UseOfPolicy& use) {
  const UseOfLevel sum = use.Sum();
  return file.HasEnoughAsks(sum) && sum.denied >= kEnoughDenied * file.one_counted_of;
}

// Of each level that has filters.
bool LevelsAreKnown(const FilterUseFile& file, const UseOfPolicy& use) {
  return std::all_of(use.levels.begin(), use.levels.end(), [&](const UseOfLevel& level) {
    return !(level.keys > 0) || file.HasEnoughAsks(level);
  });
}

// The bits of each policy with which all together have the fewest false reads in the memory: steps
// are taken where they spare most for their bytes, which is best as each step spares less than the
// one before. Policies of which too little is known keep theirs.
std::vector<double> BestBits(const std::vector<Policy>& policies, const std::vector<double>& now,
                             const std::vector<bool>& may_change, double budget) {
  std::vector<double> bits = now;
  double bytes = 0;
  for (size_t i = 0; i < policies.size(); ++i) {
    if (may_change[i]) bits[i] = kFewestBits;
    bytes += policies[i].Bytes(bits[i]);
  }
  for (;;) {
    size_t best = policies.size();
    double most = 0;
    double bytes_of_best = 0;
    for (size_t i = 0; i < policies.size(); ++i) {
      if (!may_change[i] || bits[i] >= kMostBits) continue;
      const double more = policies[i].Bytes(bits[i] + kStep) - policies[i].Bytes(bits[i]);
      const double spared =
          policies[i].FalseReads(bits[i]) - policies[i].FalseReads(bits[i] + kStep);
      if (bytes + more > budget || spared / std::max(more, 1.0) <= most) continue;
      most = spared / std::max(more, 1.0);
      best = i;
      bytes_of_best = more;
    }
    if (best == policies.size()) return bits;
    bits[best] += kStep;
    bytes += bytes_of_best;
  }
}

// The false reads with rates in proportion to keys / lookups on each level, in the same memory, to
// those of now (src/rocksdb/trees/tree_rates.h).
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
  // bits = sum of keys * (log2(absent / keys) - log2(lambda)), and false reads are lambda * keys.
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
  std::vector<Policy> policies;
  std::vector<double> now;
  std::vector<bool> may_change;
  for (UseRow& row : advice->rows) {
    policies.emplace_back(row.use, row.bits_per_key);
    now.push_back(row.bits_per_key);
    may_change.push_back(IsKnown(file, row.use) && !PolicyText(row.use.policy).HasMemory());
  }
  const auto sum = [&](const std::vector<double>& bits, auto of) {
    double all = 0;
    for (size_t i = 0; i < bits.size(); ++i) all += of(policies[i], bits[i]);
    return all;
  };
  const auto bytes = [](const Policy& policy, double bits) { return policy.Bytes(bits); };
  const auto reads = [](const Policy& policy, double bits) { return policy.FalseReads(bits); };
  advice->bytes = sum(now, bytes);
  advice->false_reads = sum(now, reads);
  advice->budget_bytes = asked.value_or(advice->bytes);
  std::vector<double> best = BestBits(policies, now, may_change, advice->budget_bytes);
  std::vector<double> least = best;
  if (!advice->no_verdict.empty()) std::fill(least.begin(), least.end(), kFewestBits);
  advice->fits = sum(least, bytes) <= advice->budget_bytes * 1.001;
  const bool is_worth_it =
      asked.has_value() || sum(best, reads) <= kWorthAChange * advice->false_reads;
  if (is_worth_it && !asked) {
    std::vector<double> fewer = best;
    for (size_t i = 0; i < best.size(); ++i) {
      if (std::abs(best[i] - now[i]) < kFewBits) fewer[i] = now[i];
    }
    if (sum(fewer, bytes) <= kMoreMemory * advice->bytes &&
        sum(fewer, reads) <= kWorthAChange * advice->false_reads) {
      best = std::move(fewer);
    }
  }
  if (!is_worth_it) best = now;
  advice->advised_bytes = sum(best, bytes);
  advice->advised_false_reads = sum(best, reads);
  for (size_t i = 0; i < best.size(); ++i) {
    UseRow& row = advice->rows[i];
    row.advised_bytes = policies[i].Bytes(best[i]);
    row.advised_false_reads = policies[i].FalseReads(best[i]);
    if (std::abs(best[i] - now[i]) < kStep) continue;
    row.advised_bits = best[i];
    PolicyText text(row.use.policy);
    text.Set("bits_per_key", Decimals(best[i], 1));
    advice->mend.push_back(
        {FamiliesText(row.use),
         absl::StrCat("bits_per_key=", Decimals(row.bits_per_key, 2), " lets ",
                      Seconds(policies[i].FalseReads(now[i])), " through as false reads; ",
                      Decimals(best[i], 1), " would let ", Seconds(row.advised_false_reads),
                      ", and take ", ByteSize(row.advised_bytes), " in place of ",
                      ByteSize(policies[i].Bytes(now[i]))),
         text.ToString(), /*spares_reads=*/true});
  }
}

// What does not depend on other policies.
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
  const auto last =
      std::max_element(use.levels.begin(), use.levels.end(),
                       [](const UseOfLevel& a, const UseOfLevel& b) { return a.level < b.level; });
  const bool has_several = use.levels.size() > 1 && last->level > 0;
  PolicyText text(use.policy);
  if (has_several && file.HasEnoughAsks(*last) && last->denied <= kOfNoUse * last->asks &&
      text.Get("absent_share") != "0") {
    if (text.Get("level_plan") == "uniform") text.Set("level_plan", "auto");
    text.Set("absent_share", "0");
    advice->gain.push_back(
        {families,
         absl::StrCat("filters of the last level (", last->level, ") deny ",
                      Percent(last->denied / last->asks),
                      " of what they are asked, as nearly all lookups find their key there. With "
                      "absent_share=0 that level has no filters, which frees ",
                      ByteSize(last->bytes)),
         text.ToString()});
    return;
  }
  if (text.Learns() || !has_several || !IsKnown(file, use) || !LevelsAreKnown(file, use)) return;
  const double ratio = OfBestLevels(use);
  if (ratio > kWorthAPlan) return;
  text.Set("level_plan", "learned");
  advice->gain.push_back(
      {families,
       absl::StrCat(
           "rates that follow the lookups of each level would have ",
           absl::StrFormat("%.2f", ratio),
           " of the false reads in the same memory: level_plan=learned does that, and more "
           "where lookups prefer some ranges of keys"),
       text.ToString(), /*spares_reads=*/true});
}

std::string WhyNoVerdict(const FilterUseFile& file, const UseAdvice& advice) {
  const bool any = std::any_of(advice.rows.begin(), advice.rows.end(),
                               [](const UseRow& row) { return row.has_enough_asks; });
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
    row.bits_per_key = PolicyText(use.policy).Bits();
    row.has_enough_asks = file.HasEnoughAsks(use.Sum());
    advice.rows.push_back(std::move(row));
  }
  std::stable_sort(advice.rows.begin(), advice.rows.end(), [](const UseRow& a, const UseRow& b) {
    return a.use.false_reads_a_second() > b.use.false_reads_a_second();
  });
  advice.no_verdict = WhyNoVerdict(file, advice);
  FindBits(file, budget_bytes, &advice);
  if (advice.rows.empty()) return advice;
  size_t unasked = 0;
  size_t with_few_on_a_level = 0;
  size_t with_memory = 0;
  double seconds = 0;
  for (const UseRow& row : advice.rows) {
    if (!row.advised_bits) FindUse(file, row, &advice);
    unasked += row.has_enough_asks ? 0 : 1;
    with_few_on_a_level += row.has_enough_asks && !LevelsAreKnown(file, row.use) ? 1 : 0;
    with_memory += PolicyText(row.use.policy).HasMemory() ? 1 : 0;
    seconds = std::max(seconds, row.use.seconds);
  }
  advice.unknown = {
      absl::StrCat("All figures are since a policy was made, ", Figure(seconds),
                   " seconds at most: what was asked an hour ago counts as what is asked now."),
      "Which keys are looked up: whether lookups prefer some ranges (level_plan=learned finds "
      "out), "
      "and whether a few absent keys come again and again. Each of these is always a false read or "
      "never, and false reads here are those to expect of keys that differ.",
      "What bits a level plan, or files of before a change of the policy, gave each file: other "
      "bits "
      "are taken to change all rates alike.",
      "Whether a false read comes from the disk: its block may be in a cache."};
  if (unasked > 0) {
    advice.unknown.push_back(absl::StrCat(
        "What ", unasked == 1 ? "a policy needs" : absl::StrCat(unasked, " policies need"),
        " whose filters were asked fewer than ", kEnoughAsks * file.one_counted_of,
        " times: these keep their bits."));
  }
  if (with_few_on_a_level > 0) {
    advice.unknown.push_back(absl::StrCat(
        "Whether other rates by level would spare false reads in ",
        with_few_on_a_level == 1 ? "a policy" : absl::StrCat(with_few_on_a_level, " policies"),
        ": on a level the filters were asked fewer than ", kEnoughAsks * file.one_counted_of,
        " times."));
  }
  if (with_memory > 0) {
    advice.unknown.push_back(
        "Policies with filter_memory choose their bits themselves: with level_plan=learned, by the "
        "lookups of each column family.");
  }
  return advice;
}

}  // namespace winnow::inspect
