#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <utility>

#include "src/core/options.h"
#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/range_options.h"
#include "src/sst/filter_contents.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/scans/scan_advice.h"
#include "tools/winnow/advise/scans/scan_trial.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace {

// Share of the scans' data blocks that must be read in vain to make range filters worthwhile.
constexpr double kWorthwhileScans = 0.1;
// Share of the reads spared by the highest range_bits that makes lower range_bits as good.
constexpr double kNearlyAll = 0.97;

constexpr char kWhenRewritten[] = "Files that exist get them when compactions rewrite them.";

class ScanWords {
 public:
  ScanWords(const AdviceReading& reading, const std::string& choice, ScanAdvice* advice)
      : read_(reading),
        family_(reading.families.front()),
        choice_(choice),
        now_(RangeOptionsOf(family_.shape.policy, family_.shape.text)),
        advice_(*advice) {}

  void Say() {
    advice_.recommendation = Recommendation();
    SayNotes();
  }

 private:
  std::string Recommendation() {
    if (!advice_.extractor.empty() && ExtractorOf(advice_.extractor) == nullptr) {
      return absl::StrCat(
          "Range filters are not recommended: the column family has prefix_extractor=",
          advice_.extractor,
          ", which this program does not have, so that what its filters of prefixes spare is not "
          "counted. It can have one extractor: winnow.range would end them.");
    }
    if (advice_.with_bound == 0) {
      return absl::StrFormat(
          "Range filters are not recommended: none of the %d seeks has an upper bound "
          "(ReadOptions::iterate_upper_bound; traces of RocksDB before 7.1 have none), and range "
          "filters spare no read of scans without one. Have the program give each scan its bound, "
          "and record again.",
          advice_.seeks);
    }
    if (const std::string why = WhyNoRangesByOrder(family_.comparator->Name()); !why.empty()) {
      return absl::StrCat("Range filters can't help here: ", why, ".");
    }
    const ScanRow& all = advice_.all;
    if (all.reads == 0) {
      return "No scan asks a file, so that there is nothing to recommend.";
    }
    if (all.in_vain < kWorthwhileScans * all.reads) {
      return absl::StrCat("Range filters would save little: ", ReadsInVain(), ".");
    }
    if (advice_.tried_files == 0) {
      return absl::StrCat("Nothing can be said of range filters: ",
                          read_.SomeAreUnfiltered()
                              ? "the OPTIONS file has optimize_filters_for_hits, so that files of "
                                "the last level get no filters."
                              : "no file could be read.");
    }
    const ScanFilters* const ranges = Choice();
    const ScanFilters* const prefixes = PrefixesFor(ranges);
    if (ranges == nullptr && prefixes == nullptr) {
      return absl::StrFormat(
          "These keys can't have range filters: one has more than %d bytes, or their lengths are "
          "such that range filters would take too many bits.",
          RangeFilterBuilder::kMaxKeyBytes);
    }
    const ScanFilters& best = prefixes != nullptr ? *prefixes : *ranges;
    if (best.spared < kWorthwhileScans * all.reads) {
      return absl::StrFormat(
          "Range filters would save little: %s, and with %s still %.3g. Scans begin too close "
          "behind keys for them, or have too many possible keys between their bounds.",
          ReadsInVain(), NameOf(best), advice_.AScan(all.in_vain - best.spared));
    }
    if (!advice_.extractor.empty() && IsGoodNow(best)) return Keep(best);
    if (now_.may_work() && all.range_bytes > 0 && ranges != nullptr) return OfThoseInForce(*ranges);
    return prefixes != nullptr ? TakePrefixes(*prefixes, ranges) : Take(*ranges);
  }

  std::string ReadsInVain() const {
    return absl::StrFormat(
        "of %.3g data blocks that the seeks of a scan read, %.3g are of files without a key "
        "between its bounds",
        advice_.AScan(advice_.all.reads), advice_.AScan(advice_.all.in_vain));
  }

  static std::string NameOf(const ScanFilters& filters) {
    return filters.is_of_ranges() ? absl::StrFormat("range_bits=%g", filters.range_bits)
                                  : absl::StrCat("prefix_extractor=", filters.extractor);
  }

