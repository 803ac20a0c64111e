#include "tools/winnow/advise/verdict.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/range_options.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_rows.h"

namespace winnow::inspect {
namespace {

// Minimum number of counted false reads for a verdict: fewer can't show a difference of 30%.
constexpr double kEnoughCounted = 50;

// Relative saving that makes a change worthwhile.
constexpr double kWorthwhile = 0.03;

// Share by which a row may exceed the current memory and still count as having the current memory.
constexpr double kSameMemory = 0.01;

constexpr char kPrefixesArePresent[] =
    "Nearly all made-up lookups have prefixes that are in the files, so that they can't show what "
    "filters of prefixes save: --lookups=FILE takes recorded ones.";

// Rounds up to two significant digits.
double RoundUp(double number) {
  const double step = std::pow(10, std::max(0.0, std::floor(std::log10(number)) - 1));
  return step * std::ceil(number / step);
}

template <typename Is>
const AdviceRow* FindRow(const Advice& advice, const Is& is) {
  const auto found = absl::c_find_if(advice.rows, is);
  return found == advice.rows.end() ? nullptr : &*found;
}

const AdviceRow* RowOf(const Advice& advice, const std::string& policy) {
  return FindRow(advice, [&](const AdviceRow& row) { return row.OnePolicy() == policy; });
}

bool IsBelow(double figure, double of_now) { return figure < (1 - kWorthwhile) * of_now; }

bool IsWorseCompacted(const AdviceRow& row, const AdviceRow& now) {
  return row.compacted && now.compacted &&
         row.compacted->false_reads > (1 + kWorthwhile) * now.compacted->false_reads;
}

bool HasPlan(const std::string& policy) {
  const std::optional<PolicyOptions> winnow = WinnowPolicyOf(policy);
  return winnow && winnow->level_plan != LevelPlan::kUniform;
}

bool HasFilterMemory(const std::string& policy) {
  const std::optional<PolicyOptions> winnow = WinnowPolicyOf(policy);
  return winnow && winnow->filter_memory > 0;
}

class Judge {
 public:
  Judge(const AdviceReading& reading, const AdviceOptions& options, const Advice& advice)
      : read_(reading), options_(options), advice_(advice), now_(advice.rows.front()) {}

  Verdict Judged() {
    constexpr size_t kSentences = 2;
    Decide();
    for (size_t i = 0; i < said_.size(); ++i) {
      if (i < kSentences) {
        absl::StrAppend(&verdict_.says, i > 0 ? " " : "", said_[i]);
      } else {
        verdict_.notes.push_back(said_[i]);
      }
    }
    NoteWhatToSet();
    NoteLookups();
    NotePolicies();
    NoteFiles();
    return std::move(verdict_);
  }

 private:
  // The first sentences are the verdict, and further ones are notes.
  void Say(std::string sentence) { said_.push_back(std::move(sentence)); }

  void Note(bool holds, std::string sentence) {
    if (holds) verdict_.notes.push_back(std::move(sentence));
  }

  void Decide() {
    if (!read_.AsksInVain()) {
      Say("None of these lookups asks a file for a key that it does not have, so no filter would "
          "save a read: there is nothing to recommend.");
    } else if (read_.NoPolicyBuilds()) {
      Say("The OPTIONS file has optimize_filters_for_hits, and all files are on the last level, "
          "which therefore gets no filters with any policy: turn it off if lookups of absent keys "
          "matter.");
    } else {
      NameOptionForHits();
      Choose();
    }
  }

  void Choose() {
    if (advice_.budget_bytes) {
      SpendBudget();
    } else if (MostPrefixesArePresent()) {
      Say(kPrefixesArePresent);
    } else if (const double needed = LookupsNeeded();
               needed > static_cast<double>(read_.num_lookups)) {
      Say(absl::StrFormat("%d lookups are too few to tell policies apart: %s.", read_.num_lookups,
                          options_.recorded ? absl::StrFormat("some %.0f are enough", needed)
                                            : absl::StrFormat("--draws=%.0f makes enough",
                                                              RoundUp(needed / MadeOfADraw()))));
    } else if (now_.bytes == 0) {
      AddFilters();
    } else if (const AdviceRow* const change = BestChange(); change != nullptr) {
      Take(*change);
    } else {
      Keep();
    }
  }

