// One pass over the files, whose results serve all policies: files, trees, lookups, the files that
// lookups query for absent keys, and the sample of files.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_READING_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_READING_H_

#include <absl/algorithm/container.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/database/table_list.h"
#include "tools/winnow/advise/advice_costs.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"

namespace winnow::inspect {

// A file, by its index in its family's files.
struct AdvicePiece {
  size_t family;
  size_t at;
};

struct AdviceReading {
  std::vector<AdvisedFamily> families;
  std::vector<FileError> unread;  // files that are in no family, as they could not be read

  std::vector<FamilyLookups> lookups;  // one per family
  uint64_t num_lookups = 0;            // lookups that count, over all families
  uint64_t num_absent = 0;             // lookups whose key is in no file
  uint64_t lookups_left_out = 0;       // dropped by AdviceOptions::most_asks

  uint64_t keys = 0;

  const AdvisedFile& FileOf(const AdvicePiece& piece) const {
    return families[piece.family].files[piece.at];
  }
  AdvisedFile& FileOf(const AdvicePiece& piece) { return families[piece.family].files[piece.at]; }

  // Returns true if a file meets the condition.
  template <typename Is>
  bool HasFile(const Is& is) const {
    return absl::c_any_of(
        families, [&](const AdvisedFamily& family) { return absl::c_any_of(family.files, is); });
  }

  // Returns the errors of files.
  std::vector<FileError> Errors() const;

  // Returns the number of entries of each file.
  std::vector<double> EntriesOf(const std::vector<AdvicePiece>& pieces) const;

  std::vector<AdvicePiece> AllPieces() const;

  // Returns the number of lookups that query this file for an absent key.
  double AsksOf(const AdvicePiece& piece) const;

  // Returns the count per lookup.
  double ALookup(double count) const;

  uint64_t FilterBytesNow() const;
  double FalseReadsNow() const;

  // Returns true if some lookup queries a file for an absent key.
  bool AsksInVain() const;

  // Returns true if optimize_filters_for_hits leaves some, or all, files without filters.
  bool SomeAreUnfiltered() const;
  bool NoPolicyBuilds() const;

  // Returns the prefix extractor of the first family that has another than winnow.range; empty if
  // there is none. Taken from a file if the OPTIONS file is unknown.
  std::string OtherExtractor() const;

  // Returns true if some filters have only prefixes, which scans use; scans are not counted here.
  bool SomeServeScansAlone() const;

  // Returns the policy in force of each family; empty if unknown.
  std::vector<std::string> PoliciesInForce() const;

  // Returns the total cost of policies, one per family. CompactedCostOf() returns nullopt if the
  // cost after a full compaction is unknown.
  Cost CostOf(const std::vector<std::string>& policies) const;
  std::optional<Cost> CompactedCostOf(const std::vector<std::string>& policies) const;
};

// Sets AdvisedFile::is_sampled for files with about `sample_keys` keys in total, or for all files
// if `sample_keys` is 0. Chooses files at even distances in the order of families, levels and keys,
// so that all parts of the trees are sampled.
void ChooseSample(uint64_t sample_keys, AdviceReading* reading);

// Reads the files and lookups. Returns a sentence if no advice is possible, else an empty string;
// after a failure, only the errors of files are valid.
std::string ReadForAdvice(const std::vector<ListedTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_READING_H_
