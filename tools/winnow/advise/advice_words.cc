#include "tools/winnow/advise/advice_words.h"

#include <absl/algorithm/container.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/moved_files.h"
#include "src/policy_trial/range_options.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/advice_rows.h"

namespace winnow::inspect {
namespace {

// Minimum number of lookups for meaningful rates of about 1%.
constexpr uint64_t kFewLookups = 10'000;

// Minimum number of counted false reads for a verdict: fewer can't show a difference of 30%.
constexpr double kEnoughCounted = 50;

// Relative saving that makes a change worthwhile.
constexpr double kWorthwhile = 0.03;

// Share by which a row may exceed the current memory and still count as having the current memory.
constexpr double kSameMemory = 0.01;

constexpr char kSetListener[] =
    " Set the listener with it: listeners=winnow in the DBOptions, for all column families; in "
    "code winnow::NewListener of winnow/rocksdb_listener.h, for each policy; winnow run adds it. "
    "Without it, a reopened database plans as if it had no files.";

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

const AdviceRow* RowOf(const Advice& advice, RowPurpose purpose) {
  return FindRow(advice, [&](const AdviceRow& row) { return row.purpose == purpose; });
}

const AdviceRow* RowOf(const Advice& advice, const std::string& policy) {
  return FindRow(advice, [&](const AdviceRow& row) { return row.OnePolicy() == policy; });
}

// Returns the row with the policies of the budget's split, or null.
const AdviceRow* BudgetRow(const Advice& advice) {
  std::vector<std::string> split;
  for (const BudgetPart& part : advice.budget) split.push_back(part.policy);
  return FindRow(advice,
                 [&](const AdviceRow& row) { return !split.empty() && row.policies == split; });
}

class Words {
 public:
  Words(const AdviceReading& reading, const AdviceOptions& options, Advice* advice)
      : read_(reading), options_(options), advice_(*advice) {}

  void Recommend() {
    const AdviceRow& now = advice_.rows.front();
    if (!read_.AsksInVain()) {
      advice_.recommendation =
          "None of these lookups asks a file for a key that it does not have, so no filter would "
          "save a read: there is nothing to recommend.";
    } else if (read_.NoPolicyBuilds()) {
      advice_.recommendation =
          "The OPTIONS file has optimize_filters_for_hits, and all files are on the last level, "
          "which therefore gets no filters with any policy: turn it off if lookups of absent "
          "keys matter." +
          SaySkippedFilters();
    } else if (advice_.budget_bytes) {
      RecommendBudget(now);
    } else if (MostPrefixesArePresent()) {
      advice_.recommendation = kPrefixesArePresent;
    } else if (const double needed = LookupsNeeded();
               needed > static_cast<double>(read_.num_lookups)) {
      advice_.recommendation = absl::StrFormat(
          "%d lookups are too few to tell policies apart: %s.", read_.num_lookups,
          options_.recorded
              ? absl::StrFormat("some %.0f are enough", needed)
              : absl::StrFormat("--draws=%.0f makes enough", RoundUp(needed / MadeOfADraw())));
    } else if (now.bytes == 0) {
      RecommendFilters(now);
    } else {
      RecommendChange(now);
    }
    NameOptionForHits();
  }

  void Assume() {
    SayLookups();
    SayTree();
    SayFilters();
    SayRangeFilters();
    Say(true, "Range deletions are not taken into account.");
  }

  // Adds the range filters of the policy in force to the recommended policy.
  void KeepRangeBits() {
    const std::string& policy = read_.families.front().shape.policy;
    const PolicyOptions now = WinnowPolicyOf(policy).value_or(PolicyOptions());
    const double range_bits = now.range_bits;
    const std::string kept = TextWithRanges(advice_.choice, range_bits, now.range_kind);
    if (range_bits == 0 || advice_.choice.empty()) return;
    absl::StrAppend(&advice_.recommendation,
                    kept.empty()
                        ? absl::StrFormat(" It builds no range filters, as range_bits=%g of the "
                                          "policy in force does.",
                                          range_bits)
                        : absl::StrCat(" To keep range filters, write it as ", kept, "."));
    if (!kept.empty()) advice_.choice = kept;
  }

 private:
  void Say(bool holds, const std::string& sentence) {
    if (holds) advice_.assumptions.push_back(sentence);
  }