  // Puts the option first, as it matters more than any policy.
  void NameOptionForHits() {
    double asks = 0;  // of absent keys, in files whose filters RocksDB doesn't ask
    for (const AdvicePiece& piece : read_.AllPieces()) {
      const AdvisedFile& file = read_.FileOf(piece);
      const bool is_asked = read_.families[piece.family].shape.last_level_has_filters ||
                            !(file.place.bottommost || IsFilterSkipped(file));
      asks += is_asked ? 0 : read_.AsksOf(piece);
    }
    if (asks == 0) return;
    Say(absl::StrFormat(
        "First turn off optimize_filters_for_hits of the OPTIONS file, if lookups of absent keys "
        "matter: for it RocksDB asks no filter on the last level, and a lookup makes %.3g false "
        "reads there, whatever the policy.",
        read_.ALookup(asks)));
  }

  // Returns the number of lookups that very probably have kEnoughCounted false reads, or 0 if there
  // are enough already. Assumes the lowest plausible present rate; if that is unknown, half of the
  // rate of RocksDB's Bloom filter.
  double LookupsNeeded() const {
    constexpr double kSurelyEnough = kEnoughCounted + 15;  // two standard deviations
    const auto counted = static_cast<double>(*now_.counted);
    if (counted >= kEnoughCounted) return 0;
    double rate = counted >= 5 ? now_.interval.low : 0;
    if (rate <= 0) rate = RowOf(advice_, "bloomfilter:10")->false_reads / 2;
    return RoundUp(
        std::max(static_cast<double>(read_.num_lookups) + 1, kSurelyEnough / std::max(rate, 1e-6)));
  }

  // Returns the share of drawn lookups that count.
  double MadeOfADraw() const {
    return std::max(0.01, static_cast<double>(read_.num_lookups) /
                              std::max(1.0, static_cast<double>(options_.lookups)));
  }

  // Sets the choice, with the range filters of the policy in force. Returns "filter_policy=…".
  std::string Recommend(const AdviceRow& row) {
    verdict_.choice = row.OnePolicy();
    const PolicyOptions in_force =
        WinnowPolicyOf(read_.families.front().shape.policy).value_or(PolicyOptions());
    if (in_force.range_bits > 0 && !verdict_.choice.empty()) {
      const std::string kept =
          TextWithRanges(verdict_.choice, in_force.range_bits, in_force.range_kind);
      Note(kept.empty(), absl::StrFormat("%s builds no range filters, as range_bits=%g of the "
                                         "policy in force does.",
                                         verdict_.choice, in_force.range_bits));
      if (!kept.empty()) verdict_.choice = kept;
    }
    return verdict_.choice.empty() ? "the policies of the split"
                                   : absl::StrCat("filter_policy=", verdict_.choice);
  }

  void AddFilters() {
    const AdviceRow& row = *RowOf(advice_, WinnowText(kUsualBits));
    Say(
        absl::StrFormat("The files have no filters: with %s a lookup would make %.3g false reads "
                        "instead of %.3g, for %.2f bits per key.",
                        Recommend(row), row.false_reads, now_.false_reads,
                        8 * row.bytes / std::max(1.0, static_cast<double>(read_.keys))));
    SayOnceCompacted(row);
  }

  // Returns true if the false reads are significantly fewer than the present ones, which are a
  // sample.
  bool SavesReads(const AdviceRow& row) const {
    return IsBelow(row.false_reads,
                   std::min(now_.false_reads, now_.interval.low / (1 - kWorthwhile))) &&
           row.bytes < (1 + kSameMemory) * now_.bytes;
  }

  bool SavesMemory(const AdviceRow& row) const {
    return !read_.SomeServeScansAlone() && IsBelow(row.bytes, now_.bytes) && now_.false_reads > 0 &&
           row.false_reads <= std::min((1 + kWorthwhile) * now_.false_reads, now_.interval.high);
  }

  // Returns the change to recommend, or null. The rows that have the memory or the reads of now
  // come first. Among these, and among the others, a row that is worse after a full compaction
  // comes last, and fewer false reads are preferred to less memory.
  const AdviceRow* BestChange() const {
    using Rank = std::tuple<bool, bool, int, double>;
    std::optional<std::pair<Rank, const AdviceRow*>> best;
    for (const AdviceRow& row : advice_.rows) {
      const bool saves_reads = SavesReads(row);
      if (&row == &now_ || row.OnePolicy().empty() || !(saves_reads || SavesMemory(row))) continue;
      const bool has_memory_of_now = row.purpose == RowPurpose::kMemoryOfNow;
      const bool is_other = !has_memory_of_now && row.purpose != RowPurpose::kReadsOfNow;
      const bool is_first = is_other ? saves_reads : has_memory_of_now;
      const Rank rank = {is_other, IsWorseCompacted(row, now_), is_first ? 0 : 1,
                         saves_reads ? row.false_reads : 0};
      if (!best || rank < best->first) best = {rank, &row};
    }
    return best ? best->second : nullptr;
  }

