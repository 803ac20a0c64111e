// The reading of the files, once for all policies that advice tries: the files, the tree that they
// make, lookups, which files these ask for absent keys, and which files stand for all.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_READING_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_READING_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/winnow/advise/advice_costs.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"

namespace winnow::inspect {

// A file's place among its family's.
struct AdvicePiece {
  size_t family;
  size_t at;
};

// The share of lookups whose key is absent, for plans, rounded as it is written; 1 where nothing is
// found.
double AbsentShareOf(uint64_t absent, uint64_t lookups);

struct AdviceReading {
  std::vector<AdvisedFile> files;
  std::vector<AdvisedFamily> families;

  std::vector<FamilyLookups> lookups;  // by family
  uint64_t num_lookups = 0;            // that count, over all families
  uint64_t num_absent = 0;             // of them
  uint64_t lookups_left_out = 0;       // by AdviceOptions::most_asks

  bool has_plans = false;  // Winnow's filters have several rates, in some family
  uint64_t keys = 0;

  const AdvisedFile& FileOf(const AdvicePiece& piece) const {
    return files[families[piece.family].files[piece.at]];
  }
  AdvisedFile& FileOf(const AdvicePiece& piece) {
    return files[families[piece.family].files[piece.at]];
  }

  // The errors of files.
  std::vector<FileError> Errors() const;

  // The files' entries.
  std::vector<double> EntriesOf(const std::vector<AdvicePiece>& pieces) const;

  std::vector<AdvicePiece> AllPieces() const;

  // Lookups that ask this file for an absent key.
  double AsksOf(const AdvicePiece& piece) const;

  // A count a lookup.
  double ALookup(double count) const;

  double AbsentShare() const { return AbsentShareOf(num_absent, num_lookups); }

  uint64_t FilterBytesNow() const;
  double FalseReadsNow() const;

  // Some lookup asks some file for an absent key.
  bool AsksInVain() const;

  // optimize_filters_for_hits, and some or all files are where it has no filters.
  bool SomeAreUnfiltered() const;
  bool NoPolicyBuilds() const;

  // The prefix extractor of the family, unless it is winnow.range; empty: it has none. Where the
  // OPTIONS file is not known, that of a file.
  std::string OtherExtractorOf(const AdvisedFamily& family) const;

  // Some filters have prefixes and no whole keys: scans use them, which nothing here counts.
  bool SomeServeScansAlone() const;

  // The policy in force of each family; empty: not known.
  std::vector<std::string> PoliciesInForce() const;

  // The cost in all of policies, one for each family; once compacted, nothing where that is
  // not known.
  Cost CostOf(const std::vector<std::string>& policies) const;
  std::optional<Cost> CompactedCostOf(const std::vector<std::string>& policies) const;
};

// Sets AdvisedFile::is_sampled of files of about so many keys, 0: of all, at even distances in the
// order of families, levels and keys: so all parts of the tree are met.
void ChooseSample(uint64_t sample_keys, AdviceReading* reading);

// Empty, or a sentence: nothing can be said. Then the reading has the errors of files at most.
std::string ReadForAdvice(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_READING_H_