  bool IsByAuto(const ScanFilters& ranges) const {
    return absl::c_any_of(advice_.by_auto,
                          [&](size_t at) { return &advice_.all.filters[at] == &ranges; });
  }

  // Returns the range filters with the lowest range_bits that spare nearly as much as any, or null.
  const ScanFilters* Choice() const {
    double most = 0;
    for (const ScanFilters& filters : advice_.all.filters) {
      if (filters.is_of_ranges()) most = std::max(most, filters.spared);
    }
    const ScanFilters* choice = nullptr;
    for (const ScanFilters& filters : advice_.all.filters) {
      if (!filters.is_of_ranges() || filters.bytes == 0 || filters.spared < kNearlyAll * most) {
        continue;
      }
      const auto cost = [](const ScanFilters& of) { return std::pair(of.range_bits, of.bytes); };
      if (choice == nullptr || cost(filters) < cost(*choice)) choice = &filters;
    }
    return choice;
  }

  // Returns the smallest prefix filters that spare as much as `ranges` and are smaller, or null.
  const ScanFilters* PrefixesFor(const ScanFilters* ranges) const {
    const ScanFilters* choice = nullptr;
    for (const ScanFilters& filters : advice_.all.filters) {
      if (filters.is_of_ranges() || filters.spared == 0) continue;
      if (ranges != nullptr &&
          (filters.spared < ranges->spared || filters.bytes >= ranges->bytes)) {
        continue;
      }
      if (choice == nullptr || filters.bytes < choice->bytes) choice = &filters;
    }
    return choice;
  }

  double BlocksWith(const ScanFilters& filters) const {
    return advice_.AScan(advice_.all.reads - filters.spared);
  }

  // Returns true if the current prefix filters spare nearly as much as `best` would.
  bool IsGoodNow(const ScanFilters& best) const {
    const ScanRow& all = advice_.all;
    return all.spared_now >= kNearlyAll * best.spared ||
           best.spared - all.spared_now < kWorthwhileScans * all.reads_now();
  }

  std::string Keep(const ScanFilters& best) const {
    return absl::StrFormat(
        "Keep prefix_extractor=%s: with its filters of prefixes, the seeks of a scan read %.3g "
        "data blocks; without filters it would be %.3g, and with %s %.3g.",
        advice_.extractor, advice_.AScan(advice_.all.reads_now()), advice_.AScan(advice_.all.reads),
        NameOf(best), BlocksWith(best));
  }

  std::string OfThoseInForce(const ScanFilters& ranges) const {
    const ScanRow& all = advice_.all;
    const std::string now = absl::StrFormat(
        "Range filters are in force%s: the seeks of a scan read %.3g data blocks; without range "
        "filters it would be %.3g.",
        now_.work() ? absl::StrFormat(", with range_bits=%g", now_.range_bits) : "",
        advice_.AScan(all.reads_now()), advice_.AScan(all.reads));
    if (all.spared_now >= kNearlyAll * ranges.spared) return now;
    return absl::StrFormat(
        "%s With range_bits=%g%s in all files it would be %.3g, for %.3g bits per key in place of "
        "%.3g; files that exist get them when compactions rewrite them.",
        now, ranges.range_bits, KindClause(ranges), BlocksWith(ranges), all.BitsAKey(ranges.bytes),
        all.BitsAKey(static_cast<double>(all.range_bytes)));
  }

  std::string KindClause(const ScanFilters& ranges) const {
    return IsByAuto(ranges)
               ? std::string()
               : " and range_kind=" + std::string(core::NameOf(kRangeKindOption, ranges.kind));
  }

  // Returns the policy to paste, without range filters if range_bits is 0.
  std::string PolicyWith(double range_bits, RangeKind kind) const {
    const std::string& in_force = family_.shape.policy;
    for (const std::string& policy : {choice_, in_force}) {
      const std::string text = TextWithRanges(policy, range_bits, kind);
      if (!text.empty()) return text;
    }
    return range_bits == 0 && !in_force.empty() ? in_force
                                                : TextWithRanges("winnow:10", range_bits, kind);
  }