  void SayLookups() {
    Say(options_.recorded.has_value(),
        "Lookups are the recorded ones, each as often as in the list; a lookup of a key that "
        "exists asks the files above it, too.");
    Say(!options_.recorded,
        absl::StrCat(
            "Lookups are made up: keys drawn from all keys alike",
            options_.absent_share < 1
                ? absl::StrFormat(", %.3g of them changed to near misses", options_.absent_share)
                : ", each changed to a near miss that is in no file",
            read_.families.size() > 1 ? ", over the column families by their keys" : "",
            ". Files can't tell which keys are looked up, how often, and how many of them exist: "
            "--lookups=FILE takes recorded lookups, which Winnow's filters are judged by."));
    SayWhatWasLearned();
    Say(advice_.lookups_dropped > 0,
        absl::StrCat("Of ", options_.lookups, " made-up lookups, ", advice_.lookups_dropped,
                     " are left out: by chance, their near misses are keys of files, or lie in no "
                     "file's range."));
    Say(advice_.lookups_left_out > 0,
        absl::StrCat(advice_.lookups_left_out,
                     " lookups were left out, evenly: the others already ask ", options_.most_asks,
                     " filters, since many files have the same range."));
  }

  void SayWhatWasLearned() {
    const bool has_learned = advice_.learned_from > 0;
    Say(options_.recorded && !has_learned,
        absl::StrCat("Winnow's filters are those without lookups: ", advice_.learning_problem,
                     "."));
    Say(options_.recorded && has_learned,
        absl::StrCat(
            "Winnow's filters, but with level_plan=uniform, are those after ", advice_.learned_from,
            options_.recorded_in_time ? " lookups of the first half of the list"
                                      : " lookups of a random half of the list",
            ", once the tree is written anew; their false reads are those of the other half, ",
            advice_.judged_by,
            " lookups. They stay so while lookups go on to ask the same ranges of keys, and come "
            "back some time after a restart.",
            kSetListener));
  }

  void SayTree() {
    const bool is_known = absl::c_any_of(
        advice_.rows, [](const AdviceRow& row) { return row.compacted.has_value(); });
    Say(is_known,
        "\"Once compacted\" is the tree after a full compaction (CompactRange): each column "
        "family in one level, each key once; now's row with the policy in force.");
    Say(!is_known,
        "What filters of prefixes read once all is compacted into one level is not known.");
    SayPoliciesOfFiles();
    if (!advice_.rows.front().compacted) {
      SayWhyPolicyIsNotKnown();
    }
    Say(true,
        "This does not count caches: a false read may find its block in memory, and filters "
        "that are not pinned may be read from disk.");
    Say(read_.num_lookups < kFewLookups,
        absl::StrCat("Only ", read_.num_lookups,
                     " lookups count, so that false reads are only roughly known."));
    Say(read_.has_plans,
        "Winnow's filters are those that the policy would build for the files as they lie now: "
        "files with few of the keys in their range have more bits. Where the last level was just "
        "compacted, filters have up to 15 % more bytes, and fewer false reads.");
    SayWhatLiesElsewhere();
  }

  void SayFilters() {
    const auto any_file = [this](auto holds) { return absl::c_any_of(read_.files, holds); };
    Say(any_file([](const AdvisedFile& file) { return !file.partitions.empty(); }),
        "Filters are partitioned at the same keys as now.");
    std::set<std::string> prefixes;
    for (const AdvisedFile& file : read_.files) {
      if (file.error.empty() && file.has_prefixes_only) {
        prefixes.insert(file.contents);
      }
    }
    for (const std::string& contents : prefixes) {
      Say(true, absl::StrCat("Filters have ", contents,
                             " and no whole keys: near misses differ within the prefix, and if the "
                             "prefix exists, no filter helps."));
    }
    Say(read_.SomeServeScansAlone(),
        "Scans that use these filters are not counted: no policy of less memory is recommended, "
        "unless --budget asks for one.");
    Say(advice_.budget_bytes && MostPrefixesArePresent(), kPrefixesArePresent);
    Say(read_.SomeAreUnfiltered() &&
            !absl::StrContains(advice_.recommendation, "optimize_filters_for_hits"),
        "The OPTIONS file has optimize_filters_for_hits: no policy builds filters for the files "
        "of the last level.");
    const auto is_sized = [](const std::string& policy) {
      const std::optional<PolicyOptions> winnow = WinnowPolicyOf(policy);
      return winnow && winnow->filter_memory > 0;
    };
    Say(absl::c_any_of(options_.policies, is_sized) ||
            absl::c_any_of(read_.families,
                           [&](const auto& family) { return is_sized(family.shape.policy); }),
        "filter_memory is not taken into account: policies that have it are judged by "
        "their bits_per_key. --budget divides a given memory.");
    Say(any_file([](const AdvisedFile& file) { return file.unread_filter; }),
        "Some files have filters of a policy that this program does not read: they count as none.");
    Say(absl::c_any_of(read_.families,
                       [](const AdvisedFamily& family) { return !family.knows_levels; }),
        "Some files have no known level: a lookup is taken to ask all of them whose range has "
        "the key, the highest number first.");
  }

