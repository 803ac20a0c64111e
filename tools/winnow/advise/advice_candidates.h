// The filter policies that advice chooses from, and what each would cost in a tree, as it is and
// once all its files are compacted into one level: by formulas.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_CANDIDATES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_CANDIDATES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/sst/builtin_filters.h"
#include "tools/winnow/advise/advice_files.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

// All of 4 to 20 bits: RocksDB's Bloom and Ribbon filters, Winnow's with level_plan "auto" and with
// "learned"; and no filter. With absent_share below 1, "auto" is there with and without it.
std::vector<Candidate> AllCandidates(double absent_share);

// The bits that most databases have.
inline constexpr double kUsualBits = 10;

// The rates that a Ribbon filter can have (winnow/options.h).
inline constexpr double kLowestRate = 1.0 / 65536;
inline constexpr double kHighestRate = 0.5;

// The gain of a file by level_plan=auto: log2 of the rate of a uniform filter to that of its
// filter, the same for each bits_per_key.
struct RuleGain {
  double without_share = 0;  // where all lookups find nothing
  double with_share = 0;     // with absent_share
};

// Files of about the same number of keys and the same place, as far as plans go by it.
struct FileGroup {
  double keys = 0;               // of a filter block, on an average
  double blocks = 0;             // of all files: one for each file, or partitions
  double asks = 0;               // lookups that ask these files for keys that they don't have
  double levels_below = -1;      // of a plan by levels; -1: it does not know
  std::optional<RuleGain> gain;  // unset: by levels
  bool unfiltered = false;       // no policy builds a filter there
  bool skipped = false;          // RocksDB asks none there (IsFilterSkipped)
};

// What the formulas need to know of a family.
struct FamilyFormula {
  std::vector<FileGroup> groups;
  TreeShape shape;
  bool has_plans = false;  // a plan would change something

  // What level_plan=learned builds for each of these files; null: it is as auto.
  std::shared_ptr<AdvisedLearning> learning;
  struct File {
    size_t at;    // in AdvisedFamily::files
    double keys;  // of a filter block
    double blocks;
  };
  std::vector<File> files;     // with filters
  double unfiltered_asks = 0;  // of the other files
};

// Of some of the family's files, by their places in AdvisedFamily::files. asks: for each of all
// files of the family, the lookups that ask it for an absent key. absent_share: of candidates.
FamilyFormula FormulaOf(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                        const std::vector<size_t>& some, const std::vector<uint64_t>& asks,
                        double absent_share);

// The sizes and rates of one candidate's filters. For RocksDB's, the policy is asked, and made to
// build a filter: how it rounds those of few keys depends on its version and the table options. Not
// for several threads.
class CandidateCosts {
 public:
  explicit CandidateCosts(const Candidate& candidate);

  Cost Of(const FamilyFormula& family) const;

 private:
  Cost OfLearned(const FamilyFormula& family) const;
  Cost OfBlock(const FileGroup& group, const TreeShape& shape) const;
  Cost OfBuiltinBlock(uint64_t keys, const TreeShape& shape) const;

  const Candidate candidate_;
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
  // Filters of many keys, by table_format and filters_for_memory.
  mutable std::map<std::pair<int, bool>, BuiltinFilter> builtin_trials_;
};

// What of a file's place decides how a policy plans its filter: only so many places differ.
using PlaceForPlans = std::tuple<int, bool, uint64_t, bool, bool>;
PlaceForPlans PlaceOf(const TreePlace& place);

// A filter of more keys has the rate and the bits a key of one of so many.
inline constexpr uint64_t kMaxTrialKeys = 100'000;

// What the filter takes that the policy builds there of so many keys, and lets through of one
// lookup; 0 and 1 where it builds none.
Cost CostOfBuilt(const std::string& policy, const TreeShape& shape, const TreePlace& place,
                 uint64_t keys);

// What a family is once all its files are compacted into one level.
struct CompactedFamily {
  FamilyFormula formula;
  TreePlace place;     // of all of them
  std::string policy;  // in force now; empty: not known

  // Files of the last level keep the bits that they get beside the levels above, which are merged
  // into them one after the other. Null: they go by their place.
  std::shared_ptr<AdvisedRule> rule;
  std::vector<size_t> last;  // its files now, in AdvisedFamily::files
  std::string PolicyFor(const std::string& policy_text) const;

  // No: its filters have prefixes only, and how many lookups' prefixes are there is not known.
  bool rate_is_known = true;

  // It is compacted now: a further full compaction would change nothing.
  bool is_already = false;
};

// Files are of the sizes that the last level has now, where these are what the target file size
// makes them; small filters' sizes and rates go up and down with each few keys. live_share: of the
// entries that are left. asks_of_one: lookups that then ask a file for an absent key; asks: of each
// file now. absent_share: of candidates.
CompactedFamily OnceCompacted(const AdvisedFamily& family, const std::vector<AdvisedFile>& files,
                              double live_share, uint64_t asks_of_one,
                              const std::vector<uint64_t>& asks, double absent_share);

// Costs by the filters that the policies themselves build for such files. Not for several threads.
class CompactedCosts {
 public:
  explicit CompactedCosts(const std::vector<CompactedFamily>& families) : families_(families) {}

  // Of an options string for each family, false reads of all lookups together; nothing where one of
  // them is not known.
  std::optional<Cost> Of(const std::vector<std::string>& policies);

 private:
  Cost OfBlock(const std::string& policy, const CompactedFamily& family, double keys_of_block);

  const std::vector<CompactedFamily>& families_;
  // By policy, keys, table_format, filters_for_memory and level.
  std::map<std::tuple<std::string, uint64_t, int, bool, int>, Cost> known_;
};

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_CANDIDATES_H_
