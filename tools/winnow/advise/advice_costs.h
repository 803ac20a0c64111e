// Memory and false reads of a policy's filters in the tree of a column family: one function for all
// policies, in the tree as it is and once all is compacted into one level. The bits of
// Winnow's filters are by the policy's own code; of other policies a few filters are built.

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
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_lookups.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// The bits that most databases have.
inline constexpr double kUsualBits = 10;

// Files that are alike.
struct FileGroup {
  TreePlace place;
  double keys = 0;          // of a filter block, on an average
  double blocks = 0;        // of all files: whole filters, or partitions
  double bits = 0;          // a key, of Winnow's filters; 0: they have none
  double asks = 0;          // lookups that ask these files for keys that they don't have
  double sure = 0;          // of them, those that each filter lets through
  bool unfiltered = false;  // no policy builds a filter there
  bool skipped = false;     // RocksDB asks none there (IsFilterSkipped)
};

// For one thread.
class FamilyCosts {
 public:
  // live_share: of all entries, those that are left when all is compacted. From one half of
  // recorded lookups level_plan=learned learns.
  FamilyCosts(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
              const FamilyLookups& lookups, double live_share);

  // False reads are those of all lookups of the family.
  Cost Of(const std::string& policy);

  // The same once all files are compacted into one level; nothing where that is not known.
  std::optional<Cost> CompactedOf(const std::string& policy);

  // The bits a key of the filter that Winnow's policy builds for this file, by its place in
  // AdvisedFamily::files; 0: none, or another policy.
  double BitsOf(const std::string& policy, size_t at);

  // One block of so many keys of this file's filter; for how many keys one of so many bytes has
  // room.
  FilterCost CostOfBlock(const std::string& policy, size_t at, double keys);
  double KeysWithin(const std::string& policy, size_t at, uint64_t bytes);

  // Files of the tree have other bits than others.
  bool HasRates(const std::string& policy);

  // No policy builds a filter for any file, or for some.
  bool AllAreUnfiltered() const;
  bool SomeAreUnfiltered() const;

  // The options string of the policy in force; empty: not known.
  const std::string& policy_in_force() const { return policy_in_force_; }
  bool is_compacted() const { return is_compacted_; }  // a full compaction would change nothing
  double keys_compacted() const;

  uint64_t learned_from() const { return learned_lookups_.size(); }
  uint64_t judged_by() const { return judged_by_; }  // lookups of the other half
  // Why level_plan=learned is not among the policies, as a clause; empty: it is.
  const std::string& learning_problem() const { return learning_problem_; }

 private:
  struct Lookup {
    std::string key;
    std::vector<LearnedTrial::Answer> answers;
  };

  void Learn(const FamilyLookups& lookups, const std::vector<AdvisedFile>& files);
  void SetCompacted(const std::vector<AdvisedFile>& files, const FamilyLookups& lookups,
                    double live_share);
  // The options of a policy that builds Winnow's filters; nothing for another one.
  const std::optional<PolicyOptions>& WinnowOf(const std::string& policy);
  bool Learns(const std::optional<PolicyOptions>& winnow) const;
  // With bits for which the policy's code is run: others that are near follow from these.
  PolicyOptions Tried(const PolicyOptions& winnow) const;
  const std::vector<double>& BitsUnder(const PolicyOptions& tried);
  const std::vector<FileGroup>& GroupsUnder(const std::optional<PolicyOptions>& winnow);
  FilterCost CostOfBlock(const std::string& policy, const FileGroup& group, double bits,
                         double keys);
  double CompactedBits(const std::string& policy);
  Cost Sum(const std::string& policy, const std::vector<FileGroup>& groups);

  const AdvisedFamily& family_;
  const TreeShape shape_;
  std::vector<FileGroup> files_;                 // each file's, without bits
  std::vector<std::vector<double>> partitions_;  // their shares of each file's keys
  std::vector<size_t> filtered_;                 // of files_, those that have filters
  std::vector<LearnedFile> learned_files_;
  std::string policy_in_force_;

  // To learn from, and of the others those that ask each file in vain.
  std::vector<Lookup> learned_lookups_;
  std::vector<double> judged_asks_;
  uint64_t judged_by_ = 0;
  std::string learning_problem_;

  std::vector<FileGroup> compacted_;
  std::vector<size_t> last_level_;  // of files_: they keep their bits when others are merged there
  bool is_compacted_ = false;
  bool compacted_is_known_ = true;  // not so of filters of prefixes only

  BuiltFilters built_;
  std::map<std::string, std::optional<PolicyOptions>> winnow_;  // by policy
  std::map<std::string, std::vector<double>> bits_;             // by its ShortText
  std::map<std::string, std::vector<FileGroup>> groups_;        // likewise
  std::map<std::string, Cost> costs_;                           // by policy
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_COSTS_H_