  void SayRangeFilters() {
    uint64_t bytes = 0;
    for (const AdviceFamilyReport& family : advice_.families) bytes += family.range_bytes;
    Say(bytes > 0, absl::StrCat("Range filters take ", bytes, " bytes now, which neither the rows",
                                advice_.budget_bytes ? " nor the budget" : "",
                                " include: a policy that keeps range_bits goes on building them."));
    for (const AdvisedFamily& family : read_.families) {
      const RangeOptions ranges = RangeOptionsOf(family.shape.policy, family.shape.text);
      for (const std::string& problem : ranges.problems) {
        Say(!advice_.scans, absl::StrCat("As it is, ", problem, "."));
      }
    }
  }

  // Files whose filters RocksDB ignores because of optimize_filters_for_hits.
  struct UnaskedFiles {
    double asks = 0;          // lookups of absent keys
    size_t with_filters = 0;  // files that have a filter because they were moved to the last level
    double filter_bytes = 0;
  };

  UnaskedFiles FindUnasked() const {
    UnaskedFiles unasked;
    for (const AdvicePiece& piece : read_.AllPieces()) {
      const AdvisedFile& file = read_.FileOf(piece);
      const bool is_last = file.place.bottommost;
      if (read_.families[piece.family].shape.last_level_has_filters ||
          !(is_last || IsFilterSkipped(file))) {
        continue;
      }
      unasked.asks += read_.AsksOf(piece);
      unasked.with_filters += is_last && file.filter_bytes > 0 ? 1 : 0;
      unasked.filter_bytes += is_last ? static_cast<double>(file.filter_bytes) : 0;
    }
    return unasked;
  }

  // Returns a sentence, after a space, on filters that exist although no policy builds them there;
  // empty if there are none.
  std::string SaySkippedFilters() const {
    const UnaskedFiles unasked = FindUnasked();
    const size_t files = unasked.with_filters;
    if (files == 0) return std::string();
    return absl::StrCat(" ", Number(files, "file"), " that ", files == 1 ? "was" : "were",
                        " moved there ", files == 1 ? "has" : "have", " filters all the same, of ",
                        ByteSize(unasked.filter_bytes),
                        ", which go when compactions write files anew.");
  }

  // Puts the option first, as it matters more than any policy.
  void NameOptionForHits() {
    const double asks = FindUnasked().asks;
    if (asks == 0 || read_.NoPolicyBuilds()) return;
    advice_.recommendation = absl::StrCat(
        "First turn off optimize_filters_for_hits of the OPTIONS file, if lookups of absent keys "
        "matter: for it RocksDB asks no filter on the last level, and a lookup makes ",
        absl::StrFormat("%.3g", read_.ALookup(asks)), " false reads there, whatever the policy.",
        SaySkippedFilters(), " ", advice_.recommendation);
  }

  // Reports existing filters that differ from what a policy builds at the files' current places.
  void SayWhatLiesElsewhere() {
    for (const AdvisedFamily& family : read_.families) {
      if (!family.knows_levels) continue;
      std::vector<FileInTree> files;
      for (const size_t number : family.files) files.push_back(InTree(read_.files[number]));
      const std::string where =
          read_.families.size() > 1 ? absl::StrCat(" of column family '", family.name, "'") : "";
      for (const std::string& sentence : SayMovedFilters(family.shape, files, where)) {
        Say(true, absl::StrCat("As it is, ", sentence, "."));
      }
    }
  }

