#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <optional>

#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/range_options.h"
#include "src/text/numbers.h"
#include "tools/winnow/advise/scans/scan_advice.h"
#include "tools/winnow/advise/scans/scan_trial.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace {

// The share of data blocks that scans read in vain below which range filters are not worth it.
constexpr double kWorthwhileScans = 0.1;
// The share of what the most range_bits spare with which fewer range_bits do as well.
constexpr double kNearlyAll = 0.97;

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
    if (const std::string other = read_.OtherExtractorOf(family_); !other.empty()) {
      return absl::StrCat(
          "Range filters are not recommended: the column family has prefix_extractor=", other,
          ", and what its filters of prefixes spare scans (with auto_prefix_mode or "
          "prefix_same_as_start of ReadOptions) is not counted here. It can have one extractor, "
          "so that winnow.range would end them. To compare the two, count the data blocks that "
          "scans read on a copy of the database.");
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
    if (all.steps.back().bytes == 0) {
      return absl::StrFormat(
          "These keys can't have range filters: one has more than %d bytes, or their lengths are "
          "such that range filters would take too many bits.",
          RangeFilterBuilder::kMaxKeyBytes);
    }
    const ScanStep& step = Choice();
    if (step.spared < kWorthwhileScans * all.reads) {
      return absl::StrFormat(
          "Range filters would save little: %s, and with range_bits=%g still %.3g. Scans begin too "
          "close behind keys for them, or have too many possible keys between their bounds.",
          ReadsInVain(), step.range_bits, advice_.AScan(all.in_vain - step.spared));
    }
    return now_.may_work() && all.range_bytes > 0 ? OfThoseInForce(step) : Take(step);
  }

  std::string ReadsInVain() const {
    return absl::StrFormat(
        "of %.3g data blocks that the seeks of a scan read, %.3g are of files "
        "without a key between its bounds",
        advice_.AScan(advice_.all.reads), advice_.AScan(advice_.all.in_vain));
  }

  // The fewest range_bits that spare nearly as much as the most.
  const ScanStep& Choice() const {
    const std::vector<ScanStep>& steps = advice_.all.steps;
    return *absl::c_find_if(steps, [&](const ScanStep& step) {
      return step.spared >= kNearlyAll * steps.back().spared;
    });
  }

  double BlocksWith(const ScanStep& step) const {
    return advice_.AScan(advice_.all.reads - step.spared);
  }

  std::string OfThoseInForce(const ScanStep& step) const {
    const ScanRow& all = advice_.all;
    std::string text = absl::StrFormat(
        "Range filters are in force%s: the seeks of a scan read %.3g data blocks; without range "
        "filters it would be %.3g.",
        now_.work() ? absl::StrFormat(", with range_bits=%g", now_.range_bits) : "",
        advice_.AScan(all.reads_now()), advice_.AScan(all.reads));
    if (all.spared_now < kNearlyAll * step.spared) {
      absl::StrAppend(&text,
                      absl::StrFormat(" With range_bits=%g in all files it would be %.3g, for %.3g "
                                      "bits a key in place of %.3g; files that exist get them when "
                                      "compactions rewrite them.",
                                      step.range_bits, BlocksWith(step), all.BitsAKey(step.bytes),
                                      all.BitsAKey(static_cast<double>(all.range_bytes))));
    }
    return text;
  }

  std::string Take(const ScanStep& step) {
    advice_.prefix_extractor = "winnow.range";
    advice_.policy = TextWithRangeBits(choice_, step.range_bits);
    if (advice_.policy.empty()) {
      advice_.policy = TextWithRangeBits(family_.shape.policy, step.range_bits);
    }
    if (advice_.policy.empty()) advice_.policy = TextWithRangeBits("winnow:10", step.range_bits);
    return absl::StrFormat(
        "Take both of these options: the seeks of a scan read %.3g data blocks instead of %.3g, "
        "for range filters of %.3g bits a key, %s in all, beside the filters of single keys. Files "
        "that exist get them when compactions rewrite them.",
        BlocksWith(step), advice_.AScan(advice_.all.reads_now()), advice_.all.BitsAKey(step.bytes),
        ByteSize(step.bytes));
  }

  void Note(bool holds, const std::string& sentence) {
    if (holds) advice_.notes.push_back(sentence);
  }

  void SayNotes() {
    if (advice_.levels.empty()) return;
    const uint64_t without = advice_.seeks - advice_.with_bound;
    Note(without > 0,
         absl::StrFormat("%d of the %d seeks have no upper bound: no range filter helps them, and "
                         "they are not in these figures.",
                         without, advice_.seeks));
    Note(advice_.scans < advice_.with_bound,
         absl::StrFormat("Of %d seeks with a bound, %d were followed, chosen by chance.",
                         advice_.with_bound, advice_.scans));
    Note(advice_.tried_files < advice_.files,
         absl::StrFormat("Range filters were built for %d of %d files; for the others they are "
                         "taken to be alike.",
                         advice_.tried_files, advice_.files));
    Note(read_.SomeAreUnfiltered(),
         "The OPTIONS file has optimize_filters_for_hits: no policy builds filters for the files "
         "of the last level.");
    Note(true,
         "Counted is the data block that a seek reads of each file. It may be in the block cache, "
         "and what a scan reads after the seek is not in this. A trace does not tell whether scans "
         "have total_order_seek, which keeps filters from being asked.");
    const bool with_ranges = !advice_.prefix_extractor.empty() || now_.may_work();
    Note(with_ranges && advice_.cross_deletions > 0,
         absl::StrFormat(
             "%d of the %d scans cross more than %d deletions of a file. Give them "
             "auto_prefix_mode=true in ReadOptions: with prefix_extractor=winnow.range, scans "
             "without it are in prefix mode, where RocksDB 11 does not turn deletions that it "
             "reads into range deletions (min_tombstones_for_range_conversion), so that each scan "
             "reads them anew.",
             advice_.cross_deletions, advice_.scans, kManyDeletions));
    SayOptions();
  }

  void SayOptions() {
    const FamilyText& text = family_.shape.text;
    if (!advice_.prefix_extractor.empty() && !now_.has_extractor) {
      for (const std::string& clause : SayWithRangeExtractor(text)) {
        Note(true, absl::StrCat("With prefix_extractor=winnow.range, ", clause, "."));
      }
    }
    for (const std::string& note : now_.notes) Note(true, absl::StrCat("As it is, ", note, "."));
    for (const std::string& problem : now_.problems) {
      Note(true, absl::StrCat("As it is, ", problem, "."));
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