  // "the seeks of a scan read 0.1 data blocks instead of 4, for range filters of 12 bits per key,
  // …"
  std::string Effect(const ScanFilters& filters, const char* what) const {
    return absl::StrFormat(
        "the seeks of a scan read %.3g data blocks instead of %.3g, for %s of %.3g bits per key, "
        "%s in all",
        BlocksWith(filters), advice_.AScan(advice_.all.reads_now()), what,
        advice_.all.BitsAKey(filters.bytes), ByteSize(filters.bytes));
  }

  std::string Take(const ScanFilters& ranges) {
    advice_.prefix_extractor = "winnow.range";
    advice_.policy =
        PolicyWith(ranges.range_bits, IsByAuto(ranges) ? RangeKind::kAuto : ranges.kind);
    Note(!advice_.extractor.empty(),
         absl::StrCat("They take the place of prefix_extractor=", advice_.extractor,
                      " and its filters of prefixes."));
    return absl::StrCat("Take both of these options: ", Effect(ranges, "range filters"),
                        ", beside the filters of single keys. ", kWhenRewritten);
  }

  std::string TakePrefixes(const ScanFilters& prefixes, const ScanFilters* ranges) {
    advice_.prefix_extractor = prefixes.extractor;
    advice_.policy = PolicyWith(0, RangeKind::kAuto);
    Note(true, kWhenRewritten);
    if (ranges != nullptr) {
      Note(true, absl::StrFormat("Range filters with range_bits=%g would take %.3g bits per key, "
                                 "for %.3g data blocks.",
                                 ranges->range_bits, advice_.all.BitsAKey(ranges->bytes),
                                 BlocksWith(*ranges)));
    }
    return absl::StrCat(
        "Take both of these options, and before that give every scan auto_prefix_mode=true in "
        "ReadOptions: with a prefix extractor, and without it, scans lose the rows beyond the "
        "prefix that they begin with. Then ",
        Effect(prefixes, "prefixes in the filters"), ".");
  }

  void Note(bool holds, const std::string& sentence) {
    if (holds) advice_.notes.push_back(sentence);
  }

  void SayNotes() {
    if (advice_.levels.empty()) return;
    const uint64_t without = advice_.seeks - advice_.with_bound;
    Note(without > 0,
         absl::StrFormat(
             "%d of the %d seeks have no upper bound: no range filter helps them, and they are not "
             "in these figures.%s",
             without, advice_.seeks,
             advice_.extractor.empty()
                 ? ""
                 : " In prefix mode, filters of prefixes do, until another extractor ends them."));
    const bool takes_ranges = advice_.prefix_extractor == "winnow.range";
    Note(
        (takes_ranges || now_.may_work()) && advice_.cross_deletions > 0,
        absl::StrFormat("%d of the %d scans cross more than %d deletions of a file. Give them "
                        "auto_prefix_mode=true in ReadOptions: with prefix_extractor=winnow.range, "
                        "scans without it are in prefix mode, where RocksDB 11 does not turn "
                        "deletions that it reads into range deletions "
                        "(min_tombstones_for_range_conversion), so that each scan reads them anew.",
                        advice_.cross_deletions, advice_.scans, kManyDeletions));
    if (takes_ranges && !now_.has_extractor) {
      for (const std::string& clause : SayWithRangeExtractor(family_.shape.text)) {
        Note(true, absl::StrCat("With prefix_extractor=winnow.range, ", clause, "."));
      }
    }
    for (const auto* clauses : {&now_.notes, &now_.problems}) {
      for (const std::string& clause : *clauses)
        Note(true, absl::StrCat("As it is, ", clause, "."));
    }
  }

  const AdviceReading& read_;
  const AdvisedFamily& family_;
  const std::string& choice_;
  const RangeOptions now_;
  ScanAdvice& advice_;
};

}  // namespace

void SayScans(const AdviceReading& reading, const std::string& choice, ScanAdvice* advice) {
  ScanWords(reading, choice, advice).Say();
}

}  // namespace winnow::inspect