  static FileInTree InTree(const AdvisedFile& file) {
    FileInTree placed;
    placed.level = *file.level;
    placed.keys = file.keys;
    placed.filter_bytes = file.filter_bytes;
    placed.rate = file.rate;
    placed.built_for = file.built_for;
    placed.lacks_planned =
        file.filter_bytes == 0 && !file.unread_filter && file.policy == kWinnowPolicy;
    placed.below = file.place.below;
    return placed;
  }

  void SayPoliciesOfFiles() {
    for (const AdvisedFamily& family : read_.families) {
      const std::string options =
          family.by_options.empty() ? "no filter policy" : family.by_options;
      Say(family.is_policy_of_files,
          absl::StrCat("The policy in force",
                       read_.families.size() > 1
                           ? absl::StrCat(" of column family '", family.name, "'")
                           : "",
                       " is taken to be about ", family.shape.policy,
                       ", by the rates that filters note: the newest one is Winnow's, and the "
                       "OPTIONS file has ",
                       options, ", as with a preloaded Winnow."));
    }
  }

  void SayWhyPolicyIsNotKnown() {
    std::set<std::string> causes;
    for (size_t i = 0; i < read_.families.size(); ++i) {
      const AdvisedFamily& family = read_.families[i];
      if (family.costs->policy_in_force().empty()) {
        causes.insert(family.database.empty()
                          ? "it is in the OPTIONS file of a database, and files "
                            "were given one by one"
                      : family.shape_problem.empty()
                          ? "the OPTIONS file names none that this program has"
                          : absl::StrCat(family.shape_problem,
                                         "; the tree is taken to have RocksDB's default options"));
      }
    }
    for (const std::string& cause : causes) {
      Say(true, absl::StrCat("Now's row has no figures once compacted, since the policy in force "
                             "is not known: ",
                             cause, "."));
    }
  }

  // Returns the number of lookups that very probably have kEnoughCounted false reads, or 0 if there
  // are enough already. Assumes the lowest plausible present rate; if that is unknown, half of the
  // rate of RocksDB's Bloom filter.
  double LookupsNeeded() const {
    constexpr double kSurelyEnough = kEnoughCounted + 15;  // two standard deviations
    const AdviceRow& now = advice_.rows.front();
    const auto counted = static_cast<double>(*now.counted);
    if (counted >= kEnoughCounted) return 0;
    double rate = counted >= 5 ? now.interval.low : 0;
    if (rate <= 0) rate = RowOf(advice_, "bloomfilter:10")->false_reads / 2;
    return RoundUp(
        std::max(static_cast<double>(read_.num_lookups) + 1, kSurelyEnough / std::max(rate, 1e-6)));
  }

  // Returns the share of drawn lookups that count.
  double MadeOfADraw() const {
    return std::max(0.01, static_cast<double>(read_.num_lookups) /
                              std::max(1.0, static_cast<double>(options_.lookups)));
  }

  // Recommends filters if no file has any.
  void RecommendFilters(const AdviceRow& now) {
    const AdviceRow& row = *RowOf(advice_, WinnowText(kUsualBits));
    advice_.choice = row.OnePolicy();
    advice_.recommendation = absl::StrFormat(
        "The files have no filters: with filter_policy=%s a lookup would make %.3g false reads "
        "instead of %.3g%s, for %.2f bits per key.",
        row.OnePolicy(), row.false_reads, now.false_reads,
        row.compacted ? absl::StrFormat(", and %.3g once all is compacted into one level",
                                        row.compacted->false_reads)
                      : "",
        8 * row.bytes / std::max(1.0, static_cast<double>(read_.keys)));
    advice_.recommendation += ListenerText(row.policies);
  }