  void Take(const AdviceRow& row) {
    const double reads = row.false_reads / now_.false_reads;
    Say(absl::StrFormat("Take %s: lookups make %s, with %.2f times the memory.", Recommend(row),
                        SavesReads(row) ? absl::StrFormat("%.2f times the false reads", reads)
                                        : absl::StrFormat("as few false reads (%.2f times)", reads),
                        row.bytes / now_.bytes));
    SayOnceCompacted(row);
  }

  void Keep() {
    Say(read_.SomeServeScansAlone()
            ? "Keep what there is: none of these policies surely reads 3 % less with the same "
              "memory. None with less memory is recommended: the filters have prefixes and no "
              "whole keys, so that scans use them, and lookups don't tell what scans would read."
            : "Keep what there is: none of these policies takes 3 % less memory for as few false "
              "reads, or surely reads 3 % less with the same memory.");
  }

  // Says the policy's false reads after a full compaction, with a warning if they exceed those of
  // the policy in force.
  void SayOnceCompacted(const AdviceRow& row) {
    if (!row.compacted) return;
    const std::string reads =
        absl::StrFormat("nce all is compacted into one level, a lookup makes %.3g false reads",
                        row.compacted->false_reads);
    if (!now_.compacted) {
      Say(absl::StrCat("O", reads, "."));
      return;
    }
    const std::string of_now =
        absl::StrFormat("%.3g with the present policy", now_.compacted->false_reads);
    const bool fits = !advice_.budget_bytes ||
                      std::max(now_.bytes, now_.compacted->bytes) <= *advice_.budget_bytes;
    Say(IsWorseCompacted(row, now_)
            ? absl::StrCat("But o", reads, ", and only ", of_now,
                           fits ? ": if you run full compactions, keep what there is."
                                : ", which takes more than the budget.")
            : absl::StrCat("O", reads, ", and ", of_now, "."));
  }

  // Returns true if lookups were drawn for filters that have only prefixes, and over half of them
  // would pass any filter.
  bool MostPrefixesArePresent() const {
    if (options_.recorded) return false;
    double asks = 0;
    double sure = 0;
    for (const FamilyLookups& lookups : read_.lookups) {
      for (const auto& of_file : lookups.asks) asks += static_cast<double>(of_file.size());
      for (const uint64_t of_file : lookups.sure) sure += static_cast<double>(of_file);
    }
    return sure > asks / 2;
  }

  void SpendBudget() {
    const double budget = *advice_.budget_bytes;
    if (advice_.budget.empty()) {
      Say(
          absl::StrFormat("The budget is too small: even with %g bits per key, the filters of all "
                          "files take %.0f bytes, and the budget is %.0f.",
                          kMinBudgetBits, advice_.least_bytes, budget));
      return;
    }
    const AdviceRow& split = SplitRow();
    // A single policy is preferred if bits per family save little, as it is simpler to set.
    const AdviceRow* one =
        advice_.one_policy.empty() ? nullptr : RowOf(advice_, advice_.one_policy);
    if (one != nullptr && (one->bytes > budget || !split.OnePolicy().empty())) one = nullptr;
    const bool one_does =
        one != nullptr && one->false_reads * (1 - kWorthwhile) <= split.false_reads;
    const AdviceRow& chosen = one_does ? *one : split;
    const AdviceRow* const better = BetterWithinBudget(chosen);
    const AdviceRow& row = better != nullptr ? *better : chosen;
    Say(absl::StrFormat(
        "With %s the filters take %.0f bytes of the budget of %.0f, and a lookup "
        "makes %.3g false reads; now it is %.3g, for %.0f bytes.",
        Recommend(row), row.bytes, budget, row.false_reads, now_.false_reads, now_.bytes));
    SayOnceCompacted(row);
    if (better == nullptr && one != nullptr && !one_does) {
      Note(true, absl::StrFormat("With one policy for all, filter_policy=%s, a lookup makes %.3g "
                                 "false reads.",
                                 one->OnePolicy(), one->false_reads));
    }
    Note(advice_.budget_is_enough,
         absl::StrFormat("The rest of the budget, %.0f bytes, is left: filters of more than %g "
                         "bits per key are not tried (--try_policy tries one).",
                         budget - row.bytes, kMaxBudgetBits));
  }

  const AdviceRow& SplitRow() const {
    std::vector<std::string> split;
    for (const BudgetPart& part : advice_.budget) split.push_back(part.policy);
    return *FindRow(advice_, [&](const AdviceRow& row) { return row.policies == split; });
  }

