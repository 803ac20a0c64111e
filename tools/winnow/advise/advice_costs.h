// Memory and false reads of a policy's filters in a column family's tree, in its current state and
// after a full compaction into one level. Winnow's bits are computed by the policy's own code; for
// other policies, a few filters are built.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COSTS_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COSTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/policy_trial/filter_costs.h"
#include "src/policy_trial/learned_trial.h"
#include "tools/winnow/advise/advice.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"

namespace winnow::inspect {

// Default of most databases, in bits per key.
inline constexpr double kUsualBits = 10;

// Files with nearly equal places and filters.
struct FileGroup {
  TreePlace place;
  double keys = 0;          // mean keys per filter block
  double blocks = 0;        // filter blocks (whole filters or partitions) of all files
  double bits = 0;          // bits per key of Winnow's filters; 0: they have none
  double asks = 0;          // lookups that query these files for absent keys
  double sure = 0;          // lookups of `asks` that every filter lets through
  bool unfiltered = false;  // no policy builds a filter there
  bool skipped = false;     // RocksDB does not query the filters (IsFilterSkipped)
};

// Costs of policies for one column family. Not thread-safe.
class FamilyCosts {
 public:
  // `live_share` is the share of entries that a full compaction keeps. Winnow learns from one half
  // of recorded lookups.
  FamilyCosts(const AdvisedFamily& family, const FamilyLookups& lookups, double live_share);

  // Returns the policy's memory and false reads, summed over all lookups of the family.
  Cost Of(const std::string& policy);

  // Returns the cost after all files are compacted into one level, or nullopt if it is unknown.
  std::optional<Cost> CompactedOf(const std::string& policy);

  // Returns the bits per key of the filter that the policy builds for a file, given by its index in
  // AdvisedFamily::files; 0 if there is no filter or the policy is not Winnow's.
  double BitsOf(const std::string& policy, size_t at);

  // Returns the cost of a filter block with `keys` keys of this file.
  FilterCost CostOfBlock(const std::string& policy, size_t at, double keys);

  // Returns true if no policy builds a filter for any file, or for some files.
  bool AllAreUnfiltered() const;
  bool SomeAreUnfiltered() const;

  // The options string of the policy in force; empty if unknown.
  const std::string& policy_in_force() const { return policy_in_force_; }
  double keys_compacted() const;

 private:
  void Learn(const FamilyLookups& lookups);
  void SetCompacted(const FamilyLookups& lookups, double live_share);
  // Returns the options of a policy that builds Winnow's filters, or nullopt.
  const std::optional<PolicyOptions>& WinnowOf(const std::string& policy);
  // Returns the options with a value of bits_per_key for which the policy's code is run; results
  // for nearby values are derived from it.
  PolicyOptions Tried(const PolicyOptions& winnow) const;
  const std::vector<double>& BitsUnder(const PolicyOptions& tried);
  const std::vector<FileGroup>& GroupsUnder(const std::optional<PolicyOptions>& winnow);
  FilterCost CostOfBlock(const std::string& policy, const FileGroup& group, double bits,
                         double keys);
  double CompactedBits(const std::string& policy);
  Cost Sum(const std::string& policy, const std::vector<FileGroup>& groups);

  const AdvisedFamily& family_;
  const TreeShape shape_;
  std::vector<FileGroup> files_;  // one per file, without bits
  // Share of the file's keys in each partition, per file.
  std::vector<std::vector<double>> partitions_;
  std::vector<size_t> filtered_;       // indexes of files with filters in `files_`
  std::optional<LearnedTrial> trial_;  // of these
  std::string policy_in_force_;
  // Per file, the lookups of the judging half that query it for an absent key, scaled to all
  // lookups. Empty if nothing was learned.
  std::vector<double> judged_asks_;

  std::vector<FileGroup> compacted_;
  bool is_compacted_ = false;       // a full compaction would change nothing
  bool compacted_is_known_ = true;  // false for filters that have only prefixes

  BuiltFilters built_;
  std::map<std::string, std::optional<PolicyOptions>> winnow_;  // keyed by policy
  std::map<std::string, std::vector<double>> bits_;  // keyed by ShortText() of the tried options
  // Keyed by ShortText() of the tried options.
  std::map<std::string, std::vector<FileGroup>> groups_;
  std::map<std::string, Cost> costs_;  // keyed by policy
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COSTS_H_