  // Recommends one change. Fewer false reads are preferred to less memory, and rows that are no
  // worse after a full compaction to others.
  void RecommendChange(const AdviceRow& now) {
    std::vector<const AdviceRow*> saving;
    for (const RowPurpose purpose : {RowPurpose::kMemoryOfNow, RowPurpose::kReadsOfNow}) {
      const AdviceRow* row = RowOf(advice_, purpose);
      if (row != nullptr && (SavesReads(*row, now) || SavesMemory(*row, now))) {
        saving.push_back(row);
      }
    }
    if (saving.empty()) {
      saving = OthersThatSave(now);
    }
    if (saving.empty()) {
      Keep();
      return;
    }
    const auto holds =
        absl::c_find_if(saving, [&](const AdviceRow* row) { return !IsWorseCompacted(*row, now); });
    const AdviceRow& choice = holds != saving.end() ? **holds : *saving.front();
    advice_.choice = choice.OnePolicy();
    const double memory = choice.bytes / now.bytes;
    const double reads = choice.false_reads / now.false_reads;
    const std::string policy = absl::StrCat("Take filter_policy=", choice.OnePolicy(), ": ");
    advice_.recommendation =
        SavesReads(choice, now)
            ? absl::StrFormat(
                  "%slookups make %.2f times the false reads, with %.2f times the memory.", policy,
                  reads, memory)
            : absl::StrFormat(
                  "%slookups make as few false reads (%.2f times), with %.2f times the memory.",
                  policy, reads, memory);
    absl::StrAppend(&advice_.recommendation, OnceCompacted(choice, now));
    advice_.recommendation += ListenerText(choice.policies);
  }

  // Returns other rows that save something, if the rows with the same memory or the same reads
  // do not.
  std::vector<const AdviceRow*> OthersThatSave(const AdviceRow& now) const {
    std::vector<const AdviceRow*> reads;
    std::vector<const AdviceRow*> memory;
    for (const AdviceRow& row : advice_.rows) {
      if (&row == &now || row.OnePolicy().empty()) continue;
      if (SavesReads(row, now)) {
        reads.push_back(&row);
      } else if (SavesMemory(row, now)) {
        memory.push_back(&row);
      }
    }
    absl::c_stable_sort(reads, [](const AdviceRow* a, const AdviceRow* b) {
      return a->false_reads < b->false_reads;
    });
    reads.insert(reads.end(), memory.begin(), memory.end());
    return reads;
  }

  void Keep() {
    advice_.recommendation =
        read_.SomeServeScansAlone()
            ? "Keep what there is: none of these policies surely reads 3 % less with the same "
              "memory. "
              "None with less memory is recommended: the filters have prefixes and no whole keys, "
              "so that scans use them, and lookups don't tell what scans would read."
            : "Keep what there is: none of these policies takes 3 % less memory for as few false "
              "reads, or surely reads 3 % less with the same memory.";
  }

  static bool IsBelow(double figure, double of_now) { return figure < (1 - kWorthwhile) * of_now; }

  static bool HasRoom(const AdviceRow& row, const AdviceRow& now) {
    return row.bytes < (1 + kSameMemory) * now.bytes;
  }

  // Returns true if the false reads are significantly fewer than the present ones, which are a
  // sample.
  static bool SavesReads(const AdviceRow& row, const AdviceRow& now) {
    return IsBelow(row.false_reads,
                   std::min(now.false_reads, now.interval.low / (1 - kWorthwhile))) &&
           HasRoom(row, now);
  }

  bool SavesMemory(const AdviceRow& row, const AdviceRow& now) const {
    return !read_.SomeServeScansAlone() && IsBelow(row.bytes, now.bytes) && now.false_reads > 0 &&
           row.false_reads <= std::min((1 + kWorthwhile) * now.false_reads, now.interval.high);
  }

  static bool IsWorseCompacted(const AdviceRow& row, const AdviceRow& now) {
    return row.compacted && now.compacted &&
           row.compacted->false_reads > (1 + kWorthwhile) * now.compacted->false_reads;
  }