  // Returns a row that fits the budget and has fewer false reads, such as one of --try_policy, or
  // null.
  const AdviceRow* BetterWithinBudget(const AdviceRow& chosen) const {
    const AdviceRow* best = nullptr;
    for (const AdviceRow& row : advice_.rows) {
      if (&row != &now_ && !row.OnePolicy().empty() && row.bytes <= *advice_.budget_bytes &&
          IsBelow(row.false_reads, chosen.false_reads) &&
          (best == nullptr || row.false_reads < best->false_reads)) {
        best = &row;
      }
    }
    return best;
  }

  void NoteWhatToSet() {
    const bool splits = verdict_.choice.empty() && advice_.FitsBudget();
    Note(HasPlan(verdict_.choice) || splits,
         "Set the listener with it, by which Winnow knows all files after a restart: "
         "listeners=winnow in the DBOptions, or winnow::NewListener in code; winnow run adds it.");
    const auto holds_memory = [](const AdvisedFamily& family) {
      return HasFilterMemory(family.shape.policy);
    };
    Note(absl::c_any_of(options_.policies, HasFilterMemory) ||
             absl::c_any_of(read_.families, holds_memory),
         "filter_memory is not taken into account: policies that have it are judged by their "
         "bits_per_key. --budget divides a given memory.");
  }

  void NoteLookups() {
    Note(!options_.recorded,
         "Lookups are made up: near misses of keys, drawn from all keys alike. Files can't tell "
         "which keys are looked up, how often, and how many of them exist: --lookups=FILE takes "
         "recorded lookups, which Winnow's filters learn from.");
    Note(advice_.budget_bytes && MostPrefixesArePresent(), kPrefixesArePresent);
    Note(read_.SomeServeScansAlone(),
         "Scans that use these filters are not counted: no policy of less memory is recommended, "
         "unless --budget asks for one.");
  }

  void NotePolicies() {
    std::set<std::string> unknown;  // reasons
    for (const AdvisedFamily& family : read_.families) {
      Note(family.is_policy_of_files,
           absl::StrCat("The policy in force",
                        read_.families.size() > 1
                            ? absl::StrCat(" of column family '", family.name, "'")
                            : "",
                        " is taken to be about ", family.shape.policy,
                        ", by the rates that filters note: the newest one is Winnow's, and the "
                        "OPTIONS file has ",
                        family.by_options.empty() ? "no filter policy" : family.by_options,
                        ", as with a preloaded Winnow."));
      if (!now_.compacted && family.costs->policy_in_force().empty()) {
        unknown.insert(family.database.empty() ? "name the database's folder, whose OPTIONS file "
                                                 "has it, rather than its files"
                       : family.shape_problem.empty()
                           ? "the OPTIONS file names none that this program has"
                           : absl::StrCat(family.shape_problem,
                                          ", so that the tree is taken to "
                                          "have RocksDB's default options"));
      }
    }
    for (const std::string& why : unknown) {
      Note(true, absl::StrCat("The policy in force is not known: ", why, "."));
    }
  }

  void NoteFiles() {
    Note(
        read_.HasFile([](const AdvisedFile& file) { return file.unread_filter; }),
        "Some files have filters of a policy that this program does not read: they count as none.");
    Note(absl::c_any_of(read_.families,
                        [](const AdvisedFamily& family) { return !family.knows_levels; }),
         "Some files have no known level: a lookup is taken to ask all of them whose range has "
         "the key, the highest number first.");
    uint64_t range_bytes = 0;
    for (const AdviceFamilyReport& family : advice_.families) range_bytes += family.range_bytes;
    Note(range_bytes > 0 && advice_.budget_bytes,
         absl::StrCat("Range filters take ", range_bytes,
                      " bytes now, which are not in the budget: a policy that keeps range_bits "
                      "goes on building them."));
    if (advice_.scans) return;  // SayScans() has these
    for (const AdvisedFamily& family : read_.families) {
      for (const std::string& problem :
           RangeOptionsOf(family.shape.policy, family.shape.text).problems) {
        Note(true, absl::StrCat("As it is, ", problem, "."));
      }
    }
  }

  const AdviceReading& read_;
  const AdviceOptions& options_;
  const Advice& advice_;
  const AdviceRow& now_;
  std::vector<std::string> said_;
  Verdict verdict_;
};

}  // namespace

Verdict VerdictOn(const AdviceReading& reading, const AdviceOptions& options,
                  const Advice& advice) {
  return Judge(reading, options, advice).Judged();
}

}  // namespace winnow::inspect