  // Returns a sentence, after a space, on the policy's false reads after a full compaction, with a
  // warning if they exceed those of the policy in force.
  std::string OnceCompacted(const AdviceRow& row, const AdviceRow& now) const {
    if (!row.compacted) {
      return std::string();
    }
    const std::string reads =
        absl::StrFormat("once all is compacted into one level, a lookup makes %.3g false reads",
                        row.compacted->false_reads);
    if (!now.compacted) {
      return absl::StrCat(" O", reads.substr(1), "; with the present filters, that is not known.");
    }
    const std::string of_now =
        absl::StrFormat("%.3g with the present policy", now.compacted->false_reads);
    const bool fits =
        !advice_.budget_bytes || std::max(now.bytes, now.compacted->bytes) <= *advice_.budget_bytes;
    return IsWorseCompacted(row, now)
               ? absl::StrCat(" But ", reads, ", and only ", of_now,
                              fits ? ": if you run full compactions, keep what there is."
                                   : ", which takes more than the budget.")
               : absl::StrCat(" O", reads.substr(1), ", and ", of_now, ".");
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

  void RecommendBudget(const AdviceRow& now) {
    if (advice_.budget.empty()) {
      advice_.recommendation = absl::StrFormat(
          "The budget is too small: even with %g bits per key, the filters of all files take %.0f "
          "bytes, and the budget is %.0f.",
          kMinBudgetBits, advice_.least_bytes, *advice_.budget_bytes);
      return;
    }
    const AdviceRow* split = BudgetRow(advice_);
    if (split == nullptr) {
      return;
    }
    // A single policy is preferred if bits per family save little, as it is simpler to set.
    const AdviceRow* one =
        advice_.one_policy.empty() ? nullptr : RowOf(advice_, advice_.one_policy);
    const bool one_does = one != nullptr && split->OnePolicy().empty() &&
                          one->bytes <= *advice_.budget_bytes &&
                          one->false_reads * (1 - kWorthwhile) <= split->false_reads;
    const AdviceRow& chosen = one_does ? *one : *split;
    const AdviceRow* better = BetterWithinBudget(chosen);
    const AdviceRow& row = better != nullptr ? *better : chosen;
    advice_.choice = row.OnePolicy();
    advice_.recommendation = absl::StrFormat(
        "With %s the filters take %.0f bytes of the budget of %.0f, and a lookup makes %.3g false "
        "reads; now it is %.3g, for %.0f bytes.",
        row.OnePolicy().empty() ? "the policies of the split"
                                : absl::StrCat("filter_policy=", row.OnePolicy()),
        row.bytes, *advice_.budget_bytes, row.false_reads, now.false_reads, now.bytes);
    absl::StrAppend(&advice_.recommendation, OnceCompacted(row, now));
    if (better != nullptr) {
      absl::StrAppend(&advice_.recommendation,
                      absl::StrFormat(" With the best of Winnow's other policies, it makes %.3g.",
                                      chosen.false_reads));
    } else if (one_does) {
      advice_.recommendation +=
          " Different bits per key by column family would save less than 3 % of the reads.";
    } else if (one != nullptr && split->OnePolicy().empty()) {
      absl::StrAppend(&advice_.recommendation,
                      absl::StrFormat(" With one policy for all, filter_policy=%s, it makes %.3g.",
                                      one->OnePolicy(), one->false_reads));
    }
    advice_.recommendation += ListenerText(row.policies);
    if (advice_.budget_is_enough) {
      absl::StrAppend(&advice_.recommendation,
                      absl::StrFormat(" The rest of the budget, %.0f bytes, is left: filters of "
                                      "more than %g bits per key are "
                                      "not tried (--try_policy tries one).",
                                      *advice_.budget_bytes - row.bytes, kMaxBudgetBits));
    }
  }

  // Returns a row that fits the budget and has fewer false reads, such as one of --try_policy, or
  // null.
  const AdviceRow* BetterWithinBudget(const AdviceRow& chosen) const {
    const AdviceRow* best = nullptr;
    for (size_t i = 1; i < advice_.rows.size(); ++i) {
      const AdviceRow& row = advice_.rows[i];
      if (!row.OnePolicy().empty() && row.bytes <= *advice_.budget_bytes &&
          IsBelow(row.false_reads, chosen.false_reads) &&
          (best == nullptr || row.false_reads < best->false_reads)) {
        best = &row;
      }
    }
    return best;
  }

  const AdviceReading& read_;
  const AdviceOptions& options_;
  Advice& advice_;
};

}  // namespace

std::string ListenerText(const std::vector<std::string>& policies) {
  const bool is_needed = absl::c_any_of(policies, [](const std::string& policy) {
    const bool has_plan =
        absl::StrContains(policy, "winnow") && !absl::StrContains(policy, "level_plan=uniform");
    return has_plan || absl::StrContains(policy, "filter_memory=");
  });
  return is_needed ? kSetListener : std::string();
}

void SayAdvice(const AdviceReading& reading, const AdviceOptions& options, Advice* advice) {
  Words words(reading, options, advice);
  words.Recommend();
  words.KeepRangeBits();
  words.Assume();
}

}  // namespace winnow::inspect
